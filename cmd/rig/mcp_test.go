package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rigwiki/rig/wiki"
)

// mcpGarden is a wiki with what an agent must not reach beside it and behind links.
func mcpGarden(t *testing.T) (root, home string) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, home = filepath.Join(top, "garden"), filepath.Join(top, "home")
	if err := os.CopyFS(root, os.DirFS("testdata/garden")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"outside/secret.md": "a secret", "garden/.rig/secret.md": "a secret", "garden/concepts/broken.md": "# Broken\n\n[[nowhere]]\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(top, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for to, from := range map[string]string{"garden/concepts/out": "../../outside", "garden/concepts/leak.md": "../../outside/secret.md"} {
		if err := os.Symlink(from, filepath.Join(top, to)); err != nil {
			t.Skip("links cannot be made here:", err)
		}
	}
	return root, home
}

// connect starts a session with a server over a transport.
func connect(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rigMCP is the real server as an agent starts it.
func rigMCP(t *testing.T, root, home string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self)
	c.Args = []string{"rig", "wiki", "mcp", "--wiki", root}
	c.Env = append(os.Environ(), "RIG_HOME="+home)
	c.Stderr = os.Stderr
	return c
}

// called gives a tool's answer as JSON text; bad tells that the tool or the server refused.
func called(t *testing.T, s *mcp.ClientSession, tool string, arguments any) (text string, bad bool) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return err.Error(), true
	}
	for _, c := range r.Content {
		if tc, ok := c.(*mcp.TextContent); ok {
			text += tc.Text
		}
	}
	return text, r.IsError
}

