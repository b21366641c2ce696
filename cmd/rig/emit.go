package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/adapters/board"
	"github.com/rigwiki/rig/wiki"
)

// hookPatience is how long a hook may hold its agent up where the board takes a connection and then says nothing. A board that is not there
// costs nothing, one that answers a millisecond.
const hookPatience = 100 * time.Millisecond

// emitCmd is the hidden verb that hooks and plug-ins of wired projects call: `rig wiki __emit AGENT`, what the agent tells on standard input.
// It prints nothing and its exit code is 0 whatever happens: an agent must not hear of it.
func (a *app) emitCmd() *cobra.Command {
	return &cobra.Command{Use: "__emit AGENT", Hidden: true, Args: args(cobra.ExactArgs(1)), RunE: func(_ *cobra.Command, as []string) error {
		boards := a.boards()
		if len(boards) == 0 {
			return nil
		}
		checks := a.checks()
		_ = adapters.Emit(as[0], a.in, func(e adapters.Event) {
			e.Agent, e.Task = a.getenv("BOARD_AGENT_ID"), a.getenv("BOARD_TASK")
			e = e.Checked(checks)
			if e.Kind == "command" { // the project's own test and check commands
				e = e.WithChecks(strings.Split(a.boardVar("BOARD_AGENT_COMMANDS"), ","))
			}
			for _, b := range boards {
				b.Post(e.Judged().Capped())
			}
		})
		for _, b := range boards {
			b.Close(3 * hookPatience)
		}
		return nil
	}}
}

// maxBoards bounds the servers of ours that one hook tells.
const maxBoards = 8

// boards are who hears of a session: the board that the environment names, alone, since a host that starts an agent says so; else the one of the
// project, and the endpoints that our own servers publish.
func (a *app) boards() []*board.Emitter {
	port := a.boardVar("BOARD_PORT")
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		port = "" // no board
	}
	var out []*board.Emitter
	if port != "" {
		out = append(out, board.NewEmitter(port, a.boardVar("BOARD_TOKEN"), hookPatience))
	}
	if a.getenv("BOARD_PORT") != "" {
		return out
	}
	for _, b := range wiki.Boards(a.rigHome()) {
		if at := strconv.Itoa(b.Port); at != port && len(out) < maxBoards {
			out = append(out, board.NewEmitter(at, b.Token, hookPatience))
		}
	}
	return out
}

// projectFolders are the working folder and those above it, up to the one that holds the repository.
func (a *app) projectFolders() []string {
	var out []string
	for dir := a.cwd; ; dir = filepath.Dir(dir) {
		out = append(out, dir)
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || dir == filepath.Dir(dir) {
			return out
		}
	}
}

// checks are those of the nearest project folder that has some.
func (a *app) checks() []adapters.Check {
	for _, dir := range a.projectFolders() {
		if checks, bad := wiki.ChecksIn(dir); len(checks)+len(bad) > 0 {
			return checks
		}
	}
	return nil
}

// boardVar is a variable of the environment, else of local/.env of the project around the working folder: sessions that a person starts get no
// environment from a board.
func (a *app) boardVar(name string) string {
	if v := a.getenv(name); v != "" {
		return v
	}
	for _, dir := range a.projectFolders() {
		if text, err := os.ReadFile(filepath.Join(dir, "local", ".env")); err == nil {
			return dotenv(string(text), name)
		}
	}
	return ""
}

// dotenv finds a variable in lines of NAME=value, quoted or not; the last one counts.
func dotenv(text, name string) (value string) {
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "export ")
		if v, ok := strings.CutPrefix(line, name+"="); ok {
			value = strings.Trim(strings.TrimSpace(v), `"'`)
		}
	}
	return value
}
