"""Questions without an answer are split off; whatever tells something stays.

Tests of repeated questions: repeats come after memories that may say more.
"""

from collections.abc import Sequence

from memory_core.domain.records import Memory, MemoryKind
from memory_core.recall.earlier_questions import demote_repeats, split_unanswered
from memory_core.recall.gate import ScoreGate
from memory_core.recall.pipeline import Pipeline, RecallLimits
from memory_core.recall.query import Query
from memory_core.recall.rerank import RerankByScore
from memory_core.recall.results import Candidate, DropReason, Form
from tests.builders import NOW, added, said, user_sides
from tests.cases import for_each
from tests.recall.searching import recalled
from tests.storage.index.in_memory.store import InMemoryStore


@for_each(
    ("text", "asked", "answer"),
    [
        ("where do I live now?", "where do I live", ""),
        ("what's my dog called", "whats the name of my dog", "No idea, sorry!"),
        ("what's my dog called", "what's my dog called", "I'm not sure you ever told me. Do you?"),
        ("do i have a pet", "do i have pets", "Not that I know of."),
        ("what am I allergic to", "what am I allergic to?", "*shrugs* I can't recall it, sweetie."),
        ("what's my dog called", "what breed is my dog", "I don't know that."),
        ("where did I live before?", "where do I live", "Okay."),
        ("wo habe ich früher gewohnt", "wo wohne ich", "Verstanden."),
        ("what pets do i have", "Do I have a pet?", "I don't think you ever mentioned one!"),
        ("wo wohne ich jetzt", "wo wohne ich", "Das weiß ich leider nicht."),
        ("wie heißt mein Hund", "wie heißt mein Hund", "Keine Ahnung, wie heißt er denn?"),
        ("¿dónde vivo ahora?", "dónde vivo", "No lo sé."),
        ("我现在住在哪里？", "我住在哪里", "我不知道。"),
        ("我的狗叫什么名字来着", "我的狗叫什么", "我不太清楚，你告诉我吧？"),
    ],
)
def test_question_that_got_no_answer_is_split_off(text: str, asked: str, answer: str) -> None:
    echo, told = _candidate(asked, answer), _candidate("We moved to Oslo.", "Oh!")
    left, dropped = split_unanswered(text, [echo, told])
    assert left == [told]
    assert [(drop.candidate, drop.reason) for drop in dropped] == [(echo, DropReason.GATE)]


@for_each(
    ("asked", "answer"),
    [
        ("where do I live", "In Oslo, since March."),
        ("where do I live", "I'm not sure, but I think in Oslo."),
        ("where do I live", "I don't know, was it not Oslo?"),
        ("where do I live", "I can't see the house, only number 14."),
        ("did I say that my brother Tom got married in Bergen?", "No."),
        ("I live in Oslo", ""),
        ("Oslo is where I live.", "I did not know!"),
        ("where do I live? I moved to Oslo", "I do not know."),
        ("Did you know that I live in Oslo?", "No, I did not know that!"),
        ("was I living in Bergen", "I can't remember that."),
        ("what's up, I live in Bergen", "I don't know what to say."),
        ("What's up? Do you know I live in Bergen?", "I did not know that!"),
        ("Do I live alone?", "No, you don't live by yourself."),
        ("Do I live here?", "No, you never live here."),
        ("我一个人住吗？", "你不是一个人住。"),
        ("", "I do not live here."),
    ],
)
def test_exchange_that_tells_something_stays(asked: str, answer: str) -> None:
    found = [_candidate(asked, answer), _candidate("I like tea", "Oh!")]
    assert split_unanswered("where do I live now?", found) == (found, [])


def test_memory_that_is_no_exchange_stays() -> None:
    memory = Memory(id="note", kind=MemoryKind.DIARY, text="where do I live now?")
    note = Candidate(memory=memory, score=1.0)
    assert split_unanswered("where do I live now?", [note]) == ([note], [])


def _candidate(user: str, assistant: str) -> Candidate:
    exchange = said(user, assistant)
    memory = Memory(id=user, kind=MemoryKind.EXCHANGE, text=user, exchange=exchange)
    return Candidate(memory=memory, score=1.0)


ASKS = "Where does my sister Ida keep her bees?"
TOLD = "My sister Ida keeps her bees in Bergen."
_ANSWER = "Ask Nora."
SIZES = RecallLimits(candidates=60, replay=2, lines=2)


def ordered(text: str, *users: str, scores: Sequence[float] = ()) -> list[str]:
    candidates = [
        Candidate(
            memory=Memory(
                id=str(index), kind=MemoryKind.EXCHANGE, text=user, exchange=said(user, _ANSWER)
            ),
            score=score,
        )
        for index, (user, score) in enumerate(zip(users, scores or [1.0] * len(users), strict=True))
    ]
    return user_sides(candidate.memory for candidate in demote_repeats(text, candidates))


