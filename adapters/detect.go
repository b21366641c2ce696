package adapters

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// probeTime bounds one question to a program. The slowest CLI known takes two seconds for --version on a quiet machine, and was seen to take
// more than twenty on a busy one.
const probeTime = 60 * time.Second

// A probe says how to ask a vendor's program what it is.
type probe struct {
	name     string            // program and adapter
	install  string            // what to do where it is missing
	floor    string            // oldest version that is usable
	help     []string          // arguments that print the options; nil: no features are probed
	features map[string]string // feature -> a text of the help that shows it
	vars     []string          // "K=V" that keep the program from doing more than answering
}

var versionRE = lazyRE(`\d+\.\d+(\.\d+)?`)

// versionLineRE is a line that is a program's version and nothing else: "2.1.197 (Claude Code)", "codex-cli 0.171.0", "v1.6.0".
var versionLineRE = lazyRE(`(?m)^\s*(?:[A-Za-z][\w-]*[ /@])?v?(\d+\.\d+(?:\.\d+)?)(?:[-+]\S*)?(?: \([^)\n]*\))?\s*$`)

// versionIn is the version that a program answers with, which may stand below a notice of an update or a warning of its runtime; "" for none.
func versionIn(said string) string {
	if m := versionLineRE().FindStringSubmatch(said); m != nil {
		return m[1]
	}
	return versionRE().FindString(said)
}

// detect finds the program and asks it for its version and options, both at once. Each question may start seconds of work, so a version that the
// program's package tells is not asked for where the options are: they show that it starts.
func (p probe) detect(ctx context.Context, env Env) Detection {
	path, err := newFinder(env).program(p.name)
	if err != nil {
		return Detection{Why: err.Error() + ": " + p.install}
	}
	d := Detection{Installed: true, Path: path}
	runtime, err := runtimeOf(env, path)
	if d.Runtime = runtime; err != nil {
		d.Why = err.Error()
		return d
	}
	var version, help string
	var versionErr, helpErr error
	var wg sync.WaitGroup
	if p.help != nil {
		version = packageVersion(path, p.name)
		wg.Go(func() { help, helpErr = p.ask(ctx, env, path, p.help...) }) // no help: features stay unknown
	}
	packaged := version != ""
	if !packaged {
		wg.Go(func() { version, versionErr = p.ask(ctx, env, path, "--version") })
	}
	wg.Wait()
	d.Version = versionIn(version)
	d.Features = p.probed(help)
	switch {
	case packaged && helpErr != nil:
		d.Why = fmt.Sprintf("%s %s: %v", path, strings.Join(p.help, " "), helpErr)
	case d.Version == "" && versionErr != nil:
		d.Why = fmt.Sprintf("%s --version: %v", path, versionErr)
		if said := StderrFailure(p.name, []byte(version)); said != nil {
			d.Why += ": " + said.Message
		}
	case d.Version != "" && compareVersions(d.Version, p.floor) < 0:
		d.Why = fmt.Sprintf("%s %s is too old, %s or newer is needed: %s", p.name, d.Version, p.floor, p.install)
	default:
		d.Usable = true
	}
	return d
}

// probed is nil, everything unknown, where the text is no help text.
func (p probe) probed(help string) map[string]bool {
	if !strings.Contains(strings.ToLower(help), "usage") {
		return nil
	}
	f := make(map[string]bool, len(p.features))
	for name, text := range p.features {
		f[name] = strings.Contains(help, text)
	}
	return f
}

// has tells whether a feature may be used: yes where nothing is known, the plan is made for the versions that were tested.
func (d Detection) has(feature string) bool {
	v, known := d.Features[feature]
	return v || !known
}

// ask is what the program prints, from what was kept or by running it.
func (p probe) ask(ctx context.Context, env Env, path string, args ...string) (string, error) {
	if env.Answers == nil {
		return p.run(ctx, env, path, args...)
	}
	key := strings.Join(append([]string{programID(path)}, args...), " ")
	if text, known := env.Answers.Answer(key); known {
		return text, nil
	}
	text, err := p.run(ctx, env, path, args...)
	if err == nil {
		env.Answers.Keep(key, text)
	}
	return text, err
}

// packageVersion is the version of the npm package that installs the program, "" where it is in none.
func packageVersion(path, program string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	for dir := filepath.Dir(real); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err != nil {
			continue
		}
		var pkg struct {
			Version string            `json:"version"`
			Bin     map[string]string `json:"bin"`
		}
		if json.Unmarshal(text, &pkg) != nil || pkg.Bin[program] == "" || filepath.Join(dir, filepath.FromSlash(pkg.Bin[program])) != real {
			return ""
		}
		return pkg.Version
	}
	return ""
}

// programID changes with the program: where its links lead, size and time of that file, and the package.json of the package it belongs to, since
// package managers give files of every version the same time.
func programID(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	id := real
	if fi, err := os.Stat(real); err == nil {
		id = fmt.Sprint(real, " ", fi.Size(), " ", fi.ModTime().UnixNano())
	}
	for dir := filepath.Dir(real); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, "package.json")); err == nil {
			return fmt.Sprintf("%s %x", id, sha256.Sum256(text))
		}
	}
	return id
}

