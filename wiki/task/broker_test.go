package task

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters/guard"
	"github.com/rigwiki/rig/wiki/task/inside"
)

// desk is a broker with a checkout whose agent committed once, asked without any program of ours between.
type desk struct {
	*bench
	checkout *Checkout
	broker   *Broker
	tip      string
	door     inside.Door
}

func newDesk(t *testing.T, intent guard.Intent, env ...string) *desk {
	t.Helper()
	b := newBench(t)
	d := &desk{bench: b, checkout: b.checkout(Order{})}
	d.tip = b.commit(d.checkout, "x.txt", "x\n")
	dir := filepath.Join(b.top, "private")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var err error
	d.broker, err = NewBroker(BrokerOptions{Checkout: d.checkout, Dir: dir, Env: append(slices.Clone(b.env), env...),
		Grant: guard.Grant{Intent: intent, Remote: "origin", Branch: d.checkout.Branch, Repo: "github.com/tea/pot", PR: reviewed(intent)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.broker.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	})
	kv, err := d.broker.Env(d.checkout.Dir, "/usr/bin/git")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(kv[0], "=")
	if err := json.Unmarshal([]byte(text), &d.door); err != nil {
		t.Fatal(err)
	}
	return d
}

// reviewed is the pull request of a run in tests: a review has one.
func reviewed(intent guard.Intent) int {
	if intent == guard.Review {
		return 7
	}
	return 0
}

// ask sends a request as whoever knows the address could.
func (d *desk) ask(a inside.Ask, payload []byte) (inside.Answer, []byte) {
	d.t.Helper()
	var body bytes.Buffer
	if err := inside.WriteHead(&body, a); err != nil {
		d.t.Fatal(err)
	}
	body.Write(payload)
	res, err := http.Post(d.door.URL, "application/octet-stream", &body)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		d.t.Fatalf("%s: %s", res.Status, text)
	}
	var ans inside.Answer
	if err := inside.ReadHead(res.Body, &ans); err != nil {
		d.t.Fatal(err)
	}
	rest, err := io.ReadAll(res.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return ans, rest
}

func (d *desk) remoteRefs() string {
	return d.do(d.remote, "for-each-ref", "--format=%(objectname) %(refname)")
}

// TestBrokerDoor: only whoever has the run's address is heard, and nothing that is no request.
func TestBrokerDoor(t *testing.T) {
	d := newDesk(t, guard.ActPR)
	base, _, _ := strings.Cut(strings.TrimPrefix(d.door.URL, "http://"), "/")
	good := func() *bytes.Buffer {
		var b bytes.Buffer
		if err := inside.WriteHead(&b, inside.Ask{Program: "gh", Args: []string{"pr", "merge"}}); err != nil {
			t.Fatal(err)
		}
		return &b
	}
	for name, c := range map[string]struct {
		method, url, origin string
		body                *bytes.Buffer
		want                int
	}{
		"no token":       {"POST", "http://" + base + "/", "", good(), 403},
		"wrong token":    {"POST", "http://" + base + "/" + strings.Repeat("0", 48), "", good(), 403},
		"a web page":     {"POST", d.door.URL, "https://evil.example", good(), 403},
		"another method": {"GET", d.door.URL, "", &bytes.Buffer{}, 405},
		"empty":          {"POST", d.door.URL, "", &bytes.Buffer{}, 400},
		"cut short":      {"POST", d.door.URL, "", bytes.NewBuffer([]byte{0, 0, 1, 0, '{'}), 400},
		"huge":           {"POST", d.door.URL, "", bytes.NewBuffer([]byte{0xff, 0xff, 0xff, 0xff}), 400},
		"not JSON":       {"POST", d.door.URL, "", bytes.NewBuffer([]byte{0, 0, 0, 2, 'x', 'x'}), 400},
		"a request":      {"POST", d.door.URL, "", good(), 200},
	} {
		req, err := http.NewRequest(c.method, c.url, c.body)
		if err != nil {
			t.Fatal(err)
		}
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", name, res.StatusCode, c.want)
		}
	}
	if list := d.broker.Crossings(); len(list) != 1 || list[0].Did != "" || list[0].Code == 0 {
		t.Errorf("the record: %+v", list)
	}
}

