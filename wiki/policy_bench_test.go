package wiki

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rigwiki/rig/sandbox"
)

// The cost of a judgement is that of the changes and the folders they touch, not that of the wiki: the other folders here are never read.
func BenchmarkJudge(b *testing.B) {
	root := b.TempDir()
	for _, n := range []int{100, 10000} {
		dir := filepath.Join(root, "entities")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		for i := range n {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("page-%d.md", i)), nil, 0o644); err != nil {
				b.Fatal(err)
			}
		}
		for _, changes := range []int{1, 1000} {
			var list []sandbox.Change
			for i := range changes {
				list = append(list, create(fmt.Sprintf("concepts/new-%d.md", i), fmt.Sprintf("# New %d\n\nSee [[new-%d]].\n", i, i+1)))
			}
			in := Input{Wiki: &Wiki{Real: root, Human: []string{"raw"}}, Config: Defaults(), Op: "ingest", Writes: true, Changes: sandbox.Changes{List: list}}
			b.Run(fmt.Sprintf("pages=%d/changes=%d", n, changes), func(b *testing.B) {
				for b.Loop() {
					Judge(in)
				}
			})
		}
	}
}
