# SPDX-License-Identifier: Apache-2.0
# The two commands of the README are `make demo` and `make test`; `make help` lists the others.
SHELL := /bin/bash
PRESET ?= release
BUILD := build/$(PRESET)
JOBS ?= $(shell nproc)
# ON: a whole build in half the time. OFF: one changed source costs that source alone.
UNITY ?= ON
PYTHON := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help setup ui build demo docs test unit pytest bench soak wheel format lint clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install what is missing (Debian, Python, npm packages)
	@tools/setup

ui: setup ## build the pages of `steptrace ui` and of `report --html`
	@tools/build_ui

build: setup ## build, and install the package into .venv
	@tools/build_ui --optional
	@cmake --preset $(PRESET) -DSTEPTRACE_TESTS=OFF -DSTEPTRACE_BENCH=OFF \
	  -DSTEPTRACE_UNITY=$(UNITY) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) -- --quiet
	@tools/install_dev $(BUILD)

demo: build ## train the slow and the fixed recommender, print both verdicts side by side
	@examples/recommender/demo

docs: setup ## build the documentation's site into build/docs
	@tools/docs

test: setup ## every test; ends with 'N passed, N failed'
	@tools/run_tests

bench: ## measure against the peers and the budgets
	@tools/setup --bench
	@tools/run_benches

soak: ## long runs, fuzzers and sanitizers, for a machine that is free
	@tools/setup --bench
	@tools/run_soak

wheel: setup ## build the wheel into dist/
	@tools/wheel

format: setup ## format everything
	@tools/format

lint: setup ## what CI checks before the tests: format, lint, layers, names, sizes
	@tools/lint

clean: ## remove what was built (not .venv)
	rm -rf build dist python/steptrace/ui ui/test-results
