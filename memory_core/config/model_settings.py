"""Settings of the models: embedder, reranker, language model, and the stand-alone chat's own."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from .section import Count, PositiveCount, Seconds, Section, kind_field

EmbedderKind = Annotated[
    str, kind_field("auto", "built-in", "openai", "fastembed", "sentence-transformers", "none")
]
RerankerKind = Annotated[str, kind_field("none", "endpoint", "fastembed")]
LLMKind = Annotated[str, kind_field("auto", "openai", "none", "host")]


class EmbedderSettings(Section):
    """The model that turns texts into vectors."""

    kind: EmbedderKind = Field(
        default="auto",
        description="auto, built-in, openai, fastembed, sentence-transformers, none, or "
        "package.module:Class for your own class. auto: openai if embedder.base_url is set, "
        "fastembed if only embedder.model is set, else the built-in model.",
    )
    base_url: str = Field(
        default="",
        description="OpenAI-compatible embedding endpoint, e.g. http://127.0.0.1:8001/v1.",
    )
    api_key: str = Field(default="", repr=False, description="API key; local servers need none.")
    model: str = Field(
        default="",
        description="Model name. Empty: the default of the kind. An endpoint's model must be "
        "named, so that vectors of different models are never mixed.",
    )
    dimensions: Count = Field(default=0, description="Length of vectors; 0: the model's own.")
    timeout_s: Seconds = Field(
        default=30.0, description="Maximum seconds for one request in the background."
    )
    query_timeout_s: Seconds = Field(
        default=2.0, description="Maximum seconds for one request while a message waits."
    )
    allow_download: bool = Field(
        default=True, description="Allow the one-time download of a local model, in the background."
    )


class RerankerSettings(Section):
    """The optional model that reorders the recalled memories."""

    kind: RerankerKind = Field(
        default="none",
        description="none; endpoint: a server with /rerank (Jina, Cohere, vLLM, llama.cpp, "
        "Infinity); fastembed: a cross-encoder in this process; or package.module:Class.",
    )
    base_url: str = Field(
        default="", description="Server address without /rerank, e.g. http://127.0.0.1:8003/v1."
    )
    api_key: str = Field(default="", repr=False, description="API key; local servers need none.")
    model: str = Field(
        default="",
        description="Model name. Empty: the server's only model, or for fastembed a small model "
        "for English only.",
    )
    candidates: PositiveCount = Field(
        default=30, description="Number of best candidates to reorder; fewer take less time."
    )
    allow_download: bool = Field(
        default=True, description="Allow fastembed to download the model once, in the background."
    )


class LLMSettings(Section):
    """The language model that the memory itself may use, if any."""

    kind: LLMKind = Field(
        default="auto",
        description="auto, openai, none, host, or package.module:Class. auto: openai if "
        "llm.base_url is set. host: the model loaded in text-generation-webui, for background "
        "work only, and only after llm.idle_minutes. Afterwards the chat's next answer takes "
        "longer once, because the model has to read the whole chat again.",
    )
    base_url: str = Field(
        default="", description="OpenAI-compatible chat endpoint, e.g. http://127.0.0.1:8000/v1."
    )
    api_key: str = Field(default="", repr=False, description="API key; local servers need none.")
    model: str = Field(
        default="", description="Model name; empty: the first model that the server lists."
    )
    timeout_s: Seconds = Field(
        default=120.0,
        description="Maximum seconds for one answer that somebody waits for: in the stand-alone "
        "chat, to a question to the memories, and for a draft of a diary page. Inside the host, "
        "recall.time_limit_s limits each call to the model that a message waits for.",
    )
    background_timeout_s: Seconds = Field(
        default=180.0,
        description="Seconds without a piece of an answer, in background work, after which a short "
        "question shows whether the model is slow or hangs. A slow one gets more time.",
    )
    retries: Annotated[int, Field(ge=0, le=10)] = Field(
        default=2,
        description="How often background work, chats of the Python API and the command chat "
        "repeat a request at once after a failure that may pass, such as a busy server.",
    )
    idle_minutes: Annotated[float, Field(ge=0.0, le=10_000.0)] = Field(
        default=10.0,
        description="For kind host: minutes without any generation, by the page or the API, before "
        "background work uses the model.",
    )


class HistoryStrategy(StrEnum):
    """The messages of a conversation that its next prompt shows."""

    RECENT = "recent"
    AUTO = "auto"


class BackendSettings(Section):
    """The stand-alone chat's own backend (not used inside text-generation-webui)."""

    recent_turns: Count = Field(
        default=6,
        description="Number of latest exchanges sent with each message, unless "
        "ltm_context.recent_turns sets a number.",
    )
    history_message_strategy: HistoryStrategy = Field(
        default=HistoryStrategy.RECENT,
        description="The messages that a prompt of the Python API and of the command chat shows. "
        "recent: the latest exchanges. auto: only those that no summary or other derived memory "
        "was made of yet. auto changes the beginning of the prompt more often, so the model has "
        "to process it again.",
    )
    history_max_messages: Count = Field(
        default=100,
        description="With history_message_strategy auto, here or in ltm_context: number of latest "
        "messages among which it looks for them.",
    )
    context_max_messages: Count = Field(
        default=10,
        description="With history_message_strategy auto, here or in ltm_context: maximum number of "
        "messages in a prompt.",
    )
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] = Field(
        default=0.3, description="Sampling temperature, in the stand-alone chat only."
    )
    max_tokens: Annotated[int, Field(ge=-1, le=1_000_000_000)] = Field(
        default=768,
        description="Maximum tokens of an answer, in the stand-alone chat only; -1: the server's "
        "own limit.",
    )
