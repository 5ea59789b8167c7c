"""The endpoints /v1/models and /v1/embeddings."""

from base64 import b64encode
from typing import Any

from anyio import to_thread
from fastapi import Request
from fastapi.responses import Response

from ..infra.json_codec import load_json
from ..memory.runtime import Runtime
from ..providers.embedders.base import Embedder, Vectors
from .chat.backend import Backend, BackendSource
from .chat.completions import json_body, relayed
from .errors import BAD_REQUEST, NOT_FOUND, UNAVAILABLE, RequestRefused
from .responses import JSON

_MAX_TEXTS = 2048
_OK = 200


class ModelEndpoints:
    """Lists the backend's models, and computes embeddings by the memory's embedder or by it."""

    def __init__(self, runtime: Runtime, backends: BackendSource) -> None:
        self._runtime = runtime
        self._backends = backends

    async def list(self) -> Response:
        """Lists the models of the server behind this one."""
        backend = self._backends.get()
        return relayed(await backend.fetch("GET", "/models"), backend.address.base_url)

    async def retrieve(self, model: str) -> Response:
        """Returns one of these models, or all without a name; many servers only list them."""
        if not model:  # the address of the list with a slash at its end
            return await self.list()
        backend = self._backends.get()
        response = await backend.fetch("GET", "/models")
        answer = relayed(response, backend.address.base_url)
        listed = load_json(response.content)
        known = listed.get("data") if isinstance(listed, dict) else None
        if response.status_code != _OK or not isinstance(known, list):
            return answer
        found = (one for one in known if isinstance(one, dict) and one.get("id") == model)
        if (wanted := next(found, None)) is None:
            raise RequestRefused(f"no model is called {model!r}", status=NOT_FOUND, param="model")
        return JSON(wanted)

    async def embed(self, request: Request) -> Response:
        """Computes embeddings: with the memory's own embedder if `model` names it or no other
        server is configured, otherwise with the server behind this one.
        """
        body = await json_body(request)
        embedder, backend = self._runtime.memory.embedder, self._backend_or_none()
        if embedder is not None and (backend is None or body.get("model") == embedder.name):
            return await self._own_embeddings(embedder, body)
        if backend is None:
            raise RequestRefused(
                "no embedding model and no model server is configured: set embedder.kind or "
                "server.backend_url",
                status=UNAVAILABLE,
            )
        answer = await backend.fetch("POST", "/embeddings", body)
        return relayed(answer, backend.address.base_url)

    def _backend_or_none(self) -> Backend | None:
        try:
            return self._backends.get()
        except RequestRefused:
            return None

    async def _own_embeddings(self, embedder: Embedder, body: dict[str, Any]) -> Response:
        rows: Vectors = await to_thread.run_sync(embedder.embed, _texts(body.get("input")))
        is_packed = body.get("encoding_format") == "base64"  # as OpenAI's own clients ask for
        data = [
            {
                "object": "embedding",
                "index": index,
                "embedding": _packed(row) if is_packed else row.tolist(),
            }
            for index, row in enumerate(rows)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        return JSON({"object": "list", "data": data, "model": embedder.name, "usage": usage})


def _packed(row: Vectors) -> str:
    """Returns a vector as OpenAI's servers pack it: little-endian float32 in base64."""
    return b64encode(row.astype("<f4").tobytes()).decode()


def _texts(given: object) -> list[str]:
    """Returns the texts to embed. Raises RequestRefused for anything else."""
    texts = [given] if isinstance(given, str) else given
    if isinstance(texts, list) and 0 < len(texts) <= _MAX_TEXTS:
        found = [text for text in texts if isinstance(text, str)]
        if len(found) == len(texts):
            return found
    message = f"input must be a text or a list of 1 to {_MAX_TEXTS} texts"
    raise RequestRefused(message, status=BAD_REQUEST, param="input")
