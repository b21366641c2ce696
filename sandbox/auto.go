package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// Choice says which layers may be taken.
type Choice struct {
	Layer           string // "auto" or "", "overlay", "copy"
	AllowUnconfined bool   // tier D may be taken where nothing confines a program
	// Foreign are paths of the folder known to belong to another user or group (an index has seen them): an overlay cannot change them.
	Foreign []string
	Hide    func(rel string, d fs.DirEntry) bool // as in Spec
	Dialer  Dialer
}

// Report is what this machine gives for a folder.
type Report struct {
	Layer  string            // "overlay", "copy" or ""
	Tier   string            // "A", "B", "D" or ""
	WhyNot map[string]string // tier -> why it is not had, a clause
}

// String is one line for people.
func (r Report) String() string {
	s := "no sandbox"
	if r.Tier != "" {
		s = fmt.Sprintf("%s, tier %s", r.Layer, r.Tier)
	}
	for _, t := range []string{"A", "B"} {
		if why := r.WhyNot[t]; why != "" {
			s += fmt.Sprintf("; not %s: %s", t, why)
		}
	}
	return s
}

// Auto picks the best layer that works for root and home and is allowed: A, else B, else D where AllowUnconfined is set. It finds out by really
// trying (tens of milliseconds); callers keep the answer. The error says why there is none.
func Auto(ctx context.Context, root, home string, c Choice) (Layer, Report, error) {
	r := Report{WhyNot: map[string]string{}}
	for _, t := range tiers(c) {
		if c.Layer != "" && c.Layer != "auto" && c.Layer != t.layer.Name() {
			r.WhyNot[t.name] = "not asked for"
			continue
		}
		err := t.try(ctx, t.layer, root, home)
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
func Probe(ctx context.Context, root, home string) Report {
	_, r, _ := Auto(ctx, root, home, Choice{AllowUnconfined: true}) // the report holds what the error says
	return r
}

// tier is one row of what can be tried.
type tier struct {
	name  string
	layer Layer
	try   func(ctx context.Context, l Layer, root, home string) error
}

// unconfined is the last row.
func unconfined(c Choice) tier {
	return tier{"D", Copy(CopyOptions{Unconfined: true, ForceUnconfined: true, Dialer: c.Dialer}), func(context.Context, Layer, string, string) error {
		if !c.AllowUnconfined {
			return errors.New("running unconfined was not allowed")
		}
		return nil
	}}
}
