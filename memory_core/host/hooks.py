"""The host's hooks: they translate, delegate and never let memory break a chat."""

import html
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..domain.errors import HostError, LongTermMemoryError, StorageBusy, StorageError
from ..domain.namespaces import Namespace
from ..domain.records import Exchange
from ..infra.deadlines import hurried
from ..infra.lru_cache import Recent
from ..memory.runtime import Runtime
from ..prompt.plan import Plan
from ..prompt.templates import template_problems
from ..prompt.window import Row, Window
from ..text.cleaning import clean, clean_own
from ..text.commands.parser import read, recordable
from .activity import Skip
from .chat.codec import as_spoken, from_host, from_unknown
from .chat.exchanges import cast_of, exchanges
from .chat.host_protocol import Host, State
from .chat.identity import Where, locate
from .chat.incremental_parse import awaits_answer
from .chat.turn_request import Asked, said_before
from .chat_sync.deletions import removed
from .chat_sync.synchronizer import Chat, Settler
from .chat_sync.unsaved_chat import ShownChat, shown
from .commands.executor import Orders
from .delivery import Delivered
from .notebook import MARK, expand
from .prompt_builder import TurnBuilder

log = logging.getLogger("long_term_memory")

_MOST_OPEN = 256  # one whose answer is never given keeps its history in memory
_HANDED_OVER = frozenset(("history", "_continue"))
_PATIENCE_S = 2.0  # with memories that are opened, made anew, moved or deleted
_ONLY_READ = "memories are read here, but nothing of what is said is written down"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    """A turn whose answer is awaited. The state is kept so that its identity stays its own."""

    state: object
    chat: Chat
    window: Window


