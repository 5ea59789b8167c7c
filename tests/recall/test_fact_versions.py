"""Tests of fact versions: the newest comes first, even if the words of the message miss it."""

from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.recall.fact_versions import newest_first, with_newer_versions
from memory_core.recall.query import Query, local_time
from memory_core.recall.results import Candidate
from memory_core.storage.contract import NO_FILTER, SearchFilter
from tests.builders import DAY, NOW, added, said
from tests.cases import for_each
from tests.storage.index.in_memory.store import InMemoryStore

OLD = "My chess club meets on Wednesdays at the station"
NEW = "The chess club meets on Fridays now"


def candidate(text: str, *, score: float, days_ago: float) -> Candidate:
    exchange = said(text, ts=NOW - DAY * days_ago)
    memory = Memory(id=text, kind=MemoryKind.EXCHANGE, text=text, ts=exchange.ts, exchange=exchange)
    return Candidate(memory=memory, score=score)


def ordered(
    *candidates: Candidate,
    asked: str = "when does the chess club meet",
    further: tuple[Exchange, ...] = (),
    only: SearchFilter = NO_FILTER,
) -> list[str]:
    """Returns what is recalled, best first; `further` is stored, but not found by the message."""
    return [
        one.memory.id
        for one in found_in_order(*candidates, asked=asked, further=further, only=only)
    ]


def found_in_order(
    *candidates: Candidate,
    asked: str = "when does the chess club meet",
    further: tuple[Exchange, ...] = (),
    only: SearchFilter = NO_FILTER,
) -> list[Candidate]:
    exchanges = [one.memory.exchange for one in candidates if one.memory.exchange]
    store = InMemoryStore()
    store.apply(
        [
            added(seq, exchange.user, exchange, log=f"log{seq}")
            for seq, exchange in enumerate([*exchanges, *further], start=1)
        ],
        {},
    )
    query = Query(text=asked, now=local_time(NOW), names=("Ana", "Sol"))
    found = with_newer_versions(candidates, store.fulltext, query, only)
    return newest_first(found)


def test_newer_version_with_a_similar_score_comes_first() -> None:
    old, new = candidate(OLD, score=1.0, days_ago=90), candidate(NEW, score=0.8, days_ago=5)
    assert ordered(old, new) == [NEW, OLD]
    assert [one.replaces for one in found_in_order(old, new)] == [OLD, ""]


def test_newer_version_with_a_much_lower_score_needs_a_word_of_change() -> None:
    plain = "The chess club meets on Fridays at the station"
    old, new = candidate(OLD, score=1.0, days_ago=90), candidate(plain, score=0.3, days_ago=5)
    assert ordered(old, new) == [OLD, plain]


def test_newer_memory_of_another_subject_does_not_pass_a_better_one() -> None:
    other = candidate("Rain fell all day long", score=0.8, days_ago=5)
    found = found_in_order(candidate(OLD, score=1.0, days_ago=90), other)
    assert [(one.memory.id == OLD, one.replaces) for one in found] == [(True, ""), (False, "")]
    better = found_in_order(candidate(OLD, score=0.5, days_ago=90), other)
    assert [one.replaces for one in better] == ["", ""]


def test_later_message_of_one_session_is_not_a_newer_version() -> None:
    first = candidate(OLD, score=1.0, days_ago=5.0)
    assert ordered(first, candidate(NEW, score=0.8, days_ago=4.99)) == [OLD, NEW]


@for_each("days_ago", [5.0, 4.999])  # imported messages may have no more than their day
def test_correction_in_the_same_session_is_found_and_comes_first(days_ago: float) -> None:
    wrong, right = "Her new address is 14 Carline Mews", "wait no its 41 not 14, 41 Carline Mews"
    corrected = said(right, ts=NOW - DAY * days_ago)
    first = candidate(wrong, score=1.0, days_ago=5.0)
    found = ordered(first, asked="what is her address", further=(corrected,))
    assert found == [right, wrong]


def test_newest_first_keeps_the_order_of_undated_memories() -> None:
    memories = (Memory(id=text, kind=MemoryKind.KNOWLEDGE, text=text) for text in (OLD, NEW))
    assert ordered(*(Candidate(memory=memory, score=1.0) for memory in memories)) == [OLD, NEW]


def test_newest_first_of_no_candidates_is_empty() -> None:
    assert ordered() == []


def test_question_about_the_present_prefers_a_change_that_scores_low() -> None:
    change = "Chess is on Fridays now"
    old, new = candidate(OLD, score=1.0, days_ago=90), candidate(change, score=0.65, days_ago=5)
    assert ordered(old, new, asked="where do we play these days") == [change, OLD]
    assert ordered(old, new, asked="where do we play") == [OLD, change]


def test_question_about_the_past_keeps_the_older_version_first() -> None:
    old, new = candidate(OLD, score=1.0, days_ago=90), candidate(NEW, score=0.8, days_ago=5)
    assert ordered(old, new, asked="when did the chess club meet before") == [OLD, NEW]


def test_question_about_a_date_keeps_the_order_of_the_scores() -> None:
    old, new = candidate(OLD, score=1.0, days_ago=90), candidate(NEW, score=0.8, days_ago=5)
    assert ordered(old, new, asked="what is on Wednesday") == [OLD, NEW]


