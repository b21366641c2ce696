package e2e

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestPackageList holds editors/vscode/package to the platforms of VS Code, by the names that Go and the marketplace have for them, without building any.
func TestPackageList(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash for the script")
	}
	out, err := exec.Command("bash", "../vscode/package", "--list").Output()
	if err != nil {
		t.Fatal(err)
	}
	known, err := exec.Command("go", "tool", "dist", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"linux-amd64": "linux-x64", "linux-arm64": "linux-arm64", "darwin-amd64": "darwin-x64",
		"darwin-arm64": "darwin-arm64", "windows-amd64": "win32-x64", "windows-arm64": "win32-arm64"}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) != 3 || want[f[0]] != f[1] || !strings.HasPrefix(f[2], "dist/rig-wiki-"+f[1]+"-") || !strings.HasSuffix(f[2], ".vsix") {
			t.Errorf("package --list says %q", line)
			continue
		}
		if !slices.Contains(strings.Fields(string(known)), strings.Replace(f[0], "-", "/", 1)) {
			t.Errorf("Go knows no %s", f[0])
		}
		delete(want, f[0])
	}
	if len(want) > 0 {
		t.Errorf("package --list lacks %v", want)
	}
	if out, err := exec.Command("bash", "../vscode/package", "plan9-amd64").CombinedOutput(); err == nil || !strings.Contains(string(out), "no platform plan9-amd64") {
		t.Errorf("a platform that VS Code does not have: %v, %s", err, out)
	}
}
