"""The extension in the real text-generation-webui: `make host-test TEXTGEN=<its folder>`.

`python -m tests.end_to_end.host_test --help` tells the options. Nothing here is for pytest.
"""
