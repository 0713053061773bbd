# Two commands do all the set-up: `make lab` to learn, `make test` to check. `make` alone lists the rest.
STUDENTS ?= 30
CHAPTERS ?= 02,03
DIR      ?= data/recordings
N        ?= 1000
LEVEL    ?= L3
WHEELS   ?=
PYTHON   ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
              $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

PY  := .venv/bin/python
# what one process compiles hundreds of others read, also where the shell forbids to write it
unexport PYTHONDONTWRITEBYTECODE
PIP := $(PY) -m pip --disable-pip-version-check
COMMA := ,
FROM = --constraint constraints.txt $(if $(WHEELS),--no-index --find-links "$(WHEELS)")

# --- what one can ask for: the text after ## and the command under it are what `make help` prints ---

help:
	@awk "$$HELP" Makefile

lab: .venv/ready  ## learn: JupyterLab opens on chapter 00, on your own copy of the notebooks
	@$(PY) -m autograder.learner.lab

test: .venv/ready-dev  ## check everything, one or two of each kind (five to six minutes)
	@$(PY) -m pytest -q -rs -n logical --dist loadfile -m "not slow and not corpus"

test-corpus: .venv/ready-dev  ## check more of each kind, what CI runs after `make test` (ten minutes)
	@$(PY) -m pytest -q -rs -n logical --dist loadfile -m "corpus and not slow"

quick: .venv/ready-dev  ## check what you changed: the house's rules and the nearest tests (a few minutes)
	@$(PY) -m kafkalab.tests.quick

format: .venv/ready-dev  ## write: bring every source file to the house's format, 100 columns
	@$(PY) -m ruff check --fix --quiet . ; $(PY) -m ruff format --quiet . ; $(PY) -m ruff check .

test-all: .venv/ready-dev .venv/ready-book  ## check everything, all of each corpus (two hours or more)
	@$(PY) -m pytest -q -rs -n logical --dist loadfile

classroom: .venv/ready-teach  ## teach: a class of made-up students is graded (STUDENTS=30 CHAPTERS=02,03, or all)
	@$(PY) -m autograder classroom --students $(STUDENTS) --chapters $(CHAPTERS)

redteam: .venv/ready-teach  ## attack: hostile submissions in the sandbox; what comes through is counted (LEVEL=L3)
	@$(PY) -m autograder redteam --level $(LEVEL)

course: .venv/ready-teach  ## write: build the notebooks of notebooks/release from chapters and exercises
	@$(PY) -m autograder course

book: .venv/ready-book  ## read: the course as a static site in the folder book/ (10 minutes)
	@$(PY) -m autograder book

wheel: .venv/ready-teach  ## package: build the wheel with sealed verdicts (half an hour the first time)
	@$(PY) -m autograder seal && $(PY) -m pip wheel --no-deps --wheel-dir dist .

conformance: .venv/ready  ## compare the simulator with recordings of real clients (DIR=data/recordings)
	@$(PY) -m kafkalab conformance $(DIR)

seeds: .venv/ready  ## hold N small stories full of faults against the laws (N=1000)
	@$(PY) -m kafkalab seeds $(N)

prove: .venv/ready  ## run the claims of the chapters on real Kafka, too; writes notebooks/PROOF.md (an hour)
	@$(PY) -m kafkalab real prove

bench: .venv/ready-bench  ## measure speed as ratios against peers; writes bench.json
	@$(PY) -m bench

browser: .venv/ready-dev  ## run each notebook in JupyterLab in a real Chromium; pictures in screenshots/
	@$(PY) -m autograder browser

wheels: .venv/ready  ## fill the folder wheels/ for machines without internet: make lab WHEELS=wheels
	@$(PIP) wheel --constraint constraints.txt --wheel-dir wheels ".[learn,spark,logs,teach,clients,dev,bench]" setuptools

.PHONY: help lab test test-corpus quick format test-all classroom redteam course book conformance seeds prove bench browser wheel wheels
.DEFAULT_GOAL := help

# --- the environment: made once, made again when what it is made from changes ---

.venv/ready: .venv/bin/python pyproject.toml setup.py constraints.txt
	@echo "Installing the lab into .venv; the first time takes a few minutes."
	@$(PIP) install $(FROM) --editable ".[learn,spark,logs]"
	@touch $@

.venv/ready-%: .venv/bin/python pyproject.toml setup.py constraints.txt
	@echo "Installing the lab and its $* tools into .venv; the first time takes a few minutes."
	@$(PIP) install $(FROM) --editable ".[learn,spark,logs,$(if $(filter dev book,$*),clients$(COMMA))$(if $(filter teach,$*),,teach$(COMMA))$*]"
	@touch $@

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer here: install one, or name it, make lab PYTHON=/path/to/python3."; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; echo "$(PYTHON) cannot make a virtual environment: install its venv module (Debian, Ubuntu: apt install python3-venv)."; exit 1; }

# --- how help reads this file: a target, the text after ##, and the command in the line under it, its variables filled in ---

define HELP
/^[a-z-]+:.*## / {
    target = $$1; sub(/:/, "", target)
    text = $$0; sub(/.*## /, "", text)
    getline command; sub(/^\t@/, "", command)
    gsub(/[$$][(]PIP[)]/, "$(PY) -m pip", command); gsub(/[$$][(]PY[)]/, "$(PY)", command); gsub(/[$$][(]DIR[)]/, "$(DIR)", command)
    gsub(/[$$][(]N[)]/, "$(N)", command); gsub(/[$$][(]LEVEL[)]/, "$(LEVEL)", command); gsub(/[$$][(]STUDENTS[)]/, "$(STUDENTS)", command); gsub(/[$$][(]CHAPTERS[)]/, "$(CHAPTERS)", command)
    printf "make %-12s %-82s  %s\n", target, text, command
}
END { print "\nWithout make, once: python3 -m venv .venv && $(PY) -m pip install -c constraints.txt -e '.[learn,spark,logs,teach,clients,dev,bench]'; then the commands on the right." }
endef
export HELP
