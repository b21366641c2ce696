package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

//go:embed demo
var demoFiles embed.FS

// demoCmd is `rig wiki demo`: the whole path on a small wiki, with no agent, no key and no network.
func (a *app) demoCmd() *cobra.Command {
	var keep string
	c := &cobra.Command{Use: "demo", Short: "Show a run from code action to undo, on a small wiki", Args: args(cobra.NoArgs), RunE: func(c *cobra.Command, _ []string) error {
		ctx, cancel := context.WithTimeout(c.Context(), 2*time.Minute)
		defer cancel()
		dir, err := a.demoDir(keep)
		if err != nil {
			return err
		}
		if keep == "" {
			defer os.RemoveAll(dir)
		}
		d := &demo{app: a, out: answer{a}, dir: dir, wiki: filepath.Join(dir, "tea-room"), colour: terminal(a.out) || a.getenv("CLICOLOR_FORCE") == "1"}
		if a.flags.json != "" {
			d.out = io.Discard
		}
		err = d.play(ctx)
		if err != nil && strings.Contains(err.Error(), syscall.ENOSPC.Error()) { // the child tells it in words
			return fail(wiki.ExitFailed, otherFolder, "%v", err)
		}
		return err
	}}
	c.Flags().StringVar(&keep, "keep", "", "lay the demo out in this new folder and leave it there")
	return c
}

const otherFolder = "set TMPDIR to a folder with room that you may write, or name a new one with --keep DIR"

func (a *app) demoDir(keep string) (string, error) {
	if keep == "" {
		dir, err := os.MkdirTemp(a.abs(os.TempDir()), "rig-demo-")
		if err != nil {
			return "", fail(wiki.ExitFailed, otherFolder, "lay out the demo: %v", err)
		}
		return filepath.EvalSymlinks(dir)
	}
	if err := os.Mkdir(a.abs(keep), 0o755); err != nil {
		return "", fail(wiki.ExitUsage, "name a folder that does not exist", "lay out the demo: %v", err)
	}
	return filepath.EvalSymlinks(a.abs(keep))
}

// demo is one showing.
type demo struct {
	app       *app
	out       io.Writer
	dir, wiki string
	colour    bool
	editor    *editor
	step      int
}

// play is the story.
func (d *demo) play(ctx context.Context) error {
	if err := d.layOut(); err != nil {
		return err
	}
	before, err := d.bytes()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	env := append(slices.DeleteFunc(slices.Clone(d.app.env), func(kv string) bool { return strings.HasPrefix(kv, "RIG_HOME=") }), "RIG_HOME="+filepath.Join(d.dir, "rig-home"))
	var log bytes.Buffer
	if d.editor, err = startEditor(ctx, self, d.wiki, env, &log); err != nil {
		return fmt.Errorf("%w\n%s", err, log.String())
	}
	err = d.scenes(ctx, before)
	if cerr := d.editor.close(ctx); err == nil && cerr != nil {
		err = fmt.Errorf("stop the language server: %w", cerr)
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, log.String())
	}
	d.app.data = map[string]any{"scenes": d.step}
	return nil
}

func (d *demo) scenes(ctx context.Context, before map[string]string) error {
	d.head("A wiki about tea: pages that an agent writes, raw/ with sources that nobody edits")
	d.line("laid out in %s; the language server `rig wiki lsp` runs as a child, this program plays the editor", d.wiki)
	run, err := d.ingest(ctx)
	if err != nil {
		return err
	}
	if err := d.hover(ctx); err != nil {
		return err
	}
	if err := d.careless(ctx); err != nil {
		return err
	}
	if err := d.undo(ctx, run, before); err != nil {
		return err
	}
	d.farewell()
	return nil
}

// layOut writes the embedded wiki and the careless agent.
func (d *demo) layOut() error {
	tree, err := fs.Sub(demoFiles, "demo/wiki")
	if err != nil {
		return err
	}
	if err := os.CopyFS(d.wiki, tree); err != nil {
		return err
	}
	dir := filepath.Join(d.dir, "rig-home", "adapters", "careless")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	script, err := demoFiles.ReadFile("demo/careless.sh")
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, "run"), script, 0o755), os.WriteFile(filepath.Join(dir, "wire"), []byte("#!/bin/sh\nexit 0\n"), 0o755))
}

