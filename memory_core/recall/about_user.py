"""Collects the statements of a user about themselves, by subject: quotes only, nothing is made up.

A statement belongs to the subject that its words name, above all in the speaker's own clauses.
A word that may mean several subjects counts for each in part. Repeated statements come first, then
the newest. Left out are statements that only their neighbours explain, dreams, stories and
suppositions, topics that occur only in an idiom or a name, and acts of others towards the speaker.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, islice

from ..domain.records import Memory, MemoryKind, Role
from ..storage.contract import DerivedFilter
from ..storage.listing import ListQuery
from ..storage.store import MemoryStore
from ..text.commands.parser import note_asked_for, tells_only_of_the_memory
from ..text.first_person import is_about_speaker, names_speaker, own_statements
from ..text.not_of_oneself import sentences_of_speaker, without_listener
from ..text.search_terms import terms
from ..text.self_contained import is_self_contained
from ..text.topics import MARK, topics_by_word, without_idioms
from ..text.unreal_cues import unreal_cue
from .corrections import corrections_of, corrects_in_words

_CANDIDATES = 40  # memories read for each subject
_QUOTES = 4  # of each subject
_GAP = " … "
_AT_ONCE_S = 1800.0
_SAME_SHARE = 0.6  # of the terms of the shorter statement
_MIN_SHARED_TERMS = 2
_WORD = re.compile(r"[^\W\d_]+")
# After "a cat called Biscuit", the word Biscuit no longer means food.
_NAMED = re.compile(
    r"\b(?:called|named|name\s+is|call\s+(?:him|her|it)|heißt|se\s+llama|s['’]appelle|зовут)\s+"  # noqa: RUF001
    r"([^\W\d_]{2,})(?:[ ]([A-Z][^\W\d_]+))?"
)
# "A shop called Lantern" does not name a person, and "I love hiking" is not about a loved one.
_CALLED = re.compile(
    r"\b(?:called|named|namens)\b|\bпо\s+кличке\b|\b(?:меня|мне)\b"  # noqa: RUF001
    r"|\b(?:I|we)\s+(?:\w+\s+)?love\b(?=\s+\w)|\bich\s+liebe\b(?=\s+\w)",
    re.IGNORECASE,
)
_GREW_UP = re.compile(
    r"\bgrew\s+up\s+(?:in|on|near|by|outside)\b"
    r"|\b(?:in|auf|bei|an)\b.{1,60}\baufgewachsen\b|\bwuchs\b.{1,60}\bauf\b"
    r"|\bme\s+cri[eé]\s+en\b|\bai\s+grandi\s+(?:dans|en|à|au|aux|sur|près)\b"
    r"|\bвырос(?:ла|ли)?\s+(?:в|на|под)\b|在.{1,12}长大|で(?:育|生まれ育)[っちつ]",  # noqa: RUF001
    re.IGNORECASE,
)
_CLAUSE_END = re.compile("[,，;；:：—–]")  # noqa: RUF001


class Subject(StrEnum):
    """Part of a person's life, as a heading."""

    PEOPLE = "people"
    PETS = "pets"
    HOME = "home"
    WORK = "work"
    HEALTH = "health"
    FOOD = "food"
    HOBBIES = "hobbies"
    TRAVEL = "travel"
    PLANS = "plans"


