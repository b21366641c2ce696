package lsp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

// maxCalls bounds the requests in work at once. Beyond it the reader waits, so that a client that never reads its answers is slowed
// instead of filling our memory (go.lsp.dev/jsonrpc2 v1.0.1 has no bound of its own: 16,351 requests took 400 MB).
const maxCalls = 128

// The codes of LSP's own errors that package protocol does not name.
const (
	codeNotInitialized jsonrpc2.Code = -32002
	codeRequestFailed  jsonrpc2.Code = -32803
)

// codec is the payload codec of package protocol, which does not export its own (v1.0.0).
type codec struct{}

// Marshal encodes v as LSP JSON.
func (codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		if raw == nil {
			return []byte("null"), nil
		}
		return raw, nil
	}
	return protocol.Marshal(v)
}

// Unmarshal decodes LSP JSON into v, which owns what it holds afterwards.
func (codec) Unmarshal(data []byte, v any) error {
	if raw, ok := v.(*jsonrpc2.RawMessage); ok {
		*raw = append(jsonrpc2.RawMessage(nil), data...)
		return nil
	}
	return protocol.Unmarshal(data, v)
}

// method is one LSP method that we serve.
type method struct {
	name  string
	serve func(ctx context.Context, s *server, params jsonrpc2.RawMessage) (any, error)
}

// call makes the entry of a request whose params are a P.
func call[P, R any](name string, f func(*server, context.Context, *P) (R, error)) method {
	return method{name, func(ctx context.Context, s *server, raw jsonrpc2.RawMessage) (any, error) {
		p, err := decode[P](name, raw)
		if err != nil {
			return nil, err
		}
		r, err := f(s, ctx, p)
		if err != nil {
			return nil, err
		}
		return r, nil
	}}
}

// note makes the entry of a notification whose params are a P.
func note[P any](name string, f func(*server, context.Context, *P) error) method {
	return method{name, func(ctx context.Context, s *server, raw jsonrpc2.RawMessage) (any, error) {
		p, err := decode[P](name, raw)
		if err != nil {
			return nil, err
		}
		return nil, f(s, ctx, p)
	}}
}

func decode[P any](name string, raw jsonrpc2.RawMessage) (*P, error) {
	p := new(P)
	if len(raw) == 0 || string(raw) == "null" {
		return p, nil // eglot sends null with shutdown and exit
	}
	if err := protocol.Unmarshal(raw, p); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "params of %s: %v", name, err)
	}
	return p, nil
}

// methods is what we serve: a table of our own, since package protocol's dispatcher ends the connection on an unknown notification, on malformed
// params and on a panic, and answers an unknown request without params with a parse error (v1.0.0).
func methods() []method {
	return []method{
		call(protocol.MethodInitialize, (*server).initialize),
		note(protocol.MethodInitialized, (*server).initialized),
		call(protocol.MethodShutdown, (*server).shutdown),
		note(protocol.MethodExit, (*server).exit),
		{protocol.MethodTextDocumentDidOpen, didOpen},
		note(protocol.MethodTextDocumentDidChange, (*server).didChange),
		note(protocol.MethodTextDocumentDidSave, (*server).didSave),
		note(protocol.MethodTextDocumentDidClose, (*server).didClose),
		note(protocol.MethodWorkspaceDidChangeConfiguration, (*server).didChangeConfiguration),
		note(protocol.MethodWorkspaceDidChangeWorkspaceFolders, (*server).didChangeFolders),
		note(protocol.MethodWorkspaceDidChangeWatchedFiles, (*server).didChangeWatchedFiles),
		note(protocol.MethodWindowWorkDoneProgressCancel, (*server).progressCancel),
		call(protocol.MethodTextDocumentCodeAction, (*server).codeAction),
		{protocol.MethodCodeActionResolve, resolveCodeAction},
		call(protocol.MethodTextDocumentHover, (*server).hover),
		feature(featureCompletion, call(protocol.MethodTextDocumentCompletion, (*server).completion)),
		feature(featureDefinition, call(protocol.MethodTextDocumentDefinition, (*server).definition)),
		feature(featureReferences, call(protocol.MethodTextDocumentReferences, (*server).references)),
		feature(featureRename, call(protocol.MethodTextDocumentPrepareRename, (*server).prepareRename)),
		feature(featureRename, call(protocol.MethodTextDocumentRename, (*server).rename)),
		call(protocol.MethodTextDocumentDiagnostic, (*server).diagnostic),
		call(protocol.MethodWorkspaceWillRenameFiles, (*server).willRenameFiles),
		call(protocol.MethodWorkspaceWillDeleteFiles, (*server).willDeleteFiles),
		feature(featureDocumentLink, call(protocol.MethodTextDocumentDocumentLink, (*server).documentLink)),
		feature(featureDocumentSymbol, call(protocol.MethodTextDocumentDocumentSymbol, (*server).documentSymbol)),
		call(protocol.MethodWorkspaceSymbol, (*server).workspaceSymbol),
		call(protocol.MethodTextDocumentCodeLens, (*server).codeLens),
		call(protocol.MethodWorkspaceExecuteCommand, (*server).executeCommand),
		call(protocol.MethodWorkspaceTextDocumentContent, (*server).textDocumentContent),
	}
}

