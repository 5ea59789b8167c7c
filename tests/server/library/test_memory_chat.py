"""A chat with memory in a few lines of Python."""

import json
import os
import stat
from pathlib import Path

import pytest

import memory_core
from memory_core.domain.errors import ConfigError, LLMUnavailable, StorageFailed
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, Role
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.server.library.chat_thread import MemoryChat, TurnOptions
from memory_core.storage.contract import Page
from tests.builders import said as exchange_of
from tests.consolidation.servers import answers
from tests.forensics import leaks, words_needles
from tests.loopback import Answer, Asked, says_json, serve
from tests.server.library.conftest import WORDS_ALONE, sent
from tests.server.live_server import Scripted

HVAR = "We spent last summer on the island of Hvar with my sister Jelena."
QUESTION = "Where did we spend last summer with my sister?"
ANA = Namespace("ana", "Mira")


def open_chat(folder: Path, llm: ScriptedLLM | None, **options: str) -> MemoryChat:
    named = {"user": "ana", "character": "Mira"} | options
    return MemoryChat(folder, settings=WORDS_ALONE, llm=llm, **named)  # type: ignore[arg-type]


def stored(chat: MemoryChat, owner: Namespace = ANA) -> list[str]:
    found = chat.runtime.memory.latest(owner, Page(limit=100))
    return [memory.exchange.user for memory in found if memory.exchange]


def said(llm: ScriptedLLM) -> list[str]:
    """Returns the user's messages that the model got last."""
    return [turn.text for turn in llm.asked[-1] if turn.role is Role.USER]


def test_later_chat_recalls_an_earlier_one(tmp_path: Path, llm: ScriptedLLM) -> None:
    with open_chat(tmp_path, llm) as chat:
        assert chat.chat(HVAR) == f"You said: {HVAR}"
    with open_chat(tmp_path, llm) as chat:
        response = chat.chat_with_memory(QUESTION)
    assert "Hvar" in sent(llm)
    assert "Hvar" in response.meta_data["memories"]
    assert response.message.role == "assistant"
    found = [*response.retrieved["replay"], *response.retrieved["summary_only"]]
    assert len(found) == 1
    assert response.retrieved["stored"] is True


@pytest.mark.parametrize(
    ("name", "advice"), [("a\0b", "NUL"), ("a" * 300, "shorter"), ("dangling", "broken link")]
)
def test_folder_that_cannot_be_is_refused_with_the_reason(
    tmp_path: Path, name: str, advice: str
) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "absent")
    with pytest.raises((ConfigError, StorageFailed), match=advice):
        open_chat(tmp_path / name, None)


def test_home_with_a_nul_character_is_refused() -> None:
    with pytest.raises(ConfigError, match="NUL"):
        open_chat(Path("~ana\0"), None)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_folders_that_the_chat_makes_are_for_their_owner_only(tmp_path: Path) -> None:
    with open_chat(tmp_path / "new" / "memories", None):
        pass
    made = (tmp_path / "new", tmp_path / "new" / "memories")
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in made} == {0o700}


def test_a_chat_over_http_needs_only_an_address(tmp_path: Path) -> None:
    with (
        serve(Scripted()) as backend,
        memory_core.MemoryChat(
            tmp_path, user="ana", base_url=backend.url, model="m", settings=WORDS_ALONE
        ) as chat,
    ):
        assert chat.chat("Hello") == "All right."
        assert "".join(chat.stream("And again")) == "All right."
        assert stored(chat, Namespace.instruct("ana")) == ["And again", "Hello"]
    assert backend.asked[-1].body["model"] == "m"


