"""Records what memory did for each message, for the tab.

Recalls and skipped recalls are counted by namespace since the program started. The trace of a
prompt has its memories, and may be saved on disk if the message itself may.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum

from ..domain.errors import StorageError
from ..domain.namespaces import Namespace
from ..infra.lru_cache import LRUCache
from ..memory.runtime import Runtime
from ..memory.traces import Trace
from ..prompt.plan import PromptPlan
from ..text.commands.parser import is_command_message
from .chat.turn_request import UNLIMITED, TurnRequest
from .delivery import BuiltPrompt

_MAX_NAMESPACES = 64


class SkipReason(StrEnum):
    """The reason why recall did not run for a message."""

    NO_API_USER = "no_api_user"
    NOBODY = "nobody"
    INCOGNITO = "incognito"
    PAUSED = "paused"
    COMMAND = "command"
    OFF_RECORD = "off_record"
    NO_TEXT = "no_text"
    SWITCHED_OFF = "switched_off"
    BUSY = "busy"
    FAILED = "failed"


COMMAND = "the message was a command to the memory"
_EXPLANATIONS = {
    SkipReason.SWITCHED_OFF: "recall is switched off",
    SkipReason.PAUSED: "recall is paused in this chat",
    SkipReason.NO_TEXT: "the message has no text to recall for",
    SkipReason.COMMAND: COMMAND,
}


class Activity:
    """Counts by namespace, where None is an unknown user. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last_recalls: LRUCache[Namespace, float] = LRUCache(_MAX_NAMESPACES)
        self._skips: LRUCache[Namespace | None, Counter[SkipReason]] = LRUCache(_MAX_NAMESPACES)

    def record_recall(self, namespace: Namespace) -> None:
        self._last_recalls.put(namespace, time.time())

    def last_recall(self, namespace: Namespace | None = None) -> float:
        """Returns the time of the last recall in seconds since the epoch, or 0 for never.

        Without a namespace it is the last recall of any.
        """
        times = dict(self._last_recalls.items())
        return max(times.values(), default=0.0) if namespace is None else times.get(namespace, 0.0)

    def record_skip(self, skip: SkipReason, namespace: Namespace | None) -> None:
        with self._lock:
            counts = self._skips.get(namespace) or Counter()
            counts[skip] += 1
            self._skips.put(namespace, counts)

    def skip_counts(self, namespace: Namespace) -> Mapping[SkipReason, int]:
        """Returns how often recall was skipped in this namespace, by reason."""
        with self._lock:
            return Counter(self._skips.get(namespace) or {})

    def all_skip_counts(self) -> Mapping[SkipReason, int]:
        with self._lock:
            return sum((counts for _, counts in self._skips.items()), Counter())


def record_trace(
    request: TurnRequest,
    built: BuiltPrompt,
    runtime: Runtime,
    *,
    skip_reason: SkipReason | None,
    chat_tokens: int,
    added_ms: float,
) -> None:
    """Keeps the trace, and notes the recall, or the reason for none, for console and tab.

    `skip_reason` is None if recall ran. `chat_tokens` are those of the chat alone, `added_ms` the
    time that memory took.
    """
    plan, recall, namespace = built.plan, built.recall, request.namespace
    is_command = skip_reason is SkipReason.COMMAND
    trace = Trace(
        ts=runtime.clock(),
        user=namespace.user,
        character=namespace.character or namespace.scope,
        conversation=request.conversation,
        query=(request.raw_window if is_command else request.prompt_window).question,
        mode=request.prompt_window.mode,
        recall=recall,
        dropped=plan.dropped if plan else (),
        injected=plan.injected if plan else (),
        injected_text=_injected_text(plan) if plan else "",
        system_block=plan.system_block if plan else "",
        tokens=plan.tokens if plan else 0,
        limit_tokens=0 if request.token_limit == UNLIMITED else request.token_limit,
        chat_tokens=chat_tokens,
        skipped=_explanation(skip_reason, request) if skip_reason else "",
        notes=(
            *recall.degraded_reasons,
            *recall.notes,
            *built.faults,
            *(plan.problems if plan else ()),
        ),
        may_be_saved=_may_be_saved(request, runtime),
        added_ms=added_ms,
    )
    runtime.traces.add(namespace, trace)
    if not is_command:
        runtime.journal.add_recall(namespace, trace)


def _may_be_saved(request: TurnRequest, runtime: Runtime) -> bool:
    """Returns whether the trace may stay on disk: only if the message itself may.

    Traces of commands may not, because their replies can quote a memory that was just forgotten;
    nor may that of a message with a private part that the guard does not store.
    """
    is_private = request.identity.is_incognito or request.is_unstored
    is_command = (
        request.command
        or request.notices
        or is_command_message(request.raw_window.question.strip())  # also if they are switched off
    )
    if is_private or is_command or request.is_unreadable or not runtime.settings.ltm_writes.enabled:
        return False
    guard = runtime.memory.guard
    if guard.forbidden and guard.is_forbidden(request.prompt_window.question):
        return False
    try:
        return not runtime.pauses.is_writing_paused(request.namespace, request.conversation)
    except (StorageError, OSError):
        return False  # the chat may be paused


def _explanation(reason: SkipReason, request: TurnRequest) -> str:
    return request.busy_reason if reason is SkipReason.BUSY else _EXPLANATIONS[reason]


def _injected_text(plan: PromptPlan) -> str:
    """Returns the injected texts in the order of the prompt."""
    turns: Iterable[str] = (f"{user}\n{assistant}" for user, assistant in plan.replayed)
    return "\n\n".join(text for text in (plan.system_block, *turns, plan.block) if text)
