package main

import (
	"cmp"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/adapters/adaptertest"
)

// fetchCalls are how each agent's model reads a page: its vendor's web tool, or for codex, which has none, its shell.
func fetchCalls() map[string]func(url string) adaptertest.Step {
	tool := func(name string, more map[string]string) func(string) adaptertest.Step {
		return func(url string) adaptertest.Step {
			args := map[string]string{"url": url}
			for k, v := range more {
				args[k] = v
			}
			b, err := json.Marshal(args)
			if err != nil {
				panic(err) // strings always marshal
			}
			return adaptertest.Step{Op: "raw", Name: name, Args: b}
		}
	}
	return map[string]func(string) adaptertest.Step{
		"claude":   tool("WebFetch", map[string]string{"prompt": "What does it say?"}),
		"opencode": tool("webfetch", map[string]string{"format": "markdown"}),
		"acp":      tool("webfetch", map[string]string{"format": "markdown"}),
		"codex": func(url string) adaptertest.Step {
			host, path, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
			addr, port, _ := strings.Cut(host, ":")
			return adaptertest.Step{Op: "bash", Cmd: "exec 3<>/dev/tcp/" + addr + "/" + port + "; printf 'GET /" + path + " HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3"}
		},
	}
}

const fetchedHTML = "<!doctype html><title>Kettles</title><h1>Kettles</h1><p>The kettle sings at ninety degrees, long before it boils.</p>"

// agentFetch has an agent read a page of a server that only the fetch's allow-list names. One without a web tool leaves it to our fetcher.
func agentFetch(t *testing.T, d *desk) {
	page := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, fetchedHTML)
	}))
	if d.agent.name == "claude" { // asks for https, whatever it is told
		page.StartTLS()
		ca := filepath.Join(d.top, "ca.pem")
		d.write(ca, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: page.Certificate().Raw})))
		d.config(`{wiki: {sandbox: {read: ["` + ca + `"]}, agent: {claude: {env: {NODE_EXTRA_CA_CERTS: "` + ca + `"}}}}}`)
	} else {
		page.Start()
	}
	t.Cleanup(page.Close)
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a server that the fetch did not name was reached") }))
	t.Cleanup(other.Close)
	url := page.URL + "/kettles"
	call := fetchCalls()[d.agent.name]
	if call != nil {
		d.prompt("fetch", adaptertest.Script(
			call(strings.Replace(url, "https:", "http:", 1)),
			call(other.URL+"/secret"),
			adaptertest.Step{Op: "write", Path: "kettles.md", Content: "# Kettles\n\nThe kettle sings at ninety degrees, long before it boils.\n"},
			adaptertest.Step{Op: "say", Text: "Done."}))
	}
	w := d.fetchedPage(t, url)
	text, err := os.ReadFile(filepath.Join(d.wiki, w.Path))
	if err != nil || !strings.Contains(string(text), "sings at ninety degrees") {
		t.Fatalf("%v: %s", err, text)
	}
	by := d.agent.name
	if call == nil {
		by = "rig"
	} else if !d.asked("sings at ninety degrees, long") {
		t.Error("what the page says did not reach the model")
	}
	if quoted := strings.ReplaceAll(string(text), `"`, ""); !strings.Contains(quoted, "\nfetcher: "+by+"\n") {
		t.Errorf("not by %s: %s", by, text)
	}
	if err := os.Remove(filepath.Join(d.wiki, w.Path)); err != nil {
		t.Fatal(err)
	}
	d.untouched()
}

// fetchedPage runs the fetch.
func (d *desk) fetchedPage(t *testing.T, url string) (got struct{ Path string }) {
	t.Helper()
	args := []string{"fetch", url, "--allow-private", "--wiki", d.wiki, "--agent", d.agent.name, "--json"}
	if d.agent.model != "" {
		args = append(args, "--model", d.agent.model)
	}
	cmd := d.command(t.Context(), args...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	envelope := struct{ Data *struct{ Path string } }{&got}
	if bad := json.Unmarshal(out, &envelope); err != nil || bad != nil {
		logs, _ := filepath.Glob(filepath.Join(d.rigHome, "runs", "*", "*", "std*.log"))
		for _, name := range logs {
			text, _ := os.ReadFile(name)
			said.WriteString(filepath.Base(name) + ":\n" + string(text[max(0, len(text)-3000):]))
		}
		t.Fatalf("%v: %s\n%s", cmp.Or(err, bad), out, said.String())
	}
	return got
}
