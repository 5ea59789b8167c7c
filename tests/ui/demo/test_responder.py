"""Answers in the demo: quotes of the memories in the prompt, or a language model."""

import time
from collections.abc import Sequence

import pytest

from memory_core.config.model_settings import BackendSettings
from memory_core.domain.errors import LLMUnavailable
from memory_core.domain.records import Exchange, Memory, MemoryKind, Role
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.text.prompt_fence import fence
from memory_core.ui.demo.demo_host import Message
from memory_core.ui.demo.message_matcher import PromptMemory
from memory_core.ui.demo.responder import MemoryResponder, MemoryState, ModelResponder
from tests.cases import for_each

JULY = time.mktime((2026, 7, 12, 12, 0, 0, 0, 0, -1))


class Holds:
    """The memories in a prompt, as somebody names them, and statements about the user."""

    def __init__(self, *given: PromptMemory, about: Sequence[str] = ()) -> None:
        self._given = given
        self._about = about

    def latest(self) -> Sequence[PromptMemory]:
        return self._given

    def about_user(self) -> Sequence[str]:
        return self._about


def turn(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def said(
    user: str,
    assistant: str = "",
    *,
    ts: float | None = JULY,
    is_of_asked_time: bool = False,
    fits_without_shared_words: bool = False,
    corrects: str = "",
) -> PromptMemory:
    exchange = Exchange(user=user, assistant=assistant, ts=ts)
    text = f"{user}\n{assistant}"
    return PromptMemory(
        memory=Memory(id=user, kind=MemoryKind.EXCHANGE, text=text, ts=ts, exchange=exchange),
        is_of_asked_time=is_of_asked_time,
        fits_without_shared_words=fits_without_shared_words,
        corrects=corrects,
    )


def note(text: str) -> PromptMemory:
    memory = Memory(id=text, kind=MemoryKind.KNOWLEDGE, text=text, ts=JULY)
    return PromptMemory(memory=memory, is_recalled=False)


def answer(question: str, *given: PromptMemory, chat: Sequence[Message] = ()) -> str:
    asked = [*chat, turn("user", question)]
    return "".join(MemoryResponder(given=Holds(*given)).reply(asked))


@pytest.mark.parametrize("asked", ["我对啥过敏来着", "我能不能吃芒果", "我过敏的水果是哪"])
def test_colloquial_chinese_question_is_answered_and_not_promised_to_be_remembered(
    asked: str,
) -> None:
    found = answer(asked, said("我对芒果过敏。", "记住了。"))
    assert "2026年7月12日，你告诉过我：“我对芒果过敏。”" in found
    assert "我会记住" not in found


def test_memory_with_a_related_word_is_quoted_before_one_with_an_everyday_word() -> None:
    found = answer(
        "Who looks after my teeth?",
        said("A bad tooth. She pulled it."),
        said("Big news. I quit.", "After all those tax rolls!"),
    )
    assert "you told me: “A bad tooth. She pulled it.”" in found
    assert "Big news" not in found


def test_the_best_memory_is_quoted_with_its_date_and_answer() -> None:
    found = answer(
        "What is the canoe called?",
        said("The canoe leaks a little."),
        said("My canoe is called Marguerite.", "A fine name."),
    )
    assert found.startswith("(No language model is configured. I looked through our past talks.)")
    quoted = (
        "On 12 July 2026 you told me: “My canoe is called Marguerite.” I answered: “A fine name.”"
    )
    assert quoted in found


def test_a_message_in_chinese_is_answered_in_chinese() -> None:
    found = answer("我对什么过敏？", said("我对芒果过敏。", "记住了。"))
    assert found.startswith("（没有配置语言模型")
    assert "2026年7月12日，你告诉过我：“我对芒果过敏。”" in found


def test_memories_that_share_few_words_with_the_question_are_not_quoted() -> None:
    found = answer(
        "Does the red canoe leak?",
        said("The red canoe is in the shed."),
        said("The canoe does leak, red or not."),
        said("A red cup."),
    )
    assert "I also remember: on 12 July 2026 you said “The red canoe is in the shed.”" in found
    assert "cup" not in found


def test_a_rare_word_counts_more_than_several_common_ones() -> None:
    found = answer(
        "When are we going to Norway?",
        said("It is going well, and we are going to the printer."),
        said("I plan a trip to Norway with Tom."),
    )
    assert "told me: “I plan a trip to Norway with Tom.”" in found


@for_each("asked", ["Where do I live", "Where do I live?"])
def test_an_earlier_question_without_an_answer_is_not_quoted(asked: str) -> None:
    found = answer("Where do I live now?", said(asked), said("I live in Oslo."))
    assert "told me: “I live in Oslo.”" in found


def test_a_memory_found_by_meaning_is_quoted_without_a_common_word() -> None:
    assert "Biscuit" in answer("How is your pet?", said("Biscuit slept on the sofa."))


def test_a_note_counts_as_remembered_if_it_shares_a_word() -> None:
    assert "Noted on 12 July 2026: “My canoe leaks.”" in answer(
        "Does the canoe leak?", note("My canoe leaks.")
    )
    assert "I found nothing that fits." in answer("Where is the shed?", note("My canoe leaks."))


def test_words_of_the_prompt_that_are_no_memory_are_never_quoted() -> None:
    block = fence("What Mira remembers of the canoe:\nToday is canoe day.")
    asked = f"{block}\n\nWhat do you remember of the canoe?"
    assert "I found nothing that fits." in answer(asked)


def test_a_memory_of_unknown_time_is_quoted_without_a_date() -> None:
    assert "On an unknown day you told me" in answer("The canoe?", said("My canoe leaks.", ts=None))


def test_responder_says_that_nothing_was_recalled() -> None:
    assert "I found nothing that fits." in answer("What is my canoe called?")


def test_responder_promises_nothing_while_paused() -> None:
    told, asked = turn("user", "My canoe leaks."), turn("user", "Does my canoe leak?")
    not_writing, not_recalling = MemoryState(writes=False), MemoryState(recalls=False)
    assert "I will not remember" in "".join(MemoryResponder(not_writing).reply([told]))
    assert "Recall is paused" in "".join(MemoryResponder(not_recalling).reply([asked]))


@for_each(
    ("told", "promised"),
    [("My canoe is called Marguerite.", "I will remember that."), ("我的船叫白鹭。", "我会记住")],
)
def test_statement_is_acknowledged_instead_of_searched_for(told: str, promised: str) -> None:
    found = answer(told, said("The canoe is in the shed."), said("船在河边。"))
    assert promised in found
    assert "shed" not in found
    assert "河边" not in found


def test_statement_reminds_of_somebody_it_names_and_not_of_its_own_words() -> None:
    found = answer(
        "Jo passed!!", said("Jo passed!!"), said("My cousin Jo wants to be a midwife."), said("Ok.")
    )
    assert (
        "I also remember: on 12 July 2026 you said “My cousin Jo wants to be a midwife.”" in found
    )
    assert "passed" not in found


@for_each(
    "message",
    [
        "movie night! your choice",
        "translate this: My canoe is called Marguerite.",
        "write a poem about my canoe",
        "the code of the shed please",
        "给我推荐一本书",
        "讲个笑话",
        "再给我唱首歌吧",
        "翻译成英文：我的船叫白鹭。",
        "shorter answers pls",
        "sorry, lets talk about something else",
        "*nods slowly*",
    ],
)
def test_remembering_is_not_promised_after_a_wish_or_a_gesture(message: str) -> None:
    found = answer(message)
    assert "remember" not in found
    assert "记住" not in found
    assert found.count("\n\n") == 1


def test_message_of_this_chat_with_one_shared_word_is_no_answer() -> None:
    told = said("I work as a nurse.", fits_without_shared_words=True)
    here = (turn("user", "the cat is alone while I work"), turn("assistant", "Poor cat."))
    found = answer("what do I do for work", told, chat=here)
    assert "Just now" not in found
    assert "you told me: “I work as a nurse.”" in found


@for_each("message", ["my boss asks what I'm allergic to", "she wants to know if I eat hazelnuts"])
def test_reported_question_is_answered(message: str) -> None:
    found = answer(message, said("I'm allergic to hazelnuts."))
    assert "you told me: “I'm allergic to hazelnuts.”" in found
    assert "I will remember" in answer(
        "I asked him what he eats", said("I'm allergic to hazelnuts.")
    )


@for_each("message", ["movie night! I bring the popcorn", "Jo passed!!", "I love movies"])
def test_remembering_is_promised_after_a_statement_beside_a_wish_or_alone(message: str) -> None:
    assert "I will remember that." in answer(message)


@for_each("message", ["im hungry", "what should I cook"])
def test_wish_is_answered_with_what_limits_it(message: str) -> None:
    limit = said("I'm allergic to hazelnuts.", fits_without_shared_words=True)
    found = answer(message, said("I cooked soup, hungry me."), limit)
    assert "I'm allergic to hazelnuts." in found
    assert "soup" not in found


def test_statement_reminds_of_a_memory_with_several_of_its_words() -> None:
    found = answer("My red canoe leaks.", said("The canoe is red."), said("A red cup."))
    assert "I also remember: on 12 July 2026 you said “The canoe is red.”" in found
    assert "cup" not in found


@for_each(("greeting", "invited"), [("Hi, how are you?", "Ask me about"), ("你好！", "可以问我")])
def test_greeting_invites_to_ask(greeting: str, invited: str) -> None:
    assert invited in answer(greeting, said("Hi, my canoe leaks."))


@for_each(
    ("told", "question", "quoted"),
    [
        (
            "My favourite colour is teal.",
            "What's my favourite colour?",
            "Just now you told me: “My favourite colour is teal.”",
        ),
        ("我最喜欢的颜色是蓝色。", "我喜欢什么颜色？", "刚才你告诉我：“我最喜欢的颜色是蓝色。”"),
    ],
)
def test_question_is_answered_from_the_chat_itself(told: str, question: str, quoted: str) -> None:
    chat = [turn("user", told), turn("assistant", "I see.")]
    assert quoted in answer(question, said("It was her favourite day."), chat=chat)


def test_question_is_answered_from_a_correction_in_the_chat() -> None:
    told = ("Steph moves to 14 Carline Mews.", "I will miss her.", "wait no, its 41 Carline Mews")
    chat = [turn("user", text) for text in told]
    assert "41 Carline Mews" in answer("Where does Steph move?", chat=chat)


def test_question_is_answered_from_a_corrected_number_in_the_chat() -> None:
    chat = [turn("user", text) for text in ("The code of the gate is 3307", "3370 sorry")]
    assert "3370 sorry" in answer("What is the code of the gate?", chat=chat)


def test_corrected_number_is_quoted_before_the_wrong_one() -> None:
    wrong = said("The code of the gate is 3307")
    right = said("3370 sorry", corrects=wrong.memory.id)
    quoted = answer("What is the code of the gate?", right, wrong)
    assert quoted.index("3370 sorry") < quoted.index("is 3307")
    found = said("Just moved into 12b on Cork Street", fits_without_shared_words=True)
    right = said("sorry 21b", corrects=found.memory.id)
    quoted = answer("what's my address", found, right)
    assert quoted.index("21b") < quoted.index("12b")


@for_each(
    "command", ["Please forget: milo", "请忘掉：milo", "What do you remember about this: milo"]
)
def test_command_of_this_chat_is_not_quoted(command: str) -> None:
    chat = [turn("user", command), turn("assistant", "Done.")]
    assert command not in answer("How old is milo?", said("milo is 4"), chat=chat)


def test_replayed_memory_is_not_quoted_as_just_said() -> None:
    leaks = said("My canoe leaks.", "A pity.")
    chat = [turn("user", "[2026-07-12] My canoe leaks."), turn("assistant", "A pity.")]
    found = answer("Does my canoe leak?", leaks, chat=chat)
    assert "Just now" not in found
    assert "On 12 July 2026 you told me: “My canoe leaks.”" in found


def test_question_that_names_a_time_is_answered_with_what_was_said_then() -> None:
    found = answer(
        "What did we talk about last week?",
        said("We had a good talk with Tom a week ago."),
        said("My canoe leaks.", is_of_asked_time=True),
    )
    assert "My canoe leaks." in found
    assert "Tom" not in found


def test_everyday_word_alone_makes_no_memory_fit() -> None:
    found = answer(
        "Did I ever mention a lighthouse?",
        said("My book is about lighthouses."),
        said("I have never ever made one."),
    )
    assert "lighthouses" in found
    assert "ever made" not in found


@for_each(
    "question",
    [
        *("What do you know about me?", "tell me about myself", "who am I"),
        *("你都知道我些什么？", "你记得我哪些事", "把你知道的我的事都说说", "我是谁"),
    ],
)
def test_question_about_everything_is_answered_with_statements_of_the_user(question: str) -> None:
    given = Holds(said("You know the canoe."), about=["I row.", "I am called Ana."])
    found = "".join(MemoryResponder(given=given).reply([turn("user", question)]))
    assert "- “I row.”\n- “I am called Ana.”" in found
    assert "the canoe" not in found


@for_each("question", ["What do you know about my boss?", "你知道我老板什么", "你记得我妹妹什么事"])
def test_question_about_somebody_else_is_not_one_about_everything(question: str) -> None:
    found = "".join(MemoryResponder(given=Holds(about=["I row."])).reply([turn("user", question)]))
    assert "I row." not in found


@for_each(
    ("notice", "spoken"),
    [
        ("The user asked to forget: tea — it has been forgotten.", "You asked me to forget: tea"),
        ("The user typed /remember without any text: nothing was saved.", "You typed /remember"),
        ("用户要求忘记：茶——已经忘记（1 条）。", "你要我忘记：茶"),
    ],
)
def test_notice_of_a_command_speaks_to_the_user(notice: str, spoken: str) -> None:
    assert spoken in answer(f"{fence(notice)}\n\nplease")


def test_an_earlier_quote_is_not_quoted_again() -> None:
    question = "What is the canoe called?"
    assert "you told me" not in answer(question, said(question, answer(question)))


def test_responder_quotes_the_message_but_not_its_own_answer() -> None:
    fact = "My canoe is called Marguerite."
    found = answer("What is the canoe called?", said(fact, answer(fact)))
    assert found.endswith("On 12 July 2026 you told me: “My canoe is called Marguerite.”")


def test_a_language_model_gets_the_messages_and_streams() -> None:
    llm = ScriptedLLM(["It leaks, as ever."])
    responder = ModelResponder(llm, BackendSettings(), timeout_s=1.0)
    pieces = list(responder.reply([turn("system", "You are Mira."), turn("user", "The canoe?")]))
    assert "".join(pieces) == "It leaks, as ever."
    assert len(pieces) > 1
    assert [(turn.role, turn.text) for turn in llm.asked[0]] == [
        (Role.SYSTEM, "You are Mira."),
        (Role.USER, "The canoe?"),
    ]


def test_model_that_returns_nothing_is_unavailable() -> None:
    class Silent(ScriptedLLM):
        def stream(self, *args: object, **kwargs: object):  # type: ignore[no-untyped-def,override]
            return iter(())

    responder = ModelResponder(Silent([]), BackendSettings(), timeout_s=1.0)
    with pytest.raises(LLMUnavailable):
        list(responder.reply([turn("user", "Hello?")]))


def test_list_of_memories_shows_no_ids() -> None:
    head = "The user asked what is remembered: 2 memories in all. The newest:"
    listed = fence(f"{head}\n1. 2026-07-12 Tea. [544044c0]\n2. Cake. [544044c1]")
    found = answer(f"{listed}\n\n/memories")
    assert found.endswith("2 memories in all. The newest:\n1. 2026-07-12 Tea.\n2. Cake.")


def test_silent_day_is_answered_with_its_notice_and_no_other_memory() -> None:
    notice = "Nothing that was said on Sunday, 29 November 2026, is stored."
    found = answer(f"{fence(notice)}\n\nwhat did I say yesterday", said("I bought a bike."))
    assert notice in found
    assert "bike" not in found
