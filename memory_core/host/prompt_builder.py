"""Builds the prompt for one message: fit, compare, recall, plan, build, trace."""

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from ..config.model_settings import HistoryStrategy
from ..config.schema import Settings
from ..domain.namespaces import Namespace
from ..domain.records import Exchange
from ..infra.lru_cache import LRUCache
from ..memory.runtime import Runtime
from ..prompt.plan import PromptInputs, build_system_block
from ..prompt.silent_times import silent_time_notices
from ..prompt.system_block import SystemBlock, SystemLine
from ..prompt.system_lines import make_system_line_cache
from ..prompt.templates import localised
from ..prompt.window import Window, estimate_window_tokens
from ..recall.query import Query, local_time
from ..recall.results import Recall
from ..storage.contract import Page
from ..text.commands.parser import CommandKind
from ..text.language import chat_language
from ..text.locales import DEFAULT
from ..text.private_parts import stored_keys
from ..text.token_counter import estimate_tokens
from .activity import Activity, SkipReason, record_trace
from .chat.exchanges import to_exchanges
from .chat.host_protocol import Host
from .chat.turn_request import TurnRequest
from .conversation_state import ConversationState, session_at
from .delivery import (
    BuiltPrompt,
    Injection,
    MessageAttempts,
    build_fitting_prompt,
    fitted_window,
)
from .notices import budget_notice
from .older_messages import OlderMessages, without_memorised_turns

_MAX_CONVERSATIONS = 256  # with their states
_MAX_COUNTS = 4096  # texts whose tokens were counted
_RESCALE_BELOW = 0.93
_MIN_SCALE = 0.25
_MIN_FILL_DIVISOR = 4
_CONTEXT_CHARS = 600
_WITH_STATEMENT = (CommandKind.REMEMBER, CommandKind.OFF_THE_RECORD)
_LOCAL_MODEL_KINDS = frozenset(("auto", "built-in", "none", "fastembed", "sentence-transformers"))


