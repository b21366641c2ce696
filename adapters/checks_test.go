package adapters

import (
	"slices"
	"strings"
	"testing"
)

func TestReadChecks(t *testing.T) {
	text := "\ufeff# what done means here\r\n\r\npytest: \\bpytest\\b\r\nfrontend: type-check|vue-tsc|\\bnpm (run )?test\\b|\\bvitest\\b\nratio: a:b\n no pattern:\nno colon\nahead: (?=x)\n  smoke :  ^make smoke$  \n"
	checks, bad := ReadChecks([]byte(text))
	var labels []string
	for _, c := range checks {
		labels = append(labels, c.Label)
	}
	if want := []string{"pytest", "frontend", "ratio", "smoke"}; !slices.Equal(labels, want) {
		t.Errorf("%q, want %q", labels, want)
	}
	if len(bad) != 3 || !strings.HasPrefix(bad[0], "line 6 ") || !strings.HasPrefix(bad[1], "line 7 ") || !strings.HasPrefix(bad[2], "line 8, ahead: ") {
		t.Errorf("%q", bad)
	}
	for cmd, want := range map[string]string{
		"python -m pytest -q": "test", "/usr/bin/bash -lc 'cd x && npm run test'": "test", "make smoke": "test", "make smoke2": "command", "echo a:b": "test", "": "command",
	} {
		if got := (Event{Kind: "command", Cmd: cmd}).Checked(checks).Kind; got != want {
			t.Errorf("%q is a %s, want %s", cmd, got, want)
		}
	}
	if _, bad := ReadChecks([]byte(strings.Repeat("a: b\n", 1000))); len(bad) != 1 {
		t.Errorf("%q", bad)
	}
	if checks, bad := ReadChecks(nil); checks != nil || bad != nil {
		t.Error(checks, bad)
	}
}

// TestJudged: a pipe hides a failure from the exit status, not from who reads.
func TestJudged(t *testing.T) {
	yes, no := truth(true), truth(false)
	for _, c := range []struct {
		cmd, out string
		ok, want *bool
	}{
		{"pytest", "3 failed, 9 passed in 0.2s", nil, no}, {"pytest", "9 passed in 0.2s", nil, yes}, {"pytest | tail -5", "3 failed, 9 passed", yes, no},
		{"pytest", "3 errors are expected here", yes, yes}, {"pytest", "9 passed", no, no}, {"go test ./... | tail -3", "ok  \tx\t0.1s\nFAIL\ty", yes, no},
		{"go test ./...; true", "--- FAIL: TestX (0.00s)", yes, no}, {"go test ./... | cat", "ok  \tx\t0.1s", yes, yes}, {"npx vitest run | cat", "Tests  1 failed | 2 passed (3)", yes, no},
		{"lint-imports", "Contracts: 4 kept, 0 broken.", nil, yes}, {"lint-imports", "Contracts: 4 kept, 1 broken.", nil, no}, {"python3 -m unittest", "Ran 3 tests\n\nOK", nil, yes},
		{"python3 -m unittest", "Ran 3 tests\n\nFAILED (failures=1)", nil, no}, {"x", "nothing to see", nil, nil}, {"x | y", "nothing to see", yes, yes},
		{"cargo test | cat", "test result: FAILED. 1 passed; 2 failed", yes, no}, {"mocha | cat", "  12 passing (3ms)\n  0 failing", yes, yes},
	} {
		got := Event{Kind: "test", Cmd: c.cmd, Detail: c.out, OK: c.ok}.Judged().OK
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %q", c.cmd, c.out)
		}
	}
	if e := (Event{Kind: "command", Cmd: "x", Detail: "3 failed"}).Judged(); e.OK != nil {
		t.Error("a command that is no test is judged")
	}
	if e := (Event{Kind: "test", Cmd: "x", Detail: "3 failed", Running: true}).Judged(); e.OK != nil {
		t.Error("a running test is judged")
	}
}

func FuzzReadChecks(f *testing.F) {
	f.Add([]byte("pytest: \\bpytest\\b\n"), "pytest")
	f.Add([]byte("a:(((((((((((x{1000}){1000}){1000}"), "x")
	f.Add([]byte{0xff, ':', 0xfe, '\n'}, "\xff")
	f.Fuzz(func(t *testing.T, text []byte, cmd string) {
		checks, bad := ReadChecks(text)
		if len(checks) > maxCheckLines || len(bad) > maxCheckLines+1 {
			t.Fatal(len(checks), len(bad))
		}
		Event{Kind: "command", Cmd: cmd}.Checked(checks)
	})
}
