"""Every setting with its default, its bounds and what it means: the only place a default stands."""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class InjectionLocation(StrEnum):
    IN_CHAT = "IN_CHAT"
    BEFORE_NORMAL_CONTEXT = "BEFORE_NORMAL_CONTEXT"
    AFTER_NORMAL_CONTEXT_BUT_BEFORE_MESSAGES = "AFTER_NORMAL_CONTEXT_BUT_BEFORE_MESSAGES"


class Visible(StrEnum):
    """When a new memory can be recalled."""

    AT_ONCE = "at_once"
    NEXT_SESSION = "next_session"


class OnChatDeleted(StrEnum):
    """What becomes of the memories of a chat that the user deletes."""

    KEEP = "keep"
    FORGET = "forget"


_MAX_COUNT = 1_000_000_000
Count = Annotated[int, Field(ge=0, le=_MAX_COUNT)]
PositiveCount = Annotated[int, Field(ge=1, le=_MAX_COUNT)]
Folder = Annotated[str, Field(pattern=r"^[^\x00]*$", json_schema_extra={"format": "folder"})]
Seconds = Annotated[float, Field(gt=0.0, le=3600.0)]


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ContextSettings(Section):
    """Where and how memories enter the prompt."""

    injection_location: InjectionLocation = Field(
        default=InjectionLocation.IN_CHAT,
        description="Where recalled memories go: IN_CHAT (replayed turns and a block at the head "
        "of your message), or long_term_memory's two places in the character's context.",
    )
    memory_context_template: str = Field(
        default="{name2} remembers:\n{all_memories}",
        description="The block around all recalled lines. Fields: {name1} {name2} {all_memories}.",
    )
    memory_template: str = Field(
        default="- {time_difference}, {said}",
        description="One recalled line. Fields: {time_difference} {date} {said} (what both said, "
        "with their names) {memory_name} {memory_message} (one side of an exchange, the one that "
        "fits better, and who said it) {name1} {name2}.",
    )
    replay_user_template: str = Field(
        default="[{date}] {message}",
        description="The user's side of a replayed exchange. Fields: {date} {time_difference} "
        "{message} {name1} {name2}.",
    )
    replay_assistant_template: str = Field(
        default="{message}",
        description="The character's side of a replayed exchange. Same fields.",
    )
    system_block_template: str = Field(
        default="What {name2} remembers of {name1} from before:\n{all_memories}",
        description="The block that is always there (pinned memories, knowledge, last sessions). "
        "Fields: {name1} {name2} {all_memories}. In all templates {{user}} and {{char}} are the "
        "names, too.",
    )
    tell_today: bool = Field(
        default=True,
        description="Tells the day on which the sitting began in the system block, so that the "
        "dates of memories say how long ago they are. It changes only after "
        "recall.session_pause_min.",
    )
    today_template: str = Field(
        default="Today is {weekday}, {date}.",
        description="How the day is told. Fields: {weekday} {date} {name1} {name2}.",
    )
    max_tokens: Count = Field(
        default=350, description="Most tokens of replayed turns and lines together."
    )
    system_block_max_tokens: Count = Field(
        default=250,
        description="Most tokens of the system block; 0 switches it off. Where not all that is "
        "kept fits, long notes are cut, and the newest come first.",
    )
    summary_sessions: Count = Field(
        default=2, description="How many of the last sessions the system block sums up."
    )
    recent_turns: Count | None = Field(
        default=None,
        description="How many of the latest exchanges a prompt carries; older ones can be "
        "recalled. null: as many as fit (in the stand-alone chat: backend.recent_turns). With a "
        "number, each message changes the prompt's beginning, so the model computes it anew.",
    )
    replay_depth: Count = Field(
        default=1, description="Replayed turns stand before this many of the latest exchanges."
    )


class WriteSettings(Section):
    """What is remembered."""

    enabled: bool = Field(
        default=True, description="Remember new exchanges; off: nothing is written."
    )
    min_message_length: Count = Field(
        default=1,
        description="A message with fewer letters is never recalled, nor an exchange of two such "
        "messages; of an exchange with one only the other comes.",
    )
    on_chat_deleted: OnChatDeleted = Field(
        default=OnChatDeleted.KEEP,
        description="What becomes of a deleted chat's memories: keep, until you forget them "
        "in the tab; forget: all that no other chat shows, pinned ones excepted.",
    )
    undo_forget_s: Annotated[float, Field(ge=0.0, le=_MAX_COUNT)] = Field(
        default=600.0,
        description="Seconds in which a forgotten memory can be brought back; then its "
        "text is erased from disk.",
    )


