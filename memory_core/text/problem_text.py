"""Translates English problems, for the page and for a model whose prompt is not English.

Problems come from many parts of the program, which also log them, so they arrive as English text.
problems.json has their texts in each language; the English one recognises a problem. The log names
settings by their keys, the page by the names that it gives them.
"""

import re
from collections.abc import Mapping
from functools import cache
from string import Formatter

from .locales import DEFAULT, Words, tab_words

_KEY = "problem_"
_OUTERMOST = "paused_service"  # it stands around another problem
_INNER = {"reason", "detail", "parts"}  # fields that may be problems themselves
# Problems of the settings file, in which people look for the key.
_OF_THE_FILE = {"ignored", "former_folder", "twice", "nearest", "near_stays", "write_keys"}
_MAX_PARTS = 8  # what follows is quoted from elsewhere
_SEPARATORS = {": ": "colon", "; ": "semicolon", ". ": "full_stop"}
_BLANK_IN_CHINESE = re.compile("(?<=[\u4e00-\u9fff]) (?=“)|(?<=”) (?=[\u4e00-\u9fff])")
_SEPARATOR = re.compile("(" + "|".join(map(re.escape, _SEPARATORS)) + ")")


def problem_text(problem: str, words: Words) -> str:
    """Returns the problem in the language of these words; unknown parts stay English.

    Settings have their names of the page.
    """
    pieces = _SEPARATOR.split(problem, maxsplit=_MAX_PARTS)
    told, was_known, separator = "", False, ""
    while pieces:
        known, count = _known(pieces[0], words), 1
        if not known and (known := _known("".join(pieces), words)):
            count = len(pieces)
        if separator and (known or was_known):
            separator = words[f"problem_{_SEPARATORS[separator]}"]
        told += separator + (known or _with_names(pieces[0], words))
        was_known, separator = bool(known), "".join(pieces[count : count + 1])
        pieces = pieces[count + 1 :]
    return told


def _known(problem: str, words: Words) -> str:
    """Returns the translation of a problem, or "" for an unknown one."""
    for name, template in _templates().items():
        if (fields := _fields(problem, template)) is not None:
            for part in fields.keys() & _INNER:
                fields[part] = _known(fields[part], words) or fields[part]
            text = words(f"problem_{name}", **fields)
            return _with_names(text, words, with_keys=name in _OF_THE_FILE)
    return ""


def _with_names(text: str, words: Words, *, with_keys: bool = False) -> str:
    """Returns the text with the name of each setting in place of its key, or before it."""
    form = "“{}” ({})" if with_keys else "“{}”"
    named = _key_pattern().sub(lambda key: form.format(words.settings[key[0]], key[0]), text)
    return _BLANK_IN_CHINESE.sub("", named)


@cache
def _key_pattern() -> re.Pattern[str]:
    """Returns a pattern of the settings' keys, but not of those that are ordinary words."""
    keys = [key for key in tab_words(DEFAULT).settings if not key.isalpha()]
    one_of = "|".join(map(re.escape, sorted(keys, key=len, reverse=True)))
    return re.compile(rf"(?<![\w./\\-])(?<!” \()(?:{one_of})(?![\w-]|\.\w)")


def _fields(problem: str, template: list[tuple[str, str]]) -> dict[str, str] | None:
    """Returns the fields of a text, each as short as possible; None if the template differs."""
    found, start, waiting = dict[str, str](), 0, ""
    for fixed, field in template:
        index = problem.find(fixed, start)
        if waiting and fixed and not field and problem.endswith(fixed):  # the field may contain it
            index = max(start, len(problem) - len(fixed))
        if index < 0 or (index > start) != bool(waiting):
            return None
        if waiting:
            found[waiting] = problem[start:index]
        start, waiting = index + len(fixed), field
    if (start < len(problem)) != bool(waiting):
        return None
    return found | ({waiting: problem[start:]} if waiting else {})


@cache
def _templates() -> Mapping[str, list[tuple[str, str]]]:
    """Returns the parts of each English text, those with the most fixed text first."""
    words = tab_words(DEFAULT)
    names = [key.removeprefix(_KEY) for key in words.keys() if key.startswith(_KEY)]  # noqa: SIM118
    known = {name: split_template(words.template(_KEY + name)) for name in names}
    sizes = {name: sum(len(fixed) for fixed, _ in parts) for name, parts in known.items()}
    ordered = sorted(sizes, key=lambda name: (name != _OUTERMOST, -sizes[name]))
    return {name: known[name] for name in ordered if name not in _SEPARATORS.values()}


def split_template(template: str) -> list[tuple[str, str]]:
    """Returns pairs of fixed text and the field behind it, which is empty at the end."""
    return [(fixed, field or "") for fixed, field, _, _ in Formatter().parse(template)]


def failure_text(exc: Exception, words: Words) -> str:
    """Returns a message that something failed, with the error in the language of these words."""
    return words("failed", reason=problem_text(str(exc), words))
