"""Carries out what a message says to the memory, once, and tells in a line what was done.

The prompt hook asks; whatever is to be written is done by the runtime's writer, behind what waits
there already. The hook waits for it, but no longer than PATIENCE_S: so the line is true, and no
chat hangs on a slow disk.
"""

from collections.abc import Callable, Sequence

from ...domain.errors import LongTermMemoryError, StorageBusy
from ...domain.namespaces import Namespace
from ...domain.records import Memory, MemoryKind
from ...infra.lru_cache import LRUCache
from ...memory.console import log_note
from ...memory.runtime import Runtime
from ...prompt.plan import SHORT_ID_CHARS
from ...prompt.templates import date_in_digits
from ...storage.pauses import PauseState
from ...text.commands.parser import (
    Command,
    CommandKind,
    PauseTarget,
    pause_target,
    refers_to_all,
    refers_to_last,
)
from ...text.sentences import excerpt
from ..chat.turn_request import TurnRequest
from ..chat_sync.synchronizer import ChatRef, ChatSynchronizer
from ..notices import words_for
from .idempotency import lookup_keys, record_keys
from .targets import MemorySelector

MAX_WAIT_S = 2.0
_MAX_EXECUTED = 192  # up to three for each message
_MAX_LISTED = 8
_MAX_LINE_CHARS = 120
_MAX_QUOTE_CHARS = 300

Replies = tuple[str, ...]
Action = Callable[[], Replies]


