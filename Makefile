# Two commands matter: `make demo` shows the product, `make check` runs every test there is.

.PHONY: demo check test fmt picture

# The main job on a fresh machine that has only Go.
demo:
	go run ./cmd/rig wiki demo

# Everything: installs what it needs, formats, vets, tests, drives the real agents and the real editors.
check:
	bash .ci/check

# The inner loop.
test:
	go test ./...

fmt:
	gofmt -w $$(git ls-files '*.go')

# The picture in the README, drawn from what the demo prints.
picture:
	bash .ci/picture