def test_first_repeat_keeps_its_place_and_others_go_last() -> None:
    again = "So where does my sister Ida keep her bees?"
    other = "The bees are loud"
    found = ordered(ASKS, again, ASKS, TOLD, ASKS, other)
    assert found == [again, TOLD, other, ASKS, ASKS]


def test_statement_comes_before_the_third_question_like_the_message() -> None:
    asked = [f"Where does my sister Ida keep her {what} bees?" for what in ("old", "new", "wild")]
    assert ordered(ASKS, *asked, TOLD, "The bees are loud") == [
        *asked[:2],
        TOLD,
        asked[2],
        "The bees are loud",
    ]


def test_other_memory_stays_behind_questions_that_fit_far_better() -> None:
    asked = [f"Where does my sister Ida keep her {what} bees?" for what in ("old", "new", "wild")]
    assert ordered(ASKS, *asked, TOLD, scores=[1.0, 0.9, 0.9, 0.5]) == [*asked, TOLD]


@for_each(
    "user",
    [
        TOLD,
        "Does my sister Ida keep her bees in Bergen?",
        "Where does my sister Ida keep her hens?",
        "Where does my sister live?",
        "Why is that old harbour so loud today?",
        "My sister Ida, my sister Ida, Ida!",
        f"{ASKS} {'I ask since the honey is gone and the winter is long. ' * 3}",
        "",
    ],
)
def test_message_that_says_anything_else_is_no_repeat(user: str) -> None:
    assert ordered(ASKS, ASKS, user, "hm") == [ASKS, user, "hm"]


def test_repeat_is_recognised_in_scripts_without_blanks() -> None:
    asks, again, told = "我的狗叫什么名字？", "我的狗叫什么名字呀？", "我的狗名字叫小黑。"
    assert ordered(asks, asks, again, told) == [asks, told, again]


def test_repeat_of_a_long_message_may_have_one_more_word() -> None:
    long = (
        "Which gate of the old harbour opens first? I wonder because the market people, the ferry "
        "crew and two cousins from the mountains arrive before breakfast. Answer quickly"
    )
    assert ordered(long, f"{long} 1", f"{long} 2", TOLD) == [f"{long} 1", TOLD, f"{long} 2"]


def test_chinese_repeats_are_recognised() -> None:
    asks, told = "我妹妹的蜜蜂养在哪里？", "我妹妹的蜜蜂养在卑尔根。"
    assert ordered(asks, asks, asks, told) == [asks, told, asks]


def test_note_or_message_without_words_is_no_repeat() -> None:
    note = Candidate(memory=Memory(id="n", kind=MemoryKind.KNOWLEDGE, text=ASKS), score=1.0)
    assert demote_repeats(ASKS, [note, note]) == [note, note]
    assert ordered("?!", "?!", "!?") == ["?!", "!?"]


def answered(text: str, *pairs: tuple[str, str]) -> list[tuple[str, str]]:
    candidates = [
        Candidate(
            memory=Memory(
                id=str(index),
                kind=MemoryKind.EXCHANGE,
                text=f"{user}\n{assistant}",
                exchange=said(user, assistant),
                ts=float(index),
            ),
            score=1.0,
        )
        for index, (user, assistant) in enumerate(pairs)
    ]
    found = [candidate.memory.exchange for candidate in demote_repeats(text, candidates)]
    return [(exchange.user, exchange.assistant) for exchange in found if exchange]


@for_each(
    ("asks", "nothing", "told"),
    [
        (ASKS, "I'm sorry, I don't know where she keeps them.", TOLD),
        (ASKS, "You never told me about that. Where are her bees?", TOLD),
        (ASKS, "I found nothing that fits. What you have just told me, I will remember.", TOLD),
        (ASKS, "Your sister Ida keeps her bees in Bergen.", TOLD),
        (ASKS, "", TOLD),
        ("What is my name?", "I have no idea, sorry!", "My name is Ana."),
        ("Wie heißt mein Hund?", "Das weiß ich leider nicht.", "Mein Hund heißt Bello."),
        ("Comment s'appelle mon chien ?", "Je ne sais pas, désolée.", "Mon chien est Médor."),
        ("¿Cómo se llama mi perro?", "No lo sé, lo siento.", "Mi perro se llama Toby."),
        ("Как зовут мою собаку?", "К сожалению, я не знаю.", "Мою собаку зовут Шарик."),
        ("我的狗叫什么名字？", "对不起，我不知道。", "我的狗名字叫小黑。"),
        ("私の犬の名前は何ですか？", "すみません、わかりません。", "私の犬の名前はポチです。"),
    ],
)
def test_repeat_answered_with_nothing_comes_after_the_real_answer(
    asks: str, nothing: str, told: str
) -> None:
    fact, other = (told, "How nice!"), ("It rains a lot.", "Take an umbrella.")
    found = answered(asks, (asks, nothing), fact, (asks, nothing), other)
    assert found == [fact, other, (asks, nothing), (asks, nothing)]


