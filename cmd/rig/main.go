package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/rigwiki/rig/sandbox"
)

// version is set by the build (-ldflags "-X main.version=…").
var version = "dev"

func main() {
	if sandbox.Main() { // this process was a sandbox's helper
		return
	}
	os.Exit(mainExit())
}

// tools are the commands that this binary is inside a run, by the name it is started under (sandbox.Tool).
func tools() map[string]func(context.Context, *app, []string) int {
	return map[string]func(context.Context, *app, []string) int{"qmd": qmd, "git": insideGit, "gh": insideGH}
}

// mainExit runs the command line of this process and returns its exit code. Interrupts cancel what runs; a second one ends the process.
func mainExit() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop)
	cwd, err := os.Getwd()
	if err != nil {
		cwd = "."
	}
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Environ(), cwd: cwd}
	if tool, ok := tools()[filepath.Base(os.Args[0])]; ok {
		return tool(ctx, a, os.Args[1:])
	}
	return a.run(ctx, os.Args[1:])
}

// app is one command line at work.
type app struct {
	in       io.Reader
	out, err io.Writer
	env      []string
	cwd      string
	flags    flags
	data     any  // of the envelope
	bar      *bar // of a batch on a terminal, else nil
}
