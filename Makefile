# Needs a Rust toolchain (with rustfmt and clippy) and Python 3.11 or newer; everything else goes into .venv.
# `make help` lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
RUST_SOURCES := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -o -name Cargo.toml)
# The extension module is linked by maturin alone: only it knows how to leave the Python symbols open.
RUST_CRATES := --workspace --exclude certitree-py

.DEFAULT_GOAL := help
.PHONY: help build demo test test-rust test-python lint format types docs bench ci clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: $(INSTALLED) ## Create .venv, build the extension in release mode, install the package

$(INSTALLED): pyproject.toml $(RUST_SOURCES)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "certitree needs Python 3.11 or newer; set PYTHON=...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,lint]'
	@touch $@

demo: $(INSTALLED) ## Fit the embedded breast cancer data: tree, accuracy beside CART, certificate
	@$(BIN)/certitree fit sklearn:breast_cancer --max-depth 3

test: test-rust test-python ## Run all tests

test-rust: ## Run the tests of the Rust crates
	cargo test $(RUST_CRATES) --quiet

test-python: $(INSTALLED) ## Run the tests of the Python package, the command line and the documentation
	$(BIN)/python -m pytest -q

lint: $(INSTALLED) ## Check formatting and lint, Rust and Python
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

format: $(INSTALLED) ## Format Rust and Python
	cargo fmt --all
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types: $(INSTALLED) ## Check the types of the Python package
	$(BIN)/mypy

docs: ## Check the Rust documentation (that of Python is run by the tests)
	RUSTDOCFLAGS="-D warnings" cargo doc $(RUST_CRATES) --no-deps --quiet

bench: ## Compare with other solvers for two minutes; docs/benchmarks.md has the whole procedure
	@test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	@.venv-bench/bin/python -m pip install --quiet -r benchmarks/requirements.txt .
	.venv-bench/bin/python benchmarks/peers.py run --quick
	.venv-bench/bin/python benchmarks/peers.py render

ci: ## Everything that a change must pass
	.ci/run

clean: ## Remove what was built
	rm -rf $(VENV) .venv-bench target dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find python -name '*.so' -delete
