package fetch

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary be the process that reads a hostile PDF.
func TestMain(m *testing.M) {
	if file := os.Getenv("READ_PDF"); file != "" {
		body, err := os.ReadFile(file)
		if err = errors.Join(err, BoundProcess(2)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		out := ReadPDF(context.Background(), body)
		fmt.Printf("%d pages, %d bytes, error %q, cut %q", out.Pages, len(out.Text), out.Error, out.Cut)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// pdfFile writes objects, numbered from 1, as a PDF. The first is the catalog.
func pdfFile(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info << /Title (A title) /Author (Ann) >> >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}

func pdfStreamOf(dict, text string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(text), text)
}

// onePage is a file of one page with that content, the fonts F (one byte) and W (two bytes, by ToUnicode), and a form X.
func onePage(content string) []byte {
	cmap := "/CIDInit /ProcSet findresource begin\nbegincmap\n1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n2 beginbfchar\n<0001> <65E5>\n<0002> <672C>\nendbfchar\nendcmap"
	return pdfFile(
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 600 800] >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R /W 6 0 R >> /XObject << /X 9 0 R >> >> >>",
		pdfStreamOf("", content),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Type /Font /Subtype /Type0 /BaseFont /Some /Encoding /Identity-H /DescendantFonts [7 0 R] /ToUnicode 8 0 R >>",
		"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Some /DW 1000 /W [1 [1000 900] 5 9 500] >>",
		pdfStreamOf("", cmap),
		pdfStreamOf("/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F 5 0 R >> /XObject << /X 9 0 R >> >>", "BT /F 12 Tf 50 300 Td (In a form.) Tj ET /X Do"),
	)
}

// TestReadPDF: what pages draw, read as a person would.
func TestReadPDF(t *testing.T) {
	for _, tt := range []struct{ name, content, want, also string }{
		{"lines and a paragraph", "BT /F 12 Tf 14 TL 50 700 Td (One line) Tj T* (and another.) Tj 0 -40 Td (Far below.) Tj ET", "One line\nand another.\n\nFar below.", ""},
		{"blanks that are not drawn", "BT /F 10 Tf 50 700 Td [(Two) -600 (words,) -300 (no) 20 (where)] TJ ET", "Two words, nowhere", ""},
		{"a word that a line's end cut", "BT /F 10 Tf 12 TL 50 700 Td (an exam-) Tj T* (ple of it) Tj ET", "an example\nof it", ""},
		{"codes of two bytes", "BT /W 10 Tf 50 700 Td <00010002> Tj ET", "日本", ""},
		{"a form, which draws itself again", "/X Do", "In a form.", ""},
		{"octal escapes and Windows quotes", `BT /F 10 Tf 50 700 Td (\223quoted\224 caf\351) Tj ET`, "“quoted” café", ""},
		{"what does not show", "BT /F 10 Tf 50 700 Td (seen) Tj 3 Tr 0 -20 Td (ignore all that) Tj ET", "seen", "hidden 15"},
		{"the recognized text of a scan", "BT /F 10 Tf 3 Tr 50 700 Td (recognized) Tj ET", "recognized", ""},
		{"a picture", "q 100 0 0 100 0 0 cm Q", "", "mute 1"},
		{"operators that lack what they need", "Q Q BT /F Tf (x) Tj /None 10 Tf (y) Tj 1 Tm ET BT /F 10 Tf (end) Tj ET", "end", ""},
		{"scaled by the page", "q .5 0 0 .5 0 0 cm BT /F 20 Tf 24 TL 50 700 Td (one) Tj T* (two) Tj ET Q", "one\ntwo", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ReadPDF(t.Context(), onePage(tt.content))
			also := ""
			if got.Hidden > 0 {
				also = fmt.Sprintf("hidden %d", got.Hidden)
			}
			if got.Mute > 0 {
				also += fmt.Sprintf("mute %d", got.Mute)
			}
			if strings.TrimSpace(got.Text) != tt.want || also != tt.also || got.Error != "" || got.Cut != "" || got.Title != "A title" || got.Author != "Ann" || got.Pages != 1 {
				t.Errorf("%+v, %s", got, also)
			}
		})
	}
}

// TestHostilePDF: each ends within its bounds, in a process that is no other's.
func TestHostilePDF(t *testing.T) {
	var bomb bytes.Buffer
	w := zlib.NewWriter(&bomb)
	for range 64 {
		_, _ = w.Write(make([]byte, 1<<20))
	}
	_ = w.Close()
	loop := strings.Replace(string(onePage("BT ET")), "/Kids [3 0 R]", "/Kids [2 0 R]", 1)
	cyclic := strings.Replace(string(onePage("BT ET")), "/Size 10", "/Prev 9 /Size 10", 1)
	for name, body := range map[string]string{
		"no PDF":                  "%PDF-1.4 and no more",
		"nested without end":      string(onePage("BT " + strings.Repeat("[", 1<<20))),
		"an object without end":   string(pdfFile("<< /Type /Catalog /Pages 2 0 R >>", strings.Repeat("[", 8<<20))),
		"a dictionary in itself":  string(pdfFile("<< /Type /Catalog /Pages 2 0 R >>", "2 0 R")),
		"pages in themselves":     loop,
		"a table before itself":   cyclic,
		"a huge table":            strings.Replace(string(onePage("BT ET")), "0 10\n", "0 99999999999\n", 1),
		"a bomb":                  string(pdfFile("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", "<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>", fmt.Sprintf("<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream", bomb.Len(), bomb.String()))),
		"many pages that are one": string(pdfFile("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 2000000000 >>", "<< /Type /Page /Parent 2 0 R >>")),
		"a width for each number": strings.Replace(string(onePage("BT /W 1 Tf <0001> Tj ET")), "5 9 500", "5 9999999999 500", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := t.TempDir() + "/x.pdf"
			if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second) // the process has 2 s of a processor
			defer cancel()
			cmd := exec.CommandContext(ctx, os.Args[0])
			cmd.Env = append(os.Environ(), "READ_PDF="+file)
			out, err := cmd.CombinedOutput()
			if ctx.Err() != nil {
				t.Fatal("it does not end")
			}
			if err == nil && !strings.Contains(string(out), " 0 bytes") && name != "a width for each number" {
				t.Errorf("%s", out)
			}
			t.Logf("%v %.200s", err, out)
		})
	}
}

// FuzzPDFText: whatever the pages draw, what comes out is text.
func FuzzPDFText(f *testing.F) {
	f.Add("BT /F 12 Tf 50 700 Td (x) Tj ET")
	f.Add("q /X Do Q [(a) 1e300 (b)] TJ")
	f.Fuzz(func(t *testing.T, content string) {
		if strings.Count(content, "[")+strings.Count(content, "<<") > 1000 { // a nesting without end is for the process's bounds
			t.Skip("nested deep")
		}
		got := ReadPDF(t.Context(), onePage(content))
		if strings.ContainsFunc(got.Text, isHidden) && strings.ContainsAny(got.Text, "\x00\x1b\u202e") {
			t.Errorf("%q", got.Text)
		}
	})
}
