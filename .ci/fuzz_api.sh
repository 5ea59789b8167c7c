#!/bin/sh
# Random requests made from the OpenAPI document, in an environment of schemathesis' own:
# a thousand, or with --full ten thousand (minutes).
set -eu
cd "$(dirname "$0")/.."

venv=.venv-fuzz-api
[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/pip" install --quiet "schemathesis>=4,<5"

[ "${1-}" = --full ] && export LTM_FUZZ_EXAMPLES=360
PATH="$PWD/$venv/bin:$PATH" .venv/bin/python -m pytest -q -m slow tests/server/test_openapi_fuzz.py
