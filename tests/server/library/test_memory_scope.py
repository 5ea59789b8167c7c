"""MemoryScope's Python API, used as its own examples use it."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_core import Arguments, MemoryScope
from memory_core.domain.errors import ConfigError
from memory_core.domain.records import Role
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.server.library import opening
from memory_core.server.library.chat_thread import ChatResponse
from tests.consolidation.servers import answers
from tests.loopback import Answer, Asked, says_json, serve
from tests.server.library.conftest import WORDS_ALONE
from tests.server.live_server import completion

ARGUMENTS = Arguments(
    language="en",
    human_name="Ana",
    assistant_name="Mira",
    memory_chat_class="api_memory_chat",
    generation_model="m",
    rank_backend="dashscope_rank",
    rank_model="gte-rerank",
)


def open_scope(folder: Path | None, llm: ScriptedLLM | None, **options: Any) -> MemoryScope:
    return MemoryScope(
        **{"arguments": ARGUMENTS, "folder": folder, "settings": WORDS_ALONE, "llm": llm, **options}
    )


def whole(response: ChatResponse | Iterator[ChatResponse]) -> ChatResponse:
    assert isinstance(response, ChatResponse)
    return response


def test_chat_answers_with_the_memories_behind_it(tmp_path: Path, llm: ScriptedLLM) -> None:
    with open_scope(tmp_path, llm) as scope:
        chat = scope.default_memory_chat
        assert (chat.human_name, chat.assistant_name) == ("Ana", "Mira")
        chat.run_service_operation("delete_all")
        chat.run_service_operation("add_memory", query="Ana plays the piano")
        response = whole(
            chat.chat_with_memory(
                query="Which instrument do I play?",
                temporary_memories="Ana has a violin, too.",
                history_message_strategy=None,
            )
        )
        assert response.message.content == "You said: Which instrument do I play?"
        assert "piano" in response.meta_data["memories"]


def test_roles_of_one_chat_have_memories_of_their_own(tmp_path: Path, llm: ScriptedLLM) -> None:
    with open_scope(tmp_path, llm) as scope:
        chat = scope.default_memory_chat
        chat.chat_with_memory(query="I play the piano.", role_name="Ben")
        assert "piano" in chat.run_service_operation("list_memory", "Ben")
        chat.run_service_operation("delete_all", "Ben")
        assert chat.run_service_operation("list_memory", "Ben") == "there are no memories"


def test_operations_are_methods_of_the_service(tmp_path: Path, llm: ScriptedLLM) -> None:
    with open_scope(tmp_path, llm) as scope:
        service = scope.default_memory_service
        service.init_service()
        service.add_memory(query="Ana plays the piano")
        assert "piano" in service.list_memory()
        assert "piano" in service.retrieve_memory(query="Which instrument does Ana play?")
        with pytest.raises(AttributeError, match="play_memory"):
            service.play_memory()


def test_streamed_answer_comes_in_pieces_and_then_whole(tmp_path: Path, llm: ScriptedLLM) -> None:
    with open_scope(tmp_path, llm, chat_stream=True) as scope:
        pieces = list(scope.default_memory_chat.chat_with_memory(query="Hello there"))
    assert "".join(piece.delta for piece in pieces) == "You said: Hello there"
    assert pieces[-1].message.content == "You said: Hello there"
    assert "memories" in pieces[-1].meta_data


def test_messages_stay_in_the_prompt_until_a_memory_covers_them(tmp_path: Path) -> None:
    def model(asked: Asked) -> Answer:
        if "lasting facts" in asked.body["messages"][0]["content"]:
            fact = {"text": "Ana lives in Bergen.", "about": "Ana", "key": "home", "status": "fact"}
            return answers(json.dumps({"facts": [fact]}))
        return says_json(completion("OK."))

    settings = {**WORDS_ALONE, "consolidation.workers": "observations"}
    with (
        serve(model) as server,
        open_scope(tmp_path, None, base_url=server.url, settings=settings) as scope,
    ):
        chat = scope.default_memory_chat
        chat.chat_with_memory(query="I live in Bergen.")
        chat.chat_with_memory(query="It rains.")
        shown = [message["content"] for message in server.asked[-1].body["messages"]]
        assert "I live in Bergen." in shown
        assert "new observation" in chat.run_service_operation("consolidate_memory")
        chat.chat_with_memory(query="Still raining.")
        shown = [message["content"] for message in server.asked[-1].body["messages"]]
        assert "I live in Bergen." not in shown


def test_arguments_win_over_keywords_and_these_over_the_file(
    tmp_path: Path, llm: ScriptedLLM
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(
        "global: {output_memory_max_count: 3}\n"
        "memory_service: {memoryscope_service: {human_name: Fay, assistant_name: Flo}}\n"
    )
    options = {"config_path": str(file), "arguments": {"human_name": "Ana"}}
    with open_scope(tmp_path / "m", llm, **options, human_name="Ben", assistant_name="Bo") as scope:
        chat = scope.default_memory_chat
        assert (chat.human_name, chat.assistant_name) == ("Ana", "Bo")
        assert scope.runtime.settings.recall.lines == 3


def test_names_are_memoryscopes_own_without_arguments(tmp_path: Path, llm: ScriptedLLM) -> None:
    with open_scope(tmp_path, llm, arguments=None, config_path=None) as scope:
        chat = scope.default_memory_chat
        assert (chat.human_name, chat.assistant_name) == ("user", "AI")


def test_argument_without_effect_is_logged_and_an_unknown_one_refused(
    tmp_path: Path, llm: ScriptedLLM, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        caplog.at_level(logging.WARNING),
        open_scope(tmp_path, llm, es_url="http://localhost:9200"),
    ):
        assert "es_url has no effect: no Elasticsearch is needed" in caplog.text
    with pytest.raises(ConfigError, match="human_name"):
        open_scope(tmp_path, llm, human_nam="Ana")
    with pytest.raises(ConfigError, match="names with values"):
        open_scope(tmp_path, llm, arguments="human_name=Ana")


def test_without_a_folder_the_memories_are_those_of_the_command_line(
    tmp_path: Path, llm: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "_EXTENSION_FOLDER", tmp_path)
    with open_scope(None, llm) as scope:
        scope.default_memory_service.add_memory(query="Ana plays the piano")
    assert (tmp_path / "user_data" / "memories").is_dir()


def test_prompt_without_history_has_the_message_alone(tmp_path: Path, llm: ScriptedLLM) -> None:
    with open_scope(tmp_path, llm) as scope:
        chat = scope.default_memory_chat
        chat.chat_with_memory(query="One")
        chat.chat_with_memory(query="Two", history_message_strategy=None)
        assert [turn.text for turn in llm.asked[-1] if turn.role is Role.USER] == ["Two"]
