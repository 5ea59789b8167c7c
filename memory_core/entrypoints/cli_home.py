"""Whose memory the command line works on: the extension's own settings and folder, or another."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .. import bootstrap, config
from ..long_term_memory import LongTermMemory
from ..runtime import Home
from ..settings import Settings

FOLDER = Path(__file__).absolute().parents[2]


def add_command(
    commands: Any,  # noqa: ANN401  (argparse keeps its class private)
    name: str,
    told: str,
    run: object,
    *,
    description: str = "",
) -> argparse.ArgumentParser:
    """One that works on a storage folder and can give its result as JSON."""
    parser: argparse.ArgumentParser
    parser = commands.add_parser(name, help=told, description=description or told)
    parser.add_argument("--json", action="store_true", help="the result as one JSON object")
    add_storage_option(parser)
    parser.set_defaults(run=run)
    return parser


def add_storage_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--storage",
        type=Path,
        metavar="DIR",
        help="the folder that holds the memories (default: the extension's own)",
    )


def home() -> Home:
    return Home(folder=FOLDER, environ=os.environ)


def settings() -> Settings:
    """Raises ConfigError for any bad setting: the command line refuses what the chat forgives."""
    found, problems = config.load(home().config_path, environ=os.environ)
    config.require(problems)
    return found


def notes() -> list[str]:
    """What should be known of the settings though nothing is wrong with them."""
    _, problems = config.load(home().config_path, environ=os.environ)
    return [problem.message for problem in problems if problem.is_note]


def storage(args: argparse.Namespace, wanted: Settings) -> Path:
    given: Path | None = args.storage
    return given.expanduser().absolute() if given else home().root(wanted)


@contextmanager
def memory(
    args: argparse.Namespace, *, models: bootstrap.Models | None = None
) -> Iterator[LongTermMemory]:
    """The memory in the storage folder, closed behind its use; without models unless given."""
    wanted = settings()
    given = models or bootstrap.Models(embedder=None, llm=None)
    opened = bootstrap.build(wanted, given, root=storage(args, wanted))
    try:
        yield opened
    finally:
        opened.close()


def build_models() -> bootstrap.Models:
    """Those that the settings name; a local one is loaded only once it is prepared."""
    here = home()
    return bootstrap.build_models(settings(), cache=here.folder / here.data / "models")
