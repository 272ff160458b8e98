# Everything a working day needs. `make help` lists it; nothing here needs more than Go, gcc, git, npm and make.

SHELL := /bin/sh
.DEFAULT_GOAL := help

GO        ?= go
BIN       := $(CURDIR)/.cache/bin
FUZZTIME  ?= 20s
BENCHCOUNT ?= 6
BENCHES   ?= Flood|Day|Audience|Replay
LOAD      ?= Flood
SOAK      ?= 1h
ROUNDS    ?= 200
SEED      ?=
GATEWAYS  ?=
TIME      ?= 10m

# What `betcode version` says: the tag, or what comes before the first one. The date is the commit's, so that the same
# commit gives the same binary.
TAGGED     = $(shell git describe --tags --abbrev=12 --match 'v[0-9]*' --dirty 2>/dev/null | sed 's/^v//')
UNTAGGED   = 0.1.0-dev+$(shell git describe --always --abbrev=12 --exclude '*' --dirty 2>/dev/null || echo unknown)
VERSION   ?= $(or $(TAGGED),$(UNTAGGED))
COMMIT    ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
DATE      ?= $(shell git log -1 --format=%cI 2>/dev/null || echo unknown)
# The tags leave out parts of libraries that nothing calls: the tracing pages of gRPC, documents of the flag library. Functions of the
# GitLab client are not inlined: that saves 2 MB, and they wait for a network.
BUILDFLAGS = -trimpath -buildvcs=false -tags=grpcnotrace,urfave_cli_no_docs -gcflags=gitlab.com/gitlab-org/api/client-go=-l
LDFLAGS    = -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.date=$(DATE)

# Packages that test one thing each, and the stories told by whole processes.
UNIT      = $$($(GO) list ./... | grep -v '^betcode/tests')
STORIES   = $$($(GO) list ./tests/... | grep -vE '/(crash|fidelity)$$')

# The modules tidied and checked: ours, and those that pin the tools. The linter and buf have modules of their own,
# because a tool should run with the dependencies it was released with.
MODULES   := . tools tools/buf tools/lint

BUF       := $(BIN)/buf
LINT      := GOLANGCI_LINT_CACHE=$(CURDIR)/.cache/golangci-lint $(BIN)/golangci-lint
GENERATE  := PATH="$(BIN):$$PATH" $(BUF) generate
NOTICES   := $(GO) -C tools run ./notices -module $(CURDIR)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# --- building

.PHONY: build
build: ## build bin/betcode, static and reproducible
	@mkdir -p bin
	CGO_ENABLED=0 $(GO) build $(BUILDFLAGS) -ldflags '$(LDFLAGS)' -o bin/betcode ./cmd/betcode

ifeq ($(origin PREFIX),undefined)
PREFIX  := $(value HOME)/.local
endif
DESTDIR ?=

# Recipes read these from the environment, so that a blank or a quote in them is no word of the shell. value: a dollar sign in them is
# none of make.
install uninstall: override export PREFIX := $(value PREFIX)
install uninstall: export AT := $(value DESTDIR)$(value PREFIX)
install uninstall: export SHARE := $(value DESTDIR)$(value PREFIX)/share

.PHONY: install
install: build ## install the program, its manual, completions and a user unit below PREFIX (~/.local) and DESTDIR; 'betcode service install' starts the service
	@mkdir -p "$$AT/bin" "$$SHARE/systemd/user"
	install -m 755 bin/betcode "$$AT/bin/betcode"
	@rm -f "$$SHARE"/man/man1/betcode-*.1 "$$SHARE"/man/man7/betcode-*.7 # of an older version
	@$(WRITE_SHARE)
	@rm -f "$$SHARE/systemd/user/betcode.service" # it may be a link
	bin/betcode __unit "$$PREFIX/bin/betcode" >"$$SHARE/systemd/user/betcode.service" || rm "$$SHARE/systemd/user/betcode.service"
	@case ":$$PATH:" in *":$$PREFIX/bin:"*) ;; *) echo "$$PREFIX/bin is not in PATH" >&2;; esac

.PHONY: uninstall
uninstall: ## remove what install has installed; sessions and settings stay
	rm -f "$$AT/bin/betcode" "$$SHARE/man/man1/betcode.1" "$$SHARE"/man/man1/betcode-*.1 "$$SHARE"/man/man7/betcode-*.7
	rm -f "$$SHARE/bash-completion/completions/betcode" "$$SHARE/zsh/site-functions/_betcode" \
		"$$SHARE/fish/vendor_completions.d/betcode.fish" "$$SHARE/pwsh/completions/_betcode.ps1" "$$SHARE/systemd/user/betcode.service"

