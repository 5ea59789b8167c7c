"""The JSON that the server answers with: well-formed, whatever a client sent before."""

from typing import Any

from fastapi.responses import Response

from ..infra.json_codec import dump_json


class JSON(Response):
    """Writes JSON by orjson. A lone surrogate, which UTF-8 cannot hold, becomes a mark."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:  # noqa: ANN401  (whatever JSON takes)
        return dump_json(content)
