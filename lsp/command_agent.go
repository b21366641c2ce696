package lsp

import (
	"context"

	"github.com/rigwiki/rig/wiki"
)

type noArgs struct{}

// agentList tells which agents there are and whether they can run.
func (s *server) agentList(ctx context.Context, _ noArgs) (any, error) {
	w, settings := s.anyWiki()
	list, err := s.host.Agents(ctx, w, settings)
	if err != nil {
		return nil, err
	}
	if list == nil {
		list = []wiki.AgentInfo{}
	}
	return map[string]any{"agents": list}, nil
}

type agentUseArgs struct {
	Name string `json:"name"`
}

// agentUse makes an agent the default one.
func (s *server) agentUse(ctx context.Context, a agentUseArgs) (any, error) {
	if a.Name == "" {
		return nil, invalid("rigwiki.agent.use needs name")
	}
	w, settings := s.anyWiki()
	overridden, err := s.host.UseAgent(ctx, w, settings, a.Name)
	if err != nil {
		return nil, err
	}
	answer := map[string]any{"default": a.Name}
	if overridden != "" {
		answer["overridden"] = overridden // told by the client: VS Code's then takes its setting back
	}
	return answer, nil
}

// anyWiki is a wiki of the workspace, nil where there is none, and the editor's settings for it: agents are the user's, a wiki may only choose
// among them.
func (s *server) anyWiki() (*wiki.Wiki, *wiki.Settings) {
	if all := s.wikis(); len(all) > 0 {
		return all[0], s.settingsOf(all[0])
	}
	return nil, s.set.section()
}