# What a package has beside the program: pages of man, and completions where shells look for them. PowerShell looks nowhere: a profile
# reads the file. A link in the place of a file is replaced, and what it points to stays as it is.
share: export SHARE := .cache/share
define WRITE_SHARE
mkdir -p "$$SHARE/man" "$$SHARE/bash-completion/completions" "$$SHARE/zsh/site-functions" "$$SHARE/fish/vendor_completions.d" "$$SHARE/pwsh/completions"; \
	rm -f "$$SHARE/bash-completion/completions/betcode" "$$SHARE/zsh/site-functions/_betcode" \
		"$$SHARE/fish/vendor_completions.d/betcode.fish" "$$SHARE/pwsh/completions/_betcode.ps1"; \
	set -e; set -x; bin/betcode __manual "$$SHARE/man"; \
	bin/betcode completion bash >"$$SHARE/bash-completion/completions/betcode"; \
	bin/betcode completion zsh >"$$SHARE/zsh/site-functions/_betcode"; \
	bin/betcode completion fish >"$$SHARE/fish/vendor_completions.d/betcode.fish"; \
	bin/betcode completion powershell >"$$SHARE/pwsh/completions/_betcode.ps1"
endef

.PHONY: share
share: build
	@rm -rf .cache/share
	@$(WRITE_SHARE)

.PHONY: cross
cross: ## compile and vet for macOS and Windows, where nothing is run
	GOOS=darwin GOARCH=amd64 CGO_ENABLED=0 $(GO) build ./...
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 $(GO) build ./...
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 $(GO) vet ./...
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 $(GO) build $(UNIT)
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 $(GO) vet $(UNIT)

.PHONY: release
release: $(BIN)/goreleaser $(BIN)/cyclonedx-gomod share ## build archives for Linux and macOS with checksums and bills of materials into dist; nothing is published
	TZ=UTC PATH="$(BIN):$$PATH" BETCODE_VERSION='$(VERSION)' $(BIN)/goreleaser release --snapshot --clean --skip=publish

.PHONY: release-check
release-check: $(BIN)/goreleaser $(BIN)/cyclonedx-gomod ## build the release of this commit twice, at different places, compare and judge both: COLD=1 with an empty build cache
	$(GO) run ./tests/releasecheck $(if $(COLD),-cold)

.PHONY: demo
demo: prerequisites build ## show what it does, in one terminal, without a key
	$(GO) run ./tests/demo

.PHONY: clean
clean: ## remove what was built; tools and the fetched agent stay in .cache
	rm -rf bin dist cover.out cover.html bench.txt .cache/drift

# --- testing

.PHONY: test
test: prerequisites claude build ## all tests: units with the race detector, the stories, and some rounds of crash
	$(GO) test -race -timeout 20m $(UNIT)
	$(GO) test ./actors/internal/claude # what it does with megabytes, in one goroutine
	$(GO) test -timeout 30m -parallel 4 $(STORIES) # stories wait more than they compute
	$(GO) test -v -timeout 30m ./tests/crash

.PHONY: tui
tui: ## the stories of the chat and the screen on pseudo-terminals; golden screens: -update
	$(GO) test ./tests/e2e -parallel 6 -run 'TestChat|TestScreen' # they wait more than they work
	$(GO) test ./cmd/betcode/internal/chat/... ./cmd/betcode/internal/ui/...

.PHONY: prerequisites
prerequisites: ## say what is missing on this machine, and how to install it
	@sh tests/prerequisites.sh

.PHONY: claude
claude: ## fetch the pinned Claude Code into .cache/claude
	$(GO) run ./tests/fetchclaude

.PHONY: race
race: claude build ## everything with the race detector, nothing cached
	$(GO) test -race -count=1 -timeout 40m ./...

# An input that covers something new is minimised for up to 60 s, unless that is bounded: FuzzCommand stood still.
.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME
	@grep -rl --include='*_test.go' '^func Fuzz' . | grep -v '^\./\.' | sort | while read -r file; do \
		sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$$file" | while read -r target; do \
			echo "== $$target in $$(dirname "$$file")"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x "$$(dirname "$$file")" </dev/null || exit 1; \
		done || exit 1; \
	done

.PHONY: fuzz-shell
fuzz-shell: ## run what the rules allow with real shells and stubs: TIME=10m SEED=n
	BETCODE_FUZZ_TIME=$(TIME) BETCODE_FUZZ_SEED=$(or $(SEED),$(shell date +%s)) \
		$(GO) test -count=1 -timeout 0 -v -run TestShells ./actors/internal/rules/fuzzshell

