"""The strategies for what a chat said before the messages that its prompt shows."""

from pathlib import Path

import pytest

from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.server.library.chat_thread import MemoryChat
from memory_core.server.library.offline_api import OfflineAPI
from tests.server.library.conftest import WORDS_ALONE, sent

BEES = "Helena keeps forty bees in Porto."
HONEY = "She sells the honey of Porto's markets to twelve hotels."
QUESTION = "What does Helena keep in Porto?"
EARLIER = "earlier in this chat"


def settings_for(strategy: str) -> dict[str, object]:
    own = {"ltm_context.strategy": strategy, "ltm_context.summary_sessions": 0}
    return {**WORDS_ALONE, **own, "backend.recent_turns": 2}


def open_long_chat(folder: Path, llm: ScriptedLLM, strategy: str) -> MemoryChat:
    chat = MemoryChat(
        folder, user="ana", character="Mira", settings=settings_for(strategy), llm=llm
    )
    chat.chat(BEES)
    for number in range(6):
        chat.chat(f"On day {number} we planted tree {number}.")
    return chat


@pytest.mark.parametrize(
    ("strategy", "sums_up", "recalls"),
    [
        ("sliding_window", False, False),
        ("summarize", True, False),
        ("retrieve", False, True),
        ("combined", True, True),
    ],
)
def test_strategy_decides_what_stored_older_messages_become(
    tmp_path: Path, strategy: str, sums_up: bool, recalls: bool
) -> None:
    # An answer that only repeats the message would be left out beside it.
    llm = ScriptedLLM(lambda turns: HONEY if BEES in turns[-1].text else "Fine.")
    with open_long_chat(tmp_path, llm, strategy) as chat:
        found = chat.chat_with_memory(QUESTION).retrieved
        prompt = sent(llm)
        recalled = [row["turn_id"] for row in (*found["replay"], *found["summary_only"])]
    assert (EARLIER in prompt) == sums_up
    assert (1 in recalled) == recalls
    assert "we planted tree 5" in prompt


def test_other_conversations_are_recalled_with_every_strategy(
    tmp_path: Path, llm: ScriptedLLM
) -> None:
    with open_long_chat(tmp_path, llm, "sliding_window") as chat:
        chat.start_over()
        chat.chat(QUESTION)
    assert BEES in sent(llm)


def test_first_message_asked_again_is_no_older_message(tmp_path: Path, llm: ScriptedLLM) -> None:
    with OfflineAPI(tmp_path, settings=settings_for("summarize"), llm=llm) as api:
        api.chat("ana", "one", BEES)
        api.chat("ana", "one", BEES, recent_turns=0)
    assert EARLIER not in sent(llm)