_TOPICS: Mapping[Subject, str] = {
    Subject.PEOPLE: "mother father parents brother sister son daughter child_baby grandchild "
    "grandmother grandfather uncle_aunt cousin in_laws spouse boyfriend_girlfriend friend "
    "neighbour colleague roommate wedding engagement divorce ex_breakup dating_love birthday "
    "anniversary name_nickname pregnancy_birth age_years",
    Subject.PETS: "pet_cat pet_dog pet_bird pet_fish pet_reptile pet_rodent vet horse_riding",
    Subject.HOME: "address_place house flat moving_house rent garden balcony_plants kitchen "
    "bathroom room_furniture memory_childhood",
    Subject.WORK: "job office_work company boss salary fired_unemployed job_interview shift_work "
    "business_shop craft_trades retirement school university teacher exam homework_thesis "
    "course_training grades programming science meeting_presentation nurse_care driver_transport "
    "police_military farming",
    Subject.HEALTH: "allergy illness_cold medicine doctor dentist hospital surgery injury diabetes "
    "heart headache back_and_joints sleep mental_health anxiety_panic therapy diet_weight "
    "vaccination eyes ears skin stomach fear_phobia disability cancer stress_tired glasses",
    Subject.FOOD: "coffee tea cooking baking vegetarian vegetables fruit meat fish_seafood nuts "
    "bread breakfast lunch_dinner restaurant alcohol soup noodles_rice sweets_dessert "
    "milk_cheese_eggs spices_sauces takeaway cold_drinks",
    Subject.HOBBIES: "hobby_club music_song concert_band guitar_strings piano_keys choir_singing "
    "dance painting_drawing photography reading poem film_cinema series_tv "
    "video_games chess_board_games football tennis_ball_sports gym_fitness running_marathon "
    "swimming yoga climbing mountains_hiking bicycle winter_sports martial_arts fishing "
    "knitting_sewing pottery_crafts collecting theatre language_learning lucky_favourite",
    Subject.TRAVEL: "travel_trip plane_airport train hotel beach_sea camping passport_visa luggage "
    "ship_boat car motorbike city_abroad dialect_country",
    Subject.PLANS: "hope_plan appointment_date deadline promise new_year_holidays christmas",
}
TERMS = {
    subject: tuple(MARK + name for name in names.split()) for subject, names in _TOPICS.items()
}
_SUBJECT_OF = {topic: subject for subject, listed in reversed(TERMS.items()) for topic in listed}
# The subject of a word that may mean several: "swimming" is a hobby before it is a trip to the sea.
_LIKELIEST_FIRST = (
    Subject.HEALTH,
    Subject.FOOD,
    Subject.HOBBIES,
    Subject.PETS,
    Subject.WORK,
    Subject.HOME,
    Subject.TRAVEL,
    Subject.PEOPLE,
    Subject.PLANS,
)
# These topics alone do not decide: a harbour is no journey, a night no separation, Japan no study.
_WEAK = frozenset(
    MARK + name
    for name in (
        "beach_sea",
        "ship_boat",
        "ex_breakup",
        "dating_love",
        "shift_work",
        "language_learning",
        "lucky_favourite",
        "memory_childhood",
    )
)
_WEAK_SHARE = 0.4
_MIN_SUBJECT_SHARE = 1.0  # a word of one meaning, or of two in the speaker's own clause
_OF_RELATIVES = (
    "mother father parents brother sister son daughter grandchild grandmother grandfather "
    "uncle_aunt cousin in_laws spouse boyfriend_girlfriend"
)
_RELATIVES = frozenset(MARK + name for name in _OF_RELATIVES.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A statement, the memory in which it was said last, and how many memories say it."""

    text: str
    memory: Memory
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutUser:
    """Pinned memories, notes, and quotes by subject; subjects without quotes are left out."""

    pinned: Sequence[Memory]
    notes: Sequence[Memory]
    said: Mapping[Subject, Sequence[Quote]]

    @property
    def is_empty(self) -> bool:
        return not (self.pinned or self.notes or self.said)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    text: str
    memory: Memory
    terms: frozenset[str]


def collect_about_user(store: MemoryStore) -> AboutUser:
    """Returns the user's statements about themselves, the newest first among equals."""
    always = store.catalog.always_in_prompt()
    notes = [one for one in always if one.kind is MemoryKind.KNOWLEDGE and not one.pinned]
    wrong = _wrong_notes(store)
    said = {subject: _quotes(store, subject, wrong, notes) for subject in Subject}
    return AboutUser(
        pinned=[one for one in always if one.pinned],
        notes=notes,
        said={subject: quotes for subject, quotes in said.items() if quotes},
    )


def _quotes(
    store: MemoryStore, subject: Subject, wrong: Sequence[Memory], notes: Sequence[Memory]
) -> list[Quote]:
    """Returns the first quotes of a subject, each with its corrections.

    Left out are wrong notes and what only asks for one of the notes, which are listed themselves.
    """
    found = quotes_of_subject(_newest(store, subject), subject)
    listed = {note.text for note in notes}
    right = (
        quote
        for quote in found
        if not any(_asks_for_note(quote, note) for note in wrong)
        and note_asked_for(quote.text) not in listed
    )
    return [_with_corrections(quote, store) for quote in islice(right, _QUOTES)]


def _with_corrections(quote: Quote, store: MemoryStore) -> Quote:
    """Returns the quote, followed by what corrects a value of it: "the code is 3307 … 3370"."""
    found = (one.memory.exchange for one in corrections_of(quote.memory, store))
    texts = [one.user for one in found if one and corrects_in_words(one.user, quote.text)]
    return replace(quote, text=_GAP.join([quote.text, *texts]))


def _asks_for_note(quote: Quote, note: Memory) -> bool:
    """Returns whether the quote has the note's text and its time: later, the same may be true."""
    said_at = quote.memory.ts
    is_later = said_at is not None and note.ts is not None and said_at - note.ts > _AT_ONCE_S
    return note.text in quote.text and not is_later


def _wrong_notes(store: MemoryStore) -> list[Memory]:
    """Returns the corrected notes, which are as wrong in the messages that asked for them."""
    notes = store.catalog.find_derived(DerivedFilter(kinds=frozenset({MemoryKind.KNOWLEDGE})))
    return [note for note in notes if note.derived and note.derived.never_held(note.ts)]


def _newest(store: MemoryStore, subject: Subject) -> Sequence[Memory]:
    query = ListQuery(words=(TERMS[subject],), said_by=Role.USER, limit=_CANDIDATES)
    return store.list_memories(query).memories


def quotes_of_subject(memories: Sequence[Memory], subject: Subject) -> list[Quote]:
    """Returns the statements of these memories about a subject, the most repeated first.

    Quotes the first of several memories that make the same statement.
    """
    groups: list[list[_Statement]] = []
    for statement in _statements(memories, subject):
        same = next((group for group in groups if _is_same(group[0], statement)), None)
        if same is None:
            groups.append([statement])
        else:
            same.append(statement)
    quotes = [
        Quote(
            text=group[0].text, memory=group[0].memory, times=len({one.memory.id for one in group})
        )
        for group in groups
    ]
    return sorted(quotes, key=lambda quote: -quote.times)


def _statements(memories: Sequence[Memory], subject: Subject) -> Iterator[_Statement]:
    names = _names(memories)
    for memory in memories:
        if memory.exchange is None or tells_only_of_the_memory(memory.exchange.user):
            continue
        said = map(own_statements, sentences_of_speaker(memory.exchange.user))
        for text in filter(is_self_contained, chain.from_iterable(said)):
            if not unreal_cue(text) and _subject_of(text, names) is subject:
                yield _Statement(text=text, memory=memory, terms=frozenset(terms(text)))


def _names(memories: Sequence[Memory]) -> frozenset[str]:
    """Returns the names that these memories give to somebody or something."""
    found = (name for memory in memories for pair in _NAMED.findall(memory.text) for name in pair)
    return frozenset(name for name in found if name[:1].isupper())


def _subject_of(text: str, names: Set[str]) -> Subject | None:
    """Returns the subject that most of the words name.

    In a tie, health comes before all others, then the subject that the text names first. A text
    that begins with a relative is about people. None if no subject has enough words.
    """
    about = _WORD.sub(
        lambda word: " " if word[0] in names else word[0],
        without_listener(_CALLED.sub(" I ", without_idioms(text))),
    )
    named = list(topics_by_word(about))
    if not (names_speaker(text) or any(map(_RELATIVES.intersection, named))):
        return None
    if named and _RELATIVES.intersection(named[0]):
        return Subject.PEOPLE
    if _GREW_UP.search(about):
        return Subject.HOME
    own = " ".join(filter(is_about_speaker, _CLAUSE_END.split(about)))
    shares: dict[Subject, float] = {}
    for topics in chain(named, topics_by_word(own)):
        meant = _SUBJECT_OF.keys() & set(topics)
        found = {_SUBJECT_OF[topic] for topic in meant}
        weight = _WEAK_SHARE if meant <= _WEAK else 1.0
        for subject in sorted(found, key=_LIKELIEST_FIRST.index):
            shares[subject] = shares.get(subject, 0.0) + weight / len(found)
    enough = [subject for subject, share in shares.items() if share >= _MIN_SUBJECT_SHARE]
    return max(enough, key=lambda found: (shares[found], found is Subject.HEALTH), default=None)


def _is_same(one: _Statement, other: _Statement) -> bool:
    shared = len(one.terms & other.terms)
    return shared >= _MIN_SHARED_TERMS and shared >= _SAME_SHARE * min(
        len(one.terms), len(other.terms)
    )
