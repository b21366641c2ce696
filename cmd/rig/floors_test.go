package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the path of this module.
const module = "github.com/rigwiki/rig/"

// floor is what the packages of one top-level folder may import besides the standard library. Arrows point down only.
type floor struct {
	folder string
	ours   []string // top-level folders of ours
	libs   []string // module paths; a prefix
}

// floors is the house: a library is named where the folder needs it for its job.
func floors() []floor {
	return []floor{
		{"cmd", []string{"lsp", "wiki", "adapters", "sandbox"}, []string{"go.uber.org/zap", "github.com/spf13/cobra", "github.com/schollz/progressbar/v3", "golang.org/x/term", "github.com/modelcontextprotocol/go-sdk"}},
		{"lsp", []string{"wiki"}, []string{"go.lsp.dev/", "go.uber.org/zap"}},
		{"wiki", []string{"wiki", "adapters", "sandbox"}, []string{"github.com/gofrs/flock", "github.com/goccy/go-yaml", "github.com/titanous/json5", "golang.org/x/text", "golang.org/x/sys", "golang.org/x/sync",
			"github.com/yuin/goldmark", "github.com/fsnotify/fsnotify", "codeberg.org/readeck/go-readability/v2", "github.com/ledongthuc/pdf", "github.com/JohannesKaufmann/html-to-markdown/v2", "github.com/gogs/chardet", "golang.org/x/net", "go.lsp.dev/uri"}},
		{"adapters", []string{"adapters"}, []string{"github.com/coder/acp-go-sdk", "github.com/goccy/go-yaml", "github.com/yuin/goldmark", "golang.org/x/text", "github.com/titanous/json5", "golang.org/x/sys"}},
		{"sandbox", []string{"sandbox"}, []string{"github.com/sourcegraph/go-diff", "golang.org/x/sys", "golang.org/x/net", "golang.org/x/sync", "github.com/landlock-lsm/go-landlock", "github.com/elastic/go-seccomp-bpf", "kernel.org/pub/linux/libs/security/libcap/psx"}},
		{"editors", nil, nil},
	}
}

// TestFloors proves that arrows point down only. Tests may reach further: they play users.
func TestFloors(t *testing.T) {
	for _, f := range floors() {
		for file, imports := range sources(t, f.folder) {
			for _, imp := range imports {
				if !f.allows(imp) {
					t.Errorf("%s imports %s, which is not on its floor", file, imp)
				}
			}
		}
	}
}

func (f floor) allows(imp string) bool {
	if rel, ok := strings.CutPrefix(imp, module); ok {
		top, _, _ := strings.Cut(rel, "/")
		return top == f.folder || slices.Contains(f.ours, top)
	}
	if first, _, _ := strings.Cut(imp, "/"); !strings.Contains(first, ".") {
		return true // the standard library
	}
	return slices.ContainsFunc(f.libs, func(lib string) bool {
		return imp == strings.TrimSuffix(lib, "/") || strings.HasPrefix(imp, strings.TrimSuffix(lib, "/")+"/")
	})
}

// TestHouse proves the rest of the house's rules that a machine can see: the top level, a doc.go in every package, no init, no vendor's name above adapters.
func TestHouse(t *testing.T) {
	top, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"cmd", "lsp", "adapters", "sandbox", "wiki", "editors", "docs", ".ci", ".git", "dist", "node_modules"}
	for _, e := range top {
		if e.IsDir() && !slices.Contains(allowed, e.Name()) {
			t.Errorf("the design names no top-level folder %s", e.Name())
		}
	}
	for _, f := range floors() {
		dirs := map[string]bool{}
		for file := range sources(t, f.folder) {
			dirs[path.Dir(file)] = true
			checkFile(t, f, file)
		}
		for dir := range dirs {
			if _, err := os.Stat(filepath.Join("../..", dir, "doc.go")); err != nil {
				t.Errorf("package %s has no doc.go", dir)
			}
		}
	}
}

// checkFile looks for init functions and, above the adapters, for what only they may know.
func checkFile(t *testing.T, f floor, file string) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../..", file), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.Name == "init" && n.Recv == nil {
				t.Errorf("%s has an init function", file)
			}
		case *ast.BasicLit:
			if f.folder != "adapters" && n.Kind == token.STRING && startsVendor(n.Value) {
				t.Errorf("%s names a vendor: %s", file, n.Value)
			}
		}
		return true
	})
}

// startsVendor says whether a string literal is a vendor's name by itself. The default of defaultAgent is data and said so where it stands.
func startsVendor(lit string) bool {
	s, err := strconv.Unquote(lit)
	return err == nil && slices.Contains([]string{"codex", "opencode", "pi", "anthropic", "openai"}, s)
}

// sources are the non-test Go files of a folder with their imports, paths relative to the module.
func sources(t *testing.T, folder string) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	root := filepath.Join("../..", folder)
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		tree, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("../..", p)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(rel)] = []string{}
		for _, imp := range tree.Imports {
			name, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			files[filepath.ToSlash(rel)] = append(files[filepath.ToSlash(rel)], name)
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return files
}
