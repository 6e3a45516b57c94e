# make demo   play a league of the sample bots, from nothing to standings
# make test   the tests that need only Python, and those whose toolchain or service is here
# make help   the rest

PY := .venv/bin/python
STAMPS := .stamps
SETUP := pyproject.toml constraints.txt tools/setup
# Thousands of short programs run here, which would take twice as long if each compiled what it imports anew.
unexport PYTHONDONTWRITEBYTECODE
# One more than there are processors: many tests wait for the programs that they start.
TESTS := $(PY) -m pytest -q --durations=20 --durations-min=5 -n $(shell echo $$(($$(nproc) + 1))) --dist worksteal

.PHONY: help demo test test-all check format generate compiled bench clean

help: ## show this
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(STAMPS)/runtime ## play a real league of the sample bots and print its standings
	@.venv/bin/arena demo

test: $(STAMPS)/test ## run the tests; says what was skipped and why
	@$(TESTS)

test-all: $(STAMPS)/test-all ## run every test, the long ones too; nothing may be skipped for want of a tool
	@ARENA_TEST_ALL=1 $(TESTS)

check: $(STAMPS)/check ## format, lint, types, floors, protocol, generated code
	@$(PY) tools/check.py

format: $(STAMPS)/check ## format the code and the .proto files
	@$(PY) -m ruff format .
	@$(PY) -m ruff check --fix .
	@.venv/bin/buf format -w proto

generate: $(STAMPS)/check ## generate euchre/v1 and docs/protocol-reference.md from proto/, docs/options.md from the rules
	@$(PY) tools/generate.py
	@$(PY) -m tools.options
	@$(PY) -m tools.reference

compiled: $(STAMPS)/check ## compile the rules and what runs a table (wants a C compiler); without it the Python source runs
	@$(PY) -m tools.compile

bench: $(STAMPS)/test-all ## measure, side by side
	@OPENBLAS_NUM_THREADS=1 $(PY) -m tools.bench
	@$(PY) -m tools.bench_match
	@$(PY) -m tools.bench_workers
	@$(PY) -m tools.bench_crowd growth
	@$(PY) -m tools.bench_crowd memory
	@$(PY) -m tools.bench_dashboard

clean: ## remove everything that was made here, the virtual environment and played leagues included
	rm -rf .venv $(STAMPS) referee/_compiled var build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	rm -rf $(addprefix sample_bots/*/,build gen target dist generated node_modules .build.lock)
	find . -name __pycache__ -prune -exec rm -rf {} +

$(STAMPS)/runtime: $(SETUP)
	@tools/setup
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/test: $(SETUP)
	@tools/setup test
	@mkdir -p $(STAMPS) && touch $@ $(STAMPS)/runtime

$(STAMPS)/test-all: $(SETUP)
	@tools/setup test check oracle rl
	@mkdir -p $(STAMPS) && touch $@ $(STAMPS)/check $(STAMPS)/test $(STAMPS)/runtime

$(STAMPS)/check: $(SETUP)
	@tools/setup test check
	@mkdir -p $(STAMPS) && touch $@ $(STAMPS)/test $(STAMPS)/runtime
