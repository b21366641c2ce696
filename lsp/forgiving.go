package lsp

import (
	"context"
	"errors"

	"go.lsp.dev/jsonrpc2"
)

// forgiving is a stream that answers a body which is no message, instead of ending the session over it, as the library does (jsonrpc2 v1.0.1): the frame
// is whole, so the next one can be read, and an editor's unsaved pages and waiting questions are worth more than the point. Batches, which LSP does not
// have, are such bodies.
type forgiving struct{ jsonrpc2.Stream }

// Read gives the next message.
func (f forgiving) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	for {
		msg, n, err := f.Stream.Read(ctx)
		var wire *jsonrpc2.Error
		if !errors.As(err, &wire) {
			return msg, n, err
		}
		if _, err := f.Write(ctx, jsonrpc2.NewResponse(jsonrpc2.ID{}, nil, wire)); err != nil { // whose question it was cannot be known: the id is null
			return nil, 0, err
		}
	}
}
