package wiki

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/rigwiki/rig/wiki/fetch"
)

// PDFVerb is the hidden verb of our own binary that reads a PDF on standard input and prints what [fetch.ReadPDF] makes of it, as JSON.
const PDFVerb = "__pdf"

// Bounds of the process that reads a PDF.
const (
	pdfPatience = 30 * time.Second
	maxPDFText  = 64 << 20 // of JSON
)

// errPDFProcess is the end of a reader that a file brought down or held up.
var errPDFProcess = errors.New("it takes more time or memory than a PDF may")

// readPDF reads a PDF in a process of its own, without environment, with a bound on time and memory: a hostile file costs that process and nothing else.
func (h *Host) readPDF(ctx context.Context, body []byte) (out fetch.PDFText, err error) {
	ctx, cancel := context.WithTimeout(ctx, pdfPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.self, "wiki", PDFVerb)
	cmd.Env, cmd.Dir, cmd.WaitDelay = []string{"GOMAXPROCS=2"}, os.TempDir(), time.Second
	cmd.Stdin = bytes.NewReader(body)
	var answer bytes.Buffer
	cmd.Stdout = &capped{to: &answer, left: maxPDFText}
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) || ctx.Err() != nil {
			return out, errPDFProcess
		}
		return out, fmt.Errorf("start the reader: %w", err)
	}
	if err := json.Unmarshal(answer.Bytes(), &out); err != nil {
		return out, fmt.Errorf("the reader's answer: %w", err)
	}
	return out, nil
}

// ServePDF is what PDFVerb does. It bounds the process that it runs in.
func ServePDF(ctx context.Context, in io.Reader, out io.Writer) error {
	if err := fetch.BoundProcess(int(pdfPatience / time.Second)); err != nil {
		return err
	}
	body, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read the PDF: %w", err)
	}
	return json.NewEncoder(out).Encode(fetch.ReadPDF(ctx, body))
}

// capped passes on so many bytes, and is an error over them.
type capped struct {
	to   io.Writer
	left int
}

func (c *capped) Write(p []byte) (int, error) {
	if c.left -= len(p); c.left < 0 {
		return 0, errors.New("it says too much")
	}
	return c.to.Write(p)
}
