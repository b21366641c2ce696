package adapters

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// maxEnvPrompt is the longest prompt that goes into AGENT_PROMPT. Linux refuses any string of 128 KiB in an environment (MAX_ARG_STRLEN).
const maxEnvPrompt = 96 << 10

// Directory is the adapter in a folder: the executables "run" and "wire" (design section 8). Its name is the folder's.
//
// The environment tells "run" what to do: AGENT_PROMPT, AGENT_MODE, AGENT_COMMANDS (command prefixes, comma-separated), AGENT_MODEL
// (absent when unset), AGENT_CWD, BOARD_AGENT_ID, BOARD_TASK, BOARD_PORT (always), BOARD_TOKEN. AGENT_PROMPT_FILE always names a file with
// the whole prompt, byte for byte; AGENT_PROMPT itself holds one sentence that points there where the prompt is longer than 96 KiB
// (an environment string has a limit of 128 KiB) or holds bytes that an environment cannot. Standard input is empty: an agent that
// "run" starts would read it and take the prompt twice.
//
// Standard output is the job log and, as a whole, the final text; exit 0 is completed.
//
// One that has the name of a vendor built in (the task board's own claude and opencode, an exported one) starts that vendor's program: it is lent what the
// built-in adapter would be, the program and its runtime, its state below HOME, its variables and its hosts. The rules it renders are its own.
func Directory(dir string) Adapter { return directory{dir: dir} }

type directory struct{ dir string }

func (d directory) Name() string { return filepath.Base(d.dir) }

func (d directory) Detect(ctx context.Context, env Env) Detection {
	det := Detection{Path: filepath.Join(d.dir, "run"), Runtime: []string{d.dir}}
	var missing []string
	for _, name := range []string{"run", "wire"} {
		fi, err := os.Stat(filepath.Join(d.dir, name))
		switch {
		case err != nil:
			missing = append(missing, name+" is missing")
		case !fi.Mode().IsRegular():
			missing = append(missing, name+" is not a file")
		case fi.Mode()&0o111 == 0 && runtime.GOOS != "windows":
			missing = append(missing, name+" is not executable")
		case name == "run":
			det.Installed = true
		}
	}
	if len(missing) > 0 {
		det.Why = fmt.Sprintf("%s: %s; a directory adapter needs both executables, run and wire", d.dir, strings.Join(missing, ", "))
		return det
	}
	det.Usable = true
	if v := d.vendor(); v != nil {
		if bin := env.Get(d.binVar()); filepath.IsAbs(bin) { // the program that "run" is told to start in the vendor's place
			if at, err := filepath.EvalSymlinks(bin); err == nil {
				det.Runtime = append(det.Runtime, bin, at)
			}
		}
		if vd := v.Detect(ctx, env); vd.Installed {
			det.Vendor, det.Hosts = &vd, vd.Hosts
		}
	}
	return det
}

// vendor is the built-in adapter whose name the folder has, nil for none.
func (d directory) vendor() Adapter {
	for _, a := range []Adapter{claude{}, codex{}, opencode{}, pi{}} {
		if a.Name() == d.Name() {
			return a
		}
	}
	return nil
}

// binVar is the variable by which the task board's own adapters are told another program than the vendor's.
func (d directory) binVar() string { return "BOARD_" + strings.ToUpper(d.Name()) + "_BIN" }

// lend adds to v what the vendor's program needs. Its own arguments and rules are left out.
func (d directory) lend(v Invocation, r Request) (Invocation, error) {
	a, det := d.vendor(), r.Detection.Vendor
	if a == nil || det == nil {
		return v, nil
	}
	r.Detection, r.Env.Config = *det, nil
	inv, err := a.Plan(r)
	if err != nil {
		return v, fmt.Errorf("find out what %s needs: %w", a.Name(), err)
	}
	v.Pass, v.State, v.Keep, v.Hosts = inv.Pass, inv.State, inv.Keep, inv.Hosts
	v.Visible = append(v.Visible, inv.Visible...)
	v.Env = append(v.Env, pathEnv(r.Env, det.Path)...)
	return v, nil
}