@pytest.mark.parametrize(
    ("settings", "is_stored"), [({}, True), ({"ltm_writes.enabled": False}, False)]
)
def test_streamed_answer_says_whether_it_is_stored(
    tmp_path: Path, llm: ScriptedLLM, settings: dict[str, bool], is_stored: bool
) -> None:
    with MemoryChat(
        tmp_path, user="ana", character="Mira", settings={**WORDS_ALONE, **settings}, llm=llm
    ) as chat:
        assert "".join(chat.stream(HVAR)) == f"You said: {HVAR}"
        assert chat.last_response is not None
        assert chat.last_response.text == f"You said: {HVAR}"
        assert chat.last_response.retrieved["stored"] is is_stored
        assert bool(stored(chat)) is is_stored


def test_answers_without_a_limit_leave_it_to_the_server(tmp_path: Path) -> None:
    settings = {**WORDS_ALONE, "backend.max_tokens": -1}
    with (
        serve(Scripted()) as backend,
        memory_core.MemoryChat(
            tmp_path, user="ana", base_url=backend.url, model="m", settings=settings
        ) as chat,
    ):
        chat.chat("Hello")
    assert "max_tokens" not in backend.asked[-1].body


def test_the_last_exchanges_stay_in_the_prompt_until_the_chat_starts_over(
    tmp_path: Path, llm: ScriptedLLM
) -> None:
    with open_chat(tmp_path, llm) as chat:
        chat.chat("The code word is heron")
        chat.chat("Thanks")
        assert said(llm)[0] == "The code word is heron"
        chat.chat_with_memory("Hm", history_message_strategy=None)
        assert len(said(llm)) == 1
        chat.chat_with_memory("Hm, hm", history_message_strategy=1)
        assert said(llm)[0] == "Hm"
        chat.start_over()
        chat.chat("Well")
        assert len(said(llm)) == 1


def test_auto_shows_exchanges_that_are_in_no_derived_memory_within_its_limit(
    tmp_path: Path, llm: ScriptedLLM
) -> None:
    settings = WORDS_ALONE | {
        "backend.history_message_strategy": "auto",
        "backend.context_max_messages": 4,
    }
    with MemoryChat(tmp_path, user="ana", settings=settings, llm=llm) as chat:
        for text in ("one fish", "two fish", "red fish", "blue fish"):
            chat.chat(text)
        assert said(llm) == ["two fish", "red fish", "blue fish"]


def test_arguments_of_none_are_left_out_as_in_memoryscope(tmp_path: Path, llm: ScriptedLLM) -> None:
    with open_chat(tmp_path, llm) as chat:
        chat.chat_with_memory(
            "Hi",
            role_name=None,
            system_prompt=None,
            memory_prompt=None,
            temporary_memories=None,
        )
        assert said(llm) == ["Hi"]
        assert chat.run_service_operation("list_memory", None).endswith("Hi Mira: You said: Hi")


def test_an_unknown_strategy_is_refused(tmp_path: Path, llm: ScriptedLLM) -> None:
    with open_chat(tmp_path, llm) as chat, pytest.raises(ConfigError, match="auto, recent"):
        chat.chat_with_memory("Hi", history_message_strategy="all")


def test_system_prompt_and_temporary_memories_reach_the_model_but_are_not_kept(
    tmp_path: Path, llm: ScriptedLLM
) -> None:
    with open_chat(tmp_path, llm) as chat:
        chat.chat_with_memory(
            "What do I like?",
            system_prompt="You are Mira.",
            memory_prompt="Use the memories sparingly.",
            temporary_memories=["Ana likes plums.", "Ana hates rain."],
        )
        system = llm.asked[-1][0].text
        assert system.startswith("You are Mira.\n\nUse the memories sparingly.\n\n")
        assert "Ana likes plums.\nAna hates rain." in system
        assert stored(chat) == ["What do I like?"]


def test_nothing_is_stored_without_remember_response(tmp_path: Path, llm: ScriptedLLM) -> None:
    with open_chat(tmp_path, llm) as chat:
        response = chat.chat_with_memory(HVAR, remember_response=False)
        "".join(chat.stream(HVAR, TurnOptions(remember_response=False)))
        assert response.retrieved["stored"] is False
        assert stored(chat) == []