.PHONY: cover
cover: ## how much of the code the tests reach; the page is cover.html
	$(GO) test -timeout 30m -coverpkg="$$($(GO) list ./... | grep -v -e /proto/ -e '^betcode/tests' | paste -sd, -)" \
		-coverprofile=cover.out ./...
	$(GO) tool cover -html=cover.out -o cover.html
	$(GO) tool cover -func=cover.out | tail -n 1

.PHONY: cli
cli: ## play the scripts of tests/cli on the built command line; RUN=regexp chooses
	$(GO) test ./tests/cli -run 'TestScripts/$(RUN)' $(if $(UPDATE),-update)

.PHONY: conformance
conformance: claude ## hold the daemon against its documents, row by row, and write docs/conformance.md
	@$(GO) test -count=1 -timeout 10m ./tests/conformance -update; told=$$?; tail -n 1 docs/conformance.md; exit $$told

.PHONY: crash
crash: ## kill daemons, agents, launchers and gateways: ROUNDS=n SEED=s (a seed plays its schedule again), GATEWAYS=1 only rounds with gateways
	$(GO) run ./tests/crash -rounds $(ROUNDS) $(if $(SEED),-seed $(SEED)) $(if $(GATEWAYS),-gateways)

.PHONY: attack
attack: claude ## attack the built daemon: every finding of a review as a case, with the real agent; RUN=regexp chooses
	$(GO) run ./tests/attack $(if $(RUN),-run '$(RUN)')

.PHONY: gateways
gateways: claude ## play golden exchanges with both gateways and betcode proxy, with the real agent; RUN=regexp chooses
	@$(GO) run ./tests/gateways $(if $(RUN),-run '$(RUN)')

.PHONY: test-versions
test-versions: claude build ## the oldest and the newest supported version of the agent
	$(GO) test -timeout 30m ./tests/fidelity

.PHONY: fidelity
fidelity: ## play the same scenarios with several versions of the agent: VERSIONS="2.1.20 2.1.330"; all write docs/fidelity.md
	$(GO) run ./tests/fidelity -page docs/fidelity.md $(if $(VERSIONS),-versions '$(VERSIONS)')

.PHONY: sdk
sdk: ## hold the codec against the names in the official SDK and write the table; SDK=X.Y.Z pins another version
	$(GO) run ./tests/sdk $(if $(SDK),-version $(SDK))
	$(GO) test ./actors/internal/claude -run '^TestSDK$$' -update
	$(GO) run ./tests/sdk -page docs/compatibility.md

.PHONY: prove
prove: claude ## 2 000 rounds of crash, a walk over all failpoints, the race detector, the real agent; an hour
	$(GO) run ./tests/crash -rounds 2000 $(if $(SEED),-seed $(SEED))
	$(GO) run ./tests/crash -walk
	$(GO) run ./tests/crash -race -rounds 200 $(if $(SEED),-seed $(SEED))
	$(GO) run ./tests/crash -real -rounds 40 -parallel 2 $(if $(SEED),-seed $(SEED))

.PHONY: bench
bench: $(BIN)/bench.test ## measure the whole path beside what bounds it: a table, a last line, .cache/bench.json
	cd tests/bench && BETCODE_BENCH_JSON=$(CURDIR)/.cache/bench.json $(BENCH_TEST) $(OF_BUILT)

.PHONY: fleet
fleet: $(BIN)/bench.test ## measure 100 agents at 30 lines a second beside 1 000 idle sessions
	cd tests/bench && $(BENCH_TEST) -test.bench '^BenchmarkFleet$$'

.PHONY: bench-cli
bench-cli: build ## measure commands that wait for no agent, beside ten thousand sessions: ROUNDS=n (100) EACH=4s COMMANDS=regexp SESSIONS=n STRICT=1
	$(GO) run ./tests/benchcli $(if $(filter file,$(origin ROUNDS)),,-rounds $(ROUNDS)) $(if $(EACH),-each $(EACH)) $(if $(COMMANDS),-run '$(COMMANDS)') $(if $(SESSIONS),-sessions $(SESSIONS)) $(if $(STRICT),-strict)

