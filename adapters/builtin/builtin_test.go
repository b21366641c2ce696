package builtin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the golden files anew")

// run starts the agent over a folder and returns its result.
func run(t *testing.T, job Job) Result {
	t.Helper()
	if job.Now.IsZero() {
		job.Now = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	}
	in, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	code := Main(bytes.NewReader(in), &out)
	dec := json.NewDecoder(&out)
	for {
		var l Line
		if err := dec.Decode(&l); err != nil {
			t.Fatalf("no result: %v", err)
		}
		if l.Result != nil {
			if (code == 0) != l.Result.OK {
				t.Errorf("exit status %d, ok %v", code, l.Result.OK)
			}
			return *l.Result
		}
	}
}

// lay writes files into a new folder.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// read returns every file of a folder.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		files[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Each archive is a wiki, a job.json and, below want/, what the job writes; want/result.txt is what it says.
func TestScenarios(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, file := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			start, want := map[string]string{}, map[string]string{}
			var job Job
			var kept []txtar.File
			for _, f := range ar.Files {
				rel, wanted := strings.CutPrefix(f.Name, "want/")
				switch {
				case wanted:
					want[rel] = string(f.Data)
					continue
				case f.Name == "job.json":
					if err := json.Unmarshal(f.Data, &job); err != nil {
						t.Fatal(err)
					}
				default:
					start[f.Name] = string(f.Data)
				}
				kept = append(kept, f)
			}
			dir := lay(t, start)
			job.Cwd = dir
			res := run(t, job)
			got := map[string]string{"result.txt": res.Text + res.Error + "\n"}
			for name, text := range read(t, dir) {
				if start[name] != text {
					got[name] = text
				}
			}
			if *update {
				rewrite(t, file, ar.Comment, kept, got)
				return
			}
			for name, text := range got {
				if want[name] != text {
					t.Errorf("%s: got\n%s\nwant\n%s", name, text, want[name])
				}
			}
			for name := range want {
				if _, ok := got[name]; !ok {
					t.Errorf("%s was not written", name)
				}
			}
			again := lay(t, start)
			job.Cwd = again
			run(t, job)
			for name, text := range read(t, again) {
				if strings.ReplaceAll(text, again, dir) != read(t, dir)[name] {
					t.Errorf("%s differs when the same job is run again", name)
				}
			}
		})
	}
}

func rewrite(t *testing.T, file string, comment []byte, kept []txtar.File, got map[string]string) {
	t.Helper()
	ar := &txtar.Archive{Comment: comment, Files: kept}
	var names []string
	for name := range got {
		names = append(names, name)
	}
	for len(names) > 0 { // in order
		least := 0
		for i := range names {
			if names[i] < names[least] {
				least = i
			}
		}
		ar.Files = append(ar.Files, txtar.File{Name: "want/" + names[least], Data: []byte(got[names[least]])})
		names = append(names[:least], names[least+1:]...)
	}
	if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}

const sample = `# Kettles

A kettle is a vessel for boiling water. This document describes how kettles are made and used in our workshop. The kiln fires the clay of each kettle twice.
Every kettle gets a glaze before its second firing in the kiln.
`

func TestSha(t *testing.T) {
	dir := lay(t, map[string]string{"raw/kettles.md": sample, "index.md": "# Index\n"})
	res := run(t, Job{Op: "ingest", Cwd: dir, Sources: []Source{{Rel: "raw/kettles.md"}}})
	if !res.OK || !strings.HasSuffix(res.Text, "INGEST DONE: kettles") {
		t.Fatalf("got %+v", res)
	}
	sum := sha256.Sum256([]byte(sample))
	if page := read(t, dir)["sources/kettles.md"]; !strings.Contains(page, "source-sha: "+hex.EncodeToString(sum[:])+"\n") {
		t.Errorf("no true sha256 in\n%s", page)
	}
}

