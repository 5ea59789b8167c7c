"""Executes the memory command of a message once, and replies with its outcome.

The prompt hook calls it; the runtime's writer thread does the writing, after earlier jobs. The
hook waits for it, so that replies are true, but at most MAX_WAIT_S, so that no slow disk blocks it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import assert_never

from ...domain.errors import LongTermMemoryError, StorageBusy
from ...domain.namespaces import Namespace
from ...domain.records import Memory
from ...infra.lru_cache import LRUCache
from ...memory.runtime import Runtime
from ...prompt.plan import SHORT_ID_CHARS
from ...prompt.templates import date_in_digits
from ...storage.pauses import PauseState
from ...text.commands.parser import (
    Command,
    CommandKind,
    PauseTarget,
    is_mere_wish_to_forget,
    is_unstored_request,
    pause_target,
    refers_to_all,
    refers_to_last,
)
from ...text.excerpts import excerpt
from ...text.locales import command_words, prompt_words
from ..chat.exchanges import first_version_time, to_exchanges
from ..chat.turn_request import TurnRequest
from ..chat_sync.synchronizer import ChatSynchronizer
from ..notices import Replies, quote, reply, translated
from .note_commands import NoteCommands
from .targets import MemorySelector

MAX_WAIT_S = 2.0
_MAX_EXECUTED = 192  # up to three for each message
_MAX_LISTED = 8
_MAX_LINE_CHARS = 120
_PUNCTUATION = ".,:;!，。：；！"  # noqa: RUF001

Action = Callable[[Command, TurnRequest], Replies]


class CommandExecutor:
    """Executes memory commands; one instance per process, thread-safe."""

    def __init__(self, runtime: Runtime, synchronizer: ChatSynchronizer) -> None:
        self._runtime = runtime
        self._synchronizer = synchronizer
        self._selector = MemorySelector(runtime)
        self._notes = NoteCommands(runtime, self._selector)
        self._executed: LRUCache[tuple[Namespace, str], Replies] = LRUCache(_MAX_EXECUTED)

    def execute(self, command: Command, request: TurnRequest) -> Replies:
        """Executes the message's command, unless it was executed before; returns the replies.

        Regenerating, continuing and tool turns repeat a message. The first message of a chat
        without a name cannot be recognised.
        """
        action = self._action(command.kind)
        if action is None or request.identity.is_incognito:
            return self._reply_without_writing(command, request)
        keys = _record_keys(command, request)
        if earlier := self._earlier_reply(command, request, keys):
            return earlier
        outcome: list[Replies] = []

        def job() -> None:
            if not outcome:  # a retry: only mark_executed() failed
                outcome.append(action(command, request))
            if request.conversation:
                self._runtime.pauses.mark_executed(request.namespace, *keys)

        if not self._runtime.run_and_wait(job, MAX_WAIT_S, request.namespace) or not outcome:
            return reply(command, "later")
        for key in keys:
            self._executed.put((request.namespace, key), outcome[0])
        return outcome[0]

    def _action(self, kind: CommandKind) -> Action | None:
        """Returns what writes for a command; None for one that changes nothing."""
        match kind:
            case CommandKind.REMEMBER:
                return self._notes.remember
            case CommandKind.CORRECT_NOTE:
                return self._notes.correct
            case CommandKind.FORGET:
                return self._forget
            case CommandKind.PAUSE | CommandKind.RESUME:
                return self._pause_or_resume
            case CommandKind.NEVER_REMEMBER | CommandKind.REMEMBER_AGAIN:
                return self._mark_never_remembered
            case CommandKind.HELP | CommandKind.NEAR_MISS | CommandKind.LIST_MEMORIES:
                return None
            case (
                CommandKind.OFF_THE_RECORD
                | CommandKind.FORGET_IN_WORDS
                | CommandKind.PAUSE_IN_WORDS
            ):
                return None
        assert_never(kind)

    def _reply_without_writing(self, command: Command, request: TurnRequest) -> Replies:
        """Returns the replies to a command that changes nothing, or may not in this chat."""
        if command.kind in (CommandKind.HELP, CommandKind.NEAR_MISS):
            return _explain(command)
        if request.identity.is_incognito:
            return reply(command, "incognito")
        if command.kind is CommandKind.FORGET_IN_WORDS:
            return self._offer_to_forget(command, request)
        if command.kind is CommandKind.PAUSE_IN_WORDS:
            return reply(command, "pause_by_command")
        if command.kind is CommandKind.OFF_THE_RECORD:
            return reply(command, "off_alone" if command.has_no_other_text else "off")
        return self._list_memories(command, request)

    def set_pause(self, namespace: Namespace, conversation: str, state: PauseState) -> bool:
        """Pauses or resumes a chat; returns whether it was done in time."""
        pauses = self._runtime.pauses

        def work() -> None:
            self._synchronizer.sync_chats(namespace, conversation)
            left_out = pauses.get(namespace, conversation).left_out
            pauses.set_pause(namespace, conversation, replace(state, left_out=left_out))

        return self._is_done_in_time(namespace, work)

    def set_left_out(
        self, namespace: Namespace, conversation: str, memory_id: str, *, left_out: bool
    ) -> bool:
        """Excludes a memory from this chat's prompts, or ends that; returns whether it was done."""
        pauses = self._runtime.pauses

        def work() -> None:
            state = pauses.get(namespace, conversation)
            ids = state.left_out | {memory_id} if left_out else state.left_out - {memory_id}
            pauses.set_pause(namespace, conversation, replace(state, left_out=ids))

        return self._is_done_in_time(namespace, work)

    def set_never_remembered(self, namespace: Namespace, *, never: bool) -> bool:
        """Stops or restarts remembering a character; returns whether it was done in time.

        Saves or excludes earlier messages first.
        """

        def work() -> None:
            self._synchronizer.sync_chats(namespace)
            self._runtime.pauses.set_never_remembered(namespace, wanted=never)

        return self._is_done_in_time(namespace, work)

    def _is_done_in_time(self, namespace: Namespace, work: Callable[[], None]) -> bool:
        """Lets the writer do the work; returns whether it has ended without a fault by now."""
        done: list[bool] = []

        def job() -> None:
            work()
            done.append(True)

        return self._runtime.run_and_wait(job, MAX_WAIT_S, namespace) and bool(done)

    def forget_namespace(self, namespace: Namespace) -> None:
        """Drops the replies and lists of this namespace."""
        self._executed.drop_where(lambda key: key[0] == namespace)
        self._selector.forget_lists(namespace)

    def _earlier_reply(
        self, command: Command, request: TurnRequest, recorded: Sequence[str]
    ) -> Replies:
        """Returns the reply of an earlier execution, or nothing."""
        if not (request.conversation or request.is_tool_turn):
            return ()
        timed = () if request.raw_window.is_continuing else recorded[1:]
        keys = timed or recorded[:1]  # any of them identifies the message
        for key in keys:
            if earlier := self._executed.get((request.namespace, key)):
                return earlier
        is_done = any(self._runtime.pauses.was_executed(request.namespace, key) for key in keys)
        return reply(command, "done_before") if request.conversation and is_done else ()

    def _forget(self, command: Command, request: TurnRequest) -> Replies:
        """Forgets memories. Reports a failure to the user instead of retrying."""
        try:
            memories, reply_if_none = self._memories_meant(command, request)
            if not memories:
                return reply_if_none
            self._runtime.forget(request.namespace, [memory.id for memory in memories])
        except LongTermMemoryError as exc:
            reason = translated(exc, command)
            return reply(command, "failed", text=quote(command.argument), reason=reason)
        lines = [_one_line(memory, command.language) for memory in memories]
        text = command_words(command.language)["between_memories"].join(lines)
        minutes = int(self._runtime.settings.ltm_writes.undo_forget_s // 60)
        count = len(set(lines))
        undo = reply(command, "forgot_undo", minutes=minutes, count=count) if minutes else ()
        return (*reply(command, "forgot", text=text, count=count), *undo)

    def _memories_meant(
        self, command: Command, request: TurnRequest
    ) -> tuple[Sequence[Memory], Replies]:
        """Returns the memories to forget, and the reply if there are none."""
        argument, chat = command.argument, (request.namespace, request.conversation)
        if not argument:
            return (), reply(command, "nothing_to_forget")
        # First the chat is saved up to this message, so that its last exchange is a memory.
        rows = request.raw_window.past_rows
        self._synchronizer.sync_rows(request.chat_ref, rows)
        if refers_to_last(argument):
            is_stored = self._is_last_stored(request)
            last = self._selector.last_exchange(*chat, rows, is_last_stored=is_stored)
            return last, reply(command, "no_last" if is_stored else "last_not_stored")
        if refers_to_all(argument):
            return (), reply(command, "not_all", text=quote(argument))
        selected = self._selector.by_number_or_id(*chat, argument)
        if selected is not None:
            live = [memory for memory in selected if memory is not None]
            return self._selector.with_companions(*chat, live), reply(command, "forgotten_already")
        return self._memories_with_words(command, request)

    def _is_last_stored(self, request: TurnRequest) -> bool:
        """Returns whether the last message was stored; an older one must not go in its place.

        One of a pause is not stored, nor one that the guard keeps back.
        """
        said = to_exchanges(request.raw_window.past_rows, request.speakers)
        is_no_last = (is_unstored_request, is_mere_wish_to_forget)
        while said and any(asks(said[-1].user) for asks in is_no_last):
            said.pop()
        if not said:
            return True
        memory, chat = self._runtime.memory, (request.namespace, request.conversation)
        last = memory.guarded_chat(*chat, said).exchanges[-1]
        missing = memory.compare(*chat, said, whole=False).added
        return all(one.exchange != last for one in missing)

    def _memories_with_words(
        self, command: Command, request: TurnRequest
    ) -> tuple[Sequence[Memory], Replies]:
        """Returns the memory that matches the words; several matches become a numbered list."""
        words = command.argument
        chat = request.namespace, request.conversation
        groups = self._selector.by_words(*chat, words)
        if len(groups) == 1:
            return self._selector.with_companions(*chat, groups[0]), ()
        if not groups:
            return (), reply(command, "no_match", text=quote(words))
        lines = self._number_memories(command, request, [group[0] for group in groups])
        return (), (*reply(command, "which", text=quote(words)), *lines)

    def _pause_or_resume(self, command: Command, request: TurnRequest) -> Replies:
        """Pauses or resumes the chat. Saves or excludes earlier messages first."""
        if not request.conversation:
            return reply(command, "no_chat_yet")
        self._synchronizer.sync_rows(request.chat_ref, request.raw_window.past_rows)
        target, is_pause = pause_target(command), command.kind is CommandKind.PAUSE
        pauses = self._runtime.pauses
        before = pauses.get(request.namespace, request.conversation)
        after = with_pause(before, target, paused=is_pause)
        if after != before:
            pauses.set_pause(request.namespace, request.conversation, after)
        done = reply(command, f"paused_{target}" if is_pause else f"resumed_{target}")
        is_never = not is_pause and pauses.is_never_remembered(request.namespace)
        return (*done, *reply(command, "still_never")) if is_never else done

    def _mark_never_remembered(self, command: Command, request: TurnRequest) -> Replies:
        """Does the work of set_never_remembered() for the chat with the command."""
        never = command.kind is CommandKind.NEVER_REMEMBER
        self._synchronizer.sync_rows(request.chat_ref, request.raw_window.past_rows)
        self._synchronizer.sync_chats(request.namespace)
        self._runtime.pauses.set_never_remembered(request.namespace, wanted=never)
        return reply(command, "never" if never else "again")

    def _offer_to_forget(self, command: Command, request: TurnRequest) -> Replies:
        """Says that nothing was forgotten, and numbers what the wish may mean."""
        chat = request.namespace, request.conversation
        try:
            meant = self._selector.meant_by_wish(*chat, command.argument)
        except StorageBusy:
            meant = []
        if not meant:
            return reply(command, "forget_by_command")
        lines = self._number_memories(command, request, meant)
        return (*reply(command, "forget_by_number"), *lines)

    def _list_memories(self, command: Command, request: TurnRequest) -> Replies:
        words, chat = command.argument, (request.namespace, request.conversation)
        try:
            count = self._selector.count(*chat)
            found = self._selector.containing_words(*chat, words) if words else None
            listed = self._selector.newest(*chat, _MAX_LISTED) if found is None else found
        except StorageBusy as exc:
            return reply(command, "busy", reason=translated(exc, command))
        if found is None:
            head = reply(command, "memories" if count else "memories_none", all=count)
        else:
            key = "found" if found else "found_none"
            head = reply(command, key, text=quote(words), count=len(found), all=count)
        return (*head, *self._number_memories(command, request, listed))

    def _number_memories(
        self,
        command: Command,
        request: TurnRequest,
        memories: Sequence[Memory],
    ) -> Replies:
        """Returns a numbered list; /forget takes its numbers in this chat until the next list.

        What a wish in plain words may mean is numbered behind the last list, which the user asked
        for and still sees.
        """
        shown, chat = memories[:_MAX_LISTED], (request.namespace, request.conversation)
        is_wish = command.kind is CommandKind.FORGET_IN_WORDS
        ids = [memory.id for memory in shown]
        numbers = self._selector.number(*chat, ids, keeps_list=is_wish)
        remarks = self._selector.remarks(request.namespace, shown, command.language)
        return tuple(
            f"{n}. {_one_line(memory, command.language)}{remark} [{memory.id[:SHORT_ID_CHARS]}]"
            for n, memory, remark in zip(numbers, shown, remarks, strict=True)
        )


def with_pause(state: PauseState, target: PauseTarget, *, paused: bool) -> PauseState:
    """Returns the state with its target, writing or recall or both, paused or resumed."""
    return replace(
        state,
        is_writing_paused=state.is_writing_paused if target is PauseTarget.RECALL else paused,
        is_recall_paused=state.is_recall_paused if target is PauseTarget.WRITING else paused,
    )


def _explain(command: Command) -> Replies:
    if command.kind is CommandKind.HELP:
        return reply(command, "help")
    words = command.model_text.split()
    typed = " ".join(words[: 1 if len(words[0]) > 1 else 2]).rstrip(_PUNCTUATION)  # "/ 记住"
    return reply(command, "near_miss", typed=typed, meant=command.argument)


def _one_line(memory: Memory, language: str) -> str:
    text = memory.exchange.user if memory.exchange else memory.text
    shown = excerpt(" ".join((text or memory.text).split()), _MAX_LINE_CHARS)
    day = date_in_digits(memory.ts, words=prompt_words(language))
    return " ".join(filter(None, (day, shown)))


def _record_keys(command: Command, request: TurnRequest) -> tuple[str, ...]:
    """Returns the keys that identify the message of a command: by position, then by time.

    The page gives each message a time, which distinguishes it from one that replaced it, and
    identifies it in a renamed or branched chat. The position identifies messages without a time,
    and those whose time the host changes when their answer begins. A pause does not apply to
    branches. Without a chat file, where times change, there is no key with the time.
    """
    window = request.raw_window
    earlier = [row.question for row in window.past_rows if row.question]
    position = "\x1f".join((request.conversation, str(len(earlier)), window.question))
    meta = window.rows[-1].user_meta if window.is_continuing else window.message_user_meta
    ts = first_version_time(meta) if request.identity.chat_file else None
    if ts is None:
        return (position,)
    timed = f"{ts}\x1f{position}"
    if not earlier or command.kind in (CommandKind.PAUSE, CommandKind.RESUME):
        return (position, timed)
    earlier_hash = blake2b("\x1f".join(earlier).encode("utf-8", "surrogatepass")).hexdigest()
    return (position, timed, f"{ts}\x1f{earlier_hash}\x1f{window.question}")
