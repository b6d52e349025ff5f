# Everything here needs python3 (3.11 or newer), make and a shell; the rest goes into .venv, made on first use.

PYTHON ?= python3
JOBS ?= 2
DEMO ?=
BENCH ?= settled-bed --grains 10000
ONLY ?=
REV ?=
SCENES ?=
BENCHES ?=
THREADS ?= 1

VENV := .venv
BIN := $(VENV)/bin
PINS := requirements/ci.txt
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
INSTALL := $(PIP) install --quiet --no-compile --no-build-isolation --constraint $(PINS)

unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo test validate mutants browser skipped same-bits speed lint format bench docs pins clean

help:
	@printf '%s\n' \
	  'make demo     run the hopper and say where its picture, movie and recording are' \
	  'make test     check all the code: TESTS=tests/laws chooses' \
	  'make validate check the physics: studies in their quick forms, long statistics, benchmarks' \
	  'make browser  install Chromium, for the test of the page, where apt-get can' \
	  'make skipped  what the last of both skipped, and why' \
	  'make mutants  plant known faults and see the tests catch them; ONLY=n for one of them' \
	  'make same-bits REV=COMMIT  whether that revision computes the same bits; SCENES=pour,drum chooses' \
	  'make lint     ruff and mypy' \
	  'make format   let ruff mend what it can' \
	  'make bench    the standard benchmark; BENCH="NAME --option value" for another' \
	  'make speed    this checkout beside another one, turn by turn: REV=HEAD~1 or REV=base; BENCHES=gas,relax THREADS=2' \
	  'make docs     the documentation, into site/' \
	  'make pins     write $(PINS) anew, from the newest releases' \
	  'make clean    remove what was made, .venv too' \
	  '' \
	  'PYTHON=python3.12 chooses the interpreter, JOBS=4 the number of test processes.'

demo: $(VENV)/.base
	@$(BIN)/barchan run hopper --out demo --force $(DEMO)

test: $(VENV)/.dev
	@$(BIN)/python tests/timed.py test -n $(JOBS) -m 'not validate' $(TESTS)

validate: $(VENV)/.dev
	@$(BIN)/python tests/timed.py validate -n $(JOBS) -m validate $(TESTS)

# For the test of the viewer's page; a machine without it skips that test.
browser:
	@command -v chromium >/dev/null || \
	  { command -v apt-get >/dev/null && apt-get update -qq && apt-get install -qqy --no-install-recommends chromium; } \
	  >/dev/null 2>&1 || echo 'Chromium is not here and cannot be installed: its test will be skipped'

skipped:
	@$(PYTHON) tests/timed.py --skipped

mutants: $(VENV)/.dev
	@PYTHONPATH=tests $(BIN)/python -m mutants.run --jobs $(JOBS) $(if $(ONLY),--only $(ONLY))

same-bits: $(VENV)/.base
	@[ -n '$(REV)' ] || { echo 'Which revision? Try: make same-bits REV=HEAD~1 (a commit, or a folder)' >&2; exit 2; }
	@PYTHONPATH=tests $(BIN)/python -m bits '$(REV)' --scenes '$(SCENES)'

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.base
	@$(BIN)/barchan bench $(BENCH)

speed: $(VENV)/.base
	@PYTHONPATH=benchmarks $(BIN)/python -P -m speed '$(or $(REV),base)' --benches '$(BENCHES)' --threads $(THREADS); code=$$?; \
	  [ $$code = 0 ] || echo "exit code $$code: 1 too slow, 2 wrong use, 3 not measured" >&2; exit $$code

docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo 'The documentation is in site/index.html'

clean:
	rm -rf $(VENV) build dist site demo .pytest_cache .mypy_cache .ruff_cache .hypothesis

# --- the virtual environment --------------------------------------------------------------------------------------

# A virtual environment holds absolute paths: one that was made in another folder, or not to the end, is made again.
ifneq ($(shell cat $(VENV)/.where 2>/dev/null),$(CURDIR))
.PHONY: $(VENV)/.where
endif

$(VENV)/.where:
	@command -v $(PYTHON) >/dev/null || \
	  { echo 'Barchan needs Python 3.11 or newer, and $(PYTHON) was not found. Try: make PYTHON=/path/to/python3'; exit 1; } >&2
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Barchan needs Python 3.11 or newer, and $(PYTHON) is older. Try: make PYTHON=python3.12'; exit 1; } >&2
	@echo 'Making $(VENV) …'
	@$(PYTHON) -m venv --clear $(VENV)
	@printf '%s\n' '$(CURDIR)' > $@

# The build backend first, pinned like everything else, so that no unpinned copy is fetched behind our back.
$(VENV)/.base: $(VENV)/.where pyproject.toml $(PINS)
	@echo 'Installing Barchan into $(VENV) …'
	@$(INSTALL) hatchling editables
	@$(INSTALL) --editable .
	@: > $@

$(VENV)/.dev: $(VENV)/.base
	@echo 'Installing the tools for tests …'
	@$(INSTALL) --editable '.[dev]'
	@: > $@

$(VENV)/.docs: $(VENV)/.base
	@echo 'Installing the tools for the documentation …'
	@$(INSTALL) --editable '.[docs]'
	@: > $@

pins:
	$(PYTHON) -m venv --clear build/pins
	build/pins/bin/python -m pip --disable-pip-version-check install --quiet --no-compile hatchling editables
	build/pins/bin/python -m pip --disable-pip-version-check install --quiet --no-compile --editable '.[dev,docs,gpu]'
	@{ printf '%s\n' \
	  '# Exact versions of all that Barchan, its tests and its documents need, for `pip install --constraint`.' \
	  '# Written by `make pins` on Python 3.11.'; \
	  build/pins/bin/python -m pip --disable-pip-version-check freeze --exclude-editable; } > $(PINS)
