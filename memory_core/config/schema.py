"""Every setting with its default, bounds and meaning. Defaults are defined nowhere else."""

from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field

from .consolidation_settings import ConsolidationSettings
from .guard_settings import GuardSettings
from .model_settings import (
    BackendSettings,
    EmbedderSettings,
    HistoryStrategy,
    LLMSettings,
    RerankerSettings,
)
from .section import MAX_COUNT, Count, Folder, PositiveCount, Seconds, Section
from .server_settings import ServerSettings
from .store_settings import StoreSettings


class InjectionLocation(StrEnum):
    IN_CHAT = "IN_CHAT"
    BEFORE_NORMAL_CONTEXT = "BEFORE_NORMAL_CONTEXT"
    AFTER_NORMAL_CONTEXT_BUT_BEFORE_MESSAGES = "AFTER_NORMAL_CONTEXT_BUT_BEFORE_MESSAGES"


class Visible(StrEnum):
    """The moment from which a new memory can be recalled."""

    AT_ONCE = "at_once"
    NEXT_SESSION = "next_session"


class OnChatDeleted(StrEnum):
    """Treatment of the memories of a chat that the user deletes."""

    KEEP = "keep"
    FORGET = "forget"


class ContextStrategy(StrEnum):
    """The form in which a prompt carries the older messages of its own chat."""

    SLIDING_WINDOW = "sliding_window"
    SUMMARIZE = "summarize"
    RETRIEVE = "retrieve"
    COMBINED = "combined"


class PageLanguage(StrEnum):
    BROWSER = "browser"
    ENGLISH = "en"
    CHINESE = "zh"


SUMMARISE = frozenset((ContextStrategy.SUMMARIZE, ContextStrategy.COMBINED))
RECALL_OWN_CHAT = frozenset((ContextStrategy.RETRIEVE, ContextStrategy.COMBINED))


class ContextSettings(Section):
    """Position, templates and limits of memories in the prompt."""

    injection_location: InjectionLocation = Field(
        default=InjectionLocation.IN_CHAT,
        description="Where recalled memories go. IN_CHAT: replayed exchanges, and a block at the "
        "beginning of your message. The other two are long_term_memory's places in the "
        "character's context.",
    )
    strategy: ContextStrategy = Field(
        default=ContextStrategy.RETRIEVE,
        description="What a prompt carries of its own chat's older messages, which no longer fit. "
        "sliding_window: nothing. summarize: their summary. retrieve: those that fit your message. "
        "combined: both. Other chats are always recalled.",
    )
    history_message_strategy: HistoryStrategy = Field(
        default=HistoryStrategy.RECENT,
        description="Which messages of its own chat a prompt shows. recent: the latest that fit. "
        "auto: of these only what no summary or other derived memory was made of yet, within "
        "backend.history_max_messages and backend.context_max_messages. With auto, the beginning "
        "of the prompt changes more often, so the model has to process it again.",
    )
    memory_context_template: str = Field(
        default="{name2} remembers:\n{all_memories}",
        description="The block around all recalled lines. Fields: {name1} {name2} {all_memories}.",
    )
    memory_template: str = Field(
        default="- {time_difference}, {said}",
        description="One recalled line. Fields: {time_difference}, {date}, {said} (both messages "
        "of the exchange, with names), {memory_name} and {memory_message} (speaker and text of the "
        "message that fits better), {name1}, {name2}.",
    )
    derived_template: str = Field(
        default="- {date}: {memory_message}",
        description="One recalled line of a summary, a fact from a chat or an insight, with the "
        "fields of ltm_context.memory_template. {memory_message} says so if it is a story or no "
        "longer true.",
    )
    replay_user_template: str = Field(
        default="[{date}] {message}",
        description="The user's message of a replayed exchange. Fields: {date} {time_difference} "
        "{message} {name1} {name2}.",
    )
    replay_assistant_template: str = Field(
        default="{message}",
        description="The character's message of a replayed exchange, with the fields of "
        "ltm_context.replay_user_template.",
    )
    system_block_template: str = Field(
        default="What {name2} remembers of {name1} from before:\n{all_memories}",
        description="The block that every prompt carries: pinned memories, notes, last "
        "sessions. Fields: {name1} {name2} {all_memories}. All templates also accept {{user}} and "
        "{{char}} for the names.",
    )
    tell_today: bool = Field(
        default=True,
        description="Put the day on which the session began into the system block, so that the "
        "model can tell how old memories are. The day changes only after a pause of "
        "recall.session_pause_min.",
    )
    today_template: str = Field(
        default="Today is {weekday}, {date}.",
        description="The line with the session's day. Fields: {weekday} {date} {name1} {name2}.",
    )
    max_tokens: Count = Field(
        default=450,
        description="Maximum number of tokens for replayed exchanges and lines together.",
    )
    system_block_max_tokens: Count = Field(
        default=250,
        description="Maximum number of tokens in the system block; 0 switches it off. If not "
        "everything fits, long notes are shortened, and the newest come first.",
    )
    window_summary_max_tokens: Count = Field(
        default=300,
        description="Maximum number of tokens for the summary of what has left the prompt, with "
        "the strategies summarize and combined; 0 switches it off.",
    )
    summary_sessions: Count = Field(
        default=2, description="Number of past sessions that the system block summarises."
    )
    recent_turns: Count | None = Field(
        default=None,
        description="Number of latest exchanges in a prompt; older ones can be recalled. null: as "
        "many as fit (in the stand-alone chat: backend.recent_turns). With a number, every message "
        "changes the beginning of the prompt, so the model has to process it again.",
    )
    replay_depth: Count = Field(
        default=1, description="Number of latest exchanges placed after the replayed ones."
    )


