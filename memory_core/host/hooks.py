"""The host's hooks: they translate, delegate and never let a memory error break a chat."""

import html
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from ..domain.errors import HostError, LongTermMemoryError, StorageBusy, StorageError, UnknownUser
from ..domain.records import Exchange
from ..infra.deadlines import time_limit
from ..infra.lru_cache import LRUCache
from ..memory.remember_switch import RememberPhase
from ..memory.runtime import Runtime
from ..prompt.templates import template_problems
from ..prompt.window import ChatRow, Window
from ..storage.pauses import PauseState
from ..text.cleaning import clean_answer, clean_user_message
from ..text.commands.parser import Command, is_command_message, parse_command
from .activity import SkipReason
from .chat.codec import from_host, from_unreadable, strip_commands
from .chat.exchanges import awaits_answer, date_last_exchange, speakers_of, to_exchanges
from .chat.host_protocol import Host, State
from .chat.turn_request import ChatIdentity, ChatRef, TurnRequest, identify_chat
from .chat_sync.off_periods import OffPeriods
from .chat_sync.synchronizer import ChatSynchronizer
from .chat_sync.unsaved_chat import ShownChat
from .chat_sync.withheld import STORE_ALL, UNSTORED, WriteRules
from .commands.executor import CommandExecutor
from .commands.note_corrections import find_correction
from .notebook import MEMORY_MARK, expand
from .prompt_builder import PromptBuilder

_MAX_PENDING_TURNS = 256  # each holds its history, and may never get an answer
_KNOWN_ARGUMENTS = frozenset(("history", "_continue"))
_MAX_WAIT_S = 2.0  # for a namespace that is being opened, rebuilt, moved or deleted
_UNKNOWN_PAUSES = PauseState(is_recall_paused=True)
_READ_ONLY_NOTICE = "memories are recalled in this chat, but none of its messages are saved"


@dataclass(frozen=True, slots=True, kw_only=True)
class _PendingTurn:
    """A turn that awaits its answer. It holds `state` so that no other object gets its id."""

    state: object
    chat_ref: ChatRef
    window: Window
    rules: WriteRules


