package main

import (
	"context"
	"io"
	"os"
	"os/signal"
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
	return a.run(ctx, os.Args[1:])
}

// app is one command line at work.
type app struct {
	in       io.Reader
	out, err io.Writer
	env      []string
	cwd      string
	flags    flags
	data     any // of the envelope
}
