"""The pages under test: the demo as a program, and the tab alone in this Python's Gradio."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .visit import CAT, PROJECT

if TYPE_CHECKING:
    from memory_core.ui.demo.program import Program

_PORTS_TRIED = 3
ENVIRON = {"GRADIO_ANALYTICS_ENABLED": "False", "HF_HUB_OFFLINE": "1"}


@contextmanager
def demo(folder: Path) -> Iterator[str]:
    """The demo as a program of its own; its address."""
    program, address = start_demo(folder)
    try:
        yield address
    finally:
        program.terminate()
        program.wait()


def start_demo(folder: Path) -> tuple["subprocess.Popen[str]", str]:
    """Returns the running demo and its address. Others may take a port that was just free."""
    for _ in range(_PORTS_TRIED):
        port = free_port()
        command = [sys.executable, "-m", "memory_core.ui.demo"]
        command += ["--port", str(port), "--folder", str(folder)]
        program = subprocess.Popen(  # noqa: S603  (ours)
            command, cwd=PROJECT, env={**os.environ, **ENVIRON}, stdout=subprocess.PIPE, text=True
        )
        if any("Running on" in line for line in program.stdout or ()):
            return program, f"http://127.0.0.1:{port}/"
        program.wait()
    sys.exit("the demo did not start")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def tab_alone(folder: Path) -> Iterator[str]:
    """The tab over the demo's memories, after one answer; its address."""
    from memory_core.ui.demo.program import Program

    program = Program(folder, {})
    program.runtime.start()  # its threads load the model
    session = program.session("Alex", "Mira")
    for _ in session.send(CAT, program.responder(session)):
        pass
    with tab_of(program) as address:
        yield address


@contextmanager
def tab_of(program: "Program") -> Iterator[str]:
    """Serves the tab of this program beside another one, as in the host; closes the program."""
    os.environ.update(ENVIRON | {"GRADIO_RUN_HISTORY": "False"})  # as the demo does
    import gradio as gr

    from memory_core.ui.tab.page import build

    with gr.Blocks() as blocks:
        with gr.Tab("Chat"):
            gr.Markdown(f"Gradio {gr.__version__}")
        with gr.Tab("Long-term memory"):
            build(program.administration)
    # Without `_frontend`, Gradio does not probe its own page, which fails on a busy machine.
    _, address, _ = blocks.launch(
        prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", _frontend=False
    )
    try:
        yield address
    finally:
        blocks.close(verbose=False)
        program.runtime.close()
