package lsp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
	"go.uber.org/zap"
)

// shownDoc is a document of a run that is opened for the user.
type shownDoc struct {
	side, name string // rigwiki://<run>.<side>/<name>
	what       string // for messages
	render     func(*proposal.Store, proposal.Record) ([]byte, error)
}

func (d shownDoc) uri(rec proposal.Record) uri.URI { return virtualURI(rec.Run+"."+d.side, "/"+d.name) }

func diffShown(rec proposal.Record) shownDoc {
	return shownDoc{"diff", rec.Op + ".diff", "the diff", diffDocument}
}

func answerShown() shownDoc {
	return shownDoc{"answer", "answer.md", "the answer", func(_ *proposal.Store, rec proposal.Record) ([]byte, error) { return []byte(rec.Answer), nil }}
}

// openDocument shows a document of a run: a virtual one where the client can, else the same text as a file in the run's folder. Where it cannot be
// shown the user is told where it is; a proposal waits meanwhile.
func (s *server) openDocument(ctx context.Context, store *proposal.Store, rec proposal.Record, d shownDoc) {
	target := d.uri(rec)
	if !s.caps.contentScheme {
		path, err := writeDocument(store, rec, d)
		if err != nil {
			s.log.Error("a document cannot be written", zap.String("run", rec.Run), zap.Error(err))
			s.tell(messageError, err.Error())
			return
		}
		target = pathURI(path)
	}
	if s.caps.showDocument {
		r, err := s.client.ShowDocument(ctx, &protocol.ShowDocumentParams{URI: target, TakeFocus: ptr(true)})
		if err == nil && r != nil && r.Success {
			return
		}
	}
	s.tell(messageInfo, fmt.Sprintf("%s of %s is %s", d.what, rec.Title, target))
}

// writeDocument puts a document into the run's folder. One that is there stays: it says the same, or what the user made of it.
func writeDocument(store *proposal.Store, rec proposal.Record, d shownDoc) (string, error) {
	name := filepath.Join(store.Dir(rec.Run), filepath.Base(d.name))
	if exists(name) {
		return name, nil
	}
	text, err := d.render(store, rec)
	if err != nil {
		return "", err
	}
	temp := name + ".new" // a kill must not leave a part of it under its name
	if err := os.WriteFile(temp, text, 0o600); err != nil {
		return "", fmt.Errorf("write %s: %w", d.what, err)
	}
	if err := os.Rename(temp, name); err != nil {
		return "", fmt.Errorf("write %s: %w", d.what, err)
	}
	return name, nil
}

// showAnswer opens what a run answered, for clients without a view of their own.
func (s *server) showAnswer(ctx context.Context, store *proposal.Store, rec proposal.Record) {
	if rec.Answer == "" || s.set.get().Review {
		return
	}
	s.openDocument(ctx, store, rec, answerShown())
}
