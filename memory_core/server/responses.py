"""JSON responses that are well-formed, whatever a client sent before."""

from typing import Any

from fastapi.responses import JSONResponse

from ..infra.json_codec import dump_json
from .errors import RequestRefused, error_body


class JSON(JSONResponse):
    """Writes JSON by orjson. A lone surrogate, which UTF-8 cannot hold, becomes a mark."""

    def render(self, content: Any) -> bytes:  # noqa: ANN401  (whatever JSON takes)
        return dump_json(content)


def refused(refusal: RequestRefused) -> JSON:
    """Returns the answer that tells of a refusal."""
    return JSON(error_body(refusal), status_code=refusal.status, headers=refusal.headers)