// bytes are the wiki's files by path.
func (d *demo) bytes() (map[string]string, error) {
	m := map[string]string{}
	err := fs.WalkDir(os.DirFS(d.wiki), ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(d.wiki, p))
		m[p] = string(text)
		return err
	})
	return m, err
}

// ingest is the first scene: code action, run, preview, apply.
func (d *demo) ingest(ctx context.Context) (run string, err error) {
	d.head("The light bulb on raw/cold-brewing.md")
	uri := fileURI(filepath.Join(d.wiki, "raw", "cold-brewing.md"))
	zero := map[string]int{"line": 0, "character": 0}
	var actions []struct {
		Title   string
		Command struct {
			Command   string
			Arguments []map[string]any
		}
	}
	if err := d.editor.request(ctx, "textDocument/codeAction", map[string]any{"textDocument": map[string]string{"uri": uri}, "range": map[string]any{"start": zero, "end": zero},
		"context": map[string]any{"diagnostics": []any{}}}, &actions); err != nil {
		return "", err
	}
	for _, act := range actions {
		d.line("· %s", act.Title)
	}
	if len(actions) == 0 || len(actions[0].Command.Arguments) == 0 {
		return "", errors.New("the server offers no action on a source")
	}
	d.head("You choose it. The agent is `builtin`: no model, it picks the sentences that carry the text")
	shown, apply := make(chan workspaceEdit, 1), make(chan struct{})
	d.editor.answerEdits(func(params json.RawMessage) bool {
		var w workspaceEdit
		if err := json.Unmarshal(params, &w); err != nil {
			return false
		}
		shown <- w
		select {
		case <-apply:
			return w.apply() == nil
		case <-ctx.Done():
			return false
		}
	})
	arg := maps.Clone(actions[0].Command.Arguments[0])
	arg["agent"] = "builtin"
	if run, err = d.start(ctx, actions[0].Command.Command, arg); err != nil {
		return "", err
	}
	if _, err := d.follow(ctx, run, proposal.Proposed); err != nil {
		return "", err
	}
	d.head("What comes back is a workspace edit. Your editor previews it in groups")
	select {
	case w := <-shown:
		d.groups(w)
	case <-ctx.Done():
		return "", ctx.Err()
	}
	d.head("The same as a diff")
	if err := d.diff(ctx, run); err != nil {
		return "", err
	}
	d.head("You tick everything and apply. The server reads the pages back instead of believing the editor")
	close(apply)
	_, err = d.follow(ctx, run, proposal.Applied, proposal.Partly)
	return run, err
}

// runNote is the parameters of rigwiki/run.
type runNote struct {
	Run, Title, Message string
	State               proposal.State
	Proposal            *struct {
		Refused []proposal.Refusal
	}
}

// start executes a command that starts a run.
func (d *demo) start(ctx context.Context, command string, arg map[string]any) (string, error) {
	var answer struct{ Run string }
	start := time.Now()
	if err := d.editor.command(ctx, command, arg, &answer); err != nil {
		return "", err
	}
	d.line("answered after %s: run %s", time.Since(start).Round(100*time.Microsecond), answer.Run)
	return answer.Run, nil
}

// follow shows a run's states and events until it is in one of the states.
func (d *demo) follow(ctx context.Context, run string, until ...proposal.State) (runNote, error) {
	said := ""
	for {
		select {
		case <-ctx.Done():
			return runNote{}, ctx.Err()
		case m, ok := <-d.editor.notes:
			if !ok {
				return runNote{}, errors.New("the language server ended")
			}
			var n runNote
			if m.Method != "rigwiki/run" || json.Unmarshal(m.Params, &n) != nil || n.Run != run {
				continue
			}
			if text := string(n.State) + ": " + n.Message; text != said {
				d.dim("  %s", text)
				said = text
			}
			switch {
			case slices.Contains(until, n.State):
				return n, nil
			case n.State == proposal.Failed, n.State == proposal.Empty:
				return n, fmt.Errorf("the run ended as %s: %s", n.State, n.Message)
			}
		}
	}
}

