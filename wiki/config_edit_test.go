package wiki

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/titanous/json5"
)

func TestSetKey(t *testing.T) {
	a, err := txtar.ParseFile("testdata/setkey.txtar")
	must(t, err)
	files := map[string]string{}
	for _, f := range a.Files {
		files[f.Name] = string(f.Data)
	}
	for _, f := range a.Files {
		name, ok := strings.CutSuffix(f.Name, "/in")
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			keys, value, _ := strings.Cut(strings.TrimSpace(files[name+"/set"]), " = ")
			got, err := editJSON5(f.Data, strings.Split(keys, "."), value)
			must(t, err)
			if string(got) != files[name+"/out"] {
				t.Errorf("got\n%s\nwant\n%s", got, files[name+"/out"])
			}
			again, err := editJSON5(got, strings.Split(keys, "."), value)
			if err != nil || string(again) != string(got) {
				t.Errorf("the second time: %v\n%s", err, again)
			}
		})
	}
}

func TestSetDefaultAgent(t *testing.T) {
	home := filepath.Join(t.TempDir(), "new", ".rig")
	must(t, SetDefaultAgent(home, "pi"))
	must(t, SetDefaultAgent(home, "codex"))
	c, _, err := LoadConfig(home, nil, nil)
	if err != nil || c.DefaultAgent != "codex" {
		t.Fatalf("%v %v", c.DefaultAgent, err)
	}
	fi, err := os.Stat(filepath.Join(home, "config.json5"))
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", fi.Mode(), err)
	}
	if err := SetDefaultAgent(home, "../x"); err == nil {
		t.Error("a path was taken for a name")
	}
	// A link to a file kept elsewhere stays one, and its mode stays.
	kept := filepath.Join(home, "kept.json5")
	must(t, os.Rename(filepath.Join(home, "config.json5"), kept))
	must(t, os.Chmod(kept, 0o640))
	must(t, os.Symlink("kept.json5", filepath.Join(home, "config.json5")))
	must(t, SetDefaultAgent(home, "claude"))
	if fi, _ := os.Lstat(filepath.Join(home, "config.json5")); fi.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if fi, _ := os.Stat(kept); fi.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", fi.Mode())
	}
	if list, _ := os.ReadDir(home); len(list) != 2 {
		t.Errorf("left behind: %v", list)
	}
}

func TestSetKeyRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"broken": "{wiki: [}", "no object": "[1]", "a text in the way": "{wiki: 'x'}"} {
		file := filepath.Join(dir, "config.json5")
		must(t, os.WriteFile(file, []byte(text), 0o600))
		if err := SetDefaultAgent(dir, "pi"); err == nil {
			t.Errorf("%s: no error", name)
		}
		if now, _ := os.ReadFile(file); string(now) != text {
			t.Errorf("%s: written: %s", name, now)
		}
	}
}

func FuzzEditJSON5(f *testing.F) {
	a, err := txtar.ParseFile("testdata/setkey.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range a.Files {
		f.Add(string(file.Data), "it's \"q\"")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		var v any
		if json5.Unmarshal([]byte(text), &v) != nil {
			t.Skip("not JSON5")
		}
		value = strings.ToValidUTF8(value, "?")
		out, err := editJSON5([]byte(text), []string{"wiki", "defaultAgent"}, value)
		if err != nil {
			return // refused; editJSON5 itself proves what it returns
		}
		n, err := readJSON5("x", out)
		if err != nil || n.find("wiki").text("defaultAgent") != value {
			t.Errorf("%q became %q: %v", text, out, err)
		}
	})
}

func TestTrust(t *testing.T) {
	dir := tree(t, "p/local/", "p-old/", "home/")
	rig := filepath.Join(dir, "home", ".rig")
	t.Setenv("HOME", filepath.Join(dir, "home"))
	if Trusted(rig, filepath.Join(dir, "p")) {
		t.Error("trusted before")
	}
	must(t, Trust(rig, filepath.Join(dir, "p")))
	must(t, Trust(rig, filepath.Join(dir, "p")))
	must(t, os.Symlink("p", filepath.Join(dir, "link")))
	for name, want := range map[string]bool{"p": true, "p/local": true, "link/local": true, "p-old": false, "": false} {
		if Trusted(rig, filepath.Join(dir, name)) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	if Trust(rig, dir) == nil || Trust(rig, filepath.Join(dir, "nowhere")) == nil {
		t.Error("a folder that holds home, or is missing, was trusted")
	}
	must(t, os.WriteFile(filepath.Join(rig, "trust.json"), []byte("{"), 0o600))
	if Trusted(rig, filepath.Join(dir, "p")) || Trust(rig, filepath.Join(dir, "p")) == nil {
		t.Error("a broken list was believed")
	}
}
