package wiki

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/wiki/proposal"
)

// tierHost is a host whose state lies where home says, with an agent that changes one page.
func tierHost(t *testing.T, home string) (*Host, Job) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w, _, err := Init(filepath.Join(top, "garden"), InitOptions{})
	must(t, err)
	page := "---\ntype: concept\nsources: [s1]\n---\n# A\n"
	for rel, text := range map[string]string{"garden/raw/s1.md": "# One\n", "garden/concepts/a.md": page, home + "/adapters/one/wire": "#!/bin/sh\n", home + "/adapters/one/run": "#!/bin/sh\necho more >>concepts/a.md\n"} {
		file := filepath.Join(top, rel)
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte(text), 0o755))
	}
	must(t, os.Mkdir(filepath.Join(top, "user"), 0o755))
	h, err := NewHost(Options{RigHome: filepath.Join(top, home), Env: []string{"HOME=" + filepath.Join(top, "user"), "PATH=/usr/bin:/bin"}})
	must(t, err)
	t.Cleanup(func() { must(t, h.Close()) })
	return h, Job{Wiki: w, Op: "ingest", Sources: []string{"raw/s1.md"}, Agent: "one", Again: true, By: "cli"}
}

// TestTierIsToldEverywhere: the tier that doctor's trial and the server's status name is that of the run's report.
func TestTierIsToldEverywhere(t *testing.T) {
	h, job := tierHost(t, "home")
	health, err := h.Doctor(t.Context(), job.Wiki)
	must(t, err)
	for _, again := range []string{"tried", "known"} {
		status, err := h.Sandbox(t.Context(), job.Wiki)
		if err != nil {
			t.Skipf("no sandbox can be had here: %v", err)
		}
		layer, tier, _ := strings.Cut(status, ", tier ")
		if !strings.HasPrefix(health.Sandbox, status) {
			t.Errorf("%s: doctor says %q, status %q", again, health.Sandbox, status)
		}
		rec := h.Run(t.Context(), job, nil)
		if rec.State != proposal.Proposed || !strings.HasPrefix(rec.Confinement, layer+" (tier "+tier+")") {
			t.Errorf("%s: the run says %q, status %q: %s", again, rec.Confinement, status, rec.Message)
		}
	}
}

// TestBrokenTierEndsTheRun: a tier that was found to work and breaks when it is set up ends the run with an error, never with a weaker one; the next run tries what works.
func TestBrokenTierEndsTheRun(t *testing.T) {
	h, job := tierHost(t, "garden/.home") // our state lies in the wiki, where no overlay can be laid over it
	rec := h.Run(t.Context(), job, nil)
	if !strings.Contains(rec.Confinement, "(tier B)") {
		t.Skipf("tier B is not had here: %s %s", rec.Confinement, rec.Message)
	}
	for _, layer := range []string{"auto", ""} { // as the configuration has it, and as an option would
		tiers := h.readTiers()
		for key, tier := range tiers {
			if tier == "B" {
				h.keepTier(key, "A") // as if it had worked, before the wiki came to be as it is
			}
		}
		job.Layer = layer
		rec = h.Run(t.Context(), job, nil)
		if rec.State != proposal.Failed || rec.Exit != ExitFailed || !strings.Contains(rec.Message, "open the sandbox") || len(rec.Files) > 0 || rec.Confinement != "" {
			t.Errorf("%s: %+v", layer, rec)
		}
		if rec = h.Run(t.Context(), job, nil); rec.State != proposal.Proposed || !strings.Contains(rec.Confinement, "(tier B)") {
			t.Errorf("%s: the next run: %s %s %s", layer, rec.State, rec.Confinement, rec.Message)
		}
	}
}
