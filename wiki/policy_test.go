package wiki

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/proposal"
)

func create(path, text string) sandbox.Change {
	return sandbox.Change{Path: path, Kind: sandbox.Create, New: []byte(text), Size: int64(len(text))}
}

func edit(path, base, text string) sandbox.Change {
	return sandbox.Change{Path: path, Kind: sandbox.Edit, Base: []byte(base), HasBase: true, New: []byte(text), Size: int64(len(text))}
}

func remove(path, base string) sandbox.Change {
	return sandbox.Change{Path: path, Kind: sandbox.Delete, Base: []byte(base), HasBase: true}
}

func odd(path string, why sandbox.Why) sandbox.Change {
	return sandbox.Change{Path: path, Kind: sandbox.Odd, Why: why, Size: 9 << 20}
}

// flatWiki is a wiki on disk, or only in name where there are no files.
func flatWiki(t *testing.T, files ...string) *Wiki {
	t.Helper()
	if len(files) == 0 {
		return &Wiki{Root: "/nowhere", Human: []string{"raw", "purpose.md", "schema.md"}, Shared: sharedPages()}
	}
	w, err := Find(tree(t, append(files, ".rig/config.yml=")...))
	must(t, err)
	return w
}

func judged(w *Wiki, list ...sandbox.Change) Judgement {
	slices.SortFunc(list, func(a, b sandbox.Change) int { return strings.Compare(a.Path, b.Path) })
	return Judge(Input{Wiki: w, Config: Defaults(), Op: "ingest", Writes: true, Changes: sandbox.Changes{List: list}})
}

// sum tells a judgement in lines: "kind path [flags]" and "refused path rule".
func sum(j Judgement) string {
	var b strings.Builder
	for _, f := range j.Files {
		fmt.Fprintf(&b, "%s %s", f.Kind, f.Path)
		if f.From != "" {
			fmt.Fprintf(&b, " from %s", f.From)
		}
		for _, fl := range f.Flags {
			fmt.Fprintf(&b, " %s", fl.Rule)
		}
		b.WriteString("\n")
	}
	for _, r := range j.Refused {
		fmt.Fprintf(&b, "refused %s %s\n", r.Path, r.Rule)
	}
	return b.String()
}

func same(t *testing.T, j Judgement, want ...string) {
	t.Helper()
	w := strings.Join(want, "\n") + "\n"
	if len(want) == 0 {
		w = ""
	}
	if got := sum(j); got != w {
		t.Errorf("got\n%swant\n%s", got, w)
	}
	for _, r := range j.Refused {
		if len(r.Reason) < 10 || strings.ContainsAny(r.Reason, "!\n") {
			t.Errorf("reason of %s on %s: %q", r.Rule, r.Path, r.Reason)
		}
	}
}

