"""Gives each namespace a readable file name that every file system accepts and keeps distinct."""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from ...domain.namespaces import Namespace, Scope
from ...domain.unicode import normalised, well_formed

_FORBIDDEN = re.compile(r'[<>:"/\\|?*%]')
_MAX_CHARS = 80  # bytes of each name: two, a number and the ending fit into the usual 255
_BLANK = " "


def file_names(spaces: Iterable[Namespace], ending: str) -> Mapping[Namespace, str]:
    """Returns names such as `user - character.csv`.

    Adds a number where some file system would confuse two names.
    """
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
    """Returns the name without characters that paths, terminals or file managers interpret."""
    plain = _FORBIDDEN.sub("_", "".join(map(_safe_char, well_formed(name))))
    cut = plain.encode()[:_MAX_CHARS].decode("utf-8", "ignore").strip(" .")
    return f"_{cut[1:]}" if cut.startswith("-") else cut or "_"


def _safe_char(letter: str) -> str:
    is_odd = letter != _BLANK and unicodedata.category(letter)[0] in "CZ"
    return "_" if is_odd else letter


def _collision_key(name: str) -> str:
    """Returns a key that is equal for names differing only in case or Unicode composition."""
    return normalised("NFKC", normalised("NFKC", name).casefold())
