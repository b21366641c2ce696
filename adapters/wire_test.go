package adapters

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wireEnv is a user whose rig lies where a shell needs quotes.
func wireEnv(t *testing.T) Env {
	return Env{Self: "/opt/my tools/rig", RigHome: t.TempDir(), Vars: []string{"PATH=/usr/bin:/bin"}}
}

// claudeHooks is our part for claude.
func claudeHooks(env Env) hookFile {
	return hookFile{agent: "claude", command: emitCommand(env, "claude"), events: []hookEvent{{"SessionStart", false}, {"PreToolUse", true}, {"Stop", false}}}
}

// settingsTexts are settings as people have them; in each, wiring must leave every byte and be taken back whole.
var settingsTexts = map[string]string{
	"plain":          "{\n  \"model\": \"opus\"\n}\n",
	"no final line":  "{\n\t\"model\": \"opus\"\n}",
	"one line":       `{"model":"opus","env":{"A":"1"}}`,
	"crlf":           "{\r\n    \"model\": \"opus\"\r\n}\r\n",
	"mark":           "\ufeff{\n  \"model\": \"opus\"\n}\n",
	"comments":       "// mine\n{\n  /* a, \"b\": [ */ \"model\": \"opus\", // why, } ]\n  \"env\": {\"URL\": \"http://x//y\"} // last\n  // end\n}\n// after",
	"trailing comma": "{\n  \"model\": \"opus\", // why\n  \"env\": {\"A\": \"1\",},\n}\n",
	"own hooks":      "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"./guard\"}]} // mine\n    ],\n    \"Notification\": [{\"hooks\": []}]\n  },\n  \"model\": \"opus\"\n}\n",
	"own, commas":    "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"rig wiki lint\"}]},\n    ],\n  },\n}\n",
	"own, one line":  `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}`,
	"spaces":         "{ \"model\" : \"opus\" ,\n\n\n   \"z\":[1,2 , 3]   }\n\n",
}

func TestWireSettings(t *testing.T) {
	for name, before := range settingsTexts {
		t.Run(name, func(t *testing.T) {
			h := claudeHooks(wireEnv(t))
			text, _, err := h.add([]byte(before))
			if err != nil {
				t.Fatal(err)
			}
			if stale, wired, err := h.judge(text); err != nil || !wired || stale != 0 {
				t.Fatalf("wired %v, stale %d, %v\n%s", wired, stale, err, text)
			}
			again, _, err := h.add(text)
			if err != nil || !bytes.Equal(again, text) {
				t.Errorf("a second time: %v\n%s", err, again)
			}
			back, count, err := h.strip(text)
			if err != nil || string(back) != before || count != 3 {
				t.Errorf("taken back: %d, %v\n%q\n%q\nwired:\n%s", count, err, back, before, text)
			}
			if !onlyAdded(before, string(text)) {
				t.Errorf("bytes were lost:\n%s", text)
			}
		})
	}
}

// onlyAdded tells whether text is before with something put in.
func onlyAdded(before, text string) bool {
	for _, c := range []byte(before) {
		i := strings.IndexByte(text, c)
		if i < 0 {
			return false
		}
		text = text[i+1:]
	}
	return true
}

// FuzzWireSettings: whatever can be read is wired and taken back to the byte, but for lists that were empty, which the text alone cannot tell from ours.
func FuzzWireSettings(f *testing.F) {
	for _, text := range settingsTexts {
		f.Add([]byte(text))
	}
	h := hookFile{agent: "claude", command: "rig wiki __emit claude", events: []hookEvent{{"PreToolUse", true}, {"Stop", false}}}
	f.Fuzz(func(t *testing.T, before []byte) {
		_, ours, err := h.strip(before)
		if err != nil || ours > 0 || bytes.Contains(before, []byte("hooks")) {
			return
		}
		root, err := scanSettings(before)
		if err != nil || len(root.members) == 0 {
			return
		}
		text, _, err := h.add(before)
		if err != nil {
			t.Fatalf("%v: %q", err, before)
		}
		if _, wired, err := h.judge(text); err != nil || !wired {
			t.Fatalf("not wired: %v\n%q\n%q", err, before, text)
		}
		if back, _, err := h.strip(text); err != nil || !bytes.Equal(back, before) {
			t.Fatalf("%v\n%q\n%q\n%q", err, before, text, back)
		}
	})
}

