"""One message on its way to the model: compare, fit, recall, plan, build, trace."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ..config.schema import Settings
from ..domain.namespaces import Namespace
from ..domain.records import Exchange
from ..memory.console import log_recall
from ..memory.runtime import Runtime
from ..memory.traces import Trace
from ..prompt.fit_window import estimate_tokens, fit_window
from ..prompt.plan import (
    PromptInputs,
    PromptLayout,
    PromptPlan,
    SystemLine,
    build_system_block,
    make_plan,
    reserved_tokens,
)
from ..prompt.system_lines import standing_lines
from ..prompt.window import Window
from ..recall.query import Query, local_time
from ..recall.results import Recall
from ..storage.contract import Page
from ..storage.sessions import session_at
from ..text.sentences import abridge
from ..text.token_counter import CachedCounter, EstimateCounter, TokenCounter
from .activity import Activity, SkipReason
from .chat.codec import to_host, to_unreadable
from .chat.exchanges import to_exchanges
from .chat.host_protocol import Host
from .chat.turn_request import UNLIMITED, TurnRequest
from .conversation_state import ConversationState, ConversationStates
from .delivery import BuiltPrompt, build_fitting_prompt
from .notices import budget_notice

_SAFETY_FACTOR = 1.1
_RESCALE_BELOW = 0.93
_MIN_SCALE = 0.25
_MIN_FILL_DIVISOR = 4
_CONTEXT_CHARS = 600
_LOCAL_MODEL_KINDS = frozenset(("auto", "none", "fastembed", "sentence-transformers"))


class PromptBuilder:
    """Builds one prompt with memories in it. Holds no host dict beyond the call."""

    def __init__(self, runtime: Runtime, host: Host) -> None:
        self._runtime = runtime
        self.host = host
        self._estimate = EstimateCounter()
        self._exact = CachedCounter(self._count_exactly, name="host")
        self._thread_local = threading.local()
        self.conversation_states = ConversationStates()
        runtime.on_forgotten(
            lambda forgotten: self.conversation_states.forget_namespace(forgotten.namespace)
        )
        self.activity = Activity()
        self.follow_settings()

    def follow_settings(self) -> None:
        """Chooses what always stands in the prompt by the settings of now."""
        self._standing = standing_lines(self._runtime.memory, self._runtime.settings)

    def is_injecting(self) -> bool:
        """Whether the prompt that this thread is building brings recalled memories in."""
        return bool(getattr(self._thread_local, "injects", False))

    def build(self, asked: TurnRequest, namespace: Namespace) -> BuiltPrompt:
        """The prompt that goes out, if one can be built; its trace is kept if there may be one."""
        started = time.perf_counter()
        thread = self.conversation_states.get(
            (namespace, asked.conversation or asked.prompt_window.question)
        )
        recall, delivered = self._recall_and_build(asked, namespace, thread)
        self._count_outcome(asked, namespace)
        if delivered.shrink_factor > 1.0:
            # More rows had to leave than recall knew of: what they said can be recalled now.
            thread.token_scale *= delivered.shrink_factor
            recall, delivered = self._recall_and_build(asked, namespace, thread)
        self._learn_scale(delivered, thread, asked.token_limit)
        if asked.may_be_traced:
            trace = _make_trace(asked, namespace, recall, delivered, ts=self._runtime.clock())
            added = (time.perf_counter() - started) * 1000
            trace = replace(trace, added_ms=added)
            self._runtime.traces.add(namespace, trace)
            if _skip_reason(asked, self._runtime.settings) is None or trace.skipped:
                log_recall(namespace, trace, self._runtime.settings)
        return delivered

    def _count_outcome(self, asked: TurnRequest, namespace: Namespace) -> None:
        if skip := _skip_reason(asked, self._runtime.settings):
            self.activity.record_skip(skip, namespace)
        elif not asked.identity.is_incognito:
            self.activity.record_recall(namespace)

    def _recall_and_build(
        self, asked: TurnRequest, namespace: Namespace, thread: ConversationState
    ) -> tuple[Recall, BuiltPrompt]:
        shown = self.fitted_window(asked, thread.token_scale)
        material = self._prompt_inputs(asked, namespace)
        material = replace(
            material, today=self._session_start_to_show(asked, namespace, thread, material, shown)
        )
        stands = build_system_block(shown, material)
        recall = self._recall(asked, namespace, thread, shown=shown, stands=stands.whole_ids)
        material = replace(material, recalled=recall.kept, stands=stands)
        return recall, build_fitting_prompt(
            asked.prompt_window,
            attempt=self._make_planner(asked, material, shown, scale=thread.token_scale),
            build=lambda window: self._build_host_prompt(asked, window),
            count_prompt=lambda prompt: self._count_if_near(prompt, asked.token_limit, thread),
            limit=asked.token_limit,
        )

    def fitted_window(self, asked: TurnRequest, scale: float) -> Window:
        """The window without the oldest rows, such that memory has its room."""
        return fit_window(
            asked.with_recent_turns(self._runtime.settings.ltm_context.recent_turns),
            limit_tokens=asked.token_limit,
            reserved_tokens=reserved_tokens(self._runtime.settings.ltm_context, asked.token_limit),
            count=self._estimate.count,
            scale=scale,
        ).window

    def _recall(
        self,
        asked: TurnRequest,
        namespace: Namespace,
        thread: ConversationState,
        *,
        shown: Window,
        stands: frozenset[str],
    ) -> Recall:
        question = asked.prompt_window.question
        settings = self._runtime.settings.recall
        if _skip_reason(asked, self._runtime.settings):
            return Recall()
        if asked.is_tool_turn and thread.last_recall and thread.last_recall[0] == question:
            return thread.last_recall[1]
        query = Query(
            text=abridge(question),
            names=(asked.speakers.user_name, asked.speakers.assistant_name),
            conversation=asked.conversation,
            context=_context_texts(
                asked.previous_exchanges,
                since=self._runtime.clock() - 60.0 * settings.session_pause_min,
            ),
            shown_keys=frozenset(it.key for it in to_exchanges(shown.rows, asked.speakers)),
            stale_ids=self._stale_ids(asked, namespace),
            in_system_block=stands,
            carried_over_scores=thread.carried_over_scores(question, settings.sticky_turns),
            now=local_time(self._runtime.clock()),
            only_named_dates=settings.only_named_dates,
        )
        recall = self._runtime.memory.recall(namespace, query)
        if not asked.is_off_record:
            thread.remember(question, recall, settings.sticky_turns)
        return recall

    def _stale_ids(self, asked: TurnRequest, namespace: Namespace) -> frozenset[str]:
        """What is written of this chat but no longer said in it."""
        if asked.is_unreadable or not asked.conversation:
            return frozenset()
        whole = asked.identity.chat_file is not None
        memory = self._runtime.memory
        return memory.compare(namespace, asked.conversation, asked.exchanges, whole=whole).stale_ids

    def _prompt_inputs(self, asked: TurnRequest, namespace: Namespace) -> PromptInputs:
        """All but what is recalled."""
        settings = self._runtime.settings
        material = PromptInputs(
            system_lines=self._system_lines(asked, namespace),
            settings=settings.ltm_context,
            read_settings=settings.ltm_reads,
            count=self._token_counter().count,
            limit_tokens=asked.token_limit,
            now=self._runtime.clock(),
        )
        told = budget_notice(asked.command, asked.prompt_window, material)
        return replace(material, notices=(*asked.notices, *told))

    def _session_start_to_show(
        self,
        asked: TurnRequest,
        namespace: Namespace,
        thread: ConversationState,
        material: PromptInputs,
        shown: Window,
    ) -> float | None:
        """When the sitting began, from the first prompt in it for which there are memories."""
        pause_s = 60.0 * self._runtime.settings.recall.session_pause_min
        sitting = session_at(
            material.now, known=thread.session, said=asked.exchanges, pause_s=pause_s
        )
        thread.session = sitting
        if not (material.settings.tell_today and self._has_system_block(asked)):
            return None
        if not sitting.shows_today:
            has_any = bool(material.system_lines or material.recalled)
            sitting.shows_today = has_any or self._has_memories(asked, namespace, shown)
        return sitting.started_at if sitting.shows_today else None

    def _has_memories(self, asked: TurnRequest, namespace: Namespace, shown: Window) -> bool:
        """Whether there is anything to recall beside what the prompt shows anyway."""
        keys = {it.key for it in to_exchanges(shown.rows, asked.speakers)}
        latest = self._runtime.memory.latest(namespace, Page(limit=len(keys) + 1))
        return any(it.key not in keys for it in latest)

    def _has_system_block(self, asked: TurnRequest) -> bool:
        settings = self._runtime.settings
        if not (settings.recall.enabled and settings.ltm_context.system_block_max_tokens):
            return False
        return not (asked.is_recall_off or asked.busy_reason)

    def _system_lines(self, asked: TurnRequest, namespace: Namespace) -> list[SystemLine]:
        if not self._has_system_block(asked):
            return []
        began = next((it.ts for it in asked.exchanges if it.ts is not None), self._runtime.clock())
        lines = self._standing.lines(namespace, asked.conversation, began=began)
        return [it.to_system_line for it in lines]

    def _make_planner(
        self, asked: TurnRequest, material: PromptInputs, shown: Window, *, scale: float
    ) -> Callable[[PromptLayout, float], PromptPlan]:
        def attempt(shape: PromptLayout, stretch: float) -> PromptPlan:
            window = shown if stretch == 1.0 else self.fitted_window(asked, scale * stretch)
            plan = make_plan(window, material, shape=shape)
            self._thread_local.injects = bool(plan.block or plan.replayed)
            return plan

        return attempt

    def _build_host_prompt(self, asked: TurnRequest, window: Window) -> str:
        """The host's prompt for this window; it is measured afterwards, so nothing is cut here."""
        carry = to_unreadable if asked.is_unreadable else to_host
        user_input, state, history = carry(window, asked.state, asked.history)
        if not asked.is_unreadable:  # nobody else can shorten that
            state["truncation_length"] = UNLIMITED
        try:
            return self.host.build_prompt(
                user_input, state, history=history, continuing=window.is_continuing
            )
        finally:
            self._thread_local.injects = (
                False  # what this thread builds next may be the untouched prompt
            )

    def _token_counter(self) -> TokenCounter:
        return self._estimate if self.host.count_tokens("") is None else self._exact

    def _count_exactly(self, text: str) -> int:
        counted = self.host.count_tokens(text)
        return self._estimate.count(text) if counted is None else counted

    def _count_if_near(self, prompt: str, limit: int, thread: ConversationState) -> int | None:
        """The real count, left out where a scale once learned puts the limit far away."""
        expected = self._estimate.count(prompt) * thread.token_scale
        if thread.is_scale_learned and expected * _SAFETY_FACTOR < limit:
            return None
        return self.host.count_tokens(prompt)

    def _learn_scale(self, delivered: BuiltPrompt, thread: ConversationState, limit: int) -> None:
        """Follows the real ratio upward at once and downward only when clearly off.

        A ratio that wavers would let the first row shown waver with it.
        """
        if delivered.tokens is None or delivered.plan is None:
            return
        estimated = estimate_tokens(delivered.plan.base_window, self._estimate.count)
        if estimated * _MIN_FILL_DIVISOR < limit:
            return  # what a template adds to every prompt would be taken for the words' own cost
        seen = (delivered.tokens - delivered.plan.tokens) / max(1, estimated)
        thread.is_scale_learned = True
        if seen > thread.token_scale or seen < _RESCALE_BELOW * thread.token_scale:
            thread.token_scale = max(_MIN_SCALE, seen * 1.01)