// TestBrokerPush: whatever is said to the broker, the branch moves forward to commits that pass, or not at all.
func TestBrokerPush(t *testing.T) {
	push := func(args ...string) inside.Ask {
		return inside.Ask{Program: "git", Args: append([]string{"push"}, args...)}
	}
	for name, c := range map[string]struct {
		ask    func(d *desk) (inside.Ask, []byte)
		intent guard.Intent
		want   string // of the error, "" where it is pushed
	}{
		"granted": {func(d *desk) (inside.Ask, []byte) { a := push(); a.Tip = d.tip; return a, d.bundle(d.checkout) }, guard.ActPR, ""},
		"force":   {func(d *desk) (inside.Ask, []byte) { a := push("-uf"); a.Tip = d.tip; return a, d.bundle(d.checkout) }, guard.ActPR, "not among the options"},
		"another branch": {func(d *desk) (inside.Ask, []byte) {
			a := push("origin", "+HEAD:main")
			a.Tip = d.tip
			return a, d.bundle(d.checkout)
		}, guard.ActPR, "rewrites history"},
		"work": {func(d *desk) (inside.Ask, []byte) { a := push(); a.Tip = d.tip; return a, d.bundle(d.checkout) }, guard.Work, "not part of a work run"},
		"another tip": {func(d *desk) (inside.Ask, []byte) {
			a := push()
			a.Tip = d.checkout.Main
			return a, d.bundle(d.checkout)
		}, guard.ActPR, "the bundle holds"},
		"no bundle":    {func(d *desk) (inside.Ask, []byte) { a := push(); a.Tip = d.tip; return a, nil }, guard.ActPR, "the bundle holds"},
		"not a bundle": {func(d *desk) (inside.Ask, []byte) { a := push(); a.Tip = d.tip; return a, []byte("x\n") }, guard.ActPR, "no bundle"},
		"main's bundle": {func(d *desk) (inside.Ask, []byte) {
			a := push()
			a.Tip = d.tip
			return a, bytes.Replace(d.bundle(d.checkout), []byte("refs/heads/task/0007-add-x"), []byte("refs/heads/main"), 1)
		}, guard.ActPR, "alone was asked for"},
		"a stranger's commit": {func(d *desk) (inside.Ask, []byte) {
			d.with([]string{"GIT_AUTHOR_NAME=Eve", "GIT_AUTHOR_EMAIL=e@v.e", "GIT_COMMITTER_NAME=Eve", "GIT_COMMITTER_EMAIL=e@v.e"}, d.checkout.Dir, "commit", "-q", "--allow-empty", "-m", "z")
			a := push()
			a.Tip = d.do(d.checkout.Dir, "rev-parse", "HEAD")
			return a, d.bundle(d.checkout)
		}, guard.ActPR, "author"},
		"variables": {func(d *desk) (inside.Ask, []byte) {
			a := push()
			a.Tip, a.Env = d.tip, []string{"GIT_SSH_COMMAND=touch /tmp/x"}
			return a, d.bundle(d.checkout)
		}, guard.ActPR, "GIT_SSH_COMMAND is not allowed"},
		"another program": {func(d *desk) (inside.Ask, []byte) { return inside.Ask{Program: "sh", Args: []string{"-c", "id"}}, nil }, guard.ActPR, "git and gh only"},
		"another verb":    {func(d *desk) (inside.Ask, []byte) { return inside.Ask{Program: "git", Args: []string{"status"}}, nil }, guard.ActPR, "nothing that the host does"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, c.intent)
			before := d.remoteRefs()
			ask, bundle := c.ask(d)
			ask.Dir = d.checkout.Dir
			ans, _ := d.ask(ask, bundle)
			after, list := d.remoteRefs(), d.broker.Crossings()
			if c.want != "" {
				if ans.Code == 0 || !strings.Contains(string(ans.Err), c.want) || after != before {
					t.Errorf("%d: %s\nthe remote has\n%s", ans.Code, ans.Err, after)
				}
				if len(list) != 1 || list[0].Did != "" || list[0].Why == "" {
					t.Errorf("the record: %+v", list)
				}
				return
			}
			if want := before + "\n" + d.tip + " refs/heads/" + d.checkout.Branch; ans.Code != 0 || after != want {
				t.Errorf("%d: %s\nthe remote has\n%s", ans.Code, ans.Err, after)
			}
			if e := list[0].Event("s"); !*e.OK || e.Kind != "git" || !strings.Contains(e.Summary, "1 new commit") || e.Cmd != "git push" {
				t.Errorf("the event: %+v", e)
			}
			if got := d.do(d.repo, "for-each-ref", "refs/remotes/origin/task"); got != "" {
				t.Errorf("the user's repository has %s", got)
			}
		})
	}
}

