package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// unlockedName is the name of a helper that cannot lock itself down, as argv[0].
const unlockedName = "rig-sandbox-unlocked"

// unlockedMain speaks for PID 1 where the lock-down failed.
func unlockedMain() bool {
	if filepath.Base(os.Args[0]) != unlockedName {
		return false
	}
	initRun(&wire{helpersEnd(3)}, errors.New("landlock: not today"))
	return true
}

// TestNoProgramWithoutLockDown: where PID 1 could not give up its rights, the run ends with the reason and no program is started.
func TestNoProgramWithoutLockDown(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w, far, err := newWire()
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	made := filepath.Join(t.TempDir(), "made")
	cmd := &exec.Cmd{Path: self, Args: []string{unlockedName}, ExtraFiles: []*os.File{far}}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	far.Close()
	h := &helperProc{w: w}
	err = h.run(&program{Argv: []string{"/bin/sh", "-c", "touch '" + made + "'"}, Dir: "/"})
	if err == nil || !strings.Contains(err.Error(), "lock down: landlock: not today") {
		t.Errorf("the run went on: %v", err)
	}
	var status *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &status) || status.ExitCode() != 1 {
		t.Errorf("the helper ended with %v", err)
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("the program was started")
	}
}
