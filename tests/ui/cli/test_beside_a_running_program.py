"""The command line and an MCP client beside a program that holds the same memories."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import anyio
import mcp
import pytest
from mcp.client.stdio import StdioServerParameters, stdio_client

from memory_core.memory.runtime import Runtime
from tests.builders import SPACE, said
from tests.conftest import MakeRuntime
from tests.programs import Program
from tests.ui.cli.conftest import RunCommand

PROJECT = Path(__file__).resolve().parents[3]
ENVIRON = {**os.environ, "LTM_EMBEDDER__KIND": "none", "PYTHONPATH": str(PROJECT)}


@pytest.fixture
def holder(make_runtime: MakeRuntime) -> Iterator[Runtime]:
    """A program that runs and has written the memories, as text-generation-webui does."""
    runtime = make_runtime()
    runtime.start()
    runtime.memory.remember(SPACE, "talk", said("My dog is called Bruno"))
    return runtime


# Another program: one for all commands, because its start takes longer than they do.
COMMANDS = """
import json, sys
from memory_core.ui.cli.main import main

for line in sys.stdin:
    code = main(json.loads(line))
    print("ended", code, flush=True)
"""


class Commands:
    """Commands for the memories of the holder: in a program, or here if they only read."""

    def __init__(
        self, holder: Runtime, run_command: RunCommand, program: "subprocess.Popen[str]"
    ) -> None:
        self._options = ["--json", "--storage", str(holder.memory.root)]
        self._run_command = run_command
        self._program = program

    def write(self, command: str, *args: str) -> Any:
        """Returns the JSON that the program prints."""
        line = [command, SPACE.user, SPACE.character, *args, *self._options]
        typed, printed = self._program.stdin, self._program.stdout
        assert typed is not None
        assert printed is not None
        typed.write(json.dumps(line) + "\n")
        typed.flush()
        *told, ended = iter_until(printed, "ended ")
        assert ended == "ended 0\n", told
        return json.loads("".join(told))

    def read(self, command: str, *args: str) -> Any:
        """Returns the JSON that a command prints."""
        done = self._run_command(command, SPACE.user, SPACE.character, *args, *self._options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def iter_until(lines: Iterable[str], beginning: str) -> Iterator[str]:
    """Yields the lines up to the first one that begins so, and this one."""
    for line in lines:
        yield line
        if line.startswith(beginning):
            return


@pytest.fixture
def commands(holder: Runtime, run_command: RunCommand) -> Iterator[Commands]:
    with Program(
        [sys.executable, "-c", COMMANDS],
        cwd=PROJECT, env=ENVIRON, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as program:  # fmt: skip
        yield Commands(holder, run_command, program)


def texts(found: Any) -> list[str]:
    return [memory.get("user") or memory["text"] for memory in found["memories"]]


def test_commands_work_beside_the_program_that_holds_the_memories(
    holder: Runtime, commands: Commands
) -> None:
    assert texts(commands.read("list")) == ["My dog is called Bruno"]
    note = commands.write("remember", "Ana likes green tea")["id"]
    assert holder.memory.get_record(SPACE, note).memory.text == "Ana likes green tea"
    assert commands.read("show", note)["text"] == "Ana likes green tea"
    assert "Ana likes green tea" in texts(commands.read("search", "Which tea does Ana like?"))
    assert commands.write("forget", note) == {"forgotten": [note]}
    assert holder.memory.always_in_prompt(SPACE) == []
    assert commands.write("forget", note, "--undo") == {"brought_back": [note]}
    assert [memory.id for memory in holder.memory.always_in_prompt(SPACE)] == [note]
    holder.memory.remember(SPACE, "talk", said("My cat is called Tom"))
    assert "My cat is called Tom" in texts(commands.read("list"))


def test_tools_work_beside_the_program_that_holds_the_memories(holder: Runtime) -> None:
    command = ["-m", "memory_core", "mcp", SPACE.user, SPACE.character]
    program = StdioServerParameters(
        command=sys.executable,
        args=[*command, "--storage", str(holder.memory.root)],
        env=ENVIRON,
        cwd=str(PROJECT),
    )

    async def use() -> list[str]:
        async with (
            stdio_client(program) as (read, write),
            mcp.ClientSession(read, write) as session,
        ):
            await session.initialize()
            await session.call_tool("remember", {"text": "Ana is allergic to nuts."})
            holder.memory.remember(SPACE, "talk", said("My cat is called Tom"))
            found = await session.call_tool("recall", {"query": "What is my cat called?"})
            return [json.loads(part.text)["text"] for part in found.content]  # type: ignore[union-attr]

    found = anyio.run(use)
    assert any("Tom" in text for text in found)
    kept = [memory.text for memory in holder.memory.always_in_prompt(SPACE)]
    assert kept == ["Ana is allergic to nuts."]