// TestWireRepairs: hooks of older binaries, doubled ones and those of events that we no longer ask for go; a neighbour in the same group stays.
func TestWireRepairs(t *testing.T) {
	env := wireEnv(t)
	h := claudeHooks(env)
	before := `{
  "hooks": {
    "PreToolUse": [
      {"matcher": "*", "hooks": [{"type": "command", "command": "/old/rig wiki __emit claude"}, {"type": "command", "command": "./guard"}]},
      {"matcher": "*", "hooks": [{"type": "command", "command": "'/other place/rig' wiki __emit claude 2>/dev/null || :"}]}
    ],
    "SubagentStop": [{"hooks": [{"type": "command", "command": "rig wiki __emit claude"}]}]
  }
}
`
	text, notes, err := h.add([]byte(before))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "__emit claude"); n != 3 || !strings.Contains(string(text), `{"type": "command", "command": "./guard"}`) || strings.Contains(string(text), "SubagentStop") {
		t.Errorf("%d hooks of ours:\n%s", n, text)
	}
	if !strings.Contains(strings.Join(notes, "; "), "3 hooks of an older wiring") {
		t.Errorf("notes %q", notes)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Error(err)
	}
}

func TestWireBroken(t *testing.T) {
	for _, c := range []struct {
		text         string
		line, column int
	}{
		{"{\n  \"a\": 1\n  \"b\": 2\n}\n", 3, 3},
		{"{\n  'a': 1\n}\n", 2, 3},
		{"{\n  \"é\": tru\n}", 2, 11},
		{"{\n  \"a\": 1", 2, 9},
		{"{\n /* never closed\n}", 2, 2},
		{"[]", 1, 1},
		{"{\"hooks\": []}", 1, 11},
		{"{\n\"hooks\": {\"Stop\": {}}}", 2, 19},
		{"{} {}", 1, 4},
	} {
		dir := t.TempDir()
		put(t, dir, ".claude/settings.json", c.text)
		for _, remove := range []bool{false, true} {
			_, err := claude{}.Wire(t.Context(), WireRequest{Project: dir, Remove: remove, Env: wireEnv(t)})
			var broken *SettingsError
			if !errors.As(err, &broken) || broken.Line != c.line || broken.Column != c.column || broken.File != filepath.Join(dir, ".claude/settings.json") {
				t.Errorf("%q: %v, want %d:%d", c.text, err, c.line, c.column)
			}
			if got := get(t, dir, ".claude/settings.json"); got != c.text {
				t.Errorf("it was changed: %q", got)
			}
		}
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// tree is every path below a folder with its mode and text.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		text := ""
		if fi.Mode().IsRegular() {
			text = get(t, filepath.Dir(p), e.Name())
		}
		b.WriteString(strings.TrimPrefix(p, dir) + " " + fi.Mode().String() + " " + text + "\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestWireProject wires every agent into projects and takes it back, with what each project had before.
func TestWireProject(t *testing.T) {
	for name, have := range map[string]map[string]string{
		"bare":       {"README.md": "x"},
		"empty file": {".claude/settings.json": "", ".codex/hooks.json": "\n"},
		"empty":      {".claude/settings.json": "{}", ".codex/hooks.json": "{\n}\n", ".opencode/opencode.json": "{}"},
		"empty list": {".claude/settings.json": "{\"hooks\": {\"Stop\": [ ], \"PreToolUse\": []}}\n", ".codex/hooks.json": "{\"hooks\":{}}"},
		"own":        {".claude/settings.json": settingsTexts["comments"], ".opencode/plugin/other.js": "y", ".pi/extensions/mine.ts": "z"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, env := t.TempDir(), wireEnv(t)
			for file, text := range have {
				put(t, dir, file, text)
			}
			before := tree(t, dir)
			do := func(w WireRequest) (statuses []string) {
				t.Helper()
				w.Project, w.Env = dir, env
				for _, a := range []Adapter{claude{}, codex{}, opencode{}, pi{}} {
					report, err := a.Wire(t.Context(), w)
					if err != nil {
						t.Fatalf("%s: %v", a.Name(), err)
					}
					statuses = append(statuses, report.Status)
				}
				return statuses
			}
			if got := do(WireRequest{DryRun: true}); strings.Join(got, " ") != "fixed fixed fixed fixed" || tree(t, dir) != before {
				t.Errorf("dry run %v:\n%s", got, tree(t, dir))
			}
			if got := do(WireRequest{}); strings.Join(got, " ") != "fixed fixed fixed fixed" {
				t.Error(got)
			}
			wired := tree(t, dir)
			if got := do(WireRequest{}); strings.Join(got, " ") != "ok ok ok ok" || tree(t, dir) != wired {
				t.Errorf("again: %v", got)
			}
			env.Self = "/elsewhere/rig" // the binary moved: entries are repaired
			if got := do(WireRequest{}); strings.Join(got, " ") != "fixed fixed fixed fixed" {
				t.Error(got)
			}
			if now := tree(t, dir); strings.Contains(now, "/opt/my tools") || strings.Count(now, "__emit claude") != 6 {
				t.Errorf("not repaired:\n%s", now)
			}
			do(WireRequest{Remove: true, DryRun: true})
			if got := do(WireRequest{Remove: true}); strings.Join(got, " ") != "fixed fixed fixed fixed" {
				t.Error(got)
			}
			if after := tree(t, dir); after != before {
				t.Errorf("not taken back:\n%s\nwas\n%s", after, before)
			}
			if got := do(WireRequest{Remove: true}); strings.Join(got, " ") != "ok ok ok ok" {
				t.Error(got)
			}
		})
	}
}

// TestWireLinks: links inside the project are followed and stay, those out of it are refused.
// TestWireRewritten: settings that stood there before, and that another program wrote anew since they were wired, are not removed with our part.
func TestWireRewritten(t *testing.T) {
	dir, env := t.TempDir(), wireEnv(t)
	put(t, dir, ".claude/settings.json", "{}\n")
	do := func(w WireRequest) {
		t.Helper()
		w.Project, w.Env = dir, env
		if _, err := (claude{}).Wire(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	rewrite := func() {
		t.Helper()
		var any any
		text, err := os.ReadFile(filepath.Join(dir, ".claude/settings.json"))
		if err == nil {
			err = json.Unmarshal(text, &any)
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err = json.MarshalIndent(any, "", "    ")
		if err != nil {
			t.Fatal(err)
		}
		put(t, dir, ".claude/settings.json", string(text))
	}
	do(WireRequest{})
	rewrite()
	env.Self = "/elsewhere/rig" // repaired, and written anew once more
	do(WireRequest{})
	rewrite()
	do(WireRequest{Remove: true})
	if text, err := os.ReadFile(filepath.Join(dir, ".claude/settings.json")); err != nil || strings.TrimSpace(string(text)) != "{}" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestWireLinks(t *testing.T) {
	outside := t.TempDir()
	put(t, outside, "settings.json", "{\"a\": 1}\n")
	for name, lay := range map[string]func(dir string) error{
		"file out": func(dir string) error {
			return os.Symlink(filepath.Join(outside, "settings.json"), filepath.Join(dir, ".claude/settings.json"))
		},
		"dangling out": func(dir string) error {
			return os.Symlink("../../nowhere.json", filepath.Join(dir, ".claude/settings.json"))
		},
		"folder out": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, ".claude")), os.Symlink(outside, filepath.Join(dir, ".claude")))
		},
	} {
		dir := t.TempDir()
		if err := errors.Join(os.Mkdir(filepath.Join(dir, ".claude"), 0o755), lay(dir)); err != nil {
			t.Fatal(err)
		}
		if _, err := (claude{}).Wire(t.Context(), WireRequest{Project: dir, Env: wireEnv(t)}); err == nil {
			t.Errorf("%s: it was followed", name)
		}
		if got := get(t, outside, "settings.json"); got != "{\"a\": 1}\n" {
			t.Errorf("%s: outside was written: %q", name, got)
		}
	}
	dir, env := t.TempDir(), wireEnv(t)
	put(t, dir, "shared/claude.json", "{\"a\": 1}\n")
	if err := errors.Join(os.Mkdir(filepath.Join(dir, ".claude"), 0o755), os.Symlink("../shared/claude.json", filepath.Join(dir, ".claude/settings.json"))); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	if _, err := (claude{}).Wire(t.Context(), WireRequest{Project: dir, Env: env}); err != nil || !strings.Contains(get(t, dir, "shared/claude.json"), "__emit claude") {
		t.Errorf("%v: %s", err, tree(t, dir))
	}
	if _, err := (claude{}).Wire(t.Context(), WireRequest{Project: dir, Env: env, Remove: true}); err != nil || tree(t, dir) != before {
		t.Errorf("%v: %s", err, tree(t, dir))
	}
}

// TestWireForeign: a plug-in of somebody else's that has our name is left alone.
func TestWireForeign(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, ".opencode/plugin/rig.js", "export const Mine = 1\n")
	if _, err := (opencode{}).Wire(t.Context(), WireRequest{Project: dir, Env: wireEnv(t)}); !errors.Is(err, errForeign) {
		t.Error(err)
	}
	report, err := opencode{}.Wire(t.Context(), WireRequest{Project: dir, Remove: true, Env: wireEnv(t)})
	if err != nil || report.Status != "ok" || get(t, dir, ".opencode/plugin/rig.js") != "export const Mine = 1\n" {
		t.Errorf("%+v, %v", report, err)
	}
}
