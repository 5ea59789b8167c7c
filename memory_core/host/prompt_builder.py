"""One message on its way to the model: compare, fit, recall, plan, build, trace."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ..config.schema import Settings
from ..domain.namespaces import Namespace
from ..domain.records import Exchange
from ..memory.console import tell_recall
from ..memory.runtime import Runtime
from ..memory.traces import Trace
from ..prompt.fit_window import estimate, fit
from ..prompt.plan import Material, Plan, Shape, SystemLine, make_plan, reserved_tokens, standing
from ..prompt.system_lines import standing_lines
from ..prompt.window import Window
from ..recall.query import Query, at
from ..recall.results import Recall
from ..storage.contract import Page
from ..storage.sessions import sitting_at
from ..text.sentences import gist
from ..text.token_counter import CachedCounter, EstimateCounter, TokenCounter
from .activity import Activity, Skip
from .chat.codec import to_host, to_unknown
from .chat.exchanges import exchanges
from .chat.host_protocol import Host
from .chat.turn_request import UNLIMITED, Asked
from .conversation_state import Thread, Threads
from .delivery import Delivered, deliver
from .notices import told_of_room

_SURELY = 1.1
_CLEARLY_OFF = 0.93
_LEAST_SCALE = 0.25
_TOO_SHORT = 4
_CONTEXT_CHARS = 600
_WITHIN_PROCESS = frozenset(("auto", "none", "fastembed", "sentence-transformers"))


class TurnBuilder:
    """Builds one prompt with memories in it. Holds no host dict beyond the call."""

    def __init__(self, runtime: Runtime, host: Host) -> None:
        self._runtime = runtime
        self.host = host
        self._estimate = EstimateCounter()
        self._exact = CachedCounter(self._count_exactly, name="host")
        self._here = threading.local()
        self.threads = Threads()
        runtime.on_forgotten(lambda forgotten: self.threads.drop(forgotten.namespace))
        self.activity = Activity()
        self.follow_settings()

    def follow_settings(self) -> None:
        """Chooses what always stands in the prompt by the settings of now."""
        self._standing = standing_lines(self._runtime.memory, self._runtime.settings)

    def is_injecting(self) -> bool:
        """Whether the prompt that this thread is building brings recalled memories in."""
        return bool(getattr(self._here, "injects", False))

    def build(self, asked: Asked, namespace: Namespace) -> Delivered:
        """The prompt that goes out, if one can be built; its trace is kept if there may be one."""
        started = time.perf_counter()
        thread = self.threads.of((namespace, asked.conversation or asked.window.question))
        recall, delivered = self._attempted(asked, namespace, thread)
        self._tally(asked, namespace)
        if delivered.stretch > 1.0:
            # More rows had to leave than recall knew of: what they said can be recalled now.
            thread.scale *= delivered.stretch
            recall, delivered = self._attempted(asked, namespace, thread)
        self._learn_scale(delivered, thread, asked.limit)
        if asked.may_be_traced:
            trace = _trace(asked, namespace, recall, delivered, ts=self._runtime.clock())
            added = (time.perf_counter() - started) * 1000
            trace = replace(trace, added_ms=added)
            self._runtime.traces.add(namespace, trace)
            if _why_not(asked, self._runtime.settings) is None or trace.skipped:
                tell_recall(namespace, trace, self._runtime.settings)
        return delivered

    def _tally(self, asked: Asked, namespace: Namespace) -> None:
        if skip := _why_not(asked, self._runtime.settings):
            self.activity.skipped(skip, namespace)
        elif not asked.where.incognito:
            self.activity.recalled(namespace)

    def _attempted(
        self, asked: Asked, namespace: Namespace, thread: Thread
    ) -> tuple[Recall, Delivered]:
        shown = self.fitted(asked, thread.scale)
        material = self._material(asked, namespace)
        material = replace(material, today=self._today(asked, namespace, thread, material, shown))
        stands = standing(shown, material)
        recall = self._recall(asked, namespace, thread, shown=shown, stands=stands.whole)
        material = replace(material, kept=recall.kept, stands=stands)
        return recall, deliver(
            asked.window,
            attempt=self._attempt(asked, material, shown, scale=thread.scale),
            build=lambda window: self._build(asked, window),
            count_prompt=lambda prompt: self._count_if_near(prompt, asked.limit, thread),
            limit=asked.limit,
        )

    def fitted(self, asked: Asked, scale: float) -> Window:
        """The window without the oldest rows, such that memory has its room."""
        return fit(
            asked.offered(self._runtime.settings.ltm_context.recent_turns),
            limit_tokens=asked.limit,
            reserved_tokens=reserved_tokens(self._runtime.settings.ltm_context, asked.limit),
            count=self._estimate.count,
            scale=scale,
        ).window

    def _recall(
        self,
        asked: Asked,
        namespace: Namespace,
        thread: Thread,
        *,
        shown: Window,
        stands: frozenset[str],
    ) -> Recall:
        question = asked.window.question
        settings = self._runtime.settings.recall
        if _why_not(asked, self._runtime.settings):
            return Recall()
        if asked.is_tool_turn and thread.last and thread.last[0] == question:
            return thread.last[1]
        query = Query(
            text=gist(question),
            names=(asked.cast.user_name, asked.cast.assistant_name),
            conversation=asked.conversation,
            context=_said_before(
                asked.before, since=self._runtime.clock() - 60.0 * settings.session_pause_min
            ),
            shown=frozenset(it.key for it in exchanges(shown.rows, asked.cast)),
            stale=self._stale(asked, namespace),
            standing=stands,
            sticky=thread.lent(question, settings.sticky_turns),
            now=at(self._runtime.clock()),
            only_named_dates=settings.only_named_dates,
        )
        recall = self._runtime.memory.recall(namespace, query)
        if not asked.is_off_record:
            thread.remember(question, recall, settings.sticky_turns)
        return recall

    def _stale(self, asked: Asked, namespace: Namespace) -> frozenset[str]:
        """What is written of this chat but no longer said in it."""
        if asked.is_unknown or not asked.conversation:
            return frozenset()
        whole = asked.where.chat_file is not None
        memory = self._runtime.memory
        return memory.compare(namespace, asked.conversation, asked.said, whole=whole).stale

    def _material(self, asked: Asked, namespace: Namespace) -> Material:
        """All but what is recalled."""
        settings = self._runtime.settings
        material = Material(
            system_lines=self._system_lines(asked, namespace),
            settings=settings.ltm_context,
            reads=settings.ltm_reads,
            count=self._counter().count,
            limit_tokens=asked.limit,
            now=self._runtime.clock(),
        )
        told = told_of_room(asked.command, asked.window, material)
        return replace(material, notices=(*asked.notices, *told))

    def _today(
        self,
        asked: Asked,
        namespace: Namespace,
        thread: Thread,
        material: Material,
        shown: Window,
    ) -> float | None:
        """When the sitting began, from the first prompt in it for which there are memories."""
        pause_s = 60.0 * self._runtime.settings.recall.session_pause_min
        sitting = sitting_at(material.now, known=thread.sitting, said=asked.said, pause_s=pause_s)
        thread.sitting = sitting
        if not (material.settings.tell_today and self._has_system_block(asked)):
            return None
        if not sitting.tells_today:
            has_any = bool(material.system_lines or material.kept)
            sitting.tells_today = has_any or self._has_memories(asked, namespace, shown)
        return sitting.began if sitting.tells_today else None

    def _has_memories(self, asked: Asked, namespace: Namespace, shown: Window) -> bool:
        """Whether there is anything to recall beside what the prompt shows anyway."""
        keys = {it.key for it in exchanges(shown.rows, asked.cast)}
        latest = self._runtime.memory.latest(namespace, Page(limit=len(keys) + 1))
        return any(it.key not in keys for it in latest)

    def _has_system_block(self, asked: Asked) -> bool:
        settings = self._runtime.settings
        if not (settings.recall.enabled and settings.ltm_context.system_block_max_tokens):
            return False
        return not (asked.is_recall_off or asked.busy)

    def _system_lines(self, asked: Asked, namespace: Namespace) -> list[SystemLine]:
        if not self._has_system_block(asked):
            return []
        began = next((it.ts for it in asked.said if it.ts is not None), self._runtime.clock())
        lines = self._standing.lines(namespace, asked.conversation, began=began)
        return [it.placed for it in lines]

    def _attempt(
        self, asked: Asked, material: Material, shown: Window, *, scale: float
    ) -> Callable[[Shape, float], Plan]:
        def attempt(shape: Shape, stretch: float) -> Plan:
            window = shown if stretch == 1.0 else self.fitted(asked, scale * stretch)
            plan = make_plan(window, material, shape=shape)
            self._here.injects = bool(plan.block or plan.replayed)
            return plan

        return attempt

    def _build(self, asked: Asked, window: Window) -> str:
        """The host's prompt for this window; it is measured afterwards, so nothing is cut here."""
        carry = to_unknown if asked.is_unknown else to_host
        user_input, state, history = carry(window, asked.state, asked.history)
        if not asked.is_unknown:  # nobody else can shorten that
            state["truncation_length"] = UNLIMITED
        try:
            return self.host.build_prompt(
                user_input, state, history=history, continuing=window.continuing
            )
        finally:
            self._here.injects = False  # what this thread builds next may be the untouched prompt

    def _counter(self) -> TokenCounter:
        return self._estimate if self.host.count_tokens("") is None else self._exact

    def _count_exactly(self, text: str) -> int:
        counted = self.host.count_tokens(text)
        return self._estimate.count(text) if counted is None else counted

    def _count_if_near(self, prompt: str, limit: int, thread: Thread) -> int | None:
        """The real count, left out where a scale once learned puts the limit far away."""
        expected = self._estimate.count(prompt) * thread.scale
        if thread.learned and expected * _SURELY < limit:
            return None
        return self.host.count_tokens(prompt)

    def _learn_scale(self, delivered: Delivered, thread: Thread, limit: int) -> None:
        """Follows the real ratio upward at once and downward only when clearly off.

        A ratio that wavers would let the first row shown waver with it.
        """
        if delivered.tokens is None or delivered.plan is None:
            return
        estimated = estimate(delivered.plan.base, self._estimate.count)
        if estimated * _TOO_SHORT < limit:
            return  # what a template adds to every prompt would be taken for the words' own cost
        seen = (delivered.tokens - delivered.plan.tokens) / max(1, estimated)
        thread.learned = True
        if seen > thread.scale or seen < _CLEARLY_OFF * thread.scale:
            thread.scale = max(_LEAST_SCALE, seen * 1.01)


