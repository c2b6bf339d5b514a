# SPDX-License-Identifier: Apache-2.0
# make demo   install into .venv and train on the npu device      make test   every test
# Variables: VENV (an existing environment is used as it is), PYTHON, BUILD, JOBS.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

VENV ?= .venv
PYTHON ?= python3
BUILD ?= build/release
JOBS ?= $(shell nproc)

export PATH := $(abspath $(VENV))/bin:$(PATH)
unexport PYTHONPATH
# Clones share ccache's results: paths inside the folder count from the folder.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
PY := $(abspath $(VENV))/bin/python
PIP := $(PY) -m pip install -qq --disable-pip-version-check --root-user-action=ignore
CONFIGURE := cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release -DPython_EXECUTABLE=$(PY)
BUILD_CPP := cmake --build $(BUILD) -j $(JOBS)
STAMPS := $(VENV)/.stamps

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /  make \1|/' | column -ts'|'

# ---- the environment: each list of requirements is installed again only when it changes

$(PY):
	@$(PYTHON) tools/check_machine.py
	@echo "Creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(STAMPS)/%: requirements/%.txt | $(PY)
	@echo "Installing requirements/$*.txt into $(VENV)"
	@$(PIP) -r $<
	@mkdir -p $(STAMPS) && touch $@

# ---- build: compile, lay the libraries beside the Python sources, and point the environment there

.PHONY: build wheel
build: $(STAMPS)/build ## compile and install into VENV (editable)
	@mkdir -p $(BUILD)
	@$(CONFIGURE) > $(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }
	@$(BUILD_CPP)
	@cmake --install $(BUILD) --prefix $(CURDIR) > $(BUILD)/install.log
	@$(MAKE) $(STAMPS)/editable

$(STAMPS)/editable: pyproject.toml | $(STAMPS)/build
	@echo "Installing torchtitan-npu into $(VENV)"
	@$(PIP) --no-build-isolation --no-deps -C wheel.cmake=false -C editable.mode=inplace -e .
	@touch $@

wheel: $(STAMPS)/build ## the wheel, in dist/
	@$(PY) -m pip wheel -q --no-build-isolation --no-deps -C build-dir=build/wheel -w dist .
	@ls -1 dist/torchtitan_npu-*.whl

# ---- run

.PHONY: demo bench
demo: build $(STAMPS)/run ## train article A's model on npu and on the CPU, side by side
	@$(PY) examples/demo.py

bench: build $(STAMPS)/run ## measure against PyTorch CPU; BENCH="host leak" chooses
	@$(PY) -m bench $(BENCH)

# ---- test: every suite runs even if one fails; any failure fails the whole

.PHONY: test test-all test-cpp test-python test-official test-full test-wheel test-sanitizers
test: build $(STAMPS)/run $(STAMPS)/test ## C++, Python, ABI and official-client tests
	@$(MAKE) -k test-cpp test-python test-official -j1

test-cpp: build
	@tools/need_googletest.sh
	@$(CONFIGURE) -DNPU_BUILD_TESTS=ON > $(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }
	@$(BUILD_CPP)
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j $(JOBS)

test-python: build $(STAMPS)/run $(STAMPS)/test
	@$(PY) -m pytest -q -m "not slow" --ignore=tests/official_client tests

test-official: build $(STAMPS)/test
	@$(PY) -m pytest -q tests/official_client

test-full: test test-sanitizers test-wheel ## the above, the slow tests, sanitizers and the wheel
	@$(PY) -m pytest -q -m slow --ignore=tests/official_client tests

test-sanitizers: $(STAMPS)/build
	@tools/need_googletest.sh
	@tools/test_sanitizers.sh $(JOBS)

test-wheel: wheel
	@$(PY) tools/test_wheel.py dist/torchtitan_npu-*.whl

# ---- style

.PHONY: lint format check
lint: $(STAMPS)/test ## every pre-commit hook on every file; changes nothing
	@$(PY) -m pre_commit run --all-files

format: $(STAMPS)/test ## rewrite C++ and Python in the project's style
	@git ls-files '*.h' '*.cpp' | xargs -r clang-format -i
	@ruff format -q . && ruff check -q --fix .

check: lint test ## what a change must pass

.PHONY: clean
clean: ## remove what `make build` made; the environment stays
	@rm -rf build dist torchtitan_npu/cann/{lib64,opp,runtime,compiler,set_env.sh} && find torchtitan_npu -name '*.so' -delete
