package wiki

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/text/unicode/norm"

	"github.com/rigwiki/rig/wiki/index"
)

// SourceStatus says how a source stands to the wiki's pages.
type SourceStatus string

// The states of a source.
const (
	SourceNew       SourceStatus = "new"       // no page of sources/ names it, no run ingested it
	SourceModified  SourceStatus = "modified"  // written since the run that ingested it, or since its page, which gives no sha256, was first seen with it
	SourceDeleted   SourceStatus = "deleted"   // a page names it, and it is not there
	SourceDrift     SourceStatus = "raw-drift" // its sha256 is not the one that its page gives
	SourceUnchanged SourceStatus = "unchanged" // ingested, as it is now
)

// SourceStatuses are the states in the order in which they are counted.
func SourceStatuses() []SourceStatus {
	return []SourceStatus{SourceNew, SourceModified, SourceDeleted, SourceDrift, SourceUnchanged}
}

// Word is how the state is written for people.
func (s SourceStatus) Word() string { return strings.ToUpper(strings.ReplaceAll(string(s), "-", " ")) }

// Drifted tells a source that is not what its page was made from.
func (s SourceStatus) Drifted() bool {
	return s.Changed() || s == SourceDeleted
}

// Changed tells a source that is there and not what its page was made from: it may be taken in again.
func (s SourceStatus) Changed() bool { return s == SourceModified || s == SourceDrift }

// ScannedSource is one source of a wiki.
type ScannedSource struct {
	Path     string       `json:"path"`
	Status   SourceStatus `json:"status"`
	Page     string       `json:"page,omitempty"`     // that names it as its source
	Proposal string       `json:"proposal,omitempty"` // the run whose proposal for it, as it is now, waits
}

// Scan tells how each file of raw/ stands, by path, and which sources are missing. It reads what its stat identity does not know from the last time.
func (h *Host) Scan(ctx context.Context, w *Wiki) ([]ScannedSource, error) {
	x, err := h.Index(ctx, w)
	if err != nil {
		return nil, err
	}
	c := h.openScan(w)
	pages, err := c.sourcePages(ctx, x)
	if err != nil {
		return nil, err
	}
	sums, err := c.rawSums(ctx)
	if err != nil {
		return nil, err
	}
	runs, err := h.sourceRuns(w)
	if err != nil {
		return nil, err
	}
	out := []ScannedSource{}
	c.now.First = map[string]knownFile{}
	for _, rel := range sortedKeys(sums) {
		key := norm.NFC.String(rel)
		if bare := strings.TrimSuffix(key, ".md"); pages[key].rel == "" && bare != key { // a wikilink leaves .md out
			pages[key] = pages[bare]
			delete(pages, bare)
		}
		sum := sums[rel]
		out = append(out, ScannedSource{Path: rel, Status: c.status(key, sum, pages[key], runs[key]), Page: pages[key].rel, Proposal: runs[key].waiting[sum]})
		delete(pages, key)
	}
	for _, rel := range sortedKeys(pages) {
		out = append(out, ScannedSource{Path: rel, Status: SourceDeleted, Page: pages[rel].rel})
	}
	slices.SortStableFunc(out, func(a, b ScannedSource) int { return strings.Compare(a.Path, b.Path) })
	_ = c.keep() // a cache, as for a full disk: the next look reads what this one could not keep
	return out, nil
}

// sourcePage is a page of sources/ that names a file of raw/.
type sourcePage struct {
	rel  string
	id   string   // stat identity
	shas []string // sha256 that such pages give for it; none where they give none
}

// sourceRun is what the runs know of a source.
type sourceRun struct {
	waiting map[string]string // sha256 of the source -> the run that it waits in
	applied []string          // sha256 of the source in applied runs
}

// status compares a source with what its page gives for it, with the runs that ingested it, and where neither says anything with what it was when its page
// was first seen.
func (c *sourceScan) status(key, sha string, page sourcePage, runs sourceRun) SourceStatus {
	switch {
	case slices.Contains(page.shas, sha), slices.Contains(runs.applied, sha):
		return SourceUnchanged
	case len(page.shas) > 0:
		return SourceDrift
	case len(runs.applied) > 0:
		return SourceModified
	case page.rel == "":
		return SourceNew
	}
	first, ok := c.kept.First[key]
	if !ok || first.ID != page.id {
		first = knownFile{ID: page.id, SHA: sha}
	}
	c.now.First[key] = first
	if first.SHA != sha {
		return SourceModified
	}
	return SourceUnchanged
}

