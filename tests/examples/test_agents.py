"""The examples of agent frameworks, run as their users run them, if the frameworks are installed.

LTM_EXAMPLES_PYTHON names a Python that has them; .ci/examples.sh makes one.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memory_core.domain.namespaces import Namespace
from tests.loopback import says_json
from tests.server.conftest import ServeWith
from tests.server.conftest import serve_with as serve_with
from tests.server.live_server import Backend, Scripted, completion, sides, stored, streamed

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PYTHON = os.environ.get("LTM_EXAMPLES_PYTHON", sys.executable)
PACKAGES = {"autogen_agent": "autogen_agentchat", "agentscope_agent": "agentscope"}
OWNER = Namespace("api:ana", "Mira")


def run(example: str, server: str, text: str) -> str:
    environ = {**os.environ, "MEMORY_SERVER": server, "MEMORY_USER": "ana"}
    environ.pop("PYTHONPATH", None)
    program = subprocess.run(
        [PYTHON, str(EXAMPLES / f"{example}.py")],
        env=environ, input=text, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert program.returncode == 0, program.stderr[-2000:]
    return program.stdout


def has_package(name: str) -> bool:
    code = f"import importlib.util as u; raise SystemExit(u.find_spec({name!r}) is None)"
    return subprocess.run([PYTHON, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("example", PACKAGES)
def test_agent_of_a_second_run_is_told_what_the_first_one_heard(
    example: str, serve_with: ServeWith
) -> None:
    if not has_package(PACKAGES[example]):
        pytest.skip(f"needs {PACKAGES[example]}: make examples")
    served = serve_with(backend_of(example, "How nice!", "It is Bruno."))
    server = str(served.client.base_url).rstrip("/")
    assert "How nice!" in run(example, server, "My dog is called Bruno.\n")
    assert "It is Bruno." in run(example, server, "What is my dog called?\n")
    assert "My dog is called Bruno." in str(served.sent_messages)
    assert sides(stored(served.runtime, OWNER)) == [
        ("What is my dog called?", "It is Bruno."),
        ("My dog is called Bruno.", "How nice!"),
    ]


def backend_of(example: str, *answers: str) -> Backend:
    """AgentScope streams its answers, AutoGen takes them whole."""
    if example == "agentscope_agent":
        return Scripted(*map(streamed, answers))
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return Scripted(*(says_json({**completion(text), "usage": usage}) for text in answers))
