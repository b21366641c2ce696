package lsptest

import "encoding/json"

// Profile is what an editor says it can do.
type Profile struct {
	Name         string // clientInfo.name
	Capabilities json.RawMessage
}

// The profiles, reduced from recorded initialize messages to what matters.
const (
	vscode = `{"workspace":{"applyEdit":true,"configuration":true,"workspaceFolders":true,"workspaceEdit":{"documentChanges":true,
"resourceOperations":["create","rename","delete"],"failureHandling":"textOnlyTransactional","normalizesLineEndings":true,"changeAnnotationSupport":{"groupsOnLabel":true},
"metadataSupport":true},"textDocumentContent":{"dynamicRegistration":true},"codeLens":{"refreshSupport":true}},
"textDocument":{"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":["","quickfix","refactor","source"]}},"tagSupport":{"valueSet":[1]},
"honorsChangeAnnotations":true,"disabledSupport":true,"dataSupport":true},"hover":{"contentFormat":["markdown","plaintext"]},"publishDiagnostics":{"versionSupport":true}},
"window":{"workDoneProgress":true,"showMessage":{},"showDocument":{"support":true}},"general":{"positionEncodings":["utf-16"]}}`
	neovim = `{"workspace":{"applyEdit":true,"configuration":true,"workspaceFolders":true,"workspaceEdit":{"resourceOperations":["rename","create","delete"],
"normalizesLineEndings":true,"changeAnnotationSupport":{"groupsOnLabel":true}}},"textDocument":{"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":["","quickfix","refactor"]}}},
"hover":{"contentFormat":["markdown","plaintext"]},"publishDiagnostics":{}},"window":{"workDoneProgress":true,"showMessage":{},"showDocument":{"support":true}},
"general":{"positionEncodings":["utf-8","utf-16","utf-32"]}}`
	plain   = `{"workspace":{"applyEdit":true,"workspaceEdit":{}},"window":{"showMessage":{}}}`
	noApply = `{"workspace":{"workspaceEdit":{"documentChanges":true,"resourceOperations":["create"]}}}`
)

// VSCode announces annotations, metadata and all file operations; UTF-16.
func VSCode() Profile { return Profile{"Visual Studio Code", json.RawMessage(vscode)} }

// Neovim announces file operations without documentChanges, and annotations that it handles badly; UTF-8.
func Neovim() Profile { return Profile{"Neovim", json.RawMessage(neovim)} }

// Plain can change text and ask, nothing else.
func Plain() Profile { return Profile{"Plain", json.RawMessage(plain)} }

// NoApply cannot apply edits.
func NoApply() Profile { return Profile{"NoApply", json.RawMessage(noApply)} }
