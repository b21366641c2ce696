// Svg reads what a program wrote to a terminal and draws it as an SVG that scrolls as the terminal did, colours kept.
// It knows what such output uses: SGR colours and weights, carriage returns, and the erasing of a line; other control
// sequences are dropped. Lines come one by one; an empty line is a pause.
//
//	script -qec 'go run ./cmd/rig wiki demo' /dev/null | go run .ci/svg.go >docs/demo.svg
//
// With -still the input is one screen, drawn as it stands.
package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

const (
	cellWidth, lineHeight, margin = 8.4, 18.0, 16.0 // pixels, at a font size of 14
	background, foreground        = "#16181d", "#d7dae0"

	columns, rows          = 112, 36       // of the terminal drawn
	line, pause, lastPause = 0.09, 1.0, 8. // seconds: to the next line, at an empty line, at the end
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
	lines := screen(string(in))
	if len(os.Args) > 1 && os.Args[1] == "-still" {
		fmt.Print(draw(lines, len(lines), ""))
		return
	}
	fmt.Print(draw(lines, rows, scroll(lines)))
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
	var folded [][]cell
	for _, line := range append(lines, line) {
		folded = append(folded, fold(line)...)
	}
	for len(folded) > 0 && len(folded[len(folded)-1]) == 0 {
		folded = folded[:len(folded)-1]
	}
	return folded
}

// fold breaks a line that is too long between words, and indents what follows as the line is.
func fold(line []cell) [][]cell {
	indent := 0
	for indent < len(line) && line[indent].text == " " {
		indent++
	}
	var lines [][]cell
	for len(line) > columns {
		at := columns
		for at > columns/2 && line[at].text != " " {
			at--
		}
		lines = append(lines, line[:at])
		line = slices.Concat(line[:indent:indent], line[at:][min(1, len(line)-at):])
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
		case (n == 38 || n == 48 || n == 58) && i+4 < len(codes) && codes[i+1] == "2":
			switch c := "rgb(" + strings.Join(codes[i+2:i+5], ",") + ")"; n { // 58, the colour of an underline, is not drawn
			case 38:
				s.fg = c
			case 48:
				s.bg = c
			}
			i += 4
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
func draw(lines [][]cell, rows int, animation string) string {
	var b strings.Builder
	w, h := columns*cellWidth+2*margin, float64(rows)*lineHeight+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f">`+"\n", w, h, w, h)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", background)
	fmt.Fprintf(&b, `<clipPath id="screen"><rect y="%.0f" width="%.0f" height="%.0f"/></clipPath>`+"\n", margin, w, float64(rows)*lineHeight)
	fmt.Fprintf(&b, `<g clip-path="url(#screen)" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" fill="%s"><g>`+"\n", foreground)
	b.WriteString(animation)
	for row, l := range lines {
		for from := 0; from < len(l); {
			to := from + 1
			for to < len(l) && l[to].style == l[from].style {
				to++
			}
			drawRun(&b, row, from, l[from:to])
			from = to
		}
	}
	b.WriteString("</g></g>\n</svg>\n")
	return b.String()
}

// scroll is the animation that brings each line in at the bottom. What does not animate shows the first screen.
func scroll(lines [][]cell) string {
	var times, places []string
	at := make([]float64, len(lines))
	total := 0.0
	for i, l := range lines {
		if len(l) == 0 {
			total += pause
		}
		at[i] = total
		total += line
	}
	total += lastPause
	for i := range lines {
		times = append(times, fmt.Sprintf("%.4f", at[i]/total))
		places = append(places, fmt.Sprintf("0 %.0f", float64(rows-i-1)*lineHeight))
	}
	if times[0] != "0.0000" { // the first time must be 0
		times, places = append([]string{"0"}, times...), append([]string{places[0]}, places...)
	}
	return fmt.Sprintf(`<animateTransform attributeName="transform" type="translate" calcMode="discrete" dur="%.1fs" repeatCount="indefinite" keyTimes="%s" values="%s"/>`+"\n",
		total, strings.Join(times, ";"), strings.Join(places, ";"))
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
