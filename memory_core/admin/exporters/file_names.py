"""Gives each namespace a readable file name that every file system accepts and keeps distinct."""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from ...domain.namespaces import Namespace, Scope
from ...infra.unicode import well_formed
from ...text.normal_form import normalised

_FORBIDDEN = re.compile(r'[<>:"/\\|?*%]')
_MAX_CHARS = 80  # bytes of each name: both, a number and the ending fit the 255 of most systems
_BLANK = " "


def file_names(spaces: Iterable[Namespace], ending: str) -> Mapping[Namespace, str]:
    """`user - character.csv`; those that some file system takes for the same get a number."""
    found: dict[Namespace, str] = {}
    taken: set[str] = set()
    for namespace in spaces:
        stem, number = _file_stem(namespace), 1
        name = stem
        while (known := _collision_key(name)) in taken:
            number += 1
            name = f"{stem} ({number})"
        taken.add(known)
        found[namespace] = name + ending
    return found


def _file_stem(namespace: Namespace) -> str:
    is_named = namespace.scope is Scope.CHARACTER
    character = _safe_name(namespace.character) if is_named else f"_{namespace.scope}"
    if namespace.scope is Scope.WORLD:
        return character
    return f"{_safe_name(namespace.user)} - {character}"


def _safe_name(name: str) -> str:
    """Without what a path, a terminal or a file manager understands in a way of its own."""
    plain = _FORBIDDEN.sub("_", "".join(map(_safe_char, well_formed(name))))
    cut = plain.encode()[:_MAX_CHARS].decode("utf-8", "ignore").strip(" .")
    return f"_{cut[1:]}" if cut.startswith("-") else cut or "_"


def _safe_char(letter: str) -> str:
    is_odd = letter != _BLANK and unicodedata.category(letter)[0] in "CZ"
    return "_" if is_odd else letter


def _collision_key(name: str) -> str:
    """Equal where a file system ignores case or how a letter is composed."""
    return normalised("NFKC", normalised("NFKC", name).casefold())
