package lsp

import (
	"context"
	"slices"

	"github.com/rigwiki/rig/wiki"
)

type taskArgs struct {
	URI   string `json:"uri"`
	Agent string `json:"agent"`
}

// taskCommand starts a run of op about a task file and answers {"run": id} at once.
func taskCommand(op string) func(*server, context.Context, taskArgs) (any, error) {
	return func(s *server, _ context.Context, a taskArgs) (any, error) {
		path, ok := filePath(a.URI)
		if !ok {
			return nil, invalid("the argument needs uri, a task's: %q is no file", a.URI)
		}
		repo, rel, ok := s.taskAt(path)
		if !ok {
			return nil, invalid("%s is no task: a markdown file below tasks/ of a git repository of this workspace, or one that `tasks` of the configuration names", path)
		}
		found, _ := wiki.FindOp(op)
		run, err := s.start(wiki.Job{Wiki: repo, Op: op, Sources: []string{rel}, Agent: a.Agent}, found.Title+" "+rel)
		return runAnswer{run}, err
	}
}

// taskAt finds the repository of a task file and the file's path in it. The file has to be in the workspace, where one is open. It costs some stats.
func (s *server) taskAt(path string) (repo *wiki.Wiki, rel string, ok bool) {
	if _, inside := s.folders.folderOf(path); !inside && len(s.folders.all()) > 0 {
		return nil, "", false
	}
	repo, err := wiki.Repository(path)
	if err != nil {
		return nil, "", false
	}
	if rel, ok = relIn(repo, path); !ok {
		return nil, "", false
	}
	return repo, rel, wiki.IsTask(s.config(repo), rel)
}

// taskItem is an offer on a task file.
type taskItem struct{ kind, title, command string }

// taskItems are what can be done with a task, in the order of the menu.
func taskItems() []taskItem {
	return []taskItem{
		{kindRoot + "work", "Work on task", "rigwiki.work"},
		{kindRoot + "actPr", "Act on PR", "rigwiki.actPr"},
		{kindRoot + "reviewTask", "Review task", "rigwiki.review"},
	}
}

// taskOffers are the code actions of a task file.
func (s *server) taskOffers(path, uri string) []offer {
	repo, rel, ok := s.taskAt(path)
	if !ok {
		return nil
	}
	var out []offer
	for _, t := range taskItems() {
		out = append(out, offer{item{t.title, t.command, map[string]string{"uri": uri}, true, nil}, t.kind})
	}
	for _, rec := range s.records(repo) {
		if rec.Tip != "" && rec.Undone.IsZero() && slices.Contains(rec.Sources, rel) {
			return append(out, offer{item{"Undo " + rec.Title, "rigwiki.run.undo", runArgs{rec.Run}, false, nil}, kindRoot + "undo"})
		}
	}
	return out
}

// aboutTask tells whether a run's outcome is a branch or a verdict, of which nothing can be accepted or rejected in pages.
func aboutTask(op string) bool {
	o, ok := wiki.FindOp(op)
	return ok && o.Task
}
