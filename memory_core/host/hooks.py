"""The host's hooks: they translate, delegate and never let memory break a chat."""

import html
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..domain.errors import HostError, LongTermMemoryError, StorageBusy, StorageError
from ..domain.namespaces import Namespace
from ..domain.records import Exchange
from ..infra.deadlines import time_limit
from ..infra.lru_cache import LRUCache
from ..memory.runtime import Runtime
from ..prompt.plan import PromptPlan
from ..prompt.templates import template_problems
from ..prompt.window import ChatRow, Window
from ..text.cleaning import clean_answer, clean_user_message
from ..text.commands.parser import parse_command, without_commands
from .activity import SkipReason
from .chat.codec import from_host, from_unreadable, strip_commands
from .chat.exchanges import speakers_of, to_exchanges
from .chat.host_protocol import Host, State
from .chat.identity import ChatIdentity, identify_chat
from .chat.incremental_parse import awaits_answer
from .chat.turn_request import TurnRequest, last_exchange_before
from .chat_sync.deletions import removed_memories
from .chat_sync.synchronizer import ChatRef, ChatSynchronizer
from .chat_sync.unsaved_chat import ShownChat, exchanges_with_answer
from .commands.executor import CommandExecutor
from .delivery import BuiltPrompt
from .notebook import MEMORY_MARK, expand
from .prompt_builder import PromptBuilder

log = logging.getLogger("long_term_memory")

_MAX_PENDING_TURNS = 256  # one whose answer is never given keeps its history in memory
_KNOWN_ARGUMENTS = frozenset(("history", "_continue"))
_MAX_WAIT_S = 2.0  # with memories that are opened, made anew, moved or deleted
_READ_ONLY_NOTICE = "memories are read here, but nothing of what is said is written down"


@dataclass(frozen=True, slots=True, kw_only=True)
class _PendingTurn:
    """A turn whose answer is awaited. The state is kept so that its identity stays its own."""

    state: object
    chat_ref: ChatRef
    window: Window