class PromptBuilder:
    """Builds prompts with memories. Keeps no host dict beyond a call."""

    def __init__(self, runtime: Runtime, host: Host) -> None:
        self._runtime = runtime
        self.host = host
        self._token_counts: LRUCache[str, int] = LRUCache(_MAX_COUNTS)
        self._injection = Injection()
        self.conversation_states: LRUCache[tuple[Namespace, str], ConversationState] = LRUCache(
            _MAX_CONVERSATIONS
        )
        runtime.on_forgotten(lambda forgotten: self.forget_namespace(forgotten.namespace))
        self.activity = Activity()
        self.follow_settings()

    def follow_settings(self) -> None:
        """Reads the current settings of the system block and of older messages."""
        memory, settings = self._runtime.memory, self._runtime.settings
        self._system_line_cache = make_system_line_cache(memory, settings)
        self._older_messages = OlderMessages.if_configured(self._runtime)

    def forget_namespace(self, namespace: Namespace) -> None:
        """Drops the states of this namespace's conversations."""
        self.conversation_states.drop_where(lambda chat: chat[0] == namespace)

    def is_injecting(self) -> bool:
        """Returns whether the prompt that this thread is building contains recalled memories."""
        return self._injection.is_on

    def build(self, request: TurnRequest) -> BuiltPrompt:
        """Builds the prompt, and keeps its trace if the request may be traced."""
        started = time.perf_counter()
        strategy = self._runtime.settings.ltm_context.history_message_strategy
        if strategy is HistoryStrategy.AUTO:
            request = without_memorised_turns(self._runtime, request)
        chat = request.namespace, request.conversation or request.prompt_window.question
        chat_state = self.conversation_states.get(chat) or ConversationState()
        self.conversation_states.put(chat, chat_state)
        skip_reason = _skip_reason(request, self._runtime.settings)
        lines = self._system_lines(request)
        attempts = self._prepare_attempts(request, chat_state, skip_reason, lines)
        built = build_fitting_prompt(attempts)
        if skip_reason:
            self.activity.record_skip(skip_reason, request.namespace)
        elif not request.identity.is_incognito:
            self.activity.record_recall(request.namespace)
        if built.shrink_factor > 1.0:
            # More rows were dropped than recall assumed, so recall may now find their content.
            chat_state.token_scale *= built.shrink_factor
            attempts = self._prepare_attempts(request, chat_state, skip_reason, lines)
            built = build_fitting_prompt(attempts)
        built = replace(built, recall=attempts.recall)
        self._learn_scale(built, chat_state, request.token_limit)
        if request.may_be_traced:
            record_trace(
                request,
                built,
                self._runtime,
                skip_reason=skip_reason,
                chat_tokens=self._chat_tokens(built, chat_state),
                added_ms=(time.perf_counter() - started) * 1000,
            )
        return built

    def _chat_tokens(self, built: BuiltPrompt, chat_state: ConversationState) -> int:
        """Returns the tokens of the chat in the prompt, without those of memories."""
        if built.plan is None:
            return 0
        if built.tokens is not None:
            return max(0, built.tokens - built.plan.tokens)
        estimated = estimate_window_tokens(built.plan.base_window)
        return int(estimated * chat_state.token_scale)

    def _prepare_attempts(
        self,
        request: TurnRequest,
        chat_state: ConversationState,
        skip_reason: SkipReason | None,
        system_lines: Sequence[SystemLine],
    ) -> MessageAttempts:
        """Fits the window, recalls, and returns the attempts at a prompt with the memories."""
        shown = fitted_window(request, self._runtime.settings, chat_state.token_scale)
        window = request.prompt_window
        said = chain((window.question,), (row.question for row in reversed(window.past_rows)))
        chat_state.language = chat_language(said, chat_state.language)
        if self._older_messages:
            self._older_messages.report_narrow_context(request, shown)
        inputs = self._prompt_inputs(request, system_lines, chat_state.language, shown)
        today = self._session_start_to_show(request, chat_state, inputs, shown)
        inputs = _with_notices(replace(inputs, today=today), request)
        system_block = _system_block(chat_state, shown, inputs)
        recalled = (Recall(), ()) if skip_reason else _recalled_before(request, chat_state)
        recall, notices = recalled or self._recall(
            request, chat_state, shown, system_block.whole_ids, inputs.language
        )
        inputs = replace(
            inputs,
            notices=(*inputs.notices, *notices),
            recalled=recall.kept,
            system_block=system_block,
        )
        return MessageAttempts(
            host=self.host,
            request=request,
            settings=self._runtime.settings,
            recall=recall,
            inputs=inputs,
            shown=shown,
            token_scale=chat_state.token_scale,
            is_scale_learned=chat_state.is_scale_learned,
            injection=self._injection,
            limit=inputs.limit_tokens,
        )

    def _recall(
        self,
        request: TurnRequest,
        chat_state: ConversationState,
        shown: Window,
        system_ids: frozenset[str],
        language: str,
    ) -> tuple[Recall, tuple[str, ...]]:
        """Returns what the message recalls, and notices of times of which nothing is stored."""
        memory, query = self._runtime.memory, self._query(request, chat_state, shown, system_ids)
        recall = memory.recall(request.namespace, query, request.pipeline)
        notices: tuple[str, ...] = ()
        if query.dates:
            said = to_exchanges(shown.rows, request.speakers)
            notices = silent_time_notices(
                memory, request.namespace, query, shown=said, language=language
            )
        if not request.is_off_record:
            turns = self._runtime.settings.recall.sticky_turns
            chat_state.remember(request.prompt_window.question, recall, turns, notices)
        return recall, notices

    def _query(
        self,
        request: TurnRequest,
        chat_state: ConversationState,
        shown: Window,
        system_ids: frozenset[str],
    ) -> Query:
        question = request.prompt_window.question
        settings = self._runtime.settings.recall
        return Query(
            text=_text_to_recall_for(request),
            names=(request.speakers.user_name, request.speakers.assistant_name),
            conversation=request.conversation,
            context=_context_texts(
                request.previous_exchange,
                since=self._runtime.clock() - 60.0 * settings.session_pause_min,
            ),
            shown_keys=self._shown_keys(request, shown),
            stale_ids=self._stale_ids(request),
            left_out_ids=request.left_out,
            in_system_block=system_ids,
            carried_over_scores=chat_state.carried_over_scores(question, settings.sticky_turns),
            now=local_time(self._runtime.clock()),
            only_named_dates=settings.only_named_dates,
        )

    def _shown_keys(self, request: TurnRequest, shown: Window) -> frozenset[str]:
        """Returns the content keys of the exchanges that recall leaves out as shown."""
        keys = stored_keys([*to_exchanges(shown.rows, request.speakers), *request.also_shown])
        return (
            keys | self._older_messages.keys_without_recall(request)
            if self._older_messages
            else keys
        )

    def _stale_ids(self, request: TurnRequest) -> frozenset[str]:
        """Returns the ids of stored exchanges that the chat no longer shows."""
        if request.is_unreadable or not request.conversation:
            return frozenset()
        whole = request.identity.chat_file is not None
        memory = self._runtime.memory
        return memory.compare(
            request.namespace, request.conversation, request.exchanges, whole=whole
        ).stale_ids

    def _prompt_inputs(
        self,
        request: TurnRequest,
        system_lines: Sequence[SystemLine],
        language: str,
        shown: Window,
    ) -> PromptInputs:
        """Returns the inputs of the prompt, except the date, notices and recalled memories.

        A chat whose language is not certain yet gets that of the sessions before it.
        """
        settings = self._runtime.settings
        language = language or chat_language([line.text for line in system_lines]) or DEFAULT
        return PromptInputs(
            system_lines=system_lines,
            window_lines=self._older_messages.summary_lines(request, shown, language)
            if self._older_messages
            else (),
            settings=localised(settings.ltm_context, language),
            language=language,
            read_settings=settings.ltm_reads,
            count=self._count_tokens,
            limit_tokens=request.token_limit,
            now=self._runtime.clock(),
        )

    def _session_start_to_show(
        self,
        request: TurnRequest,
        chat_state: ConversationState,
        inputs: PromptInputs,
        shown: Window,
    ) -> float | None:
        """Returns the start of the session once a prompt of it had memories; else None."""
        pause_s = 60.0 * self._runtime.settings.recall.session_pause_min
        session = session_at(
            inputs.now, known=chat_state.session, said=request.exchanges, pause_s=pause_s
        )
        chat_state.session = session
        if not (inputs.settings.tell_today and self._has_system_block(request)):
            return None
        if not session.shows_today:
            has_any = bool(inputs.system_lines or inputs.window_lines)
            session.shows_today = has_any or self._has_memories(request, shown)
        return session.started_at if session.shows_today else None

    def _has_memories(self, request: TurnRequest, shown: Window) -> bool:
        """Returns whether any memory exists that the window does not show."""
        keys = stored_keys(to_exchanges(shown.rows, request.speakers))
        latest = self._runtime.memory.latest(request.namespace, Page(limit=len(keys) + 1))
        return any(memory.key not in keys for memory in latest)

    def _has_system_block(self, request: TurnRequest) -> bool:
        settings = self._runtime.settings
        if not (settings.recall.enabled and settings.ltm_context.system_block_max_tokens):
            return False
        return not (request.is_recall_off or request.busy_reason)

    def _system_lines(self, request: TurnRequest) -> list[SystemLine]:
        if not self._has_system_block(request):
            return []
        began = next(
            (exchange.ts for exchange in request.exchanges if exchange.ts is not None),
            self._runtime.clock(),
        )
        lines = self._system_line_cache.lines(request.namespace, request.conversation, began=began)
        left_out = request.left_out
        return [line for line in lines if not left_out or line.uses_none_of(left_out)]

    def _count_tokens(self, text: str) -> int:
        """Counts by the host's tokenizer, else estimates; an exact count may be an HTTP call."""
        known = self._token_counts.get(text)
        if known is None:
            known = self.host.count_tokens(text)
            if known is None:
                return estimate_tokens(text)  # not cached: a model may be loaded meanwhile
            self._token_counts.put(text, known)
        return known

    def _learn_scale(self, built: BuiltPrompt, chat_state: ConversationState, limit: int) -> None:
        """Raises the scale to the real ratio at once; lowers it only when it is clearly too high.

        A fluctuating scale would keep changing the first row that the prompt shows.
        """
        if built.tokens is None or built.plan is None:
            return
        estimated = estimate_window_tokens(built.plan.base_window)
        if estimated * _MIN_FILL_DIVISOR < limit:
            return  # in a short prompt the template's own tokens would distort the ratio
        ratio = (built.tokens - built.plan.tokens) / max(1, estimated)
        chat_state.is_scale_learned = True
        if ratio > chat_state.token_scale or ratio < _RESCALE_BELOW * chat_state.token_scale:
            chat_state.token_scale = max(_MIN_SCALE, ratio * 1.01)


