package adapters

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Get is the value of a variable in the user's environment; the last one set counts.
func (e Env) Get(name string) string {
	v, _ := e.lookup(name)
	return v
}

func (e Env) lookup(name string) (string, bool) {
	for i := len(e.Vars) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(e.Vars[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

// boardEnv is what every run gets of the events endpoint and its task (sections 8 and 9). The address is a literal one, so proxies are
// told to keep off it (case o-ev-03).
func boardEnv(r Request) []string {
	env := []string{"BOARD_PORT=" + strconv.Itoa(r.Board.Port)}
	for _, kv := range [][2]string{{"BOARD_AGENT_ID", r.Board.AgentID}, {"BOARD_TASK", r.Task}, {"BOARD_TOKEN", r.Board.Token}} {
		if kv[1] != "" {
			env = append(env, kv[0]+"="+kv[1])
		}
	}
	for _, name := range [][2]string{{"NO_PROXY", "no_proxy"}, {"no_proxy", "NO_PROXY"}} { // a program may read either: what one says both must
		env = append(env, name[0]+"="+noProxy(firstOf(r.Env.Get(name[0]), r.Env.Get(name[1]))))
	}
	return env
}

func noProxy(have string) string {
	list := strings.FieldsFunc(have, func(c rune) bool { return c == ',' || c == ' ' })
	for _, want := range []string{"127.0.0.1", "localhost", "::1"} {
		if !slices.Contains(list, want) {
			list = append(list, want)
		}
	}
	return strings.Join(list, ",")
}

// pathEnv puts the folder of the program first on PATH where it is not there already: what "#!/usr/bin/env node" finds must be the
// runtime that lies beside the program (case o-ag-15). A shim finds its version manager there too.
func pathEnv(env Env, program string) []string {
	if program == "" {
		return nil
	}
	dirs, path := []string{filepath.Dir(program)}, env.Get("PATH")
	var vars []string
	if s, ok := shimmerOf(env, program); ok {
		if at := env.Get(s.home); at != "" {
			vars = append(vars, s.home+"="+at)
		}
		if at := s.manager(env); at != "" {
			dirs = append(dirs, filepath.Dir(at))
		}
	}
	dirs = slices.DeleteFunc(dirs, func(d string) bool { return slices.Contains(filepath.SplitList(path), d) })
	if len(dirs) == 0 {
		return vars
	}
	if path != "" {
		dirs = append(dirs, path)
	}
	return append(vars, "PATH="+strings.Join(dirs, string(filepath.ListSeparator)))
}

// withConfig adds what `agent.<name>` of the user's config says: arguments at the end, variables over ours, hosts.
func withConfig(v Invocation, c AgentConfig) Invocation {
	v.Argv = append(v.Argv, c.Args...)
	for _, k := range slices.Sorted(maps.Keys(c.Env)) {
		v.Env = setEnv(v.Env, k, c.Env[k])
	}
	v.Hosts = append(v.Hosts, c.Network...)
	return v
}

// option is an option with its value. A value that looks like an option itself is tied to it, since some parsers would take it for one; pi alone
// takes whatever follows.
func option(name, value string) []string {
	if strings.HasPrefix(value, "-") {
		return []string{name + "=" + value}
	}
	return []string{name, value}
}

// setEnv sets a variable in a list that holds each name once.
func setEnv(env []string, name, value string) []string {
	for i, kv := range env {
		if strings.HasPrefix(kv, name+"=") {
			env[i] = name + "=" + value
			return env
		}
	}
	return append(env, name+"="+value)
}

// withBrief puts the project's brief behind the system text, for an agent that is kept from reading it, or does not, by itself.
func withBrief(r Request) Request {
	if brief := strings.TrimSpace(r.Brief); brief != "" {
		r.System = strings.TrimLeft(strings.TrimRight(r.System, "\n")+"\n\nThe project's brief, its AGENTS.md:\n\n"+brief+"\n", "\n")
	}
	return r
}