def _why_not(asked: Asked, settings: Settings) -> Skip | None:
    """What keeps recall out of this message, if anything."""
    reasons = {
        Skip.SWITCHED_OFF: not settings.recall.enabled,
        Skip.NO_TEXT: not asked.window.question,
        Skip.INCOGNITO: asked.is_recall_off and asked.where.incognito,
        Skip.PAUSED: asked.is_recall_off,
        Skip.COMMAND: not asked.wants_recall,
        Skip.OFF_RECORD: asked.is_off_record and not stays_here(settings),
        Skip.BUSY: bool(asked.busy),
    }
    return next((skip for skip, holds in reasons.items() if holds), None)


def stays_here(settings: Settings) -> bool:
    """Whether recall asks nobody outside this process: no server, no code of somebody else."""
    models = (settings.embedder.kind, settings.reranker.kind)
    asks_model = settings.recall.use_gate or settings.recall.use_rerank
    if asks_model or any(kind not in _WITHIN_PROCESS for kind in models):
        return False
    return settings.embedder.kind != "auto" or not settings.embedder.base_url


def _said_before(before: Sequence[Exchange], *, since: float) -> tuple[str, ...]:
    """Returns what was said before the message, unless it was said before `since`."""
    for it in before:
        if it.ts is None or it.ts > since:
            return tuple(text[-_CONTEXT_CHARS:] for text in (it.user, it.assistant) if text)
    return ()


