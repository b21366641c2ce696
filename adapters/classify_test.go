package adapters

import "testing"

// TestCommandKind is a table of what agents run.
func TestCommandKind(t *testing.T) {
	for cmd, want := range map[string]string{
		"go test ./...": "test", "cd sub && go test -race ./... 2>&1 | tail -5": "test", "go build ./... && go test ./x": "test", "CGO_ENABLED=0 go test": "test",
		"timeout 60 npm test": "test", "timeout -k 5 60s npm run test:unit": "test", "env A=1 B='x y' pytest -q": "test", "python3 -m unittest discover": "test", "python -m pytest": "test",
		"npx vitest run": "test", "yarn jest": "test", "pnpm test": "test", "make test": "test", "cargo nextest run": "test", "cargo test --all": "test", "uv run pytest": "test",
		"bundle exec rspec": "test", "./gradlew test": "test", "node --test": "test", "dotnet test": "test", "mvn test": "test", "just test": "test", "npm run test": "test",
		"bash -lc 'npm test'": "test", "/usr/bin/bash -lc 'cd x; npm test'": "test", "(cd x; tox)": "test", "set -e\nmake test": "test", "export A=1; ctest": "test",
		"npm run lint": "check", "npx eslint .": "check", "go vet ./...": "check", "tsc --noEmit": "check", "npx tsc": "check", "make": "check", "make all": "check", "cargo clippy": "check",
		"mypy src": "check", "go build ./... ; ls": "check", "ls && go vet ./...": "check", "npm run build": "check", "ruff check": "check",
		"git status": "git", "gh pr view 3": "git", "cd x && git diff": "git", "git commit -m 'npm test; go test'": "git", "git add . && git commit -m \"go test\"": "git",
		"rg foo": "search", "grep -rn 'go test' .": "search", "find . -name x": "search", "qmd query x": "search",
		"cat a.txt": "read", "ls -la": "read", "sed -n 1,5p x": "read", "head -3 a; tail -3 b": "read",
		"curl http://x": "web", "wget x": "web",
		"apply_patch <<'EOP'\n*** Begin Patch\ngo test\nEOP": "edit",
		"npm install": "command", "node x.js": "command", "rm -rf x": "command", "cat > x <<EOF\ngo test\nEOF": "read", "python3 x.py": "command", "cd x": "command", "": "command",
		"testing": "command", "golang test": "command", "sed -i s/a/b/ x": "command", "echo go test": "command", "mktemp; npm ci": "command", "gotest": "command", "makefile": "command", "gitk": "command",
	} {
		if got := commandKind(cmd); got != want {
			t.Errorf("%q is %q, want %q", cmd, got, want)
		}
	}
}

func TestWithChecks(t *testing.T) {
	checks := []string{"./run-all", "npm run verify", " "}
	for cmd, want := range map[string]string{"./run-all --fast": "test", "cd x && npm run verify": "test", "./run-all-of-it": "command", "npm run verify2": "command", "": "other"} {
		kind := "command"
		if cmd == "" {
			kind = "other"
		}
		if got := (Event{Kind: kind, Cmd: cmd}).WithChecks(checks).Kind; got != want {
			t.Errorf("%q is %q, want %q", cmd, got, want)
		}
	}
}
