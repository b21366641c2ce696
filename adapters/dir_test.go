package adapters

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestDirectoryOrder(t *testing.T) {
	root := t.TempDir()
	project, home := filepath.Join(root, "project"), filepath.Join(root, "home")
	writeProgram(t, filepath.Join(project, "local/adapters/a/run"), "#!/bin/sh\n")
	writeProgram(t, filepath.Join(home, "adapters/a/run"), "#!/bin/sh\n")
	writeProgram(t, filepath.Join(home, "adapters/claude/run"), "#!/bin/sh\n")
	for _, c := range []struct{ project, name, dir string }{
		{project, "a", filepath.Join(project, "local/adapters/a")},
		{"", "a", filepath.Join(home, "adapters/a")}, // an untrusted project does not count
		{project, "claude", filepath.Join(home, "adapters/claude")},
	} {
		a, err := NewRegistry(Env{Project: c.project, RigHome: home}).Find(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := a.(directory); !ok || d.dir != c.dir {
			t.Errorf("%+v: got %+v", c, a)
		}
	}
	var names []string
	for _, a := range NewRegistry(Env{Project: project, RigHome: home}).List() {
		names = append(names, a.Name())
	}
	if got := strings.Join(names, " "); !strings.HasPrefix(got, "claude") || !strings.HasSuffix(got, " a") || strings.Count(got, "claude") != 1 {
		t.Errorf("list: %s", got)
	}
}

func TestDirectoryDetect(t *testing.T) {
	dir := t.TempDir()
	if d := Directory(dir).Detect(t.Context(), Env{}); d.Usable || !strings.Contains(d.Why, "run is missing, wire is missing") {
		t.Errorf("empty folder: %+v", d)
	}
	writeProgram(t, filepath.Join(dir, "run"), "#!/bin/sh\n")
	if err := os.WriteFile(filepath.Join(dir, "wire"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if d := Directory(dir).Detect(t.Context(), Env{}); runtime.GOOS != "windows" && (d.Usable || !strings.Contains(d.Why, "wire is not executable")) {
		t.Errorf("wire without x: %+v", d)
	}
	writeProgram(t, filepath.Join(dir, "w2"), "#!/bin/sh\n")
	if err := os.Rename(filepath.Join(dir, "w2"), filepath.Join(dir, "wire")); err != nil {
		t.Fatal(err)
	}
	if d := Directory(dir).Detect(t.Context(), Env{}); !d.Usable || !d.Installed {
		t.Errorf("both there: %+v", d)
	}
}

// The contract's environment, seen by a real shell script.
func TestDirectoryRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the adapter is a shell script")
	}
	dir := t.TempDir()
	writeProgram(t, filepath.Join(dir, "run"), `#!/bin/sh
[ "${AGENT_MODEL-unset}" = unset ] || echo "model=$AGENT_MODEL"
echo "mode=$AGENT_MODE commands=$AGENT_COMMANDS cwd=$AGENT_CWD port=$BOARD_PORT id=$BOARD_AGENT_ID task=$BOARD_TASK"
printf 'prompt=%s\n' "$AGENT_PROMPT"
cat
printf 'file='; cat "$AGENT_PROMPT_FILE"
`)
	a := Directory(dir)
	for _, c := range []struct{ prompt, inEnv string }{
		{"--do 'it' \"now\"\n温度", "--do 'it' \"now\"\n温度"},
		{strings.Repeat("long ", 60_000), "Read the file "},
		{"a\x00b", "Read the file "},
		{"keep {files} as it is", "Read the file "},
	} {
		r := planRequest("probe", "ingest")
		r.Prompt, r.System, r.Task, r.Commands = c.prompt, "", "t1.md", []string{"qmd"} // not what else the grant holds
		inv, err := a.Plan(r)
		if err != nil {
			t.Fatal(err)
		}
		files := t.TempDir()
		for name, b := range inv.Files {
			if err := os.WriteFile(filepath.Join(files, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(inv.Argv[0])
		for _, kv := range inv.Env {
			cmd.Env = append(cmd.Env, strings.ReplaceAll(kv, "{files}", files))
		}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		got := string(out)
		if want := "mode=work commands=qmd cwd=/wiki port=7461 id=run-1 task=t1.md\nprompt=" + c.inEnv; !strings.HasPrefix(got, want) {
			t.Errorf("got %.200q, want %q", got, want)
		}
		if !strings.HasSuffix(got, "\nfile="+c.prompt) {
			t.Errorf("the file does not hold the prompt: %.200q", got)
		}
	}
}

func TestDirectoryText(t *testing.T) {
	o := decode(Directory("x"), strings.NewReader("log\nINGEST DONE: embed\n")).Outcome
	if !o.OK || !o.Ended || o.Text != "log\nINGEST DONE: embed" {
		t.Errorf("got %+v", o)
	}
	flood := bytes.Repeat([]byte("0123456789abcde\n"), 4<<20/16)
	flood = slices.Concat([]byte("begin\n"), flood, []byte("end\n"))
	if o := decode(Directory("x"), bytes.NewReader(flood)).Outcome; len(o.Text) > maxText || !strings.HasSuffix(o.Text, "\nend") || !strings.HasPrefix(o.Text, "begin\n") || !strings.Contains(o.Text, "\n"+leftOut) {
		t.Errorf("a flood gave %d bytes", len(o.Text))
	}
}

// A log that ends by asking is an end, and a question that nobody answered; one asked on the way is none.
func TestDirectoryQuestion(t *testing.T) {
	for log, asks := range map[string]bool{"done\nShall I update the docs, too?\n": true, "Which one?\nI took the first.\n": false, "Shall I?\nPR REVIEW: APPROVE\n": false} {
		if o := decode(Directory("x"), strings.NewReader(log)).Outcome; !o.OK || !o.Ended || o.Question != asks {
			t.Errorf("%q: %+v", log, o)
		}
	}
}
