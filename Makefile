# `make run` and `make test` are all a newcomer needs; the rest is for developers.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= $(shell command -v python3.13 python3.12 python3.11 python3 2>/dev/null | while read -r p; do "$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$p"; break; }; done)
PORT ?= 8000
WORKERS ?= 2
SECONDS ?= 120
SEED ?=
export DRA_BIND ?= 127.0.0.1:$(PORT)
BIN := .venv/bin
PYTEST_ARGS ?=
BENCH ?=
SHARED := ../shared

.PHONY: help install install-dev run test test-cluster fuzz-allocator conformance bench lint format schema demo clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with its venv module is needed (on Debian: python3-venv)." >&2; exit 1; }
	"$(PYTHON)" -m venv .venv

.venv/.installed: requirements.txt | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

.venv/.installed-dev: requirements-dev.txt requirements.txt | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ .venv/.installed

install: .venv/.installed ## make .venv with what the dashboard needs

install-dev: .venv/.installed-dev ## the same, with what tests and checks need

run: install ## serve the dashboard with demo data on http://127.0.0.1:8000 (PORT=… for another port)
	@$(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py collectstatic --noinput --verbosity 0
	@$(BIN)/python manage.py demo
	@exec $(BIN)/gunicorn dra_dashboard.wsgi --bind "$(DRA_BIND)" --workers $(WORKERS) --threads 4 \
		--access-logfile /dev/null --log-level warning

test: install-dev ## run all tests; those in a browser when a Chromium is found
	$(BIN)/python -m pytest $(PYTEST_ARGS)

test-cluster: install-dev ## run the tests that need Go 1.26 and a real control plane; the first build takes long
	$(BIN)/python tests/cluster/build.py >/dev/null
	DRA_TEST_CLUSTER=1 $(BIN)/python -m pytest -m cluster $(PYTEST_ARGS) tests/cluster

fuzz-allocator: install-dev ## ask the dashboard and upstream's allocator the same random scenarios (SECONDS=120 SEED=…)
	$(BIN)/python -m tests.cluster.fuzz_allocator --seconds "$(SECONDS)" --seed "$(SEED)"

conformance: install-dev ## compare with upstream's recorded answers, CEL's recorded verdicts and known cases, and count
	@test -d $(SHARED)/conformance || { echo "$(SHARED)/conformance is not here: nothing was compared"; exit 1; }
	@for file in $(SHARED)/conformance/*.jsonl.gz; do echo "$$file, by manage.py simulate:"; \
		$(BIN)/python $(SHARED)/tools/check_scenarios.py "$$file" -- $(BIN)/python manage.py simulate | tail -n 2; done
	@echo "CEL, the $$(cat $(SHARED)/conformance/cel_*.jsonl | wc -l) expressions of its two files:"
	@$(BIN)/python -m pytest -q --no-header -k "cel_cases or cel_vectors" tests/core/test_cel.py | tail -n 1
	@echo "$(SHARED)/cases, by manage.py inspect:"
	@$(BIN)/python $(SHARED)/tools/check_cases.py $(SHARED)/cases -- $(BIN)/python manage.py inspect --format json | tail -n 1

bench: install-dev ## time the core beside upstream's allocator; figures, never a test (BENCH="fleet cel" for some sections)
	$(BIN)/python -m tests.perf.bench $(BENCH)

lint: install-dev ## style, types, import contracts, migrations, API schema, deployment settings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy pools dra_dashboard demo
	$(BIN)/lint-imports
	find templates -name '*.html' -print0 | xargs -0 $(BIN)/djade --target-version 5.2 --check
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py spectacular --validate --fail-on-warn --file /dev/null
	DRA_HTTPS=true DRA_ALLOWED_HOSTS=dashboard.example.com \
		DRA_SECRET_KEY="$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(60))')" \
		$(BIN)/python manage.py check --deploy --fail-level WARNING

format: install-dev ## rewrite Python and templates in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	find templates -name '*.html' -print0 | xargs -0 $(BIN)/djade --target-version 5.2

schema: install-dev ## write the OpenAPI schema to docs/openapi.yaml
	$(BIN)/python manage.py spectacular --file docs/openapi.yaml

demo: install ## write the demo fleet's manifests anew
	$(BIN)/python -m demo.build

clean: ## remove the virtual environment, the database and all caches
	rm -rf .venv var .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
