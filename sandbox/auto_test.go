//go:build linux

package sandbox

import "testing"

func TestAuto(t *testing.T) {
	b := newBench(t, map[string]string{"a.md": "a"})
	before := image(t, b.top)
	l, r, err := Auto(t.Context(), b.root, b.home, Choice{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r, l.Name())
	if l.Name() != "overlay" || r.Tier != "A" {
		t.Error(r)
	}
	if _, r, err := Auto(t.Context(), b.root, b.home, Choice{Layer: "nothing"}); err == nil || r.Tier != "" {
		t.Error(r)
	}
	same(t, "all", before, image(t, b.top))
}