// hover is the second scene.
func (d *demo) hover(ctx context.Context) error {
	d.head("You rest the pointer on [[water-temperature]] in overview.md")
	page := filepath.Join(d.wiki, "overview.md")
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	line, column := 0, 0
	for i, l := range strings.Split(string(text), "\n") {
		if at := strings.Index(l, "[[water-temperature]]"); at >= 0 {
			line, column = i, at+3
		}
	}
	uri := fileURI(page)
	if err := d.editor.send(map[string]any{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": map[string]any{"textDocument": map[string]any{
		"uri": uri, "languageId": "markdown", "version": 1, "text": string(text)}}}); err != nil {
		return err
	}
	var hover *struct{ Contents struct{ Value string } }
	if err := d.editor.request(ctx, "textDocument/hover", map[string]any{"textDocument": map[string]string{"uri": uri}, "position": map[string]int{"line": line, "character": column}}, &hover); err != nil {
		return err
	}
	if hover == nil {
		return errors.New("the server has no hover on a wikilink")
	}
	fmt.Fprint(d.out, indent(strings.TrimRight(hover.Contents.Value, "\n")+"\n"))
	return d.editor.send(map[string]any{"jsonrpc": "2.0", "method": "textDocument/didClose", "params": map[string]any{"textDocument": map[string]string{"uri": uri}}})
}

// careless is the third scene: an agent that does what no run may.
func (d *demo) careless(ctx context.Context) error {
	d.head("A careless agent: one good edit, and three things that no run may do")
	d.editor.answerEdits(func(json.RawMessage) bool { return false }) // the user closes the preview
	uri := fileURI(filepath.Join(d.wiki, "raw", "hard-water.md"))
	run, err := d.start(ctx, "rigwiki.ingest", map[string]any{"uri": uri, "agent": "careless"})
	if err != nil {
		return err
	}
	rec, err := d.follow(ctx, run, proposal.Proposed)
	if err != nil {
		return err
	}
	if rec.Proposal == nil || len(rec.Proposal.Refused) == 0 {
		return errors.New("nothing was refused")
	}
	for _, r := range rec.Proposal.Refused {
		d.line("refused  %s (%s): %s", quoteName(r.Path), r.Rule, r.Reason)
	}
	d.line("the good edit waits as a proposal; you discard it")
	return d.editor.command(ctx, "rigwiki.proposal.discard", map[string]any{"run": run, "reason": "not worth keeping"}, nil)
}

// undo is the last scene.
func (d *demo) undo(ctx context.Context, run string, before map[string]string) error {
	d.head("You take the first run back")
	undone := make(chan bool, 1)
	d.editor.answerEdits(func(params json.RawMessage) bool {
		var w workspaceEdit
		ok := json.Unmarshal(params, &w) == nil && w.apply() == nil
		undone <- ok
		return ok
	})
	if err := d.editor.command(ctx, "rigwiki.run.undo", map[string]any{"run": run}, nil); err != nil {
		return err
	}
	select {
	case <-undone:
	case <-ctx.Done():
		return ctx.Err()
	}
	after, err := d.bytes()
	if err != nil {
		return err
	}
	if !maps.Equal(before, after) {
		return errors.New("the undo did not restore every byte")
	}
	d.line("%s, each byte for byte as before", plural(len(after), "file"))
	return nil
}

func (d *demo) farewell() {
	d.head("The same with your own wiki")
	d.line("terminal   rig wiki init; put a document into raw/; rig wiki ingest raw/<name>")
	d.line("VS Code    install the extension of editors/vscode, open a file of raw/, press Ctrl+.")
	d.line("Neovim     add editors/nvim to the runtime path, vim.lsp.enable('rig_wiki'), :Rig ingest")
	d.line("an agent   rig wiki agent list; rig wiki agent use claude")
}
