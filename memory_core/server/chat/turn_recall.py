"""Adds memories to the messages of a chat completion."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from ... import bootstrap
from ...domain.errors import LongTermMemoryError
from ...domain.namespaces import Namespace
from ...domain.records import Exchange
from ...host.chat.exchanges import speakers_of, to_exchanges
from ...host.chat.host_protocol import Host
from ...host.chat.turn_request import ChatIdentity, TurnRequest
from ...host.chat_sync.withheld import UNSTORED, StoredChat
from ...host.prompt_builder import PromptBuilder
from ...infra.deadlines import time_limit
from ...memory.runtime import Runtime
from ...prompt.window import Window, keep_latest_exchanges
from ...recall.pipeline import Pipeline
from ...text.commands.parser import (
    Command,
    CommandKind,
    is_command_message,
    is_unstored_request,
    parse_command,
)
from ...text.locales import command_words
from ..memory_access import latest_rules
from .messages import exchange_messages, read_chat, with_memories
from .request import ChatMetadata, ChatRequest
from .retrieved import explanation_of, retrieved_in
from .turns import (
    NewCharacters,
    PreparedTurn,
    conversation_of,
    older_exchanges,
    positioned,
)

_MAX_WAIT_S = 2.0
_NO_USER = "no memory: the request names no `user`, and api.default_user is empty"

_NO_JUDGE = "use_gate and use_rerank need a language model (llm.base_url); neither was done"
# A model that answers "forgotten!" would be believed, and a note that nobody saves would be missed.
_COMMAND_NOTES = {
    CommandKind.OFF_THE_RECORD: "off the record: this exchange is not stored",
    CommandKind.FORGET_IN_WORDS: "nothing was forgotten: that takes a call that deletes memories",
    CommandKind.PAUSE_IN_WORDS: "nothing was paused: messages are stored as before",
}
_NO_COMMANDS = (
    "commands are not carried out here, and their messages are not stored: use the calls that add, "
    "change and delete memories"
)


class TurnRecall:
    """Recalls for chat completions. Synchronous, safe for many threads."""

    def __init__(self, runtime: Runtime, new_characters: NewCharacters) -> None:
        self._runtime = runtime
        self._new_characters = new_characters
        self._builder = PromptBuilder(runtime, _PlainHost())
        runtime.on_reloaded(self._builder.follow_settings)

    def prepare(self, request: ChatRequest, user: str | None) -> PreparedTurn:
        """Returns the turn with memories; if memory fails, without them and with a note.

        Raises RequestRefused for messages that cannot be understood.
        """
        return reduce(_with_note, request.notes, self._prepare(request, user))

    def _prepare(self, request: ChatRequest, user: str | None) -> PreparedTurn:
        plain = self._read(request, user)
        if plain.namespace is None:
            return plain
        try:
            with time_limit(min(_MAX_WAIT_S, self._runtime.settings.recall.time_limit_s)):
                return self._with_memories(plain, plain.namespace)
        except LongTermMemoryError as exc:
            self._runtime.report("server.recall", f"a request went out without memories: {exc}")
        except Exception as exc:  # noqa: BLE001  (our bugs must not cost a chat its answer)
            self._runtime.report_bug("recall for a request failed", exc)
        return _with_note(plain, "memory failed for this message; see the server's log")

    def _read(self, request: ChatRequest, user: str | None) -> PreparedTurn:
        shown = request.metadata.user_name or request.user or user or ""
        named = request.metadata.character or ""
        character = "" if named == "_instruct" else named
        chat = read_chat(request.body.get("messages"), user=shown, character=character)
        plain = PreparedTurn(
            request=request,
            chat=chat,
            messages=chat.messages,
            speakers=speakers_of(chat.window, is_api=True),
            has_history=bool(chat.window.rows),
            rules=UNSTORED if request.metadata.incognito else latest_rules(self._runtime),
        )
        if user is None:
            found = request.misplaced_user
            hint = f"; here {found} must be called `user`" if found else ""
            return _with_note(plain, f"{_NO_USER}{hint}")
        owner = chat_owner(user, character)
        namespace, conversation = self._runtime.memory.aliases.resolve_chat(
            owner, owner.character, request.conversation
        )
        return replace(plain, namespace=namespace, conversation=conversation)

    def _with_memories(self, turn: PreparedTurn, namespace: Namespace) -> PreparedTurn:
        turn = self._with_stored_turns(turn, namespace)
        shown = to_exchanges(turn.chat.shown_rows, turn.speakers)
        turn = replace(turn, conversation=conversation_of(self._runtime, turn, namespace, shown))
        self._exclude_question(turn, namespace)
        request = self._turn_request(turn, namespace, shown)
        built = self._builder.build(request)
        if self._runtime.memory.has_namespace(namespace):
            self._runtime.schedule(namespace)
        self._runtime.clear("server.recall")
        if built.plan is None:
            return _with_note(turn, "; ".join(built.faults))
        retrieved = retrieved_in(built.recall, built.plan)
        if turn.request.metadata.explain:
            retrieved = replace(retrieved, explanation=explanation_of(built.recall, built.plan))
        messages = with_memories(turn.chat, built.plan)
        turn = replace(turn, messages=messages, retrieved=retrieved)
        if request.command:
            turn = _with_note(turn, _COMMAND_NOTES.get(request.command.kind, _NO_COMMANDS))
        lacks_judge = turn.request.metadata.wants_judge and self._runtime.models.judge is None
        return _with_note(turn, _NO_JUDGE) if lacks_judge else turn

    def _exclude_question(self, turn: PreparedTurn, namespace: Namespace) -> None:
        """Excludes the message if it is incognito or Remember is off, even if no answer comes.

        Otherwise readmits one that begins a chat without a name: it may have begun another.
        """
        chat, rules = turn.chat, turn.rules
        is_passing = chat.is_task or turn.request.is_task
        is_concerned = rules.excludes or (rules.stores and not turn.conversation)
        if is_passing or not (is_concerned and chat.window.question):
            return
        earlier = to_exchanges(chat.window.rows, turn.speakers)
        exchanges = to_exchanges(chat.rows_with_answer(""), turn.speakers)
        if len(exchanges) == len(earlier):
            return  # it is a command
        pauses = self._new_characters.pauses_for(turn, namespace)
        if not turn.conversation:
            pauses.set_first_excluded(namespace, exchanges[-1].user, wanted=rules.excludes)
        else:
            said = positioned(self._runtime, turn, namespace, exchanges)
            stored = StoredChat(self._runtime.memory, pauses, namespace, turn.conversation)
            stored.exclude_question(said)

    def _with_stored_turns(self, turn: PreparedTurn, namespace: Namespace) -> PreparedTurn:
        """Adds the conversation's last exchanges if the client wants some and sent none."""
        wanted = turn.request.metadata.recent_turns
        if not (wanted and turn.conversation) or turn.has_history or turn.chat.current is None:
            return turn
        stored = self._runtime.memory.conversation(namespace, turn.conversation, wanted)
        said = [memory.exchange for memory in stored if memory.exchange]
        earlier = [
            m for exchange in said for m in exchange_messages(exchange.user, exchange.assistant)
        ]
        first = 1 if turn.chat.system is not None else 0
        messages = [*turn.chat.messages[:first], *earlier, *turn.chat.messages[first:]]
        user, character = turn.chat.window.name1, namespace.character
        chat = read_chat(messages, user=user, character=character)
        return replace(turn, chat=chat, messages=messages)

    def _turn_request(
        self, turn: PreparedTurn, namespace: Namespace, shown: Sequence[Exchange]
    ) -> TurnRequest:
        count = len(to_exchanges(turn.chat.window.rows, turn.speakers))
        window, metadata = turn.chat.window, turn.request.metadata
        recent, pauses = metadata.recent_turns, self._runtime.pauses
        said = pauses.without_excluded(namespace, turn.conversation, shown[:count])
        older = older_exchanges(
            self._runtime, namespace, turn.conversation, shown=said, question=window.question
        )
        is_paused = pauses.get(namespace, turn.conversation).is_recall_paused
        is_incognito = turn.request.is_incognito
        is_off = is_incognito and not self._runtime.settings.recall.in_incognito
        reads_commands = self._runtime.settings.commands.enabled and not turn.chat.is_task
        command = _command_to_report(window) if reads_commands else None
        return TurnRequest(
            raw_window=window,
            prompt_window=window if recent is None else keep_latest_exchanges(window, recent),
            state=self._limits(turn.request),
            history={},
            identity=ChatIdentity(
                namespace=namespace,
                conversation=turn.conversation,
                is_api=True,
                is_incognito=is_incognito,
            ),
            speakers=turn.speakers,
            exchanges=(*older, *said),
            also_shown=tuple(shown[count:]),
            is_tool_turn=turn.chat.is_tool_turn,
            is_recall_off=is_paused or is_off,
            is_unstored=not turn.request.is_stored,
            command=command,
            notices=(_notice_for_model(command),) if command else (),
            pipeline=self._pipeline(metadata),
        )

    def _limits(self, request: ChatRequest) -> dict[str, object]:
        """Returns the model's context length and the answer's, as the prompt builder reads them."""
        length = self._runtime.settings.server.context_length
        given = request.body.get("max_completion_tokens") or request.body.get("max_tokens")
        wanted = given if isinstance(given, int) else 0
        return {
            "truncation_length": length,
            "max_new_tokens": min(max(0, wanted), length // 2),
        }

    def _pipeline(self, metadata: ChatMetadata) -> Pipeline | None:
        """Returns the pipeline for the settings that this request changes; None for none."""
        changes = metadata.recall_settings
        if not changes:
            return None
        settings = self._runtime.settings
        recall = settings.recall.model_copy(update=changes)
        return bootstrap.build_pipeline(
            settings.model_copy(update={"recall": recall}),
            self._runtime.models.judge,
            reranker=self._runtime.models.reranker,
            prompts=self._runtime.models.prompts,
        )


class _PlainHost(Host):
    """A host without a chat template, that keeps nothing.

    The model server applies the real template, so its prompt only shows the planned messages.
    """

    def build_prompt(
        self, user_input: str, state: dict[str, Any], *, history: dict[str, Any], continuing: bool
    ) -> str:
        system = state.get("context") or state.get("custom_system_message") or ""
        cells = [str(cell) for row in history["internal"] for cell in row[:3]]
        return "\n".join([system, *cells, "" if continuing else user_input])


def chat_owner(user: str, character: str | None) -> Namespace:
    """Returns the namespace of a user's chats with a character, or without a character."""
    return Namespace(user, character) if character else Namespace.instruct(user)


def _command_to_report(window: Window) -> Command | None:
    """Returns the command to tell of; "remember that …" is stored as the message that it is."""
    message = window.question
    command = parse_command(message, chat_language=window.language)
    if command is None or command.kind is not CommandKind.REMEMBER:
        return command
    return command if is_command_message(message) or is_unstored_request(message) else None


def _notice_for_model(command: Command) -> str:
    keys = {
        CommandKind.OFF_THE_RECORD: "off_alone" if command.has_no_other_text else "off",
        CommandKind.FORGET_IN_WORDS: "forget_not_here",
        CommandKind.PAUSE_IN_WORDS: "pause_not_here",
    }
    return command_words(command.language)[keys.get(command.kind, "not_here")]


def _with_note(turn: PreparedTurn, note: str) -> PreparedTurn:
    retrieved = replace(turn.retrieved, notes=(*turn.retrieved.notes, note))
    return replace(turn, retrieved=retrieved)
