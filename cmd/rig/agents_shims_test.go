package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rigwiki/rig/adapters/adaptertest"
)

// A managed home is how a version manager lays claude out below HOME.
type managed struct {
	files map[string]string // programs, and what is no program where the name has no #! in its text
	links map[string]string // name -> where it leads, as the manager writes it
	found string            // what we should start, below HOME
}

// shimmedClaude is the program itself; its interpreter is the manager's.
const shimmedClaude = "case $1 in --*) echo 2.1.197; exit;; esac\ncat >/dev/null\n" +
	`echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"said by '$RUNTIME'"}'` + "\n"

// nodeOf is a node that says whose it is.
func nodeOf(manager string) string { return "#!/bin/sh\nRUNTIME=" + manager + " exec /bin/sh \"$@\"\n" }

func managers() map[string]managed {
	const node, cli = "#!/usr/bin/env node\n", "lib/node_modules/@anthropic-ai/claude-code/cli.js"
	const nvm, fnm = ".nvm/versions/node/v22.3.0/", ".local/share/fnm/node-versions/v22.3.0/installation/"
	return map[string]managed{
		"nvm": {map[string]string{nvm + "bin/node": nodeOf("nvm"), nvm + cli: node + shimmedClaude, ".nvm/versions/node/v9.11.2/bin/claude": "#!/bin/sh\nexit 9\n"},
			map[string]string{nvm + "bin/claude": "../" + cli}, nvm + "bin/claude"},
		"fnm": {map[string]string{fnm + "bin/node": nodeOf("fnm"), fnm + cli: node + shimmedClaude},
			map[string]string{fnm + "bin/claude": "../" + cli}, fnm + "bin/claude"},
		"volta": {map[string]string{".volta/bin/volta-shim": "#!/bin/sh\nPATH=$HOME/.volta/tools/image/node/22.3.0/bin:$PATH exec \"$HOME/.volta/tools/image/packages/cc/" + cli + "\" \"$@\"\n",
			".volta/tools/image/node/22.3.0/bin/node": nodeOf("volta"), ".volta/tools/image/packages/cc/" + cli: node + shimmedClaude},
			map[string]string{".volta/bin/claude": "volta-shim"}, ".volta/bin/claude"},
		"asdf": {map[string]string{".asdf/shims/claude": "#!/usr/bin/env sh\nexec asdf exec \"claude\" \"$@\" # asdf_allow: ' asdf '\n",
			".local/bin/asdf": "#!/bin/sh\nv=$(sed -n 's/^nodejs //p' \"$HOME/.tool-versions\")\nshift 2\nPATH=$HOME/.asdf/installs/nodejs/$v/bin:$PATH exec \"$HOME/.asdf/installs/nodejs/$v/" + cli + "\" \"$@\"\n",
			".tool-versions":  "nodejs 22.3.0\n", ".asdf/installs/nodejs/22.3.0/bin/node": nodeOf("asdf"), ".asdf/installs/nodejs/22.3.0/" + cli: node + shimmedClaude},
			nil, ".asdf/shims/claude"},
		"mise": {map[string]string{".local/bin/mise": "#!/bin/sh\nv=$(sed -n 's/^node = //p' \"$HOME/.config/mise/config.toml\")\nbin=$HOME/.local/share/mise/installs/node/$v\nPATH=$bin/bin:$PATH exec \"$bin/bin/${0##*/}\" \"$@\"\n",
			".config/mise/config.toml": "node = 22\n", ".local/share/mise/installs/node/22/bin/node": nodeOf("mise"), ".local/share/mise/installs/node/22/" + cli: node + shimmedClaude},
			map[string]string{".local/share/mise/shims/claude": "../../../bin/mise", ".local/share/mise/installs/node/22/bin/claude": "../" + cli}, ".local/share/mise/shims/claude"},
	}
}

// TestShims: an editor that was started from a desktop icon has a poor PATH. The agent is found where a version manager put it, and runs in the
// sandbox, where what the manager needs of HOME is to be seen.
func TestShims(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the managers' programs are shell scripts")
	}
	for name, m := range managers() {
		t.Run(name, func(t *testing.T) {
			d := layDesk(t, realAgent{name: "claude", setup: func(d *desk) {
				d.vars[0] = "PATH=/usr/bin:/bin"
				for rel, text := range m.files {
					if interpreter, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(interpreter, "#!") {
						file := adaptertest.Fake(t, filepath.Join(d.homeDir, filepath.Dir(rel)), filepath.Base(rel), "")
						if err := os.WriteFile(file, []byte(interpreter+"\n"+rest), 0o755); err != nil {
							t.Fatal(err)
						}
						continue
					}
					d.home(rel, text)
				}
				for rel, to := range m.links {
					at := filepath.Join(d.homeDir, rel)
					if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.Symlink(to, at); err != nil {
						t.Fatal(err)
					}
				}
			}}, "/nowhere", nil)
			w := d.do(0, "query", "Which?")
			if w.Data.Answer != "said by "+name {
				t.Errorf("%s: %q\n%s", w.Data.State, w.Data.Answer, d.logs(w))
			}
			out, err := d.command(t.Context(), "agent", "list", "--json").Output()
			if at := filepath.Join(d.homeDir, m.found); err != nil || !strings.Contains(string(out), `"path":"`+at+`"`) {
				t.Errorf("%v: %s is not in %s", err, at, out)
			}
		})
	}
}
