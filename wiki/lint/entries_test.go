package lint

import (
	"strings"
	"testing"
)

// TestPlainEntries: lines of the index that name a page without a link are told with the link that they should be, a file's name that is not there is a dead
// entry, and other lines are text.
func TestPlainEntries(t *testing.T) {
	listing := "---\ntitle: Index\n---\n# Index\r\n\r\n- Glaze — shiny\r\n* **Clay body**: the stuff\r\n- concepts/glaze.md\n- `kiln.md` hot\n- gone.md\n- [[glaze]] and kiln\n- Notes on nothing\n" +
		"| Page | What |\n|---|---|\n| kiln | hot |\n| log | x |\n```\n- kiln\n```\n- *.md\n- raw/a.md\n- 窯 (kama)\n- the kiln\n- \n-\n- " + strings.Repeat("long ", 50) + "\n- kiln"
	want := "---\ntitle: Index\n---\n# Index\r\n\r\n- [[glaze|Glaze]] — shiny\r\n* **[[clay|Clay body]]**: the stuff\r\n- [[glaze|concepts/glaze]]\n- [[kiln]] hot\n- [[glaze]] and kiln\n- Notes on nothing\n" +
		"| Page | What |\n|---|---|\n| [[kiln]] | hot |\n| log | x |\n```\n- kiln\n```\n- *.md\n- raw/a.md\n- [[kiln|窯]] (kama)\n- the kiln\n- \n-\n- " + strings.Repeat("long ", 50) + "\n- [[kiln]]"
	x := open(t, lay(t, map[string]string{"index.md": listing, "concepts/glaze.md": "# G", "concepts/clay.md": "---\naliases: [Clay body]\n---\n# C", "entities/kiln.md": "---\naliases: [窯]\n---\n# K",
		"log.md": "# Log", "raw/a.md": "x"}))
	found := Page(x, rules(), "index.md")
	got := mend(t, listing, found, "index-plain-entry")
	if i := strings.Index(got, "- gone.md\n"); i < 0 {
		t.Error("the dead entry is mended with the others")
	} else {
		got = got[:i] + got[i+len("- gone.md\n"):]
	}
	if got != want {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	if s := lines(found, "index-dead-entry"); s != "index.md:10 index-dead-entry" {
		t.Errorf("dead entries: %s", s)
	}
	if s := lines(Page(open(t, lay(t, map[string]string{"index.md": "# I\n", "concepts/a.md": "- b\n", "concepts/b.md": ""})), rules(), "concepts/a.md"), "index-plain-entry"); s != "" {
		t.Errorf("another page's list: %s", s)
	}
}

// TestOtherIndexes is like case o-lw-02 with other inputs: markdown links, embeds, tables, folders and headings as entries.
func TestOtherIndexes(t *testing.T) {
	for _, tt := range []struct{ name, listing, want string }{
		{"markdown links", "[A](concepts/a.md) [B](<concepts/b b.md>) [gone](concepts/gone.md) [[../out]] [e](https://e.org)\n", "index.md:1 index-dead-entry, index.md:1 index-dead-entry"},
		{"a table", "| [[concepts/a\\|A]] | [[b b]] |\n|---|---|\n", ""},
		{"embeds and anchors", "![[concepts/a]] [[b b#Part|x]]\n", "index.md:1 broken-heading"},
		{"in code and comments", "`[[concepts/a]]` <!-- [[b b]] --> %% [[gone]] %%\n", "concepts/a.md:1 index-missing-page, concepts/b b.md:1 index-missing-page"},
		{"near misses", "[[Concepts/A]] [[b-b]]\n", "index.md:1 non-canonical-link, index.md:1 non-canonical-link"},
		{"a link to a folder", "[all](concepts/) [here](.) [[concepts/a]] [[b b]] [no](nowhere/)\n", "index.md:1 index-dead-entry"},
		{"attachments", "[[a]] [[b b]] ![[pic.png]] [[data.csv]]\n", "index.md:1 broken-embed, index.md:1 index-dead-entry"},
	} {
		x := open(t, lay(t, map[string]string{"index.md": tt.listing, "concepts/a.md": "# A\n[[b b]]", "concepts/b b.md": "# B\n[[a]]"}))
		got := lines(all(t, x, rules()), "index-missing-page", "index-dead-entry", "broken-link", "broken-embed", "broken-heading", "non-canonical-link", "orphan")
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}