// TestMCP asks everything of the server: over a pipe in this process, and of the real binary.
func TestMCP(t *testing.T) {
	for name, start := range map[string]func(t *testing.T, root, home string) *mcp.ClientSession{
		"pipe": func(t *testing.T, root, home string) *mcp.ClientSession {
			h, err := wiki.NewHost(wiki.Options{RigHome: home})
			if err != nil {
				t.Fatal(err)
			}
			w, err := wiki.Find(root)
			if err != nil {
				t.Fatal(err)
			}
			ours, theirs := mcp.NewInMemoryTransports()
			server, err := mcpServer(h, w).Connect(t.Context(), ours, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := server.Wait(); err != nil {
					t.Error(err)
				}
				if err := h.Close(); err != nil {
					t.Error(err)
				}
			})
			return connect(t, theirs)
		},
		"binary": func(t *testing.T, root, home string) *mcp.ClientSession {
			return connect(t, &mcp.CommandTransport{Command: rigMCP(t, root, home)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			root, home := mcpGarden(t)
			s := start(t, root, home)
			mcpTools(t, s)
			mcpAnswers(t, s, root)
			mcpHostile(t, s)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func mcpTools(t *testing.T, s *mcp.ClientSession) {
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.Annotations == nil || !tool.Annotations.ReadOnlyHint || tool.Description == "" || tool.InputSchema == nil || tool.OutputSchema == nil {
			t.Errorf("%s is not described as a tool that reads", tool.Name)
		}
	}
	if strings.Join(names, " ") != "backlinks lint read search" {
		t.Error(names)
	}
}

func mcpAnswers(t *testing.T, s *mcp.ClientSession, root string) {
	for _, c := range []struct {
		tool string
		args any
		want []string
	}{
		{"search", map[string]any{"terms": "kitchen scraps"}, []string{`"path":"concepts/compost.md"`, `"title":"Compost"`, `Cuttings, leaves and kitchen scraps`}},
		{"search", map[string]any{"terms": `"C++" OR (-x: * NEAR`, "limit": 50}, []string{`"hits":[`}},
		{"search", map[string]any{"terms": ""}, []string{`{"hits":[]}`}},
		{"read", map[string]any{"page": "concepts/shade.md"}, []string{`"path":"concepts/shade.md"`, `"title":"Shade 🌱"`, `The wall keeps the sun`, `"cut":false`}},
		{"read", map[string]any{"page": "[[shade]]", "from": 7, "lines": 1}, []string{`"text":"# Shade 🌱\r\n"`, `"lines":9`}},
		{"read", map[string]any{"page": filepath.Join(root, "concepts", "shade.md")}, []string{`"path":"concepts/shade.md"`}},
		{"backlinks", map[string]any{"page": "shade"}, []string{`{"line":9,"path":"concepts/compost.md","text":"Cuttings, leaves`, `"more":0`}},
		{"lint", map[string]any{}, []string{`{"code":"broken-link","line":3,"message":"no page nowhere","path":"concepts/broken.md","severity":"warning"}`}},
		{"lint", map[string]any{"page": "compost"}, []string{`"findings":[`}},
	} {
		text, bad := called(t, s, c.tool, c.args)
		for _, want := range c.want {
			if bad || !strings.Contains(text, want) {
				t.Errorf("%s %v: refused %v, %s; not in it: %s", c.tool, c.args, bad, text, want)
			}
		}
	}
	// a page that was written since is found at once
	if err := os.WriteFile(filepath.Join(root, "concepts", "mulch.md"), []byte("# Mulch\n\nWoodchips suppress bindweed. [[shade]]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, _ := called(t, s, "search", map[string]any{"terms": "bindweed"}); !strings.Contains(text, "concepts/mulch.md") {
		t.Error(text)
	}
	if text, _ := called(t, s, "backlinks", map[string]any{"page": "shade"}); !strings.Contains(text, "concepts/mulch.md") {
		t.Error(text)
	}
}

// mcpHostile: nothing but pages of the wiki is read, nothing of any size is swallowed, and the server goes on.
func mcpHostile(t *testing.T, s *mcp.ClientSession) {
	for _, page := range []string{"../outside/secret.md", "../outside/secret", "concepts/../../outside/secret.md", "concepts/out/secret.md", "concepts/leak.md", "leak", "out/secret", ".rig/secret.md",
		"/etc/passwd", "file:///etc/passwd", "qmd://x/../../outside/secret.md", `..\outside\secret.md`, "concepts/shade.md\x00.md", "", "nowhere", strings.Repeat("a/", 5000)} {
		for _, tool := range []string{"read", "backlinks"} {
			if text, bad := called(t, s, tool, map[string]any{"page": page}); !bad || strings.Contains(text, "a secret") {
				t.Errorf("%s %.40q: %v %s", tool, page, bad, text)
			}
		}
	}
	for _, c := range []struct {
		tool string
		args any
	}{
		{"search", map[string]any{"terms": strings.Repeat("x ", maxTerms)}}, {"search", map[string]any{"terms": "x", "limit": -1}}, {"search", map[string]any{"terms": "x", "limit": 1 << 30}},
		{"search", map[string]any{"terms": 7}}, {"search", map[string]any{}}, {"search", map[string]any{"terms": "x", "path": "/etc"}}, {"read", map[string]any{"page": "shade", "from": -1}},
		{"lint", map[string]any{"page": "../outside/secret.md"}}, {"write", map[string]any{"page": "shade"}},
	} {
		if text, bad := called(t, s, c.tool, c.args); !bad {
			t.Errorf("%s %.60v was taken: %s", c.tool, c.args, text)
		}
	}
	if text, bad := called(t, s, "search", map[string]any{"terms": "secret"}); bad || strings.Contains(text, "a secret") {
		t.Error(text)
	}
}

// TestMCPFrame: a message beyond all bounds ends the session, not the machine; what is no message too.
func TestMCPFrame(t *testing.T) {
	root, home := mcpGarden(t)
	for name, sent := range map[string]string{"endless line": `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("a", 64<<20), "no JSON": "hello\n", "closed": ""} {
		t.Run(name, func(t *testing.T) {
			c := rigMCP(t, root, home)
			var said bytes.Buffer
			c.Stdin, c.Stdout, c.Stderr = strings.NewReader(sent), &said, &said
			err := c.Run()
			if (err == nil) != (name == "closed") || err != nil && c.ProcessState.ExitCode() != 1 {
				t.Errorf("%v: %.200s", err, said.String())
			}
		})
	}
}

// TestMCPCut: a page that is longer than an answer is told to be cut, at a line.
func TestMCPCut(t *testing.T) {
	root, home := mcpGarden(t)
	if err := os.WriteFile(filepath.Join(root, "concepts", "long.md"), []byte(strings.Repeat("日本語のながい行\n", 20_000)), 0o644); err != nil {
		t.Fatal(err)
	}
	s := connect(t, &mcp.CommandTransport{Command: rigMCP(t, root, home)})
	text, bad := called(t, s, "read", map[string]any{"page": "long"})
	var out readOut
	if err := json.Unmarshal([]byte(text), &out); err != nil || bad || !out.Cut || len(out.Text) > maxPageOut || !strings.HasSuffix(out.Text, "行\n") || out.Lines != 20_000 {
		t.Errorf("%v %v, %d bytes, cut %v, %d lines", err, bad, len(out.Text), out.Cut, out.Lines)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
