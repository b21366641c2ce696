package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// Choice says which layers may be taken.
type Choice struct {
	Layer           string // "auto" or "", "overlay", "copy", or a tier's name
	AllowUnconfined bool   // tier D may be taken where nothing confines a program
	// Foreign are paths of the folder known to belong to another user or group ([FindForeign]): an overlay cannot change them.
	Foreign []string
	Hide    func(rel string, d fs.DirEntry) bool // as in Spec
	Dialer  Dialer
	// Scratch is an existing folder in which trial runs keep their state, as runs will: what a file system can do goes by it. "" is the system's for temporary files.
	Scratch string
	Upper   int64 // bytes that a run may write; 0: the default of Limits
	// Memory tells the bytes that a tmpfs may take here; false: not known. nil asks the system.
	Memory func() (int64, bool)
}

// Report is what this machine gives for a folder.
type Report struct {
	Layer  string            // "overlay", "copy" or ""
	Tier   string            // "A", "A2", "B", "C", "D" or ""
	WhyNot map[string]string // tier -> why it is not had, a clause
}

// String is one line for people.
func (r Report) String() string {
	s := "no sandbox"
	if r.Tier != "" {
		s = fmt.Sprintf("%s, tier %s", r.Layer, r.Tier)
	}
	for _, t := range []string{"A", "A2", "B", "C"} {
		if why := r.WhyNot[t]; why != "" {
			s += fmt.Sprintf("; not %s: %s", t, why)
		}
	}
	return s
}

// Auto picks the best layer that works for root and home and is allowed: A, else A2, else B or C, else D where AllowUnconfined is set. It finds out by really
// trying (tens of milliseconds); callers keep the answer. The error says why there is none.
func Auto(ctx context.Context, root, home string, c Choice) (Layer, Report, error) {
	r := Report{WhyNot: map[string]string{}}
	for _, t := range tiers(c) {
		if c.Layer != "" && c.Layer != "auto" && c.Layer != t.layer.Name() && c.Layer != t.name {
			r.WhyNot[t.name] = "not asked for"
			continue
		}
		err := t.check(ctx, root, home)
		if err == nil {
			r.Layer, r.Tier = t.layer.Name(), t.name
			return t.layer, r, nil
		}
		if ctx.Err() != nil {
			return nil, r, ctx.Err()
		}
		r.WhyNot[t.name] = err.Error()
	}
	return nil, r, errors.New(r.String())
}

// Probe tells what Auto would pick.
func Probe(ctx context.Context, root, home string, c Choice) Report {
	_, r, _ := Auto(ctx, root, home, c) // the report holds what the error says
	return r
}

// tier is one row of what can be tried.
type tier struct {
	name  string
	layer Layer
	try   func(ctx context.Context, l Layer, root, home string) error
	// now is what of the choice may change from one run to the next, and costs nothing to ask: nil error where the tier may be taken.
	now func() error
}

func (t tier) check(ctx context.Context, root, home string) error {
	if t.now != nil {
		if err := t.now(); err != nil {
			return err
		}
	}
	if t.try == nil {
		return nil
	}
	return t.try(ctx, t.layer, root, home)
}

// unconfined is the last row.
func unconfined(c Choice) tier {
	return tier{name: "D", layer: Copy(CopyOptions{Unconfined: true, ForceUnconfined: true, Dialer: c.Dialer}), now: func() error {
		if !c.AllowUnconfined {
			return errors.New("running unconfined was not allowed")
		}
		return nil
	}}
}
