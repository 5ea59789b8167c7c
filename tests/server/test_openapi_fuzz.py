"""Random requests made from the OpenAPI document, by schemathesis: no fault, no foreign shape."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.server.conftest import ServeWith

TOOL = shutil.which("schemathesis")
# Refusals are as the document says; these checks ask whether a refusal should have come.
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance"
)
# For each of 35 operations; .ci/fuzz_api.sh --full asks for ten times as many.
EXAMPLES = int(os.environ.get("LTM_FUZZ_EXAMPLES", "36"))
LEAST_REQUESTS = 1000 * EXAMPLES // 36
KNOWN_MEMORIES = 8


@pytest.mark.slow
@pytest.mark.skipif(TOOL is None, reason="needs schemathesis: make fuzz-api")
def test_random_requests_meet_no_fault_and_no_foreign_shape(
    serve_with: ServeWith, tmp_path: Path
) -> None:
    settings = {"server": {"requests_per_minute": 0}, "api": {"default_user": "ana"}}
    client = serve_with(**settings).client
    config = tmp_path / "schemathesis.toml"
    ids = [memory_of_ana(client, number) for number in range(KNOWN_MEMORIES)]
    config.write_text(f'[parameters]\n"path.memory_id" = {json.dumps([*ids, "unknown"])}\n')
    done = subprocess.run(
        [
            str(TOOL), "--config-file", str(config),
            "run", f"{client.base_url}/openapi.json", "--checks", CHECKS,
            "--max-examples", str(EXAMPLES), "--phases", "examples,fuzzing", "--seed", "1",
            "--request-timeout", "60", "--no-color",
        ],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    generated = re.search(r"(\d+) generated", done.stdout)
    assert generated is not None
    assert int(generated[1]) >= LEAST_REQUESTS


def memory_of_ana(client: httpx.Client, number: int) -> str:
    """Adds a memory of the default user, whom a request without a user means."""
    added = client.post("/memories", json={"text": f"Ana's number is {number}."})
    memory_id: str = added.json()["results"][0]["id"]
    return memory_id
