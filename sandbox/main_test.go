package sandbox

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if Main() || attemptMain() || fetchMain() || serverMain() || renamesMain() || hardshipMain() || foreignMain() || unlockedMain() {
		return
	}
	os.Exit(m.Run())
}