def test_no_file_holds_the_words_of_a_message_without_remember_response(
    tmp_path: Path, llm: ScriptedLLM
) -> None:
    with open_chat(tmp_path, llm) as chat:
        chat.chat("Hello")
        chat.chat_with_memory(
            "My therapist is called Zyxquorvath.",
            temporary_memories="Blornificat helps her.",
            remember_response=False,
        )
        chat.chat("Good night")
    assert leaks(tmp_path, words_needles(["Zyxquorvath", "Blornificat"])) == []


def test_memories_of_a_response_have_those_of_every_prompt(
    tmp_path: Path, llm: ScriptedLLM
) -> None:
    with open_chat(tmp_path, llm) as chat:
        chat.run_service_operation("add_memory", query="Ana is allergic to nuts")
        response = chat.chat_with_memory("Hello")
    assert "allergic to nuts" in sent(llm)
    assert "allergic to nuts" in response.meta_data["memories"]


def test_another_role_has_memories_of_its_own(tmp_path: Path, llm: ScriptedLLM) -> None:
    with open_chat(tmp_path, llm) as chat:
        chat.chat(HVAR)
        response = chat.chat_with_memory(QUESTION, role_name="ben")
        assert "Hvar" not in sent(llm)
        assert response.meta_data["memories"] == ""
        assert stored(chat, Namespace("ben", "Mira")) == [QUESTION]


def test_a_stream_that_breaks_off_is_stored_as_far_as_it_came(
    tmp_path: Path, llm: ScriptedLLM
) -> None:
    with open_chat(tmp_path, llm) as chat:
        pieces = chat.stream("Tell me a long story")
        next(pieces)
        pieces.close()  # type: ignore[attr-defined]
        found = chat.runtime.memory.latest(ANA, Page(limit=1))[0]
        assert found.exchange is not None
        assert (found.exchange.assistant, dict(found.exchange.metadata)) == (
            "You",
            {"partial": True},
        )


def test_a_model_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    failing = ScriptedLLM([LLMUnavailable("away")])
    with open_chat(tmp_path, failing) as chat:
        with pytest.raises(LLMUnavailable):
            chat.chat(HVAR)
        assert stored(chat) == []


def test_without_a_model_the_error_says_what_to_give(tmp_path: Path) -> None:
    with open_chat(tmp_path, None) as chat, pytest.raises(ConfigError, match="base_url"):
        chat.chat("Hi")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"settings": {"llm.modle": "m"}}, "llm.model"),
        ({"settings": {"recall": {"lines": -1}}}, "recall.lines"),
        ({"arguments": {"human_nam": "Ana"}}, "human_name"),
        ({"arguments": {"language": "de"}}, "cn or en"),
    ],
)
def test_a_wrong_setting_or_argument_is_refused(
    tmp_path: Path, options: dict[str, dict[str, object]], named: str
) -> None:
    with pytest.raises(ConfigError, match=named):
        MemoryChat(tmp_path, **options)  # type: ignore[arg-type]


def test_memoryscopes_arguments_name_the_speakers(tmp_path: Path, llm: ScriptedLLM) -> None:
    arguments = {"human_name": "ana", "assistant_name": "Mira", "output_memory_max_count": 3}
    with MemoryChat(tmp_path, settings=WORDS_ALONE, arguments=arguments, llm=llm) as chat:
        chat.chat(HVAR)
        assert stored(chat) == [HVAR]
        assert chat.runtime.settings.recall.lines == 3


def test_operations_add_list_retrieve_and_delete(tmp_path: Path, llm: ScriptedLLM) -> None:
    with open_chat(tmp_path, llm) as chat:
        run = chat.run_service_operation
        assert run("list_memory") == "there are no memories"
        added = run("add_memory", query="Ana is allergic to nuts")
        memory_id = added.removeprefix("kept: ")
        assert run("list_memory").startswith(memory_id)
        assert "nuts" in run("retrieve_memory", query="What is Ana allergic to?")
        assert run("delete_memory", query="allergic").startswith("no memory")
        assert run("delete_memory", query="Ana is allergic to nuts") == f"forgotten: {memory_id}"
        chat.chat(HVAR)
        assert "Hvar" in run("read_message")
        assert run("delete_all") == "forgotten: 1"
        assert run("list_memory") == "there are no memories"


