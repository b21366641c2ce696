package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// command is one entry of executeCommandProvider. Each takes one JSON object; unknown keys are an error that names them.
type command struct {
	name string
	run  func(ctx context.Context, s *server, argument json.RawMessage) (any, error)
}

// commands are the commands in the order of the design, section 7.1.
func commands() []command {
	return []command{
		cmd("rigwiki.ingest", (*server).ingest),
		cmd("rigwiki.query", (*server).query),
		cmd("rigwiki.lint", (*server).lint),
		cmd("rigwiki.fetch", (*server).fetch),
		cmd("rigwiki.work", taskCommand("work")),
		cmd("rigwiki.actPr", taskCommand("act-pr")),
		cmd("rigwiki.review", taskCommand("review")),
		cmd("rigwiki.cancel", (*server).cancelRun),
		cmd("rigwiki.queue.pause", (*server).queuePause),
		cmd("rigwiki.queue.resume", (*server).queueResume),
		cmd("rigwiki.proposals", (*server).proposals),
		cmd("rigwiki.proposal.show", (*server).proposalShow),
		cmd("rigwiki.proposal.apply", (*server).proposalApply),
		cmd("rigwiki.proposal.discard", (*server).proposalDiscard),
		cmd("rigwiki.proposal.revise", (*server).proposalRevise),
		cmd("rigwiki.proposal.review", (*server).proposalReview),
		cmd("rigwiki.proposal.why", (*server).proposalWhy),
		cmd("rigwiki.proposal.next", (*server).proposalNext),
		cmd("rigwiki.runs", (*server).runList),
		cmd("rigwiki.run.undo", (*server).runUndo),
		cmd("rigwiki.answer.file", (*server).answerFile),
		cmd("rigwiki.search", (*server).search),
		cmd("rigwiki.agent.list", (*server).agentList),
		cmd("rigwiki.agent.use", (*server).agentUse),
		cmd("rigwiki.status", (*server).status),
	}
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// cmd makes an entry whose argument is an A.
func cmd[A any](name string, f func(*server, context.Context, A) (any, error)) command {
	return command{name, func(ctx context.Context, s *server, raw json.RawMessage) (any, error) {
		var a A
		if err := strictly(name, raw, &a); err != nil {
			return nil, err
		}
		return f(s, ctx, a)
	}}
}

// strictly decodes an object whose keys are all known.
func strictly(name string, raw json.RawMessage, into any) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil || keys == nil {
		return invalid("%s takes one JSON object", name)
	}
	known := jsonKeys(reflect.TypeOf(into).Elem())
	var unknown []string
	for k := range keys {
		if !slices.Contains(known, k) {
			unknown = append(unknown, fmt.Sprintf("%q", k))
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return invalid("%s does not know %s (it knows %s)", name, strings.Join(unknown, ", "), cmp.Or(strings.Join(known, ", "), "no keys"))
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return invalid("%s: %v", name, err)
	}
	return nil
}

func jsonKeys(t reflect.Type) []string {
	var keys []string
	for f := range t.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys = append(keys, key)
	}
	return keys
}

// executeCommand runs a command of the table.
func (s *server) executeCommand(ctx context.Context, p *protocol.ExecuteCommandParams) (jsonrpc2.RawMessage, error) {
	for _, c := range commands() {
		if c.name != p.Command {
			continue
		}
		raw := json.RawMessage("{}")
		switch {
		case len(p.Arguments) > 1:
			return nil, invalid("%s takes one JSON object, not %d arguments", p.Command, len(p.Arguments))
		case len(p.Arguments) == 1:
			raw = json.RawMessage(p.Arguments[0])
		}
		result, err := c.run(ctx, s, raw)
		if err != nil {
			return nil, err
		}
		return json.Marshal(result)
	}
	return nil, invalid("unknown command %q", p.Command)
}
