package fetch

import (
	"github.com/ledongthuc/pdf"
)

// pdfFont is what is asked of a font: what its codes mean and how wide they are.
type pdfFont struct {
	encoding pdf.TextEncoding // nil: nobody knows what the codes mean
	wide     bool             // codes have two bytes
	first    int
	widths   map[int]float64 // of 1000 to the size
	other    float64         // width of a code that is not in widths
	known    map[string]string
}

// maxPDFWidths bounds what a font may say of widths.
const maxPDFWidths = 1 << 16

// fontOf is the font of a name in the stream's resources. Fonts are known by what they are made of, since a name means another one on another page.
func (s *pdfStream) fontOf(name string) *pdfFont {
	v := s.resources.Key("Font").Key(name)
	if v.IsNull() {
		return nil
	}
	key := v.String()
	if f := s.fonts[key]; f != nil {
		return f
	}
	f := &pdfFont{wide: v.Key("Subtype").Name() == "Type0", widths: map[int]float64{}, known: map[string]string{}}
	font := pdf.Font{V: v}
	if !f.wide || v.Key("ToUnicode").Kind() == pdf.Stream {
		f.encoding = font.Encoder()
	}
	if f.wide {
		f.readWide(v.Key("DescendantFonts").Index(0))
	} else {
		f.readSimple(v)
	}
	if len(s.fonts) < 1<<10 {
		s.fonts[key] = f
	}
	return f
}

func (f *pdfFont) readSimple(v pdf.Value) {
	f.first, f.other = int(v.Key("FirstChar").Int64()), v.Key("FontDescriptor").Key("MissingWidth").Float64()
	list := v.Key("Widths")
	scale := 1.0
	if m := v.Key("FontMatrix"); v.Key("Subtype").Name() == "Type3" && m.Len() == 6 { // widths are in a space of the font's own
		scale = 1000 * m.Index(0).Float64()
	}
	for i := range min(list.Len(), 256) {
		f.widths[f.first+i] = list.Index(i).Float64() * scale
	}
	if len(f.widths) == 0 { // one of the standard fonts, which files need not describe
		f.other = 500
	}
}

// readWide reads the widths of a font with codes of two bytes: "c [w1 w2 …]" and "from to w".
func (f *pdfFont) readWide(v pdf.Value) {
	f.other = 1000
	if dw := v.Key("DW"); !dw.IsNull() {
		f.other = dw.Float64()
	}
	list := v.Key("W")
	for i := 0; i+1 < list.Len() && len(f.widths) < maxPDFWidths; {
		from := int(list.Index(i).Int64())
		if run := list.Index(i + 1); run.Kind() == pdf.Array {
			for k := range min(run.Len(), maxPDFWidths) {
				f.widths[from+k] = run.Index(k).Float64()
			}
			i += 2
			continue
		}
		to := min(int(list.Index(i+1).Int64()), from+maxPDFWidths)
		for c := from; c <= to; c++ {
			f.widths[c] = list.Index(i + 2).Float64()
		}
		i += 3
	}
}

func (f *pdfFont) width(code string) float64 {
	n := 0
	for i := range len(code) {
		n = n<<8 | int(code[i])
	}
	if w, ok := f.widths[n]; ok {
		return w
	}
	return f.other
}

// decode is what a code means, "" where nobody knows.
func (f *pdfFont) decode(code string) string {
	if f.encoding == nil {
		return ""
	}
	text, ok := f.known[code]
	if !ok {
		if text = f.encoding.Decode(code); text == "\uFFFD" || text == "\x00" {
			text = ""
		}
		f.known[code] = text
	}
	return text
}
