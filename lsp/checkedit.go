package lsp

import (
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// checkEdit looks at an edit before it is sent. Clients fail open on what it finds: VS Code applies an edit with an unknown annotation without
// asking, throws the whole of an edit with overlaps away, and answers that an empty one was not applied.
func checkEdit(e *protocol.WorkspaceEdit) error {
	if len(e.DocumentChanges) == 0 {
		return fmt.Errorf("the edit is empty")
	}
	seen := map[uri.URI]bool{}
	for _, c := range e.DocumentChanges {
		switch c := c.(type) {
		case *protocol.CreateFile:
			if err := annotationDefined(e, c.AnnotationID); err != nil {
				return err
			}
		case *protocol.RenameFile:
			if err := annotationDefined(e, c.AnnotationID); err != nil {
				return err
			}
		case *protocol.DeleteFile:
			if err := annotationDefined(e, c.AnnotationID); err != nil {
				return err
			}
		case *protocol.TextDocumentEdit:
			if seen[c.TextDocument.URI] {
				return fmt.Errorf("%s is edited twice", c.TextDocument.URI)
			}
			seen[c.TextDocument.URI] = true
			var ranges []protocol.Range
			for _, t := range c.Edits {
				switch t := t.(type) {
				case *protocol.TextEdit:
					ranges = append(ranges, t.Range)
				case *protocol.AnnotatedTextEdit:
					ranges = append(ranges, t.Range)
					if err := annotationDefined(e, t.AnnotationID); err != nil {
						return err
					}
				}
			}
			if err := ordered(ranges); err != nil {
				return fmt.Errorf("%s: %w", c.TextDocument.URI, err)
			}
		}
	}
	return nil
}

func annotationDefined(e *protocol.WorkspaceEdit, id protocol.ChangeAnnotationIdentifier) error {
	if id == "" {
		return nil
	}
	if _, ok := e.ChangeAnnotations[id]; !ok {
		return fmt.Errorf("annotation %q is not defined", id)
	}
	return nil
}

// ordered tells whether edits do not overlap. Ranges are half-open: [0,5) and [5,10) touch. Two inserts at one place keep their order; an
// insert must not come after a replacement that starts where it does.
func ordered(ranges []protocol.Range) error {
	for i, r := range ranges {
		if before(r.End, r.Start) {
			return fmt.Errorf("edit %d ends before it starts", i)
		}
		for j, q := range ranges[:i] {
			overlap := before(r.Start, q.End) && before(q.Start, r.End)
			late := r.Start == q.Start && r.Start == r.End && q.Start != q.End
			if overlap || late {
				return fmt.Errorf("edits %d and %d overlap", j, i)
			}
		}
	}
	return nil
}

func before(a, b protocol.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}
