package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

// flags are those that mean the same on every verb.
type flags struct {
	wiki, agent, model, layer, logFile string
	timeout                            time.Duration
	apply, yes, verbose                bool
	json                               string // "", envelope, stream
}

// failure is an error with the contract's exit code.
type failure struct {
	code          int
	message, hint string
}

func (f *failure) Error() string { return f.message }

func fail(code int, hint, format string, args ...any) error {
	return &failure{code: code, message: fmt.Sprintf(format, args...), hint: hint}
}

// envelope is what --json prints (design, section 6).
type envelope struct {
	OK    bool       `json:"ok"`
	Code  int        `json:"code"`
	Data  any        `json:"data"`
	Error *errorBody `json:"error,omitempty"`
}

type errorBody struct {
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// run executes one command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.commands()
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(answer{a})
	root.SetErr(a.err)
	err := root.ExecuteContext(ctx)
	f := asFailure(err)
	if a.flags.json != "" {
		e := envelope{OK: f == nil, Data: a.data}
		if f != nil {
			e.Code, e.Error = f.code, &errorBody{f.message, f.hint}
		}
		a.printJSON(e)
	} else if f != nil && f.message != "" {
		fmt.Fprintln(a.err, "rig: "+f.message)
		if f.hint != "" {
			fmt.Fprintln(a.err, "     "+f.hint)
		}
	}
	unsaid := a.unsaid.Load()
	if unsaid != nil {
		fmt.Fprintln(a.err, "rig: write the answer:", *unsaid)
	}
	switch {
	case f != nil:
		return f.code
	case unsaid != nil:
		return wiki.ExitFailed
	}
	return wiki.ExitOK
}

func (a *app) printJSON(v any) {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	a.wrote(enc.Encode(v))
}

// answer is a.out for those who do not look at what became of it.
type answer struct{ *app }

func (w answer) Write(p []byte) (int, error) {
	n, err := w.out.Write(p)
	w.wrote(err)
	return n, err
}

// wrote keeps the first error of writing what was asked for: a full disk must not look like an answer.
func (a *app) wrote(err error) {
	if err != nil {
		a.unsaid.CompareAndSwap(nil, &err)
	}
}

// asFailure gives every error its exit code.
func asFailure(err error) *failure {
	var f *failure
	var c *wiki.ConfigError
	var u usageError
	var no *proposal.UnwritableError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return f
	case errors.Is(err, wiki.ErrHome):
		return &failure{wiki.ExitFailed, err.Error(), "set RIG_HOME to a folder that you may write, or unset it: ~/.rig is used then"}
	case errors.As(err, &c):
		return &failure{wiki.ExitConfig, err.Error(), "mend the file and run again"}
	case errors.Is(err, wiki.ErrNotAWiki):
		return &failure{wiki.ExitNotAWiki, err.Error(), "run `rig wiki init` here, or name the wiki with --wiki DIR"}
	case errors.Is(err, wiki.ErrAgent):
		return &failure{wiki.ExitAgent, err.Error(), "see `rig wiki agent list`"}
	case errors.Is(err, proposal.ErrNothing):
		return &failure{wiki.ExitNothing, err.Error(), "see `rig wiki runs list`"}
	case errors.Is(err, proposal.ErrUnknown), errors.Is(err, proposal.ErrNoRun):
		return &failure{wiki.ExitUsage, err.Error(), "see `rig wiki proposals show`"}
	case errors.Is(err, proposal.ErrMoved):
		return &failure{wiki.ExitConflict, err.Error(), "run the command again: it takes the page as it is now"}
	case errors.As(err, &no):
		return &failure{wiki.ExitFailed, err.Error(), unwritableHint(no)}
	case errors.Is(err, wiki.ErrHeld):
		return &failure{wiki.ExitHeld, err.Error(), "wait for it, or cancel it where it was started"}
	case errors.Is(err, context.Canceled), errors.Is(err, wiki.ErrCancelled):
		return &failure{wiki.ExitCancelled, "cancelled", ""}
	case errors.As(err, &u):
		return &failure{wiki.ExitUsage, err.Error(), cmp.Or(u.hint, "see --help")}
	default:
		return &failure{wiki.ExitFailed, err.Error(), ""}
	}
}

// unwritableHint tells what to do about a page that the system did not let us write.
func unwritableHint(e *proposal.UnwritableError) string {
	switch {
	case errors.Is(e, fs.ErrPermission):
		return "make the page and its folder writable for you (`chmod u+w`), then run the command again: what was not written still waits"
	case errors.Is(e, syscall.EROFS):
		return "the wiki is on a disk that is mounted read-only: make it writable, then run the command again"
	case errors.Is(e, syscall.ENOSPC):
		return "the disk is full: make room, then run the command again"
	}
	return "run the command again when this is mended: what was not written still waits"
}

// usageError is the command-line library's complaint; the hint is how the verb is written, where it is known.
type usageError struct {
	error
	hint string
}

