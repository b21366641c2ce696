package lsp

import (
	"sync"
	"time"

	"github.com/rigwiki/rig/wiki"
	"go.uber.org/zap"
)

// configAge is how long a configuration is taken as it was read: hovers must not read files each time.
const configAge = 2 * time.Second

// configs are the merged configurations, by wiki id.
type configs struct {
	mu   sync.Mutex
	read map[string]readConfig
	age  int             // counts how often all was forgotten: what was read before that is not kept
	told map[string]bool // warnings that the user has seen
}

type readConfig struct {
	config wiki.Config
	at     time.Time
}

func newConfigs() *configs { return &configs{read: map[string]readConfig{}, told: map[string]bool{}} }

func (c *configs) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.read)
	c.age++
}

// untold gives those warnings that were not told in this session: a configuration is read again and again.
func (c *configs) untold(warnings []string) (out []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range warnings {
		if !c.told[w] {
			c.told[w], out = true, append(out, w)
		}
	}
	return out
}

// config is the configuration of a wiki with the client's settings over it. A broken file is told by the runs that it stops; here the defaults
// serve.
func (s *server) config(w *wiki.Wiki) wiki.Config {
	s.configs.mu.Lock()
	r, ok := s.configs.read[w.ID]
	age := s.configs.age
	s.configs.mu.Unlock()
	if ok && time.Since(r.at) < configAge {
		return r.config
	}
	cfg, warnings, err := wiki.LoadConfig(s.host.RigHome(), w, s.settingsOf(w))
	if err != nil {
		s.log.Warn("the configuration is not used", zap.String("wiki", w.Name), zap.Error(err))
		cfg = wiki.Defaults()
	}
	for _, warning := range s.configs.untold(warnings) {
		s.tell(messageWarning, "rig wiki: "+warning)
	}
	s.configs.mu.Lock()
	defer s.configs.mu.Unlock()
	if age == s.configs.age {
		s.configs.read[w.ID] = readConfig{cfg, time.Now()}
	}
	return cfg
}