def test_operations_name_the_wrong_argument(tmp_path: Path, llm: ScriptedLLM) -> None:
    with open_chat(tmp_path, llm) as chat:
        for name, arguments, fault in (
            ("list", {}, "list_memory"),
            ("add_memory", {}, "query="),
            ("delete_memory", {"memory_id": "none"}, "none"),
            ("list_memory", {"limit": "many"}, "limit"),
            ("list_memory", {"most": "3"}, "list_memory takes limit, not most"),
            ("delete_all", {"kind": "diary"}, "takes no arguments, not kind"),
        ):
            with pytest.raises(ConfigError, match=fault):
                chat.run_service_operation(name, **arguments)


def test_consolidation_runs_on_request(tmp_path: Path, llm: ScriptedLLM) -> None:
    summaries = {**WORDS_ALONE, "consolidation": {"workers": "exchange_summary"}}
    with MemoryChat(tmp_path, settings=summaries, llm=llm, user="ana", character="Mira") as chat:
        chat.chat("Hi")  # too short for a summary
        assert chat.run_service_operation("consolidate_memory") == "done: 0, failed: 0"


def test_consolidation_on_request_asks_a_model_that_failed_before(tmp_path: Path) -> None:
    is_away = [True]

    def model(asked: Asked) -> Answer:
        if is_away[0]:
            return says_json({"error": "away"}, status=500)
        return answers('{"summary": "They spent last summer on the island of Hvar."}')

    own = {"workers": "exchange_summary", "summary_min_letters": 10}
    settings = {**WORDS_ALONE, "consolidation": own, "llm": {"retries": 0}}
    with (
        serve(model) as server,
        MemoryChat(tmp_path, settings=settings, base_url=server.url, model="m", user="ana") as chat,
    ):
        chat.runtime.memory.remember(chat.owner, "talk", exchange_of(HVAR))
        with pytest.raises(LLMUnavailable):
            chat.run_service_operation("consolidate_memory")
        is_away[0] = False
        assert chat.run_service_operation("consolidate_memory") == (
            "done: 1, failed: 0\nnew summary: They spent last summer on the island of Hvar."
        )


def test_consolidation_runs_jobs_that_its_results_make_due_and_reports_them(tmp_path: Path) -> None:
    facts = {"I live in Bergen.": "Ana lives in Bergen.", "I moved to Oslo.": "Ana moved to Oslo."}

    def model(asked: Asked) -> Answer:
        text = asked.body["messages"][-1]["content"].split("The exchange is of")[-1]
        if "NEW:" in text:
            return answers('{"repeats": [], "replaces": [[1, 1]], "denies": [], "unsure": []}')
        fact = next(fact for known, fact in facts.items() if known in text)
        found = {"text": fact, "about": "Ana", "key": "home", "status": "fact"}
        return answers(json.dumps({"facts": [found]}))

    own = {"workers": "observations,contradictions"}
    settings = {**WORDS_ALONE, "consolidation": own}
    with (
        serve(model) as server,
        MemoryChat(tmp_path, settings=settings, base_url=server.url, model="m", user="Ana") as chat,
    ):
        for number, text in enumerate(facts):
            exchange = Exchange(user=text, assistant="OK.", ts=1.7e9 + number, user_name="Ana")
            chat.runtime.memory.remember(chat.owner, "talk", exchange)
        told = chat.run_service_operation("consolidate_memory").split("\n")
    assert sorted(told[1:]) == [
        "new observation: Ana lives in Bergen.",
        "new observation: Ana moved to Oslo.",
        "no longer true: Ana lives in Bergen.",
    ]