// Line ends and a missing last newline are the file's own.
func TestLineEnds(t *testing.T) {
	for name, c := range map[string]struct{ index, log, wantIndex, wantLog string }{
		"crlf": {
			"# Index\r\n\r\n## Sources\r\n- [[old]] — an old one\r\n", "# Log\r\n\r\n## 2026-01-02 — ingest old.md\r\n- created [[old]]\r\n",
			"# Index\r\n\r\n## Sources\r\n- [[old]] — an old one\r\n- [[kettles]] — A kettle is a vessel for boiling water\r\n",
			"# Log\r\n\r\n## 2026-01-02 — ingest old.md\r\n- created [[old]]\r\n\r\n## 2026-11-30 — ingest kettles.md\r\n- created [[kettles]]\r\n",
		},
		"no final newline": {
			"## Sources\n- [[old]] - an old one", "# Log\n\n## 2026-01-02 — ingest old.md\n- created [[old]]",
			"## Sources\n- [[old]] - an old one\n- [[kettles]] - A kettle is a vessel for boiling water",
			"# Log\n\n## 2026-01-02 — ingest old.md\n- created [[old]]\n\n## 2026-11-30 — ingest kettles.md\n- created [[kettles]]",
		},
		"one-line log, paths": {
			"# Index\n\n* [[sources/old]]: an old one\n", "# Log\n\n- 2026-01-02: ingest old.md: created [[old]]\n",
			"# Index\n\n* [[sources/old]]: an old one\n* [[sources/kettles]]: A kettle is a vessel for boiling water\n",
			"# Log\n\n- 2026-01-02: ingest old.md: created [[old]]\n- 2026-11-30: ingest kettles.md: created [[kettles]]\n",
		},
		"titles and ISO time": {
			"# Index\n\n## Quellen\n\n- [Old](sources/old.md) – an old one\n\n## Concepts\n\n- [C](concepts/c.md)\n", "## 2026-01-02T10:11:12Z — ingest raw/old.md\n- x\n",
			"# Index\n\n## Quellen\n\n- [Old](sources/old.md) – an old one\n- [Kettles](sources/kettles.md) – A kettle is a vessel for boiling water\n\n## Concepts\n\n- [C](concepts/c.md)\n",
			"## 2026-01-02T10:11:12Z — ingest raw/old.md\n- x\n\n## 2026-11-30T10:00:00Z — ingest raw/kettles.md\n- created [[kettles]]\n",
		},
		"bracketed date, empty section": {
			"# Index\n\n## Sources\n\n## Concepts\n- [[c]] — a concept\n", "# Log\n\n## [2026-01-02] ingest | Old\n\ntext\n",
			"# Index\n\n## Sources\n- [[kettles]] — A kettle is a vessel for boiling water\n\n## Concepts\n- [[c]] — a concept\n",
			"# Log\n\n## [2026-01-02] ingest | Old\n\ntext\n\n## [2026-11-30] ingest | Kettles\n- created [[kettles]]\n",
		},
	} {
		dir := lay(t, map[string]string{"raw/kettles.md": sample, "index.md": c.index, "log.md": c.log, "sources/x.md": "# X\n"})
		if res := run(t, Job{Op: "ingest", Cwd: dir, Sources: []Source{{Rel: "raw/kettles.md"}}}); !res.OK {
			t.Fatalf("%s: %s", name, res.Error)
		}
		got := read(t, dir)
		if got["index.md"] != c.wantIndex {
			t.Errorf("%s: index\n%q\nwant\n%q", name, got["index.md"], c.wantIndex)
		}
		if got["log.md"] != c.wantLog {
			t.Errorf("%s: log\n%q\nwant\n%q", name, got["log.md"], c.wantLog)
		}
	}
}

