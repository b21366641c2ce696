//go:build linux

package sandbox

import (
	"os"
	"testing"
)

func TestAuto(t *testing.T) {
	b := newBench(t, map[string]string{"a.md": "a"})
	need(t, Overlay(OverlayOptions{}))
	need(t, Copy(CopyOptions{}))
	before := image(t, b.top)
	l, r, err := Auto(t.Context(), b.root, b.home, Choice{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r, l.Name())
	if l.Name() != "overlay" || r.Tier != "A" {
		t.Error(r)
	}
	if l, r, err := Auto(t.Context(), b.root, b.home, Choice{Layer: "copy"}); err != nil || l.Name() != "copy" || r.Tier != "B" {
		t.Error(r, err)
	}
	if l, r, err := Auto(t.Context(), b.root, b.home, Choice{Foreign: []string{"x.md"}}); os.Geteuid() != 0 && (err != nil || l.Name() != "copy") {
		t.Error(r, err)
	}
	if _, r, err := Auto(t.Context(), b.root, b.home, Choice{Layer: "nothing"}); err == nil || r.Tier != "" {
		t.Error(r)
	}
	same(t, "all", before, image(t, b.top))
}