func (h *Host) sourceRuns(w *Wiki) (map[string]sourceRun, error) {
	s, err := h.Store(w)
	if err != nil {
		return nil, err
	}
	recs, _, err := s.List() // a record that cannot be read says nothing of a source
	if err != nil {
		return nil, err
	}
	out := map[string]sourceRun{}
	for _, rec := range recs {
		for i, rel := range rec.Sources {
			if rec.Op != "ingest" || i >= len(rec.SourceSHA) {
				continue
			}
			key := norm.NFC.String(rel)
			known := out[key]
			switch {
			case rec.Waits():
				if known.waiting == nil {
					known.waiting = map[string]string{}
				}
				known.waiting[rec.SourceSHA[i]] = rec.Run
			case rec.State == "applied" || rec.State == "partly":
				known.applied = append(known.applied, rec.SourceSHA[i])
			}
			out[key] = known
		}
	}
	return out, nil
}

// sourceScan is one look at a wiki's sources, with what the last one kept in $RIG_HOME/cache/scan/<wiki>.json.
type sourceScan struct {
	w    *Wiki
	file string
	kept scanCache

	mu  sync.Mutex // guards now
	now scanCache
}

type scanCache struct {
	Raw   map[string]knownFile `json:"raw"`
	Pages map[string]knownFile `json:"pages"`
	First map[string]knownFile `json:"first"` // by source: what it was when its page, with this identity, was first seen
}

// knownFile is what was read of a file while it had this stat identity.
type knownFile struct {
	ID     string `json:"id"`
	Source string `json:"source,omitempty"` // of a page: the file of raw/ that it names
	SHA    string `json:"sha,omitempty"`    // of a source; of a page: what it says of its source
}

func (h *Host) openScan(w *Wiki) *sourceScan {
	c := &sourceScan{w: w, file: filepath.Join(h.rigHome, "cache", "scan", w.ID+".json"), now: scanCache{Raw: map[string]knownFile{}, Pages: map[string]knownFile{}}}
	if text, err := os.ReadFile(c.file); err != nil || json.Unmarshal(text, &c.kept) != nil {
		c.kept = scanCache{} // all is read anew
	}
	return c
}

// keep writes what was seen, where it differs from what was kept. What was not looked at this time stays.
func (c *sourceScan) keep() error {
	if len(c.now.Raw) == 0 {
		c.now.Raw = c.kept.Raw
	}
	if c.now.First == nil {
		c.now.First = c.kept.First
	}
	if maps.Equal(c.now.Raw, c.kept.Raw) && maps.Equal(c.now.Pages, c.kept.Pages) && maps.Equal(c.now.First, c.kept.First) {
		return nil
	}
	text, err := json.Marshal(c.now)
	if err != nil {
		return fmt.Errorf("keep the sources' hashes: %w", err)
	}
	if err := replaceFile(c.file, text); err != nil {
		return fmt.Errorf("keep the sources' hashes: %w", err)
	}
	return nil
}

// sameTick is longer than the tick of any file system's clock.
const sameTick = 50 * time.Millisecond

