package lsp

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

// capabilities are what the client can do, as far as it matters to us.
type capabilities struct {
	encoding        protocol.PositionEncodingKind
	name            string // clientInfo.name
	applyEdit       bool
	documentChanges bool // or resource operations, which Neovim announces without it
	operations      map[protocol.ResourceOperationKind]bool
	annotations     bool
	metadata        bool
	confirm         bool // showMessageRequest
	showDocument    bool
	contentScheme   bool // workspace/textDocumentContent
	progress        bool
	configuration   bool
	literals        bool // code actions, not only commands
	llmTag          bool
	refreshLens     bool
	plainHover      bool // no markdown in hovers
	definitionLink  bool // LocationLink
	symbolTree      bool // DocumentSymbol
	pulls           bool // textDocument/diagnostic: then findings about a page's text are not pushed
	refreshPulls    bool // workspace/diagnostic/refresh
	versions        bool // of published diagnostics
}

// neovim tells whether the client is Neovim, which asks once per document for annotated edits, never for file operations, and says "applied"
// either way.
func (c capabilities) neovim() bool { return strings.HasPrefix(strings.ToLower(c.name), "neovim") }

// eglot tells whether the client is eglot, which answers showMessageRequest without announcing it.
func (c capabilities) eglot() bool {
	name := strings.ToLower(c.name)
	return strings.Contains(name, "eglot") || strings.Contains(name, "emacs")
}

func readCapabilities(p *protocol.InitializeParams) capabilities {
	c := capabilities{encoding: protocol.PositionEncodingKindUTF16, operations: map[protocol.ResourceOperationKind]bool{}, name: p.ClientInfo.Name}
	if w := p.Capabilities.Workspace; w != nil {
		c.applyEdit, c.configuration, c.contentScheme = is(w.ApplyEdit), is(w.Configuration), w.TextDocumentContent != nil
		if e := w.WorkspaceEdit; e != nil {
			for _, k := range e.ResourceOperations {
				c.operations[k] = true
			}
			c.documentChanges = is(e.DocumentChanges) || len(c.operations) > 0
			c.annotations = e.ChangeAnnotationSupport != nil
			c.metadata = is(e.MetadataSupport)
		}
		c.refreshLens = w.CodeLens != nil && is(w.CodeLens.RefreshSupport)
		c.refreshPulls = w.Diagnostics != nil && is(w.Diagnostics.RefreshSupport)
	}
	if w := p.Capabilities.Window; w != nil {
		c.progress = is(w.WorkDoneProgress)
		c.confirm = w.ShowMessage != nil || c.eglot()
		c.showDocument = w.ShowDocument != nil && w.ShowDocument.Support
	}
	if g := p.Capabilities.General; g != nil {
		c.encoding = pickEncoding(g.PositionEncodings)
	}
	if t := p.Capabilities.TextDocument; t != nil {
		c.definitionLink = t.Definition != nil && is(t.Definition.LinkSupport)
		c.symbolTree = t.DocumentSymbol != nil && is(t.DocumentSymbol.HierarchicalDocumentSymbolSupport)
		c.pulls = t.Diagnostic != nil
		c.versions = t.PublishDiagnostics != nil && is(t.PublishDiagnostics.VersionSupport)
		if a := t.CodeAction; a != nil {
			c.literals = len(a.CodeActionLiteralSupport.CodeActionKind.ValueSet) > 0
			c.llmTag = slices.Contains(a.TagSupport.ValueSet, protocol.CodeActionTagLLMGenerated)
		}
		if h := t.Hover; h != nil && len(h.ContentFormat) > 0 {
			c.plainHover = !slices.Contains(h.ContentFormat, protocol.MarkupKindMarkdown)
		}
	}
	return c
}

func is(b *bool) bool { return b != nil && *b }

func ptr[T any](v T) *T { return &v }

// initialize reads what the client can do and answers what we can. It touches no wiki: that is what makes it quick on large ones.
func (s *server) initialize(_ context.Context, p *protocol.InitializeParams) (*protocol.InitializeResult, error) {
	s.caps = readCapabilities(p)
	if err := s.set.initial(p.InitializationOptions); err != nil {
		s.log.Warn("initializationOptions", zap.Error(err))
	}
	s.folders.replace(rootsOf(p))
	if pid := p.ProcessID; pid != nil {
		s.watchClient(int(*pid))
	}
	s.background(s.publishUnsaved)
	s.background(s.keepPages)
	s.background(s.watchOthers)
	if s.events != nil {
		s.background(s.tellEvents)
	}
	result := &protocol.InitializeResult{Capabilities: s.offers(), ServerInfo: protocol.ServerInfo{Name: "rig wiki"}}
	if s.version != "" {
		result.ServerInfo.Version = protocol.NewOptional(s.version)
	}
	return result, nil
}

// offers are our capabilities.
func (s *server) offers() protocol.ServerCapabilities {
	c := protocol.ServerCapabilities{
		PositionEncoding: s.caps.encoding,
		TextDocumentSync: &protocol.TextDocumentSyncOptions{OpenClose: ptr(true), Change: ptr(protocol.TextDocumentSyncKindIncremental),
			Save: &protocol.SaveOptions{}},
		CodeActionProvider: s.codeActionOffer(),
		CodeLensProvider:   &protocol.CodeLensOptions{},
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{
			Commands: commandNames(),
		},
		Workspace: &protocol.WorkspaceOptions{
			WorkspaceFolders:    &protocol.WorkspaceFoldersServerCapabilities{Supported: ptr(true), ChangeNotifications: protocol.Boolean(true)},
			TextDocumentContent: &protocol.TextDocumentContentOptions{Schemes: []string{virtualScheme}},
		},
	}
	s.announce(&c)
	return c
}

// initialized asks for the settings.
func (s *server) initialized(context.Context, *protocol.InitializedParams) error {
	s.askSettings()
	return nil
}