def _trace(
    asked: Asked, namespace: Namespace, recall: Recall, delivered: Delivered, *, ts: float
) -> Trace:
    plan = delivered.plan
    return Trace(
        ts=ts,
        user=namespace.user,
        character=namespace.character or namespace.scope,
        conversation=asked.conversation,
        query=asked.window.question,
        mode=asked.window.mode,
        recall=recall,
        dropped=plan.dropped if plan else (),
        injected=plan.injected if plan else (),
        injected_text=_injected_text(plan) if plan else "",
        system_block=plan.system_block if plan else "",
        tokens=plan.tokens if plan else 0,
        skipped=_skipped(asked),
        notes=(
            *recall.degraded,
            *recall.notes,
            *delivered.faults,
            *(plan.problems if plan else ()),
        ),
    )


def _skipped(asked: Asked) -> str:
    """Why nothing was recalled, if so."""
    if asked.busy:
        return asked.busy
    if asked.is_recall_off:
        return "recall is paused in this chat"
    return "" if asked.window.question else "there is no text of yours to recall for"


def _injected_text(plan: Plan) -> str:
    """The exact texts, in the order of the prompt."""
    turns: Iterable[str] = (f"{user}\n{assistant}" for user, assistant in plan.replayed)
    return "\n\n".join(text for text in (plan.system_block, *turns, plan.block) if text)
