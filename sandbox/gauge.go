package sandbox

import (
	"context"
	"io/fs"
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// A gauge measures what a program has written to folders that no quota bounds: disk quotas are root's to set. It looks every so often, so that a quick
// program may be over the limit for a moment; then the run is ended and nothing of it is taken.
type gauge struct {
	tanks []*tank
	full  atomic.Bool
}

// A tank is what folders may hold together.
type tank struct {
	dirs           []string
	bytes, entries int64 // allowed
	more           bool  // than what the first look finds, which is then counted in
}

// How often a gauge looks: a walk takes at most the twentieth part of one processor.
const (
	gaugePause = 200 * time.Millisecond
	gaugeShare = 20
)

// gaugeDepth is how deep it looks: one open folder is kept per level.
const gaugeDepth = 2048

// ownInodes bounds the files that come into a folder of the run's own: a build makes more than a wiki's run.
const ownInodes = 2_000_000

// newGauge measures dirs, and the root of a run of its own; nil where there is nothing to measure.
func newGauge(s Spec, dirs ...string) *gauge {
	g := &gauge{}
	if len(dirs) > 0 {
		g.tanks = append(g.tanks, &tank{dirs: dirs, bytes: s.Limits.Upper, entries: s.Limits.Inodes})
	}
	if s.Own {
		g.tanks = append(g.tanks, &tank{dirs: []string{s.Root}, bytes: s.Limits.Own, entries: ownInodes, more: true})
	}
	if len(g.tanks) == 0 {
		return nil
	}
	return g
}

// watch returns a channel that is closed when there is too much. It ends with the context, and is nil for no gauge.
func (g *gauge) watch(ctx context.Context) <-chan struct{} {
	if g == nil {
		return nil
	}
	full := make(chan struct{})
	go func() {
		for pause := gaugePause; ; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			start := time.Now()
			if g.over(ctx) {
				g.full.Store(true)
				close(full)
				return
			}
			pause = max(gaugePause, gaugeShare*time.Since(start))
		}
	}()
	return full
}

// over measures.
func (g *gauge) over(ctx context.Context) bool {
	return slices.ContainsFunc(g.tanks, func(t *tank) bool { return t.over(ctx) })
}

func (t *tank) over(ctx context.Context) bool {
	if t.more {
		const bytes, entries = math.MaxInt64 >> 1, 1 << 30 // more than there is
		m := t.measure(ctx, bytes, entries)
		t.bytes, t.entries, t.more = t.bytes+bytes-m.bytes, t.entries+entries-m.entries, false
		return false
	}
	m := t.measure(ctx, t.bytes, t.entries)
	return m.bytes < 0 || m.entries < 0
}

// measure looks how much is left of what is allowed.
func (t *tank) measure(ctx context.Context, bytes, entries int64) *measure {
	m := &measure{ctx: ctx, bytes: bytes, entries: entries}
	for _, path := range t.dirs {
		if d, err := openDir(path); err == nil { // the program may have closed it; then it cannot write there either
			m.folder(d, 0)
			d.close()
		}
	}
	return m
}

// measure counts down what is left.
type measure struct {
	ctx            context.Context
	bytes, entries int64
}

// folder counts what is below d. A program at work changes it meanwhile: what is gone is not counted.
func (m *measure) folder(d *dir, depth int) {
	if m.ctx.Err() != nil || m.bytes < 0 || m.entries < 0 {
		return
	}
	names, err := d.names(int(m.entries) + 1)
	if err != nil {
		return
	}
	m.entries -= int64(len(names))
	for _, name := range names {
		st, err := d.lstat(name)
		if err != nil {
			continue
		}
		if st.mode&fs.ModeDir == 0 {
			m.bytes -= min(st.id.Size, st.blocks*blockSize) // a sparse file's holes cost nothing
			continue
		}
		if depth == gaugeDepth {
			continue
		}
		if sub, err := subView(d, name, st); err == nil { // opens what was closed to hide it
			m.folder(sub, depth+1)
			sub.close()
		}
	}
}

// blockSize is the unit of a file's blocks in bytes (stat(2), st_blocks).
const blockSize = 512

// overfull makes the changes of a run that was ended for it incomplete.
func (c *collector) overfull(g *gauge) {
	if g != nil && g.full.Load() {
		c.over("more bytes or files written than the limit")
	}
}
