package daemon

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Service is the daemon as a service of the user's session: a systemd user unit, or a launchd agent.
type Service struct {
	GOOS string // linux, darwin
	Home string
	Conf string // $XDG_CONFIG_HOME, "" for Home/.config
	UID  int
	Self string   // absolute path of our binary
	Args []string // of `rig wiki daemon`
	Env  []string // "K=V" that the service is to have: PATH, or no agent is found; RIG_HOME
	// Run runs the system's own tool; nil only writes the file.
	Run func(ctx context.Context, argv ...string) error
}

// label is the service's name to launchd, unit the one to systemd.
const (
	label = "io.github.rigwiki.daemon"
	unit  = "rig-wiki.service"
)

// File is where the service is described; an error where the system knows no such services.
func (s Service) File() (string, error) {
	switch s.GOOS {
	case "linux":
		conf := s.Conf
		if conf == "" {
			conf = filepath.Join(s.Home, ".config")
		}
		return filepath.Join(conf, "systemd", "user", unit), nil
	case "darwin":
		return filepath.Join(s.Home, "Library", "LaunchAgents", label+".plist"), nil
	}
	return "", fmt.Errorf("no service manager is known for %s: start `rig wiki daemon` from what starts your session", s.GOOS)
}

// Install writes the description and starts the service. A second time it replaces the first.
func (s Service) Install(ctx context.Context) (file string, err error) {
	if file, err = s.File(); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", fmt.Errorf("install the daemon: %w", err)
	}
	text := s.unit()
	steps := [][]string{{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "enable", "--now", unit}, {"systemctl", "--user", "restart", unit}}
	if s.GOOS == "darwin" {
		text = s.plist()
		_ = s.do(ctx, "launchctl", "bootout", s.target()) // not loaded: nothing to end
		steps = [][]string{{"launchctl", "bootstrap", fmt.Sprintf("gui/%d", s.UID), file}}
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return "", fmt.Errorf("install the daemon: %w", err)
	}
	for _, argv := range steps {
		if err := s.do(ctx, argv...); err != nil {
			return file, fmt.Errorf("%s is written, but %s: %w", file, strings.Join(argv, " "), err)
		}
	}
	return file, nil
}

// Uninstall ends the service and removes its description. One that is not there is [fs.ErrNotExist].
func (s Service) Uninstall(ctx context.Context) (file string, err error) {
	if file, err = s.File(); err != nil {
		return "", err
	}
	if _, err := os.Lstat(file); err != nil {
		return file, fmt.Errorf("the daemon is not installed: %w", err)
	}
	if s.GOOS == "darwin" {
		err = s.do(ctx, "launchctl", "bootout", s.target())
	} else {
		err = s.do(ctx, "systemctl", "--user", "disable", "--now", unit)
	}
	if gone := os.Remove(file); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		return file, fmt.Errorf("uninstall the daemon: %w", gone)
	}
	if s.GOOS == "linux" {
		err = errors.Join(err, s.do(ctx, "systemctl", "--user", "daemon-reload"))
	}
	if err != nil {
		return file, fmt.Errorf("%s is removed, but the service manager: %w", file, err)
	}
	return file, nil
}

func (s Service) do(ctx context.Context, argv ...string) error {
	if s.Run == nil {
		return nil
	}
	return s.Run(ctx, argv...)
}

func (s Service) target() string { return fmt.Sprintf("gui/%d/%s", s.UID, label) }

// unit is the systemd user unit (systemd.service(5), systemd.syntax(7)).
func (s Service) unit() string {
	var b strings.Builder
	word := func(s string) string { return strings.ReplaceAll(systemdQuoted(s), "$", "$$") } // a command's variables are expanded, an assignment's are not
	b.WriteString("[Unit]\nDescription=rig wiki daemon: new sources become proposals\n\n[Service]\nType=exec\nExecStart=" + word(s.Self) + " wiki daemon")
	for _, a := range s.Args {
		b.WriteString(" " + word(a))
	}
	b.WriteString("\nExecReload=/bin/kill -HUP $MAINPID\n")
	for _, kv := range s.Env {
		b.WriteString("Environment=" + systemdQuoted(kv) + "\n")
	}
	b.WriteString("Restart=on-failure\nRestartSec=30\nKillMode=mixed\nTimeoutStopSec=120\n\n[Install]\nWantedBy=default.target\n")
	return b.String()
}

// systemdQuoted is one word of a unit: in double quotes, with specifiers escaped.
func systemdQuoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\n", `\n`).Replace(s) + `"`
}

// plist is the launchd agent (launchd.plist(5)).
func (s Service) plist() string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n<dict>\n")
	b.WriteString("\t<key>Label</key>\n\t<string>" + label + "</string>\n\t<key>ProgramArguments</key>\n\t<array>\n")
	for _, a := range append([]string{s.Self, "wiki", "daemon"}, s.Args...) {
		b.WriteString("\t\t<string>" + xmlText(a) + "</string>\n")
	}
	b.WriteString("\t</array>\n\t<key>EnvironmentVariables</key>\n\t<dict>\n")
	for _, kv := range s.Env {
		k, v, _ := strings.Cut(kv, "=")
		b.WriteString("\t\t<key>" + xmlText(k) + "</key>\n\t\t<string>" + xmlText(v) + "</string>\n")
	}
	log := xmlText(filepath.Join(s.Home, "Library", "Logs", "rig-wiki.log"))
	b.WriteString("\t</dict>\n\t<key>RunAtLoad</key>\n\t<true/>\n\t<key>KeepAlive</key>\n\t<dict>\n\t\t<key>SuccessfulExit</key>\n\t\t<false/>\n\t</dict>\n\t<key>ExitTimeOut</key>\n\t<integer>120</integer>\n\t<key>StandardErrorPath</key>\n\t<string>" + log + "</string>\n</dict>\n</plist>\n")
	return b.String()
}

func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder takes everything
	return b.String()
}
