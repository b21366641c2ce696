package fetch

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/ledongthuc/pdf"
)

// pdfGlyph is what one code of a shown string draws, in the page's units.
type pdfGlyph struct {
	text             string
	x, y, wide, size float64
}

// pdfDrawing plays the operators of pages that place text (ISO 32000-1, section 9), forms within them included, which the library's own readers leave out.
type pdfDrawing struct {
	ctx    context.Context
	ops    map[string]pdfOp
	fonts  map[string]*pdfFont
	within map[string]bool // forms that are being drawn
	steps  int
	glyphs int
	shown  []pdfGlyph
	hidden []pdfGlyph // by their rendering mode
}

// errPDFPage is a page that is broken where others may not be.
var errPDFPage = errors.New("it is broken")

// errPDFBounds ends the reading of the whole file.
var errPDFBounds = errors.New("it holds more than is read")

func (d *pdfDrawing) page(p pdf.Page) (shown, hidden []pdfGlyph, err error) {
	d.shown, d.hidden = nil, nil
	defer func() {
		shown, hidden = d.shown, d.hidden
		switch r := recover().(type) {
		case nil:
		case error:
			err = r
			if !errors.Is(r, errPDFBounds) && d.ctx.Err() == nil {
				err = fmt.Errorf("%w: %w", errPDFPage, r)
			}
		default:
			err = fmt.Errorf("%w: %v", errPDFPage, r)
		}
	}()
	if p.V.IsNull() {
		return nil, nil, nil
	}
	d.stream(p.V.Key("Contents"), p.Resources(), pdfIdentity(), 0)
	return nil, nil, nil
}

type pdfMatrix [6]float64

func pdfIdentity() pdfMatrix { return pdfMatrix{1, 0, 0, 1, 0, 0} }

// times is m followed by n.
func (m pdfMatrix) times(n pdfMatrix) pdfMatrix {
	return pdfMatrix{m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3], m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5]}
}

func pdfMove(x, y float64) pdfMatrix { return pdfMatrix{1, 0, 0, 1, x, y} }

// pdfState is the part of the graphics state that places text.
type pdfState struct {
	ctm                                       pdfMatrix
	font                                      *pdfFont
	size, charSpace, wordSpace, leading, rise float64
	stretch                                   float64 // horizontal scaling, 1 for 100 %
	mode                                      int
}

// pdfStream is one content stream at work.
type pdfStream struct {
	*pdfDrawing
	pdfState
	resources pdf.Value
	stack     []pdfState
	text      pdfMatrix
	line      pdfMatrix
	depth     int
}

// stream plays one stream.
func (d *pdfDrawing) stream(v, resources pdf.Value, ctm pdfMatrix, depth int) {
	s := &pdfStream{pdfDrawing: d, resources: resources, pdfState: pdfState{ctm: ctm, stretch: 1}, text: pdfIdentity(), line: pdfIdentity(), depth: depth}
	pdf.Interpret(v, func(stk *pdf.Stack, op string) {
		d.steps++
		if d.steps > maxPDFSteps {
			panic(errPDFBounds)
		}
		if d.steps%1024 == 0 && d.ctx.Err() != nil {
			panic(fmt.Errorf("%w: it takes too long", errPDFBounds))
		}
		args := make([]pdf.Value, stk.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stk.Pop()
		}
		if do := d.ops[op]; do.play != nil && len(args) >= do.args {
			do.play(s, args)
		}
	})
}

type pdfOp struct {
	args int
	play func(s *pdfStream, args []pdf.Value)
}