// known gives what is known of a file, reading it where its identity is new. A file that was written a moment ago is not kept: a second write within the
// clock's tick would leave no trace.
func (c *sourceScan) known(rel string, kept map[string]knownFile, note map[string]knownFile, read func(text []byte, f *knownFile)) (knownFile, error) {
	file := filepath.Join(c.w.Real, filepath.FromSlash(rel))
	id, changed, err := statID(file)
	if err != nil {
		return knownFile{}, err
	}
	f, ok := kept[rel]
	if !ok || f.ID != id {
		text, err := os.ReadFile(file)
		if err != nil {
			return knownFile{}, err
		}
		f = knownFile{ID: id}
		read(text, &f)
		if after, _, err := statID(file); err != nil || after != id || time.Since(changed) < sameTick {
			return f, nil
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	note[rel] = f
	return f, nil
}

// sourcePages finds the pages of sources/ by the file of raw/ that they name, in NFC.
func (c *sourceScan) sourcePages(ctx context.Context, x *index.Index) (map[string]sourcePage, error) {
	out := map[string]sourcePage{}
	for _, rel := range x.Paths() {
		if !isSourcePage(c.w, rel) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, err := c.known(rel, c.kept.Pages, c.now.Pages, func(text []byte, f *knownFile) { f.Source, f.SHA = namedSource(rel, index.ParsePage(text).Front) })
		if err != nil || f.Source == "" {
			continue // gone meanwhile, or not to be read: it names nothing
		}
		p := out[f.Source]
		if p.rel == "" {
			p.rel, p.id = rel, f.ID
		}
		if f.SHA != "" {
			p.shas = append(p.shas, f.SHA)
		}
		out[f.Source] = p
	}
	return out, nil
}

func isSourcePage(w *Wiki, rel string) bool {
	return below(rel, path.Join(w.Pages, "sources")) || below(rel, path.Join(w.Pages, "source"))
}

// sourceKeys are the fields in which pages of sources/ name their file of raw/, shaKeys those that give its sha256.
func sourceKeys() []string {
	return []string{"source-path", "source_path", "source-file", "source_file", "source", "raw"}
}

func shaKeys() []string {
	return []string{"source-sha", "source_sha", "source-sha256", "source_sha256", "sha256"}
}

// namedSource is the file of raw/ that a page of sources/ names, in NFC, and the sha256 that it gives for it.
func namedSource(rel string, front index.FrontMatter) (source, sha string) {
	for _, key := range sourceKeys() {
		if source = rawPath(rel, front.Get(key)); source != "" {
			break
		}
	}
	for _, entry := range front.List("sources") {
		if source == "" && strings.Contains(entry, "raw/") {
			source = rawPath(rel, entry)
		}
	}
	for _, key := range shaKeys() {
		if sha == "" {
			sha = strings.ToLower(strings.TrimPrefix(front.Get(key), "sha256:"))
		}
	}
	return source, sha
}

// rawPath reads what a page calls its source: a path from the wiki's root or from the page, or a wikilink to such. "" is nothing in raw/.
func rawPath(rel, value string) string {
	value = strings.TrimSpace(value)
	if inner, ok := strings.CutPrefix(value, "[["); ok {
		value, _, _ = strings.Cut(strings.TrimSuffix(inner, "]]"), "|")
	}
	if value == "" || strings.Contains(value, "://") {
		return ""
	}
	value = norm.NFC.String(filepath.ToSlash(value))
	for _, at := range []string{path.Clean(value), path.Join(dirOf(rel), value)} {
		if strings.HasPrefix(at, "raw/") {
			return at
		}
	}
	return ""
}

// rawSums hashes the files of raw/.
func (c *sourceScan) rawSums(ctx context.Context) (map[string]string, error) {
	files, err := c.rawFiles()
	if err != nil {
		return nil, err
	}
	sums := make([]string, len(files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	const chunk = 32
	for start := 0; start < len(files); start += chunk {
		group.Go(func() error {
			for i := start; i < min(start+chunk, len(files)); i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				f, err := c.known(files[i], c.kept.Raw, c.now.Raw, func(text []byte, f *knownFile) {
					sum := sha256.Sum256(text)
					f.SHA = hex.EncodeToString(sum[:])
				})
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("read the source: %w", err)
				}
				sums[i] = f.SHA
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	out := make(map[string]string, len(files))
	for i, rel := range files {
		if sums[i] != "" {
			out[rel] = sums[i]
		}
	}
	return out, nil
}

// rawAssets holds what belongs to sources and is none: images, bytes as they came.
const rawAssets = "raw/assets"

// rawFiles are the regular files of raw/, which may itself be a link.
func (c *sourceScan) rawFiles() (files []string, err error) {
	top := filepath.Join(c.w.Real, "raw") + string(filepath.Separator)
	err = filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		if file == top && errors.Is(err, fs.ErrNotExist) {
			return fs.SkipAll
		}
		if err != nil {
			return err
		}
		rel := "raw/" + filepath.ToSlash(strings.TrimPrefix(file, top))
		switch {
		case file == top:
		case d.IsDir() && (HideEntry(rel, d) || rel == rawAssets):
			return fs.SkipDir
		case d.Type().IsRegular() && !HideEntry(rel, d):
			files = append(files, rel)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list raw/: %w", err)
	}
	return files, nil
}
