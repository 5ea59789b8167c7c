"""The command `completion`: a script that lets a shell complete commands and options."""

import argparse
from collections.abc import Iterator
from copy import copy
from pathlib import Path

from .common import Commands, Terminal, missing_package

_PROGRAM = "long-term-memory"  # shells only complete programs, not `python -m …`
_SHELLS = ("bash", "zsh", "fish")
_PLACES = """\
bash: long-term-memory completion bash > ~/.local/share/bash-completion/completions/long-term-memory
zsh: long-term-memory completion zsh > _long-term-memory, in a folder of $fpath
fish: long-term-memory completion fish > ~/.config/fish/completions/long-term-memory.fish"""


def add_completion_command(
    commands: Commands,
    program: argparse.ArgumentParser,
) -> None:
    """Adds the command; its script completes the commands of `program`."""
    parser = commands.add_parser(
        "completion",
        help="Print a script that completes commands and options in a shell.",
        description="Print a script that completes the commands and options of "
        f"{_PROGRAM} in a shell. Needs the package shtab.",
        epilog=_PLACES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=_SHELLS, help="The shell that you use.")
    parser.set_defaults(run=_run, program=program)


def _run(args: argparse.Namespace, terminal: Terminal) -> int:
    try:
        import shtab
    except ImportError as exc:
        raise missing_package(exc, "completion", '"shtab>=1.13,<2"') from exc
    program = copy(args.program)  # main() keeps the parser
    program.prog = _PROGRAM
    for action in _actions(program):
        if action.type is Path:
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # shtab reads it
    terminal.print_result(shtab.complete(program, args.shell))
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yields the arguments of a program and all its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in dict.fromkeys(action.choices.values()):
                yield from _actions(command)
