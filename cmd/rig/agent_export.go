package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/adapters/board"
	"github.com/rigwiki/rig/wiki"
)

// agentExportCmd is `rig wiki agent export NAME DIR`.
func (a *app) agentExportCmd() *cobra.Command {
	return &cobra.Command{Use: "export NAME DIR", Short: "Write an agent as a directory adapter, for other hosts", Args: args(cobra.ExactArgs(2)), RunE: func(c *cobra.Command, as []string) error {
		return a.withMaybeWiki(func(h *wiki.Host, _ *wiki.Wiki) error {
			made, err := h.Export(c.Context(), as[0], a.abs(as[1]))
			if err != nil {
				return err
			}
			a.data = map[string]any{"files": made}
			for _, f := range made {
				a.say("%s", f)
			}
			return nil
		})
	}}
}

// contractRunCmd is the hidden verb behind an exported adapter's run: `rig wiki __run NAME`, the rest by environment. The host that calls it
// confines and supervises it, as package sandbox does for ours; this process is part of what runs there.
func (a *app) contractRunCmd() *cobra.Command {
	return &cobra.Command{Use: "__run NAME", Hidden: true, Args: args(cobra.ExactArgs(1)), RunE: func(c *cobra.Command, as []string) error {
		h, err := a.host()
		if err != nil {
			return err
		}
		defer h.Close()
		run, err := h.Contract(c.Context(), as[0], a.env)
		if err != nil {
			return err
		}
		outcome, code, err := a.startContract(c.Context(), run)
		if err != nil {
			return err
		}
		fmt.Fprintln(a.out, strings.TrimRight(outcome.Text, "\n"))
		for _, d := range outcome.Denials {
			a.warn("%s was refused %s on %s", as[0], d.Tool, d.Target)
		}
		switch f := outcome.Failure; {
		case f != nil:
			return fail(max(code, wiki.ExitFailed), f.Hint, "%s: %s", as[0], f.Message)
		case code != 0:
			return fail(code, "", "%s ended with exit status %d", as[0], code)
		case !outcome.OK:
			return fail(wiki.ExitFailed, "", "%s ended without saying that it was done", as[0])
		}
		return nil
	}}
}

// startContract starts the agent, follows its stream and passes its events on.
func (a *app) startContract(ctx context.Context, run wiki.ContractRun) (o adapters.Outcome, code int, err error) {
	files, err := os.MkdirTemp("", "rig-run-")
	if err != nil {
		return o, 0, err
	}
	defer os.RemoveAll(files)
	ctx, end := context.WithCancel(ctx)
	defer end()
	cmd, err := a.contractCommand(ctx, run, files)
	if err != nil {
		return o, 0, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return o, 0, err
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return o, 0, err
	}
	if err := cmd.Start(); err != nil {
		return o, 0, err
	}
	if !run.TwoWay {
		go func() {
			_, _ = stdin.Write(run.Stdin) // an agent that ends without reading is no fault
			_ = stdin.Close()
		}()
	}
	b := board.NewEmitter(a.getenv("BOARD_PORT"), a.getenv("BOARD_TOKEN"), time.Second)
	converse := run.Adapter.Converse
	if run.Talk != nil {
		converse = run.Talk
	}
	o = converse(ctx, struct {
		io.Reader
		io.Writer
	}{stdout, stdin}, func(e adapters.Event) {
		e.Agent, e.Task = a.getenv("BOARD_AGENT_ID"), a.getenv("BOARD_TASK")
		b.Post(e.Capped())
	})
	if run.TwoWay { // some bridges wait for the next turn also where nobody can ask for it
		_ = stdin.Close()
		defer time.AfterFunc(bridgeGrace, end).Stop()
	}
	_, _ = io.Copy(io.Discard, stdout)
	err = cmd.Wait()
	b.Close(3 * time.Second)
	switch {
	case cmd.ProcessState == nil:
		return o, 0, err
	case run.TwoWay && ctx.Err() != nil: // the end that we made says nothing about the turn
		return o, 0, nil
	}
	return o, cmd.ProcessState.ExitCode(), nil
}

// bridgeGrace is how long a bridge may take to end after its turn.
const bridgeGrace = 2 * time.Second

// contractCommand writes the plan's files into a folder and gives the command that names them.
func (a *app) contractCommand(ctx context.Context, run wiki.ContractRun, files string) (*exec.Cmd, error) {
	for name, text := range run.Files {
		if err := os.WriteFile(filepath.Join(files, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	in := func(list []string) []string {
		out := make([]string, len(list))
		for i, s := range list {
			out[i] = strings.ReplaceAll(s, "{files}", files)
		}
		return out
	}
	argv := in(run.Argv)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.WaitDelay = run.Cwd, in(run.Env), a.err, 5*time.Second
	cmd.Cancel = func() error {
		if run.Stop != nil {
			return cmd.Process.Signal(run.Stop)
		}
		return cmd.Process.Signal(os.Interrupt)
	}
	return cmd, nil
}
