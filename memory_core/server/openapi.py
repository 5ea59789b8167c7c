"""The parts of the OpenAPI document that cannot be read from the code, with examples."""

from typing import Any

from fastapi import Security
from fastapi.security import APIKeyHeader, HTTPBearer
from pydantic import BaseModel

from .chat.request import ChatMetadata

# Tells pages and generated clients where a key goes. Access checks it.
KEYS = (
    Security(HTTPBearer(auto_error=False, description="A key of `keys add`, if there are any.")),
    Security(APIKeyHeader(name="X-API-Key", auto_error=False, description="The same key.")),
)


def _json_body(schema: dict[str, Any], example: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": schema, "example": example}}
    return {"requestBody": {"required": True, "content": content}}


CHAT_BODY = _json_body(
    {
        "type": "object",
        "required": ["messages"],
        "properties": {
            "model": {"type": "string"},
            "messages": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["role"],
                    "properties": {"role": {"type": "string"}},
                },
            },
            "user": {"type": "string"},
            "stream": {"type": "boolean"},
            "metadata": ChatMetadata.model_json_schema(),
        },
    },
    {
        "model": "local",
        "messages": [{"role": "user", "content": "Where did we go last summer?"}],
        "user": "ana",
        "metadata": {"character": "Mira", "conversation_id": "holidays"},
    },
)
EMBEDDINGS_BODY = _json_body(
    {
        "type": "object",
        "required": ["input"],
        "properties": {
            "model": {"type": "string"},
            "input": {
                "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
            },
        },
    },
    {"model": "bge-small", "input": "Where did we go last summer?"},
)


class ErrorDetail(BaseModel):
    message: str
    type: str
    param: str | None
    code: int


class ErrorAnswer(BaseModel):
    """An error as OpenAI writes it; `detail` is where other clients look for its message."""

    error: ErrorDetail
    detail: Any


_REASONS = {
    400: "The request makes no sense; `param` names the field.",
    401: "A valid API key is needed.",
    403: "The key may not act for this user, or the host or website is not allowed.",
    404: "There is no such memory.",
    413: "The request is larger than server.max_request_mb.",
    422: "A field is missing, wrong or unknown, or the guard keeps the text out of memory.",
    429: "More requests than server.requests_per_minute.",
    502: "A model behind this server failed.",
    503: "What this needs is not set up or in use by another program, or the server is busy.",
    504: "A model behind this server did not answer in time.",
}
_ERROR = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorAnswer"}}}
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"content": _ERROR, "description": reason} for status, reason in _REASONS.items()
}
# One route brings the model into the document. FastAPI takes 0.8 ms for each model of each route.
CHAT_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The model's answer with `retrieved`, as a whole or as events.",
        "content": {"text/event-stream": {}},
    },
    400: {"model": ErrorAnswer, "description": _REASONS[400]},
}
