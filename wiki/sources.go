package wiki

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// CheckSource says why rel, a path in raw/, cannot be ingested: it is not text.
func CheckSource(w *Wiki, rel string) error {
	text, err := os.ReadFile(filepath.Join(w.Real, filepath.FromSlash(rel)))
	if err != nil {
		return fmt.Errorf("read the source: %w", err)
	}
	if bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text) {
		return fmt.Errorf("%s is not UTF-8 text", rel)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return fmt.Errorf("%s is empty", rel)
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
func (r *run) ingested(src source) string {
	recs, _, _ := r.store.List() // what cannot be read tells nothing here
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
	if page := r.sourcePage(src); page != "" {
		return fmt.Sprintf("%s is ingested and unchanged: %s", src.rel, page)
	}
	return ""
}

// sourcePage finds the page that names the source with its sha256 in its front matter. It looks where slugs put such a page, since a look at every page would
// cost time in proportion to the wiki.
func (r *run) sourcePage(src source) string {
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
