package wiki

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// answers is cache/agents.json below RIG_HOME: what agents' programs said about themselves (adapters.Answers). Asking one takes longer than
// everything else we do around a run. Losing the file costs one question each.
type answers struct {
	file string

	mu   sync.Mutex
	kept map[string]string // nil: not read yet
}

// maxAnswers bounds the file: programs that were replaced leave theirs behind.
const maxAnswers = 64

func (a *answers) read() {
	if a.kept != nil {
		return
	}
	a.kept = map[string]string{}
	if text, err := os.ReadFile(a.file); err == nil {
		_ = json.Unmarshal(text, &a.kept) // a broken cache only costs the questions
	}
}

func (a *answers) Answer(key string) (string, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.read()
	text, known := a.kept[key]
	return text, known
}

// Keep replaces the file whole; of two processes one may be forgotten.
func (a *answers) Keep(key, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.read()
	if len(a.kept) >= maxAnswers {
		clear(a.kept)
	}
	a.kept[key] = text
	out, err := json.Marshal(a.kept)
	if err != nil || os.MkdirAll(filepath.Dir(a.file), 0o700) != nil {
		return // without a cache the next process asks again
	}
	tmp := fmt.Sprintf("%s.%d", a.file, os.Getpid())
	if os.WriteFile(tmp, out, 0o600) == nil {
		_ = os.Rename(tmp, a.file)
	}
}
