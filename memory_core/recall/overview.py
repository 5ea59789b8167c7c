"""Finds the memories of an overview: what users say of themselves, the last chats, or the first.

"What do you know about me?" and "what did we talk about last time?" share no word with what they
ask for, so they are not searched for. The first gets a language model's notes about the user, then
statements on all subjects, then other messages; the second gets the most informative exchanges
of the last sessions that the prompt does not show. "How did we meet?" gets the first session.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from operator import itemgetter

from ..domain.records import MemoryKind
from ..storage.contract import (
    NO_FILTER,
    DerivedFilter,
    Page,
    SearchFilter,
    Side,
    StoredMemory,
)
from ..storage.store import MemoryStore
from ..text.commands.parser import tells_only_of_the_memory
from ..text.first_person import own_statements
from ..text.greetings import is_pleasantry
from ..text.lexicon import word_weights
from ..text.not_of_oneself import sentences_of_speaker
from ..text.overview_questions import Overview, OwnSubject
from ..text.questions import asks_in_any_words
from ..text.search_terms import terms
from ..text.subject_statements import states
from ..text.tastes_and_limits import states_a_taste_or_limit
from ..text.topics import MARK
from ..text.unreal_cues import unreal_cue
from .about_user import TERMS, Quote, Subject, quotes_of_subject
from .corrections import corrections_of
from .derived_memories import outdated_ids
from .query import Query
from .results import Candidate
from .session_groups import group_into_sessions

OVERVIEW = "overview"  # the part of the score
_PER_SUBJECT = 24  # memories read for each subject
_READ_FOR_WORDING = 80  # memories read whose wording decides
_MAX_DERIVED = 4  # observations and insights by a language model
_RECENT_EXCHANGES = 80  # memories read for the last sessions
_FIRST_MEMORIES = 40  # memories read for the first session
_PAUSE_S = 6 * 3600.0  # between two sessions
_MIN_EXCHANGES = 6  # with so many, older sessions are left out
_MAX_CANDIDATES = 16
_RANK_STEP = 0.01  # of the score, between two ranks
_REPEATED, _MAX_REPEATED = 0.3, 3  # added for each of at most 3 memories that repeat a statement
_SAME_SUBJECT = 0.35  # taken off for each better statement about the same subject
_LASTING_BONUS = 0.5  # added to a statement's value if it states a taste, a habit or a fear
_MIN_WEIGHT, _MAX_WEIGHT = 1.0, 10.0  # summed weight of an exchange's words
_END_OF_TIME = 1e11  # seconds since the epoch
_MAX_OWN, _MAX_OTHERS = 6, 3  # candidates of one part of the user's life, and found by words
_ABOUT_WORK = "job office_work company boss salary fired_unemployed shift_work business_shop"
_TOLD_WITH_AGE = (
    MARK + "age_years",
    *terms("turn turned turning born geboren werde cumplo caen años ans лет стукнет 满 岁 歳"),
    *map(str, range(10, 100)),
)
# Statements of these subjects are searched by these terms, and told from others by their wording.
_TOLD_BY_WORDING: Mapping[OwnSubject, tuple[str, ...]] = {
    OwnSubject.NAME: (MARK + "name_nickname", *terms("我叫 名前 申します といいます")),
    OwnSubject.HOME: (MARK + "address_place", MARK + "moving_house", MARK + "flat", MARK + "house"),
    OwnSubject.ORIGIN: (
        *(MARK + name for name in ("memory_childhood", "dialect_country", "city_abroad")),
        *terms("from come born grew raised hometown nationality komme stamme geboren aufgewachsen"),
        *terms("soy nací crecí viens née originaire grandi родом родился родилась вырос выросла"),
        *terms("我是 人 来自 老家 家乡 出生 出身 生まれ 育ち"),
    ),
    OwnSubject.WORK: (
        *(MARK + name for name in _ABOUT_WORK.split()),
        *terms("first day shift start started quit promoted trabajo taf arbeite работаю 上班 働く"),
    ),
    OwnSubject.AGE: _TOLD_WITH_AGE,
    OwnSubject.BIRTHDAY: (
        MARK + "birthday",
        *terms("born geboren née рождения 生日 誕生日"),
        *_TOLD_WITH_AGE,
    ),
}
_PARTS = {
    OwnSubject.PEOPLE: (Subject.PEOPLE,),
    OwnSubject.PETS: (Subject.PETS,),
    OwnSubject.HOME: (Subject.HOME,),
    OwnSubject.WORK: (Subject.WORK,),
    OwnSubject.HOBBIES: (Subject.HOBBIES,),
    OwnSubject.TASTES: (Subject.HOBBIES, Subject.FOOD, Subject.PETS),
    OwnSubject.DISLIKES: (Subject.FOOD, Subject.HOBBIES, Subject.HEALTH),
    OwnSubject.HEALTH: (Subject.HEALTH,),
    OwnSubject.TRAVEL: (Subject.TRAVEL,),
    OwnSubject.PLANS: (Subject.PLANS,),
}
_ABOUT_TASTE = (OwnSubject.TASTES, OwnSubject.DISLIKES)


def find_overview(store: MemoryStore, query: Query, only: SearchFilter) -> list[Candidate]:
    """Returns the memories of the overview that the message asks for, best first; else none.

    Returns the last chats if users ask about themselves but have made no statement yet.
    """
    if query.overview is None:
        return []
    about = _about_user(store, query, only) if query.overview is Overview.ABOUT_USER else []
    first = _first_chat(store, query, only) if query.overview is Overview.FIRST_CHATS else []
    return (about or first or _last_chats(store, query, only))[:_MAX_CANDIDATES]


def _about_user(store: MemoryStore, query: Query, only: SearchFilter) -> list[Candidate]:
    hits = {subject: _find_exchanges(store, query, TERMS[subject], only) for subject in Subject}
    stated = sorted(
        chain.from_iterable(map(_rate_statements, hits, hits.values())), key=itemgetter(0)
    )
    others = sorted(
        chain.from_iterable(hits.values()), key=lambda one: -_information_value(_user_text(one))
    )
    told = filter(_is_informative, others)
    found = chain(_find_derived(store, query, only), (stored for _, stored in stated), told)
    different = {stored.memory.id: stored for stored in found}
    first = islice(different.values(), _MAX_CANDIDATES)
    corrected = chain.from_iterable(_with_corrections(one, store, query, only) for one in first)
    return _to_candidates(corrected, Side.USER)


def _with_corrections(
    stored: StoredMemory, store: MemoryStore, query: Query, only: SearchFilter
) -> Iterator[StoredMemory]:
    """Yields the memory, and what corrects a number of it."""
    yield stored
    ids = [correction.memory.id for correction in corrections_of(stored.memory, store)]
    if ids and only != NO_FILTER:
        ids = list(store.catalog.live_seqs(ids, only))
    yield from _unseen_exchanges(store, query, ids)


def find_own_subject(store: MemoryStore, query: Query, only: SearchFilter) -> list[Candidate]:
    """Returns the statements about the part of the user's life that the message asks for, or none.

    Those that are told by their wording come first, the newest before others; the rest best first.
    Statements that leave the speaker out, as languages other than English often do, come last.
    """
    wanted = query.own_subject
    if wanted is None:
        return []
    told: list[StoredMemory] = []
    if wanted in _TOLD_BY_WORDING:
        told = list(_find_by_wording(store, query, wanted, only))
    if wanted in _PARTS and not told:
        told = _find_statements(store, query, wanted, only)
    return _to_candidates(told, Side.USER)[:_MAX_OWN]


def _find_by_wording(
    store: MemoryStore, query: Query, wanted: OwnSubject, only: SearchFilter
) -> Iterator[StoredMemory]:
    """Yields the statements whose wording fits the subject, the newest first.

    Names and origins often have no word that could be searched for ("I'm Sam, from Ohio"), but
    people tell them when they meet: the first memories are read, too.
    """
    found = _find_exchanges(store, query, _TOLD_BY_WORDING[wanted], only, limit=_READ_FOR_WORDING)
    if wanted in (OwnSubject.NAME, OwnSubject.ORIGIN):
        known = {stored.memory.id for stored in found}
        oldest = _oldest_exchanges(store, query, only)
        found += [stored for stored in oldest if stored.memory.id not in known]
        found.sort(key=_newest_first)
    for stored in found:
        said = sentences_of_speaker(_user_text(stored))
        if any(states(wanted, text) and not unreal_cue(text) for text in said):
            yield stored


def _find_statements(
    store: MemoryStore, query: Query, wanted: OwnSubject, only: SearchFilter
) -> list[StoredMemory]:
    hits = {part: _find_exchanges(store, query, TERMS[part], only) for part in _PARTS[wanted]}
    stated = chain.from_iterable(map(_rate_statements, hits, hits.values()))
    if wanted in _ABOUT_TASTE:
        return [stored for _, stored in stated if _is_about(_user_text(stored), wanted)]
    found = [stored for _, stored in stated]
    others = chain.from_iterable(hits.values())
    return found + [one for one in others if _is_informative(one) and not _user_text(one).isascii()]


def with_own_subject(
    candidates: list[Candidate], store: MemoryStore, query: Query, only: SearchFilter
) -> list[Candidate]:
    """Puts what find_own_subject() finds before the best candidates.

    If a subject told by its wording was never told, few candidates remain: "how old am I" is not
    answered by other messages with "old".
    """
    own = find_own_subject(store, query, only)
    if not own:
        return candidates[:_MAX_OTHERS] if query.own_subject in _TOLD_BY_WORDING else candidates
    known = {candidate.memory.id for candidate in own}
    others = [one for one in candidates if one.memory.id not in known]
    lowest = own[-1].score
    return [*own, *(replace(one, score=min(one.score, lowest)) for one in others[:_MAX_OTHERS])]


def _is_about(text: str, wanted: OwnSubject) -> bool:
    return states(wanted, text) and (
        wanted is not OwnSubject.TASTES or states_a_taste_or_limit(text)
    )


def _is_informative(stored: StoredMemory) -> bool:
    """Returns whether the message says something, beside a question or without one."""
    text = _user_text(stored)
    if not _information_value(text):
        return False
    own = chain.from_iterable(map(own_statements, sentences_of_speaker(text)))
    return not asks_in_any_words(text) or any(map(_information_value, own))


def _find_exchanges(
    store: MemoryStore,
    query: Query,
    terms_of_subject: Sequence[str],
    only: SearchFilter,
    *,
    limit: int = _PER_SUBJECT,
) -> list[StoredMemory]:
    """Returns exchanges with some of these terms, the latest first."""
    ids = store.fulltext.search(terms_of_subject, limit=limit, only=only)
    return sorted(_unseen_exchanges(store, query, ids), key=_newest_first)


def _newest_first(stored: StoredMemory) -> float:
    return -(stored.memory.ts or 0.0)


def _rate_statements(
    subject: Subject, hits: Sequence[StoredMemory]
) -> Iterator[tuple[float, StoredMemory]]:
    """Yields those with statements of the user about the subject, best first, with penalties.

    The penalty grows with every statement, so that no subject takes all places.
    """
    known = {stored.memory.id: stored for stored in hits}
    quotes = quotes_of_subject([stored.memory for stored in hits], subject)
    for rank, quote in enumerate(sorted(quotes, key=_statement_value, reverse=True)):
        yield _SAME_SUBJECT * rank - _statement_value(quote), known[quote.memory.id]


def _statement_value(quote: Quote) -> float:
    """Returns the information value of a statement; repeated and lasting ones have more."""
    repeated = _REPEATED * min(quote.times - 1, _MAX_REPEATED)
    return (
        _information_value(quote.text)
        + _LASTING_BONUS * states_a_taste_or_limit(quote.text)
        + repeated
    )


def _find_derived(store: MemoryStore, query: Query, only: SearchFilter) -> list[StoredMemory]:
    """Returns the latest valid insights and observations about the user, insights first."""
    kinds = frozenset((MemoryKind.INSIGHT, MemoryKind.OBSERVATION))
    name = next(iter(query.names), "")
    about = store.catalog.find_derived(DerivedFilter(kinds=kinds, subject=name)) if name else []
    now = query.now.timestamp() if query.now else None
    allowed = store.catalog.live_seqs([one.id for one in about], only)
    outdated = outdated_ids(store.catalog.get, about, now)
    valid = [one for one in about if one.id in allowed and one.id not in outdated]
    valid.sort(key=lambda one: (one.kind is not MemoryKind.INSIGHT, -(one.ts or 0.0)))
    return store.fulltext.live_memories([one.id for one in valid[:_MAX_DERIVED]])


def _last_chats(store: MemoryStore, query: Query, only: SearchFilter) -> list[Candidate]:
    ids = store.catalog.search_dates(0.0, _END_OF_TIME, limit=_RECENT_EXCHANGES, only=only)
    exchanges = {stored.memory.id: stored for stored in _unseen_exchanges(store, query, ids)}
    sessions = group_into_sessions((one.memory for one in exchanges.values()), pause_s=_PAUSE_S)
    found: list[tuple[int, float, StoredMemory]] = []
    for age, session in enumerate(sessions):
        rated = (
            (_information_value(_user_text(exchanges[name])), exchanges[name])
            for name in session.ids
        )
        found += [(age, told, stored) for told, stored in rated if told]
        if len(found) >= _MIN_EXCHANGES:
            break
    ordered = sorted(found, key=lambda one: (one[0], -one[1]))
    return _to_candidates((stored for *_, stored in ordered), None)


def _first_chat(store: MemoryStore, query: Query, only: SearchFilter) -> list[Candidate]:
    """Returns the first session's exchanges as they followed each other, without pleasantries."""
    exchanges = {one.memory.id: one for one in _oldest_exchanges(store, query, only)}
    sessions = group_into_sessions((one.memory for one in exchanges.values()), pause_s=_PAUSE_S)
    first = sessions[-1].ids if sessions else ()
    told = (exchanges[name] for name in first)
    return _to_candidates(filter(_is_telling, told), None)[:_MIN_EXCHANGES]


