#!/bin/sh
# Runs the examples of agent frameworks with the real frameworks, in an environment of their own.
set -eu
cd "$(dirname "$0")/.."

venv=.venv-examples
[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/pip" install --quiet "autogen-agentchat>=0.7,<0.8" "autogen-ext[openai]>=0.7,<0.8" "agentscope>=2,<3"

LTM_EXAMPLES_PYTHON="$PWD/$venv/bin/python" .venv/bin/python -m pytest tests/examples "$@"
