"""Questions without an answer are split off; whatever tells something stays."""

from memory_core.domain.records import Memory, MemoryKind
from memory_core.recall.results import Candidate, DropReason
from memory_core.recall.unanswered_questions import split_unanswered
from tests.builders import said
from tests.cases import for_each


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
