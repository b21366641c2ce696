package wiki

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/rigwiki/rig/wiki/fetch"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// Fetching says how a fetched page is kept.
type Fetching struct {
	By       string // rig, or the agent's name
	At       time.Time
	Original bool // keep the bytes as they came beside it
}

// AddFetched writes a fetched page into raw/ as `YYYY-MM-DD-<slug>.md`, its files into raw/assets/. Nothing is replaced: where a source from the same
// address says the same, that is returned and isNew is false; a changed page becomes a new source.
func AddFetched(w *Wiki, p *fetch.Page, how Fetching) (got proposal.Fetched, isNew bool, err error) {
	got = proposal.Fetched{URL: p.URL, Status: p.Status, ContentType: p.ContentType, SHA: p.SHA()}
	if got.Path, err = fetchedBefore(w, p.URL, got.SHA); err != nil || got.Path != "" {
		return got, false, err
	}
	name := fetchedName(w, p, how.At)
	kept, err := keepAssets(w, name, p, how.Original)
	if err != nil {
		return got, false, err
	}
	got.Path = "raw/" + name + ".md"
	return got, true, addFile(w, got.Path, p.Document(how.By, how.At, kept))
}

// fetchedBefore finds the source from this address that says the same. It reads the beginnings of raw/'s files.
func fetchedBefore(w *Wiki, address, sha string) (rel string, err error) {
	c := sourceScan{w: w}
	files, err := c.rawFiles()
	if err != nil {
		return "", err
	}
	for _, file := range files {
		if !strings.HasSuffix(file, ".md") {
			continue
		}
		head, err := headOf(filepath.Join(w.Real, filepath.FromSlash(file)))
		if err != nil || !bytes.HasPrefix(head, []byte("---\n")) || !bytes.Contains(head, []byte(sha)) {
			continue // gone meanwhile, or not ours: it is no reason not to fetch
		}
		if front := index.ParsePage(head).Front; front.Get("source-url") == address && front.Get("content-sha") == sha {
			return file, nil
		}
	}
	return "", nil
}

// headOf reads as much of a file as its front matter may take.
func headOf(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 8<<10))
}

// maxSourceName bounds a file name with its extension (case o-ft-07).
const maxSourceName = 200

// fetchedName is the free name of a source, without .md: date and title, or the host where there is no title.
func fetchedName(w *Wiki, p *fetch.Page, at time.Time) string {
	date := at.Local().Format("2006-01-02") + "-"
	title := p.Title
	if strings.IndexFunc(title, isWordRune) < 0 {
		title = p.Host()
	}
	slug := Slug(strings.NewReplacer("/", "-", `\`, "-", ".", "-").Replace(title), nil)
	const spare = len("-1234.md")
	slug = strings.TrimRight(cutBytes(slug, maxSourceName-len(date)-spare), "-")
	for n := 1; ; n++ {
		name := date + slug
		if n > 1 {
			name = fmt.Sprintf("%s-%d", name, n)
		}
		if isFree(w, "raw/"+name+".md") && isFree(w, "raw/assets/"+name+p.Ext) {
			return name
		}
	}
}

func isFree(w *Wiki, rel string) bool {
	_, err := os.Lstat(filepath.Join(w.Real, filepath.FromSlash(rel)))
	return errors.Is(err, fs.ErrNotExist)
}

// keepAssets writes what comes with a page into raw/assets/ and points the page's text there. kept is the page's own bytes, as a link from the page.
func keepAssets(w *Wiki, name string, p *fetch.Page, original bool) (kept string, err error) {
	if p.Binary || original {
		kept = path.Join("assets", name+p.Ext)
		if err := addFile(w, path.Join("raw", kept), p.Raw); err != nil {
			return "", err
		}
	}
	for i, a := range p.Assets {
		rel := path.Join("assets", fmt.Sprintf("%s-%d%s", name, i+1, a.Ext))
		if err := addFile(w, path.Join("raw", rel), a.Bytes); err != nil {
			return "", err
		}
		p.PointTo(a.URL, rel)
	}
	return kept, nil
}

// addFile makes a file of raw/ that is either there whole or not at all, and never in the place of another.
func addFile(w *Wiki, rel string, text []byte) error {
	to := filepath.Join(w.Real, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fmt.Errorf("make %s: %w", path.Dir(rel), err)
	}
	f, err := os.CreateTemp(filepath.Dir(to), ".fetch-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", rel, err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", rel, err)
	}
	if err = os.Link(f.Name(), to); err != nil && !errors.Is(err, fs.ErrExist) { // a file system without hard links
		if _, there := os.Lstat(to); errors.Is(there, fs.ErrNotExist) {
			err = os.Rename(f.Name(), to)
		}
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", rel, err)
	}
	return nil
}