func TestRefusals(t *testing.T) {
	binary := string([]byte{0x89, 'P', 'N', 'G', 0xff})
	tests := []struct {
		change sandbox.Change
		rule   string // "" is kept
	}{
		{create("raw/x.md", "x"), "protected-path"},
		{create("RAW/x.md", "x"), "protected-path"},
		{create("ｒａｗ/x.md", "x"), "protected-path"},
		{create("ra\u200bw/x.md", "x"), "protected-path"},
		{create("raw./x.md", "x"), "protected-path"},
		{create(`raw\x.md`, "x"), "protected-path"},
		{create("raw~1/x.md", "x"), "protected-path"},
		{create("purpose.md ", "x"), "protected-path"},
		{create("purpose.md::$DATA", "x"), "protected-path"},
		{create("SCHEMA~1.MD", "x"), "protected-path"},
		{remove("schema.md", "x"), "protected-path"},
		{create("a/.Rig-Readonly/schema.md", "x"), "protected-path"},
		{create("legal/x.md", "x"), "protected-path"},
		{create("Legal/x.md", "x"), "protected-path"},
		{create("../x.md", "x"), "outside-wiki"},
		{create("a/../../x.md", "x"), "outside-wiki"},
		{create("/etc/x.md", "x"), "outside-wiki"},
		{create("", "x"), "outside-wiki"},
		{odd("concepts/leak.md", sandbox.Symlink), "link"},
		{odd("concepts/hard.md", sandbox.Hardlink), "link"},
		{odd("concepts/pipe.md", sandbox.FIFO), "special-file"},
		{odd("s.md", sandbox.Socket), "special-file"},
		{odd("d.md", sandbox.Device), "special-file"},
		{create(".git/hooks/pre-commit", "x"), "hidden-path"},
		{create("git~1/config", "x"), "hidden-path"},
		{create("．git/config", "x"), "hidden-path"},
		{create("a/.claude/settings.json", "x"), "hidden-path"},
		{create("a/.hidden.md", "x"), "hidden-path"},
		{create(".../x.md", "x"), "hidden-path"},
		{create("new\nline.md", "x"), "bad-name"},
		{create("concepts/CON.md", "x"), "bad-name"},
		{create("a\u202egpj.md", "x"), "bad-name"},
		{create("bad\xff.md", "x"), "bad-name"},
		{create("note~1.md", "x"), "bad-name"},
		{create(strings.Repeat("d/", 40)+"x.md", "x"), "bad-name"},
		{create("x.txt", "x"), "not-a-page"},
		{create("X.MD", "x"), "not-a-page"},
		{create("node_modules/p/README.md", "x"), "not-a-page"},
		{create("tea (Ana's conflicted copy 2026-03-01).md", "x"), "not-a-page"},
		{create("img/a.svg", "<svg/>"), ""},
		{create("img/a.png", "x"), "not-a-page"},
		{odd("big.md", sandbox.TooLarge), "too-large"},
		{create("big.md", strings.Repeat("x", 8<<20+1)), "too-large"},
		{create("bin.md", binary), "not-text"},
		{create("zero.md", "a\x00b"), "not-text"},
		{create("wide.md", "\xff\xfea\x00"), "not-text"},
		{edit("img/logo.svg", "a", binary), "not-text"},
		{odd("overview.md", sandbox.Mode), "mode"},
		{edit("What: now?.md", "a", "b"), ""}, // a page keeps the name it has
		{create("a.md", "\ufeffbom\r\n"), ""},
		{create("empty.md", ""), ""},
	}
	for _, tt := range tests {
		cfg := Defaults()
		cfg.Protect, cfg.Assets = []string{"legal/**"}, []string{"*.svg"}
		j := Judge(Input{Wiki: flatWiki(t), Config: cfg, Op: "ingest", Writes: true, Changes: sandbox.Changes{List: []sandbox.Change{tt.change}}})
		switch {
		case tt.rule == "" && (len(j.Refused) > 0 || len(j.Files) != 1):
			t.Errorf("%q: %s", tt.change.Path, sum(j))
		case tt.rule != "" && (len(j.Refused) != 1 || j.Refused[0].Rule != tt.rule || len(j.Files) > 0):
			t.Errorf("%q: want %s, got %s", tt.change.Path, tt.rule, sum(j))
		}
	}
}

// o-fs-06: whole components, folded.
func TestForbiddenPaths(t *testing.T) {
	var paths []struct {
		Path    string
		Allowed bool
	}
	readJSON(t, "o-fs-06.json", &paths)
	for _, p := range paths {
		j := judged(flatWiki(t), create(p.Path, "text"))
		refused := len(j.Refused) > 0 && slices.Contains([]string{"protected-path", "outside-wiki", "hidden-path"}, j.Refused[0].Rule)
		if refused == p.Allowed {
			t.Errorf("%s: %s", p.Path, sum(j))
		}
	}
}

// o-fs-08: leftovers are told, and counted apart.
func TestLeftovers(t *testing.T) {
	var paths []string
	readJSON(t, "o-fs-08.json", &paths)
	var list []sandbox.Change
	for _, p := range paths {
		list = append(list, create(p, "text\n"))
	}
	j := judged(flatWiki(t), list...)
	same(t, j, "create AGENTS.md agent-instructions", "create CLAUDE.md agent-instructions", "create wiki/new.md",
		"refused .DS_Store hidden-path", "refused .claude/settings.local.json hidden-path", "refused .claude/worktrees/x/a.md hidden-path",
		"refused .codex/log.txt hidden-path", "refused .opencode/state.json hidden-path", "refused .rig-readonly/schema.md protected-path",
		"refused Thumbs.db not-a-page", "refused wiki/.wiki.md.swp hidden-path", "refused wiki/new.md~ not-a-page")
	if j.Noise != 8 {
		t.Errorf("noise: %d", j.Noise)
	}
}

