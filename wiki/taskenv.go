package wiki

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// taskEnvFile is where a project keeps the task board's variables, relative to the repository. It is the project's: what it says is taken as far as it
// cannot widen what runs (design, section 8).
const taskEnvFile = "local/.env"

// maxEnvFile bounds taskEnvFile, in bytes.
const maxEnvFile = 256 << 10

// taskSettings is what the BOARD_AGENT_* variables ask for, and who said so.
type taskSettings struct {
	Commands []string // prefixes
	From     string   // where Commands come from, "" for nowhere: "the environment", "local/.env", "our configuration"
	Agent    string
	Model    string
	Port     string // BOARD_PORT: another board that hears the events
	Token    string // of that board, where the project's file names both
	Ignored  []string
}

// taskSettingsFor reads the variables: the user's environment before the project's file before our configuration.
func (h *Host) taskSettingsFor(w *Wiki, cfg Config, op string, confined confinement) (taskSettings, error) {
	file, err := readEnvFile(filepath.Join(w.Real, filepath.FromSlash(taskEnvFile)))
	if err != nil {
		return taskSettings{}, err
	}
	var s taskSettings
	if s.Port = firstVar([][]string{h.env}, "BOARD_PORT"); s.Port == "" { // a port and its token come from one place
		s.Port, s.Token = firstVar([][]string{file}, "BOARD_PORT"), firstVar([][]string{file}, "BOARD_TOKEN")
	}
	model := "BOARD_AGENT_MODEL_" + strings.ToUpper(strings.ReplaceAll(op, "-", "_"))
	s.Model = firstVar([][]string{h.env, file}, model, "BOARD_AGENT_MODEL")
	s.Agent = firstVar([][]string{h.env, file}, "BOARD_AGENT_ADAPTER")
	if s.Agent != "" && !isAgentName(s.Agent) {
		return s, fmt.Errorf("BOARD_AGENT_ADAPTER is %q: not the name of an agent", s.Agent)
	}
	for _, from := range []struct {
		text, where string
	}{{LookupVar(h.env, "BOARD_AGENT_COMMANDS"), "the environment"}, {LookupVar(file, "BOARD_AGENT_COMMANDS"), taskEnvFile}, {strings.Join(cfg.Commands, ","), "our configuration"}} {
		list := commandList(from.text)
		if len(list) == 0 {
			continue
		}
		if from.where == taskEnvFile && confined == unconfined && !Trusted(h.rigHome, w.Real) {
			s.Ignored = append(s.Ignored, "BOARD_AGENT_COMMANDS of "+taskEnvFile+" did not count: nothing confines the agent here, and the folder is not trusted (`rig wiki trust "+w.Root+"`)")
			continue
		}
		s.Commands, s.From = list, from.where
		break
	}
	return s, nil
}

// confinement says whether a sandbox keeps what the agent runs from the host.
type confinement int

const (
	confined confinement = iota
	unconfined
)

// firstVar is the first variable that is set: each name in the first environment, then in the next.
func firstVar(envs [][]string, names ...string) string {
	for _, env := range envs {
		for _, name := range names {
			if v := strings.TrimSpace(LookupVar(env, name)); v != "" {
				return v
			}
		}
	}
	return ""
}

// commandList splits comma-separated command prefixes.
func commandList(text string) []string {
	var out []string
	for c := range strings.SplitSeq(text, ",") {
		if c = strings.Join(strings.Fields(c), " "); c != "" && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// readEnvFile reads lines NAME=value as shells and the common readers of such files do: comments, "export", quotes. Nothing is expanded.
func readEnvFile(path string) ([]string, error) {
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !fi.Mode().IsRegular() {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", taskEnvFile, err)
	}
	if fi.Size() > maxEnvFile {
		return nil, fmt.Errorf("read %s: it is longer than %d bytes", taskEnvFile, maxEnvFile)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", taskEnvFile, err)
	}
	var env []string
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))
	lines.Buffer(nil, maxEnvFile+1)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		line = strings.TrimSpace(strings.TrimPrefix(line, "export "))
		name, value, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); !ok || name == "" || line[0] == '#' {
			continue
		}
		env = append(env, name+"="+envValue(strings.TrimSpace(value)))
	}
	return env, lines.Err()
}

// envValue takes quotes off, or a comment behind an unquoted value.
func envValue(v string) string {
	if v == "" {
		return ""
	}
	if q := v[0]; q == '"' || q == '\'' {
		if end := strings.IndexByte(v[1:], q); end >= 0 {
			return v[1 : end+1]
		}
		return v
	}
	if i := strings.Index(v, " #"); i >= 0 {
		v = strings.TrimSpace(v[:i])
	}
	return v
}
