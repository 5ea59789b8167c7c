"""The command line: `python -m memory_core <command> …`; the only place that prints."""

import argparse
import sys
from collections.abc import Sequence

from ..errors import ConfigError, LongTermMemoryError
from ..version import VERSION
from . import cli_home
from .cli_doctor import add_doctor_command
from .cli_erasing import add_purge_command
from .cli_export import add_export_commands
from .cli_import import add_import_command
from .cli_names import add_names_command
from .cli_removed import add_removed_command
from .cli_terminal import Terminal
from .cli_usage import add_usage_command

_FAILED = 1
_REFUSED = 2  # as argparse does
_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code: 0 done, 1 failed, 2 refused, 130 interrupted."""
    args = _parser().parse_args(argv)
    terminal = Terminal(say=_say, note=_note)
    for note in cli_home.notes():
        _note(f"note: {note}")
    try:
        return int(args.run(args, terminal))
    except ConfigError as exc:
        _note(f"error: {exc}")
        return _REFUSED
    except LongTermMemoryError as exc:
        _note(f"error: {exc}")
        return _FAILED
    except KeyboardInterrupt:
        _note("interrupted")
        return _INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m memory_core", description="Long-term memory")
    parser.add_argument("--version", action="version", version=VERSION)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_import_command(commands)
    add_export_commands(commands)
    add_names_command(commands)
    add_usage_command(commands)
    add_doctor_command(commands)
    add_removed_command(commands)
    add_purge_command(commands)
    return parser


def _say(text: str) -> None:
    print(_shown(text, sys.stdout.encoding), flush=True)  # noqa: T201


def _note(text: str) -> None:
    print(_shown(text, sys.stderr.encoding), file=sys.stderr, flush=True)  # noqa: T201


def _shown(text: str, encoding: str | None) -> str:
    """What the terminal has no letters for is told by numbers: a name must not end a command."""
    encoding = encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)
