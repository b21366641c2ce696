// Svg reads what a program wrote to a terminal and draws the screen as an SVG, colours kept. It knows what such output
// uses: SGR colours and weights, carriage returns, and the erasing of a line; other control sequences are dropped.
//
//	script -qec 'go run ./cmd/rig wiki demo' /dev/null | go run .ci/svg.go >docs/demo.svg
package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

const (
	cellWidth, lineHeight, margin = 8.4, 18.0, 16.0 // pixels, at a font size of 14
	background, foreground        = "#16181d", "#d7dae0"
)

// The sixteen colours of a terminal, dim ones first.
var palette = []string{
	"#3b4048", "#f0707a", "#8cc570", "#e3b75c", "#66aef0", "#c885e0", "#5bbccb", "#d7dae0",
	"#7a828e", "#ff8b94", "#a5dc8a", "#f2cc78", "#86c2f7", "#daa0ee", "#7ad3e0", "#ffffff",
}

// A style is what SGR sets.
type style struct {
	fg, bg                       string
	bold, dim, italic, underline bool
}

// A cell is one column of a line; the second column of a wide rune holds none.
type cell struct {
	text  string // a rune and the marks that combine with it
	style style
}

var control = regexp.MustCompile(`^\x1b(?:\[([0-9;?]*)[ -/]*([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])`)

func main() {
	in, err := io.ReadAll(bufio.NewReader(os.Stdin))
	if err != nil {
		fmt.Fprintln(os.Stderr, "svg:", err)
		os.Exit(1)
	}
	fmt.Print(draw(screen(string(in))))
}

// screen plays the output and returns the lines as they stand at its end.
func screen(in string) [][]cell {
	var lines [][]cell
	var line []cell
	var s style
	col := 0
	for in != "" {
		if m := control.FindStringSubmatch(in); m != nil {
			in = in[len(m[0]):]
			switch m[2] {
			case "m":
				s = sgr(s, m[1])
			case "K":
				line = line[:min(col, len(line))]
			}
			continue
		}
		r := []rune(in[:min(len(in), 4)])[0]
		in = in[len(string(r)):]
		switch {
		case r == '\n':
			lines, line, col = append(lines, line), nil, 0
		case r == '\r':
			col = 0
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) && col > 0:
			line[col-1].text += string(r)
		case unicode.IsControl(r):
		default:
			line, col = put(line, col, cell{string(r), s})
		}
	}
	return append(lines, line)
}

// put writes a cell at col and returns the column after it.
func put(line []cell, col int, c cell) ([]cell, int) {
	cells := []cell{c}
	if k := width.LookupRune([]rune(c.text)[0]).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		cells = append(cells, cell{style: c.style})
	}
	for len(line) < col+len(cells) {
		line = append(line, cell{text: " "})
	}
	return line, col + copy(line[col:], cells)
}

// sgr applies the parameters of one "Select Graphic Rendition" sequence (ECMA-48, 8.3.117).
func sgr(s style, params string) style {
	codes := strings.Split(params, ";")
	for i := 0; i < len(codes); i++ {
		n, _ := strconv.Atoi(codes[i]) // empty means 0
		switch {
		case n == 0:
			s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.dim = true
		case n == 3:
			s.italic = true
		case n == 4:
			s.underline = true
		case n == 22:
			s.bold, s.dim = false, false
		case n == 23:
			s.italic = false
		case n == 24:
			s.underline = false
		case n >= 30 && n <= 37:
			s.fg = palette[n-30]
		case n >= 90 && n <= 97:
			s.fg = palette[n-90+8]
		case n == 39:
			s.fg = ""
		case n >= 40 && n <= 47:
			s.bg = palette[n-40]
		case n == 49:
			s.bg = ""
		case (n == 38 || n == 48) && i+2 < len(codes) && codes[i+1] == "5":
			if c, _ := strconv.Atoi(codes[i+2]); c < len(palette) && n == 38 {
				s.fg = palette[c]
			}
			i += 2
		}
	}
	return s
}

// draw prints the lines, each run of one style as a text of its exact length, so that columns hold in any font.
func draw(lines [][]cell) string {
	for len(lines) > 0 && len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	columns := 80
	for _, line := range lines {
		columns = max(columns, len(line))
	}
	var b strings.Builder
	w, h := float64(columns)*cellWidth+2*margin, float64(len(lines))*lineHeight+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f">`+"\n", w, h, w, h)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", background)
	fmt.Fprintf(&b, `<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" fill="%s">`+"\n", foreground)
	for row, line := range lines {
		for from := 0; from < len(line); {
			to := from + 1
			for to < len(line) && line[to].style == line[from].style {
				to++
			}
			drawRun(&b, row, from, line[from:to])
			from = to
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

func drawRun(b *strings.Builder, row, col int, cells []cell) {
	var text strings.Builder
	for _, c := range cells {
		text.WriteString(c.text)
	}
	x, y, length := margin+float64(col)*cellWidth, margin+float64(row)*lineHeight, float64(len(cells))*cellWidth
	s := cells[0].style
	if s.bg != "" {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, y, length, lineHeight, s.bg)
	}
	if strings.TrimSpace(text.String()) == "" {
		return
	}
	var look string
	for _, l := range []struct {
		on   bool
		attr string
	}{
		{s.fg != "", ` fill="` + s.fg + `"`}, {s.bold, ` font-weight="bold"`}, {s.dim, ` opacity="0.65"`},
		{s.italic, ` font-style="italic"`}, {s.underline, ` text-decoration="underline"`},
	} {
		if l.on {
			look += l.attr
		}
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" xml:space="preserve"%s>%s</text>`+"\n",
		x, y+13.5, length, look, html.EscapeString(text.String()))
}