class WriteSettings(Section):
    """Storing, forgetting and undo."""

    enabled: bool = Field(
        default=True,
        description="Remember new exchanges. If off, nothing is stored. What is said meanwhile is "
        "never stored, not even once it is on again.",
    )
    min_message_length: Count = Field(
        default=1,
        description="Messages with fewer letters are never recalled. If one message of an exchange "
        "is that short, only the other one is recalled.",
    )
    on_chat_deleted: OnChatDeleted = Field(
        default=OnChatDeleted.KEEP,
        description="What to do with the memories of a deleted chat. keep: they stay until you "
        "forget them in the tab. forget: they are forgotten unless they are pinned or also appear "
        "in another chat.",
    )
    undo_forget_s: Annotated[float, Field(ge=0.0, le=MAX_COUNT)] = Field(
        default=600.0,
        description="Seconds during which a forgotten memory can be restored. After that, its text "
        "is erased from disk.",
    )


class RetentionSettings(Section):
    """Limits on each character's memories; null keeps everything.

    Memories over a limit are forgotten, the oldest first: hidden at once, erased after
    `ltm_writes.undo_forget_s`. Pinned memories and knowledge always stay and do not count.
    """

    max_memories: PositiveCount | None = Field(
        default=None, description="Maximum number of memories, enforced hourly; null: any number."
    )
    max_age_days: Annotated[float, Field(gt=0.0, le=1_000_000.0)] | None = Field(
        default=None,
        description="Forget memories older than this many days; null: never. Undated ones stay.",
    )
    max_mb: Annotated[float, Field(ge=1.0, le=MAX_COUNT)] | None = Field(
        default=None,
        description="Maximum megabytes on disk, with the index, without backups; null: any size.",
    )


class RollingBackupSettings(Section):
    """Copies of all memories outside the extension's folder, which survive its deletion."""

    enabled: bool = Field(
        default=True,
        description="Back up all memories regularly, and before an update of their stored format, "
        "to a folder outside the extension. The backups are not encrypted. Forgotten text is "
        "erased from them, too. If off, no new backups are made and existing ones stay.",
    )
    folder: Folder = Field(
        default="",
        description="The folder for the backups. Empty: long_term_memory_backups in the user_data "
        "of text-generation-webui; outside of it, no backups are made.",
    )
    every_days: Annotated[float, Field(gt=0.0, le=3650.0)] = Field(
        default=7.0, description="Days between two backups. Without changes, none is made."
    )
    keep: Annotated[int, Field(ge=1, le=100)] = Field(
        default=3,
        description="Number of backups to keep. An older one stays while it alone holds a memory.",
    )


class ReadSettings(Section):
    """long_term_memory's limits on recalled memories; null lets this extension choose."""

    max_cosine_distance: Annotated[float, Field(ge=0.0, le=2.0)] | None = Field(
        default=None,
        description="Drop memories at or above this cosine distance; null: the score decides.",
    )
    num_memories_to_fetch: Count | None = Field(
        default=None,
        description="Maximum number of memories per message; null: no limit of its own.",
    )
    memory_length_cutoff_in_chars: PositiveCount = Field(
        default=1000, description="Maximum number of letters of one memory in the prompt."
    )


