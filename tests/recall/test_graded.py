"""Tests of the amount of recall: nothing, a few short lines, or all that fits."""

import pytest

from memory_core.config.schema import RecallSettings
from memory_core.domain.records import Memory, MemoryKind
from memory_core.recall.certainty import certainty, features
from memory_core.recall.gate import ScoreGate
from memory_core.recall.pipeline import Pipeline, RecallLimits
from memory_core.recall.query import Query, local_time
from memory_core.recall.rerank import RerankByScore
from memory_core.recall.results import Candidate, DropReason, Form, NeedFeatures, Recall
from memory_core.storage.log.events import Event, EventType
from tests.builders import NOW, added, said
from tests.cases import for_each
from tests.recall.searching import recalled
from tests.storage.index.in_memory.store import InMemoryStore

TOLD = [
    "My dog Bruno barks at the postman",
    "The dog hates thunder and hides under the bed",
    "We bought the dog a new red lead",
    "The vet says the dog is too fat",
    "My dog swam across the lake",
    "The dog ate my left shoe",
    "I washed the dog in the bath",
    "The dog sleeps on the sofa",
    "A stranger fed my dog sausages",
]

WEEK_S = 7 * 86_400.0
PIPELINE = Pipeline(
    gate=ScoreGate(min_score=0.1, min_letters=1, min_need=0.0, full_need=0.0),
    reranker=RerankByScore(),
    sizes=RecallLimits(candidates=60, replay=2, lines=6),
)


def recall(
    text: str,
    *,
    min_need: float,
    full_need: float,
    sticky: dict[str, float],
    shown: frozenset[str] = frozenset(),
) -> Recall:
    store = InMemoryStore()
    lines = [
        added(number, f"id{number}", said(text), log=f"log{number}")
        for number, text in enumerate(TOLD, start=1)
    ]
    store.apply([*lines, added(20, "tea", said("I drink jasmine tea"), log="tea")], {})
    gate = ScoreGate(min_score=0.1, min_letters=1, min_need=min_need, full_need=full_need)
    pipeline = Pipeline(
        gate=gate, reranker=RerankByScore(), sizes=RecallLimits(candidates=60, replay=2, lines=6)
    )
    query = Query(text=text, carried_over_scores=sticky, shown_keys=shown, now=local_time(NOW))
    return recalled(pipeline, store, query)


def as_shipped(text: str, sticky: dict[str, float] | None = None) -> Recall:
    shipped = RecallSettings()
    return recall(text, min_need=shipped.min_need, full_need=shipped.full_need, sticky=sticky or {})


def test_clear_question_gets_replays_and_lines() -> None:
    found = as_shipped("which dog of mine hid under the bed, and which barks at the postman?")
    assert [recalled.form for recalled in found.kept[:3]] == [Form.REPLAY, Form.REPLAY, Form.LINE]


def test_exchange_that_fits_far_worse_than_the_best_is_no_replay() -> None:
    found = as_shipped("which dog of mine ate my left shoe?")
    assert [recalled.form for recalled in found.kept[:2]] == [Form.REPLAY, Form.LINE]


@for_each(
    ("told", "is_answer"),
    [("The dog ate my left shoe", True), ("The dog sleeps on the sofa", False)],
)
def test_memories_far_worse_than_what_the_chat_shows_are_few(told: str, is_answer: bool) -> None:
    asked, shown = "which dog of mine ate my left shoe?", frozenset({said(told).key})
    found = recall(asked, min_need=0.0, full_need=0.0, sticky={}, shown=shown)
    assert (len(found.kept) == 3) == is_answer
    assert (Form.REPLAY in [recalled.form for recalled in found.kept]) == (not is_answer)
    reason = "the chat shows what fits far better: only 3 are recalled"
    assert (reason in {drop.detail for drop in found.dropped}) == is_answer


@for_each(
    ("told", "amount"),
    [
        ("I must take the dog to the dentist on december 3rd at 10:15", 3),
        ("When did I take the dog to the dentist, was it december 3rd?", 8),
        ("On december 3rd a stranger fed my dog sausages again", 8),
    ],
)
def test_news_of_a_day_that_no_memory_fits_gets_few_lines(told: str, amount: int) -> None:
    found = recall(told, min_need=0.0, full_need=0.01, sticky={})
    assert len(found.kept) == amount


def test_note_in_the_system_block_makes_other_memories_no_fewer() -> None:
    store = InMemoryStore()
    note = {"text": "My sister Ida lives in Berlin", "kind": MemoryKind.KNOWLEDGE.value}
    told = added(2, "told", said("She said that the flat was too loud"))
    store.apply([Event(seq=1, op=EventType.NOTE, id="note", ts=None, fields=note), told], {})
    query = Query(
        text="what did my sister Ida say about Berlin?", in_system_block=frozenset({"note"})
    )
    found = recalled(PIPELINE, store, query)
    (drop,) = (drop for drop in found.dropped if drop.reason is DropReason.SHOWN)
    assert found.kept[0].candidate.score < 0.5 * drop.candidate.score
    assert [one.form for one in found.kept] == [Form.REPLAY]