class Hooks:
    """One for each process. Every method may be called from several threads at once."""

    def __init__(self, runtime: Runtime, host: Host) -> None:
        self.runtime = runtime
        self.host = host
        self.skipped_calls = 0
        self.prompt_builder = PromptBuilder(runtime, host)
        self.synchronizer = ChatSynchronizer(runtime, host)
        self.command_executor = CommandExecutor(runtime, self.synchronizer)
        self.last_chats = self.synchronizer.last_chats
        runtime.add_tick_duty(self.synchronizer.poll)
        runtime.add_closing_duty(self.synchronizer.sync_and_close)
        self._pending_turns: LRUCache[int, _PendingTurn] = LRUCache(_MAX_PENDING_TURNS)
        runtime.when_reloaded(self._follow_settings)
        self._follow_settings()

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
        """The context builder. Whatever fails in it, the chat gets its prompt.

        None has the host build it, which is all that can be done in a host that lends its
        builder to nobody or hands over what we do not know.
        """
        try:
            history = _history_argument(user_input, state, kwargs)
            return self._build_or_untouched(
                user_input, state, history, bool(kwargs.get("_continue", False))
            )
        except HostError as exc:
            self.runtime.report("host", f"no memories reach this host's prompts: {exc}")
            return None

    def _build_or_untouched(
        self, user_input: str, state: dict[str, Any], history: dict[str, Any], continuing: bool
    ) -> str:
        def untouched() -> str:
            return self.host.build_prompt(user_input, state, history=history, continuing=continuing)

        where = None
        try:
            with time_limit(self._time_limit_s()):
                asked = self._read_request(user_input, state, history, continuing)
                where = asked.identity
                prompt = self._build_prompt(asked)
            if prompt is not None:
                return prompt
        except LongTermMemoryError as exc:
            self._record_failure(where)
            self.runtime.report("recall", f"this message went out without memories: {exc}")
        except Exception as exc:  # noqa: BLE001  (a bug of ours must not cost a chat its answer)
            self._record_failure(where)
            plain = untouched()  # where the host's own builder fails, the fault is not ours
            self.runtime.report_bug("the prompt hook failed", exc)
            return plain
        return untouched()

    def _time_limit_s(self) -> float:
        return min(_MAX_WAIT_S, self.runtime.settings.recall.time_limit_s)

    def _read_request(
        self,
        user_input: str,
        state: dict[str, Any],
        history: Mapping[str, Any],
        continuing: bool,
    ) -> TurnRequest:
        where = self._identify_chat(state)
        heard, is_unknown = self._read_window(user_input, state, history, continuing)
        cast = speakers_of(heard, is_api=where.is_api, is_heard=where.chat_file is None)
        listens = self.runtime.settings.commands.enabled
        said = to_exchanges(heard.rows, cast)
        conversation, busy = self._find_conversation(where, said)
        try:
            writable = self._without_excluded(where, conversation, said)
            is_recall_off = self._is_recall_off(where, conversation)
        except (StorageError, OSError) as exc:  # the answer is to be written all the same
            writable, is_recall_off, busy = said, True, str(exc)
        return TurnRequest(
            raw_window=heard,
            prompt_window=strip_commands(heard) if listens else heard,
            command=parse_command(heard.question) if listens else None,
            state=state,
            history=history,
            identity=where,
            speakers=cast,
            conversation=conversation,
            exchanges=writable,
            previous_exchanges=last_exchange_before(heard, cast),
            is_tool_turn=bool(state.get("_tool_turn")),
            is_unreadable=is_unknown,
            is_recall_off=is_recall_off,
            busy_reason=busy,
        )

    def _find_conversation(self, where: ChatIdentity, said: Sequence[Exchange]) -> tuple[str, str]:
        """Its name, and why that cannot be had in time, if so: it is looked for again later."""
        if not where.namespace or where.conversation or not said:
            return where.conversation, ""
        try:
            return self.synchronizer.conversation_of(where.namespace, said[0]), ""
        except (StorageError, OSError) as exc:
            return "", str(exc)

    def _read_window(
        self, user_input: str, state: State, history: Mapping[str, Any], continuing: bool
    ) -> tuple[Window, bool]:
        """The chat; the message alone, and True, where nobody can read the rows before it."""
        try:
            heard = from_host(user_input, state, history, continuing)
        except HostError as exc:
            if continuing:
                raise
            self.runtime.report("host.chat", f"{exc}: {_READ_ONLY_NOTICE}")
            return from_unreadable(user_input, state), True
        self.runtime.clear("host.chat")
        return heard, False

    def _identify_chat(self, state: State) -> ChatIdentity:
        """From here on everything goes by the name that counts."""
        where = identify_chat(
            state, self.host, api_default_user=self.runtime.settings.api.default_user
        )
        if where.namespace is None:
            return where
        asked, aliases = where.namespace, self.runtime.memory.aliases
        meant, name = aliases.resolve_chat(asked, asked.character, where.conversation)
        return replace(where, namespace=meant, conversation=name)

    def _without_excluded(
        self, where: ChatIdentity, conversation: str, said: Sequence[Exchange]
    ) -> Sequence[Exchange]:
        if where.namespace is None or where.is_incognito:
            return said
        return self.runtime.pauses.without_excluded(where.namespace, conversation, said)

    def _is_recall_off(self, where: ChatIdentity, conversation: str) -> bool:
        if where.namespace is None:
            return True
        if where.is_incognito:
            return not self.runtime.settings.recall.in_incognito
        return self.runtime.pauses.get(where.namespace, conversation).is_recall_paused

    def _build_prompt(self, asked: TurnRequest) -> str | None:
        """None where the host has to build it."""
        namespace = asked.identity.namespace
        if namespace is None:
            self._record_skip(asked.identity)
            return None
        self._await_answer(asked, namespace)
        if asked.identity.is_incognito and asked.is_recall_off and not asked.command:
            self.prompt_builder.activity.record_skip(SkipReason.INCOGNITO, namespace)
            return None
        asked = self._run_command(asked, namespace)
        delivered = self._build_within_time(asked, namespace)
        self.runtime.schedule(namespace)
        self._report_plan_problems(delivered.plan)
        self.runtime.clear("recall")
        return delivered.prompt

    def _build_within_time(self, asked: TurnRequest, namespace: Namespace) -> BuiltPrompt:
        """Without memories where they cannot be had in time: a chat waits no longer for them."""
        try:
            if not asked.busy_reason:
                delivered = self.prompt_builder.build(asked, namespace)
                self.runtime.clear("busy")
                return delivered
        except StorageBusy as exc:
            asked = replace(asked, busy_reason=str(exc))
        self.runtime.report(
            "busy", f"the last message went out without memories: {asked.busy_reason}"
        )
        return self.prompt_builder.build(asked, namespace)

    def _run_command(self, asked: TurnRequest, namespace: Namespace) -> TurnRequest:
        """With what came of the message's command, which may have switched recall off or on."""
        if asked.command is None:
            return asked
        notices = self.command_executor.execute(asked, namespace)
        is_off = self._is_recall_off(asked.identity, asked.conversation)
        return replace(asked, notices=notices, is_recall_off=is_off)

    def _report_plan_problems(self, plan: PromptPlan | None) -> None:
        """Shows what the settings want of this character's prompt and cannot have."""
        if plan is not None and plan.problems:
            self.runtime.report("injection", "; ".join(plan.problems))
        else:
            self.runtime.clear("injection")

    def _record_skip(self, where: ChatIdentity) -> None:
        self.skipped_calls += 1
        skip = SkipReason.NO_API_USER if where.is_api else SkipReason.NOBODY
        self.prompt_builder.activity.record_skip(skip, None)
        self.runtime.report("skipped", f"memory is off here: {where.reason}")

    def _record_failure(self, where: ChatIdentity | None) -> None:
        self.prompt_builder.activity.record_skip(
            SkipReason.FAILED, where.namespace if where else None
        )

    def _await_answer(self, asked: TurnRequest, namespace: Namespace) -> None:
        """Has the settling look out for what the model answers."""
        if asked.identity.is_incognito:
            return
        chat = ChatRef(
            namespace=namespace, conversation=asked.conversation, speakers=asked.speakers
        )
        self.last_chats.put(namespace, chat)
        if not self._may_write(asked):
            return
        path = asked.identity.chat_file
        if path is not None:
            self.synchronizer.watch(path, chat)
            return
        opened = _PendingTurn(state=asked.state, chat_ref=chat, window=asked.raw_window)
        self._pending_turns.put(id(asked.state), opened)

    def _may_write(self, asked: TurnRequest) -> bool:
        """What is written of a host that is not as we know it might be wrong for good."""
        unknown = getattr(self.host, "unknown", str)()
        if unknown:
            self.runtime.report("host.unknown", f"{unknown}: {_READ_ONLY_NOTICE}")
        return self.runtime.settings.ltm_writes.enabled and not (unknown or asked.is_unreadable)

    def output_modifier(self, text: str, state: State, is_chat: bool = False) -> str:
        """Settles a turn that the host does not save; the text itself stays as it is."""
        opened = self._pending_turns.pop(id(state)) if is_chat else None
        if opened is not None:
            try:
                self._sync_answer(opened, clean_answer(html.unescape(text)))
            except Exception as exc:  # noqa: BLE001  (as in the prompt hook)
                self.runtime.report_bug("the output hook failed", exc)
        return text

    def _sync_answer(self, opened: _PendingTurn, answer: str) -> None:
        rows = opened.window.past_rows
        if not opened.window.question and awaits_answer(rows, len(rows)):
            closing = ChatRow(user="", assistant=answer, extra=("", {}))
            self._submit_shown(opened.chat_ref, (*rows, closing))
            return
        answered = without_commands(self._answered_exchange(opened, answer))
        self._submit_shown(opened.chat_ref, rows, *answered)

    def _submit_shown(
        self, chat: ChatRef, rows: Sequence[ChatRow], last: Exchange | None = None
    ) -> None:
        """Has what the chat shows written, with the answer just given."""
        state = ShownChat(
            namespace=chat.namespace,
            conversation=chat.conversation,
            exchanges=exchanges_with_answer(rows, chat.speakers, last, now=self.runtime.clock()),
            sync=self.synchronizer.make_sync_callback(chat),
        )
        if state.exchanges:
            self.runtime.submit_state(state, chat.namespace)

    def _answered_exchange(self, opened: _PendingTurn, answer: str) -> list[Exchange]:
        """The message with its answer; a greeting that was gone on with answers none."""
        question = clean_user_message(opened.window.question)
        if opened.window.continues_greeting or not (question or answer):
            return []
        cast = opened.chat_ref.speakers
        exchange = Exchange(
            user=question,
            assistant=answer,
            user_name=cast.user_name,
            assistant_name=cast.assistant_name,
            ts=self.runtime.clock(),
            channel=cast.channel,
        )
        return [exchange]

    def input_modifier(self, text: str, state: State, is_chat: bool = False) -> str:
        """In notebook and default mode `<|memory|>` becomes what fits the text around it."""
        if is_chat or MEMORY_MARK not in text:
            return text
        try:
            with time_limit(self._time_limit_s()):
                return expand(text, state, self.runtime, self.host)
        except LongTermMemoryError as exc:
            self.runtime.report("recall", f"<|memory|> was left empty: {exc}")
        except Exception as exc:  # noqa: BLE001  (as in the prompt hook)
            self.runtime.report_bug("the input hook failed", exc)
        return text.replace(MEMORY_MARK, "")

    def forget(self, namespace: Namespace, memory_id: str) -> None:
        """Hides a memory at once, also from what shows or lends earlier recalls."""
        self.runtime.forget(namespace, [memory_id])

    def forget_deleted(self, namespace: Namespace) -> int:
        """Hides what only deleted chats said; returns how many memories."""
        return self.synchronizer.forget_deleted(namespace)

    def forget_removed(self, namespace: Namespace) -> int:
        """Hides what was taken out of its chat, so that its words are erased; returns how many."""
        ids = [it.id for it in removed_memories(self.runtime.memory, namespace)]
        self.runtime.forget_exactly(namespace, ids)
        return len(ids)

    def bot_prefix_modifier(self, text: str, bias: str) -> str:
        """long_term_memory's bias string, where this very prompt brings memories in."""
        return text + bias if self.prompt_builder.is_injecting() else text


def _history_argument(
    user_input: object, state: object, others: Mapping[str, Any]
) -> dict[str, Any]:
    """The history. Raises HostError where the hook gets something else than it knows."""
    if not (isinstance(user_input, str) and isinstance(state, dict)):
        raise HostError("the message or the state is not what it was in the hosts known")
    if more := sorted(name for name in others.keys() - _KNOWN_ARGUMENTS if others[name]):
        raise HostError(f"{', '.join(more)} is handed over, which is not known")
    history: dict[str, Any] | None = others.get("history", state.get("history"))
    if history is None:
        raise HostError("no history is handed over")
    return history
