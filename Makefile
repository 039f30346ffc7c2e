# Two commands do everything on a machine that has Python (3.10 to 3.13), pip and make.
#   make demo   the embedded demo: a table, and the picture tsrp-demo.png
#   make test   ruff, mypy and all tests
# make check is for every change: all but the tests that need the benchmark files, a browser or the documentation's site.
# make docs builds the documentation site, build/docs/index.html; make pictures draws its pictures anew.
# make results recomputes docs/RESULTS.md, docs/SUBSPACES.md and docs/figures from the data sets on this disk, make bench
# measures speed and memory, make selection how well `tsrp tune` chooses (docs/SELECTION.md), make peers installs adapt and
# runs TCA and TJM beside skada's and its own.
# PYTHON chooses the interpreter that makes .venv:  make test PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo check lint test browser docs pictures results selection bench peers clean

demo: $(VENV)/installed
	$(BIN)/tsrp demo

check: lint
	$(BIN)/pytest -n 2 --dist loadgroup -m "not published and not browser and not site"

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

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
	$(BIN)/python docs/make_pictures.py

results: $(VENV)/installed
	mkdir -p build docs/figures
	$(BIN)/tsrp bench --results build/results.sqlite --table --write docs/RESULTS.md
	$(BIN)/tsrp figures --results build/results.sqlite --output-dir build/figures
	cp build/figures/*.png docs/figures
	$(BIN)/python benchmarks/subspaces.py

selection: $(VENV)/installed
	$(BIN)/python benchmarks/selection.py

bench: $(VENV)/installed
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/precision.py
	$(BIN)/python benchmarks/report.py
	$(BIN)/python benchmarks/service.py

peers: $(VENV)/installed
	PIP_CONSTRAINT="$(CURDIR)/constraints.txt" $(BIN)/python -m pip install --quiet --editable ".[bench]"
	$(BIN)/python benchmarks/peers.py

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	PIP_CONSTRAINT="$(CURDIR)/constraints.txt" $(BIN)/python -m pip install --quiet --editable ".[files,cluster,skada,dev,docs]"
	touch $@

clean:
	rm -rf $(VENV)
