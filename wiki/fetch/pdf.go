package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"
)

// PDFText is what can be read of a PDF.
type PDFText struct {
	Title  string `json:"title,omitempty"`
	Author string `json:"author,omitempty"`
	Pages  int    `json:"pages"`
	Text   string `json:"text"`            // the pages' lines in the order in which the file draws them, a blank line between paragraphs and pages
	Hidden int    `json:"hidden"`          // letters that no reader sees and that were left out
	Mute   int    `json:"mute"`            // pages without text: pictures
	Cut    string `json:"cut,omitempty"`   // why not all of it is there
	Error  string `json:"error,omitempty"` // why nothing is; Text is "" then
}

// Bounds of one PDF. What they do not hold, as a nesting that ends the stack, ends the process: see [Options].PDF.
const (
	maxPDFPages  = 2000
	maxPDFGlyphs = 4 << 20
	maxPDFSteps  = 50 << 20 // operators of all pages
	maxPDFForms  = 12       // forms within forms
)

// ReadPDF reads the text of a PDF. It may take all of a processor and much memory for a hostile file, and a nesting without end is fatal to the process: it is for
// a process of its own. It never panics; what is wrong is in Error or Cut.
func ReadPDF(ctx context.Context, body []byte) (out PDFText) {
	defer func() {
		if r := recover(); r != nil { // the library panics on what it does not expect
			out.Error = oneLine(fmt.Sprint("the file is broken: ", r), 200)
		}
	}()
	r, err := pdf.NewReader(bytes.NewReader(body), int64(len(body)))
	switch {
	case errors.Is(err, pdf.ErrInvalidPassword):
		return PDFText{Error: "the file needs a password"}
	case err != nil:
		return PDFText{Error: oneLine("the file is broken: "+err.Error(), 200)}
	}
	out.Pages = r.NumPage()
	info := r.Trailer().Key("Info")
	out.Title, out.Author = oneLine(info.Key("Title").Text(), 200), oneLine(info.Key("Author").Text(), 200)
	d := &pdfDrawing{ctx: ctx, ops: pdfOps(), within: map[string]bool{}, fonts: map[string]*pdfFont{}}
	var b strings.Builder
	for n := 1; n <= out.Pages && out.Cut == ""; n++ {
		if n > maxPDFPages {
			out.Cut = fmt.Sprintf("only the first %d of %d pages are read", maxPDFPages, out.Pages)
			break
		}
		shown, hidden, err := d.page(r.Page(n))
		if err != nil {
			out.Cut = fmt.Sprintf("page %d could not be read to its end: %v", n, err)
		}
		if errors.Is(err, errPDFPage) { // the next may be whole
			out.Cut = ""
			out.Mute++
		}
		switch {
		case len(shown) > 0:
			out.Hidden += len(hidden)
		case len(hidden) > 0: // a scan with the text that was recognized in it, drawn so that it does not show
			shown = hidden
		case err == nil:
			out.Mute++
		}
		if text := pdfLines(shown); text != "" {
			b.WriteString(text + "\n\n")
		}
	}
	out.Text = strings.TrimSpace(cleanText(b.String()))
	return out
}

// readPDF takes what f makes of the file; without it, or where it fails, the file is kept as it is, and that is said.
func (p *Page) readPDF(ctx context.Context, f func(ctx context.Context, body []byte) (PDFText, error)) {
	if f == nil {
		p.Notes = append(p.Notes, "the text of a PDF is not taken: the file is kept as it is")
		return
	}
	got, err := f(ctx, p.Raw)
	if err == nil && got.Error != "" {
		err = errors.New(got.Error)
	}
	switch {
	case err != nil:
		p.Notes = append(p.Notes, fmt.Sprintf("the text of the PDF could not be taken (%v): the file is kept as it is", err))
		return
	case letters(got.Text) == 0:
		p.Notes = append(p.Notes, fmt.Sprintf("the PDF has no text in its %d pages, as a scan has: the file is kept as it is", got.Pages))
		return
	}
	p.Text = []byte(got.Text + "\n")
	if letters(got.Title) > 3 && !strings.HasPrefix(strings.ToLower(got.Title), "untitled") {
		p.Title = got.Title
	}
	p.Author = orElse(p.Author, got.Author)
	for _, n := range []struct {
		count int
		say   string
	}{{got.Mute, "%d pages of the PDF have no text that can be read"}, {got.Hidden, "%d letters of the PDF that a reader does not see were left out"}} {
		if n.count > 0 {
			p.Notes = append(p.Notes, fmt.Sprintf(n.say, n.count))
		}
	}
	if got.Cut != "" {
		p.Notes = append(p.Notes, "the text of the PDF is not whole: "+got.Cut)
	}
}
