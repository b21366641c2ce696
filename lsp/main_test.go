package lsp

import (
	"os"
	"testing"

	"github.com/rigwiki/rig/sandbox"
)

// TestMain lets the test binary be a sandbox's helper.
func TestMain(m *testing.M) {
	if sandbox.Main() {
		return
	}
	os.Exit(m.Run())
}