class CommandExecutor:
    """One for each process; safe for many threads."""

    def __init__(self, runtime: Runtime, settler: ChatSynchronizer) -> None:
        self._runtime = runtime
        self._synchronizer = settler
        self._selector = MemorySelector(runtime)
        self._executed: LRUCache[tuple[Namespace, str], Replies] = LRUCache(_MAX_EXECUTED)

    def execute(self, asked: TurnRequest, namespace: Namespace) -> Replies:
        """What the model is told of the message's command; nothing where there is none."""
        command = asked.command
        if command is None:
            return ()
        if asked.identity.is_incognito:
            return _reply(command, "incognito")
        if command.kind is CommandKind.OFF_THE_RECORD:
            return _reply(command, "off_alone" if command.has_no_other_text else "off")
        if command.kind is CommandKind.LIST_MEMORIES:
            return self._list_memories_in_time(command, asked, namespace)
        acts: dict[CommandKind, Action] = {
            CommandKind.REMEMBER: lambda: self._remember(command, asked, namespace),
            CommandKind.FORGET: lambda: self._forget(command, asked, namespace),
            CommandKind.PAUSE: lambda: self._pause_or_resume(command, asked, namespace),
            CommandKind.RESUME: lambda: self._pause_or_resume(command, asked, namespace),
            CommandKind.NEVER_REMEMBER: lambda: self._mark_never_remembered(
                command, asked, namespace
            ),
            CommandKind.REMEMBER_AGAIN: lambda: self._mark_never_remembered(
                command, asked, namespace
            ),
        }
        return self._execute_once(command, asked, namespace, acts[command.kind])

    def set_pause(self, namespace: Namespace, conversation: str, wanted: PauseState) -> bool:
        """Pauses a chat or has it go on, as the tab asks; whether it is done by now."""
        done: list[bool] = []

        def job() -> None:
            self._synchronizer.sync_chat(namespace, conversation)
            self._runtime.pauses.set_pause(namespace, conversation, wanted)
            done.append(True)

        return self._runtime.run_and_wait(job, MAX_WAIT_S, namespace) and bool(done)

    def set_never_remembered(self, namespace: Namespace, *, never: bool) -> bool:
        """Has a character never remembered, or again, as the tab asks; whether it is done by now.

        What was said before is settled first: written, or known as not to be written.
        """
        done: list[bool] = []

        def job() -> None:
            self._synchronizer.sync_namespace(namespace)
            self._runtime.pauses.set_never_remembered(namespace, wanted=never)
            done.append(True)

        return self._runtime.run_and_wait(job, MAX_WAIT_S, namespace) and bool(done)

    def forget_namespace(self, namespace: Namespace) -> None:
        """Forgets what was told of this namespace."""
        self._executed.drop_where(lambda key: key[0] == namespace)
        self._selector.forget_lists(namespace)

    def _execute_once(
        self, command: Command, asked: TurnRequest, namespace: Namespace, act: Action
    ) -> Replies:
        """A message that is answered anew, continued or goes on behind a tool is not a new one.

        Nobody can tell so of the first message of a chat without a name.
        """
        if told := self._earlier_reply(command, asked, namespace):
            return told
        outcome: list[Replies] = []

        def job() -> None:
            if not outcome:  # else it was carried out, but that could not be noted down
                outcome.append(act())
            if asked.conversation:
                self._runtime.pauses.mark_executed(namespace, *record_keys(asked))

        if not self._runtime.run_and_wait(job, MAX_WAIT_S, namespace) or not outcome:
            return _reply(command, "later")
        for name in record_keys(asked):
            self._executed.put((namespace, name), outcome[0])
        return outcome[0]

    def _earlier_reply(self, command: Command, asked: TurnRequest, namespace: Namespace) -> Replies:
        """What came of it when it was carried out, if it was."""
        known = lookup_keys(asked)
        if not (asked.conversation or asked.is_tool_turn):
            return ()
        for name in known:
            if told := self._executed.get((namespace, name)):
                return told
        is_done = any(self._runtime.pauses.was_executed(namespace, it) for it in known)
        return _reply(command, "done_before") if asked.conversation and is_done else ()

    def _remember(self, command: Command, asked: TurnRequest, namespace: Namespace) -> Replies:
        text = command.argument
        if not text:
            return _reply(command, "nothing_to_remember")
        if not self._runtime.settings.ltm_writes.enabled:
            return _reply(command, "not_kept_off", text=_quote(text))
        if self._runtime.pauses.is_never_remembered(namespace):
            return _reply(command, "not_kept_never", text=_quote(text))
        if self._runtime.pauses.get(namespace, asked.conversation).is_writing_paused:
            return _reply(command, "not_kept_paused", text=_quote(text))
        if command.this_chat_only and not asked.conversation:
            return _reply(command, "not_kept_here", text=_quote(text))
        chat = asked.conversation if command.this_chat_only else ""
        if self._selector.notes_equal_to(namespace, chat, text):
            return _reply(command, "kept_already", text=_quote(text))
        memory, kind = self._runtime.memory, MemoryKind.KNOWLEDGE
        memory.add_note(namespace, text, kind=kind, pinned=False, conversation=chat)
        log_note(namespace, text, self._runtime.settings)
        self._runtime.schedule(namespace)
        return _reply(command, "kept_here" if chat else "kept", text=_quote(text))

    def _forget(self, command: Command, asked: TurnRequest, namespace: Namespace) -> Replies:
        """What cannot be forgotten now is not tried again: the user was told otherwise."""
        try:
            return self._forget_if_clear(command, asked, namespace)
        except LongTermMemoryError as exc:
            return _reply(command, "failed", text=_quote(command.argument), reason=str(exc))

    def _forget_if_clear(
        self, command: Command, asked: TurnRequest, namespace: Namespace
    ) -> Replies:
        argument = command.argument
        if not argument:
            return _reply(command, "nothing_to_forget")
        if refers_to_last(argument):
            found = self._last_memories(asked, namespace)
            return (
                self._forget_memories(command, namespace, found)
                if found
                else _reply(command, "no_last")
            )
        if refers_to_all(argument):
            return _reply(command, "not_all", text=_quote(argument))
        named = self._selector.by_number_or_id(namespace, asked.conversation, argument)
        if named is not None:
            live = [it for it in named if it is not None]
            return (
                self._forget_memories(command, namespace, live)
                if live
                else _reply(command, "forgotten_already")
            )
        return self._forget_by_words(command, asked, namespace)

    def _forget_by_words(
        self, command: Command, asked: TurnRequest, namespace: Namespace
    ) -> Replies:
        """By words: of several that they may mean the user is asked which."""
        words = command.argument
        meant = self._selector.by_words(namespace, asked.conversation, words)
        if len(meant) == 1:
            return self._forget_memories(command, namespace, meant[0])
        if not meant:
            return _reply(command, "no_match", text=_quote(words))
        lines = self._number_memories(command, asked, namespace, [group[0] for group in meant])
        return (*_reply(command, "which", text=_quote(words)), *lines)

    def _last_memories(self, asked: TurnRequest, namespace: Namespace) -> list[Memory]:
        """What the last message of the chat left that is still remembered."""
        chat = ChatRef(
            namespace=namespace, conversation=asked.conversation, speakers=asked.speakers
        )
        self._synchronizer.sync_rows(chat, asked.raw_window.past_rows)
        return self._selector.last_exchange(
            namespace, asked.conversation, asked.raw_window.past_rows
        )

    def _forget_memories(
        self, command: Command, namespace: Namespace, memories: Sequence[Memory]
    ) -> Replies:
        self._runtime.forget(namespace, [it.id for it in memories])
        return _reply(command, "forgot", text="; ".join(_one_line(it) for it in memories))

    def _pause_or_resume(
        self, command: Command, asked: TurnRequest, namespace: Namespace
    ) -> Replies:
        """What was said before is settled first: written, or known as not to be written."""
        if not asked.conversation:
            return _reply(command, "no_chat_yet")
        chat = ChatRef(
            namespace=namespace, conversation=asked.conversation, speakers=asked.speakers
        )
        self._synchronizer.sync_rows(chat, asked.raw_window.past_rows)
        what, pauses = pause_target(command), command.kind is CommandKind.PAUSE
        switches = self._runtime.pauses
        before = switches.get(namespace, asked.conversation)
        after = with_pause(before, what, paused=pauses)
        if after != before:
            switches.set_pause(namespace, asked.conversation, after)
        told = _reply(command, f"paused_{what}" if pauses else f"resumed_{what}")
        is_never = not pauses and switches.is_never_remembered(namespace)
        return (*told, *_reply(command, "still_never")) if is_never else told

    def _mark_never_remembered(
        self, command: Command, asked: TurnRequest, namespace: Namespace
    ) -> Replies:
        """As in mark(), in the chat that asks for it."""
        never = command.kind is CommandKind.NEVER_REMEMBER
        chat = ChatRef(
            namespace=namespace, conversation=asked.conversation, speakers=asked.speakers
        )
        self._synchronizer.sync_rows(chat, asked.raw_window.past_rows)
        self._synchronizer.sync_namespace(namespace)
        self._runtime.pauses.set_never_remembered(namespace, wanted=never)
        return _reply(command, "never" if never else "again")

    def _list_memories_in_time(
        self, command: Command, asked: TurnRequest, namespace: Namespace
    ) -> Replies:
        try:
            return self._list_memories(command, asked, namespace)
        except StorageBusy as exc:
            return _reply(command, "busy", reason=str(exc))

    def _list_memories(self, command: Command, asked: TurnRequest, namespace: Namespace) -> Replies:
        about, chat = command.argument, asked.conversation
        live = self._selector.count(namespace, chat)
        found = self._selector.containing_words(namespace, chat, about) if about else None
        newest = self._selector.newest(namespace, chat, _MAX_LISTED) if found is None else found
        if found is None:
            head = _reply(command, "memories" if live else "memories_none", all=live)
        else:
            key = "found" if found else "found_none"
            head = _reply(command, key, text=_quote(about), count=len(found), all=live)
        return (*head, *self._number_memories(command, asked, namespace, newest))

    def _number_memories(
        self, command: Command, asked: TurnRequest, namespace: Namespace, memories: Sequence[Memory]
    ) -> Replies:
        """A list whose numbers /forget knows in this chat until the next list."""
        shown = memories[:_MAX_LISTED]
        self._selector.remember_list(namespace, asked.conversation, [it.id for it in shown])
        here = words_for(command)["only_here"]
        scopes = [here if it.only_in_conversation else "" for it in shown]
        return tuple(
            f"{n}. {_one_line(it)}{scope} [{it.id[:SHORT_ID_CHARS]}]"
            for n, (it, scope) in enumerate(zip(shown, scopes, strict=True), 1)
        )


def with_pause(switch: PauseState, what: PauseTarget, *, paused: bool) -> PauseState:
    """The switch with this part of it, or both, paused or not."""
    return PauseState(
        is_writing_paused=switch.is_writing_paused if what is PauseTarget.RECALL else paused,
        is_recall_paused=switch.is_recall_paused if what is PauseTarget.WRITING else paused,
    )


def _reply(command: Command, key: str, **fields: object) -> Replies:
    return (words_for(command)(key, **fields),)


def _quote(text: str) -> str:
    return excerpt(" ".join(text.split()), _MAX_QUOTE_CHARS)


def _one_line(memory: Memory) -> str:
    said = memory.exchange.user if memory.exchange else memory.text
    words = excerpt(" ".join((said or memory.text).split()), _MAX_LINE_CHARS)
    return " ".join(filter(None, (date_in_digits(memory.ts), words)))
