package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync/atomic"
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
	collectLater()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop)
	cwd, err := os.Getwd()
	if err != nil {
		cwd = "" // it was removed; absolute paths do without it
	}
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Environ(), cwd: cwd}
	if tool, ok := tools()[filepath.Base(os.Args[0])]; ok {
		return tool(ctx, a, os.Args[1:])
	}
	return a.run(ctx, os.Args[1:])
}

// collectLater has the first garbage collection at 16 MiB instead of 4, and the others as usual: most command lines end before it, and would pay a tenth of their time for it.
func collectLater() {
	const percent = 400
	usual := debug.SetGCPercent(percent)
	if usual != 100 { // the user's GOGC
		debug.SetGCPercent(usual)
		return
	}
	runtime.AddCleanup(new([64]byte), func(usual int) { debug.SetGCPercent(usual) }, usual)
}

// app is one command line at work.
type app struct {
	in       io.Reader
	out, err io.Writer
	env      []string
	cwd      string
	flags    flags
	data     any                   // of the envelope
	unsaid   atomic.Pointer[error] // the first write to out that failed
	bar      *bar                  // of a batch on a terminal, else nil
}
