#!/bin/sh
# The memory tab in Gradio 4.37.2, the host's version, in an environment of its own.
# usage: .ci/gradio4.sh [folder for screenshots [options of .ci/browser]]
set -eu
cd "$(dirname "$0")/.."
shots=${1:-build/gradio4}
[ $# -eq 0 ] || shift

if [ ! -x .venv-gradio4/bin/python ]; then
    python3 -m venv .venv-gradio4
    .venv-gradio4/bin/pip install --quiet \
        "gradio==4.37.2" "huggingface_hub<1" "pydantic==2.10.6" "fastapi==0.112.4" "starlette<0.39" \
        "jinja2==3.1.6" "playwright>=1.50" "axe-playwright-python>=0.1.7"
    .venv-gradio4/bin/pip install --quiet -r requirements.txt
fi
GRADIO_ANALYTICS_ENABLED=False exec .venv-gradio4/bin/python .ci/browser --tab-only "$@" "$shots"