// pdfOps are the operators that matter for text; the others draw what is no text.
func pdfOps() map[string]pdfOp {
	number := func(set func(s *pdfStream, v float64)) pdfOp {
		return pdfOp{1, func(s *pdfStream, a []pdf.Value) { set(s, a[0].Float64()) }}
	}
	return map[string]pdfOp{
		"q":  {0, func(s *pdfStream, _ []pdf.Value) { s.push() }},
		"Q":  {0, func(s *pdfStream, _ []pdf.Value) { s.pop() }},
		"cm": {6, func(s *pdfStream, a []pdf.Value) { s.ctm = pdfMatrixOf(a).times(s.ctm) }},
		"Do": {1, func(s *pdfStream, a []pdf.Value) { s.form(a[0].Name()) }},
		"BT": {0, func(s *pdfStream, _ []pdf.Value) { s.text, s.line = pdfIdentity(), pdfIdentity() }},
		"Tf": {2, func(s *pdfStream, a []pdf.Value) { s.font, s.size = s.fontOf(a[0].Name()), a[1].Float64() }},
		"Tm": {6, func(s *pdfStream, a []pdf.Value) { s.line = pdfMatrixOf(a); s.text = s.line }},
		"Td": {2, func(s *pdfStream, a []pdf.Value) { s.next(a[0].Float64(), a[1].Float64()) }},
		"TD": {2, func(s *pdfStream, a []pdf.Value) { s.leading = -a[1].Float64(); s.next(a[0].Float64(), a[1].Float64()) }},
		"T*": {0, func(s *pdfStream, _ []pdf.Value) { s.next(0, -s.leading) }},
		"Tj": {1, func(s *pdfStream, a []pdf.Value) { s.show(a[0].RawString()) }},
		"'":  {1, func(s *pdfStream, a []pdf.Value) { s.next(0, -s.leading); s.show(a[0].RawString()) }},
		"\"": {3, func(s *pdfStream, a []pdf.Value) {
			s.wordSpace, s.charSpace = a[0].Float64(), a[1].Float64()
			s.next(0, -s.leading)
			s.show(a[2].RawString())
		}},
		"TJ": {1, func(s *pdfStream, a []pdf.Value) { s.showAll(a[0]) }},
		"Tc": number(func(s *pdfStream, v float64) { s.charSpace = v }),
		"Tw": number(func(s *pdfStream, v float64) { s.wordSpace = v }),
		"TL": number(func(s *pdfStream, v float64) { s.leading = v }),
		"Ts": number(func(s *pdfStream, v float64) { s.rise = v }),
		"Tz": number(func(s *pdfStream, v float64) { s.stretch = v / 100 }),
		"Tr": number(func(s *pdfStream, v float64) { s.mode = int(v) }),
	}
}

func pdfMatrixOf(a []pdf.Value) (m pdfMatrix) {
	for i := range m {
		m[i] = a[i].Float64()
	}
	return m
}

func (s *pdfStream) push() {
	if len(s.stack) > 1<<10 {
		panic(errPDFBounds)
	}
	s.stack = append(s.stack, s.pdfState)
}

func (s *pdfStream) pop() {
	if n := len(s.stack) - 1; n >= 0 {
		s.pdfState, s.stack = s.stack[n], s.stack[:n]
	}
}

func (s *pdfStream) next(x, y float64) {
	s.line = pdfMove(x, y).times(s.line)
	s.text = s.line
}

// form plays a form, which is a stream with resources of its own.
func (s *pdfStream) form(name string) {
	v := s.resources.Key("XObject").Key(name)
	if v.Key("Subtype").Name() != "Form" || s.depth >= maxPDFForms {
		return
	}
	m := pdfIdentity()
	if a := v.Key("Matrix"); a.Len() == 6 {
		for i := range m {
			m[i] = a.Index(i).Float64()
		}
	}
	key := v.String() // with the place where it stands in the file
	if s.within[key] {
		return
	}
	s.within[key] = true
	defer delete(s.within, key)
	own := v.Key("Resources")
	if own.IsNull() {
		own = s.resources
	}
	s.stream(v, own, m.times(s.ctm), s.depth+1)
}

func (s *pdfStream) showAll(list pdf.Value) {
	for i := range list.Len() {
		if v := list.Index(i); v.Kind() == pdf.String {
			s.show(v.RawString())
		} else {
			s.text = pdfMove(-v.Float64()/1000*s.size*s.stretch, 0).times(s.text)
		}
	}
}

func (s *pdfStream) show(raw string) {
	if s.font == nil {
		return
	}
	step := 1
	if s.font.wide {
		step = 2
	}
	for i := 0; i+step <= len(raw); i += step {
		if s.glyphs++; s.glyphs > maxPDFGlyphs {
			panic(errPDFBounds)
		}
		code := raw[i : i+step]
		wide := s.font.width(code) / 1000 * s.size
		at := pdfMatrix{s.size * s.stretch, 0, 0, s.size, 0, s.rise}.times(s.text).times(s.ctm)
		scale := math.Hypot(s.text[0], s.text[1]) * math.Hypot(s.ctm[0], s.ctm[1])
		g := pdfGlyph{text: s.font.decode(code), x: at[4], y: at[5], wide: wide * s.stretch * scale, size: math.Hypot(at[2], at[3])}
		if g.text != "" && s.mode != 3 && s.mode != 7 {
			s.shown = append(s.shown, g)
		} else if g.text != "" {
			s.hidden = append(s.hidden, g)
		}
		move := wide + s.charSpace
		if code == " " {
			move += s.wordSpace
		}
		s.text = pdfMove(move*s.stretch, 0).times(s.text)
	}
}
