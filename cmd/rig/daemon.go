package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/daemon"
)

// daemonCmd is `rig wiki daemon [--apply] | install | uninstall | status | pause | resume`.
func (a *app) daemonCmd() *cobra.Command {
	var grace time.Duration
	c := &cobra.Command{Use: "daemon", Short: "Ingest new sources as they come; what they make waits as a proposal", Long: "Watch raw/ of the wikis of daemon.wikis in config.json5 (and --wiki, or the wiki here where none is named) and ingest what is new.\n" +
		"What an agent makes waits as a proposal, also as <wiki>/proposals/<source>.diff; with --apply what carries no flag is applied.\nSIGTERM finishes the current run or gives it back, SIGHUP reads the configuration anew.",
		Args: args(cobra.NoArgs), RunE: func(c *cobra.Command, _ []string) error { return a.runDaemon(c.Context(), grace) }}
	c.Flags().DurationVar(&grace, "grace", time.Minute, "on SIGTERM, let the current run go on for so long")
	sub := func(use, short string, run func(context.Context) error) {
		c.AddCommand(&cobra.Command{Use: use, Short: short, Args: args(cobra.NoArgs), RunE: func(c *cobra.Command, _ []string) error { return run(c.Context()) }})
	}
	sub("install", "Start it with your session: a systemd user unit, or a launchd agent", a.daemonInstall)
	sub("uninstall", "End it and take the unit away", a.daemonUninstall)
	sub("status", "Whether it runs, and what its queue holds", a.daemonStatus)
	sub("pause", "Start no further runs in its wikis", func(context.Context) error { return a.daemonPause((*wiki.Host).Pause, "paused") })
	sub("resume", "Go on", func(context.Context) error { return a.daemonPause((*wiki.Host).Resume, "goes on") })
	return c
}

// daemonWikis are the folders named by --wiki and the configuration; the wiki around the working folder where there are none.
func (a *app) daemonWikis(h *wiki.Host) (flag, configured []string, err error) {
	cfg, _, err := wiki.LoadConfig(h.RigHome(), nil, nil)
	if err != nil {
		return nil, nil, err
	}
	if a.flags.wiki == "" && len(cfg.Daemon.Wikis) > 0 {
		return nil, cfg.Daemon.Wikis, nil
	}
	w, err := a.findWiki()
	if err != nil {
		return nil, nil, err
	}
	return []string{w.Root}, cfg.Daemon.Wikis, nil
}

func (a *app) runDaemon(ctx context.Context, grace time.Duration) error {
	log, err := a.logger()
	if err != nil {
		return fail(wiki.ExitUsage, "name a file that can be written", "open the log: %v", err)
	}
	defer func() { _ = log.Sync() }()
	told := &eventFile{path: eventFilePath(a.rigHome())}
	board := a.endpointBeside(0, log.Sugar().Warnf, func(e adapters.Event) {
		if err := told.add(e); err != nil {
			log.Sugar().Warnf("an event was not kept: %v", err)
		}
	})
	h, err := a.hostWith(board.port())
	if err != nil {
		return errors.Join(err, board.close())
	}
	board.publish(h.RigHome(), log.Sugar().Warnf)
	defer func() { _ = errors.Join(board.close(), told.close()) }()
	dirs, _, err := a.daemonWikis(h)
	if err != nil {
		return errors.Join(err, h.Close())
	}
	reload, end, stop := daemonSignals()
	defer stop()
	// The signals are heard here, so that the first of them does not cut a run off.
	err = daemon.Run(context.WithoutCancel(ctx), daemon.Options{Host: h, Wikis: dirs, Apply: a.flags.apply, Agent: a.flags.agent, Model: a.flags.model, Layer: a.flagged(nil, wiki.Job{}).Layer, Timeout: a.flags.timeout,
		Tell: log.Sugar().Infof, Reload: reload, End: end, Grace: grace})
	if errors.Is(err, daemon.ErrRunning) {
		err = fail(wiki.ExitHeld, "`rig wiki daemon status` shows it", "%v", err)
	}
	return errors.Join(err, h.Close())
}

// daemonSignals turns SIGHUP into reload and the signals to end into end.
func daemonSignals() (reload, end <-chan struct{}, stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM, os.Interrupt)
	hup, term, quit := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		for {
			to := term
			select {
			case s := <-signals:
				if s == syscall.SIGHUP {
					to = hup
				}
			case <-quit:
				return
			}
			select {
			case to <- struct{}{}:
			case <-quit:
				return
			}
		}
	}()
	return hup, term, func() { signal.Stop(signals); close(quit) }
}

