"""Replaces a pronoun of the model by the name it stands for: "He flies" becomes "Rui flies".

A memory is read without its context. "The user" becomes the user's name, and a fact in the first
person is marked as the words of its speaker.
"""

import re

from ..domain.records import Exchange
from .speakers import speakers_of

_THIRD = re.compile(r"(?:He|She)(?=\s|['’]s\b)|[他她](?!们)")  # noqa: RUF001
_THIRD_POSSESSIVE = re.compile(r"(?:His|Her)(?=\s)")
_ROLE = re.compile(r"(?:The )?(?:user|assistant|character|AI)(?=\s|['’]s\b)|用户|助手|角色", re.I)  # noqa: RUF001
_OTHER = re.compile(
    r"(?:They|Their|It|Its|You|Your|Er|Sie|Ihre?|Seine?|Il|Elle|Él|Ella)\b|[它你您]|[他她]们"
)
_FIRST = re.compile(r"(?:I|My|We|Our|Ich|Meine?|Wir|Je|J['’]|Mon|Ma|Yo|Mi)\b|[我咱俺]")  # noqa: RUF001
_CHINESE = re.compile("[\u3400-\u9fff]")
_WORD = re.compile(r"[^\W_]{3,}")


def with_named_subject(text: str, subject: str, exchange: Exchange, source: str) -> str:
    """Returns the text with the name of its subject in place of a pronoun at its beginning.

    Returns "" if a pronoun cannot be replaced: there is no subject, or its name does not occur in
    `source`, the text of the exchanges.
    """
    speakers = speakers_of(exchange)
    if _FIRST.match(text):
        return _with_speaker(speakers.who_said(text, exchange), text)
    if (role := _ROLE.match(text)) and subject in (speakers.user, speakers.character):
        rest = text[role.end() :]
        return text if subject.casefold() in rest.casefold() else f"{subject}{rest}"
    third = _THIRD.match(text) or _THIRD_POSSESSIVE.match(text)
    if third is None and not _OTHER.match(text):
        return text
    if not subject or not _is_named(subject, source):
        return ""
    if third is None or subject[0].islower():
        return _with_speaker(subject, text)
    possessive = "'s" if _THIRD_POSSESSIVE.match(text) else ""
    return f"{subject}{possessive}{text[third.end() :]}"


def _with_speaker(name: str, text: str) -> str:
    return f"{name}：{text}" if _CHINESE.search(text) else f"{name}: {text}"  # noqa: RUF001


def _is_named(subject: str, source: str) -> bool:
    folded = source.casefold()
    words = [word.casefold() for word in _WORD.findall(subject)]
    return all(word in folded for word in words) if words else subject.casefold() in folded
