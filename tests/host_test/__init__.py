"""The extension in the real text-generation-webui: `make host-test TEXTGEN=<its folder>`.

Nothing here is collected by pytest; `python -m tests.host_test --help` tells the options.
"""
