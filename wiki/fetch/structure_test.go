package fetch

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestStructure looks for what a text is more than its words.
func TestStructure(t *testing.T) {
	for page, wants := range map[string][]string{
		"code":      {"```go\nfunc main() {\n\t// open it\n\treturn\n}\n```\n", "```python\nimport os\nprint(os.sep)\n```\n", "```bash\ntail -f /var/log/syslog\n```\n", "```sql\nSELECT * FROM pots WHERE fired = 1;\n```\n", "Use `os.sep` "},
		"math":      {"Let $r_0$ be the radius", "so that $V = pi r^2 h$ holds", "\n$$\nx_1 + x_2 = 1\n$$\n", "It costs 5 dollars"},
		"footnotes": {".[^1] ", ".[^2]\n", "\n[^1]: ", "\n[^2]: "},
		"wiki":      {"[^1] ", "\n[^1]: Leach, Bernard. A Potter's Book, 1940.\n", "Ashes by tree\n\n| Tree | Melts at |\n| --- | --- |\n| Oak | 1240 |\n| Apple | 1255 |\n", "\n## History\n"},
		"docs":      {"# Configure the mixer\n", "## Options that matter\n", "```yaml\nmixer:\n  depth: 3\n", "\n1. ", "   - "},
		"rows":      {"| n | name | square |\n| --- | --- | --- |\n| 1 | ", "\n| 1000 | ", " | 1000000 |\n"},
		"lazy":      {"![](http://site.example/c/0.jpg)", "![](http://site.example/c/5.jpg)"},
		"paper":     {"Water is H<sub>2</sub>O and the area is 3 m<sup>2</sup>"},
		"forge":     {"# kilnctl\n", "```shell\ngo install", "| `--heat` | "},
		"linklist":  {"- [tool number 0](https://t0.example/) "},
	} {
		marked, err := os.ReadFile("testdata/pages/" + page + ".html")
		if err != nil {
			t.Fatal(err)
		}
		p := mustFetch(t, "https://site.example/dir/page", []byte(strings.NewReplacer("⟦", "", "⟧", "").Replace(string(marked))), "Content-Type", "text/html; charset=utf-8")
		for _, want := range wants {
			if !strings.Contains(string(p.Text), want) {
				t.Errorf("%s: no %q in\n%.3000s", page, want, p.Text)
			}
		}
		if strings.Contains(string(p.Text), "data:") {
			t.Errorf("%s holds a placeholder", page)
		}
	}
}

// TestMeta reads author and date from where sites put them.
func TestMeta(t *testing.T) {
	for page, want := range map[string][2]string{"blog": {"Ines Rook", "2026-02-03"}, "news": {"Olu Ade", "2026-03-04"}, "paper": {"Mora, Lia", "2025-11-02"}, "docs": {"", "0001-01-01"}} {
		marked, err := os.ReadFile("testdata/pages/" + page + ".html")
		if err != nil {
			t.Fatal(err)
		}
		p := mustFetch(t, "https://site.example/dir/page", marked, "Content-Type", "text/html; charset=utf-8")
		if p.Author != want[0] || p.Published.Format(time.DateOnly) != want[1] {
			t.Errorf("%s: %q %s", page, p.Author, p.Published.Format(time.DateOnly))
		}
	}
}

// TestFrames names the frames of a page that has nothing else.
func TestFrames(t *testing.T) {
	_, err := fetchBytes(t, "https://old.example/", []byte(`<html><head><title>Old</title></head><frameset cols="20%,80%"><frame src="nav.html"><frame src="text.html" name="main"></frameset></html>`), "Content-Type", "text/html")
	var e *Error
	if !asError(err, &e) || !strings.Contains(e.Why, "frames") || !strings.Contains(e.Hint, "http://old.example/text.html") {
		t.Errorf("%v", err)
	}
}
