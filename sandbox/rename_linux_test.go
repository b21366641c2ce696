package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// renamesMain is a program that renames in the ways that no shell knows: this test binary under another name.
func renamesMain() bool {
	if filepath.Base(os.Args[0]) != "renames" {
		return false
	}
	fmt.Println("exchange:", unix.Renameat2(unix.AT_FDCWD, "a.md", unix.AT_FDCWD, "b.md", unix.RENAME_EXCHANGE))
	fmt.Println("whiteout:", unix.Renameat2(unix.AT_FDCWD, "c.md", unix.AT_FDCWD, "n.md", unix.RENAME_WHITEOUT))
	fmt.Println("noreplace:", unix.Renameat2(unix.AT_FDCWD, "d.md", unix.AT_FDCWD, "a.md", unix.RENAME_NOREPLACE))
	syscall.Exit(0)
	return true
}

// TestRenameFlags: pages that change places are two edits; a whiteout that the program made is not taken for one of ours.
func TestRenameFlags(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		layer Layer
		want  []string
		said  string
	}{
		"overlay": {Overlay(OverlayOptions{}), []string{`edit a.md "a" -> "b"`, `edit b.md "b" -> "a"`}, "whiteout: invalid argument"},
		"copy":    {Copy(CopyOptions{}), []string{`edit a.md "a" -> "b"`, `edit b.md "b" -> "a"`, "odd c.md (device)", `create n.md -> "c"`}, "whiteout: <nil>"},
	} {
		t.Run(name, func(t *testing.T) {
			need(t, c.layer)
			b := newBench(t, map[string]string{"a.md": "a", "b.md": "b", "c.md": "c", "d.md": "d"})
			program := filepath.Join(b.top, "renames")
			if err := os.Symlink(self, program); err != nil {
				t.Fatal(err)
			}
			b.spec.Visible = []string{program}
			before := image(t, b.root)
			box := b.open(c.layer)
			var out strings.Builder
			if e, err := box.Run(t.Context(), Command{Argv: []string{program}, Stdout: &out}); err != nil || e.Code != 0 {
				t.Fatal(e, err)
			}
			if want := "exchange: <nil>\n" + c.said + "\nnoreplace: file exists\n"; out.String() != want {
				t.Errorf("said %q, want %q", out.String(), want)
			}
			b.want(b.changes(box), c.want...)
			same(t, "folder", before, image(t, b.root))
		})
	}
}
