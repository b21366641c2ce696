package index

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// A first build lays out names, titles, aliases, headings and links, which is what an editor asks for first. The full text, which takes three times as long,
// is laid out by who needs it first, from the texts that the build kept: by [Index.FullText], or by the first search.

// HasFullText tells whether a search can be answered at once.
func (x *Index) HasFullText() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return !slices.ContainsFunc(x.segments, func(s *segment) bool { return s.full.Load() == nil })
}

// FullText lays out what [Index.Search] and [Index.NearCopies] need, where that is not done yet; they do it themselves where nobody did. Links and names can be
// asked for meanwhile. What is cancelled or killed leaves nothing half written: the next call goes on with the segments that are left.
func (x *Index) FullText(ctx context.Context) error {
	x.ensureSound()
	select {
	case x.laying <- struct{}{}:
		defer func() { <-x.laying }()
	case <-ctx.Done():
		return ctx.Err()
	}
	lacking := x.lacking()
	defer closeAll(lacking)
	if len(lacking) == 0 {
		return nil
	}
	unlock, err := x.lock(ctx) // the folder may be read-only: then nothing is kept
	defer unlock()
	err = x.fill(ctx, lacking, err == nil && x.o.Dir != "")
	if errors.Is(err, errTexts) && !x.borrowed {
		return x.buildAgain(ctx, err)
	}
	return err
}

// mustFullText is FullText for who asks: what is missing is told, and the answer is made from what is there.
func (x *Index) mustFullText() {
	if err := x.FullText(context.Background()); err != nil {
		x.warn("the search is not complete: %v", err)
	}
}

// texts gives the segments' full texts; one that is missing has no documents. The caller holds mu.
func (x *Index) texts() []*fullText {
	out := make([]*fullText, len(x.segments))
	for i, s := range x.segments {
		if out[i] = s.full.Load(); out[i] == nil {
			out[i] = &fullText{}
		}
	}
	return out
}

// lacking gives the segments whose full text is missing or broken, retained.
func (x *Index) lacking() (out []*segment) {
	x.mu.RLock()
	all := slices.DeleteFunc(slices.Clone(x.segments), func(s *segment) bool { return !s.retain() })
	x.mu.RUnlock()
	for _, s := range all {
		f := s.full.Load()
		if f != nil && !f.proved.Load() && !x.fileSound(s.name+fullTextSuffix, f.mapping) {
			x.warn("the search terms of the kept index are laid out anew: %s does not match its checksum", s.name)
			s.retired = append(s.retired, f.mapping)
			s.full.Store(nil)
			f = nil
		}
		if f == nil {
			out = append(out, s)
			continue
		}
		f.proved.Store(true)
		s.close()
	}
	return out
}

// errTexts says that the texts that a full text is laid out from are broken.
var errTexts = errors.New("a kept text does not match its checksum")

// fill lays out the full text of segments, in parallel.
func (x *Index) fill(ctx context.Context, segments []*segment, keep bool) error {
	total := 0
	for _, s := range segments {
		total += s.count()
	}
	var done atomic.Int64
	tell := func(n int) {
		if now := done.Add(int64(n)); x.o.Progress != nil {
			x.o.Progress(FullText, int(now), total)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers())
	for _, s := range segments {
		group.Go(func() error { return x.fillOne(ctx, s, keep, tell) })
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("lay out the full text: %w", err)
	}
	return nil
}

func (x *Index) fillOne(ctx context.Context, s *segment, keep bool, tell func(int)) error {
	file := filepath.Join(x.o.Dir, s.name+fullTextSuffix)
	if keep {
		if f := mapFullText(file, s); f != nil && x.fileSound(s.name+fullTextSuffix, f.mapping) { // another process did it while we waited
			f.proved.Store(true)
			s.full.Store(f)
			tell(s.count())
			return nil
		}
	}
	var b fullTextBuilder
	const step = 256
	for doc := range uint32(s.count()) {
		if doc%step == step-1 {
			if err := ctx.Err(); err != nil {
				return err
			}
			tell(step)
		}
		text, ok := s.mappedText(doc)
		if !ok {
			return fmt.Errorf("%s: %w", s.name, errTexts)
		}
		b.add(s.part(s.called, doc, docCalled, docCalledLen), text)
	}
	tell(s.count() % step)
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := x.keepFullText(&b, s, file, keep)
	if err == nil {
		s.full.Store(f)
	}
	return err
}

// keepFullText gives the full text of a segment: from a file, or from memory where none can be written.
func (x *Index) keepFullText(b *fullTextBuilder, s *segment, file string, keep bool) (*fullText, error) {
	parts := b.finish(s.sum())
	if keep {
		if err := writeWhole(file, parts...); err != nil {
			x.warn("the search terms are not kept: %v", err)
		} else if f := mapFullText(file, s); f != nil {
			f.proved.Store(true)
			return f, nil
		}
	}
	f, err := openFullText(mapping{data: slices.Concat(parts...)}, s.sum(), s.count())
	if err != nil {
		return nil, err
	}
	f.proved.Store(true)
	return f, nil
}

// mapFullText opens a full text's file; nil where there is none that can be used.
func mapFullText(file string, s *segment) *fullText {
	m, err := mapFile(file)
	if err != nil {
		return nil
	}
	f, err := openFullText(m, s.sum(), s.count())
	if err != nil {
		m.close()
		return nil
	}
	return f
}
