"""ChatMemory's constructor and router, used as its server script uses them."""

import logging
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from memory_core import ChatMemory
from memory_core.domain.errors import ConfigError
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.server.library import opening
from tests.loopback import serve
from tests.server.library.conftest import WORDS_ALONE
from tests.server.live_server import Scripted

ANSWER = '{"answer": "Soba noodles.", "used": [1], "enough": true}'
SAID = {"role": "user", "content": "I like Japanese soba noodles."}


def client_of(memory: ChatMemory, prefix: str | None = None) -> TestClient:
    app = FastAPI()
    app.include_router(memory.get_router(prefix))
    return TestClient(app)


@pytest.mark.parametrize("prefix", [None, "/memory"])
def test_router_has_chatmemorys_endpoints(tmp_path: Path, prefix: str | None) -> None:
    with ChatMemory(
        folder=tmp_path, settings=WORDS_ALONE, llm=ScriptedLLM(lambda _: ANSWER)
    ) as memory:
        client, root = client_of(memory, prefix), prefix or ""
        body = {"user_id": "ana", "session_id": "one", "messages": [SAID]}
        assert client.post(f"{root}/history", json=body).json() == {"status": "ok"}
        asked = {"user_id": "ana", "query": "What is the favorite food?"}
        found = client.post(f"{root}/search", json=asked).json()
        assert found["result"]["answer"] == "Soba noodles."


def test_models_are_those_of_the_address(tmp_path: Path) -> None:
    with (
        serve(Scripted()) as server,
        ChatMemory(
            openai_base_url=server.url,
            openai_api_key="k",
            llm_model="m",
            embedding_model="e",
            embedding_dimension=4,
            folder=tmp_path,
        ) as memory,
    ):
        found = memory.runtime.settings
        assert (found.llm.base_url, found.llm.model, found.llm.api_key) == (server.url, "m", "k")
        assert (found.embedder.base_url, found.embedder.model) == (server.url, "e")
        assert (found.embedder.dimensions, found.embedder.api_key) == (4, "k")


def test_argument_without_effect_is_logged_and_an_unknown_one_refused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    options: dict[str, Any] = {"folder": tmp_path, "settings": WORDS_ALONE}
    without_effect = {"db_name": "postgres", "search_system_prompt": "Be brief.", "llm_model": "m"}
    with caplog.at_level(logging.WARNING), ChatMemory(**options, **without_effect):
        assert "db_name has no effect: the memories are in files" in caplog.text
        assert "search_system_prompt has no effect" in caplog.text
        assert "no effect without openai_base_url" in caplog.text
    with pytest.raises(ConfigError, match="the nearest is llm_model"):
        ChatMemory(**options, lm_model="m")


def test_without_a_folder_the_memories_are_those_of_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "_EXTENSION_FOLDER", tmp_path)
    with ChatMemory(settings=WORDS_ALONE) as memory:
        body = {"user_id": "ana", "knowledge": "Ana is a nurse."}
        assert client_of(memory).post("/knowledge", json=body).status_code == 200
    assert (tmp_path / "user_data" / "memories").is_dir()
