"""A fact told long ago: asked in the same chat beyond the window, and in a new chat."""

from dataclasses import dataclass

from . import talk
from .report import Report
from .running import Running
from .sandbox import MAX_NEW, WINDOW, Route
from .speakers import ApiSpeaker, PageSpeaker, Speaker


@dataclass(frozen=True, slots=True)
class Distance:
    """The amount of other conversation in between; fewer turns are longer ones."""

    turns: int
    remarks: int


FAR = Distance(turns=60, remarks=2)
FAR_IN_FEWER_TURNS = Distance(turns=30, remarks=5)
_NEW_CHAT = "(a) asked in a new chat"


def _same_chat(distance: Distance) -> str:
    return f"(b) asked {distance.turns} turns later in the same chat"


def by_page(speaker: PageSpeaker, host: Running, report: Report) -> dict[str, str]:
    """All modes by page; returns the prompt of each mode's question in the same chat.

    Without the extension nothing is checked: it is the talk to compare with.
    """
    prompts = {}
    for mode in talk.MODES:
        distance = FAR if mode == "chat" else FAR_IN_FEWER_TURNS
        where = (host.sandbox.route, mode, "page")
        with report.case(_same_chat(distance), *where):
            speaker.page.choose_mode(mode)
            speaker.new_chat()
            asked = tell_and_ask(speaker, mode, distance)
            prompts[mode] = host.sandbox.prompts()[-1]
            if host.sandbox.route is not Route.ABSENT:
                check_prompt(prompts[mode], asked, talk.SAME_CHAT[mode], host)
        with report.case(_NEW_CHAT, *where):
            ask_in_new_chat(speaker, mode, host)
    return prompts


def by_api(speaker: ApiSpeaker, mode: str, host: Running, report: Report) -> None:
    where = (host.sandbox.route, mode, "API")
    with report.case(_same_chat(FAR), *where):
        asked = tell_and_ask(speaker, mode, FAR)
        check_prompt(host.sandbox.prompts()[-1], asked, talk.SAME_CHAT[mode], host)
        speaker.said.pop()
        without_us = speaker.prompt_without_us(asked)
        assert talk.SAME_CHAT[mode].answer not in without_us, "the fact had not left the window"
    with report.case(_NEW_CHAT, *where):
        ask_in_new_chat(speaker, mode, host)


def tell_and_ask(speaker: Speaker, mode: str, distance: Distance) -> str:
    """Returns the question as it was sent."""
    speaker.say(talk.SAME_CHAT[mode].told)
    speaker.say(talk.NEW_CHAT[mode].told)
    for number in range(distance.turns):
        speaker.say(talk.other_talk(number, remarks=distance.remarks))
    return speaker.say(talk.SAME_CHAT[mode].question)


def ask_in_new_chat(speaker: Speaker, mode: str, host: Running) -> None:
    speaker.new_chat()
    fact = talk.NEW_CHAT[mode]
    asked = speaker.say(fact.question)
    if host.sandbox.route is not Route.ABSENT:
        check_prompt(host.sandbox.prompts()[-1], asked, fact, host)


def check_prompt(prompt: str, asked: str, fact: talk.Fact, host: Running) -> None:
    """The prompt holds the fact and the user's whole words and leaves room to answer."""
    assert fact.answer in prompt, f"{fact.answer!r} is not in the prompt: …{prompt[-1500:]}"
    assert prompt.count(asked) == 1, f"the user's words stand there {prompt.count(asked)} times"
    tokens, room = host.count_tokens(prompt), WINDOW - MAX_NEW
    assert tokens <= room, f"the prompt has {tokens} tokens, there is room for {room}"
