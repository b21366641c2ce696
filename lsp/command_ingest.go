package lsp

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/rigwiki/rig/wiki"
)

type ingestArgs struct {
	URI   string   `json:"uri"`
	URIs  []string `json:"uris"`
	Agent string   `json:"agent"`
	Model string   `json:"model"`
	Note  string   `json:"note"`
	Files []string `json:"files"` // further files for the agent to read: paths or file URIs
	// Stacked works each of several sources in on top of what the ones before it propose, as `rig wiki ingest --stacked` does.
	Stacked bool `json:"stacked"`
}

// ingest starts a run for each source and answers {"run": id} at once; with several, "runs" lists them all.
func (s *server) ingest(_ context.Context, a ingestArgs) (any, error) {
	uris := a.URIs
	if a.URI != "" {
		uris = append([]string{a.URI}, uris...)
	}
	if len(uris) == 0 {
		return nil, invalid("rigwiki.ingest needs uri or uris")
	}
	with, err := absolute(a.Files)
	if err != nil {
		return nil, err
	}
	var jobs []wiki.Job
	for _, u := range uris {
		w, rel, err := s.locate(u)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, wiki.Job{Wiki: w, Op: "ingest", Sources: []string{rel}, Agent: a.Agent, Model: a.Model, Note: a.Note, With: with})
	}
	var answer struct {
		Run  string   `json:"run"`
		Runs []string `json:"runs,omitempty"`
	}
	before := map[string][]string{} // wiki id -> runs
	for _, j := range jobs {
		if a.Stacked {
			j.Stack = slices.Clone(before[j.Wiki.ID]) // they are over when its turn comes: a wiki has one run at a time
		}
		if s.hasUnsaved(j.Wiki, j.Sources[0]) {
			s.tell(messageWarning, j.Sources[0]+" has unsaved text: what is on disk is ingested")
		}
		run, err := s.start(j, "ingest "+j.Sources[0])
		if err != nil {
			return nil, err
		}
		answer.Runs = append(answer.Runs, run)
		before[j.Wiki.ID] = append(before[j.Wiki.ID], run)
	}
	answer.Run = answer.Runs[0]
	if len(answer.Runs) == 1 {
		answer.Runs = nil
	}
	return answer, nil
}

// locate finds the wiki of a URI and the path in it.
func (s *server) locate(u string) (*wiki.Wiki, string, error) {
	path, ok := filePath(u)
	if !ok {
		return nil, "", invalid("%q is no file", u)
	}
	w, rel, ok := s.folders.wikiOf(path)
	if !ok {
		return nil, "", invalid("%s is in no wiki of this workspace", path)
	}
	var broken *wiki.ConfigError
	if w.Layout == wiki.Links { // it may be a wiki whose own configuration, with what it protects, cannot be read: nothing is done in it
		if _, err := wiki.Find(path); errors.As(err, &broken) {
			return nil, "", broken
		}
	}
	return w, rel, nil
}

// wikiFor finds the wiki that a command means: that of its URI, else the only one of the workspace.
func (s *server) wikiFor(u string) (*wiki.Wiki, error) {
	if u != "" {
		w, _, err := s.locate(u)
		return w, err
	}
	all := s.wikis()
	switch len(all) {
	case 0:
		return nil, invalid("there is no wiki in this workspace")
	case 1:
		return all[0], nil
	}
	return nil, invalid("there are %d wikis in this workspace: name one by uri", len(all))
}

// wikis are the wikis of the workspace folders and of the open documents, without the folders of plain markdown.
func (s *server) wikis() []*wiki.Wiki {
	return slices.DeleteFunc(s.allFolders(), func(w *wiki.Wiki) bool { return w.Layout == wiki.Links })
}

// wikisOf is the wiki of a file that an argument names, or all of them where it names none.
func (s *server) wikisOf(uri string) ([]*wiki.Wiki, error) {
	if uri == "" {
		return s.wikis(), nil
	}
	w, _, err := s.locate(uri)
	if err != nil {
		return nil, err
	}
	return []*wiki.Wiki{w}, nil
}

// absolute takes paths or file URIs.
func absolute(list []string) ([]string, error) {
	var out []string
	for _, f := range list {
		path, ok := f, filepath.IsAbs(f)
		if !ok {
			path, ok = filePath(f)
		}
		if !ok {
			return nil, invalid("%q is neither an absolute path nor the URI of a file", f)
		}
		out = append(out, path)
	}
	return out, nil
}
