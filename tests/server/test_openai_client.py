"""OpenAI's own client works with this server as with theirs."""

from collections.abc import Iterator

import openai
import pytest

from memory_core.providers.embedders.fake import FakeEmbedder
from tests.loopback import streams
from tests.server.conftest import Served, ServeWith
from tests.server.live_server import Scripted, chunk


@pytest.fixture
def served(serve_with: ServeWith) -> Served:
    return serve_with(Scripted())


@pytest.fixture
def client(served: Served) -> Iterator[openai.OpenAI]:
    address = f"{served.client.base_url}/v1"
    with openai.OpenAI(base_url=address, api_key="none", max_retries=0) as opened:
        yield opened


def test_one_model_is_found_by_its_name(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["m"]
    assert client.models.retrieve("m").id == "m"


def test_unknown_model_is_not_found(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="no model is called 'org/gone'"):
        client.models.retrieve("org/gone")


def test_address_of_the_models_with_a_slash_at_its_end_lists_them(served: Served) -> None:
    answer = served.client.get("/v1/models/")
    assert (answer.status_code, [one["id"] for one in answer.json()["data"]]) == (200, ["m"])


def test_packed_embeddings_are_those_of_the_list(served: Served, client: openai.OpenAI) -> None:
    """The client asks for base64 unless told otherwise; others need not take a list."""
    served.runtime.memory.embedder = embedder = FakeEmbedder()
    lists, packed = (
        client.embeddings.create(model=embedder.name, input=["Hi"], encoding_format=form)
        for form in ("float", "base64")
    )
    default = client.embeddings.create(model=embedder.name, input=["Hi"])
    assert isinstance(packed.data[0].embedding, str)
    assert default.data[0].embedding == pytest.approx(lists.data[0].embedding)
    assert len(default.data[0].embedding) == embedder.dim


def test_answer_and_its_memories_arrive_whole_and_streamed(client: openai.OpenAI) -> None:
    said = [{"role": "user", "content": "My dog is called Bruno."}]
    whole = client.chat.completions.create(model="m", user="ana", messages=said)  # type: ignore[call-overload]
    assert whole.retrieved["stored"] is True
    asked = [{"role": "user", "content": "What is my dog called?"}]
    *pieces, last = client.chat.completions.create(  # type: ignore[call-overload]
        model="m", user="ana", messages=asked, stream=True
    )
    text = "".join(piece.choices[0].delta.content or "" for piece in pieces)
    assert text == "All right."
    assert last.retrieved["stored"] is True
    assert "Bruno" in str(last.retrieved)


def test_named_event_of_the_backend_stays_with_its_data(serve_with: ServeWith) -> None:
    """Some servers name their errors so; parted from its data, a name is an event without JSON."""
    lines = [chunk("All"), 'event: error\ndata: {"error": {"message": "out of memory"}}']
    address = f"{serve_with(streams(lines)).client.base_url}/v1"
    with openai.OpenAI(base_url=address, api_key="none", max_retries=0) as client:
        pieces = client.chat.completions.create(  # type: ignore[call-overload]
            model="m", user="ana", messages=[{"role": "user", "content": "Hi"}], stream=True
        )
        with pytest.raises(openai.APIError, match="out of memory"):
            list(pieces)
