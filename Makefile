# The front door. Meson and ninja do the work; see docs/hacking.md.
BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=

.PHONY: all deps deps-servers deps-page deps-proxy deps-programs deps-sources run test test-page test-servers test-long install format lint fuzz bench bench-import bench-store bench-solve bench-races bench-monitor bench-record bench-explore clean help
all: $(BUILD)/build.ninja          ## build build/clew, and its manual in build/man
	@ninja -C $(BUILD) --quiet clew src/runtime/libclew_rt.so src/runtime/libclew_control.so src/runtime/clew-launcher src/runtime/libclew_hooks.a src/runtime/libclew_sim.a case-systems manual completion/clew

$(BUILD)/build.ninja: | deps
	@meson setup $(BUILD) --buildtype=release --prefix=$(PREFIX) >/dev/null

$(BUILD)/checked/build.ninja: | deps
	@meson setup $(BUILD)/checked -Ddebug=true -Doptimization=1 -Dc_args=-g1 -Db_sanitize=address,undefined -Db_lundef=false >/dev/null

deps:                              ## install the Debian packages that are missing
	@tools/deps

deps-servers: deps                 ## install the servers that the tests record
	@tools/deps servers || echo "the tests of recorded servers will be skipped" >&2

deps-page: deps                    ## install Chromium and npm, which test the page
	@tools/deps page || echo "the tests of the page will be skipped" >&2

deps-proxy: deps                   ## install mitmproxy, which a test captures HTTP with
	@tools/deps proxy || echo "the tests that capture through mitmproxy will be skipped" >&2

deps-programs: deps                ## install spin, graphviz and gdb, which clew hands things to, and programs to run under control
	@tools/deps programs || echo "what needs spin, graphviz, gdb, pigz or xz will be skipped" >&2

deps-sources: deps                 ## install what the long tests build programs with
	@tools/deps sources || echo "the tests of programs built from source will be skipped" >&2

run: all                           ## build a small broken server, and hunt its bug
	@BUILD=$(abspath $(BUILD)) tools/hunt-example

test: all deps-proxy deps-programs $(BUILD)/checked/build.ninja ## build with AddressSanitizer and UBSan, and test
	@ninja -C $(BUILD)/checked --quiet
	@tools/run-tests $(BUILD)/checked --no-suite servers

test-page: all deps-page           ## open pages of clew view in Chromium, and walk through them
	@mkdir -p $(BUILD)/page-test
	@cp test/page/package.json test/page/package-lock.json $(BUILD)/page-test
	@npm ci --silent --prefix $(BUILD)/page-test
	@node test/page/page_test.mjs $(BUILD)

test-servers: all deps-servers $(BUILD)/checked/build.ninja ## record Debian's redis, memcached and nginx
	@ninja -C $(BUILD)/checked --quiet
	@tools/run-tests $(BUILD)/checked --suite servers

test-long: all deps-servers deps-proxy deps-programs deps-sources $(BUILD)/checked/build.ninja ## the tests with full counts
	@ninja -C $(BUILD)/checked --quiet
	@CLEW_TEST_LONG=1 tools/run-tests $(BUILD)/checked

install: all                       ## install to DESTDIR/PREFIX
	@meson configure $(BUILD) --prefix=$(PREFIX)
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD) --quiet

format: deps                       ## lay out the source
	@clang-format -i $$(git ls-files '*.c' '*.h')

lint: all                          ## clang's warnings, clang-tidy, cppcheck
	@tools/lint $(BUILD)

fuzz: deps                         ## fuzz every reader, FUZZ_SECONDS each (default 60)
	@tools/fuzz $(BUILD)/fuzz

bench: bench-import bench-store bench-solve bench-races bench-monitor bench-record bench-explore bench-threads bench-atomicity bench-minimize-quick ## measure: tables of figures, wanted and got

bench-import: all                  ## reading traces
	@ninja -C $(BUILD) --quiet
	@$(BUILD)/bench/import_bench

bench-store: all                   ## the native and the text form
	@ninja -C $(BUILD) --quiet
	@$(BUILD)/bench/store_bench

bench-solve: all                   ## the native solver beside libz3
	@ninja -C $(BUILD) --quiet
	@$(BUILD)/bench/solve_bench

