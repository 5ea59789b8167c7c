"""Random requests made from the OpenAPI document, by schemathesis: no fault, no foreign shape."""

import os
import re
import shutil
import subprocess

import pytest

from tests.server.conftest import ServeWith

TOOL = shutil.which("schemathesis")
# Refusals are as the document says; these checks ask whether a refusal should have come.
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance"
)
# For each of about 36 operations: a thousand requests. .ci/fuzz_api.sh --full makes ten thousand.
EXAMPLES = int(os.environ.get("LTM_FUZZ_EXAMPLES", "28"))
REQUESTS_EACH = 28


@pytest.mark.slow
@pytest.mark.skipif(TOOL is None, reason="needs schemathesis: make fuzz-api")
def test_random_requests_meet_no_fault_and_no_foreign_shape(serve_with: ServeWith) -> None:
    client = serve_with(server={"requests_per_minute": 0}).client
    done = subprocess.run(
        [
            str(TOOL), "run", f"{client.base_url}/openapi.json", "--checks", CHECKS,
            "--max-examples", str(EXAMPLES), "--phases", "examples,fuzzing", "--seed", "1",
            "--request-timeout", "60", "--no-color",
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
