# Two commands set everything up: `make demo` and `make test`. Nothing else has to be installed first but Python 3.11.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STORE ?= data/store
export CITATION_PIPELINE_STORE ?= $(CURDIR)/$(STORE)

# the tests start hundreds of processes: none shall compile the package anew
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo image-check newest-dagster test tests test-outside-data fuzz mutants coverage check quick-check types docs dev
.PHONY: serve sample lock clean

demo: $(VENV)/.runtime  ## run the sample claim from documents to viewer dataset
	$(BIN)/citation-pipeline run data/samples/*/

# one more than cores: it uses what the others spend in waiting for daemons, browsers and databases
WORKERS ?= $(shell n=$$(nproc 2>/dev/null || echo 4); test $$n -gt 4 && n=4; echo $$((n + 1)))

# thousands of small synced writes: in memory where there is room for them
PYTEST := PYTEST_DEBUG_TEMPROOT=$$(test -w /dev/shm && echo /dev/shm || echo /tmp) $(BIN)/python -m pytest -q

test: quick-check  ## every test that needs nothing beside the checkout (WORKERS=6: that many at once)
	scripts/system-packages
	$(MAKE) --no-print-directory -j 2 types tests  # types beside the tests: they take a minute of one core

tests: $(VENV)/.dev
	$(PYTEST) -n $(WORKERS) --dist worksteal --durations 40 --durations-min 5 -m "not outside_data"

test-outside-data: $(VENV)/.dev  ## the tests on the claims, corpus and contracts in ../shared
	$(PYTEST) -n auto --maxprocesses 4 --dist worksteal -m outside_data

ifndef SEED
SEED := $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')
endif
fuzz: $(VENV)/.dev  ## the property tests with ten times the examples, at random (SEED=… repeats a run)
	@echo "fuzz: SEED=$(SEED)"
	$(PYTEST) -n auto --maxprocesses 4 --dist worksteal -m "hypothesis and not outside_data" --timeout 3600 \
		--hypothesis-profile fuzz --hypothesis-seed $(SEED) || { echo "repeat with: make fuzz SEED=$(SEED)"; exit 1; }

mutants: $(VENV)/.dev  ## change the code at random places; names the changes that no test notices
	$(BIN)/python scripts/mutants $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT))

coverage: $(VENV)/.dev  ## branch coverage by package; twice as long as the tests
	mkdir -p build && rm -f build/coverage*
	PYTEST_DEBUG_TEMPROOT=$$(test -w /dev/shm && echo /dev/shm || echo /tmp) $(BIN)/coverage run -m pytest -q \
		-n auto --maxprocesses 4 --dist worksteal -m "not outside_data" || echo "some tests failed: see above"
	$(BIN)/coverage combine --quiet
	$(BIN)/python scripts/coverage_by_package.py

check: quick-check types  ## format, lint, types, import contracts

quick-check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-logo

types: $(VENV)/.dev
	$(BIN)/mypy

docs: $(VENV)/.dev  ## the documentation site, into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "build/site is done; look at it with: python3 -m http.server --directory build/site --bind 127.0.0.1"

dev: $(VENV)/.runtime  ## the Dagster UI with its daemon, on what `make demo` ran
	$(BIN)/citation-pipeline dev

serve: $(VENV)/.runtime  ## the viewer
	$(BIN)/citation-pipeline serve

sample: $(VENV)/.dev  ## draw the sample claim again
	$(BIN)/python -m citation_pipeline_tests.sample_claim --out data/samples

image-check:  ## the Containerfile's steps in an empty environment, as CI walks them
	deploy/image/check

newest-dagster: $(VENV)/.dev  ## try the newest Dagster on what leans on its private parts
	scripts/newest-dagster

lock:  ## rewrite the lock files (needs uv)
	scripts/lock

clean:
	rm -rf $(VENV) build data/store .pytest_cache .mypy_cache .ruff_cache

$(VENV)/.runtime: requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $@
