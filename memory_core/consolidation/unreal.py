"""Flags facts that a model takes for real, though the chat only imagines or tells them.

A flag is set where the chat itself gives the reason, and never taken away:
a fact quotes the "I" of a book or a film; it repeats what another one of the same exchange flags;
all sentences that it may rest on say
that they are a dream, a story or a supposition; it rests on a short answer about a thing that
the exchange before only imagined; or the user takes it back in the next message.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..domain.derivations import Flag
from ..domain.records import Exchange, Memory
from ..memory.derived_memories import NewDerived
from ..text.first_person import own_statements
from ..text.search_terms import terms
from ..text.sentences import is_question, sentences
from ..text.unreal_cues import Unreal, quotes_a_work, says_real, takes_back, unreal_cue

_REPEATED = 0.6  # of the terms of a flagged fact
_ABOUT_IT = 0.5  # of the terms of a fact, in what was imagined before
_LONGEST_ANSWER = 40
_FEWEST_TERMS = 3
_FLAGS = {Unreal.INVENTED: Flag.FICTION, Unreal.SUPPOSED: Flag.HYPOTHETICAL}
_DENIES = re.compile(
    r"\b(?:not|no|never|none|nobody|kein\w*|nicht|nie|niemand)\b|n['’]t\b|[不没未非]",  # noqa: RUF001
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An exchange, the one before it, the flagged observations of that one, and the next ones."""

    exchange: Exchange
    before: Exchange | None = None
    imagined: Sequence[Memory] = ()
    after: Sequence[Exchange] = ()


def flag_unreal(found: Sequence[NewDerived], said: Said) -> list[NewDerived]:
    """Returns the observations of one exchange, more of them flagged."""
    flagged = [one for one in found if one.derived.flag is not None]
    return [_flagged(one, flagged, said) for one in found]


def _flagged(one: NewDerived, flagged: Sequence[NewDerived], said: Said) -> NewDerived:
    if one.derived.flag is not None or says_real(one.text):
        return one
    quoted = Flag.FICTION if quotes_a_work(one.text) else None
    flag = quoted or _repeated(one, flagged, said) or _of_sentence(one, said)
    flag = flag or _of_answer(one, said) or _taken_back(one, said)
    return replace(one, derived=replace(one.derived, flag=flag)) if flag else one


def _repeated(one: NewDerived, flagged: Sequence[NewDerived], said: Said) -> Flag | None:
    """Returns the flag of a flagged fact of the same exchange whose words this one repeats."""
    own = _terms(one.text, said)
    for other in flagged:
        told = _terms(other.text, said)
        is_whole = len(told) >= _FEWEST_TERMS and len(told & own) >= _REPEATED * len(told)
        if is_whole and _denies(other.text) == _denies(one.text):
            return other.derived.flag
    return None


def _of_sentence(one: NewDerived, said: Said) -> Flag | None:
    """Returns the flag that the sentences give that share most words with the fact."""
    own = _terms(one.text, said)
    told = [*sentences(said.exchange.user), *sentences(said.exchange.assistant)]
    shared = [(len(own & _terms(sentence, said)), sentence) for sentence in told]
    most = max((count for count, _ in shared), default=0)
    cues = {unreal_cue(sentence) for count, sentence in shared if count == most}
    cue = cues.pop() if most >= max(1, _ABOUT_IT * len(own)) and len(cues) == 1 else None
    return _FLAGS[cue] if cue else None


def _of_answer(one: NewDerived, said: Said) -> Flag | None:
    """Returns the flag of the imagined thing about which a question was answered in a few words."""
    if said.before is None or not said.imagined or not _is_short_answer(said):
        return None
    about = _terms("\n".join([said.before.assistant, *(m.text for m in said.imagined)]), said)
    own = _terms(one.text, said) - _terms(said.exchange.user, said)
    if not own or len(own & about) < _ABOUT_IT * len(own):
        return None
    derived = said.imagined[-1].derived
    return derived.flag if derived else None


def _taken_back(one: NewDerived, said: Said) -> Flag | None:
    """Returns the flag of what the user said about themselves and then took back."""
    is_own = one.derived.subject in (said.exchange.user_name, "User")
    return Flag.FICTION if is_own and _is_taken_back(said) else None


def _is_taken_back(said: Said) -> bool:
    """Returns whether the next message takes this one back, or the one after a short answer."""
    first, second = [*said.after[:2], None, None][:2]
    if first is None or takes_back(said.exchange.user):
        return False
    if takes_back(first.user):
        return True
    asked = sentences(said.exchange.assistant)[-1:]
    is_answered = any(map(is_question, asked)) and len(first.user) <= _LONGEST_ANSWER
    return second is not None and is_answered and takes_back(second.user)


def _is_short_answer(said: Said) -> bool:
    """Returns whether the user answers a question in a few words, and not about themselves."""
    text = said.exchange.user
    asked = sentences(said.before.assistant)[-1:] if said.before else []
    is_short = 0 < len(text) <= _LONGEST_ANSWER and not any(own_statements(text))
    return is_short and not says_real(text) and any(map(is_question, asked))


def _terms(text: str, said: Said) -> set[str]:
    names = terms(f"{said.exchange.user_name} {said.exchange.assistant_name}")
    return set(terms(text)) - set(names)


def _denies(text: str) -> bool:
    return bool(_DENIES.search(text))
