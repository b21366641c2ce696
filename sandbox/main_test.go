package sandbox

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if Main() {
		return
	}
	os.Exit(m.Run())
}