bench-races: all                   ## the race analysis, beside its published peer
	@ninja -C $(BUILD) --quiet
	@bench/races_bench.py $(BUILD)

bench-monitor: all                 ## properties over all cuts, beside libz3
	@ninja -C $(BUILD) --quiet
	@$(BUILD)/bench/monitor_bench
	@$(BUILD)/bench/monitor_oracle_bench
	@$(BUILD)/bench/monitor_stream_bench

bench-record: all                  ## recording, beside ThreadSanitizer
	@echo
	@bench/record_bench.py $(BUILD)

.PHONY: bench-race-programs
bench-race-programs: all           ## the programs of cases/races, beside ThreadSanitizer: docs/theory/record.md
	@BUILD=$(BUILD) tools/update-docs bench/race_programs_bench.py docs/theory/record.md

.PHONY: case-atomicity
case-atomicity: all                ## programs with atomicity violations, each found and its fix silent
	@bench/atomicity_programs_bench.py $(BUILD)

.PHONY: case-libraft case-raft case-spark case-cyclon case-taxdc
case-libraft: all                  ## Debian's Raft library, simulated: what clew explore finds in it
	@cases/sim_case.py $(BUILD) libraft

case-raft case-spark case-cyclon case-taxdc: all ## other simulated systems, each bug found, nothing without
	@cases/sim_case.py $(BUILD) $(@:case-%=%)

.PHONY: bench-cases
bench-cases: all                   ## the case studies: docs/cases.md (takes an hour)
	@ninja -C $(BUILD) --quiet
	@BUILD=$(BUILD) tools/update-docs bench/cases_bench.py docs/cases.md

.PHONY: bench-minimize bench-minimize-quick bench-ablation search-minimize
bench-minimize: all                ## how short executions become, beside DEMi (takes half an hour)
	@ninja -C $(BUILD) --quiet
	@bench/minimize_bench.py $(BUILD)

bench-minimize-quick: all          ## the same in a few minutes, our own way only
	@ninja -C $(BUILD) --quiet
	@bench/minimize_bench.py --quick $(BUILD)

bench-ablation: all                ## each minimizer stage left out in turn: docs/theory/minimize.md (takes half an hour)
	@ninja -C $(BUILD) --quiet
	@bench/minimize_ablation.py $(BUILD)

search-minimize: all               ## look for shorter ones from other starts (half an hour for each bug, all in all)
	@ninja -C $(BUILD) --quiet
	@bench/minimize_search.py $(BUILD)

bench-explore: all                 ## the simulator and its search (BEFORE=BUILD: beside an older clew)
	@ninja -C $(BUILD) --quiet
	@$(BUILD)/bench/explore_bench
	@bench/library_bench.py $(BUILD) $(BEFORE)

.PHONY: bench-confirm
bench-confirm: all                 ## predictions of the case studies: confirmed, refuted or unknown
	@for folder in races atomicity threads; do CLEW=$(BUILD)/clew bench/confirm_table.py $$folder; done

.PHONY: bench-hunt
bench-hunt: all                    ## clew hunt on the case studies and their fixed twins (takes an hour)
	@for folder in races atomicity threads processes; do CLEW=$(BUILD)/clew bench/hunt_table.py $$folder; done

.PHONY: bench-threads
bench-threads: all                 ## programs with threads: how soon their bugs are found
	@bench/threads_bench.py $(BUILD)

.PHONY: bench-atomicity
bench-atomicity: all deps-programs ## the atomicity analysis, beside SPIN: its speed, its findings and its noise
	@ninja -C $(BUILD) --quiet
	@$(BUILD)/bench/atomicity_bench
	@bench/atomicity_programs_bench.py $(BUILD)
	@bench/atomicity_noise_bench.py $(BUILD)
	@bench/correlate_bench.py $(BUILD)

clean:                             ## remove what was built
	@rm -rf $(BUILD)

help:                              ## list what can be made
	@awk -F ':.*## ' '/^[a-z][a-z0-9 -]*:.*## / { n = split($$1, names, " "); \
		for (i = 1; i <= n; i++) printf "%-21s %s\n", names[i], $$2 }' Makefile