// A rewritten history is refused also where the commits were pushed by this very run.
func TestBrokerPushAgain(t *testing.T) {
	d := newDesk(t, guard.ActPR)
	push := func(tip string) inside.Answer {
		ans, _ := d.ask(inside.Ask{Program: "git", Args: []string{"push"}, Dir: d.checkout.Dir, Tip: tip}, d.bundle(d.checkout))
		return ans
	}
	if ans := push(d.tip); ans.Code != 0 {
		t.Fatalf("%s", ans.Err)
	}
	d.with(d.checkout.Env(), d.checkout.Dir, "commit", "-q", "--amend", "-m", "other words")
	before := d.remoteRefs()
	if ans := push(d.do(d.checkout.Dir, "rev-parse", "HEAD")); ans.Code == 0 || d.remoteRefs() != before {
		t.Errorf("an amended commit was pushed: %s", ans.Err)
	}
	d.do(d.checkout.Dir, "reset", "-q", "--hard", d.tip)
	if ans := push(d.commit(d.checkout, "y.txt", "y\n")); ans.Code != 0 {
		t.Errorf("the next commit was not pushed: %s", ans.Err)
	}
}

// A review whose pull request nobody knows writes to one: what it wrote to first. A call that failed wrote to none.
func TestBrokerFirstPullRequest(t *testing.T) {
	d := newDesk(t, guard.Review)
	d.write("bin/gh", "#!/bin/sh\n[ \"$3\" != 6 ]\n")
	if err := os.Chmod(filepath.Join(d.top, "bin/gh"), 0o755); err != nil {
		t.Fatal(err)
	}
	d.broker.o.Grant.PR = 0
	d.broker.o.Env = append(d.broker.o.Env, "PATH="+filepath.Join(d.top, "bin")+":/usr/bin:/bin")
	for _, c := range []struct {
		number string
		goes   bool
	}{{"6", false}, {"7", true}, {"8", false}, {"7", true}} {
		ans, _ := d.ask(inside.Ask{Program: "gh", Args: []string{"pr", "comment", c.number, "-b", "x"}}, nil)
		if (ans.Code == 0) != c.goes {
			t.Errorf("%s: %d %s", c.number, ans.Code, ans.Err)
		}
	}
}

// The user's gh gets arguments that were rendered anew and an environment that asks nobody; what it prints comes back without their token.
func TestBrokerGH(t *testing.T) {
	d := newDesk(t, guard.Review, "GH_TOKEN=s3cret-token", "GH_DEBUG=api", "GH_REPO=evil/repo", "GH_HOST=evil.example", "GIT_DIR=/evil", "PAGER=less")
	d.write("bin/gh", "#!/bin/sh\necho \"$@\"\ncat\necho\necho \"token $GH_TOKEN, debug '$GH_DEBUG', repo '$GH_REPO', host $GH_HOST, dir '$GIT_DIR', pager $GH_PAGER '$PAGER', at $PWD\"\nexit 3\n")
	if err := os.Chmod(filepath.Join(d.top, "bin/gh"), 0o755); err != nil {
		t.Fatal(err)
	}
	ask := inside.Ask{Program: "gh", Args: []string{"pr", "comment", "7", "--body-file", "b.md"}, Texts: map[string][]byte{"b.md": []byte("nice")}}
	if ans, _ := d.ask(ask, nil); ans.Code != 127 || !strings.Contains(string(ans.Err), "not installed") {
		t.Errorf("without gh: %d %s", ans.Code, ans.Err)
	}
	d.broker.o.Env[0] = "PATH=relative:" + filepath.Join(d.top, "bin") + ":/usr/bin:/bin"
	ans, _ := d.ask(ask, nil)
	want := "pr comment 7 --body-file - --repo github.com/tea/pot\nnice\ntoken ***, debug '', repo '', host github.com, dir '', pager cat '', at " + d.repo + "\n"
	if ans.Code != 3 || string(ans.Out) != want {
		t.Errorf("%d: %q, want %q", ans.Code, ans.Out, want)
	}
	if ans, _ := d.ask(inside.Ask{Program: "gh", Args: []string{"pr", "comment", "7", "--body-file", "/etc/passwd"}}, nil); ans.Code == 0 || len(ans.Out) > 0 {
		t.Errorf("a file of the host: %s", ans.Out)
	}
}

