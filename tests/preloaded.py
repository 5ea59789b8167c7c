"""What the programs of tests import, loaded once in the process from which they are forked."""

import contextlib
import importlib

from memory_core.recall.query import warm_up

MODULES = (
    "benchmarks.file_calls",
    "memory_core.server.app",
    "memory_core.ui.cli.main",
    "openai",
    "pytest",
    "tests.builders",
    "tests.programs",
    "uvicorn",
)

for name in MODULES:
    importlib.import_module(name)
with contextlib.suppress(ImportError):  # only the tests of scale need it
    importlib.import_module("psycopg")
warm_up()