class Hooks:
    """One for each process. Every method may be called from several threads at once."""

    def __init__(self, runtime: Runtime, host: Host) -> None:
        self.runtime = runtime
        self.host = host
        self.skipped_calls = 0
        self.turns = TurnBuilder(runtime, host)
        self.settler = Settler(runtime, host)
        self.orders = Orders(runtime, self.settler)
        self.last_chats = self.settler.last_chats
        runtime.every_tick(self.settler.tick)
        runtime.at_close(self.settler.finish)
        self._open: Recent[int, _Open] = Recent(_MOST_OPEN)
        runtime.when_reloaded(self._follow_settings)
        self._follow_settings()

    def _follow_settings(self) -> None:
        self.turns.follow_settings()
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
            history = _handed_over(user_input, state, kwargs)
            return self._built(user_input, state, history, bool(kwargs.get("_continue", False)))
        except HostError as exc:
            self.runtime.report("host", f"no memories reach this host's prompts: {exc}")
            return None

    def _built(
        self, user_input: str, state: dict[str, Any], history: dict[str, Any], continuing: bool
    ) -> str:
        def untouched() -> str:
            return self.host.build_prompt(user_input, state, history=history, continuing=continuing)

        where = None
        try:
            with hurried(self._patience_s()):
                asked = self._asked(user_input, state, history, continuing)
                where = asked.where
                prompt = self._prompt(asked)
            if prompt is not None:
                return prompt
        except LongTermMemoryError as exc:
            self._failed(where)
            self.runtime.report("recall", f"this message went out without memories: {exc}")
        except Exception as exc:  # noqa: BLE001  (a bug of ours must not cost a chat its answer)
            self._failed(where)
            plain = untouched()  # where the host's own builder fails, the fault is not ours
            self.runtime.report_bug("the prompt hook failed", exc)
            return plain
        return untouched()

    def _patience_s(self) -> float:
        return min(_PATIENCE_S, self.runtime.settings.recall.time_limit_s)

    def _asked(
        self,
        user_input: str,
        state: dict[str, Any],
        history: Mapping[str, Any],
        continuing: bool,
    ) -> Asked:
        where = self._located(state)
        heard, is_unknown = self._heard(user_input, state, history, continuing)
        cast = cast_of(heard, is_api=where.is_api, is_heard=where.chat_file is None)
        listens = self.runtime.settings.commands.enabled
        said = exchanges(heard.rows, cast)
        conversation, busy = self._conversation(where, said)
        try:
            writable = self._writable(where, conversation, said)
            is_recall_off = self._is_recall_off(where, conversation)
        except (StorageError, OSError) as exc:  # the answer is to be written all the same
            writable, is_recall_off, busy = said, True, str(exc)
        return Asked(
            heard=heard,
            window=as_spoken(heard) if listens else heard,
            command=read(heard.question) if listens else None,
            state=state,
            history=history,
            where=where,
            cast=cast,
            conversation=conversation,
            said=writable,
            before=said_before(heard, cast),
            is_tool_turn=bool(state.get("_tool_turn")),
            is_unknown=is_unknown,
            is_recall_off=is_recall_off,
            busy=busy,
        )

    def _conversation(self, where: Where, said: Sequence[Exchange]) -> tuple[str, str]:
        """Its name, and why that cannot be had in time, if so: it is looked for again later."""
        if not where.namespace or where.conversation or not said:
            return where.conversation, ""
        try:
            return self.settler.conversation_of(where.namespace, said[0]), ""
        except (StorageError, OSError) as exc:
            return "", str(exc)

    def _heard(
        self, user_input: str, state: State, history: Mapping[str, Any], continuing: bool
    ) -> tuple[Window, bool]:
        """The chat; the message alone, and True, where nobody can read the rows before it."""
        try:
            heard = from_host(user_input, state, history, continuing)
        except HostError as exc:
            if continuing:
                raise
            self.runtime.report("host.chat", f"{exc}: {_ONLY_READ}")
            return from_unknown(user_input, state), True
        self.runtime.clear("host.chat")
        return heard, False

    def _located(self, state: State) -> Where:
        """From here on everything goes by the name that counts."""
        where = locate(state, self.host, api_default_user=self.runtime.settings.api.default_user)
        if where.namespace is None:
            return where
        asked, aliases = where.namespace, self.runtime.memory.aliases
        meant, name = aliases.resolve_chat(asked, asked.character, where.conversation)
        return replace(where, namespace=meant, conversation=name)

    def _writable(
        self, where: Where, conversation: str, said: Sequence[Exchange]
    ) -> Sequence[Exchange]:
        if where.namespace is None or where.incognito:
            return said
        return self.runtime.switches.writable(where.namespace, conversation, said)

    def _is_recall_off(self, where: Where, conversation: str) -> bool:
        if where.namespace is None:
            return True
        if where.incognito:
            return not self.runtime.settings.recall.in_incognito
        return self.runtime.switches.of(where.namespace, conversation).recall

    def _prompt(self, asked: Asked) -> str | None:
        """None where the host has to build it."""
        namespace = asked.where.namespace
        if namespace is None:
            self._skip(asked.where)
            return None
        self._await_answer(asked, namespace)
        if asked.where.incognito and asked.is_recall_off and not asked.command:
            self.turns.activity.skipped(Skip.INCOGNITO, namespace)
            return None
        asked = self._obeyed(asked, namespace)
        delivered = self._delivered(asked, namespace)
        self.runtime.touch(namespace)
        self._tell(delivered.plan)
        self.runtime.clear("recall")
        return delivered.prompt

    def _delivered(self, asked: Asked, namespace: Namespace) -> Delivered:
        """Without memories where they cannot be had in time: a chat waits no longer for them."""
        try:
            if not asked.busy:
                delivered = self.turns.build(asked, namespace)
                self.runtime.clear("busy")
                return delivered
        except StorageBusy as exc:
            asked = replace(asked, busy=str(exc))
        self.runtime.report("busy", f"the last message went out without memories: {asked.busy}")
        return self.turns.build(asked, namespace)

    def _obeyed(self, asked: Asked, namespace: Namespace) -> Asked:
        """With what came of the message's command, which may have switched recall off or on."""
        if asked.command is None:
            return asked
        notices = self.orders.carry_out(asked, namespace)
        is_off = self._is_recall_off(asked.where, asked.conversation)
        return replace(asked, notices=notices, is_recall_off=is_off)

    def _tell(self, plan: Plan | None) -> None:
        """Shows what the settings want of this character's prompt and cannot have."""
        if plan is not None and plan.problems:
            self.runtime.report("injection", "; ".join(plan.problems))
        else:
            self.runtime.clear("injection")

    def _skip(self, where: Where) -> None:
        self.skipped_calls += 1
        skip = Skip.NO_API_USER if where.is_api else Skip.NOBODY
        self.turns.activity.skipped(skip, None)
        self.runtime.report("skipped", f"memory is off here: {where.reason}")

    def _failed(self, where: Where | None) -> None:
        self.turns.activity.skipped(Skip.FAILED, where.namespace if where else None)

    def _await_answer(self, asked: Asked, namespace: Namespace) -> None:
        """Has the settling look out for what the model answers."""
        if asked.where.incognito:
            return
        chat = Chat(namespace=namespace, conversation=asked.conversation, cast=asked.cast)
        self.last_chats.put(namespace, chat)
        if not self._may_write(asked):
            return
        path = asked.where.chat_file
        if path is not None:
            self.settler.watch(path, chat)
            return
        opened = _Open(state=asked.state, chat=chat, window=asked.heard)
        self._open.put(id(asked.state), opened)

    def _may_write(self, asked: Asked) -> bool:
        """What is written of a host that is not as we know it might be wrong for good."""
        unknown = getattr(self.host, "unknown", str)()
        if unknown:
            self.runtime.report("host.unknown", f"{unknown}: {_ONLY_READ}")
        return self.runtime.settings.ltm_writes.enabled and not (unknown or asked.is_unknown)

    def output_modifier(self, text: str, state: State, is_chat: bool = False) -> str:
        """Settles a turn that the host does not save; the text itself stays as it is."""
        opened = self._open.pop(id(state)) if is_chat else None
        if opened is not None:
            try:
                self._settle(opened, clean(html.unescape(text)))
            except Exception as exc:  # noqa: BLE001  (as in the prompt hook)
                self.runtime.report_bug("the output hook failed", exc)
        return text

    def _settle(self, opened: _Open, answer: str) -> None:
        rows = opened.window.past
        if not opened.window.question and awaits_answer(rows, len(rows)):
            closing = Row(user="", assistant=answer, extra=("", {}))
            self._submit(opened.chat, (*rows, closing))
            return
        answered = recordable(self._answered(opened, answer))
        self._submit(opened.chat, rows, *answered)

    def _submit(self, chat: Chat, rows: Sequence[Row], last: Exchange | None = None) -> None:
        """Has what the chat shows written, with the answer just given."""
        state = ShownChat(
            namespace=chat.namespace,
            conversation=chat.conversation,
            exchanges=shown(rows, chat.cast, last, now=self.runtime.clock()),
            settle=self.settler.settling_later(chat),
        )
        if state.exchanges:
            self.runtime.submit_state(state, chat.namespace)

    def _answered(self, opened: _Open, answer: str) -> list[Exchange]:
        """The message with its answer; a greeting that was gone on with answers none."""
        question = clean_own(opened.window.question)
        if opened.window.continues_greeting or not (question or answer):
            return []
        cast = opened.chat.cast
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
        if is_chat or MARK not in text:
            return text
        try:
            with hurried(self._patience_s()):
                return expand(text, state, self.runtime, self.host)
        except LongTermMemoryError as exc:
            self.runtime.report("recall", f"<|memory|> was left empty: {exc}")
        except Exception as exc:  # noqa: BLE001  (as in the prompt hook)
            self.runtime.report_bug("the input hook failed", exc)
        return text.replace(MARK, "")

    def forget(self, namespace: Namespace, memory_id: str) -> None:
        """Hides a memory at once, also from what shows or lends earlier recalls."""
        self.runtime.forget(namespace, [memory_id])

    def forget_deleted(self, namespace: Namespace) -> int:
        """Hides what only deleted chats said; returns how many memories."""
        return self.settler.forget_deleted(namespace)

    def forget_removed(self, namespace: Namespace) -> int:
        """Hides what was taken out of its chat, so that its words are erased; returns how many."""
        ids = [it.id for it in removed(self.runtime.memory, namespace)]
        self.runtime.forget_only(namespace, ids)
        return len(ids)

    def bot_prefix_modifier(self, text: str, bias: str) -> str:
        """long_term_memory's bias string, where this very prompt brings memories in."""
        return text + bias if self.turns.is_injecting() else text


def _handed_over(user_input: object, state: object, others: Mapping[str, Any]) -> dict[str, Any]:
    """The history. Raises HostError where the hook gets something else than it knows."""
    if not (isinstance(user_input, str) and isinstance(state, dict)):
        raise HostError("the message or the state is not what it was in the hosts known")
    if more := sorted(name for name in others.keys() - _HANDED_OVER if others[name]):
        raise HostError(f"{', '.join(more)} is handed over, which is not known")
    history: dict[str, Any] | None = others.get("history", state.get("history"))
    if history is None:
        raise HostError("no history is handed over")
    return history