// handler is the chain: lifecycle, order, concurrency, cancel, panics, errors. Notifications run in line, so that each request sees the
// documents as its sender did; calls run concurrently.
func (s *server) handler() jsonrpc2.Handler {
	table := map[string]method{}
	for _, m := range methods() {
		table[m.name] = m
	}
	slots := make(chan struct{}, maxCalls)
	serve := func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if req.IsCall() {
			defer func() { <-slots }()
		}
		name := strings.Clone(req.Method())
		if err := s.life.admit(name, req.IsCall()); err != nil {
			return nil, err
		}
		m, ok := table[name]
		if !ok {
			return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "unknown method %q", name)
		}
		result, err := s.guard(ctx, m, req.Params())
		return result, mapError(ctx, err)
	}
	async, cancel := jsonrpc2.CancelHandler(jsonrpc2.AsyncHandler(serve))
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		switch {
		case req.IsCall() && req.Method() == protocol.MethodInitialize:
			slots <- struct{}{}
			return serve(ctx, req) // in line: what is sent behind it must find us ready
		case req.IsCall():
			slots <- struct{}{}
			return async(ctx, req)
		case req.Method() == protocol.MethodCancelRequest:
			cancelRequest(req.Params(), cancel)
		default:
			// An error from a notification would end the connection: it is logged and that is all.
			if _, err := serve(ctx, req); err != nil {
				s.log.Debug("notification not handled", zap.String("method", strings.Clone(req.Method())), zap.Error(err))
			}
		}
		return nil, nil
	}
}

// guard serves one message and turns a panic into an error.
func (s *server) guard(ctx context.Context, m method, params jsonrpc2.RawMessage) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic", zap.String("method", m.name), zap.Any("panic", p), zap.ByteString("stack", debug.Stack()))
			result, err = nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "%s: internal error: %v", m.name, p)
		}
	}()
	return m.serve(ctx, s, params)
}

// cancelRequest cancels the request that a client names. Ids that are unknown, null or malformed are ignored.
func cancelRequest(raw jsonrpc2.RawMessage, cancel func(jsonrpc2.ID)) {
	var p protocol.CancelParams
	if err := protocol.Unmarshal(raw, &p); err != nil {
		return
	}
	switch id := p.ID.(type) {
	case protocol.Integer:
		cancel(jsonrpc2.NewNumberID(int64(id)))
	case protocol.String:
		cancel(jsonrpc2.NewStringID(strings.Clone(string(id))))
	}
}

// mapError gives an error the code that LSP has for it; jsonrpc2 v1.0.1 would send code 0.
func mapError(ctx context.Context, err error) error {
	var wire *jsonrpc2.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wire):
		return wire
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return protocol.ErrRequestCancelled
	default:
		return jsonrpc2.NewError(codeRequestFailed, err.Error())
	}
}

// invalid is the error for arguments that cannot be used.
func invalid(format string, a ...any) error {
	return jsonrpc2.NewError(jsonrpc2.InvalidParams, fmt.Sprintf(format, a...))
}