// commands is the tree of verbs.
func (a *app) commands() *cobra.Command {
	root := group("rig", "Agents write the wiki; you see and accept every change")
	root.Version, root.SilenceErrors, root.SilenceUsage = version, true, true
	w := group("wiki", "Work on a markdown wiki that agents write")
	f := w.PersistentFlags()
	f.StringVar(&a.flags.wiki, "wiki", "", "the wiki's folder (else found from the working folder up)")
	f.StringVar(&a.flags.agent, "agent", "", "agent to run: one of rig wiki agent list")
	f.StringVar(&a.flags.model, "model", "", "model, in the agent's own words")
	f.DurationVar(&a.flags.timeout, "timeout", 0, "end the agent after this long (15m, 90s)")
	f.BoolVar(&a.flags.apply, "apply", false, "apply what was proposed")
	f.BoolVar(&a.flags.yes, "yes", false, "say yes to questions and to flagged changes")
	f.StringVar(&a.flags.json, "json", "", "print one JSON envelope; --json=stream prints events as lines first")
	f.Lookup("json").NoOptDefVal = "envelope"
	f.StringVar(&a.flags.layer, "layer", "", "sandbox layer: auto, overlay, copy")
	f.StringVar(&a.flags.logFile, "log-file", "", "log here instead of to stderr")
	f.BoolVarP(&a.flags.verbose, "verbose", "v", false, "say more")
	for _, verb := range []func() *cobra.Command{
		a.initCmd, a.ingestCmd, a.queryCmd, a.searchCmd, a.lintCmd, a.scanCmd, a.fetchCmd,
		a.workCmd, a.actPRCmd, a.reviewCmd, a.collectCmd,
		a.proposalsCmd, a.runsCmd,
		a.agentCmd, a.wireCmd,
		a.doctorCmd, a.trustCmd,
		a.eventsCmd, a.lspCmd, a.daemonCmd, a.mcpCmd, a.demoCmd,
		a.builtinCmd, a.probeCmd, a.emitCmd, a.pdfCmd, a.contractRunCmd, a.contractWireCmd,
	} {
		w.AddCommand(verb())
	}
	root.AddCommand(w)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usageError{err, "see " + c.CommandPath() + " --help"} })
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return a.flags.check(c.Flags().Changed) }
	return root
}

// check says which flag has a value that means nothing, before anything is begun. An empty --wiki is a variable that was not set: it must not mean
// the wiki around the working folder.
func (f flags) check(given func(string) bool) error {
	switch {
	case !slices.Contains([]string{"", "envelope", "stream"}, f.json):
		return fail(wiki.ExitUsage, "use --json or --json=stream", "--json=%s is not known", f.json)
	case !slices.Contains([]string{"", "auto", "overlay", "copy"}, f.layer):
		return fail(wiki.ExitUsage, "use --layer auto, overlay or copy", "--layer %s is not known", f.layer)
	case f.timeout < 0:
		return fail(wiki.ExitUsage, "give a time from now on, such as 15m", "--timeout %s is over before it begins", f.timeout)
	case f.wiki == "" && given("wiki"):
		return fail(wiki.ExitUsage, "name the wiki's folder, or leave --wiki out", "--wiki is empty")
	}
	return nil
}

// args wraps a check of the arguments so that a wrong count is a usage error.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, as []string) error {
		if err := check(c, as); err != nil {
			return usageError{err, "write it as: " + c.UseLine()}
		}
		return nil
	}
}

// group is a command that only holds others.
func group(use, short string, verbs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: func(c *cobra.Command, as []string) error {
		if len(as) > 0 {
			return usageError{fmt.Errorf("unknown command %q for %q", as[0], c.CommandPath()), "see " + c.CommandPath() + " --help"}
		}
		return nil
	}, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(verbs...)
	return c
}

// host makes the host of this process.
func (a *app) host() (*wiki.Host, error) { return a.hostWith(0) }

// isFolder tells whether there is a folder at path, or a link to one.
func isFolder(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// rigHome is the folder of our state, as a host finds it.
func (a *app) rigHome() string {
	return a.abs(cmp.Or(a.getenv("RIG_HOME"), filepath.Join(wiki.HomeFolder(a.env), ".rig")))
}

// hostWith is a host of a process that serves the events endpoint at a port itself.
func (a *app) hostWith(board int) (*wiki.Host, error) {
	return wiki.NewHost(wiki.Options{RigHome: a.getenv("RIG_HOME"), Env: a.env, Board: board})
}

func (a *app) getenv(name string) string { return wiki.LookupVar(a.env, name) }

// findWiki is --wiki, else the wiki around the working folder.
func (a *app) findWiki() (*wiki.Wiki, error) {
	dir := a.cwd
	if err := a.standing(a.flags.wiki); err != nil {
		return nil, err
	}
	if a.flags.wiki != "" {
		dir = a.abs(a.flags.wiki)
		if _, err := os.Stat(dir); err != nil {
			return nil, fail(wiki.ExitNotAWiki, "name a folder that exists with --wiki DIR", "no wiki at %s: %v", dir, err)
		}
	}
	return wiki.Find(dir)
}

// standing refuses a path, "" for the working folder, that leads nowhere since the working folder was removed.
func (a *app) standing(path string) error {
	if a.cwd != "" || filepath.IsAbs(path) {
		return nil
	}
	return fail(wiki.ExitNotAWiki, "go to a folder that exists, or name the wiki with --wiki and its whole path", "the working folder is gone")
}

// findPages is findWiki, else the folder itself where it is one of plain markdown.
func (a *app) findPages() (*wiki.Wiki, error) {
	w, err := a.findWiki()
	if !errors.Is(err, wiki.ErrNotAWiki) {
		return w, err
	}
	dir := a.abs(cmp.Or(a.flags.wiki, "."))
	for _, pages := range []string{"*.md", "*/*.md"} {
		if names, _ := filepath.Glob(filepath.Join(globbed(dir), pages)); len(names) > 0 { // the pattern is ours
			return wiki.Folder(dir)
		}
	}
	return nil, err
}

// globbed is a path as a pattern that means just it.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// abs makes a path of the command line absolute.
func (a *app) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(a.cwd, path)
}

// terminal says whether a stream is a person's terminal.
func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (a *app) say(format string, args ...any) {
	if a.flags.json == "" {
		_, err := fmt.Fprintf(a.out, format+"\n", args...)
		a.wrote(err)
	}
}

func (a *app) warn(format string, args ...any) { fmt.Fprintf(a.err, format+"\n", args...) }
