package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/wiki"
)

// agentDoctorCmd is `rig wiki agent doctor NAME|DIR`.
func (a *app) agentDoctorCmd() *cobra.Command {
	var server string
	c := &cobra.Command{Use: "doctor NAME|DIR", Short: "Run an agent, or the directory adapter in a folder, through the contract in a scratch wiki", Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, as []string) error {
			return a.withMaybeWiki(func(h *wiki.Host, w *wiki.Wiki) error {
				o := wiki.ExamineOptions{Agent: as[0], Model: a.flags.model, ModelServer: server, Timeout: a.flags.timeout}
				if strings.ContainsRune(as[0], os.PathSeparator) || as[0] == "." {
					o.Agent, o.Dir = "", a.abs(as[0])
					if !isFolder(o.Dir) {
						return fail(wiki.ExitUsage, "name an agent, or a folder with the executables run and wire", "no folder %s", o.Dir)
					}
				}
				x, err := h.Examine(c.Context(), w, o, func(cl wiki.Clause) { a.say("%-11s %s%s", cl.Verdict, cl.Name, detail(cl.Detail)) })
				if err != nil {
					return err
				}
				a.data = x
				if !x.OK {
					return fail(wiki.ExitFailed, "what was seen stands beside each clause", "%s", count(x))
				}
				a.say("%s", count(x))
				return nil
			})
		}}
	c.Flags().StringVar(&server, "model-server", "", "base URL of a scripted model server instead of your own login, for tests")
	return c
}

func detail(s string) string {
	if s == "" {
		return ""
	}
	return ": " + s
}

// count says how the clauses went.
func count(x wiki.Examination) string {
	n := map[wiki.Verdict]int{}
	for _, c := range x.Clauses {
		n[c.Verdict]++
	}
	return fmt.Sprintf("%s: %d clauses hold, %d broken, %d not judged", x.Agent, n[wiki.Holds], n[wiki.Broken], n[wiki.NotJudged])
}

// probeCmd is the hidden verb as which this binary stands in an agent's place ([wiki.Probe]).
func (a *app) probeCmd() *cobra.Command {
	return &cobra.Command{Use: "__probe", Hidden: true, RunE: func(_ *cobra.Command, as []string) error { return wiki.Probe(as, a.in, a.out) }}
}