// o-fs-10: names that some system cannot have, with a suggestion that every system can.
func TestNonPortableNames(t *testing.T) {
	var paths []struct {
		Path string
		OK   bool
	}
	readJSON(t, "o-fs-10.json", &paths)
	for _, p := range paths {
		j := judged(flatWiki(t), create(p.Path, "text"))
		if ok := len(j.Refused) == 0; ok != p.OK {
			t.Errorf("%s: %s", p.Path, sum(j))
			continue
		}
		if p.OK {
			continue
		}
		_, name, _ := strings.Cut(j.Refused[0].Reason, "call it ")
		if again := judged(flatWiki(t), create(name, "text")); len(again.Refused) > 0 || name == "" {
			t.Errorf("%s: the suggestion %q is refused: %s", p.Path, name, sum(again))
		}
		if p.Path == "C++: what is it?.md" && name != "C++ - what is it.md" {
			t.Errorf("suggestion %q", name)
		}
	}
}

// o-fs-07, and names that differ by case or normal form from what is there.
func TestTwins(t *testing.T) {
	w := flatWiki(t, "raw/", "entities/gofmt.md=text\n", "entities/café.md=text\n", "rag.md=# RAG\n\nretrieval\n", "Old/a.md=a\n", "Old/b.md=b\n")
	t.Run("a rename of case is a rename", func(t *testing.T) {
		same(t, judged(w, remove("rag.md", "# RAG\n\nretrieval\n"), create("RAG.md", "# RAG\n\nretrieval augmented\n")), "rename RAG.md from rag.md")
	})
	t.Run("a second page is no rename", func(t *testing.T) {
		j := judged(w, create("Rag.md", "text"), create("entities/GOFMT.md", "x"), create("entities/cafe\u0301.md", "x"), create("Entities/new.md", "x"))
		same(t, j, "refused Entities/new.md bad-name", "refused Rag.md bad-name", "refused entities/GOFMT.md bad-name", "refused entities/cafe\u0301.md bad-name")
		if r := j.Refused[2].Reason; !strings.Contains(r, "entities/gofmt.md") || !strings.Contains(r, "entities/GOFMT-2.md") {
			t.Errorf("reason %q", r)
		}
	})
	t.Run("the suggestion lies in the folder that is there", func(t *testing.T) {
		j := judged(w, create("Entities/new.md", "x"), create("ENTITIES/Gofmt.md", "x"), create("old/con.b.md", "x"))
		for i, want := range []string{"call it entities/Gofmt-2.md", "call it entities/new.md", "call it Old/con-page.b.md"} {
			if r := j.Refused[i].Reason; !strings.HasSuffix(r, want) {
				t.Errorf("reason %q, want %q", r, want)
			}
		}
	})
	t.Run("two new pages", func(t *testing.T) {
		same(t, judged(w, create("concepts/A.md", "x"), create("concepts/a.md", "x")), "create concepts/A.md", "refused concepts/a.md bad-name")
	})
	t.Run("a folder that goes away makes room", func(t *testing.T) {
		same(t, judged(w, remove("Old/a.md", "a\n"), remove("Old/b.md", "b\n"), create("old/a.md", "a\n"), create("old/b.md", "b\n")),
			"rename old/a.md from Old/a.md", "rename old/b.md from Old/b.md")
		same(t, judged(w, remove("Old/a.md", "a\n"), create("old/a.md", "a\n")), "delete Old/a.md deletes-page", "refused old/a.md bad-name")
	})
}

func TestModeKeepsTheText(t *testing.T) {
	c := edit("a.md", "a\n", "b\n")
	c.Why, c.Mode = sandbox.Mode, 0o755
	same(t, judged(flatWiki(t), c), "edit a.md", "refused a.md mode")
}

func TestRunsThatMayNotWrite(t *testing.T) {
	list := []sandbox.Change{create("a.md", "x"), create("raw/b.md", "x"), odd("c.md", sandbox.FIFO)}
	in := Input{Wiki: flatWiki(t), Config: Defaults(), Op: "query", Changes: sandbox.Changes{List: list}}
	same(t, Judge(in), "refused a.md read-only", "refused raw/b.md read-only", "refused c.md read-only")
	in.Op, in.Writes, in.End, in.Why = "ingest", true, RunUnfinished, "timed out"
	j := Judge(in)
	same(t, j, "refused a.md unfinished-run", "refused raw/b.md unfinished-run", "refused c.md unfinished-run")
	if len(j.Texts) != 2 || string(j.Texts[0].New) != "x" || j.Texts[0].Kind != "create" || !strings.Contains(j.Texts[0].Reason, "timed out") {
		t.Errorf("texts: %+v", j.Texts)
	}
	in.End, in.Changes.List = RunShort, list[:1]
	same(t, Judge(in), "create a.md incomplete-run")
	in.End, in.Changes.Overflow = RunCompleted, "over 2000 files"
	same(t, Judge(in), "refused a.md too-large")
}