class RecallSettings(Section):
    """Search, ranking and selection of memories."""

    enabled: bool = Field(default=True, description="Recall memories. If off, prompts get none.")
    visible: Visible = Field(
        default=Visible.AT_ONCE,
        description="When a new memory can be recalled. at_once: as soon as the prompt no longer "
        "shows it. next_session: after a new session starts or after 'Force reload memories'.",
    )
    candidate_n: PositiveCount = Field(
        default=30, description="Number of candidates that the search returns."
    )
    retrieve_k: Count = Field(default=2, description="Number of exchanges replayed as turns.")
    lines: Count = Field(default=8, description="Number of further memories, one line each.")
    sticky_turns: Count = Field(
        default=2, description="A recalled memory stays eligible for this many further messages."
    )
    min_need: Annotated[float, Field(ge=0.0, le=1.0)] = Field(
        default=0.5,
        description="Messages that need a memory with at least this probability get a few short "
        "lines. 0: every message, even small talk. The estimate needs no language model: it uses "
        "the wording of the message and how well the memories match it.",
    )
    full_need: Annotated[float, Field(ge=0.0, le=1.0)] = Field(
        default=0.55,
        description="Messages that need a memory with at least this probability get replayed "
        "exchanges and all lines.",
    )
    min_share: Annotated[float, Field(ge=0.0, le=1.0)] = Field(
        default=0.2,
        description="Drop candidates with a score below this share of the best score.",
    )
    min_score: Annotated[float, Field(ge=0.0)] = Field(
        default=0.0,
        description="Drop candidates with a score below this. A memory that holds all words of the "
        "message scores about 1.7; the embedding model adds up to about 0.6.",
    )
    only_named_dates: bool = Field(
        default=False,
        description="If a message names an explicit date (May 4th 2026, March 2025, 2024), recall "
        "only memories from that time or about it. If off, such memories are only preferred.",
    )
    summary_weight: Annotated[float, Field(ge=0.0, le=10.0)] = Field(
        default=0.5,
        description="How much a summary counts in the order of recalled memories; an exchange "
        "counts 1. 0: summaries are hardly ever recalled.",
    )
    observation_weight: Annotated[float, Field(ge=0.0, le=10.0)] = Field(
        default=1.5,
        description="How much a fact from a chat (an observation) counts; an exchange counts 1. "
        "Facts are short, so several fit into the place of one exchange.",
    )
    insight_weight: Annotated[float, Field(ge=0.0, le=10.0)] = Field(
        default=1.5,
        description="How much an insight, made of several facts, counts; an exchange counts 1.",
    )
    use_gate: bool = Field(
        default=False,
        description="Let the language model drop irrelevant memories (one call per message).",
    )
    gate_keep_max: PositiveCount = Field(
        default=30, description="Maximum number of candidates that pass the gate."
    )
    use_rerank: bool = Field(
        default=False,
        description="Let the language model choose the replayed exchanges (one call per message).",
    )
    time_limit_s: Seconds = Field(
        default=3.0,
        description="Maximum seconds that a message waits for each outside answer: its vector, and "
        "the model's gate and rerank if they are on. For memories that are being opened, rebuilt, "
        "moved or deleted it waits at most this long, and never longer than 2 s.",
    )
    in_incognito: bool = Field(
        default=False, description="Recall memories in incognito chats (which are never stored)."
    )
    session_pause_min: PositiveCount = Field(
        default=240, description="A session ends after a pause of this many minutes."
    )


class CommandSettings(Section):
    """Commands to the memory in messages: /off, /remember, /forget, /memories, /pause."""

    enabled: bool = Field(
        default=True,
        description="Execute commands at the beginning of a message, and 'remember that …' in "
        "plain words. If off, they are ordinary text. Messages that begin with a slash command are "
        "never remembered, on or off.",
    )


class APISettings(Section):
    """Calls that reach the host through its API."""

    default_user: str = Field(
        default="",
        description="The memories used by API calls without a `user` field. The name of a user "
        "profile, such as Default: those of the page. api:NAME: those of calls with that `user`. "
        "Empty: none.",
    )


class Settings(Section):
    """The whole configuration, validated."""

    ltm_context: ContextSettings = ContextSettings()
    ltm_writes: WriteSettings = WriteSettings()
    ltm_reads: ReadSettings = ReadSettings()
    retention: RetentionSettings = RetentionSettings()
    rolling_backup: RollingBackupSettings = RollingBackupSettings()
    guard: GuardSettings = GuardSettings()
    recall: RecallSettings = RecallSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    reranker: RerankerSettings = RerankerSettings()
    llm: LLMSettings = LLMSettings()
    consolidation: ConsolidationSettings = ConsolidationSettings()
    backend: BackendSettings = BackendSettings()
    api: APISettings = APISettings()
    store: StoreSettings = StoreSettings()
    server: ServerSettings = ServerSettings()
    commands: CommandSettings = CommandSettings()
    storage_dir: Folder = Field(
        default="",
        description="The folder for the memories. A relative path starts in the extension's "
        "folder. Empty: user_data/memories beside script.py.",
    )
    allow_remote: bool = Field(
        default=False,
        description="Allow endpoints on other computers. If off, they are refused.",
    )
    language: Annotated[PageLanguage, BeforeValidator(lambda given: given or "browser")] = Field(
        default=PageLanguage.BROWSER,
        description="Language of the tab. browser, or empty: the browser's language.",
    )
    console_texts: bool = Field(
        default=False,
        description="Show the text of recalled and new memories in the console, not only "
        "their number. Text printed there stays when a memory is forgotten.",
    )
    trace_turns: PositiveCount = Field(
        default=50, description="Number of messages whose memories “Last answer” can still show."
    )

    @property
    def for_copies(self) -> "Settings":
        """The settings for work on copies: stored in files, with a guard that keeps everything."""
        return self.model_copy(update={"guard": GuardSettings(), "store": StoreSettings()})