// Ingesting again keeps the first date and what others wrote, and adds nothing twice.
func TestAgain(t *testing.T) {
	dir := lay(t, map[string]string{"raw/kettles.md": sample, "index.md": "# Index\n\n## Sources\n", "log.md": "# Log\n"})
	job := Job{Op: "ingest", Cwd: dir, Sources: []Source{{Rel: "raw/kettles.md"}}}
	run(t, job)
	first := read(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "raw/kettles.md"), []byte(sample+"\nKettles without a lid lose their heat to the air.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	job.Now = time.Date(2027, 1, 2, 0, 0, 0, 0, time.UTC)
	res := run(t, job)
	second := read(t, dir)
	page := second["sources/kettles.md"]
	for _, want := range []string{"ingested-at: 2026-11-30\n", "last-updated: 2027-01-02\n", "lose their heat"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if second["index.md"] != first["index.md"] || strings.Count(page, note) != 1 {
		t.Errorf("something is there twice:\n%s\n%s", second["index.md"], page)
	}
	if !strings.HasPrefix(second["log.md"], first["log.md"]) || !strings.Contains(second["log.md"], "updated [[kettles]]") {
		t.Errorf("log:\n%s", second["log.md"])
	}
	if !strings.HasSuffix(res.Text, "INGEST DONE: kettles") {
		t.Errorf("says %q", res.Text)
	}
	// A page that somebody else wrote keeps its text.
	own := "---\ntype: source\nsource-path: raw/kettles.md\nsource-sha: \"0\"\nreviewed: yes\n---\n# Kettles\n\nMy own words.\n\n## Extract\n\nold\n\n## Notes\n\nmine\n"
	if err := os.WriteFile(filepath.Join(dir, "sources/kettles.md"), []byte(own), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, job)
	page = read(t, dir)["sources/kettles.md"]
	for _, want := range []string{"reviewed: yes\n", "My own words.\n", "\n## Notes\n\nmine\n", "source-sha: \""} {
		if !strings.Contains(page, want) {
			t.Errorf("lost %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, "\nold\n") || strings.Count(page, "## Extract") != 1 {
		t.Errorf("the old extract is still there:\n%s", page)
	}
}

func TestRefusals(t *testing.T) {
	dir := lay(t, map[string]string{"raw/a.bin": "a\x00b", "raw/latin.txt": "caf\xe9"})
	for _, job := range []Job{
		{Op: "ingest", Cwd: dir},
		{Op: "ingest", Cwd: dir, Sources: []Source{{Rel: "raw/none.md"}}},
		{Op: "ingest", Cwd: dir, Sources: []Source{{Rel: "raw/a.bin"}}},
		{Op: "ingest", Cwd: dir, Sources: []Source{{Rel: "raw/latin.txt"}}},
		{Op: "work", Cwd: dir},
		{Op: "query"},
	} {
		if res := run(t, job); res.OK || res.Error == "" {
			t.Errorf("%+v: %+v", job, res)
		}
	}
	if got := read(t, dir); len(got) != 2 {
		t.Errorf("something was written: %v", got)
	}
}

func TestSlugs(t *testing.T) {
	for name, want := range map[string]string{
		"raw/Draft Embed.md": "draft-embed", "raw/温度の話.md": "温度の話", "raw/a__b--c.txt": "a-b-c", "raw/....md": "source", "raw/x.tar.gz": "x-tar",
		"raw/" + strings.Repeat("long ", 30) + ".md": strings.TrimSuffix(strings.Repeat("long-", 13)[:64], "-"),
	} {
		if got := slugOf(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	dir := lay(t, map[string]string{"raw/kettles.md": sample, "concepts/Kettles.md": "# Kettles\n", "concepts/kettles-2.md": "# K\n"})
	if res := run(t, Job{Op: "ingest", Cwd: dir, Sources: []Source{{Rel: "raw/kettles.md"}}}); !strings.HasSuffix(res.Text, "INGEST DONE: kettles-3") {
		t.Errorf("a taken slug: %+v", res)
	}
}

func TestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"One is here. Two is there.":                   "One is here.|Two is there.",
		"Use e.g. Go 1.13. It is new.":                 "Use e.g. Go 1.13.|It is new.",
		"J. Smith wrote it. He did.":                   "J. Smith wrote it.|He did.",
		"Call `a.b. C` now. Then stop.":                "Call `a.b. C` now.|Then stop.",
		"これは文です。次の文です。":                                "これは文です。|次の文です。",
		"Is it? Yes! (It is.) End":                     "Is it?|Yes!|(It is.)|End",
		"The file go.mod is read. no, really. It ends": "The file go.mod is read. no, really.|It ends",
		"": "",
	} {
		if got := strings.Join(sentences(text), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestMentions(t *testing.T) {
	m := newMatcher([]page{
		{rel: "entities/gofmt.md", link: "gofmt", title: "gofmt"},
		{rel: "concepts/go-version-line.md", link: "go-version-line", title: "The go line of go.mod", aliases: []string{"go line"}},
		{rel: "concepts/number-literals.md", link: "number-literals", title: "Number literals"},
		{rel: "concepts/温度.md", link: "温度", title: "温度"},
		{rel: "entities/io.md", link: "io", title: "IO"},
		{rel: "entities/use.md", link: "use", title: "use"},
	}, "")
	for text, want := range map[string]string{
		"Run gofmt on it.":                       "Run [[gofmt]] on it.",
		"The gofmtter and ungofmt.":              "The gofmtter and ungofmt.",
		"A Number literal, and number-literals":  "A [[number-literals|Number literal]], and number-literals",
		"number, literals":                       "number, literals",
		"use it with io and IO":                  "use it with io and [[io|IO]]",
		"水の温度は高い。":                               "水の[[温度]]は高い。",
		"see x/gofmt and gofmt.go":               "see x/gofmt and gofmt.go",
		"Use `gofmt` for *all* <b> [[x]] a_b _c": "Use `gofmt` for \\*all\\* \\<b> \\[\\[x\\]\\] a_b \\_c",
		"the Go line is read":                    "the [[go-version-line|Go line]] is read",
		"# no heading":                           "\\# no heading",
	} {
		if got := m.prose(text, map[string]bool{}); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzIngest(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("---\ntitle: [x\n---\n# `a` [[b]]\n\n| a |\n|---|\n\n```\nx"))
	f.Fuzz(func(t *testing.T, src []byte) {
		dir := lay(t, map[string]string{"raw/x.md": string(src), "index.md": "# Index", "concepts/c.md": "# Kettle\n"})
		res := run(t, Job{Op: "ingest", Cwd: dir, Sources: []Source{{Rel: "raw/x.md"}}})
		if res.OK != isText(src) {
			t.Fatalf("%+v", res)
		}
		if !res.OK {
			return
		}
		body := read(t, dir)["sources/x.md"]
		if _, rest := splitFront([]byte(body)); length(string(rest)) > 400 {
			t.Errorf("%d words", length(string(rest)))
		}
	})
}
