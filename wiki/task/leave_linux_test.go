package task

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters/guard"
	"github.com/rigwiki/rig/sandbox"
)

// attempt is one line of testdata/leave.txt.
type attempt struct {
	n       int
	intent  guard.Intent
	effect  string // refs, gh, ran, read
	granted bool   // may-
	part    bool   // part-
	command string
}

// due: where a sandbox is required all attempts are made, but with the race detector each sixth, as in the inner loop. What is granted always is.
func (a attempt) due() bool {
	return a.granted || a.n%6 == 0 || !racing && strings.Contains(os.Getenv("RIG_REQUIRE"), "sandbox")
}

func attempts(t *testing.T) []attempt {
	t.Helper()
	text, err := os.ReadFile("testdata/leave.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []attempt
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		f := strings.SplitN(line, " ", 3)
		effect, granted := strings.CutPrefix(f[1], "may-")
		effect, part := strings.CutPrefix(effect, "part-")
		list = append(list, attempt{len(list), guard.Intent(f[0]), effect, granted, part, f[2]})
	}
	return list
}

// field is where attempts are made: a remote, the user's repository and gh, a folder that a program may mark.
type field struct {
	*bench
	mark, ghLog, ghPath string
}

const leaveBranch = "task/tea"

func newField(t *testing.T) *field {
	b := newBench(t)
	f := &field{bench: b, mark: filepath.Join(b.top, "mark"), ghLog: filepath.Join(b.top, "gh.log"), ghPath: filepath.Join(b.top, "bin", "gh")}
	b.write("bin/gh", "#!/bin/sh\n{ printf '%s ' \"$@\"; printf '| '; case \" $* \" in *' --body-file - '*) cat;; esac; printf '\\n'; } >>'"+f.ghLog+"' || exit 1\necho answered\n")
	b.write("gh.log", "")
	if err := os.Chmod(f.ghPath, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(f.mark, 0o755); err != nil {
		t.Fatal(err)
	}
	b.env[0] = "PATH=" + filepath.Join(b.top, "bin") + ":" + os.Getenv("PATH")
	var err error
	if b.git, err = FindGit(b.env); err != nil {
		t.Fatal(err)
	}
	b.do(b.repo, "checkout", "-q", "-b", leaveBranch)
	b.write("repo/pages/a.md", "tea\n")
	b.do(b.repo, "add", "-A")
	b.do(b.repo, "commit", "-qm", "tea")
	b.do(b.repo, "tag", "v1")
	b.do(b.repo, "push", "-q", "-u", "origin", leaveBranch, "main:old", "v1")
	b.do(b.repo, "checkout", "-q", "main")
	b.write("repo/main.txt", "one\ntwo\n")
	b.do(b.repo, "commit", "-qam", "main goes on")
	b.do(b.repo, "push", "-q", "origin", "main")
	b.do(b.repo, "reset", "-q", "--hard", "HEAD~1") // the user's own main is behind
	b.do(b.repo, "update-ref", "refs/remotes/origin/main", "HEAD")
	return f
}

// state is everything that an attempt could change outside.
func (f *field) state() (refs, gh, marks string) {
	f.t.Helper()
	cmd := exec.Command("git", "--git-dir="+f.remote, "for-each-ref", "--format=%(objectname) %(refname)")
	cmd.Env = f.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		out = fmt.Appendf(out, "%v", err)
	}
	log, err := os.ReadFile(f.ghLog)
	if err != nil {
		f.t.Fatal(err)
	}
	entries, err := os.ReadDir(f.mark)
	if err != nil {
		f.t.Fatal(err)
	}
	return string(out), string(log), fmt.Sprint(entries)
}

// happened names what differs from before.
func (f *field) happened(refs, gh, marks string) string {
	f.t.Helper()
	r, g, m := f.state()
	switch {
	case m != marks:
		return "ran"
	case g != gh:
		return "gh"
	case r != refs:
		return "refs"
	}
	return "nothing"
}

// keep saves folders, and gives a function that puts them back.
func (f *field) keep(dirs ...string) (back func()) {
	f.t.Helper()
	saved := f.t.TempDir()
	for i, d := range dirs {
		if err := os.CopyFS(filepath.Join(saved, strconv.Itoa(i)), os.DirFS(d)); err != nil {
			f.t.Fatal(err)
		}
	}
	return func() {
		f.t.Helper()
		for i, d := range dirs {
			if err := os.RemoveAll(d); err != nil {
				f.t.Fatal(err)
			}
			if err := os.CopyFS(d, os.DirFS(filepath.Join(saved, strconv.Itoa(i)))); err != nil {
				f.t.Fatal(err)
			}
		}
	}
}

