package lsp

import (
	"context"

	"github.com/rigwiki/rig/wiki"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// The features that `features.<name>: false` switches off, named after their LSP methods.
const (
	featureHover           = "hover"
	featureCompletion      = "completion"
	featureDefinition      = "definition"
	featureReferences      = "references"
	featureRename          = "rename" // of pages, headings and files
	featureDocumentLink    = "documentLink"
	featureDocumentSymbol  = "documentSymbol"
	featureWorkspaceSymbol = "workspaceSymbol"
	featureDiagnostics     = "diagnostics"
	featureCodeAction      = "codeAction" // quick fixes only: proposals are not to be switched off
)

// feature makes an entry of the methods' table that answers null where the feature is switched off.
func feature(name string, m method) method {
	serve := m.serve
	m.serve = func(ctx context.Context, s *server, raw jsonrpc2.RawMessage) (any, error) {
		if path, ok := filePath(spelledURI(raw)); ok {
			if w, _, ok := s.folders.wikiOf(path); ok && !s.config(w).Feature(name) {
				return nil, nil
			}
		}
		return serve(ctx, s, raw)
	}
	return m
}

// announce adds what a page can be asked for to our capabilities. What the client's own settings switch off is not announced, so that a wiki
// server beside ours is asked alone; what configuration switches off is answered with null.
func (s *server) announce(c *protocol.ServerCapabilities) {
	cfg := wiki.Defaults()
	if own := s.set.section(); own != nil {
		if set, _, err := wiki.LoadConfig("", nil, own); err == nil { // no files: initialize touches none
			cfg = set
		}
	}
	for _, a := range []struct {
		name string
		add  func()
	}{
		{featureHover, func() { c.HoverProvider = protocol.Boolean(true) }},
		{featureCompletion, func() {
			c.CompletionProvider = &protocol.CompletionOptions{TriggerCharacters: []string{"[", "#", "^", "(", "/"}}
		}},
		{featureDefinition, func() { c.DefinitionProvider = protocol.Boolean(true) }},
		{featureReferences, func() { c.ReferencesProvider = protocol.Boolean(true) }},
		{featureRename, func() {
			c.RenameProvider = &protocol.RenameOptions{PrepareProvider: ptr(true)}
			pages := protocol.FileOperationRegistrationOptions{Filters: []protocol.FileOperationFilter{
				{Scheme: ptr("file"), Pattern: protocol.FileOperationPattern{Glob: "**"}}}}
			c.Workspace.FileOperations = &protocol.FileOperationOptions{WillRename: pages, WillDelete: pages}
		}},
		{featureDocumentLink, func() { c.DocumentLinkProvider = &protocol.DocumentLinkOptions{} }},
		{featureDocumentSymbol, func() { c.DocumentSymbolProvider = protocol.Boolean(true) }},
		{featureWorkspaceSymbol, func() { c.WorkspaceSymbolProvider = protocol.Boolean(true) }},
		{featureDiagnostics, func() {
			if s.caps.pulls {
				c.DiagnosticProvider = &protocol.DiagnosticOptions{InterFileDependencies: true}
			}
		}},
	} {
		if cfg.Feature(a.name) {
			a.add()
		}
	}
}
