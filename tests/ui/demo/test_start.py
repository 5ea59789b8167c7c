"""The demo's start: its own line, the address, and no advice to make the page public."""

import argparse
import threading
from dataclasses import dataclass, field
from typing import Any

import pytest

from memory_core.ui.demo.__main__ import serve


@dataclass
class QuietBlocks:
    """Stands for Gradio's page: keeps how it was launched."""

    launched: dict[str, Any] = field(default_factory=dict)
    waited: threading.Event = field(default_factory=threading.Event)

    def launch(self, **options: Any) -> tuple[None, str, None]:
        self.launched = options
        return None, f"http://{options['server_name']}:{options['server_port']}/", None

    def block_thread(self) -> None:
        self.waited.set()


def test_demo_tells_its_address_itself_and_keeps_gradio_quiet(
    capsys: pytest.CaptureFixture[str],
) -> None:
    blocks = QuietBlocks()
    serve(blocks, argparse.Namespace(host="127.0.0.1", port=7861), {"css": "b {}"})
    assert capsys.readouterr().out == "Running on http://127.0.0.1:7861/ (Ctrl+C ends it)\n"
    assert (blocks.launched["quiet"], blocks.launched["css"]) == (True, "b {}")
    assert blocks.waited.is_set()