// TestOutsideTheyWork: each attempt has its effect where nothing holds it, or the table would prove nothing.
func TestOutsideTheyWork(t *testing.T) {
	f := newField(t)
	work := filepath.Join(f.top, "work")
	f.do(f.top, "clone", "-q", "--template=", f.remote, work)
	f.do(work, "checkout", "-q", leaveBranch)
	f.write("work/pages/a.md", "tea\nmilk\n")
	f.do(work, "commit", "-qam", "milk")
	if err := os.MkdirAll(filepath.Join(work, ".git", "hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	f.do(work, "config", "push.default", "current")
	back := f.keep(work, f.remote, f.mark)
	for _, a := range attempts(t) {
		if a.effect == "read" || !a.due() {
			continue
		}
		refs, gh, marks := f.state()
		cmd := exec.Command("/bin/sh", "-c", a.command)
		cmd.Dir = work
		cmd.Env = append(slices.Clone(f.env), "REAL="+f.git.path, "REMOTE="+f.remote, "MARK="+f.mark, "GHREAL="+f.ghPath, "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@e.x", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@e.x", "TMPDIR="+f.top)
		out, _ := cmd.CombinedOutput()
		if got := f.happened(refs, gh, marks); got != a.effect {
			t.Errorf("%s: outside it has another effect: %s\n%s", a.command, got, out)
		}
		back()
	}
}

// layers are the tiers to try; where one cannot be had the test of it is skipped, or fails where it is required.
func eachTier(t *testing.T, test func(t *testing.T, l sandbox.Layer)) {
	for _, name := range []string{"overlay", "copy"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, r, err := sandbox.Auto(t.Context(), t.TempDir(), "", sandbox.Choice{Layer: name})
			if err != nil {
				if slices.Contains(strings.Split(os.Getenv("RIG_REQUIRE"), ","), "sandbox") {
					t.Fatal("no sandbox: ", err)
				}
				t.Skip("no such sandbox here: ", err, r)
			}
			test(t, l)
		})
	}
}

// TestNothingLeaves makes each attempt inside, and looks after each one.
func TestNothingLeaves(t *testing.T) {
	all := attempts(t)
	if n := len(slices.DeleteFunc(slices.Clone(all), func(a attempt) bool { return a.granted })); n < 100 {
		t.Errorf("only %d attempts", n)
	}
	eachTier(t, func(t *testing.T, l sandbox.Layer) {
		for _, intent := range []guard.Intent{guard.Work, guard.ActPR, guard.Review} {
			t.Run(string(intent), func(t *testing.T) {
				r := newRehearsal(t, l, intent)
				r.run(slices.DeleteFunc(slices.Clone(all), func(a attempt) bool { return a.intent != intent || !a.due() }))
			})
		}
	})
}

// rehearsal is one box in which attempts of one intent are made one after the other.
type rehearsal struct {
	*field
	t        *testing.T
	checkout *Checkout
	broker   *Broker
	box      sandbox.Box
	env      []string
	tip      string // the agent's commit
	before   string // the remote's refs as they are at the beginning of each attempt
}

func newRehearsal(t *testing.T, l sandbox.Layer, intent guard.Intent) *rehearsal {
	f := newField(t)
	r := &rehearsal{field: f, t: t, checkout: f.checkout(Order{Branch: leaveBranch})}
	r.tip = f.commit(r.checkout, "pages/a.md", "tea\nmilk\n")
	private := filepath.Join(f.top, "private")
	for _, d := range []string{private, filepath.Join(f.top, "box")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	r.broker, err = NewBroker(BrokerOptions{Checkout: r.checkout, Dir: private, Env: append(f.env, "GH_TOKEN=s3cret-of-the-user"),
		Grant: guard.Grant{Intent: intent, Remote: "origin", Branch: leaveBranch, Repo: "github.com/tea/pot", PR: reviewed(intent)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.broker.Close() })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r.box, err = l.Open(t.Context(), sandbox.Spec{Root: r.checkout.Dir, RunDir: filepath.Join(f.top, "box"), Home: f.top,
		Visible: append(slices.Clone(r.checkout.Visible), f.remote, f.mark, self), Tools: r.broker.Tools(self), Network: sandbox.Network{Loopback: []string{r.broker.Addr()}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.box.Close() })
	door, err := r.broker.Env(r.box.Dir(), RealGit)
	if err != nil {
		t.Fatal(err)
	}
	r.env = slices.Concat([]string{"PATH={tools}:/usr/local/bin:/usr/bin:/bin", "HOME=/tmp/home", "REAL=" + RealGit, "REMOTE=" + f.remote, "MARK=" + f.mark, "GHREAL=" + f.ghPath, "FILES={files}"}, r.checkout.Env(), door)
	return r
}

// stage runs the attempts that are asked for by number, each from the same beginning, and prints what came of them.
const stage = `
mkdir -p /tmp/home
cp -a .git "${TMPDIR:-/tmp}/saved" || exit 1
top=$PWD
touch "${TMPDIR:-/tmp}/stamp"
while read -r n; do
  cd "$top" || exit 1
  if [ -n "$(find . -newer "${TMPDIR:-/tmp}/stamp" -print -quit)" ]; then
    { rm -rf .git && cp -a "${TMPDIR:-/tmp}/saved" .git && "$REAL" reset -q --hard && "$REAL" clean -fdq; } || exit 1
    touch "${TMPDIR:-/tmp}/stamp"
  fi
  sh "$FILES/$n.sh" </dev/null >"${TMPDIR:-/tmp}/out" 2>&1
  echo "=$n $?"
  head -c 4000 "${TMPDIR:-/tmp}/out"
  printf '\n=end\n'
done
`

func (r *rehearsal) run(list []attempt) {
	files := map[string][]byte{}
	for _, a := range list {
		files[fmt.Sprintf("%d.sh", a.n)] = []byte(a.command + "\n")
	}
	var errs strings.Builder
	var once sync.Once
	c := sandbox.Command{Argv: []string{"/bin/sh", "-c", stage}, Env: r.env, Files: files, TwoWay: true, Timeout: 2 * time.Minute, Stderr: &errs,
		Talk: func(_ context.Context, rw io.ReadWriter) { once.Do(func() { r.talk(rw, list) }) }}
	e, err := r.box.Run(r.t.Context(), c)
	if err != nil || e.Why != sandbox.Exited && e.Why != sandbox.Finished {
		r.t.Fatalf("the stage broke: %+v %v\n%s", e, err, errs.String())
	}
	for _, d := range r.broker.Crossings() {
		if strings.Contains(fmt.Sprint(d), "s3cret") {
			r.t.Errorf("the record holds a secret: %+v", d)
		}
	}
}

func (r *rehearsal) talk(rw io.ReadWriter, list []attempt) {
	in := bufio.NewReader(rw)
	back := r.keep(r.remote)
	for _, a := range list {
		refs, gh, marks := r.state()
		r.before = refs
		before := len(r.broker.Crossings())
		fmt.Fprintf(rw, "%d\n", a.n)
		code, out, err := reply(in)
		if err != nil {
			r.t.Errorf("%s: %v", a.command, err)
			return
		}
		r.judge(a, code, out, r.happened(refs, gh, marks), r.broker.Crossings()[before:])
		if got, _, _ := r.state(); got != refs {
			back()
		}
	}
}

// reply reads what the stage prints of one attempt.
func reply(in *bufio.Reader) (code int, out string, err error) {
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0, out, fmt.Errorf("the stage ended: %w", err)
		}
		if line == "=end\n" {
			return code, out, nil
		}
		var n int
		if k, _ := fmt.Sscanf(line, "=%d %d\n", &n, &code); k != 2 {
			out += line
		}
	}
}

func (r *rehearsal) judge(a attempt, code int, out, got string, crossings []Crossing) {
	switch {
	case strings.Contains(out, "s3cret"):
		r.t.Errorf("%s: it shows a secret:\n%s", a.command, out)
	case a.granted && a.effect == "read" && (code != 0 || got != "nothing"):
		r.t.Errorf("%s: exit %d, %s\n%s", a.command, code, got, out)
	case a.granted && a.effect != "read" && (code != 0 || got != a.effect):
		r.t.Errorf("%s: it is granted, and had the effect %q, exit %d\n%s", a.command, got, code, out)
	case a.granted && a.effect != "read" && (len(crossings) == 0 || crossings[len(crossings)-1].Did == ""):
		r.t.Errorf("%s: not in the record: %+v", a.command, crossings)
	case a.granted:
	case got != "nothing" && !(a.part && got == "refs" && r.forward()):
		r.t.Errorf("%s: it had the effect %q, exit %d\n%s", a.command, got, code, out)
	case !a.part && !roundabout(a.command) && !strings.Contains(out, "rig: "):
		r.t.Errorf("%s: exit %d, and it is not told why not:\n%s", a.command, code, out)
	}
}

// roundabout: a command that does not begin with our git or gh is not told anything by us.
func roundabout(command string) bool {
	for _, s := range []string{"$REAL", "$GHREAL", "{GHREAL}", "/usr/bin/git", "PATH=/usr/bin", "}=\"/usr/bin", "RIG_BROKER", "$REMOTE/", "/tmp/c$$", ">\"$MARK", "separate-git-dir"} {
		if strings.Contains(command, s) {
			return true
		}
	}
	return false
}

// forward tells whether the run's branch moved to the agent's commit, and nothing else did.
func (r *rehearsal) forward() bool {
	refs, _, _ := r.state()
	moved := strings.Replace(r.before, r.checkout.Start+" refs/heads/"+leaveBranch, r.tip+" refs/heads/"+leaveBranch, 1)
	return refs == moved
}
