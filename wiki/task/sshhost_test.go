package task

import (
	"os"
	"path/filepath"
	"testing"
)

const sshConfigText = `# mine
Match exec "touch ran"
  HostName evil.example
Host other
  HostName other.example
Host work gh-* !gh-not
  User git
  HostName=github.com
  ProxyCommand touch ran
HOST "quoted"
	hostname "ghe.example"
Include more/*.conf nowhere
Match originalhost matched,alike
  HostName matched.example
Host short
  HostName %h.example
Host loop
  Include config
`

// A repository behind an alias of ssh is on the server that the alias stands for; reading the configuration runs nothing.
func TestSSHHost(t *testing.T) {
	home := t.TempDir()
	write := func(name, text string) {
		p := filepath.Join(home, ".ssh", name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"work": "work", "github.com": "github.com"} {
		if got := sshHost(home, name); got != want {
			t.Errorf("without a file: %s: %s", name, got)
		}
	}
	write("config", sshConfigText)
	write("more/a.conf", "Hostname too.late\nHost included\r\n  HostName included.example\r\n")
	t.Chdir(home)
	for name, want := range map[string]string{"work": "github.com", "WORK": "github.com", "gh-me": "github.com", "gh-not": "gh-not", "quoted": "ghe.example", "matched": "matched.example", "alike": "matched.example",
		"short": "short.example", "loop": "loop", "github.com": "github.com", "worker": "worker"} {
		if got := sshHost(home, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(home, "ran")); err == nil {
		t.Error("the configuration was run")
	}
}

func TestGitHubNameOfAlias(t *testing.T) {
	b := newBench(t)
	b.write(".ssh/config", "Host forge\n  HostName github.com\nHost evil\n  HostName a/b\n")
	r := b.open()
	for raw, want := range map[string]string{"git@forge:tea/pot.git": "github.com/tea/pot", "ssh://git@forge/tea/pot": "github.com/tea/pot", "git@nobody:tea/pot": "", "https://forge/tea/pot": "forge/tea/pot", "git@evil:tea/pot": "",
		"git@-oProxyCommand=x:tea/pot": ""} {
		b.do(b.repo, "config", "remote.origin.url", raw)
		if got := r.GitHubName(t.Context()); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

func FuzzSSHConfig(f *testing.F) {
	f.Add(sshConfigText, "work")
	f.Fuzz(func(t *testing.T, text, name string) {
		home := t.TempDir()
		if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, ".ssh", "config"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_ = sshHost(home, name)
	})
}
