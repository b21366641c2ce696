package adapters

import (
	"regexp"
	"strings"
)

// A commandRule names the kind of shell commands; the first that matches counts.
type commandRule struct {
	kind string
	re   func() *regexp.Regexp
}

var commandRules = []commandRule{
	{"edit", lazyRE(`^apply_patch\b`)},
	{"git", lazyRE(`^(git|gh|hub|jj)\b`)},
	{"test", lazyRE(`^((npx|pnpm|yarn|npm|bun|bunx|deno|go|cargo|make|just|mvn|gradle|(\./)?gradlew|\./mvnw|dotnet|rake|mix|zig|swift|stack|cabal|sbt|bazel|nix|flutter|dart|composer|poetry run|uv run|hatch|nox|meson) (run )?([\w:-]*[:-])?(tests?|t|check-test|spec|nextest|nextest run)\b|(python3?|poetry run python|uv run python) -m (pytest|unittest|nose2?|doctest)|(npx |bunx |pnpm |yarn |uv run |poetry run |bundle exec )*(pytest|py\.test|jest|vitest|mocha|ava|tap|rspec|minitest|phpunit|ctest|tox|nox|karma|cypress run|playwright test|bats|busted|gotestsum|ginkgo|prove|shellspec)\b|(\./)?(vendor/bin/phpunit|node_modules/\.bin/(jest|vitest|mocha|ava))\b|node --test\b)`)},
	{"check", lazyRE(`^((npx |bunx |pnpm |yarn |npm run |bun run |pnpm run |yarn run |uv run |poetry run |bundle exec )*(eslint|tsc|lint|typecheck|type-check|check|prettier|biome|stylelint|markdownlint|ruff|mypy|pyright|pylint|flake8|black|isort|rubocop|build)\b|go (vet|build|fmt)\b|gofmt\b|goimports\b|staticcheck\b|golangci-lint\b|cargo (check|clippy|build|fmt)\b|make( |$)|just( |$)|cmake\b|ninja\b|shellcheck\b|mvn\b|gradle\b|(\./)?gradlew\b|dotnet build\b|pre-commit\b|zig build\b|swift build\b|rig wiki lint\b)`)},
	{"search", lazyRE(`^(grep|egrep|fgrep|rg|ag|find|fd|fdfind|qmd|ack|locate|rig wiki search)\b`)},
	{"read", lazyRE(`^(cat|head|tail|less|more|ls|tree|wc|stat|file|sed -n|bat|nl|pwd|du|diff|cmp|jq)\b`)},
	{"web", lazyRE(`^(curl|wget|http|https|rig wiki fetch)\b`)},
}

var (
	shellWrap = lazyRE(`(?s)^(?:/usr)?(?:/bin/)?(?:bash|sh|zsh) -l?c '(.*)'$`)
	// forewordRE is what stands before a command and says nothing about it.
	forewordRE = lazyRE(`^(?:[A-Za-z_][A-Za-z0-9_]*=(?:'[^']*'|"[^"]*"|[^\s'"]*)\s+|(?:env|time|command|exec|nohup|sudo|nice|xvfb-run|corepack)\s+|timeout\s+(?:-\S+\s+(?:\d\S*\s+)?)*?(?:\d\S*\s+)|[({!]\s*)`)
	silentRE   = lazyRE(`^(?:cd|pushd|popd|set|export|source|\.|echo|printf|true|sleep|mkdir|test|\[)(?:\s|$)`)
)

// commandKind says what a shell command is about. Of several that are joined a test counts before a check, and either before the rest; else the
// first that is more than a preparation (cd, export, echo).
func commandKind(cmd string) string {
	kind := ""
	for _, part := range commandParts(bareCommand(cmd)) {
		for m := ""; ; {
			if m = forewordRE().FindString(part); m == "" {
				break
			}
			part = part[len(m):]
		}
		k := oneCommandKind(part)
		switch {
		case k == "test":
			return k
		case k == "check" && kind != "check", kind == "" && !silentRE().MatchString(part):
			kind = k
		}
	}
	return firstOf(kind, "command")
}

func oneCommandKind(cmd string) string {
	for _, r := range commandRules {
		if r.re().MatchString(cmd) {
			return r.kind
		}
	}
	return "command"
}

// maxParts bounds how much of a command is looked at.
const maxParts = 32

// commandParts cuts a command line where its commands end: ; && || & and line ends, but not within quotes or a here-document.
func commandParts(cmd string) []string {
	var parts []string
	quote, start := byte(0), 0
	for i := 0; i < len(cmd) && len(parts) < maxParts; i++ {
		switch c := cmd[i]; {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '\\':
			i++
		case c == '<' && strings.HasPrefix(cmd[i:], "<<"):
			return append(parts, strings.TrimSpace(cmd[start:i])) // what follows is text
		case c == '&' && i > 0 && cmd[i-1] == '>': // 2>&1
		case c == ';' || c == '\n' || c == '&' || c == '|' && strings.HasPrefix(cmd[i:], "||"):
			parts = append(parts, strings.TrimSpace(cmd[start:i]))
			for i+1 < len(cmd) && strings.IndexByte("&|", cmd[i+1]) >= 0 {
				i++
			}
			start = i + 1
		}
	}
	return append(parts, strings.TrimSpace(cmd[start:]))
}

// bareCommand takes the shell off that codex puts around each command.
func bareCommand(cmd string) string {
	if m := shellWrap().FindStringSubmatch(cmd); m != nil {
		cmd = strings.ReplaceAll(m[1], `'\''`, "'")
	}
	return strings.TrimSpace(cmd)
}

// WithChecks is e as the project's own commands make it: a command that begins with one of checks is a test, whatever it looks like.
func (e Event) WithChecks(checks []string) Event {
	if e.Cmd == "" || len(checks) == 0 {
		return e
	}
	for _, part := range commandParts(bareCommand(e.Cmd)) {
		for _, c := range checks {
			if c = strings.TrimSpace(c); c != "" && anyPrefix(part, []string{c}) {
				e.Kind = "test"
				return e
			}
		}
	}
	return e
}
