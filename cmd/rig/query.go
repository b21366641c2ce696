package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

// queryCmd is `rig wiki query QUESTION [--file]`.
func (a *app) queryCmd() *cobra.Command {
	var with []string
	var again, file bool
	c := &cobra.Command{Use: "query QUESTION", Short: "Ask the wiki", Long: "Ask the wiki. The answer has at most six sentences, each with the page that says so; a citation that does not hold is marked.\nAn answer is kept for as long as the pages it was made from stay as they are.",
		Args: args(cobra.MinimumNArgs(1)), RunE: func(c *cobra.Command, as []string) error {
			question := strings.Join(as, " ")
			if strings.TrimSpace(question) == "" {
				return fail(wiki.ExitUsage, "say what you want to know", "the question is empty")
			}
			return a.withHost(func(h *wiki.Host, w *wiki.Wiki) error {
				rec, err := a.runJob(c.Context(), h, w, wiki.Job{Op: "query", Question: question, With: a.absAll(with), Again: again})
				a.data = a.opData(h, w, rec)
				if err != nil || !file {
					return err
				}
				return a.fileAnswer(c.Context(), h, w, rec)
			})
		}}
	c.Flags().StringArrayVar(&with, "with", nil, "give the agent this file too, to read")
	c.Flags().BoolVar(&again, "again", false, "ask anew where the answer is kept")
	c.Flags().BoolVar(&file, "file", false, "propose the answer as a page in queries/")
	return c
}

// filedData is the answer with the proposal that files it.
type filedData struct {
	opData
	Filed opData `json:"filed"`
}

func (a *app) fileAnswer(ctx context.Context, h *wiki.Host, w *wiki.Wiki, asked proposal.Record) error {
	rec, err := h.FileAnswer(ctx, w, asked.Run, "cli")
	if errors.Is(err, wiki.ErrNoAnswer) {
		return fail(wiki.ExitNothing, "the answer is printed above", "%v", err)
	}
	if err != nil {
		return err
	}
	err = a.finishRun(ctx, h, w, &rec)
	a.data = filedData{a.opData(h, w, asked), a.opData(h, w, rec)}
	return err
}