def _oldest_exchanges(
    store: MemoryStore, query: Query, only: SearchFilter
) -> Iterator[StoredMemory]:
    before = max(0, store.counts()["live"] - _FIRST_MEMORIES)
    oldest = store.latest(Page(limit=_FIRST_MEMORIES, offset=before))
    allowed = store.catalog.live_seqs([one.id for one in oldest], only)
    ids = [one.id for one in oldest if one.id in allowed and one.ts is not None]
    return _unseen_exchanges(store, query, ids)


def _is_telling(stored: StoredMemory) -> bool:
    return not is_pleasantry(_user_text(stored))


def _unseen_exchanges(
    store: MemoryStore, query: Query, ids: Sequence[str]
) -> Iterator[StoredMemory]:
    """Yields the exchanges with these ids that the chat still has and the prompt does not show."""
    hidden = query.stale_ids | query.left_out_ids | query.in_system_block
    for stored in store.fulltext.live_memories(ids):
        is_shown = not query.shown_keys.isdisjoint((stored.key, stored.chat_key))
        is_unwanted = stored.memory.exchange is None or tells_only_of_the_memory(_user_text(stored))
        if not (is_shown or is_unwanted or stored.memory.id in hidden):
            yield stored


def _user_text(stored: StoredMemory) -> str:
    return stored.memory.exchange.user if stored.memory.exchange else ""


def _information_value(text: str) -> float:
    """Returns the information value of a text, 0 to 1; 0 for pleasantries."""
    if is_pleasantry(text):
        return 0.0
    weight = sum(word_weights(set(terms(text)), text).values())
    return min(weight, _MAX_WEIGHT) / _MAX_WEIGHT if weight >= _MIN_WEIGHT else 0.0


def _to_candidates(found: Iterable[StoredMemory], matching_side: Side | None) -> list[Candidate]:
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
        for score in [1.0 - _RANK_STEP * rank]
    ]