class Hooks:
    """The extension's hooks, one instance per process; every method is thread-safe."""

    def __init__(self, runtime: Runtime, host: Host) -> None:
        self.runtime = runtime
        self.host = host
        self.skipped_calls = 0
        self.prompt_builder = PromptBuilder(runtime, host)
        self.synchronizer = ChatSynchronizer(runtime, host)
        self.off_periods = OffPeriods(runtime, self.synchronizer)
        self.command_executor = CommandExecutor(runtime, self.synchronizer)
        self.last_chats = self.synchronizer.last_chats
        runtime.add_tick_duty(self.synchronizer.poll)
        runtime.add_closing_duty(self.synchronizer.sync_and_close)
        self._pending_turns: LRUCache[int, _PendingTurn] = LRUCache(_MAX_PENDING_TURNS)
        runtime.on_reloaded(self._follow_settings)
        self._follow_settings()

    def use_host(self, host: Host) -> None:
        """Calls this host from now on, instead of the one before the page was restarted."""
        self.host = self.prompt_builder.host = self.synchronizer.host = host

    def _follow_settings(self) -> None:
        self.prompt_builder.follow_settings()
        problems = template_problems(self.runtime.settings.ltm_context)
        self.runtime.report_all("templates", problems)

    def custom_generate_chat_prompt(
        self,
        user_input: str,
        state: dict[str, Any],
        **kwargs: Any,  # noqa: ANN401  (the host's signature)
    ) -> str | None:
        """Builds the prompt of a turn, which gets one even if memory fails.

        Returns None to leave the prompt to the host: if the host has no builder that we can
        call, or passes unknown arguments.
        """
        try:
            history = _history_argument(user_input, state, kwargs)
        except HostError as exc:
            self._report_host(exc)
            return None
        continuing = bool(kwargs.get("_continue", False))
        identity = bug = None
        try:
            with time_limit(min(_MAX_WAIT_S, self.runtime.settings.recall.time_limit_s)):
                identity = self.identify_chat(state)
                request = self._read_request(identity, user_input, state, history, continuing)
                self._await_answer(request)
                if command := request.command:
                    notices = self.command_executor.execute(command, request)
                    is_off = self._pauses(request.identity).is_recall_paused  # by now
                    request = replace(request, notices=notices, is_recall_off=is_off)
                prompt = self._build_prompt(request)
            if prompt is not None:
                return prompt
        except UnknownUser as exc:
            self._record_skip(exc)
        except LongTermMemoryError as exc:
            self._record_failure(identity)
            self.runtime.report("recall", f"this message went out without memories: {exc}")
        except Exception as exc:  # noqa: BLE001  (our bugs must not cost a chat its answer)
            self._record_failure(identity)
            bug = exc
        plain = self._build_untouched(user_input, state, history, continuing)
        if bug and plain is not None:  # else the host's own builder fails, too: it is at fault
            self.runtime.report_bug("the prompt hook failed", bug)
        return plain

    def _build_untouched(
        self, user_input: str, state: dict[str, Any], history: dict[str, Any], continuing: bool
    ) -> str | None:
        try:
            return self.host.build_prompt(user_input, state, history=history, continuing=continuing)
        except HostError as exc:
            self._report_host(exc)
            return None

    def _report_host(self, exc: HostError) -> None:
        self.runtime.report("host", f"no memories reach this host's prompts: {exc}")

    def _read_request(
        self,
        identity: ChatIdentity,
        user_input: str,
        state: dict[str, Any],
        history: Mapping[str, Any],
        continuing: bool,
    ) -> TurnRequest:
        window, is_unreadable = self._read_window(user_input, state, history, continuing)
        speakers = speakers_of(
            window, is_api=identity.is_api, is_unsaved_chat=identity.chat_file is None
        )
        reads_commands = self.runtime.settings.commands.enabled
        exchanges = to_exchanges(window.rows, speakers)
        busy_reason = ""
        if exchanges and not identity.conversation:
            identity, busy_reason = self._with_conversation(identity, exchanges[0])
        try:
            writable = exchanges
            if not identity.is_incognito:
                writable = self.runtime.pauses.without_excluded(
                    identity.namespace, identity.conversation, exchanges
                )
            pauses = self._pauses(identity)
        except (StorageError, OSError) as exc:  # the chat must get its answer nevertheless
            writable, pauses, busy_reason = exchanges, _UNKNOWN_PAUSES, str(exc)
        return TurnRequest(
            raw_window=window,
            prompt_window=strip_commands(window) if reads_commands else window,
            command=_command_of(window, identity) if reads_commands else None,
            state=state,
            history=history,
            identity=identity,
            speakers=speakers,
            exchanges=writable,
            is_tool_turn=bool(state.get("_tool_turn")),
            is_unreadable=is_unreadable,
            is_recall_off=pauses.is_recall_paused,
            left_out=pauses.left_out if identity.conversation else frozenset(),
            busy_reason=busy_reason,
        )

    def _with_conversation(
        self, identity: ChatIdentity, first: Exchange
    ) -> tuple[ChatIdentity, str]:
        """Returns the identity with the chat's name, and the reason if it is not available in time.

        An unavailable name is looked up again when the answer is saved.
        """
        try:
            name = self.synchronizer.conversation_of(identity.namespace, first)
        except (StorageError, OSError) as exc:
            return identity, str(exc)
        return replace(identity, conversation=name), ""

    def _read_window(
        self, user_input: str, state: State, history: Mapping[str, Any], continuing: bool
    ) -> tuple[Window, bool]:
        """Returns the chat and False, or the message alone and True if the rows are unreadable."""
        try:
            window = from_host(user_input, state, history, continuing)
        except HostError as exc:
            if continuing:
                raise
            self.runtime.report("host.chat", f"{exc}: {_READ_ONLY_NOTICE}")
            return from_unreadable(user_input, state), True
        self.runtime.clear("host.chat")
        return window, False

    def identify_chat(self, state: State) -> ChatIdentity:
        """Returns the identity of the chat, with its aliases resolved. Raises UnknownUser."""
        identity = identify_chat(
            state, self.host, api_default_user=self.runtime.settings.api.default_user
        )
        named, aliases = identity.namespace, self.runtime.memory.aliases
        namespace, conversation = aliases.resolve_chat(
            named, named.character, identity.conversation
        )
        return replace(identity, namespace=namespace, conversation=conversation)

    def _pauses(self, identity: ChatIdentity) -> PauseState:
        """Returns the chat's pauses; in an incognito chat, a setting decides on recall."""
        pauses = self.runtime.pauses.get(identity.namespace, identity.conversation)
        if not identity.is_incognito:
            return pauses
        return replace(pauses, is_recall_paused=not self.runtime.settings.recall.in_incognito)

    def _build_prompt(self, request: TurnRequest) -> str | None:
        """Builds the prompt, without memories if they are not available in time.

        Returns None when the host has to build it.
        """
        if request.identity.is_incognito and request.is_recall_off and not request.command:
            self.prompt_builder.activity.record_skip(SkipReason.INCOGNITO, request.namespace)
            return None
        built = None
        try:
            if not request.busy_reason:
                built = self.prompt_builder.build(request)
                self.runtime.clear("busy")
        except StorageBusy as exc:
            request = replace(request, busy_reason=str(exc))
        if built is None:
            problem = f"the last message went out without memories: {request.busy_reason}"
            self.runtime.report("busy", problem)
            built = self.prompt_builder.build(request)
        self.runtime.schedule(request.namespace)
        if built.plan is not None and built.plan.problems:
            self.runtime.report("injection", "; ".join(built.plan.problems))
        else:
            self.runtime.clear("injection")
        self.runtime.clear("recall")
        return built.prompt

    def _record_skip(self, unknown: UnknownUser) -> None:
        self.skipped_calls += 1
        reason = SkipReason.NO_API_USER if unknown.is_api else SkipReason.NOBODY
        self.prompt_builder.activity.record_skip(reason, None)
        self.runtime.report("skipped", f"memory is off here: {unknown}")

    def _record_failure(self, identity: ChatIdentity | None) -> None:
        self.prompt_builder.activity.record_skip(
            SkipReason.FAILED, identity.namespace if identity else None
        )

    def _await_answer(self, request: TurnRequest) -> None:
        """Registers the chat so that the model's answer gets saved."""
        if request.identity.is_incognito:
            return
        chat = request.chat_ref
        left = self.last_chats.get(request.namespace)
        self.last_chats.put(request.namespace, chat)
        if not self._may_write(request):
            return
        is_off = self.runtime.remember_switch.state.is_off
        if is_off:
            self.off_periods.exclude_question(request)
        elif not (request.conversation or request.exchanges):
            self.off_periods.readmit_first_question(request)
        if left is not None and left.conversation != chat.conversation:
            with suppress(LongTermMemoryError):  # saved later, or reported then
                self.synchronizer.sync_left_chat(request.namespace, left.conversation)
        path = request.identity.chat_file
        if path is not None:
            self.synchronizer.watch(path, chat, self.off_periods.question(request))
            return
        self._pending_turns.put(
            id(request.state),
            _PendingTurn(
                state=request.state,
                chat_ref=chat,
                window=request.raw_window,
                rules=UNSTORED if is_off else STORE_ALL,
            ),
        )

    def _may_write(self, request: TurnRequest) -> bool:
        """Returns whether the turn may be saved; data from an unknown host might be wrong."""
        unknown = getattr(self.host, "unknown", str)()
        if unknown:
            self.runtime.report("host.unknown", f"{unknown}: {_READ_ONLY_NOTICE}")
        phase = self.runtime.remember_switch.state.phase
        return not (unknown or request.is_unreadable or phase is RememberPhase.UNKNOWN)

    def output_modifier(self, text: str, state: State, is_chat: bool = False) -> str:
        """Saves the turn of a chat that the host does not save; returns the text unchanged."""
        pending = self._pending_turns.pop(id(state)) if is_chat else None
        if pending is not None:
            try:
                self._sync_answer(pending, clean_answer(html.unescape(text)))
            except Exception as exc:  # noqa: BLE001  (as in the prompt hook)
                self.runtime.report_bug("the output hook failed", exc)
        return text

    def _sync_answer(self, pending: _PendingTurn, answer: str) -> None:
        rows = pending.window.past_rows
        if not pending.window.question and awaits_answer(rows, len(rows)):
            closing = ChatRow(user="", assistant=answer, extra=("", {}))
            self._submit_shown(pending, (*rows, closing))
            return
        self._submit_shown(pending, rows, self._answered_exchange(pending, answer))

    def _submit_shown(
        self, pending: _PendingTurn, rows: Sequence[ChatRow], last: Exchange | None = None
    ) -> None:
        """Queues the shown rows and the new answer for saving."""
        chat = pending.chat_ref
        exchanges = to_exchanges(rows, chat.speakers) + ([last] if last else [])
        state = ShownChat(
            namespace=chat.namespace,
            conversation=chat.conversation,
            exchanges=date_last_exchange(exchanges, self.runtime.clock()),
            sync=self.synchronizer.make_sync_callback(chat, pending.rules),
            is_off=pending.rules.excludes,
        )
        if state.exchanges:
            self.runtime.submit_state(state, chat.namespace)

    def _answered_exchange(self, pending: _PendingTurn, answer: str) -> Exchange | None:
        """Returns the message with its answer, unless it is a command.

        A continued greeting answers no message.
        """
        question = clean_user_message(pending.window.question)
        is_said = bool(question or answer) and not is_command_message(question)
        if pending.window.continues_greeting or not is_said:
            return None
        speakers = pending.chat_ref.speakers
        return Exchange(
            user=question,
            assistant=answer,
            user_name=speakers.user_name,
            assistant_name=speakers.assistant_name,
            ts=self.runtime.clock(),
            channel=speakers.channel,
        )

    def input_modifier(self, text: str, state: State, is_chat: bool = False) -> str:
        """Replaces `<|memory|>` in notebook and default mode by matching memories."""
        if is_chat or MEMORY_MARK not in text:
            return text
        try:
            with time_limit(min(_MAX_WAIT_S, self.runtime.settings.recall.time_limit_s)):
                return expand(text, state, self.runtime, self.host)
        except LongTermMemoryError as exc:
            self.runtime.report("recall", f"<|memory|> was left empty: {exc}")
        except Exception as exc:  # noqa: BLE001  (as in the prompt hook)
            self.runtime.report_bug("the input hook failed", exc)
        return text.replace(MEMORY_MARK, "")

    def bot_prefix_modifier(self, text: str, bias: str) -> str:
        """Appends the setting's bias string when the current prompt contains memories."""
        return text + bias if self.prompt_builder.is_injecting() else text


def _command_of(window: Window, identity: ChatIdentity) -> Command | None:
    if parse_command(window.question):  # only then, as reading the chat's language takes a while
        return parse_command(window.question, chat_language=window.language)
    return None if identity.is_incognito else find_correction(window)


def _history_argument(
    user_input: object, state: object, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns the history. Raises HostError for unknown or missing arguments."""
    if not (isinstance(user_input, str) and isinstance(state, dict)):
        raise HostError("the host passed a message or a state of an unknown type")
    if unknown := sorted(name for name in arguments.keys() - _KNOWN_ARGUMENTS if arguments[name]):
        raise HostError(f"the host passed unknown arguments: {', '.join(unknown)}")
    history: dict[str, Any] | None = arguments.get("history", state.get("history"))
    if history is None:
        raise HostError("the host passed no history")
    return history