class RetentionSettings(Section):
    """How much is kept of each character's memories; null keeps everything.

    What is over a limit is forgotten, the oldest first: hidden at once, erased after
    `ltm_writes.undo_forget_s`. Pinned memories and knowledge always stay, and do not count.
    """

    max_memories: PositiveCount | None = Field(
        default=None, description="Most memories, seen to about once an hour; null: any number."
    )
    max_age_days: Annotated[float, Field(gt=0.0, le=1_000_000.0)] | None = Field(
        default=None,
        description="What was said longer ago than this many days is forgotten; null: never. "
        "What has no date is never too old.",
    )
    max_mb: Annotated[float, Field(ge=1.0, le=_MAX_COUNT)] | None = Field(
        default=None,
        description="Most megabytes on disk, index included, backups not; null: any size.",
    )


class RollingBackupSettings(Section):
    """Copies of all memories outside the extension's folder, so that they outlive its deletion."""

    enabled: bool = Field(
        default=True,
        description="Copy all memories regularly, and before an update of their stored format, "
        "into a folder that outlives the extension's own. The copies hold all words, unencrypted. "
        "Forgotten words leave them, too, when they are erased. Off: no new copies are made; "
        "existing ones stay.",
    )
    folder: Folder = Field(
        default="",
        description="The folder for the copies. Empty: long_term_memory_backups in the host's "
        "user_data; outside of a host, no copies are made.",
    )
    every_days: Annotated[float, Field(gt=0.0, le=3650.0)] = Field(
        default=7.0, description="Days between two copies; none is made while nothing changed."
    )
    keep: Annotated[int, Field(ge=1, le=100)] = Field(
        default=3,
        description="How many copies stay. An older one stays, too, while it holds a memory that "
        "no newer one has.",
    )


class ReadSettings(Section):
    """long_term_memory's limits on what is read; null lets this extension choose."""

    max_cosine_distance: Annotated[float, Field(ge=0.0, le=2.0)] | None = Field(
        default=None,
        description="Drop memories whose cosine distance to the message is not below this; "
        "null: judged by score.",
    )
    num_memories_to_fetch: Count | None = Field(
        default=None,
        description="Most memories per message, replayed and lines together; null: no cap "
        "of its own.",
    )
    memory_length_cutoff_in_chars: PositiveCount = Field(
        default=1000, description="Most letters of one memory in the prompt."
    )


class RecallSettings(Section):
    """How memories are found and chosen."""

    enabled: bool = Field(default=True, description="Recall memories; off: nothing is injected.")
    visible: Visible = Field(
        default=Visible.AT_ONCE,
        description="at_once: recallable as soon as no longer shown; next_session: only after "
        "the start of a new session or 'Force reload memories'.",
    )
    candidate_n: PositiveCount = Field(
        default=60, description="How many candidates the search brings."
    )
    retrieve_k: Count = Field(default=2, description="How many exchanges are replayed as turns.")
    lines: Count = Field(default=6, description="How many more memories become one-liners.")
    sticky_turns: Count = Field(
        default=2, description="A recalled memory stays eligible for this many further messages."
    )
    min_need: Annotated[float, Field(ge=0.0, le=1.0)] = Field(
        default=0.5,
        description="A message that wants a memory at least this surely gets a few short lines: 0 "
        "lets all messages in, small talk included. Judged without a language model, from how the "
        "message is put and how well the memories answer it.",
    )
    full_need: Annotated[float, Field(ge=0.0, le=1.0)] = Field(
        default=0.55,
        description="From here on a message gets everything: replayed exchanges and all lines.",
    )
    min_share: Annotated[float, Field(ge=0.0, le=1.0)] = Field(
        default=0.2,
        description="Then candidates below this share of the best one's score are dropped.",
    )
    min_score: Annotated[float, Field(ge=0.0)] = Field(
        default=0.0,
        description="And those below this score. A memory that holds all words of the message has "
        "1.7 or a little less; the embedder adds up to about 0.6.",
    )
    only_named_dates: bool = Field(
        default=False,
        description="Where a message names an explicit date (May 4th 2026, March 2025, 2024), "
        "recall only what was said then or speaks of it; off: that is only preferred.",
    )
    use_gate: bool = Field(
        default=False,
        description="Let the language model drop what does not fit (one call a message).",
    )
    gate_keep_max: PositiveCount = Field(
        default=30, description="Most candidates that pass the gate."
    )
    use_rerank: bool = Field(
        default=False,
        description="Let the language model choose what is replayed (one call a message).",
    )
    time_limit_s: Seconds = Field(
        default=3.0,
        description="A message waits no longer than this for each outside answer that recall may "
        "want (the message's vector; the model's gate and rerank, if they are on), nor, up to 2 s, "
        "for memories that are being opened, made anew, moved or deleted.",
    )
    in_incognito: bool = Field(
        default=False, description="Recall into incognito chats (never stored)."
    )
    session_pause_min: PositiveCount = Field(
        default=240, description="A session ends after a pause of this many minutes."
    )


