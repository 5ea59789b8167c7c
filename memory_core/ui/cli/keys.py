"""The command `keys`: the API keys of the server."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from ... import bootstrap
from ...config.schema import Settings
from ...domain.errors import ConfigError
from ...server.security.keys import ANY_USER, ApiKey, KeyFile
from . import common
from .common import Commands, Terminal
from .rich_output import Rows


def add_keys_command(commands: Commands) -> None:
    parser = commands.add_parser("keys", help="Make, list and remove API keys of the server.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add = common.add_command(actions, "add", "Make an API key, and show it once.", _add)
    add.add_argument("name", help="A name for the key, such as that of the program.")
    whose = add.add_mutually_exclusive_group(required=True)
    whose.add_argument(
        "--user", action="append", default=[], help="A user for whom it may act; repeatable."
    )
    whose.add_argument("--all-users", action="store_true", help="Let it act for every user.")
    common.add_command(actions, "list", "List the API keys by name.", _list)
    remove = common.add_command(actions, "remove", "Remove an API key.", _remove)
    remove.add_argument("name", help="The name of the key.")


def _add(args: argparse.Namespace, terminal: Terminal) -> int:
    users = [ANY_USER] if args.all_users else _named(args.user)
    settings = common.load_settings()
    with _file(settings, common.storage_folder_to_write(args, settings)) as keys:
        key = keys.add(args.name, users)
    terminal.show({"name": args.name, "key": key}, key)
    terminal.print_note("note: keep the key now; only its hash is stored")
    return 0


def _named(users: Sequence[str]) -> Sequence[str]:
    """Returns the users. Raises ConfigError for one that a script did not mean to name."""
    if not all(user.strip() for user in users):
        raise ConfigError("the name of a user is empty", key="--user")
    if ANY_USER in users:
        message = f"{ANY_USER} stands for every user: write --all-users if you mean that"
        raise ConfigError(message, key="--user")
    return users


def _list(args: argparse.Namespace, terminal: Terminal) -> int:
    with _existing_file(args) as file:
        keys = file.keys()
    fields = {"keys": [{"name": key.name, "users": list(key.users)} for key in keys]}
    terminal.show(fields, _rows(keys))
    return 0


def _remove(args: argparse.Namespace, terminal: Terminal) -> int:
    with _existing_file(args) as keys:
        keys.remove(args.name)
    text = f"the key {args.name} is removed"
    terminal.show({"removed": args.name}, text)
    return 0


def _rows(keys: Sequence[ApiKey]) -> Rows:
    cells = [
        (key.name, "every user" if ANY_USER in key.users else ", ".join(key.users)) for key in keys
    ]
    lines = [f"{name}: {users}" for name, users in cells]
    return Rows(columns=("key", "users"), cells=cells, lines=lines or ["there are no keys"])


def _existing_file(args: argparse.Namespace) -> AbstractContextManager[KeyFile]:
    """Opens the keys. Raises ConfigError for a folder that is missing."""
    settings = common.load_settings()
    return _file(settings, common.storage_folder(args, settings))


@contextmanager
def _file(settings: Settings, root: Path) -> Iterator[KeyFile]:
    with bootstrap.shared_storage(settings, root) as shared:
        yield KeyFile(root, shared.files)
