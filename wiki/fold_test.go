package wiki

import (
	"strings"
	"testing"
)

func FuzzFold(f *testing.F) {
	for _, s := range []string{"raw/a.md", "RA\u017f/x", "wiki/../raw", `a\..\raw`, "ｒａｗ／x", "purpose.md. .", "a:b/c", "İ/ı", "\u1e9e", "a/\u200b../x", "ﬁ", "\u0345\u03b1"} {
		f.Add(s, uint64(0x5a5a))
	}
	protected := []string{"raw/a.md", "purpose.md", "schema.md", "x/.rig-readonly/a.md"}
	w := &Wiki{Human: []string{"raw", "purpose.md", "schema.md"}}
	f.Fuzz(func(t *testing.T, s string, bits uint64) {
		once := foldPath(s)
		if twice := foldPath(once); twice != once {
			t.Errorf("fold of %q: %q, and of that %q", s, once, twice)
		}
		if strings.HasPrefix(once, "/") || strings.Contains(once, "//") || strings.Contains(once, "/./") {
			t.Errorf("fold of %q is no clean path: %q", s, once)
		}
		for i, p := range protected {
			if d := disguise(p, bits+uint64(i)); !Protected(w, d) {
				t.Errorf("%q lets %s through", d, p)
			}
		}
	})
}

// disguise spells a path in another case, width, with ignorable runes and trailing dots, as the bits say.
func disguise(p string, bits uint64) string {
	var b strings.Builder
	for i, r := range p {
		switch k := bits >> (uint(i) * 3 % 60) & 7; {
		case k == 1 && r >= 'a' && r <= 'z':
			r -= 32
		case k == 2 && r > ' ' && r < 0x7f && r != '/':
			r += 0xFEE0 // the fullwidth form
		case k == 3:
			b.WriteString("\u200d")
		case k == 4:
			b.WriteString("\ufe0f")
		case k == 5 && r == '/' && i > 0:
			b.WriteString(". ")
		case k == 6 && r == '/':
			b.WriteString("/./")
		}
		b.WriteRune(r)
	}
	return b.String()
}

// o-lw-08
func TestSlug(t *testing.T) {
	var titles []string
	readJSON(t, "o-lw-08.json", &titles)
	used := map[string]bool{}
	var got []string
	for _, title := range titles {
		s := Slug(title, func(s string) bool { return used[s] })
		used[s] = true
		got = append(got, s)
	}
	if want := "大语言模型概述 断路器自动恢复 rag-检索增强生成 ガイド чай café-crème"; strings.Join(got, " ") != want {
		t.Errorf("got %q", got)
	}
	for name, want := range map[string]string{
		"raw/19308-number-literals.md": "19308-number-literals", "Tee und Wasser.md": "tee-und-wasser", "": "page", "???.md": "page", "v1.2 draft": "v1-2-draft",
		"cafe\u0301.txt": "café", "con.md": "con-2", strings.Repeat("a", 80): strings.Repeat("a", 64), "a -- b": "a-b", ".md": "md", `C:\docs\Plan.PDF`: "plan",
		"https://example.org/a/b.html": "b",
	} {
		if s := Slug(name, nil); s != want {
			t.Errorf("Slug(%q) = %q, want %q", name, s, want)
		}
	}
	if s := Slug(strings.Repeat("a", 70), func(s string) bool { return !strings.HasSuffix(s, "-3") }); len(s) != 64 || !strings.HasSuffix(s, "-3") {
		t.Errorf("collision: %q", s)
	}
}
