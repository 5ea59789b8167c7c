"""Tells in which languages a message is written; where it leaves that open, its history decides.

Everything is counted in UTF-8 bytes of letters: so a Chinese character counts as much as a short
word, and a foreign name within a message does not outweigh the rest of it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ..text.language import LATIN, languages_of

UNKNOWN = ""
_SURE = 40  # bytes of letters; what is shorter may be in any language of the history
_RARE = 0.1  # of a history's texts: fewer are taken for mistakes
_LATIN_LETTERS = "A-Za-z\u00c0-\u024f\u1e00-\u1eff"
_LATIN_LETTER = re.compile(f"[{_LATIN_LETTERS}]")
_OTHER_LETTER = re.compile(rf"[^\W\d_{_LATIN_LETTERS}]")
_SHARED_SCRIPTS = (frozenset((*LATIN, "vi")), frozenset(("zh", "ja")), frozenset(("ru", "uk")))
_LONGEST = 2_000
_NO_LETTERS = bytes(code for code in range(256) if not chr(code).isalpha() or code > 127)

Shares = Mapping[str, float]


def language_shares(texts: Iterable[str]) -> Shares:
    """Returns which share of the texts is in which language, as far as that is certain."""
    shares = _scaled(Counter(code for text in texts for code in certain_languages(text)))
    return _scaled({code: share for code, share in shares.items() if share >= _RARE})


def certain_languages(text: str) -> list[str]:
    """Returns the languages of those parts that are long enough and unambiguous."""
    told = ((languages_of(part), size) for part, size in _parts(text))
    return [found[0] for found, size in told if len(found) == 1 and size >= _SURE]


def language_mix(text: str, history: Shares) -> Shares:
    """Returns which share of a message is in which language; they add up to 1.

    `UNKNOWN` stands for letters of no known language. A text without letters has the history's
    languages, or none.
    """
    parts = list(_parts(text))
    whole = sum(size for _, size in parts)
    if not whole:
        return history
    mix: dict[str, float] = {}
    for part, size in parts:
        for code, share in _mix_of_part(part, size, history).items():
            mix[code] = mix.get(code, 0.0) + share * size / whole
    return mix


def _mix_of_part(part: str, size: int, history: Shares) -> Shares:
    candidates = languages_of(part)
    if not candidates:
        return {UNKNOWN: 1.0}
    known = {code: history[code] for code in candidates if code in history}
    own = _scaled(known or dict.fromkeys(candidates, 1.0))
    usual = _scaled(
        {code: share for code, share in history.items() if _share_script(code, candidates[0])}
    )
    if size >= _SURE or not usual:
        return own
    return {code: (own.get(code, 0.0) + usual.get(code, 0.0)) / 2 for code in {*own, *usual}}


def _parts(text: str) -> Iterator[tuple[str, int]]:
    """Yields what is in Latin letters and what is in others, with their sizes in bytes."""
    text = text[:_LONGEST]
    if text.isascii():  # a tenth of the work
        if size := len(text.encode().translate(None, _NO_LETTERS)):
            yield text, size
        return
    for own, foreign in ((_LATIN_LETTER, _OTHER_LETTER), (_OTHER_LETTER, _LATIN_LETTER)):
        letters = "".join(own.findall(text))
        if letters:
            yield foreign.sub(" ", text), len(letters.encode("utf-8", "replace"))


def _share_script(one: str, other: str) -> bool:
    return one == other or any({one, other} <= codes for codes in _SHARED_SCRIPTS)


def _scaled(weights: Shares) -> dict[str, float]:
    whole = sum(weights.values())
    return {code: weight / whole for code, weight in weights.items()}
