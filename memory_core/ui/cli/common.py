"""Arguments, settings and storage folder that the commands share."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from ... import bootstrap
from ...admin.names import display_name, listed
from ...config import loader
from ...config.schema import Settings
from ...config.store_settings import StoreBackend
from ...domain.errors import ConfigError
from ...domain.namespaces import Namespace, namespace_of
from ...domain.records import EMPTY_MAPPING
from ...domain.unicode import visible_text
from ...infra import durable_files
from ...memory.factories import Models
from ...memory.installation import Installation
from ...memory.long_term_memory import LongTermMemory
from ...storage.aliases import AliasFile
from ...storage.folder_swap import finish_interrupted_swaps
from ...storage.manifest import MANIFEST
from .rich_output import Rows, is_rich, table_text


class OutputClosed(Exception):
    """The program that reads the output has ended, as `head` does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """Prints results to standard output, and notes on progress and problems to standard error.

    A person at a terminal sees rows as a table; a pipe gets plain lines. With `is_json` (--json),
    a result is one JSON object.
    """

    print_result: Callable[[str], None]
    print_note: Callable[[str], None]
    is_json: bool = False

    def show(self, fields: Mapping[str, Any], shown: str | Rows) -> None:
        """Prints the fields of a result as JSON, or else how people are shown the result."""
        if self.is_json:
            self.print_result(json.dumps(fields))
        elif isinstance(shown, str):
            self.print_result(shown)
        else:
            output = sys.stdout
            self.print_result(table_text(shown, output) if is_rich(output) else shown.plain_text())


def printable(text: str, encoding: str | None) -> str:
    """Escapes control characters, and letters that the terminal lacks.

    A name must neither end a command nor overwrite other lines.
    """
    encoding = encoding or "ascii"
    text = visible_text(text)
    return text.encode(encoding, "backslashreplace").decode(encoding)


Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Returns a number with its noun, such as "1 chat" or "1,200 chats"."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def memories(number: int) -> str:
    return counted(number, "memory", "memories")


_API_MEMORIES = "memories"  # in a folder of MemoryChat, OfflineAPI or MemoryScope
NO_MODELS = Models(embedder=None, llm=None)
EXTENSION_FOLDER = Path(__file__).absolute().parents[3]


def add_command(
    commands: Commands,
    name: str,
    help_text: str,
    run: object,
    *,
    description: str = "",
) -> argparse.ArgumentParser:
    """Adds a command that works on a storage folder and can print its result as JSON."""
    parser = commands.add_parser(name, help=help_text, description=description or help_text)
    parser.add_argument("--json", action="store_true", help="Print the result as one JSON object.")
    add_storage_option(parser)
    parser.set_defaults(run=run)
    return parser


def add_storage_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--storage",
        type=Path,
        metavar="DIR",
        help="The folder of the memories (default: the extension's own). Safety copies go to the "
        "folder backups beside it, and each command names those that it makes.",
    )


STANDARD_OUTPUT = "-"


def add_output_option(parser: argparse.ArgumentParser, help_text: str) -> None:
    """Adds --output and --force, which refuse_existing() reads."""
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help=help_text)
    parser.add_argument("--force", action="store_true", help="Replace existing files.")


def refuse_existing(paths: Sequence[Path], args: argparse.Namespace) -> None:
    """Raises ConfigError for files that exist, unless --force allows to replace them."""
    existing = [path for path in paths if os.path.lexists(path)]
    if existing and not args.force:
        more = f" (and {len(existing) - 1} more)" if len(existing) > 1 else ""
        raise ConfigError(
            f"{existing[0]}{more} exists already; nothing was written. Name another file or "
            "folder, or use --force to replace it",
            key="--force",
        )


def absolute(path: Path) -> Path:
    return path.expanduser().absolute()


def installation() -> Installation:
    return Installation(folder=EXTENSION_FOLDER, environ=os.environ)


def installation_with(
    args: argparse.Namespace,
    variables: Mapping[str, Any],
    settings: Mapping[str, Any] = EMPTY_MAPPING,
) -> Installation:
    """Returns the installation with --storage, variables and settings that take precedence.

    Variables of None are ignored. Raises ConfigError for a bad setting.
    """
    folder = _named_storage(args)
    given = {**variables, "LTM_STORAGE_DIR": folder}
    wanted = {name: str(value) for name, value in given.items() if value is not None}
    home = replace(installation(), environ={**os.environ, **wanted}, host_settings=settings)
    loader.require(home.settings()[1])
    return home


def missing_package(exc: ImportError, command: str, packages: str) -> ConfigError:
    """Returns the error of a command that needs packages which the base install lacks."""
    return ConfigError(f"{command} needs {exc.name}: pip install {packages}", key=command)


def load_settings() -> Settings:
    """Returns the settings. Raises ConfigError for a bad one, which the chat would only report."""
    found, problems = loader.load(installation().config_path, environ=os.environ)
    loader.require(problems)
    return found