func (d directory) Plan(r Request) (Invocation, error) {
	prompt := r.Prompt
	if r.System != "" {
		prompt = r.System + "\n\n" + r.Prompt
	}
	env := append([]string{
		"AGENT_PROMPT=" + envPrompt(prompt),
		"AGENT_PROMPT_FILE={files}/prompt.md",
		"AGENT_MODE=" + string(r.Mode),
		"AGENT_COMMANDS=" + strings.Join(r.Commands, ","),
		"AGENT_CWD=" + r.Cwd,
	}, boardEnv(r)...)
	if r.Model != "" {
		env = append(env, "AGENT_MODEL="+r.Model)
	}
	v := Invocation{
		Argv:    []string{filepath.Join(d.dir, "run")},
		Env:     env,
		Files:   map[string][]byte{"prompt.md": []byte(prompt)},
		Visible: []string{d.dir},
	}
	v, err := d.lend(v, r)
	v.Pass = append(v.Pass, "BOARD_*") // what the contract does not name is passed on; what it names is set above
	return withConfig(v, r.Env.Config[d.Name()]), err
}

// envPrompt is the prompt, or where an environment cannot hold it (too long, a NUL, the placeholder of Invocation) a pointer to its file.
func envPrompt(prompt string) string {
	if len(prompt) > maxEnvPrompt || strings.Contains(prompt, "\x00") || strings.Contains(prompt, "{files}") {
		return "Read the file {files}/prompt.md and do what it says: it holds the whole prompt."
	}
	return prompt
}

func (d directory) Converse(_ context.Context, rw io.ReadWriter, _ func(Event)) Outcome {
	var text tail
	buf := make([]byte, 32<<10)
	for {
		n, err := rw.Read(buf)
		text.add(buf[:n]...)
		if err != nil {
			break // EOF, or a pipe that the host closed: either way the log ends here
		}
	}
	// Exit 0 is completed (section 8): there is no terminal event. What the log ends by asking nobody answered all the same.
	out := Outcome{Started: true, Ended: true, OK: true, Text: strings.TrimSpace(text.String())}
	out.Question = AsksBack(out.Text)
	return out
}

// wireTime bounds a wire executable: it edits a few files.
const wireTime = time.Minute

// Wire runs the adapter's own wire: `wire PROJECT [--dry-run]`, exit 0 is wired. The contract knows no way back: --remove goes only to one that we
// exported.
func (d directory) Wire(ctx context.Context, w WireRequest) (WireReport, error) {
	if det := d.Detect(ctx, w.Env); !det.Usable {
		return WireReport{Status: "none", Lines: []string{det.Why}}, nil
	}
	args := []string{w.Project}
	if w.DryRun {
		args = append(args, "--dry-run")
	}
	if w.Remove {
		script, err := os.ReadFile(filepath.Join(d.dir, "wire"))
		if err != nil || !strings.Contains(string(script), " wiki __wire ") {
			return WireReport{Status: "none", Lines: []string{"the contract of directory adapters has no way to take wiring back: see what " + d.dir + " says of itself"}}, nil
		}
		args = append(args, "--remove")
	}
	ctx, cancel := context.WithTimeout(ctx, wireTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(d.dir, "wire"), args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = w.Project, w.Env.Vars, time.Second
	out, errs := &headBuffer{max: 64 << 10}, &headBuffer{max: 64 << 10}
	cmd.Stdout, cmd.Stderr = out, errs
	ownGroup(cmd)
	err := cmd.Run()
	report := WireReport{Status: "ok"}
	for line := range strings.Lines(out.String()) {
		if line = oneLine(line); line != "" {
			report.Lines = append(report.Lines, capped(line, capShort))
		}
	}
	if err != nil {
		return report, fmt.Errorf("%s: %w: %s", filepath.Join(d.dir, "wire"), err, sentence(errs.String()))
	}
	return report, nil
}