def test_repeat_with_an_answer_of_its_own_keeps_its_place() -> None:
    pairs = ((ASKS, "On a roof in Bergen."), ("It rains a lot in spring.", "Take an umbrella."))
    assert answered(ASKS, *pairs) == list(pairs)


def test_list_of_other_memories_is_no_answer_of_its_own() -> None:
    facts = [(TOLD, "Nice."), ("The bees of my sister are called Buzz and Hum.", "Sweet!")]
    listed = "Your sister Ida keeps bees in Bergen. Your sister's bees: Buzz, Hum."
    assert answered(ASKS, (ASKS, listed), *facts) == [*facts, (ASKS, listed)]


def test_answer_is_the_matching_side_of_a_repeat() -> None:
    store = InMemoryStore()
    store.apply([added(1, "id1", said(ASKS, "Up in Bergen."))], {})
    gate = ScoreGate(min_score=0.0, min_letters=1)
    pipeline = Pipeline(gate=gate, reranker=RerankByScore(), sizes=SIZES)
    (kept,) = recalled(pipeline, store, Query(text=ASKS)).kept
    assert kept.candidate.matching_side == 1


def test_commands_and_recited_memories_are_not_recalled() -> None:
    store = InMemoryStore()
    recited = "Here is what I remember about Ida:\n\n- Ida keeps bees.\n- Ida lives in Bergen."
    talk = [("/memories Ida", "Ida keeps bees."), ("", recited), ("Ida is my sister.", recited)]
    store.apply([added(index, f"id{index}", said(*sides)) for index, sides in enumerate(talk)], {})
    pipeline = Pipeline(
        gate=ScoreGate(min_score=0.0, min_letters=1), reranker=RerankByScore(), sizes=SIZES
    )
    found = recalled(pipeline, store, Query(text="Ida"))
    assert [(recalled.memory.id, recalled.form) for recalled in found.kept] == [("id2", Form.LINE)]
    assert {drop.candidate.memory.id: drop.reason for drop in found.dropped} == {
        "id0": DropReason.STALE,
        "id1": DropReason.STALE,
    }


def test_statement_is_replayed_however_often_the_question_was_repeated() -> None:
    store = InMemoryStore()
    talk = [TOLD, *[ASKS] * 7]
    lines = [
        added(number, f"id{number}", said(text, f"Hm, {number}", ts=NOW + number))
        for number, text in enumerate(talk, start=1)
    ]
    store.apply(lines, {})
    gate = ScoreGate(min_score=0.0, min_letters=1)
    pipeline = Pipeline(gate=gate, reranker=RerankByScore(), sizes=SIZES)
    kept = recalled(pipeline, store, Query(text=ASKS)).kept
    replayed = user_sides(recalled.memory for recalled in kept if recalled.form is Form.REPLAY)
    assert replayed == [ASKS, TOLD]


@for_each(
    ("asks", "told"),
    [
        ("Am I allergic to peanuts?", "I am allergic to peanuts."),
        ("Does Bruno eat chicken?", "Bruno does not eat chicken."),
        ("我们下周的会议是周一还是周二？", "我们下周的会议是周二"),
    ],
)
def test_statement_in_the_words_of_the_question_is_no_repeat(asks: str, told: str) -> None:
    assert ordered(asks, asks, told, "hm") == [asks, told, "hm"]


def test_latest_repeat_stays_because_its_answer_may_differ() -> None:
    echoes = [
        Candidate(
            memory=Memory(
                id=f"e{index}",
                kind=MemoryKind.EXCHANGE,
                text=ASKS,
                exchange=said(ASKS, _ANSWER),
                ts=ts,
            ),
            score=1.0,
        )
        for index, ts in enumerate((1.0, 3.0, 2.0))
    ]
    other = Candidate(memory=Memory(id="o", kind=MemoryKind.DIARY, text="bees"), score=0.5)
    found = demote_repeats(ASKS, [*echoes, other])
    assert [exchange.memory.id for exchange in found] == ["e0", "o", "e1", "e2"]
    alone = demote_repeats(ASKS, echoes[:2])
    assert [echo.memory.id for echo in alone] == ["e0", "e1"]
    assert {echo.matching_side for echo in alone} == {1}, "the answer is shown"