def settings_notes(storage: Path | None) -> list[str]:
    """Returns remarks on the settings that are not errors; `storage` is the folder of --storage."""
    here = installation().config_path
    _, problems = loader.load(here, environ=os.environ)
    notes = [problem.message for problem in problems if problem.is_note]
    other = storage.expanduser().absolute() / here.name if storage else here
    if other != here and os.path.isfile(other):  # False for a folder that cannot be read
        notes.append(
            f"{other} counts only in Python programs; the command line takes its settings from "
            f"{here} and the environment"
        )
    return notes


def storage_folder(args: argparse.Namespace, wanted: Settings) -> Path:
    """Returns the folder of the memories. The extension's own may not exist yet.

    Raises ConfigError if the settings or arguments name a folder that is missing.
    """
    root = storage_folder_to_write(args, wanted)
    with durable_files.naming_errors(root):
        is_needed = wanted.store.backend is StoreBackend.LOCAL
        if is_needed and not root.is_dir() and (args.storage or wanted.storage_dir):
            key = "--storage" if args.storage else "storage_dir"
            raise ConfigError(f"the folder {root} does not exist: check {key}", key=key)
    return root


def _named_storage(args: argparse.Namespace) -> Path | None:
    """Returns the folder that --storage names; of a folder of the Python API, its memories."""
    given: Path | None = args.storage
    if given is None:
        return None
    root = given.expanduser().absolute()
    with durable_files.naming_errors(root):
        is_of_api = any(root.glob(f"{_API_MEMORIES}/*/*/{MANIFEST}"))
    return root / _API_MEMORIES if is_of_api else root


def storage_folder_to_write(args: argparse.Namespace, wanted: Settings) -> Path:
    """Returns the storage folder for commands that add memories; it may be missing."""
    root = _named_storage(args) or installation().root(wanted)
    with durable_files.naming_errors(root):
        if root.exists() and not root.is_dir():
            raise ConfigError(f"{root} is not a folder: check --storage", key="--storage")
    return root


@contextmanager
def open_memory(
    args: argparse.Namespace, *, models: Models = NO_MODELS, must_exist: bool = True
) -> Iterator[LongTermMemory]:
    """Opens the memory in the storage folder, by default without models; closes it after use."""
    wanted = load_settings()
    root = (storage_folder if must_exist else storage_folder_to_write)(args, wanted)
    memory = bootstrap.build(wanted, models, root=root)
    try:
        yield memory
    finally:
        memory.close()
        finish_interrupted_swaps(root)  # Ctrl-C may have left a half-done swap


def build_models() -> Models:
    """Returns the configured models; a local one is loaded only when it is prepared."""
    return _build_models(load_settings())


def build_models_offline() -> Models:
    """Returns the configured models, none of which will be fetched from the network."""
    wanted, offline = load_settings(), {"allow_download": False}
    parts = {"embedder": wanted.embedder, "reranker": wanted.reranker}
    changed = {name: part.model_copy(update=offline) for name, part in parts.items()}
    return _build_models(wanted.model_copy(update=changed))


def _build_models(wanted: Settings) -> Models:
    here = installation()
    return bootstrap.build_models(wanted, cache=here.folder / here.data_folder / "models")


CHARACTER_HELP = "The character, _instruct (instruct mode) or _shared (for all characters)."


def add_namespace_arguments(parser: argparse.ArgumentParser, *, is_optional: bool = False) -> None:
    """Adds the arguments that existing_namespace() reads."""
    many = "?" if is_optional else None
    parser.add_argument(
        "user",
        nargs=many,
        help="The user: 'Default' in a new host, 'default' in one without profiles. `names list` "
        "lists all users and characters.",
    )
    parser.add_argument("character", nargs=many, help=CHARACTER_HELP)


def existing_namespace(args: argparse.Namespace) -> Namespace:
    """Returns the named namespace. Raises ConfigError, with the existing names, if unknown."""
    namespace, settings = namespace_of(args.user, args.character), load_settings()
    root = storage_folder(args, settings)
    with bootstrap.shared_storage(settings, root) as shared:
        resolved = AliasFile(root, shared.files).current.resolve(namespace)
        if shared.namespaces.has(resolved):
            return resolved
        found, place = shared.namespaces.all(), shared.place(root)
    wanted = display_name(namespace)
    others = listed(map(display_name, found), near=wanted)
    others = f"there are: {others}" if found else f"there are none at all in {place} yet"
    raise ConfigError(f"no memories of {wanted}; {others}", key="character")


def require_name(terminal: Terminal, name: str, *, given: str | None, warning: str) -> None:
    """Lets the user type the name unless it was given. Raises ConfigError for another one."""
    typed = given
    if typed is None:
        terminal.print_note(f"{warning} Type {name} to go on:")
        typed = sys.stdin.readline().rstrip("\n") if sys.stdin else ""
    if typed != name:
        message = f"nothing was deleted: type {name}, or give it with --confirm"
        raise ConfigError(message, key="--confirm")