@for_each(
    "asked",
    [
        "what was the day of the chess club again",
        "is chess club still on next Wednesday",
        "was war noch mal mit chess club",
    ],
)
def test_tense_and_coming_dates_leave_the_newest_version_first(asked: str) -> None:
    old, new = candidate(OLD, score=1.0, days_ago=90), candidate(NEW, score=0.9, days_ago=5)
    assert ordered(old, new, asked=asked) == [NEW, OLD]


def test_question_about_a_past_date_keeps_the_older_version_first() -> None:
    old, new = candidate(OLD, score=1.0, days_ago=90), candidate(NEW, score=0.9, days_ago=5)
    assert ordered(old, new, asked="did the chess club meet two months ago") == [OLD, NEW]


CHANGED = [
    ("Mein Chor probt mittwochs", "Der Chor probt jetzt freitags", "wann probt der Chor"),
    (
        "El coro ensaya los miércoles",
        "El coro pasa a los viernes, ya no los otros",
        "cuándo ensaya ahora el coro",
    ),
    ("Ma chorale répète le mercredi", "La chorale a été décalée au vendredi", "ma chorale"),
    ("Хор поёт по средам", "Хор перенесли на пятницу", "когда хор"),
    ("合唱团周三排练", "合唱团改到周五了", "合唱团几点"),
    ("合唱団は水曜に練習", "合唱団は金曜に変わった", "合唱団はいつ"),
]


@for_each(("before", "after", "asked"), CHANGED)
def test_change_passes_the_older_version_in_many_languages(
    before: str, after: str, asked: str
) -> None:
    old, new = candidate(before, score=1.0, days_ago=90), candidate(after, score=0.8, days_ago=5)
    assert ordered(old, new, asked=asked) == [after, before]


SUCCEEDED = [
    (
        "Our plumber is Piet Abernathy",
        "Piet Abernathy retired, I call Kowalczyk",
        "who is my plumber now",
    ),
    ("Klempner ist Piet Abendroth", "Piet Abendroth hat gekündigt", "wer ist jetzt der Klempner"),
    ("El fontanero es Blas Abarca", "Blas Abarca se ha jubilado", "quién es ahora el fontanero"),
    ("Mon plombier est Luc Abadie", "Luc Abadie a déménagé", "qui est mon plombier maintenant"),
    ("Сантехник у нас Пётр Абросимов", "Пётр Абросимов уволился", "кто теперь сантехник"),
    ("水管师傅是欧阳建国", "欧阳建国退休了", "现在水管坏了找谁"),
    ("水道屋は阿部川建三さん", "阿部川建三さんは引退した", "今の水道屋は誰"),
]


@for_each(("before", "after", "asked"), SUCCEEDED)
def test_successor_is_found_by_the_name_that_it_shares(before: str, after: str, asked: str) -> None:
    older = candidate(before, score=1.0, days_ago=90)
    assert ordered(older, asked=asked, further=(said(after, ts=NOW - DAY),)) == [after, before]


def test_successor_that_may_not_be_searched_is_not_found() -> None:
    before, after, asked = SUCCEEDED[0]
    older, later = candidate(before, score=1.0, days_ago=90), said(after, ts=NOW - DAY)
    only = SearchFilter(until=NOW - 2 * DAY)
    assert ordered(older, asked=asked, further=(later,), only=only) == [before]


def test_later_memory_with_the_same_name_is_no_successor_without_a_word_of_change() -> None:
    before, _, asked = SUCCEEDED[0]
    later = said("Piet Abernathy whistles while he works", ts=NOW - DAY)
    older = candidate(before, score=1.0, days_ago=90)
    assert ordered(older, asked=asked, further=(later,)) == [before]


def test_names_of_the_speakers_link_nothing() -> None:
    older = candidate("Ana and Sol chose the red tent", score=1.0, days_ago=90)
    later = said("Ana and Sol have moved", ts=NOW - DAY)
    assert ordered(older, asked="which tent now", further=(later,)) == [older.memory.id]


def test_likeliest_of_two_newer_versions_comes_first() -> None:
    middle = candidate("The chess club meets on Mondays now", score=0.6, days_ago=40)
    latest = candidate(NEW, score=0.9, days_ago=5)
    old = candidate(OLD, score=1.0, days_ago=90)
    assert ordered(old, latest, middle)[0] == NEW


MOVED_OP = "They moved my eye again, 6 May at eight"


def test_question_for_a_time_prefers_a_change_with_a_time() -> None:
    old = candidate("The operation is on 29 April", score=1.0, days_ago=90)
    new = candidate(MOVED_OP, score=0.55, days_ago=5)
    assert ordered(old, new, asked="which day is my operation")[0] == MOVED_OP


def test_question_for_another_thing_keeps_a_change_with_a_time_behind() -> None:
    old = candidate("The operation is on 29 April", score=1.0, days_ago=90)
    new = candidate(MOVED_OP, score=0.55, days_ago=5)
    assert ordered(old, new, asked="who does my operation")[0] == old.memory.id


def test_japanese_endings_link_no_memories() -> None:
    old = candidate("夫は名古屋から帰れなくなって", score=1.0, days_ago=90)
    new = candidate("猫が食べなくなって、今は点滴です", score=0.55, days_ago=5)
    assert ordered(old, new, asked="夫はどこですか")[0] == old.memory.id