def _with_notices(inputs: PromptInputs, request: TurnRequest) -> PromptInputs:
    """Returns the inputs with the outcome of a command, which depends on all other lines."""
    notices, command = request.notices, request.command
    if command and command.kind is CommandKind.REMEMBER:
        notices += budget_notice(command, request.prompt_window, inputs)
    return replace(inputs, notices=notices)


def _skip_reason(request: TurnRequest, settings: Settings) -> SkipReason | None:
    """Returns the reason to skip recall for this message, or None."""
    command = request.command
    is_mere_wish = (  # what it says is to be forgotten
        command is not None
        and command.kind in (CommandKind.FORGET_IN_WORDS, CommandKind.PAUSE_IN_WORDS)
        and not command.has_more_text
    )
    reasons = {
        SkipReason.SWITCHED_OFF: not settings.recall.enabled,
        SkipReason.BUSY: bool(request.busy_reason),  # also if nobody knows whether it is paused
        SkipReason.INCOGNITO: request.is_recall_off and request.identity.is_incognito,
        SkipReason.PAUSED: request.is_recall_off,
        SkipReason.NO_TEXT: not request.prompt_window.question,
        SkipReason.COMMAND: is_mere_wish or (command is not None and command.has_no_other_text),
        SkipReason.OFF_RECORD: request.is_off_record and not is_fully_local(settings),
    }
    return next((reason for reason, applies in reasons.items() if applies), None)


