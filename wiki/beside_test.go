package wiki

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestMakeBeside: runs that begin while others end get their folders, though the last to go takes the folder around them away.
func TestMakeBeside(t *testing.T) {
	around := filepath.Join(t.TempDir(), "a", "wiki")
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			dir := filepath.Join(around, string(rune('a'+n)))
			for range 500 {
				if err := makeBeside(dir); err != nil {
					t.Error(err)
					return
				}
				if err := os.RemoveAll(dir); err != nil {
					t.Error(err)
					return
				}
				_ = os.Remove(around) // not empty: others
			}
		})
	}
	all.Wait()
}