.PHONY: bench-compare
bench-compare: $(BIN)/bench.test $(BIN)/benchstat ## compare with another revision: BASE=rev, BENCHES=regexp, BENCHCOUNT=rounds
	@test -n "$(BASE)" || { echo "say BASE=revision"; exit 1; }
	@rm -rf .cache/base && git worktree prune && git worktree add --quiet --detach .cache/base $(BASE)
	cd .cache/base && CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o ../bench-base ./cmd/betcode
	@git worktree remove --force .cache/base
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o .cache/bench-here ./cmd/betcode
	@rm -f .cache/bench-base.txt .cache/bench-here.txt
	@for round in $$(seq $(BENCHCOUNT)); do for side in base here; do \
		echo "round $$round of $(BENCHCOUNT): $$side"; \
		(cd tests/bench && BETCODE_BENCH_BINARY=$(CURDIR)/.cache/bench-$$side $(BENCH_TEST) $(OF_BUILT) -test.bench '$(BENCHES)' -test.short) | \
			grep '^Benchmark' >>.cache/bench-$$side.txt; \
	done; done
	$(BIN)/benchstat base=.cache/bench-base.txt here=.cache/bench-here.txt

.PHONY: soak
soak: $(BIN)/bench.test ## measure what takes long: a working day of SOAK (1h), ten times the growth
	cd tests/bench && BETCODE_BENCH_SOAK=$(SOAK) $(BENCH_TEST) -test.bench Soak -test.timeout 0

.PHONY: bench-parts
bench-parts: $(BIN)/benchstat ## measure the parts into bench.txt; OLD=file compares with an earlier one
	$(GO) test -run '^$$' -bench . -benchmem -count $(BENCHCOUNT) -timeout 60m $(UNIT) >bench.txt || { cat bench.txt; exit 1; }
	$(BIN)/benchstat $(OLD) bench.txt

.PHONY: profile
profile: ## profile the daemon alone under LOAD=Flood, Day, Audience, Many, Loud or Hostile, into .cache/profile
	@mkdir -p .cache/profile
	BETCODE_BENCH_PROFILE=$(CURDIR)/.cache/profile $(GO) test -run '^$$' -bench 'Linked$(LOAD)$$' -benchtime 1x ./tests/bench
	$(GO) tool pprof -top -cum .cache/profile/daemon.cpu.prof | head -40
	$(GO) tool pprof -sample_index=alloc_objects -top .cache/profile/daemon.allocs.prof | head -25

.PHONY: trace
trace: ## trace the first two seconds of the daemon under LOAD=..., into .cache/profile
	@mkdir -p .cache/profile
	BETCODE_BENCH_TRACE=1 BETCODE_BENCH_PROFILE=$(CURDIR)/.cache/profile $(GO) test -run '^$$' -bench 'Linked$(LOAD)$$' -benchtime 1x ./tests/bench
	for kind in sched sync syscall; do echo "--- waiting: $$kind"; $(GO) tool trace -pprof=$$kind .cache/profile/daemon.trace >.cache/profile/daemon.$$kind.prof; \
		$(GO) tool pprof -top -cum .cache/profile/daemon.$$kind.prof | head -20; done

# --- checking and mending

.PHONY: check
check: ## find everything that `make fix` could mend, and what it could not
	@$(MAKE) --no-print-directory --keep-going check-lint check-dead check-tidy check-proto check-notices check-size check-binary cross

.PHONY: fix
fix: $(BIN)/golangci-lint $(BUF) ## mend what can be mended: format, lint, tidy, generated files
	$(BUF) format -w
	$(LINT) fmt ./...
	$(LINT) run --fix ./... || true
	@for module in $(MODULES); do $(GO) -C $$module mod tidy || exit 1; done
	@$(MAKE) --no-print-directory proto notices

.PHONY: check-lint
check-lint: $(BIN)/golangci-lint
	$(LINT) fmt --diff ./...
	$(GO) vet ./...
	$(LINT) run ./...
	cd tools && $(GO) vet ./... && $(LINT) run ./...

# Functions that no command reaches, but for those of test helpers. tools/deadcode.txt lists those that only tests or other systems call, with reasons.
.PHONY: check-dead
check-dead: $(BIN)/deadcode
	@$(BIN)/deadcode -f '{{range .Funcs}}{{printf "%s.%s\n" $$.Path .Name}}{{end}}' ./cmd/... ./tests/... >.cache/dead
	@cut -d ' ' -f 1 tools/deadcode.txt >.cache/dead.known
	@if grep -v -e '^betcode/tests/' -e '^betcode/cmd/betcode/internal/[a-z]*test\.' .cache/dead | grep -v -x -F -f .cache/dead.known; then echo "no command reaches these functions: delete them" >&2; exit 1; fi
	@if grep -v -x -F -f .cache/dead .cache/dead.known; then echo "tools/deadcode.txt lists these functions and need not: delete the lines" >&2; exit 1; fi

