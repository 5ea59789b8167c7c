# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
PORT ?= 7860
VENV := .venv
# Tests wait for a third of their time: three processes keep two processors busy.
WORKERS ?= 3
BIN := $(VENV)/bin

# Many containers forbid it; then each of the programs that tests start compiles the package anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-slow test-stress test-scale failover full fuzz fuzz-api examples docker-steps lint format check-pins browser browser-demo browser-histories browser-full screenshots gradio4 minilm bench bench-turn bench-recall docs host-test clean

demo: $(VENV)/.demo
	PORT=$(PORT) $(BIN)/python -m memory_core.ui.demo

test: $(VENV)/.test
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

# Hypothesis tries the same examples in every `make test`; here it tries others in each run, and
# twenty times as many. `make fuzz SEED=<the number it printed>` tries those of that run again.
SEED := $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')
fuzz: $(VENV)/.test
	@echo "seed: $(SEED)"
	$(BIN)/python -m pytest -q -n $(WORKERS) -m "hypothesis and not real_model and not fidelity" \
	  --hypothesis-profile=fuzz --hypothesis-seed=$(SEED)

# A thousand random requests made from the OpenAPI document; ten thousand: make fuzz-api FULL=--full
fuzz-api: $(VENV)/.test
	sh .ci/fuzz_api.sh $(FULL)

# What takes too long for CI, an hour or two: the kills, failing calls and requests of the figures in
# the documents.
full: $(VENV)/.test
	STRESS=full $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m slow
	$(BIN)/python -m benchmarks.serve_kills --kills 200 --json
	$(BIN)/python -m benchmarks.crash --io-errors --json
	$(BIN)/python -m benchmarks.crash --administrative --kills 1000 --json
	$(BIN)/python -m tests.end_to_end.growth 1000000
	sh .ci/fuzz_api.sh --full
	$(MAKE) browser-full

# The examples of agent frameworks, with the real frameworks.
examples: $(VENV)/.test
	sh .ci/examples.sh

# Dockerfile and compose.yaml, as far as that goes without Docker.
docker-steps:
	$(PYTHON) .ci/docker_steps.py

# Kills, failing disks and times of growth: minutes more. test-stress kills ten times as often.
test-slow: $(VENV)/.test
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m slow

test-stress: $(VENV)/.test
	STRESS=full $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m slow

# Memories in PostgreSQL, with servers that the tests start and kill themselves; docs/scale.md.
test-scale: $(VENV)/.scale
	SCALE_TESTS=1 $(BIN)/python -m pytest -q -m scale tests/scale
	SCALE_TESTS=1 $(BIN)/python -m pytest -q -k postgres tests/storage/index/contract

# Kills a primary twenty times under load.
failover: $(VENV)/.scale
	$(BIN)/python -m benchmarks.failover --kills 20 --json

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.test
	$(BIN)/python docs/make_settings.py

check-pins:
	$(PYTHON) .ci/check_pins.py

browser: browser-demo browser-histories

browser-demo: $(VENV)/.browser
	$(BIN)/python .ci/browser --only demo build/browser

browser-histories: $(VENV)/.browser
	$(BIN)/python .ci/browser --only history,review-en,review-zh build/browser

# Every theme, width and language with every other, in both versions of Gradio.
browser-full: $(VENV)/.browser
	$(BIN)/python .ci/browser --full build/browser
	bash .ci/gradio4.sh build/gradio4 --full

# The pictures of the README and the documents, into docs/images.
screenshots: $(VENV)/.browser
	$(BIN)/python docs/make_screenshots.py

gradio4:
	bash .ci/gradio4.sh

minilm:
	bash .ci/minilm.sh

# What a namespace costs against its size, into docs/store.md and docs/store.svg; 1M takes an hour:
#   make bench BENCH_MAX=1000000
BENCH_MAX ?= 100000
bench: $(VENV)/.test
	$(BIN)/python benchmarks/store_curve.py --to $(BENCH_MAX) --unclustered 100000 --write
	$(BIN)/python benchmarks/load.py

bench-turn: $(VENV)/.test
	$(BIN)/python benchmarks/turn.py --json

# Bounds a little beyond what was measured; docs/recall-figures.md. They hold what a user gets: behind the gate.
bench-recall: $(VENV)/.test
	$(BIN)/python benchmarks/everyday.py --embedder none --json \
	  --floor held_out.delivered.delivered=0.70 --floor fitted.delivered.delivered=0.72 \
	  --ceiling held_out.nothing_wanted.tokens=60 --ceiling fitted.nothing_wanted.tokens=50
	$(BIN)/python benchmarks/everyday.py --embedder built-in --json \
	  --floor held_out.delivered.delivered=0.81 --floor fitted.delivered.delivered=0.83 \
	  --ceiling held_out.nothing_wanted.tokens=62 --ceiling fitted.nothing_wanted.tokens=56
	$(BIN)/python benchmarks/recall.py --data benchmarks/data/companion_en.json --json \
	  --embedder none --floor recall@10=0.58 --floor gated.recall@10=0.58 \
	  --floor chat_turns.gated.recall@10=0.28
	$(BIN)/python benchmarks/recall.py --data benchmarks/data/companion_zh.json --json \
	  --embedder none --floor recall@10=0.80 --floor gated.recall@10=0.73 \
	  --floor chat_turns.gated.recall@10=0.44
	$(BIN)/python benchmarks/smalltalk.py --data benchmarks/data/smalltalk.json --json \
	  --embedder none --ceiling injected.en=0.10 --ceiling injected.zh=0.10 \
	  --ceiling in_context.en=0.13 --ceiling in_context.zh=0.13

# The real host, by script, one after the other:
#   make host-test TEXTGEN="<folder of an installed text-generation-webui> <another> ..."
#   make host-test HOST_SOURCE=<a clone of it, or its URL>   the newest release of its last 3 series
# HOST_VERSIONS="v4.7.3 v4.6.2 --venv <an installed host's venv>" says which, and how they are made;
# HOST_TEST="--only distance --python /some/venv/bin/python" passes further options on.
host-test: $(VENV)/.browser
	$(if $(TEXTGEN)$(HOST_SOURCE),,$(error TEXTGEN=<folders of installed hosts> or HOST_SOURCE=<its git> is needed))
	$(if $(HOST_SOURCE),hosts=$$($(BIN)/python -m tests.end_to_end.host_test.versions --from "$(HOST_SOURCE)" $(HOST_VERSIONS)) &&) \
	  $(BIN)/python -m tests.end_to_end.host_test --textgen $(TEXTGEN) $(if $(HOST_SOURCE),$$hosts) $(HOST_TEST)

clean:
	rm -rf $(VENV) .venv-* build

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
	  { echo "Python 3.11, 3.12 or 3.13 is needed; name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); echo "No virtual environment could be made. Debian, Ubuntu: apt install python3-venv"; exit 1; }

$(VENV)/.demo $(VENV)/.test $(VENV)/.lint $(VENV)/.browser $(VENV)/.scale: $(VENV)/.%: pyproject.toml requirements.txt | $(BIN)/python
	@echo "Installing the packages of [$(EXTRAS_$*)] into $(VENV): once, for a minute or two"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[$(EXTRAS_$*)]"
	@touch $@

EXTRAS_demo := demo
EXTRAS_test := demo,test
EXTRAS_lint := demo,test,lint
EXTRAS_scale := demo,test,scale-tests
EXTRAS_browser := demo,test,browser
