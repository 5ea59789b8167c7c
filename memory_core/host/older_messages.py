"""Puts a chat's older messages into its prompt: not at all, as a summary, or as memories.

Also limits the prompt to the latest messages, those that are in no derived memory yet.
"""

from collections.abc import Sequence
from dataclasses import replace

from ..config.schema import RECALL_OWN_CHAT, SUMMARISE, ContextStrategy, Settings
from ..domain.errors import StorageError
from ..domain.namespaces import Namespace
from ..domain.records import Exchange
from ..memory.derived_memories import exchanges_in, memorised_ids
from ..memory.long_term_memory import LongTermMemory
from ..memory.runtime import Runtime
from ..prompt.system_block import SystemLine
from ..prompt.window import Window
from ..prompt.window_lines import WindowLineCache
from ..text.private_parts import stored_keys
from .chat.exchanges import to_exchanges
from .chat.turn_request import UNLIMITED, TurnRequest

PART = "window"


class OlderMessages:
    """Follows ltm_context.strategy and ltm_context.recent_turns."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._lines = WindowLineCache(runtime.memory)

    @classmethod
    def if_configured(cls, runtime: Runtime) -> "OlderMessages | None":
        """Returns None with settings that leave older messages to recall alone, as by default."""
        own = runtime.settings.ltm_context
        if own.strategy is ContextStrategy.RETRIEVE and own.recent_turns is None:
            runtime.clear(PART)
            return None
        return cls(runtime)

    def summary_lines(self, request: TurnRequest, shown: Window, language: str) -> list[SystemLine]:
        """Returns the lines that sum up the messages that this window no longer shows."""
        settings = self._runtime.settings
        if not (_has_summary(request, settings) and request.conversation):
            return []
        gone = _gone(request, shown)
        lines = self._lines.lines(
            request.namespace,
            request.conversation,
            gone=[key for exchange in gone for key in stored_keys([exchange])],
            language=language,
        )
        return [line for line in lines if line.uses_none_of(request.left_out)]

    def keys_without_recall(self, request: TurnRequest) -> frozenset[str]:
        """Returns the content keys of the chat's exchanges if recall leaves them out."""
        if self._runtime.settings.ltm_context.strategy in RECALL_OWN_CHAT:
            return frozenset()
        return stored_keys(request.exchanges)

    def report_narrow_context(self, request: TurnRequest, shown: Window) -> None:
        """Shows a problem if the configured window is larger than the model's context."""
        problem = _narrow_context(request, shown, self._runtime.settings)
        if problem:
            self._runtime.report(PART, problem)
        else:
            self._runtime.clear(PART)


def _has_summary(request: TurnRequest, settings: Settings) -> bool:
    own = settings.ltm_context
    is_wanted = settings.recall.enabled and own.strategy in SUMMARISE
    is_possible = not (request.is_recall_off or request.busy_reason or request.is_unreadable)
    return is_wanted and bool(own.window_summary_max_tokens) and is_possible


def _gone(request: TurnRequest, shown: Window) -> Sequence[Exchange]:
    """Returns the exchanges of the chat before those that the window shows."""
    count = len(request.exchanges) - len(to_exchanges(shown.past_rows, request.speakers))
    if request.prompt_window.is_continuing:
        count -= 1
    return request.exchanges[: max(0, count)]


def _narrow_context(request: TurnRequest, shown: Window, settings: Settings) -> str:
    """Returns a description of the part that does not fit, or an empty text."""
    if request.token_limit == UNLIMITED or request.is_unreadable:
        return ""
    wanted = settings.ltm_context.recent_turns
    if len(shown.rows) >= len(request.with_recent_turns(wanted).rows):
        return ""
    limit = f"the model's context of {request.token_limit:,} tokens without the answer"
    if wanted is not None:
        return (
            f"the latest {wanted} exchanges (ltm_context.recent_turns) do not fit {limit}: "
            "fewer are shown; lower the setting or load the model with a larger context"
        )
    untouched = settings.consolidation.summarize_after_messages
    seen = 2 * len(to_exchanges(shown.past_rows, request.speakers))
    if settings.ltm_context.strategy in SUMMARISE and seen < untouched:
        return (
            f"the latest {untouched} messages (consolidation.summarize_after_messages) do not fit "
            f"{limit}: those that left the prompt and have no summary are quoted in extracts; "
            "lower the setting or load the model with a larger context"
        )
    return ""


def without_memorised_turns(runtime: Runtime, request: TurnRequest) -> TurnRequest:
    """Limits the prompt's turns. A chat without recall keeps all of them."""
    settings = runtime.settings
    is_recalling = settings.recall.enabled and not (request.is_recall_off or request.busy_reason)
    if not (is_recalling and request.conversation) or request.is_unreadable:
        return request
    try:
        fresh = _unmemorised_turns(runtime.memory, request, settings)
    except (StorageError, OSError):  # recall has this fault, too, and reports it
        return request
    return replace(request, most_turns=fresh)


def _unmemorised_turns(memory: LongTermMemory, request: TurnRequest, settings: Settings) -> int:
    """Counts the exchanges of the chat after the last one that is in a derived memory."""
    looked_at = exchanges_in(settings.backend.history_max_messages)
    latest = request.exchanges[-looked_at:] if looked_at else ()
    memorised = _memorised_keys(memory, request.namespace, request.conversation, looked_at)
    fresh = len(latest) - _end_of_memorised(latest, memorised)
    return min(fresh, exchanges_in(settings.backend.context_max_messages))


def _memorised_keys(
    memory: LongTermMemory, namespace: Namespace, conversation: str, limit: int
) -> frozenset[str]:
    said = memory.conversation(namespace, conversation, limit) if limit else []
    found = memorised_ids(memory, namespace, [one.id for one in said])
    return frozenset(one.key for one in said if one.id in found)


def _end_of_memorised(latest: Sequence[Exchange], memorised: frozenset[str]) -> int:
    """Returns the index after the last memorised exchange, 0 if there is none."""
    for index in reversed(range(len(latest))):
        if not memorised.isdisjoint(stored_keys([latest[index]])):
            return index + 1
    return 0