// run runs the program with no input and returns what it prints, stderr included (pi prints its version there).
// The error never shows the environment, which holds keys.
func (p probe) run(ctx context.Context, env Env, path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = os.TempDir() // never the wiki: its own config must not be read
	cmd.Env = append([]string{"HOME=" + env.Home, "PATH=" + env.Get("PATH"), "LANG=" + env.Get("LANG"), "NO_COLOR=1"}, p.vars...)
	if kv := pathEnv(env, path); kv != nil {
		cmd.Env = append(cmd.Env, kv...)
	}
	out := &headBuffer{max: 256 << 10}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	err := cmd.Run()
	if ctx.Err() == context.DeadlineExceeded {
		err = fmt.Errorf("no answer within %s", probeTime)
	}
	return out.String(), err
}

// headBuffer keeps the first max bytes. It is written by one goroutine: exec gives equal writers one pipe.
type headBuffer struct {
	bytes.Buffer
	max int
}

func (b *headBuffer) Write(p []byte) (int, error) {
	if room := b.max - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

// runtimeOf lists what the program at path needs to be seen: the folder that its links lead to (the outermost node_modules, because
// packages lie beside each other there) and the interpreter of its first line.
func runtimeOf(env Env, path string) ([]string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("%s leads nowhere: reinstall it", path)
	}
	var list []string
	if real != path {
		list = append(list, packageDir(real))
	} else if dir := packageDir(real); dir != filepath.Dir(real) {
		list = append(list, dir)
	}
	list = append(list, shimNeeds(env, path)...)
	name := interpreter(real)
	if name == "" {
		return list, nil
	}
	beside := env
	beside.Vars = append(append([]string(nil), env.Vars...), pathEnv(env, path)...)
	program, err := newFinder(beside).find(name)
	if err != nil {
		return list, fmt.Errorf("%s was found, but it needs %s, which was not: install %s or put it on PATH", path, name, name)
	}
	list = append(list, program)
	if r, err := filepath.EvalSymlinks(program); err == nil && r != program {
		list = append(list, r)
	}
	return list, nil
}

// A shimmer is a version manager whose shims choose and start the real program somewhere below its root.
type shimmer struct {
	root    string   // below HOME
	home    string   // the variable that names another root
	program string   // that a shim looks for on PATH; "" where it is its own
	config  []string // below HOME: what tells it the version
}

func shimmers() []shimmer {
	return []shimmer{
		{root: ".volta", home: "VOLTA_HOME"},
		{".asdf", "ASDF_DATA_DIR", "asdf", []string{".tool-versions", ".asdfrc"}},
		{".local/share/mise", "MISE_DATA_DIR", "", []string{".config/mise", ".tool-versions"}},
		{".nodenv", "NODENV_ROOT", "nodenv", nil},
	}
}

// dir is the manager's root, "" where there can be none.
func (s shimmer) dir(env Env) string {
	if at := env.Get(s.home); filepath.IsAbs(at) {
		return filepath.Clean(at)
	}
	if env.Home == "" {
		return ""
	}
	return filepath.Join(env.Home, filepath.FromSlash(s.root))
}

// shimmerOf is the version manager that the program at path is a shim of.
func shimmerOf(env Env, path string) (shimmer, bool) {
	for _, s := range shimmers() {
		if dir := s.dir(env); dir != "" && strings.HasPrefix(path, dir+string(filepath.Separator)) {
			return s, true
		}
	}
	return shimmer{}, false
}

// shimNeeds lists what must be seen for a shim to find the real program.
func shimNeeds(env Env, path string) []string {
	s, ok := shimmerOf(env, path)
	if !ok {
		return nil
	}
	list := []string{s.dir(env)}
	for _, rel := range s.config {
		if file := filepath.Join(env.Home, filepath.FromSlash(rel)); exists(file) {
			list = append(list, file)
		}
	}
	if at := s.manager(env); at != "" {
		list = append(list, at)
	}
	return list
}

// manager is the path of the program that a shim looks for on PATH; "" where it needs none, or there is none: an older manager's shims name it by its path.
func (s shimmer) manager(env Env) string {
	if s.program == "" {
		return ""
	}
	at, err := newFinder(env).find(s.program)
	if err != nil {
		return ""
	}
	return at
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func packageDir(real string) string {
	if before, _, ok := strings.Cut(filepath.ToSlash(real), "/node_modules/"); ok {
		return filepath.Join(filepath.FromSlash(before), "node_modules")
	}
	return filepath.Dir(real)
}

// interpreter reads "node" from "#!/usr/bin/env node". An absolute interpreter (/bin/sh) is the system's and always visible.
func interpreter(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "" // not readable is not for us to judge: starting it will tell
	}
	defer f.Close()
	head, err := bufio.NewReader(f).Peek(128)
	if len(head) < 2 || (err != nil && len(head) == 0) || string(head[:2]) != "#!" {
		return ""
	}
	line, _, _ := strings.Cut(string(head[2:]), "\n")
	words := strings.Fields(line)
	if len(words) < 2 || filepath.Base(words[0]) != "env" {
		return ""
	}
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") {
			return w
		}
	}
	return ""
}
