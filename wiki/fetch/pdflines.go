package fetch

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pdfLines makes lines and paragraphs of glyphs, in the order in which they are drawn: a file draws a column to its end before the next. Blanks are where the
// glyphs leave room, since many files draw none.
func pdfLines(glyphs []pdfGlyph) string {
	var b strings.Builder
	var line strings.Builder
	var last pdfGlyph
	end := func(sep string) {
		text := strings.TrimRightFunc(line.String(), unicode.IsSpace)
		line.Reset()
		if text != "" {
			b.WriteString(text + sep)
		}
	}
	for i, g := range glyphs {
		if g.size <= 0 {
			g.size = 1
		}
		if i > 0 {
			switch down, gap := last.y-g.y, g.x-(last.x+last.wide); {
			case math.Abs(down) < 0.5*max(g.size, last.size) && gap > -2*g.size:
				if gap > 0.18*g.size && !strings.HasSuffix(line.String(), " ") && strings.TrimSpace(g.text) != "" {
					line.WriteByte(' ')
				}
			case down > 0 && down < 1.7*max(g.size, last.size) && math.Abs(g.size-last.size) < 0.2*last.size:
				end("\n")
			default:
				end("\n\n")
			}
		}
		line.WriteString(g.text)
		last = g
	}
	end("\n")
	text := strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st", "\n• ", "\n- ").Replace("\n" + b.String())
	return joinHyphens(strings.TrimSpace(text))
}

// joinHyphens puts words together that a line's end cut: a letter, a hyphen, and a small letter on the next line.
func joinHyphens(text string) string {
	lines := strings.Split(text, "\n")
	var out []string
	for _, l := range lines {
		if n := len(out) - 1; n >= 0 {
			word, cut := strings.CutSuffix(out[n], "-")
			if !cut {
				word, cut = strings.CutSuffix(out[n], "\u00ad")
			}
			before, _ := utf8.DecodeLastRuneInString(word)
			after, _ := utf8.DecodeRuneInString(l)
			if cut && unicode.IsLetter(before) && unicode.IsLower(after) {
				head, rest, _ := strings.Cut(l, " ")
				out[n] = word + head
				if rest == "" {
					continue
				}
				l = rest
			}
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}