def _skip_reason(asked: TurnRequest, settings: Settings) -> SkipReason | None:
    """What keeps recall out of this message, if anything."""
    reasons = {
        SkipReason.SWITCHED_OFF: not settings.recall.enabled,
        SkipReason.NO_TEXT: not asked.prompt_window.question,
        SkipReason.INCOGNITO: asked.is_recall_off and asked.identity.is_incognito,
        SkipReason.PAUSED: asked.is_recall_off,
        SkipReason.COMMAND: not asked.wants_recall,
        SkipReason.OFF_RECORD: asked.is_off_record and not is_fully_local(settings),
        SkipReason.BUSY: bool(asked.busy_reason),
    }
    return next((skip for skip, holds in reasons.items() if holds), None)


def is_fully_local(settings: Settings) -> bool:
    """Whether recall asks nobody outside this process: no server, no code of somebody else."""
    models = (settings.embedder.kind, settings.reranker.kind)
    asks_model = settings.recall.use_gate or settings.recall.use_rerank
    if asks_model or any(kind not in _LOCAL_MODEL_KINDS for kind in models):
        return False
    return settings.embedder.kind != "auto" or not settings.embedder.base_url


def _context_texts(before: Sequence[Exchange], *, since: float) -> tuple[str, ...]:
    """Returns what was said before the message, unless it was said before `since`."""
    for it in before:
        if it.ts is None or it.ts > since:
            return tuple(text[-_CONTEXT_CHARS:] for text in (it.user, it.assistant) if text)
    return ()


