package wiki

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// CheckSource says why rel, a path in raw/, cannot be ingested: it is not text.
func CheckSource(w *Wiki, rel string) error {
	return CheckText(filepath.Join(w.Real, filepath.FromSlash(rel)), rel)
}

// CheckText says why a file, called name in the message, can be no source: it is not text.
func CheckText(file, name string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the source: %w", err)
	}
	if bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text) {
		return fmt.Errorf("%s is not UTF-8 text", name)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return fmt.Errorf("%s is empty", name)
	}
	return nil
}

// AddSource copies a file from elsewhere into raw/ and returns its path in the wiki. Nothing there is replaced: a file of that name with other bytes
// is an error.
func (h *Host) AddSource(w *Wiki, file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the source: %w", err)
	}
	rel := "raw/" + filepath.Base(file)
	to := filepath.Join(w.Real, filepath.FromSlash(rel))
	if had, err := os.ReadFile(to); err == nil {
		if bytes.Equal(had, text) {
			return rel, nil
		}
		return "", fmt.Errorf("%s is there already with other text: rename the new file first", rel)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return "", fmt.Errorf("make raw/: %w", err)
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return "", fmt.Errorf("copy into raw/: %w", err)
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(to) // half a source is worse than none
		return "", fmt.Errorf("copy into raw/: %w", err)
	}
	return rel, nil
}

// ingested says in a sentence why a source need not be ingested: a proposal for it waits, or it is in the wiki and unchanged. "" where it should be.
func (r *run) ingested(ctx context.Context, src source) string {
	recs, _ := r.store.OfSource(src.sha) // what cannot be read tells nothing here
	for _, rec := range recs {
		i := slices.Index(rec.Sources, src.rel)
		if rec.Op != "ingest" || i < 0 || i >= len(rec.SourceSHA) || rec.SourceSHA[i] != src.sha {
			continue
		}
		switch {
		case rec.Waits():
			return fmt.Sprintf("a proposal for %s waits already: %s", src.rel, rec.Run)
		case rec.State == proposal.Applied:
			return fmt.Sprintf("%s is ingested and unchanged: run %s", src.rel, rec.Run)
		}
	}
	if page := r.sourcePage(ctx, src); page != "" {
		return fmt.Sprintf("%s is ingested and unchanged: %s", src.rel, page)
	}
	return ""
}

// sourcePage finds the page that names the source with its sha256 in its front matter. It looks where slugs put such a page; where the wiki has an index,
// the pages of sources/ as well, at a stat for each.
func (r *run) sourcePage(ctx context.Context, src source) string {
	if rel := r.guessPage(src); rel != "" {
		return rel
	}
	x := r.host.madeIndex(ctx, r.wiki)
	if x == nil {
		return ""
	}
	c := r.host.openScan(r.wiki)
	pages, err := c.sourcePages(ctx, x)
	if err != nil {
		return "" // cancelled: the next step says so
	}
	_ = c.keep() // a cache: the next look reads what this one could not keep
	if p := pages[norm.NFC.String(src.rel)]; slices.Contains(p.shas, src.sha) {
		return p.rel
	}
	return ""
}

// madeIndex is the wiki's index where one is open or kept, else nil: none is built for this.
func (h *Host) madeIndex(ctx context.Context, w *Wiki) *index.Index {
	h.mu.Lock()
	x := h.indexes[w.ID]
	h.mu.Unlock()
	if x != nil {
		return x
	}
	if files, err := os.ReadDir(filepath.Join(h.rigHome, "cache", "index", w.ID)); err != nil || len(files) == 0 {
		return nil
	}
	x, err := h.Index(ctx, w)
	if err != nil {
		return nil // who needs the index says why there is none
	}
	return x
}

func (r *run) guessPage(src source) string {
	name := path.Base(src.rel)
	slug := Slug(name, func(string) bool { return false })
	for _, s := range slices.Compact([]string{slug, strings.TrimLeft(slug, "0123456789-")}) {
		rel := path.Join(r.wiki.Pages, "sources", s+".md")
		text, err := fs.ReadFile(os.DirFS(r.wiki.Real), rel)
		if err != nil {
			continue
		}
		front := index.ParsePage(text).Front
		if front.Get("source-path") == src.rel && front.Get("source-sha") == src.sha {
			return rel
		}
	}
	return ""
}
