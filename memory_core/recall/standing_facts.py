"""Finds the standing facts that limit what a message asks to be proposed.

"Was soll ich kochen?" has no word of "I've been a vegetarian for ten years". So a message that asks
for a proposal in one of these fields is searched for memories about the field that state a lasting
taste, diet, allergy or fear.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..storage.contract import FullTextIndex, SearchFilter
from ..text.proposals import fields_named, states_a_limit
from ..text.topics import MARK
from .fact_versions import own_words
from .newer_versions import fetch_candidates
from .query import Query
from .results import Candidate

STANDING = "standing"
_MAX_FOUND = 12  # memories examined for each list of topics
_LIMIT_BONUS, _TASTE_BONUS = 0.8, 0.4  # half or twice as much serves the fitted histories as well
_FOODS = (
    "breakfast lunch_dinner meat fish_seafood vegetables fruit sweets_dessert baking bread nuts"
    " milk_cheese_eggs spices_sauces cooking restaurant takeaway vegetarian noodles_rice soup"
)
_DRINKS = "cold_drinks coffee tea alcohol"
_FILMS, _BOOKS = "film_cinema series_tv theatre", "library_books reading"
_PETS = "pet_cat pet_dog pet_bird pet_fish pet_rodent pet_reptile"
_TRIPS = "travel_trip hotel beach_sea mountains_hiking camping plane_airport"


def _terms(names: str) -> frozenset[str]:
    return frozenset(MARK + name for name in names.split())


@dataclass(frozen=True, slots=True)
class Field:
    """A field of proposals, in topics.

    Facts on the topics `limits` constrain a proposal about `asked`, or one that names the field;
    facts on the topics `tastes` state likes and habits.
    """

    name: str
    asked: frozenset[str]
    limits: frozenset[str]
    tastes: frozenset[str]


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
    Field("pet", _terms(_PETS), _terms("allergy"), frozenset()),
    Field("trip", _terms(_TRIPS), _terms("fear_phobia disability"), _terms(_TRIPS)),
)


def with_standing_facts(
    candidates: Sequence[Candidate], fulltext: FullTextIndex, query: Query, only: SearchFilter
) -> list[Candidate]:
    """Returns the candidates and standing facts of the fields that are asked about, best first.

    Changes nothing unless the message asks for a proposal.
    """
    fields = _fields_asked(query)
    if not fields:
        return list(candidates)
    known = {candidate.memory.id: candidate for candidate in candidates}
    limits = frozenset[str]().union(*(field.limits for field in fields))
    tastes = frozenset[str]().union(*(field.tastes for field in fields))
    bonuses = _find_bonuses(fulltext, tastes - limits, only, _TASTE_BONUS)
    bonuses |= _find_bonuses(fulltext, limits, only, _LIMIT_BONUS)
    unknown = [memory_id for memory_id in bonuses if memory_id not in known]
    known |= {one.memory.id: one for one in fetch_candidates(unknown, fulltext)}
    for memory_id, bonus in bonuses.items():
        if memory_id in known and states_a_limit(own_words(known[memory_id])):
            known[memory_id] = _with_bonus(known[memory_id], bonus)
    found = (one for one in known.values() if one.score > 0.0)
    return sorted(found, key=lambda candidate: -candidate.score)


def _fields_asked(query: Query) -> list[Field]:
    named, touched = fields_named(query.text), frozenset(query.topics)
    return [field for field in FIELDS if field.name in named or field.asked & touched]


def _find_bonuses(
    fulltext: FullTextIndex, terms: frozenset[str], only: SearchFilter, bonus: float
) -> dict[str, float]:
    """Returns the bonus of each memory that has some of these topics."""
    ids = fulltext.search(sorted(terms), limit=_MAX_FOUND, only=only) if terms else []
    return dict.fromkeys(ids, bonus)


def _with_bonus(candidate: Candidate, bonus: float) -> Candidate:
    parts = {**candidate.parts, STANDING: bonus}
    own = None if candidate.own_score is None else candidate.own_score + bonus
    return replace(candidate, score=candidate.score + bonus, parts=parts, own_score=own)
