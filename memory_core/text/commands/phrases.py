"""A notation for lists of phrases in many languages: regular expressions that can be read.

Phrases are in lower case, and so is the text that is searched for them. In them,

* a word in capitals stands for the list of that name: `NO SAVE THIS` means "don't save this", "do
  not log this message", and so on;
* lines are alternatives, the longer ones first;
* a blank is any blank, and `( )` does not capture;
* outside `[ ]`, accents and apostrophes may be missing; Chinese may be traditional anywhere.
"""

# ruff: noqa: RUF001  (curly quotes, Cyrillic, Chinese)

import re
from collections.abc import Mapping
from types import MappingProxyType

_ACCENTED = dict(zip("áéíóúñàâçèêëîïôùûãõёśężąłć", "aeiounaaceeeiiouuaoеsezalc", strict=True))
_SIMPLIFIED = "记录忆个这条请说讲别许话诉实为后进写让档来"
_TRADITIONAL = dict(zip(_SIMPLIFIED, "記錄憶個這條請說講別許話訴實為後進寫讓檔來", strict=True))
_IN_SETS = str.maketrans({letter: letter + other for letter, other in _TRADITIONAL.items()})
_NEVER = "(?!)"
_SHORTHANDS = {" ": r"\s", "'": "['’´`]?", "(": "(?:"} | {
    letter: f"[{letter}{other}]" for letter, other in (_ACCENTED | _TRADITIONAL).items()
}


def as_pattern(phrases: str, words: Mapping[str, str] = MappingProxyType({})) -> str:
    """Returns the regular expression of phrases, with the lists of words that they name."""
    names = "|".join(sorted(words, key=len, reverse=True)) or _NEVER
    tokens = re.compile(rf"\\.|(?P<set>\[[^\]]*\])|(?P<name>{names})|\(\?.|.")

    def expanded(token: re.Match[str]) -> str:
        if name := token["name"]:
            return f"(?:{as_pattern(words[name], words)})"
        if token["set"]:
            return token[0].translate(_IN_SETS)
        return _SHORTHANDS.get(token[0], token[0])

    lines = phrases.splitlines()
    if len(lines) > 1:
        lines = [line.strip() for line in lines if line.strip()]
    return "|".join(tokens.sub(expanded, line) for line in lines)
