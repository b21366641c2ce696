package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNvimScreen looks at hunks as a user does: in a real terminal, with the plug-in as a native package and the README's line of set-up.
// With RIG_PICTURE it leaves there what the first Neovim's screen showed, colours included.
func TestNvimScreen(t *testing.T) {
	editors := needed(t, "nvim", "RIG_NVIM")
	rig := build(t)
	picture := os.Getenv("RIG_PICTURE")
	for _, nvim := range filepath.SplitList(editors) {
		t.Run(filepath.Base(filepath.Dir(nvim)), func(t *testing.T) {
			d := newDesk(t, rig)
			d.configure(t, `{wiki: {defaultAgent: "probe"}}`)
			layPlugin(t, d, strings.Contains(version(t, nvim), "v0.10"))
			m := d.screenOf(t, nvim, "concepts/emoji.md")
			m.wait("the page", m.shows("takes one column"))
			m.line(":edit raw/widths.md")
			m.wait("the source", m.shows("An editor that counts"))
			m.press("the server", m.shows("rig: 0 to review"), ":lua=require'rig-wiki.client'.find() and 'rig: 0 to review'", "Enter")
			m.line(":Rig ingest")
			m.wait("the list of hunks", m.shows("new page, +"))
			m.line(":edit concepts/emoji.md | 1")
			m.wait("what would come, below what would go", func() bool { return below(m.screen(), "takes one column", "+ A face") })
			if picture != "" {
				m.press("the float closed", func() bool { return !strings.Contains(m.screen(), "refused Schema.md") }, "j")
				m.save(picture)
				picture = ""
			}
			if got, want := files(t, d.wiki), files(t, "testdata/wiki"); string(got["concepts/emoji.md"]) != string(want["concepts/emoji.md"]) {
				t.Error("drawing changed the page on disk")
			}
			m.text("]r")
			m.text("-a")
			m.wait("the hunk accepted in the page", func() bool {
				return strings.Contains(m.screen(), "takes two columns") && !strings.Contains(m.screen(), "+ A face")
			})
			m.wait("the hunk gone from the list", func() bool { return !strings.Contains(m.screen(), "takes one column") })
			m.press("the page as before", func() bool {
				return bytes.Equal(files(t, d.wiki)["concepts/emoji.md"], files(t, "testdata/wiki")["concepts/emoji.md"]) && m.shows("takes one column")()
			}, ":Rig undo", "Enter")
			m.line(":qall!")
			sameTree(t, "testdata/wiki", d.wiki)
		})
	}
}

// screenOf opens a page in a Neovim whose screen is a terminal. The two are started apart: a Neovim that runs through a loader of its own cannot start
// itself a second time.
func (d desk) screenOf(t *testing.T, nvim, page string) *terminal {
	t.Helper()
	socket := filepath.Join(d.dir, "nvim")
	server := exec.Command(nvim, "--headless", "--listen", socket, page)
	server.Dir, server.Env = d.wiki, d.env("PATH="+filepath.Dir(d.rig)+":"+os.Getenv("PATH"))
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill() // it has ended where all went well
		_ = server.Wait()
	})
	for end := time.Now().Add(hang); !exists(socket); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("Neovim never listened")
		}
	}
	return newTerminal(t, d.wiki, d.env(), nvim, "--server", socket, "--remote-ui")
}

// layPlugin puts the plug-in where native packages lie, and the user's configuration beside it.
func layPlugin(t *testing.T, d desk, old bool) {
	t.Helper()
	plugin, err := filepath.Abs("../nvim")
	if err != nil {
		t.Fatal(err)
	}
	start := filepath.Join(d.home, "data/nvim/site/pack/rig/start")
	for _, dir := range []string{start, filepath.Join(d.home, "config/nvim")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(plugin, filepath.Join(start, "rig-wiki")); err != nil {
		t.Fatal(err)
	}
	setup := "vim.lsp.enable('rig_wiki')\n"
	if old {
		setup = "require('rig-wiki').setup()\n"
	}
	init := setup + "vim.o.termguicolors, vim.o.number, vim.o.swapfile = true, true, false\n" +
		"vim.keymap.set('n', ']r', '<Plug>(RigNext)')\nvim.keymap.set('n', '-a', '<Plug>(RigAccept)')\n"
	if err := os.WriteFile(filepath.Join(d.home, "config/nvim/init.lua"), []byte(init), 0o644); err != nil {
		t.Fatal(err)
	}
}

// below tells whether the line after one text contains another.
func below(screen, first, second string) bool {
	_, rest, ok := strings.Cut(screen, first)
	_, rest, more := strings.Cut(rest, "\n")
	line, _, _ := strings.Cut(rest, "\n")
	return ok && more && strings.Contains(line, second)
}
