"""Finds sentences of a summary that attribute a speaker's statement about themselves to the other.

A claim is a clause whose subject is a speaker. It is wrong if its words occur in "I" statements of
the other speaker, and neither in those of the named one nor in "you" statements addressed to them.
"""

# ruff: noqa: RUF001  (Chinese punctuation)

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..domain.errors import BadAnswer
from ..domain.records import Exchange
from ..text.first_person import (
    sentences_to_listener,
    speaks_of_oneself,
    statements_of_oneself,
)
from ..text.search_terms import drop_paired_characters, terms
from ..text.sentences import sentences

# Measured on LoCoMo's 1,210 published observations and 128 summaries of sessions: 49 % and 73 % are
# found after swapping the names; of the originals, 5 (most of them really wrong) and none.
_MIN_TERMS, _MIN_SHARE, _MAX_SUPPORT = 3, 0.4, 0.5
_MIN_UNSUPPORTED_TERMS, _MIN_UNSUPPORTED_SHARE = 2, 0.66

_USER_ROLES = ("the user", "user", "用户")
_CHARACTER_ROLES = ("the assistant", "the character", "assistant", "助手", "角色")
_LEAD = (
    r"""["'“”«»*\-–\s]*(?:(?:on|in|at|during|after|before|last|later|then|also|today|yesterday"""
    r"""|am|im|gestern|heute|dann|später)\b[^,]{0,60},?\s+|(?:今天|昨天|后来|然后|最近|同时|另外"""
    r"""|[\d年月日]{2,12})[，,]?\s*)?"""
)
_NEXT_CLAUSE = r"(?:[,;]|\b(?:and|while|but|whereas|und|während|aber)\b)\s+|[，；、]"
# Verbs of reacting to the other speaker: their object is an act or a statement of that one.
_REACTION_VERBS = re.compile(
    r"\b(?:prais|congratulat|thank|encourag|admir|agree|comfort|compliment|advis|suggest|recommend"
    r"|offer|ask|repl|react|lob|gratulier|frag|dank|rät|riet)\w*"
    r"|祝贺|恭喜|称赞|夸|感谢|建议|鼓励|问|安慰|劝|同意|回应|回答"
)


def check_speakers(summary: str, exchanges: Sequence[Exchange]) -> None:
    """Raises BadAnswer if a sentence attributes a speaker's statement to the other one."""
    if misattributed(summary, exchanges):
        raise BadAnswer("it says of one speaker what the other one said of themselves")


def misattributed(summary: str, exchanges: Sequence[Exchange]) -> list[str]:
    """Returns the sentences that name the wrong speaker, without doubtful ones."""
    sides = _sides(exchanges)
    if not sides:
        return []
    return [one for one in sentences(summary) if any(_is_wrong(*c) for c in _claims(one, *sides))]


def misattributed_to_user(page: str, exchanges: Sequence[Exchange]) -> list[str]:
    """Returns the sentences with an "I" for the user about what the character said as "I"."""
    sides = _sides(exchanges)
    if not sides:
        return []
    user, character = sides
    told = (one for one in sentences(page) if speaks_of_oneself(one))
    return [
        one
        for one in told
        if not character.pattern.search(one) and _is_wrong(_content(one, *sides), user, character)
    ]


Terms = frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """One speaker. The terms are listed by message: `own` of statements with "I"."""

    pattern: re.Pattern[str]
    own: Sequence[Terms]
    said: Sequence[Terms]
    told: Sequence[Terms]  # by the other one, in sentences with "you"


def _sides(exchanges: Sequence[Exchange]) -> tuple[_Side, _Side] | None:
    """Returns the user's side and the character's; None if their names do not distinguish them."""
    if not exchanges:
        return None
    first = exchanges[0]
    user, character = first.user_name.strip(), first.assistant_name.strip()
    if user.casefold() == character.casefold():
        return None
    alike = [one for one in exchanges if _names(one) == (user, character)]
    asked, answered = [one.user for one in alike], [one.assistant for one in alike]
    return (
        _side(user, _USER_ROLES, said=asked, heard=answered),
        _side(character, _CHARACTER_ROLES, said=answered, heard=asked),
    )


def _names(exchange: Exchange) -> tuple[str, str]:
    return exchange.user_name.strip(), exchange.assistant_name.strip()


def _side(name: str, roles: Sequence[str], *, said: Sequence[str], heard: Sequence[str]) -> _Side:
    first, *_ = [*name.split(), ""]
    names = sorted({name, first, *roles} - {""}, key=len, reverse=True)
    return _Side(
        pattern=_name_pattern(tuple(names)),
        own=[_terms(statements_of_oneself(text)) for text in said],
        said=[_terms([text]) for text in said],
        told=[_terms(sentences_to_listener(text)) for text in heard],
    )


@lru_cache(maxsize=64)
def _name_pattern(names: Sequence[str]) -> re.Pattern[str]:
    """Matches each of the names, those in Latin letters as whole words."""
    each = (rf"\b{re.escape(name)}\b" if name.isascii() else re.escape(name) for name in names)
    return re.compile("|".join(each), re.IGNORECASE)


def _terms(texts: Iterable[str]) -> Terms:
    return drop_paired_characters(terms("\n".join(texts)))


def _content(clause: str, *sides: _Side) -> Terms:
    """Returns the terms of a clause without the names of the speakers."""
    for side in sides:
        clause = side.pattern.sub(" ", clause)
    return drop_paired_characters(terms(clause))


def _claims(sentence: str, *sides: _Side) -> list[tuple[Terms, _Side, _Side]]:
    """Returns each clause about only one speaker: its terms, that speaker and the other one."""
    user, character = sides
    found = []
    for clause in _clauses(sentence, *sides):
        for speaker, other in ((user, character), (character, user)):
            if _is_about(clause, speaker) and not other.pattern.search(
                _strip_listener(clause, other)
            ):
                found.append((_content(clause, *sides), speaker, other))
    return found


def _clauses(sentence: str, *sides: _Side) -> list[str]:
    """Splits a sentence before each speaker that begins another clause."""
    names = "|".join(side.pattern.pattern for side in sides)
    return re.split(rf"(?:{_NEXT_CLAUSE})(?={names})", sentence, flags=re.IGNORECASE)


def _is_about(clause: str, speaker: _Side) -> bool:
    """Returns whether the clause has this speaker, or something of theirs, as its subject."""
    begins = re.match(_LEAD + f"(?:{speaker.pattern.pattern})", clause, re.IGNORECASE)
    return begins is not None and not _REACTION_VERBS.search(clause)


def _strip_listener(clause: str, other: _Side) -> str:
    """Returns the clause without "told Ana that": Ana only listens."""
    listener = other.pattern.pattern
    told = rf"\b(?:told|tells|said to|shared with)\s+(?:{listener})|[告诉对跟向]+(?:{listener})"
    return re.sub(told, " ", clause, flags=re.IGNORECASE)


def _is_wrong(claim: Terms, speaker: _Side, other: _Side) -> bool:
    against = _most_shared(claim, other.own)
    support = _most_shared(claim, [*speaker.said, *speaker.told])
    if against >= max(_MIN_TERMS, _MIN_SHARE * len(claim)):
        return support <= _MAX_SUPPORT * against
    return not support and against >= max(
        _MIN_UNSUPPORTED_TERMS, _MIN_UNSUPPORTED_SHARE * len(claim)
    )


def _most_shared(claim: Terms, messages: Iterable[Terms]) -> int:
    return max((len(claim & message) for message in messages), default=0)