// What Git LFS keeps elsewhere is not pushed as content, whatever the last commit looks like; what came with main is no fault of the run.
func TestBrokerPushUnpointed(t *testing.T) {
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
	d := newDesk(t, guard.ActPR)
	d.write("repo/art.png", pointer)
	d.write("repo/theirs.png", pointer)
	d.do(d.repo, "add", "-A")
	d.do(d.repo, "commit", "-qm", "art")
	d.do(d.repo, "push", "-q", "origin", "main")
	d.checkout = d.bench.checkout(Order{Branch: "task/art"})
	d.broker.o.Checkout, d.broker.o.Grant.Branch = d.checkout, "task/art"
	push := func(tip string) inside.Answer {
		ans, _ := d.ask(inside.Ask{Program: "git", Args: []string{"push"}, Dir: d.checkout.Dir, Tip: tip}, d.bundle(d.checkout))
		return ans
	}
	d.write("repo/theirs.png", "theirs\n")
	d.do(d.repo, "commit", "-qam", "main leaves LFS")
	d.do(d.repo, "push", "-q", "origin", "main")
	d.do(d.repo, "fetch", "-q", "origin")
	d.do(d.checkout.Dir, "fetch", "-q", d.repo, "main")
	d.commit(d.checkout, "x.txt", "x\n")
	d.with(d.checkout.Env(), d.checkout.Dir, "merge", "-q", "--no-edit", "FETCH_HEAD")
	if ans := push(d.do(d.checkout.Dir, "rev-parse", "HEAD")); ans.Code != 0 {
		t.Fatalf("a merge of main: %s", ans.Err)
	}
	before := d.remoteRefs()
	if ans := push(d.commit(d.checkout, "art.png", "\x89PNG\x00")); ans.Code == 0 || !strings.Contains(string(ans.Err), "art.png: Git LFS") || d.remoteRefs() != before {
		t.Errorf("%d: %s", ans.Code, ans.Err)
	}
	if ans := push(d.commit(d.checkout, "art.png", pointer)); ans.Code == 0 || d.remoteRefs() != before {
		t.Errorf("the commit before the last has it: %d: %s", ans.Code, ans.Err)
	}
}

// Closing ends what is under way.
func TestBrokerClose(t *testing.T) {
	d := newDesk(t, guard.Review)
	started := filepath.Join(d.top, "started")
	d.write("bin/gh", "#!/bin/sh\necho >'"+started+"'\nsleep 600\n")
	if err := os.Chmod(filepath.Join(d.top, "bin/gh"), 0o755); err != nil {
		t.Fatal(err)
	}
	d.broker.o.Env[0] = "PATH=" + filepath.Join(d.top, "bin") + ":/usr/bin:/bin"
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan error)
	go func() {
		var body bytes.Buffer
		if err := inside.WriteHead(&body, inside.Ask{Program: "gh", Args: []string{"pr", "view", "7"}}); err != nil {
			done <- err
			return
		}
		req, err := http.NewRequestWithContext(ctx, "POST", d.door.URL, &body)
		if err != nil {
			done <- err
			return
		}
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			res.Body.Close()
		}
		done <- nil
	}()
	for {
		if _, err := os.Stat(started); err == nil {
			break
		}
		if ctx.Err() != nil {
			t.Fatal("gh was never started")
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := d.broker.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil || ctx.Err() != nil {
		t.Error("it hung: ", err, ctx.Err())
	}
}

func TestGitHubName(t *testing.T) {
	for raw, want := range map[string]string{
		"https://github.com/tea/pot.git": "github.com/tea/pot", "git@github.com:tea/pot.git": "github.com/tea/pot", "ssh://git@github.com/tea/pot": "github.com/tea/pot",
		"ssh://git@ssh.github.com:443/tea/pot.git": "github.com/tea/pot", "https://x:secret@ghe.example/tea/pot": "ghe.example/tea/pot",
		"/srv/tea/pot.git": "", "file:///tea/pot": "", "https://gitlab.com/a/b/c": "", "https://github.com/tea": "", "": "", "git@host:pot": "", "../tea/pot": "",
	} {
		if got := gitHubName(raw); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
	if got := (PullRequest{URL: "https://github.com/tea/pot/pull/7"}).GitHubName(); got != "github.com/tea/pot" {
		t.Errorf("of a pull request: %q", got)
	}
}
