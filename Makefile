# Two commands matter: `make demo` shows the product, `make check` runs every test there is.

.PHONY: demo check test bench fmt picture

# The main job on a fresh machine that has only Go.
demo:
	go run ./cmd/rig wiki demo

# Everything: installs what it needs, formats, vets, tests, drives the real agents and the real editors.
check:
	bash .ci/check

# The inner loop.
test:
	go test ./...

# The figures that the README and the issues give, for a quiet machine; RIG_BENCH_PAGES=1000,10000,100000 adds the large wiki to the runs.
bench: export RIG_BENCH_PAGES ?= 1000,10000
bench:
	CGO_ENABLED=0 $(bench) Cycle -benchtime 15x -timeout 60m ./sandbox
	$(bench) ReadPage ./sandbox
	$(bench) 'Ingest|Ready' -benchtime 7x ./cmd/rig
	$(bench) ThousandPages -benchtime 3x ./wiki/proposal
	$(bench) . -benchtime 3x ./lsp
	$(bench) . -benchtime 200ms ./sandbox/diff
	$(bench) 'Build|Resolve|Refresh|Keystroke' -benchtime 3x -short ./wiki/index
bench = go test -run '^$$' -bench

fmt:
	gofmt -w $$(git ls-files '*.go')

# The picture in the README, drawn from what the demo prints.
picture:
	bash .ci/picture