@for_each(("shown_at", "form"), [(NOW, Form.REPLAY), (NOW - WEEK_S, Form.LINE)])
def test_exchange_of_another_date_makes_other_memories_no_fewer(
    shown_at: float, form: Form
) -> None:
    store, shown = InMemoryStore(), said("I made lasagna for the kids", ts=shown_at)
    told = said("We went to the lake", ts=NOW - WEEK_S)
    store.apply([added(1, "shown", shown), added(2, "told", told, log="old")], {})
    text = "what did I do with the lasagna on 14 September 2026?"
    query = Query(text=text, now=local_time(NOW), shown_keys=frozenset({shown.key}))
    assert [one.form for one in recalled(PIPELINE, store, query).kept] == [form]


def test_lines_after_the_three_best_are_brief() -> None:
    found = recall("the dog", min_need=0.0, full_need=0.0, sticky={})
    assert [recalled.is_brief for recalled in found.kept] == [False] * 3 + [True] * 5


@for_each("text", ["ok thanks", "lol", "good night", "哈哈好的"])
def test_small_talk_gets_nothing(text: str) -> None:
    assert as_shipped(text).kept == ()


def test_question_about_the_speaker_gets_lines_of_its_topic() -> None:
    found = as_shipped("am I a pet owner")
    assert [recalled.form for recalled in found.kept] == [Form.LINE] * 3


@for_each("text", ["how do I train pets?", "pets are funny", "do I need a coat?"])
def test_advice_statement_and_unknown_topic_get_nothing(text: str) -> None:
    assert as_shipped(text).kept == ()


def test_doubtful_message_gets_half_of_the_lines_and_no_replay() -> None:
    found = recall("what about the dog", min_need=0.0, full_need=1.0, sticky={})
    assert [recalled.form for recalled in found.kept] == [Form.LINE] * 3
    assert all(recalled.is_brief for recalled in found.kept)
    assert {dropped.reason for dropped in found.dropped} == {DropReason.GATE}


def test_small_talk_drops_memories_carried_over_from_an_earlier_message() -> None:
    assert as_shipped("ok thanks", sticky={"tea": 1.5}).kept == ()


def test_carried_over_memory_comes_after_all_direct_hits() -> None:
    found = recall("the dog", min_need=0.0, full_need=0.0, sticky={"tea": 1.5, "id9": 1.5})
    direct = [recalled for recalled in found.kept if recalled.is_direct]
    assert len(direct) == 8, "it took the place of none"
    assert all(recalled.memory.id != "tea" for recalled in found.kept)


def test_carried_over_memory_takes_a_place_without_a_direct_hit() -> None:
    found = recall("thunder", min_need=0.0, full_need=0.0, sticky={"tea": 1.5})
    assert [(recalled.memory.id, recalled.is_direct) for recalled in found.kept] == [
        ("id2", True),
        ("tea", False),
    ]
    assert found.kept[-1].form is Form.LINE


def evidence(*, trust: float) -> NeedFeatures:
    return NeedFeatures(share=0.4, found=1.0, is_known=True, trust=trust)


def candidates(text: str) -> list[Candidate]:
    memory = Memory(id="a", kind=MemoryKind.KNOWLEDGE, text=text)
    return [Candidate(memory=memory, score=0.9, parts={"words": 0.6, "turn": 0.3})]


def test_certainty_is_mixed_when_the_embedder_is_half_trusted() -> None:
    query, found = Query(text="what does the dog eat"), candidates("The dog eats everything")
    sure = [certainty(query, evidence(trust=trust), found) for trust in (0.0, 0.5, 1.0)]
    assert min(sure[0], sure[2]) <= sure[1] <= max(sure[0], sure[2])
    assert sure[1] == pytest.approx((sure[0] + sure[2]) / 2)


def test_message_about_the_very_day_of_a_memory_is_more_certain() -> None:
    memory = Memory(id="a", kind=MemoryKind.KNOWLEDGE, text="Grandad's operation is on the 18th")
    now = local_time(NOW)
    told = (
        ("is anything on the 18th?", 1.0),
        ("y se passe quoi le 18", 1.0),
        ("see you Monday", 0.0),
    )
    for text, is_on_the_day in told:
        query, parts = Query(text=text, now=now), {"happened_at": 0.7}
        found = [Candidate(memory=memory, score=0.7, parts=parts)]
        assert features(query, evidence(trust=0.0), found)["on_the_day"] == is_on_the_day


def test_short_message_is_judged_in_the_language_of_the_memories() -> None:
    nothing = NeedFeatures(share=0.0, found=0.0)
    memory = Memory(id="a", kind=MemoryKind.KNOWLEDGE, text="Meine Schwester wohnt in Bonn und ist")
    german = [Candidate(memory=memory, score=0.0)]
    short = Query(text="danke dir")
    assert features(short, nothing, german)["cue"] < features(short, nothing, [])["cue"]


