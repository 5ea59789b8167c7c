"""The names of the two speakers of an exchange: in prompts, and in facts in place of pronouns."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from ..domain.records import Exchange
from ..text.prompt_files import quoted
from ..text.search_terms import drop_paired_characters, terms

_FIRST_PERSON = frozenset(("i", "me", "my", "myself", "ich", "je", "yo", "我", "本人"))
_USER = frozenset(("user", "the user", "用户"))
_CHARACTER = frozenset(("character", "assistant", "the character", "the assistant", "ai",
                        "角色", "助手"))  # fmt: skip
_PRONOUNS = (
    "he she they it him her his them their you we us this that er sie ihn ihr il elle él ella "
    "他 她 它 他们 她们 它们 你 您 我们 咱们"
)
_NOBODY = frozenset(_PRONOUNS.split())
_LONGEST_NAME = 60


class SpeakerNames(NamedTuple):
    """The names of both sides of an exchange."""

    user: str
    character: str

    def quoted(self) -> "SpeakerNames":
        """Returns the names as strings for a prompt."""
        return SpeakerNames(*(quoted(name, limit=_LONGEST_NAME) for name in self))

    def subject(self, about: str, text: str, exchange: Exchange) -> str:
        """Returns the name that `about` means; "" if it is only a pronoun."""
        folded = about.casefold()
        if folded in _FIRST_PERSON:
            return self.who_said(text, exchange)
        if folded in _USER:
            return self.user
        if folded in _NOBODY:
            return ""
        return self.character if folded in _CHARACTER else about

    def who_said(self, text: str, exchange: Exchange) -> str:
        """Returns the speaker whose message shares more words with a text; the user in a tie."""
        own, user, character = map(_terms, (text, exchange.user, exchange.assistant))
        return self.character if len(own & character) > len(own & user) else self.user


def speakers_of(exchange: Exchange | None) -> SpeakerNames:
    """Returns the speakers, with a role in place of each unknown name."""
    if exchange is None:
        return SpeakerNames("User", "Character")
    return SpeakerNames(exchange.user_name or "User", exchange.assistant_name or "Character")


def quoted_exchange(exchange: Exchange, texts: Iterable[str]) -> str:
    """Returns these texts of the two sides in one line of a prompt, each after its speaker."""
    sides = zip(speakers_of(exchange).quoted(), texts, strict=True)
    return "{" + ", ".join(f"{name}: {quoted(text, limit=len(text))}" for name, text in sides) + "}"


def _terms(text: str) -> frozenset[str]:
    return drop_paired_characters(terms(text))


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

    A memory is read without its context, so "He flies" becomes "Rui flies". "The user" becomes the
    user's name, and a fact in the first person is marked as the words of its speaker.

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