def _recalled_before(
    request: TurnRequest, chat_state: ConversationState
) -> tuple[Recall, tuple[str, ...]] | None:
    """Returns what _recall() gave the message if a tool call continues its turn, else None."""
    last = chat_state.last_recall
    is_same = last is not None and last[0] == request.prompt_window.question
    return last[1:] if last and is_same and request.is_tool_turn else None


def _text_to_recall_for(request: TurnRequest) -> str:
    """Returns the message; of a request that says nothing else, the statement alone.

    "Remember that …" sounds like a question for a memory, and matches all that was remembered.
    """
    command = request.command
    if command is None or command.has_more_text or command.kind not in _WITH_STATEMENT:
        return request.prompt_window.question
    return command.argument or request.prompt_window.question


def is_fully_local(settings: Settings) -> bool:
    """Returns whether recall stays in this process: no server and no third-party plugin."""
    models = (settings.embedder.kind, settings.reranker.kind)
    asks_model = settings.recall.use_gate or settings.recall.use_rerank
    if asks_model or any(kind not in _LOCAL_MODEL_KINDS for kind in models):
        return False
    return settings.embedder.kind != "auto" or not settings.embedder.base_url


def _system_block(
    chat_state: ConversationState, window: Window, inputs: PromptInputs
) -> SystemBlock:
    """Returns the chat's system block, rebuilt only if its inputs have changed."""
    of = replace(inputs, now=0.0, notices=()), window.name1, window.name2
    if chat_state.system_block is None or chat_state.system_block[0] != of:
        chat_state.system_block = of, build_system_block(window, inputs)
    return chat_state.system_block[1]


def _context_texts(previous: Exchange | None, *, since: float) -> tuple[str, ...]:
    """Returns the texts of the previous exchange, unless it is older than `since`."""
    if previous is None or (previous.ts is not None and previous.ts <= since):
        return ()
    return tuple(text[-_CONTEXT_CHARS:] for text in (previous.user, previous.assistant) if text)
