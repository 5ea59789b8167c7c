"""The example of a bot, run as its users run it."""

import os
import subprocess
import sys
from pathlib import Path

from memory_core.domain.namespaces import Namespace
from memory_core.storage.contract import Page
from tests.loopback import says_json
from tests.server.conftest import ServeWith
from tests.server.conftest import serve_with as serve_with
from tests.server.live_server import Scripted, completion

PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "bot_loop.py"
SAID = "ana: I have a cat called Tom.\nbob: Hello!\nana: What is my cat called?\n"


def test_bot_remembers_each_person_apart(serve_with: ServeWith) -> None:
    answers = [says_json(completion(text)) for text in ("Nice.", "Hi Bob.", "Tom.")]
    served = serve_with(Scripted(*answers))
    environ = {**os.environ, "MEMORY_SERVER": str(served.client.base_url).rstrip("/")}
    done = subprocess.run(
        [sys.executable, str(PROGRAM)],
        env=environ, input=SAID, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["Nice.", "Hi Bob.", "Tom."]
    asked = [[message["content"] for message in one.body["messages"]] for one in served.asked]
    assert "cat called Tom" not in str(asked[1])
    assert asked[2][0] == "I have a cat called Tom."
    kept = served.runtime.memory.latest(Namespace("api:ana", "Mira"), Page(limit=9))
    assert len(kept) == 2
