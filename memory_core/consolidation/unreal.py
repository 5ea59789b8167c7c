"""Flags facts that a model takes for real, although they are only imagined or part of a story.

A flag is set, and never removed, if the chat itself gives one of these reasons: the fact says that
it is a story, or quotes the "I" of a book or a film; it repeats a flagged fact of the exchange; all
sentences that it may be based on are a dream, a story or a supposition; it is based on a short
answer about a thing that the exchange before only imagined; both sides act in a scene, and it is a
role or the scene was flagged before; or the user takes it back in the next message.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..domain.derivations import Flag
from ..domain.records import Exchange, Memory
from ..memory.derived_memories import NewDerived
from ..text.first_person import own_statements
from ..text.search_terms import drop_paired_characters, terms
from ..text.sentences import is_question, sentences
from ..text.unreal_cues import (
    Unreal,
    begins_with_action,
    leaves_scene,
    quotes_a_work,
    says_real,
    takes_back,
    unreal_cue,
    unreal_frame,
)

_MIN_SHARE_REPEATED = 0.6  # of the terms of a flagged fact
_MIN_SHARE_IMAGINED = 0.5  # of the terms of a fact, in the things imagined before
_LONGEST_ANSWER = 40
_MIN_TERMS = 3
_ROLES = frozenset(("role", "roles", "character", "persona", "title", "角色", "身份"))
_FLAGS = {Unreal.INVENTED: Flag.FICTION, Unreal.SUPPOSED: Flag.HYPOTHETICAL}
_DENIES = re.compile(
    r"\b(?:not|no|never|none|nobody|kein\w*|nicht|nie|niemand)\b|n['’]t\b|[不没未非]",  # noqa: RUF001
    re.IGNORECASE,
)


Flagged = Sequence[tuple[str, Flag]]  # texts with their flags


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeContext:
    """An exchange, the one before it, the observations of that one, and the next ones."""

    exchange: Exchange
    before: Exchange | None = None
    known: Sequence[Memory] = ()
    after: Sequence[Exchange] = ()

    @property
    def imagined(self) -> list[Memory]:
        """Returns the flagged observations of the exchange before."""
        return [one for one in self.known if one.derived is not None and one.derived.flag]

    def content(self, text: str) -> set[str]:
        """Returns the terms of a text without the names of the speakers."""
        names = terms(f"{self.exchange.user_name} {self.exchange.assistant_name}")
        return set(terms(text)) - set(names)


def flag_unreal(found: Sequence[NewDerived], said: ExchangeContext) -> list[NewDerived]:
    """Returns the observations of one exchange with further flags."""
    flagged = [(one.text, one.derived.flag) for one in found if one.derived.flag is not None]
    return [_with_flag(one, flagged, said) for one in found]


def _with_flag(one: NewDerived, flagged: Flagged, said: ExchangeContext) -> NewDerived:
    if one.derived.flag is not None or says_real(one.text):
        return one
    flag = _flag_of_own_words(one) or _flag_of_repeated_fact(one, flagged, said)
    rules = (
        _flag_of_sentences,
        _flag_of_previous_exchange,
        _flag_of_short_answer,
        _flag_of_scene,
        _flag_of_retraction,
    )
    flag = flag or next(filter(None, (rule(one, said) for rule in rules)), None)
    return replace(one, derived=replace(one.derived, flag=flag)) if flag else one


def _flag_of_own_words(one: NewDerived) -> Flag | None:
    """Returns the flag of a fact whose own words say that it is not real: "In their story, …"."""
    if quotes_a_work(one.text):
        return Flag.FICTION
    cue = unreal_frame(one.text)
    return _FLAGS[cue] if cue else None


def _flag_of_repeated_fact(one: NewDerived, flagged: Flagged, said: ExchangeContext) -> Flag | None:
    """Returns the flag of a flagged fact whose words this one repeats."""
    own = said.content(one.text)
    for text, flag in flagged:
        other = said.content(text)
        is_whole = len(other) >= _MIN_TERMS and len(other & own) >= _MIN_SHARE_REPEATED * len(other)
        if is_whole and _denies(text) == _denies(one.text):
            return flag
    return None


def _flag_of_previous_exchange(one: NewDerived, said: ExchangeContext) -> Flag | None:
    """Returns the flag of a fact of the exchange before, if this one only repeats its words."""
    here = said.content(f"{said.exchange.user}\n{said.exchange.assistant}")
    own = drop_paired_characters(said.content(one.text))
    if not own.isdisjoint(drop_paired_characters(here)):
        return None
    imagined = (
        (memory.text, memory.derived.flag)
        for memory in said.imagined
        if memory.derived and memory.derived.flag
    )
    return _flag_of_repeated_fact(one, list(imagined), said)


def _flag_of_sentences(one: NewDerived, said: ExchangeContext) -> Flag | None:
    """Returns the flag given by the sentences that share most words with the fact."""
    max_shared, closest = _closest_sentences(one, said)
    cues = {unreal_cue(sentence) for sentence in closest}
    own = said.content(one.text)
    cue = (
        cues.pop()
        if max_shared >= max(1, _MIN_SHARE_IMAGINED * len(own)) and len(cues) == 1
        else None
    )
    return _FLAGS[cue] if cue else None


def _closest_sentences(one: NewDerived, said: ExchangeContext) -> tuple[int, list[str]]:
    """Returns the most terms that a sentence shares with the fact, and the sentences with them."""
    own = said.content(one.text)
    spoken = [*sentences(said.exchange.user), *sentences(said.exchange.assistant)]
    shared = [(len(own & said.content(sentence)), sentence) for sentence in spoken]
    max_shared = max((count for count, _ in shared), default=0)
    return max_shared, [sentence for count, sentence in shared if count == max_shared]


def _flag_of_scene(one: NewDerived, said: ExchangeContext) -> Flag | None:
    """Returns ROLE_PLAY for a role in a scene, and for any fact while a flagged scene continues."""
    if not _is_acted(said.exchange) or any(map(leaves_scene, _closest_sentences(one, said)[1])):
        return None
    told_before = {memory.derived.flag for memory in said.imagined if memory.derived}
    goes_on = said.before is not None and _is_acted(said.before)
    is_told = goes_on and not told_before.isdisjoint((Flag.FICTION, Flag.ROLE_PLAY))
    return Flag.ROLE_PLAY if is_told or one.derived.key.casefold() in _ROLES else None


def _is_acted(exchange: Exchange) -> bool:
    """Returns whether both sides act: their messages begin with an action, "*bows*"."""
    return all(map(begins_with_action, (exchange.user, exchange.assistant)))


def _flag_of_short_answer(one: NewDerived, said: ExchangeContext) -> Flag | None:
    """Returns the flag of an imagined thing if the user answers a question about it briefly."""
    if said.before is None or not said.imagined or not _is_short_answer(said):
        return None
    about = said.content("\n".join([said.before.assistant, *(m.text for m in said.imagined)]))
    own = said.content(one.text) - said.content(said.exchange.user)
    if not own or len(own & about) < _MIN_SHARE_IMAGINED * len(own):
        return None
    derived = said.imagined[-1].derived
    return derived.flag if derived else None


def _flag_of_retraction(one: NewDerived, said: ExchangeContext) -> Flag | None:
    """Returns FICTION for a statement of users about themselves that they then took back."""
    is_own = one.derived.subject in (said.exchange.user_name, "User")
    return Flag.FICTION if is_own and _is_taken_back(said) else None


def _is_taken_back(said: ExchangeContext) -> bool:
    """Returns whether the next message takes this one back, or the second one after an answer."""
    first, second = [*said.after[:2], None, None][:2]
    if first is None or takes_back(said.exchange.user):
        return False
    if takes_back(first.user):
        return True
    asked = [*sentences(said.exchange.assistant)][-1:]
    is_answered = any(map(is_question, asked)) and len(first.user) <= _LONGEST_ANSWER
    return second is not None and is_answered and takes_back(second.user)


def _is_short_answer(said: ExchangeContext) -> bool:
    """Returns whether the user answers a question in a few words, and not about themselves."""
    text = said.exchange.user
    asked = [*sentences(said.before.assistant)][-1:] if said.before else []
    is_short = 0 < len(text) <= _LONGEST_ANSWER and not any(own_statements(text))
    return is_short and not says_real(text) and any(map(is_question, asked))


def _denies(text: str) -> bool:
    return bool(_DENIES.search(text))
