"""Finds what gives an overview: the user's statements about themselves, or the last chats.

"What do you know about me?" and "what did we talk about last time?" share no word with what they
ask for, so they are not searched for. The one gets statements of all subjects, after what
a language model has written down of the user, and before what else the user told; the other gets
the most telling exchanges of the last sittings that the prompt does not show.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from operator import itemgetter

from ..domain.records import MemoryKind
from ..storage.contract import DerivedFilter, SearchFilter, Side, StoredMemory
from ..storage.store import MemoryStore
from ..text.commands.parser import is_command_message
from ..text.common_words import word_weights
from ..text.overview_questions import Overview
from ..text.pleasantries import is_pleasantry
from ..text.proposals import states_a_limit
from ..text.questions import asks
from ..text.search_terms import terms
from ..text.subject_questions import OwnSubject, states_a_dislike, states_own_name
from ..text.topics import MARK
from .about_user import TERMS, Quote, Subject, quotes_of_subject
from .query import Query
from .results import Candidate
from .session_groups import group_into_sessions
from .validity import outdated_ids

OVERVIEW = "overview"  # the part of the score
_PER_SUBJECT = 24  # memories read for each subject
_WRITTEN = 4  # of what a language model has written down
_RECENT = 80  # memories read for the last sittings
_PAUSE_S = 6 * 3600.0  # between two sittings
_ENOUGH = 6  # exchanges; older sittings are left out then
_MOST = 16  # candidates
_STEP = 0.01  # of the score, between two ranks
_REPEATED, _MOST_REPEATED = 0.3, 3  # added for each memory that says the same, up to so many
_SAME_SUBJECT = 0.35  # taken off for each better statement about the same subject
_LASTING = 0.5  # added to what a statement tells, if it speaks of a taste, a habit or a fear
_LEAST_TOLD, _MOST_TOLD = 1.0, 10.0  # summed weight of an exchange's words
_END_OF_TIME = 1e11  # seconds since the epoch
_OF_A_SUBJECT, _BEHIND = 6, 3  # candidates of one part of the user's life, and found by words
_NAME_TERMS = (MARK + "name_nickname", *terms("我叫 名前 申します といいます"))
_PARTS = {
    OwnSubject.PEOPLE: (Subject.PEOPLE,),
    OwnSubject.PETS: (Subject.PETS,),
    OwnSubject.WORK: (Subject.WORK,),
    OwnSubject.HOBBIES: (Subject.HOBBIES,),
    OwnSubject.TASTES: (Subject.HOBBIES, Subject.FOOD, Subject.PETS),
    OwnSubject.DISLIKES: (Subject.FOOD, Subject.HOBBIES, Subject.HEALTH),
    OwnSubject.HEALTH: (Subject.HEALTH,),
    OwnSubject.TRAVEL: (Subject.TRAVEL,),
    OwnSubject.PLANS: (Subject.PLANS,),
}
_OF_TASTE = (OwnSubject.TASTES, OwnSubject.DISLIKES)


def find_overview(store: MemoryStore, query: Query, only: SearchFilter) -> list[Candidate]:
    """Returns the memories of the overview that the message asks for, best first; else none.

    Without any statement about themselves, the user gets the last chats.
    """
    if query.overview is None:
        return []
    about = _about_user(store, query, only) if query.overview is Overview.ABOUT_USER else []
    return (about or _last_chats(store, query, only))[:_MOST]


def _about_user(store: MemoryStore, query: Query, only: SearchFilter) -> list[Candidate]:
    hits = {subject: _hits(store, query, TERMS[subject], only) for subject in Subject}
    stated = sorted(chain.from_iterable(map(_rated, hits, hits.values())), key=itemgetter(0))
    others = sorted(chain.from_iterable(hits.values()), key=lambda one: -_told(_said(one)))
    told = filter(_tells, others)
    found = chain(_written_down(store, query, only), (stored for _, stored in stated), told)
    return _ranked(found, Side.USER)


def find_own_subject(store: MemoryStore, query: Query, only: SearchFilter) -> list[Candidate]:
    """Returns the statements about the part of the user's life that the message asks for, or none.

    They come best first. Languages other than English often leave the speaker out; what the user
    tells there without it comes last.
    """
    wanted = query.own_subject
    if wanted is None:
        return []
    found = (
        filter(_states_own_name, _hits(store, query, _NAME_TERMS, only))
        if wanted is OwnSubject.NAME
        else _of_part(store, query, wanted, only)
    )
    return _ranked(found, Side.USER)[:_OF_A_SUBJECT]


def _of_part(
    store: MemoryStore, query: Query, wanted: OwnSubject, only: SearchFilter
) -> list[StoredMemory]:
    hits = {part: _hits(store, query, TERMS[part], only) for part in _PARTS[wanted]}
    stated = chain.from_iterable(map(_rated, hits, hits.values()))
    found = [stored for _, stored in stated if _is_wanted(_said(stored), wanted)]
    if wanted in _OF_TASTE:
        return found
    others = chain.from_iterable(hits.values())
    return found + [one for one in others if _tells(one) and not _said(one).isascii()]


def with_own_subject(
    candidates: list[Candidate], store: MemoryStore, query: Query, only: SearchFilter
) -> list[Candidate]:
    """Returns what find_own_subject() finds with the few best of these behind, else all these."""
    own = find_own_subject(store, query, only)
    if not own:
        return candidates
    known = {candidate.memory.id for candidate in own}
    others = [one for one in candidates if one.memory.id not in known]
    lowest = own[-1].score
    return [*own, *(replace(one, score=min(one.score, lowest)) for one in others[:_BEHIND])]


def _is_wanted(text: str, wanted: OwnSubject) -> bool:
    if wanted is OwnSubject.DISLIKES:
        return states_a_dislike(text)
    return wanted is not OwnSubject.TASTES or states_a_limit(text)


def _states_own_name(stored: StoredMemory) -> bool:
    return states_own_name(_said(stored))


def _tells(stored: StoredMemory) -> bool:
    return bool(_told(_said(stored))) and not asks(_said(stored))


def _hits(
    store: MemoryStore, query: Query, terms_of_subject: Sequence[str], only: SearchFilter
) -> list[StoredMemory]:
    """Returns exchanges with some of these terms, the latest first."""
    ids = store.fulltext.search(terms_of_subject, limit=_PER_SUBJECT, only=only)
    return sorted(_unseen(store, query, ids), key=lambda one: -(one.memory.ts or 0.0))


def _rated(subject: Subject, hits: Sequence[StoredMemory]) -> Iterator[tuple[float, StoredMemory]]:
    """Yields those with statements of the user about the subject, best first, with penalties.

    The penalty grows with every statement, so that none of the subjects takes all places.
    """
    known = {stored.memory.id: stored for stored in hits}
    quotes = quotes_of_subject([stored.memory for stored in hits], subject)
    for rank, quote in enumerate(sorted(quotes, key=_value, reverse=True)):
        yield _SAME_SUBJECT * rank - _value(quote), known[quote.memory.id]


def _value(quote: Quote) -> float:
    """Returns how much a statement tells; more if it was often made, or holds for long."""
    repeated = _REPEATED * min(quote.times - 1, _MOST_REPEATED)
    return _told(quote.text) + _LASTING * states_a_limit(quote.text) + repeated


def _written_down(store: MemoryStore, query: Query, only: SearchFilter) -> list[StoredMemory]:
    """Returns the latest valid insights and observations about the user, insights first."""
    kinds = frozenset((MemoryKind.INSIGHT, MemoryKind.OBSERVATION))
    name = next(iter(query.names), "")
    about = store.catalog.find_derived(DerivedFilter(kinds=kinds, subject=name)) if name else []
    now = query.now.timestamp() if query.now else None
    allowed = store.catalog.live_seqs([one.id for one in about], only)
    outdated = outdated_ids(store.catalog.get, about, now)
    valid = [one for one in about if one.id in allowed and one.id not in outdated]
    valid.sort(key=lambda one: (one.kind is not MemoryKind.INSIGHT, -(one.ts or 0.0)))
    return store.fulltext.live_memories([one.id for one in valid[:_WRITTEN]])


def _last_chats(store: MemoryStore, query: Query, only: SearchFilter) -> list[Candidate]:
    ids = store.catalog.search_dates(0.0, _END_OF_TIME, limit=_RECENT, only=only)
    exchanges = {stored.memory.id: stored for stored in _unseen(store, query, ids)}
    sessions = group_into_sessions((one.memory for one in exchanges.values()), pause_s=_PAUSE_S)
    found: list[tuple[int, float, StoredMemory]] = []
    for age, session in enumerate(sessions):
        rated = ((_told(_said(exchanges[name])), exchanges[name]) for name in session.ids)
        found += [(age, told, stored) for told, stored in rated if told]
        if len(found) >= _ENOUGH:
            break
    ordered = sorted(found, key=lambda one: (one[0], -one[1]))
    return _ranked((stored for *_, stored in ordered), None)


def _unseen(store: MemoryStore, query: Query, ids: Sequence[str]) -> Iterator[StoredMemory]:
    """Yields those of these exchanges that the prompt does not show and the chat still has."""
    hidden = query.stale_ids | query.left_out_ids | query.in_system_block
    for stored in store.fulltext.live_memories(ids):
        is_shown = not query.shown_keys.isdisjoint((stored.key, stored.chat_key))
        is_unwanted = stored.memory.exchange is None or is_command_message(_said(stored))
        if not (is_shown or is_unwanted or stored.memory.id in hidden):
            yield stored


def _said(stored: StoredMemory) -> str:
    return stored.memory.exchange.user if stored.memory.exchange else ""


def _told(text: str) -> float:
    """Returns how much a text tells, 0 to 1; 0 for pleasantries."""
    if is_pleasantry(text):
        return 0.0
    weight = sum(word_weights(set(terms(text)), text).values())
    return min(weight, _MOST_TOLD) / _MOST_TOLD if weight >= _LEAST_TOLD else 0.0


def _ranked(found: Iterable[StoredMemory], matching_side: Side | None) -> list[Candidate]:
    """Returns each memory once as a candidate, with scores that keep the order."""
    different = {stored.memory.id: stored for stored in found}
    return [
        Candidate(
            memory=stored.memory,
            score=score,
            parts={OVERVIEW: score},
            own_score=score,
            key=stored.key,
            chat_key=stored.chat_key,
            matching_side=matching_side,
        )
        for rank, stored in enumerate(different.values())
        for score in [1.0 - _STEP * rank]
    ]
