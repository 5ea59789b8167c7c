"""`python -m memory_core.ui.demo` starts the demo at http://127.0.0.1:7860."""

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...domain.errors import LongTermMemoryError

PROJECT = Path(__file__).resolve().parents[3]


def main() -> None:
    asked = _arguments()
    try:
        from ..tab.common.assets import stylesheet
        from .page import CSS, build, local_theme
    except ImportError as exc:
        sys.exit(f"The demo needs {exc.name}: pip install 'gradio>=6,<7'")
    from .program import Program

    # Gradio 6 would store all contents of the page in the browser, including memories that are
    # forgotten here. It would also write them again at each click.
    os.environ["GRADIO_RUN_HISTORY"] = "False"
    try:
        program = Program(asked.folder, os.environ)
    except LongTermMemoryError as exc:  # its database may be unreachable
        sys.exit(f"The demo cannot start: {exc}")
    program.runtime.start()
    try:
        # Without `_frontend`, Gradio does not probe its own page for 3 s; on a busy machine the
        # probe fails, and the program with it.
        options = {"css": stylesheet() + CSS, "theme": local_theme()}
        serve(build(program), asked, options)
    except OSError:
        other = asked.port + 1
        sys.exit(
            f"Port {asked.port} of {asked.host} is in use; choose another: PORT={other} make demo"
        )
    finally:
        program.runtime.close()


def serve(blocks: Any, asked: argparse.Namespace, options: Mapping[str, Any]) -> None:  # noqa: ANN401
    """Serves the page until Ctrl+C. Gradio itself would advise to make the page public."""
    _, address, _ = blocks.launch(
        server_name=asked.host,
        server_port=asked.port,
        quiet=True,
        prevent_thread_lock=True,
        _frontend=False,
        **options,
    )
    sys.stdout.write(f"Running on {address} (Ctrl+C ends it)\n")
    sys.stdout.flush()
    blocks.block_thread()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="demo", description="A chat that remembers.")
    port = os.environ.get("PORT") or "7860"
    parser.add_argument("--port", type=int, default=port, help="default: $PORT, else 7860")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument(
        "--folder",
        type=Path,
        default=PROJECT / "user_data" / "demo",
        help="folder of its chats, memories and settings",
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