func TestFlags(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("a line of text\n", n) }
	log := "# Log\n\n## 2026-10-04 — ingest a\n- created [[a]]\n"
	tests := []struct {
		name   string
		change sandbox.Change
		want   string
	}{
		{"delete", remove("a.md", "x\n"), "deletes-page"},
		{"emptied", edit("a.md", "x\n", ""), "deletes-page"},
		{"shrinks", edit("a.md", lines(30), lines(20)), "shrinks-page"},
		{"shrinks in bytes", edit("a.md", lines(30), strings.Repeat("a line\n", 30)), "shrinks-page"},
		{"30 per cent are let through", edit("a.md", lines(30), lines(21)), ""},
		{"a short page may shrink", edit("a.md", lines(20), lines(2)), ""},
		{"log appended", edit("log.md", log, log+"\n## next\n"), ""},
		{"log without last newline appended", edit("log.md", strings.TrimSpace(log), strings.TrimSpace(log)+"\n\n## next\n- x"), ""},
		{"log with its blank end trimmed", edit("log.md", log+"\n\n", log+"## next\n"), ""},
		{"log's last line changed", edit("log.md", log, strings.TrimSpace(log)+", [[b]]\n"), "rewrites-log"},
		{"log's last line goes on", edit("log.md", "# Log\n- a", "# Log\n- abc\n"), "rewrites-log"},
		{"log prepended", edit("log.md", log, "# Log\n\n## new\n"+log[6:]), "rewrites-log"},
		{"reviews ticked", edit("reviews.md", "- [ ] a\n", "- [x] a\n"), "rewrites-log"},
		{"first log", create("log.md", log), ""},
		{"another log", edit("notes/log.md", "a\n", "b\n"), ""},
		{"instructions below", edit("concepts/Claude.md", "a\n", "b\n"), "agent-instructions"},
		{"no base", sandbox.Change{Path: "a.md", Kind: sandbox.Edit, New: []byte("x"), Drift: true}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := judged(flatWiki(t), tt.change)
			if len(j.Files) != 1 {
				t.Fatal(sum(j))
			}
			if got := rules(j.Files[0].Flags); got != tt.want {
				t.Errorf("flags %q, want %q", got, tt.want)
			}
		})
	}
}

func rules(flags []proposal.Flag) string {
	var names []string
	for _, f := range flags {
		names = append(names, f.Rule)
	}
	return strings.Join(names, " ")
}

func TestRenameIsNoDeletion(t *testing.T) {
	text := strings.Repeat("the same long line\n", 10)
	j := judged(flatWiki(t), remove("a.md", text), create("concepts/b.md", text+"more\n"))
	same(t, j, "rename concepts/b.md from a.md")
	if f := j.Files[0]; f.Added != 1 || f.Removed != 0 || f.Base == "" || !bytes.Equal(f.BaseText, []byte(text)) {
		t.Errorf("%+v", f.File)
	}
	same(t, judged(flatWiki(t), remove("a.md", text), create("concepts/b.md", "another\n")), "delete a.md deletes-page", "create concepts/b.md")
}

// o-df-13: a name changes from page to folder and back.
func TestPageBecomesFolder(t *testing.T) {
	same(t, judged(flatWiki(t), remove("topic.md", "a\n"), create("topic.md/part.md", "zzz\n"), remove("dir.md/x.md", "b\n"), create("dir.md", "yyy\n")),
		"create dir.md deletes-page", "delete dir.md/x.md deletes-page", "delete topic.md deletes-page", "create topic.md/part.md deletes-page")
}

func TestManyChanges(t *testing.T) {
	var list []sandbox.Change
	for i := range 51 {
		list = append(list, create(fmt.Sprintf("concepts/p%02d.md", i), fmt.Sprintf("page %d\n", i)))
	}
	if j := judged(flatWiki(t), list...); rules(j.Files[0].Flags) != "many-changes" || !strings.Contains(j.Files[50].Flags[0].Reason, "51 pages") {
		t.Error(sum(j))
	}
	if j := judged(flatWiki(t), list[:50]...); len(j.Files[0].Flags) > 0 {
		t.Error(sum(j))
	}
}

func readJSON(t *testing.T, name string, v any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	must(t, err)
	must(t, json.Unmarshal(text, v))
}
