"""Asks for a typed name before a command deletes more than was named one by one."""

import sys

from ...domain.errors import ConfigError
from .common import Terminal


def require_name(terminal: Terminal, name: str, *, given: str | None, warning: str) -> None:
    """Lets the user type the name unless it was given. Raises ConfigError for another one."""
    typed = given
    if typed is None:
        terminal.print_note(f"{warning} Type {name} to go on:")
        typed = sys.stdin.readline().rstrip("\n") if sys.stdin else ""
    if typed != name:
        message = f"nothing was deleted: type {name}, or give it with --confirm"
        raise ConfigError(message, key="--confirm")
