"""The names of the two speakers of an exchange, and an exchange as a part of a prompt."""

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