func (a *app) daemonService(ctx context.Context) (daemon.Service, error) {
	self, err := os.Executable()
	if err != nil {
		return daemon.Service{}, fmt.Errorf("find our own binary: %w", err)
	}
	s := daemon.Service{GOOS: runtime.GOOS, Home: wiki.HomeFolder(a.env), Conf: a.getenv("XDG_CONFIG_HOME"), UID: os.Getuid(), Self: self, Run: runTool}
	if s.Home == "" {
		return s, fail(wiki.ExitUsage, "set HOME", "there is no home folder to install into")
	}
	for _, name := range []string{"PATH", "RIG_HOME"} {
		if v := a.getenv(name); v != "" {
			s.Env = append(s.Env, name+"="+v)
		}
	}
	if a.flags.apply {
		s.Args = append(s.Args, "--apply")
	}
	for _, f := range []struct{ flag, value string }{{"--agent", a.flags.agent}, {"--model", a.flags.model}, {"--layer", a.flags.layer}} {
		if f.value != "" {
			s.Args = append(s.Args, f.flag, f.value)
		}
	}
	if a.flags.timeout > 0 {
		s.Args = append(s.Args, "--timeout", a.flags.timeout.String())
	}
	if a.flags.wiki != "" {
		s.Args = append(s.Args, "--wiki", a.abs(a.flags.wiki))
	}
	return s, nil
}

func runTool(ctx context.Context, argv ...string) error {
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
	if err != nil && len(out) > 0 {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	return err
}

func (a *app) daemonInstall(ctx context.Context) error {
	h, err := a.host()
	if err != nil {
		return err
	}
	dirs, configured, err := a.daemonWikis(h)
	if err = errors.Join(err, h.Close()); err != nil {
		return err
	}
	s, err := a.daemonService(ctx)
	if err != nil {
		return err
	}
	if a.flags.wiki == "" && len(configured) == 0 { // a service has no working folder to find its wiki from
		s.Args = append(s.Args, "--wiki", dirs[0])
	}
	file, err := s.Install(ctx)
	if err != nil {
		return err
	}
	a.data = map[string]any{"file": file}
	a.say("installed %s", file)
	return nil
}

func (a *app) daemonUninstall(ctx context.Context) error {
	s, err := a.daemonService(ctx)
	if err != nil {
		return err
	}
	file, err := s.Uninstall(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return fail(wiki.ExitNothing, "", "the daemon is not installed: no %s", file)
	}
	if err != nil {
		return err
	}
	a.data = map[string]any{"file": file}
	a.say("removed %s", file)
	return nil
}

// daemonData is what `rig wiki daemon status --json` gives.
type daemonData struct {
	Running   bool           `json:"running"`
	PID       int            `json:"pid,omitempty"`
	Installed string         `json:"installed,omitempty"` // the unit's file
	Wikis     []daemonWiki   `json:"wikis"`
	Today     int            `json:"today"` // runs started within 24 hours
	Limit     int            `json:"limit"`
	Queue     []daemon.Entry `json:"queue"`
}

type daemonWiki struct {
	Root   string `json:"root"`
	Paused bool   `json:"paused"`
}

func (a *app) daemonStatus(ctx context.Context) error {
	h, err := a.host()
	if err != nil {
		return err
	}
	defer h.Close()
	cfg, _, err := wiki.LoadConfig(h.RigHome(), nil, nil)
	if err != nil {
		return err
	}
	pid, q, err := daemon.Look(h.RigHome(), time.Now())
	if err != nil {
		return err
	}
	d := daemonData{PID: pid, Wikis: []daemonWiki{}, Limit: cfg.Daemon.RunsPerDay, Today: q.Today(time.Now()), Queue: append([]daemon.Entry{}, q.Entries...)}
	d.Running = d.PID != 0
	if s, err := a.daemonService(ctx); err == nil {
		if file, err := s.File(); err == nil {
			if _, err := os.Lstat(file); err == nil {
				d.Installed = file
			}
		}
	}
	for _, w := range a.wikisOfDaemon(h) {
		d.Wikis = append(d.Wikis, daemonWiki{w.Root, h.Paused(w)})
	}
	a.data = d
	if d.Running {
		a.say("running, process %d", d.PID)
	} else {
		a.say("not running")
	}
	for _, w := range d.Wikis {
		a.say("watches %s%s", w.Root, map[bool]string{true: " (paused)"}[w.Paused])
	}
	for _, e := range d.Queue {
		a.say("%-8s  %s%s", e.State, filepath.Join(e.Wiki, filepath.FromSlash(e.Source)), prefixed("  ", e.Reason))
	}
	a.say("%d of %d runs within a day", d.Today, d.Limit)
	return nil
}

// wikisOfDaemon are the wikis that a daemon started here would watch.
func (a *app) wikisOfDaemon(h *wiki.Host) (out []*wiki.Wiki) {
	flag, configured, err := a.daemonWikis(h)
	if err != nil {
		return nil // none to tell of
	}
	for _, dir := range append(flag, configured...) {
		if w, err := wiki.Find(daemon.FromHome(dir)); err == nil {
			out = append(out, w)
		}
	}
	return out
}

func (a *app) daemonPause(do func(*wiki.Host, *wiki.Wiki) error, word string) error {
	h, err := a.host()
	if err != nil {
		return err
	}
	defer h.Close()
	list := a.wikisOfDaemon(h)
	if len(list) == 0 {
		return fail(wiki.ExitNotAWiki, "name one with --wiki DIR, or in daemon.wikis", "there is no wiki to speak of")
	}
	for _, w := range list {
		if err := do(h, w); err != nil {
			return err
		}
		a.say("%s %s", w.Root, word)
	}
	return nil
}