def _make_trace(
    asked: TurnRequest, namespace: Namespace, recall: Recall, delivered: BuiltPrompt, *, ts: float
) -> Trace:
    plan = delivered.plan
    return Trace(
        ts=ts,
        user=namespace.user,
        character=namespace.character or namespace.scope,
        conversation=asked.conversation,
        query=asked.prompt_window.question,
        mode=asked.prompt_window.mode,
        recall=recall,
        dropped=plan.dropped if plan else (),
        injected=plan.injected if plan else (),
        injected_text=_injected_text(plan) if plan else "",
        system_block=plan.system_block if plan else "",
        tokens=plan.tokens if plan else 0,
        skipped=_skip_message(asked),
        notes=(
            *recall.degraded_reasons,
            *recall.notes,
            *delivered.faults,
            *(plan.problems if plan else ()),
        ),
    )


def _skip_message(asked: TurnRequest) -> str:
    """Why nothing was recalled, if so."""
    if asked.busy_reason:
        return asked.busy_reason
    if asked.is_recall_off:
        return "recall is paused in this chat"
    return "" if asked.prompt_window.question else "there is no text of yours to recall for"


def _injected_text(plan: PromptPlan) -> str:
    """The exact texts, in the order of the prompt."""
    turns: Iterable[str] = (f"{user}\n{assistant}" for user, assistant in plan.replayed)
    return "\n\n".join(text for text in (plan.system_block, *turns, plan.block) if text)
