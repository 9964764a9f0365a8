# Development of assay. `make` lists what there is.

GO          ?= go
BIN         := bin
# Where the linter is installed (an absolute path).
TOOLS       ?= $(CURDIR)/.data/tools
LINTER      := $(TOOLS)/golangci-lint
LINTER_VERSION := 2.15.0
FUZZTIME    ?= 30s
# More arguments: make test ARGS='-run TestPage ./store/...' or
# make run ARGS='--fault status-500,endpoint=/trades'
ARGS        ?=
# The packages of all modules. go.work joins them, and ./... is those of the first.
PACKAGES    := ./... ./client/go/... ./client/assay/... ./contracttest/... ./test/...

# Go needs a home for its caches.
ifeq ($(HOME),)
export HOME := $(CURDIR)/.data/home
endif

# The launcher replaces the shell, so that signals and exit codes are its own.
DEV = mkdir -p $(BIN) && { test -x $(BIN)/dev || echo "==> building the program behind make (the first time takes a minute or two)" >&2; } && $(GO) build -buildvcs=false -o $(BIN)/dev ./internal/dev && exec $(BIN)/dev

.DEFAULT_GOAL := help
.PHONY: help run test test-all check check-files check-go check-node lint fmt fuzz chaos attack restore-drill bench build generate renderer generated pages pages-test pictures built-pages tidy arrows promises document release release-api linter clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## start everything with a platform to read from, until Ctrl-C (ARGS='--help')
	@$(DEV) run $(ARGS)

test: ## run the product's tests that are quick, with a database of their own (ARGS='-run X ./store')
	@$(DEV) test $(ARGS)

test-all: ## run the quick tests with -race, then all tests of all modules: browsers, Prometheus, drills (ARGS='-run X ./test/ops')
	@$(DEV) test-all $(ARGS)

check: lint check-files ## check format, lint, modules, generated files, pages, the API's promises and document, and imports
	@echo "==> check passed"

# What make check does beside make lint: what Go does and what Node does, at a time. Most of Node's tools
# use one processor.
check-files:
	@$(MAKE) --no-print-directory -j2 check-go check-node

check-go check-node:
	@for target in $($@); do $(MAKE) --no-print-directory $$target || exit; done

check-go := tidy generated promises arrows
check-node := pages-test built-pages document

lint: linter ## check format and run the linters
	@echo "==> golangci-lint (the first time takes minutes)"
	@"$(LINTER)" run $(PACKAGES)

fmt: linter ## format all Go files and the sources of the pages
	@"$(LINTER)" fmt
	@$(DEV) node apiserver/web/test.mjs --fix

fuzz: ## run every fuzz target for FUZZTIME (30s)
	@$(DEV) fuzz -time $(FUZZTIME)

chaos: ## cause every fault hundreds of times and end with a table (ARGS='-fault "kill -9" -runs 20')
	@$(DEV) chaos $(ARGS)

attack: ## run attacks against a deployment, one after another, and end with a table (ARGS='-short', ARGS='-attack "smuggling"')
	@$(DEV) attack $(ARGS)

restore-drill: ## back up a deployment that works, lose it, restore it into an empty cluster and compare
	@$(DEV) restore-drill $(ARGS)

bench: ## measure every target and end with a table: 40 minutes, or minutes with ARGS=-short (ARGS='-count 5 ./store' goes to go test)
	@$(DEV) bench $(ARGS)

build: ## build the programs into bin/
	@mkdir -p $(BIN)
	@revision=$$(git rev-parse HEAD 2>/dev/null); \
		$(GO) build -ldflags "-X github.com/assayhq/assay/internal/version.revision=$$revision -X main.revision=$$revision" \
		-o $(BIN)/ ./apiserver ./syncd ./cmd/contracttest ./client/assay

generate: ## write the generated files again
	@$(GO) generate ./...

renderer: ## take over the renderer of /docs/console that test/clients/package.json names
	@$(DEV) node test/clients/renderer.mjs --update

pages: ## check the types of the pages in apiserver/web and build them again
	@$(DEV) node apiserver/web/build.mjs

pages-test: ## test the logic of the pages, and check the lint and format of their sources
	@$(DEV) node apiserver/web/test.mjs

pictures: ## take the pictures and the recording in docs/images again, in a browser and a terminal
	@mkdir -p docs/images
	@export ASSAY_TEST_PICTURES=$(CURDIR)/docs/images; $(DEV) test -count=1 -vet=off -run '^(TestPictures|TestTerminal)$$' ./test/clients

release: ## build archives, packages, chart, clients, bills of materials and checksums into dist/ (ARGS='--platform linux/amd64')
	@$(DEV) release $(ARGS)

release-api: generate ## make the API's document the released one (ARGS=-accept-breaking)
	@$(GO) run ./test/compatibility $(ARGS)

clean: ## remove bin/, dist/ and .data/, with the data of make run
	@for link in .data/*/pg; do if [ -L "$$link" ]; then rm -rf "$$(readlink "$$link")"; fi; done
	@rm -rf $(BIN) .data dist

tidy:
	@echo "==> go mod tidy"
	@$(GO) mod tidy -diff
	@$(GO) -C client/go mod tidy -diff
	@$(GO) -C client/assay mod tidy -diff
	@$(GO) -C contracttest mod tidy -diff
	@$(GO) -C test mod tidy -diff

# Generating must change nothing. What it changes is left for the next commit.
generated:
	@echo "==> generated files"
	@mkdir -p .data
	@git ls-files -co --exclude-standard -z | xargs -0 cksum > .data/generated.before 2>/dev/null || true
	@$(GO) generate ./...
	@git ls-files -co --exclude-standard -z | xargs -0 cksum > .data/generated.after 2>/dev/null || true
	@diff .data/generated.before .data/generated.after || \
		{ echo "make generate changes the files above (checksum, size, name): commit them"; exit 1; }

built-pages:
	@echo "==> the pages in apiserver/web"
	@$(DEV) node apiserver/web/build.mjs --check

# The document may not break clients of the released one (test/compatibility).
promises:
	@echo "==> promises of the API"
	@$(GO) run ./test/compatibility -check

arrows:
	@echo "==> import arrows, sizes and names"
	@$(GO) test -vet=off -run '^(TestArrows|TestPackageSizes|TestFunctionNames)' ./configs

# The document is checked by its readers' tools, and /docs/console is what was published.
document:
	@$(DEV) node test/clients/lint.mjs
	@$(DEV) node test/clients/renderer.mjs

linter:
	@if [ "$$("$(LINTER)" version --short 2>/dev/null | sed 's/^v//')" != "$(LINTER_VERSION)" ]; then \
		echo "==> installing golangci-lint $(LINTER_VERSION) (a few minutes)"; \
		mkdir -p "$(TOOLS)" && GOBIN="$(TOOLS)" GOFLAGS= $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$(LINTER_VERSION); \
	fi
