package lsp

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"
)

// filePath gives the absolute, clean path of a document on disk. ok is false for other schemes (untitled:, git:, rigwiki:, …), whose paths
// uri.FsPath would give as well, for other hosts and for what is no path.
func filePath(raw string) (path string, ok bool) {
	return filePathOn(hostPlatform(), raw)
}

func filePathOn(p uri.Platform, raw string) (string, bool) {
	if len(raw) < 5 || !strings.EqualFold(raw[:5], "file:") { // package uri takes what has no scheme for a file
		return "", false
	}
	raw = "file:" + raw[5:] // a scheme may be written in capitals (RFC 3986, 3.1)
	u, err := uri.Parse(raw)
	if err != nil || !u.IsFile() {
		return "", false
	}
	if a := u.Authority(); a != "" && a != "localhost" {
		return "", false
	}
	if a := u.Authority(); a == "localhost" {
		if u, err = uri.Parse("file://" + strings.TrimPrefix(raw, "file://"+a)); err != nil {
			return "", false
		}
	}
	path := uri.FsPathFor(u, p, false)
	if strings.ContainsRune(path, 0) {
		return "", false
	}
	if p == uri.PlatformWindows {
		return path, len(path) > 2 && path[1] == ':'
	}
	return filepath.Clean(path), filepath.IsAbs(path)
}

func hostPlatform() uri.Platform {
	if filepath.Separator == '\\' {
		return uri.PlatformWindows
	}
	return uri.PlatformPOSIX
}

// pathURI is the URI of a path that no client has named: space, '#', '?', '%' and all that is not ASCII are encoded.
func pathURI(path string) uri.URI { return uri.File(path) }

// below gives the slash-separated path of file relative to dir, "." for dir itself. ok is false where file is not in dir; the border is at a
// separator, so that wiki-old is not in wiki.
func below(dir, file string) (rel string, ok bool) {
	if file == dir {
		return ".", true
	}
	sep := string(filepath.Separator)
	rel, ok = strings.CutPrefix(file, strings.TrimSuffix(dir, sep)+sep)
	return filepath.ToSlash(rel), ok
}

// spelledURI gives textDocument.uri of a message as the client spelled it, "" where there is none. Package uri normalizes what it decodes.
func spelledURI(raw []byte) string {
	var m struct {
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return ""
	}
	return m.TextDocument.URI
}
