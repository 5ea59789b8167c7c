"""Settings of the server: its address, the model behind it, and its limits."""

from typing import Annotated

from pydantic import Field

from .section import Count, PositiveCount, Seconds, Section

KEYS_FILE = "api_keys.json"  # in the storage folder; it holds hashes


class ServerSettings(Section):
    """The server that `python -m memory_core serve` starts."""

    host: str = Field(
        default="127.0.0.1",
        description="Address to listen on. Any other than this machine's own needs an API key "
        "(python -m memory_core keys add).",
    )
    port: Annotated[int, Field(ge=1, le=65_535)] = Field(
        default=8010, description="Port to listen on."
    )
    backend_url: str = Field(
        default="",
        description="OpenAI-compatible server that answers the chats, e.g. "
        "http://127.0.0.1:8000/v1. Empty: llm.base_url.",
    )
    backend_api_key: str = Field(
        default="", repr=False, description="API key of that server; local servers need none."
    )
    backend_timeout_s: Seconds = Field(
        default=300.0, description="Maximum seconds to wait for the next piece of an answer."
    )
    context_length: Count = Field(
        default=0,
        description="Context length of the model, in tokens. The oldest messages of a longer chat "
        "are left out of the prompt, and can be recalled. 0: nothing is left out.",
    )
    allowed_hosts: str = Field(
        default="",
        description="Names under which the server may be addressed, besides this machine's own, "
        "separated by commas. They protect against websites that pretend to be local.",
    )
    allowed_origins: str = Field(
        default="",
        description="Websites whose pages may call the server, separated by commas, e.g. "
        "https://chat.example.org. Empty: none.",
    )
    max_request_mb: Annotated[float, Field(gt=0.0, le=1024.0)] = Field(
        default=32.0, description="Maximum megabytes of one request, with its pictures."
    )
    requests_per_minute: Count = Field(
        default=0, description="Maximum requests per minute for each API key; 0: any number."
    )
    parallel_requests: PositiveCount = Field(
        default=512, description="Maximum number of requests at the same time."
    )
    stop_grace_s: Annotated[float, Field(ge=0.0, le=3600.0)] = Field(
        default=8.0,
        description="Seconds that answers may still take when the server is told to stop. What a "
        "stream has brought by then is stored as a partial answer.",
    )
