"""The command line: `python -m memory_core <command> …`; the only place that prints.

The command `completion` prints a script that lets a shell complete commands and options.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import copy
from functools import cache
from pathlib import Path
from typing import TextIO

from ...domain.errors import ConfigError, LongTermMemoryError, StorageFailed
from ...version import VERSION
from . import common
from .backups import add_backup_commands
from .chat import add_chat_command
from .common import Commands, OutputClosed, Terminal, missing_package, printable
from .consolidate import add_consolidate_command
from .database import add_database_commands
from .diary import add_diary_command
from .doctor import add_doctor_command
from .export import add_export_command
from .forget import add_removed_command
from .import_ import add_import_command
from .keys import add_keys_command
from .memories import add_memory_commands, add_sessions_command
from .models import add_models_command
from .names import add_names_command
from .purge import add_purge_commands
from .review import add_review_command
from .search import add_search_commands
from .serve import add_serve_commands
from .usage import add_usage_command

_ABOUT = "Chat with memory, and search, read, import, export, check and serve the memories."
_INSTALLED = "long-term-memory"
_SHELLS = ("bash", "zsh", "fish")
_PLACES = """\
bash: long-term-memory completion bash > ~/.local/share/bash-completion/completions/long-term-memory
zsh: long-term-memory completion zsh > _long-term-memory, in a folder of $fpath
fish: long-term-memory completion fish > ~/.config/fish/completions/long-term-memory.fish"""
_EXIT_FAILED = 1
_EXIT_REFUSED = 2  # as argparse does
_EXIT_INTERRUPTED = 130
_EXIT_OUTPUT_CLOSED = 141  # as for a program killed by SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code: 0 done, 1 failed, 2 refused, 130 interrupted,
    141 if the reader of the output ends early.
    """
    given = sys.argv[1:] if argv is None else argv
    parser = _parser(_program())
    if not given:
        _note(parser.format_help())
        return _EXIT_REFUSED
    args = parser.parse_args(given)
    is_json = getattr(args, "json", False)
    terminal = Terminal(print_result=_say, print_note=_note, is_json=is_json)
    for note in common.settings_notes(getattr(args, "storage", None)):
        _note(f"note: {note}")
    try:
        return int(args.run(args, terminal))
    except ConfigError as exc:
        _note(f"error: {exc}")
        return _EXIT_REFUSED
    except LongTermMemoryError as exc:
        _note(f"error: {exc}")
        return _EXIT_FAILED
    except OutputClosed:
        return _EXIT_OUTPUT_CLOSED
    except OSError as exc:
        _note(f"error: {f'{exc.filename}: ' if exc.filename else ''}{exc.strerror or exc}")
        return _EXIT_FAILED
    except KeyboardInterrupt:
        _note("interrupted")
        return _EXIT_INTERRUPTED


def _program() -> str:
    """Returns the name by which the program was called."""
    return _INSTALLED if Path(sys.argv[0]).stem == _INSTALLED else "python -m memory_core"


@cache
def _parser(program: str) -> argparse.ArgumentParser:
    """Returns the parser of all commands; making it takes 15 ms."""
    parser = argparse.ArgumentParser(prog=program, description=_ABOUT)
    parser.add_argument("--version", action="version", version=VERSION)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_chat_command(commands)
    add_memory_commands(commands)
    add_search_commands(commands)
    add_diary_command(commands)
    add_review_command(commands)
    add_sessions_command(commands)
    add_import_command(commands)
    add_export_command(commands)
    add_backup_commands(commands)
    add_names_command(commands)
    add_database_commands(commands)
    add_usage_command(commands)
    add_doctor_command(commands)
    add_removed_command(commands)
    add_purge_commands(commands)
    add_consolidate_command(commands)
    add_models_command(commands)
    add_serve_commands(commands)
    add_keys_command(commands)
    _add_completion(commands, parser)
    return parser


def discard_output() -> None:
    """Discards output that cannot be written, or Python would report it again at exit."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            if not stream.closed:  # as after `mcp`
                stream.flush()
        except OSError:
            _discard(stream)


def _say(text: str) -> None:
    try:
        _print(text, sys.stdout)
    except BrokenPipeError as exc:
        raise OutputClosed from exc
    except OSError as exc:
        message = f"the command is done, but its result could not be printed: {exc.strerror or exc}"
        raise StorageFailed(message) from exc


def _note(text: str) -> None:
    """Prints a note; a failure to print it is no error."""
    with suppress(OSError):
        _print(text, sys.stderr)


def _print(text: str, stream: TextIO | None) -> None:
    """Prints the text, unless the program was started without this stream."""
    if stream is not None:
        print(printable(text, stream.encoding), file=stream, flush=True)


def _discard(stream: TextIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _add_completion(commands: Commands, program: argparse.ArgumentParser) -> None:
    """Adds the command; its script completes the commands of `program`."""
    parser = commands.add_parser(
        "completion",
        help="Print a script that completes commands and options in a shell.",
        description="Print a script that completes the commands and options of "
        f"{_INSTALLED} in a shell. Needs the package shtab.",
        epilog=_PLACES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=_SHELLS, help="The shell that you use.")
    parser.set_defaults(run=_print_completion, program=program)


def _print_completion(args: argparse.Namespace, terminal: Terminal) -> int:
    try:
        import shtab
    except ImportError as exc:
        raise missing_package(exc, "completion", '"shtab>=1.13,<2"') from exc
    program = copy(args.program)  # main() keeps the parser
    program.prog = _INSTALLED  # shells complete no `python -m …`
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