class EmbedderSettings(Section):
    """What turns texts into vectors."""

    kind: str = Field(
        default="auto",
        description="auto, openai, fastembed, sentence-transformers, none, or "
        "package.module:Class for your own.",
    )
    base_url: str = Field(
        default="",
        description="OpenAI-compatible embedding endpoint, e.g. http://127.0.0.1:8001/v1.",
    )
    api_key: str = Field(default="", repr=False, description="Key for it; local servers need none.")
    model: str = Field(default="", description="Model name; empty: the kind's own default.")
    dimensions: Count = Field(default=0, description="Vector width; 0: taken from the model.")
    timeout_s: Seconds = Field(
        default=30.0, description="Patience with one request in the background."
    )
    query_timeout_s: Seconds = Field(default=2.0, description="Patience while a message waits.")
    allow_download: bool = Field(
        default=True, description="May fastembed fetch its model once, in the background."
    )


class RerankerSettings(Section):
    """What puts the recalled memories into a better order, if anything."""

    kind: str = Field(
        default="none",
        description="none; endpoint: a server with /rerank (Jina, Cohere, vLLM, llama.cpp, "
        "Infinity); fastembed: a cross-encoder in this process; or package.module:Class.",
    )
    base_url: str = Field(
        default="", description="What stands before /rerank, e.g. http://127.0.0.1:8003/v1."
    )
    api_key: str = Field(default="", repr=False, description="Key for it; local servers need none.")
    model: str = Field(
        default="",
        description="Model name; empty: the server's only one; fastembed: a small one that knows "
        "English only.",
    )
    candidates: PositiveCount = Field(
        default=30, description="How many of the best by score it orders; fewer take less time."
    )
    allow_download: bool = Field(
        default=True, description="May fastembed fetch the model once, in the background."
    )


class LLMSettings(Section):
    """The language model that memory itself may use, if any."""

    kind: str = Field(default="auto", description="auto, openai, none, or package.module:Class.")
    base_url: str = Field(
        default="", description="OpenAI-compatible chat endpoint, e.g. http://127.0.0.1:8000/v1."
    )
    api_key: str = Field(default="", repr=False, description="Key for it; local servers need none.")
    model: str = Field(
        default="", description="Model name; empty: the first one that the server lists."
    )
    timeout_s: Seconds = Field(
        default=120.0,
        description="Patience with one answer in the stand-alone chat; inside the host it has no "
        "effect: what recall asks of the model waits for recall.time_limit_s.",
    )


class BackendSettings(Section):
    """The stand-alone chat's own backend (not used inside text-generation-webui)."""

    recent_turns: Count = Field(
        default=6,
        description="How many of the latest exchanges are sent along, unless "
        "ltm_context.recent_turns sets a number.",
    )
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] = Field(
        default=0.3, description="Temperature, in the stand-alone chat only."
    )
    max_tokens: PositiveCount = Field(
        default=768, description="Longest answer in tokens, in the stand-alone chat only."
    )


class CommandSettings(Section):
    """What a message can say to the memory itself: /off, /remember, /forget, /memories, /pause."""

    enabled: bool = Field(
        default=True,
        description="Carry out commands at a message's beginning, and 'remember that …' in plain "
        "words; off: they are ordinary text. What begins with such a slash word is never "
        "remembered, either way.",
    )


class APISettings(Section):
    """Calls that reach the host through its API."""

    default_user: str = Field(
        default="",
        description="Whose memories serve API calls without a `user` field: default = those of "
        "the page, api:NAME = those of calls with that `user`; empty: none.",
    )


class Settings(Section):
    """The whole configuration, checked."""

    ltm_context: ContextSettings = ContextSettings()
    ltm_writes: WriteSettings = WriteSettings()
    ltm_reads: ReadSettings = ReadSettings()
    retention: RetentionSettings = RetentionSettings()
    rolling_backup: RollingBackupSettings = RollingBackupSettings()
    recall: RecallSettings = RecallSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    reranker: RerankerSettings = RerankerSettings()
    llm: LLMSettings = LLMSettings()
    backend: BackendSettings = BackendSettings()
    api: APISettings = APISettings()
    commands: CommandSettings = CommandSettings()
    storage_dir: Folder = Field(
        default="",
        description="Folder of the memories, a relative one below the extension's; empty: "
        "user_data/memories beside script.py.",
    )
    allow_remote: bool = Field(
        default=False,
        description="Endpoints that are not on this machine are refused unless this is true.",
    )
    language: str = Field(
        default="", description="Language of the tab: en, zh; empty: the browser's."
    )
    console_texts: bool = Field(
        default=False,
        description="Show the words of recalled and new memories in the host's console, not only "
        "their number. The words stay there when a memory is forgotten.",
    )
    trace_turns: PositiveCount = Field(
        default=50, description="For how many turns the viewer keeps traces."
    )
