package sandbox

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// children are the processes that this one has started and not yet waited for, and their names.
func children(t *testing.T) map[string]string {
	t.Helper()
	kids := map[string]string{}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		list, err := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		if err != nil {
			continue // the thread is gone
		}
		for _, pid := range strings.Fields(string(list)) {
			name, _ := os.ReadFile("/proc/" + pid + "/cmdline")
			kids[pid] = strings.TrimRight(string(name), "\x00")
		}
	}
	return kids
}

// TestBegin: the box of a layer that was begun is as any other, one that nobody opens leaves nothing, and a second box gets a helper of its own.
func TestBegin(t *testing.T) {
	l := Overlay(OverlayOptions{})
	need(t, l)
	t.Run("unused", func(t *testing.T) {
		b := Begin(l)
		early := b.Layer.(overlayLayer).early
		<-early.up
		pid := strconv.Itoa(early.helper.pid)
		if _, on := children(t)[pid]; !on {
			t.Errorf("helper %s was not started", pid)
		}
		b.Close()
		b.Close()
		if _, on := children(t)[pid]; on {
			t.Errorf("helper %s is left", pid)
		}
	})
	t.Run("used twice", func(t *testing.T) {
		begun := Begin(l)
		for i := range 2 {
			b := newBench(t, map[string]string{"a.md": "a\n"})
			box := b.open(begun.Layer)
			if early := begun.Layer.(overlayLayer).early; (box.(*overlayBox).helper == early.helper) != (i == 0) {
				t.Errorf("box %d has the wrong helper", i)
			}
			b.must(box, "echo b >a.md")
			b.want(b.changes(box), `edit a.md "a\n" -> "b\n"`)
		}
		begun.Close()
	})
	t.Run("of a copy nothing", func(t *testing.T) {
		b := Begin(Copy(CopyOptions{}))
		if _, ok := b.Layer.(copyLayer); !ok {
			t.Errorf("%T", b.Layer)
		}
		b.Close()
	})
}
