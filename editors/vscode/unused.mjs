// The features of the language client that rig's server never offers, by their module, with the capability of a server that would need them.
// The tests see to it that the server announces none of these.

export const unused = {
  callHierarchy: 'callHierarchyProvider',
  colorProvider: 'colorProvider',
  declaration: 'declarationProvider',
  documentHighlight: 'documentHighlightProvider',
  foldingRange: 'foldingRangeProvider',
  formatting: 'documentFormattingProvider',
  implementation: 'implementationProvider',
  inlayHint: 'inlayHintProvider',
  inlineCompletion: 'inlineCompletionProvider',
  inlineValue: 'inlineValueProvider',
  linkedEditingRange: 'linkedEditingRangeProvider',
  selectionRange: 'selectionRangeProvider',
  semanticTokens: 'semanticTokensProvider',
  signatureHelp: 'signatureHelpProvider',
  typeDefinition: 'typeDefinitionProvider',
  typeHierarchy: 'typeHierarchyProvider',
};
