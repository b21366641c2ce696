package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/rigwiki/rig/wiki"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

// settings are what the client told: initializationOptions.rigwiki, and the configuration section rigwiki over it.
type settings struct {
	mu     sync.Mutex
	fixed  json.RawMessage // from initialize
	client clientSettings
	own    *wiki.Settings // package wiki's keys
	// folders are those keys as they are set for a workspace folder, by its path; the client keeps settings a folder.
	folders map[string]*wiki.Settings
	pulled  chan struct{} // closed once the last question for settings is over, nil where none was asked
}

// clientSettings are those keys that are about the client and not about runs.
type clientSettings struct {
	Notifications bool `json:"notifications"` // wants rigwiki/run
	Review        bool `json:"review"`        // has a review of its own
}

// initial takes initializationOptions.
func (s *settings) initial(options []byte) error {
	if len(options) == 0 || string(options) == "null" {
		return nil
	}
	var o struct {
		Rigwiki json.RawMessage `json:"rigwiki"`
	}
	if err := json.Unmarshal(options, &o); err != nil {
		return fmt.Errorf("read initializationOptions: %w", err)
	}
	s.mu.Lock()
	s.fixed = o.Rigwiki
	s.mu.Unlock()
	return s.update(o.Rigwiki)
}

// update takes a section rigwiki. Keys that it lacks keep what initialize said. A section that cannot be read changes nothing.
func (s *settings) update(section json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var next clientSettings
	for _, raw := range []json.RawMessage{s.fixed, section} {
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		if err := json.Unmarshal(raw, &next); err != nil {
			return fmt.Errorf("read the settings: %w", err)
		}
	}
	s.client = next
	own, err := wikiSettings(s.fixed, section)
	if err != nil {
		return err
	}
	s.own = own
	return nil
}

// wikiSettings reads package wiki's keys from sections, the later over the earlier; those that are about the client are taken out, since it would
// warn of them.
func wikiSettings(sections ...json.RawMessage) (*wiki.Settings, error) {
	all := map[string]json.RawMessage{}
	for _, section := range sections {
		if len(section) == 0 || string(section) == "null" {
			continue
		}
		if err := json.Unmarshal(section, &all); err != nil {
			return nil, fmt.Errorf("read the settings: %w", err)
		}
	}
	delete(all, "notifications")
	delete(all, "review")
	if len(all) == 0 {
		return nil, nil
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	own := &wiki.Settings{}
	if err := own.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	return own, nil
}

// section is what package wiki reads of the settings, nil where the client sent none.
func (s *settings) section() *wiki.Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.own
}

// sectionIn is section for a workspace folder.
func (s *settings) sectionIn(folder string) *wiki.Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own, ok := s.folders[folder]; ok {
		return own
	}
	return s.own
}

// updateFolder takes the section of a workspace folder. One that cannot be read leaves the folder with what holds for all.
func (s *settings) updateFolder(folder string, section json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	own, err := wikiSettings(s.fixed, section)
	if err != nil {
		delete(s.folders, folder)
		return err
	}
	if s.folders == nil {
		s.folders = map[string]*wiki.Settings{}
	}
	s.folders[folder] = own
	return nil
}

// settingsOf are the client's settings for a wiki: those of its workspace folder.
func (s *server) settingsOf(w *wiki.Wiki) *wiki.Settings {
	if folder, ok := s.folders.folderOf(w.Root); ok {
		return s.set.sectionIn(folder)
	}
	return s.set.section()
}

func (s *settings) get() clientSettings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

// asking notes a question for settings. It gives the end of the one before, nil where there was none, and what to call at the end of this one.
func (s *settings) asking() (before <-chan struct{}, over func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = s.pulled
	end := make(chan struct{})
	s.pulled = end
	return before, func() { close(end) }
}

func (s *settings) pending() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pulled
}

// askSettings asks for the settings, one question after the other: an old answer never covers a newer one.
func (s *server) askSettings() {
	if !s.caps.configuration {
		return
	}
	before, over := s.set.asking()
	s.background(func(ctx context.Context) {
		defer over()
		if before != nil {
			<-before // it ends: with the answer, its own bound or the connection
		}
		s.pullSettings(ctx)
	})
}

// awaitSettings waits until the client has answered about its settings, so that what was changed just before a run holds for it.
func (s *server) awaitSettings(ctx context.Context) {
	pending := s.set.pending()
	if pending == nil {
		return
	}
	select {
	case <-pending:
	case <-ctx.Done():
	case <-time.After(s.bounds.settings):
		s.log.Debug("the client does not say its settings")
	}
}

// pullSettings asks the client for the section rigwiki: for all, and for each workspace folder.
func (s *server) pullSettings(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	section, folders := "rigwiki", s.folders.all()
	items := []protocol.ConfigurationItem{{Section: &section}}
	for _, f := range folders {
		items = append(items, protocol.ConfigurationItem{ScopeURI: ptr(pathURI(f)), Section: &section})
	}
	list, err := s.client.Configuration(ctx, &protocol.ConfigurationParams{Items: items})
	if err != nil || len(list) == 0 {
		s.log.Debug("no configuration from the client", zap.Error(err))
		return
	}
	if len(list) == len(items) {
		for i, f := range folders {
			if err := s.set.updateFolder(f, []byte(list[i+1])); err != nil {
				s.log.Warn("settings not taken", zap.String("folder", f), zap.Error(err))
			}
		}
	}
	s.takeSettings([]byte(list[0]))
}

func (s *server) takeSettings(section []byte) {
	if err := s.set.update(section); err != nil {
		s.log.Warn("settings not taken", zap.Error(err))
	}
	s.configs.forget()
}

// didChangeConfiguration takes pushed settings, or asks for them where the client only says that something changed.
func (s *server) didChangeConfiguration(_ context.Context, p *protocol.DidChangeConfigurationParams) error {
	var pushed struct {
		Rigwiki json.RawMessage `json:"rigwiki"`
	}
	if err := json.Unmarshal(p.Settings, &pushed); err == nil && len(pushed.Rigwiki) > 0 {
		s.takeSettings(pushed.Rigwiki)
		return nil
	}
	s.askSettings()
	return nil
}