def test_question_with_half_of_its_words_known_gets_lines_unless_it_is_small_talk() -> None:
    found = NeedFeatures(share=0.3, found=1.0)
    memory = Memory(id="a", kind=MemoryKind.KNOWLEDGE, text="Neil from the quiz, 44, teaches maps")

    def needs_lines(text: str, words: float) -> bool:
        known = [Candidate(memory=memory, score=words, parts={"words": words})]
        return certainty(Query(text=text), found, known) >= RecallSettings().min_need

    assert needs_lines("how old is neil?", 0.6)
    assert not needs_lines("how old is neil?", 0.4)
    assert not needs_lines("lol what a night, right?", 0.6)


def test_message_with_a_known_title_gets_lines() -> None:
    nothing = NeedFeatures(share=0.0, found=0.0)
    memory = Memory(id="a", kind=MemoryKind.KNOWLEDGE, text="下一本书叫《红纸白窗》")
    known = [Candidate(memory=memory, score=0.1)]
    shipped = RecallSettings().min_need
    assert certainty(Query(text="给《红纸白窗》写一句文案"), nothing, known) >= shipped
    assert certainty(Query(text="给《白窗红纸》写一句文案"), nothing, known) < shipped


def test_question_about_somebody_known_gets_more_than_a_statement() -> None:
    covered = NeedFeatures(share=0.0, found=0.0, covered=1.0)
    memory = Memory(id="a", kind=MemoryKind.KNOWLEDGE, text="my boss is called gary")
    known, shipped = [Candidate(memory=memory, score=0.1)], RecallSettings()
    assert certainty(Query(text="who is gary"), covered, known) >= shipped.full_need
    told = certainty(Query(text="gary yelled at us"), covered, known)
    assert shipped.min_need <= told < shipped.full_need
    assert certainty(Query(text="who is larry"), covered, known) < shipped.min_need


@for_each(
    ("message", "told", "is_known"),
    [
        ("I felt dizzy again this morning.", "the tablets make me dizzy", True),
        ("mir ist schon wieder schwindlig", "von den tabletten wird mir schwindlig", True),
        ("胃又疼了", "胃疼，医生说胃溃疡", True),
        ("I felt dizzy this morning.", "the tablets make me dizzy", False),
        ("it went well again", "it went so well today", False),
        ("see you again soon", "I see you like tulips", False),
        ("また明日ね", "明日は歯医者", False),
        ("my back is better", "my back's been killing me since friday", True),
        ("mein knie ist wieder dick", "ich war mit meinem knie beim arzt", True),
        ("mi rodilla va mejor", "me duele mi rodilla", True),
        ("my back is better", "i want to go back to my village", False),
        ("my day was long", "my day starts at six", False),
        ("mi piace tanto", "mi piace", False),
    ],
)
def test_statement_about_something_told_gets_lines(
    message: str, told: str, *, is_known: bool
) -> None:
    nothing = NeedFeatures(share=0.0, found=0.0)
    memory = Memory(id="a", kind=MemoryKind.KNOWLEDGE, text=told)
    known, shipped = [Candidate(memory=memory, score=0.1)], RecallSettings().min_need
    assert (certainty(Query(text=message), nothing, known) >= shipped) == is_known


def test_wish_to_change_the_subject_needs_no_memory_however_well_one_fits() -> None:
    memory = Memory(id="a", kind=MemoryKind.KNOWLEDGE, text="a bad job, can't talk about it")
    known = [Candidate(memory=memory, score=2.0, parts={"words": 2.0})]
    gate = ScoreGate(min_score=0.1, min_letters=1, min_need=0.5, full_need=0.55)

    def need(text: str) -> float:
        fitting = NeedFeatures(share=1.0, found=4.0, covered=1.0)
        return gate.keep(Query(text=text, need_features=fitting), known).need or 0.0

    assert need("can we talk about the job?") > 0.5
    assert need("can we talk about something else?") == 0.0


def test_certainty_without_candidates_is_small() -> None:
    nothing = NeedFeatures(share=0.0, found=0.0)
    assert certainty(Query(text="where is my umbrella"), nothing, []) < 0.5


def test_text_to_translate_gets_no_memory_that_shares_its_words() -> None:
    assert as_shipped("What did my dog Bruno swim across?").kept
    assert not as_shipped("Translate into German: my dog Bruno swam across the lake").kept


def test_request_for_another_style_gets_no_memory_that_shares_its_words() -> None:
    asked = "please say more about the dog Bruno and the thunder"
    assert as_shipped(asked).kept
    assert not as_shipped(f"{asked}, in shorter sentences").kept


def test_long_message_is_never_taken_for_mere_small_talk() -> None:
    nothing = NeedFeatures(share=0.0, found=0.0)
    short = features(Query(text="haha lol good night"), nothing, [])
    assert short["agreed"] < -2.0
    told = (
        "haha lol, catch, northman! I toss the wet flint into the cold fire and shiver good night"
    )
    assert features(Query(text=told), nothing, [])["agreed"] >= -2.0