.PHONY: check-tidy
check-tidy:
	@for module in $(MODULES); do echo "go -C $$module mod tidy -diff"; $(GO) -C $$module mod tidy -diff || exit 1; done

.PHONY: check-proto
check-proto: $(BUF) $(BIN)/protoc-gen-go $(BIN)/protoc-gen-go-grpc
	$(BUF) format --diff --exit-code
	$(BUF) lint
	$(BUF) breaking --against proto/baseline.binpb
	@rm -rf .cache/drift
	$(GENERATE) -o .cache/drift
	diff -r -x '*.proto' -x '*.binpb' -x doc.go .cache/drift/proto proto

.PHONY: check-notices
check-notices:
	$(NOTICES) -check

.PHONY: check-size
check-size:
	@git ls-files -co --exclude-standard '*.go' | grep -v -e '_test\.go$$' -e '\.pb\.go$$' | xargs wc -l 2>/dev/null | \
		awk '$$2 != "total" && $$1 > 450 { print "warning: " $$2 " has " $$1 " lines: look for its second reason to change" }'

# MOST bounds the release build, in bytes: 45 MB.
MOST = 45000000

.PHONY: check-binary
check-binary: # the release build of this platform is not too large
	CGO_ENABLED=0 $(GO) build $(BUILDFLAGS) -ldflags '$(LDFLAGS)' -o .cache/release-size ./cmd/betcode
	@size=$$(wc -c < .cache/release-size); rm -f .cache/release-size; echo "betcode has $$size bytes; at most $(MOST) are wanted"; \
		if [ "$$size" -gt $(MOST) ]; then echo "which package is it? go build -o b ./cmd/betcode && go tool nm -size -sort size b | head"; exit 1; fi

.PHONY: proto
proto: $(BUF) $(BIN)/protoc-gen-go $(BIN)/protoc-gen-go-grpc ## generate Go code from proto/
	$(GENERATE)

.PHONY: proto-baseline
proto-baseline: $(BUF) ## accept proto/ as what later changes must stay compatible with
	$(BUF) build --exclude-source-info -o proto/baseline.binpb

.PHONY: notices
notices: ## write THIRD_PARTY_NOTICES.md
	$(NOTICES)

# --- tools, built once and again when their module changes

$(BIN)/protoc-gen-go: tools/go.mod tools/go.sum
	$(GO) -C tools build -o $@ google.golang.org/protobuf/cmd/protoc-gen-go
	@touch $@

$(BIN)/protoc-gen-go-grpc: tools/go.mod tools/go.sum
	$(GO) -C tools build -o $@ google.golang.org/grpc/cmd/protoc-gen-go-grpc
	@touch $@

# Measuring is one run of each benchmark; what is measured is built here and now.
BENCH_TEST = $(BIN)/bench.test -test.run '^$$' -test.bench . -test.benchtime 1x -test.timeout 30m

# Of the benchmarks those that drive the command, and do not take long.
OF_BUILT = -test.skip 'Linked|Gather|Soak'

.PHONY: $(BIN)/bench.test
$(BIN)/bench.test:
	$(GO) test -c -o $@ ./tests/bench

$(BIN)/deadcode: tools/go.mod tools/go.sum
	$(GO) -C tools build -o $@ golang.org/x/tools/cmd/deadcode
	@touch $@

$(BIN)/benchstat: tools/go.mod tools/go.sum
	$(GO) -C tools build -o $@ golang.org/x/perf/cmd/benchstat
	@touch $@

$(BIN)/buf: tools/buf/go.mod tools/buf/go.sum
	@echo "building buf, once; this takes a minute or two"
	$(GO) -C tools/buf build -o $@ github.com/bufbuild/buf/cmd/buf
	@touch $@

# The modules of these are many: they are built for a release only, and not tidied by `make check`.
$(BIN)/goreleaser: tools/release/go.mod tools/release/go.sum
	@echo "building goreleaser, once; this takes a few minutes"
	$(GO) -C tools/release build -o $@ github.com/goreleaser/goreleaser/v2
	@touch $@

$(BIN)/cyclonedx-gomod: tools/release/go.mod tools/release/go.sum
	$(GO) -C tools/release build -o $@ github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod
	@touch $@

$(BIN)/golangci-lint: tools/lint/go.mod tools/lint/go.sum
	@echo "building golangci-lint, once; this takes a minute or two"
	$(GO) -C tools/lint build -o $@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch $@
