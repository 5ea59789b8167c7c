"""Finds the standing facts that limit what a message asks to be proposed.

"Was soll ich kochen?" and "I'm hungry" have no word of "I've been a vegetarian for ten years". So a
message that wants something in one of these fields is searched for memories about the field that
state a lasting taste, diet, allergy or fear.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..storage.contract import FullTextIndex, SearchFilter
from ..text.proposals import fields_named, fields_wanted
from ..text.sentences import sentences
from ..text.tastes_and_limits import states_a_limit, states_a_taste
from ..text.topics import MARK, topics
from .fact_versions import fetch_candidates, own_words
from .query import Query
from .results import Candidate

STANDING = "standing"
_MAX_FOUND = 100  # memories examined for each list of topics
_SHORT = 200  # characters of a text that is about one thing
_MAX_OF_A_KIND, _MAX_GIVEN = 4, 5  # standing facts that get their bonus
# Of a limit within the field ("peanut allergy"), another one ("allergic to cats"), and so on.
_OWN_LIMIT_BONUS, _LIMIT_BONUS, _DISLIKE_BONUS, _TASTE_BONUS = 1.2, 0.8, 0.6, 0.4
_FOODS = (
    "breakfast lunch_dinner meat fish_seafood vegetables fruit sweets_dessert baking bread nuts"
    " milk_cheese_eggs spices_sauces cooking restaurant takeaway vegetarian noodles_rice soup"
)
_DRINKS = "cold_drinks coffee tea alcohol"
_FILMS, _BOOKS = "film_cinema series_tv theatre", "library_books reading"
_SPORTS = "gym_fitness running_marathon yoga swimming bicycle"
_TRIPS = "travel_trip hotel beach_sea mountains_hiking camping plane_airport"


def _terms(names: str) -> frozenset[str]:
    return frozenset(MARK + name for name in names.split())


@dataclass(frozen=True, slots=True)
class Field:
    """A field of proposals, in topics.

    Facts on the topics `limits` constrain a proposal about `asked`, or one that names the field;
    facts on the topics `tastes` state likes and habits. What the user says on the topics `harms`
    limits a proposal in whatever words: "my knee is bust".
    """

    name: str
    asked: frozenset[str]
    limits: frozenset[str]
    tastes: frozenset[str]
    harms: frozenset[str] = frozenset()


FIELDS = (
    Field(
        "food",
        _terms(_FOODS),
        _terms("allergy vegetarian diabetes"),
        _terms(f"{_FOODS} diet_weight"),
    ),
    Field("drink", _terms(_DRINKS), frozenset(), _terms(f"{_DRINKS} allergy")),
    Field("film", _terms(_FILMS), frozenset(), _terms(f"{_FILMS} fear_phobia")),
    Field("book", _terms("library_books"), frozenset(), _terms(_BOOKS)),
    Field("music", _terms("music_song"), frozenset(), _terms("music_song concert_band")),
    Field("pet", frozenset(), _terms("allergy"), frozenset()),
    Field("trip", _terms(_TRIPS), _terms("fear_phobia disability"), _terms(_TRIPS)),
    Field(
        "exercise",
        _terms("gym_fitness yoga"),  # "run" has many meanings
        _terms("disability"),
        _terms(_SPORTS),
        harms=_terms("back_and_joints injury"),
    ),
)


def with_standing_facts(
    candidates: Sequence[Candidate], fulltext: FullTextIndex, query: Query, only: SearchFilter
) -> list[Candidate]:
    """Returns the candidates and standing facts of the fields that are asked about, best first.

    Changes nothing unless the message wants something in such a field.
    """
    fields = _fields_asked(query)
    if not fields:
        return list(candidates)
    known = {candidate.memory.id: candidate for candidate in candidates}
    limits = frozenset[str]().union(*(field.limits for field in fields))
    tastes = frozenset[str]().union(*(field.tastes for field in fields))
    harms = frozenset[str]().union(*(field.harms for field in fields))
    on_limits, on_harms = (_search(fulltext, terms, only) for terms in (limits, harms))
    found = dict.fromkeys([*on_limits, *on_harms, *_search(fulltext, tastes - limits, only)])
    on_field = fetch_candidates(found, known, fulltext)
    bonuses = {
        one.memory.id: _OWN_LIMIT_BONUS
        if one.memory.id in on_harms and _is_about(own_words(one), harms)
        else _bonus(own_words(one), tastes, one.memory.id in on_limits)
        for one in on_field
    }
    given: list[Candidate] = []
    for bonus in (_OWN_LIMIT_BONUS, _LIMIT_BONUS, _DISLIKE_BONUS, _TASTE_BONUS):
        facts = [one for one in on_field if bonuses[one.memory.id] == bonus]
        facts.sort(key=lambda fact: _rank(fact, query))
        given.extend(_with_bonus(fact, bonus) for fact in facts[:_MAX_OF_A_KIND])
    given.sort(key=lambda fact: (fact.parts[STANDING] < _OWN_LIMIT_BONUS, -fact.score))
    known |= {fact.memory.id: fact for fact in given[:_MAX_GIVEN]}
    return sorted(known.values(), key=lambda candidate: -candidate.score)


def limits_the_answer(candidate: Candidate) -> bool:
    """Returns whether it was found as an allergy, diet or fear that limits what is asked for."""
    return candidate.parts.get(STANDING, 0.0) >= _LIMIT_BONUS


def _fields_asked(query: Query) -> list[Field]:
    wanted, text = fields_wanted(query.text), query.text
    if query.asks_for_a_proposal:
        touched = frozenset(query.topics)
        wanted |= fields_named(text) | {field.name for field in FIELDS if field.asked & touched}
    return [field for field in FIELDS if field.name in wanted]


def _search(fulltext: FullTextIndex, terms: frozenset[str], only: SearchFilter) -> list[str]:
    return fulltext.search(sorted(terms), limit=_MAX_FOUND, only=only) if terms else []


def _bonus(text: str, tastes: frozenset[str], is_on_limits: bool) -> float:
    """Returns the bonus of what the user said; 0 if it states no lasting limit or taste."""
    if is_on_limits and states_a_limit(text):
        return _OWN_LIMIT_BONUS if _is_about(text, tastes) else _LIMIT_BONUS
    if not (states_a_limit(text) or states_a_taste(text)):
        return 0.0
    on_field = [text]
    if len(text) > _SHORT:
        on_field = [part for part in sentences(text) if _is_about(part, tastes)]
    if any(map(states_a_limit, on_field)):
        return _DISLIKE_BONUS
    return _TASTE_BONUS if any(map(states_a_taste, on_field)) else 0.0


def _is_about(text: str, terms: frozenset[str]) -> bool:
    return not terms.isdisjoint(topics(text))


def _rank(fact: Candidate, query: Query) -> tuple[bool, float, float]:
    """Ranks facts that share a topic with the message first, then by score, then the latest."""
    shares_topic = _is_about(own_words(fact), frozenset(query.topics))
    return not shares_topic, -fact.score, -(fact.memory.ts or 0.0)


def _with_bonus(candidate: Candidate, bonus: float) -> Candidate:
    parts = {**candidate.parts, STANDING: bonus}
    own = None if candidate.own_score is None else candidate.own_score + bonus
    return replace(candidate, score=candidate.score + bonus, parts=parts, own_score=own)
