"""Carries out what a message says to the memory, once, and tells in a line what was done.

The prompt hook asks; whatever is to be written is done by the runtime's writer, behind what waits
there already. The hook waits for it, but no longer than PATIENCE_S: so the line is true, and no
chat hangs on a slow disk.
"""

from collections.abc import Callable, Sequence

from ...domain.errors import LongTermMemoryError, StorageBusy
from ...domain.namespaces import Namespace
from ...domain.records import Memory, MemoryKind
from ...infra.lru_cache import Recent
from ...memory.console import tell_note
from ...memory.runtime import Runtime
from ...prompt.plan import SHORT_ID
from ...prompt.templates import date_in_digits
from ...storage.pauses import Switch
from ...text.commands.parser import Command, CommandKind, Switched, means_all, means_last, switched
from ...text.sentences import excerpt
from ..chat.turn_request import Asked
from ..chat_sync.synchronizer import Chat, Settler
from ..notices import words_for
from .idempotency import all_names, looked_for
from .targets import Candidates

PATIENCE_S = 2.0
_MOST_DONE = 192  # up to three for each message
_LISTED = 8
_LONGEST_LINE = 120
_LONGEST_QUOTE = 300

Lines = tuple[str, ...]
Act = Callable[[], Lines]


class Orders:
    """One for each process; safe for many threads."""

    def __init__(self, runtime: Runtime, settler: Settler) -> None:
        self._runtime = runtime
        self._settler = settler
        self._candidates = Candidates(runtime)
        self._done: Recent[tuple[Namespace, str], Lines] = Recent(_MOST_DONE)

    def carry_out(self, asked: Asked, namespace: Namespace) -> Lines:
        """What the model is told of the message's command; nothing where there is none."""
        command = asked.command
        if command is None:
            return ()
        if asked.where.incognito:
            return _told(command, "incognito")
        if command.kind is CommandKind.OFF:
            return _told(command, "off_alone" if command.is_bare else "off")
        if command.kind is CommandKind.MEMORIES:
            return self._listing_in_time(command, asked, namespace)
        acts: dict[CommandKind, Act] = {
            CommandKind.REMEMBER: lambda: self._remember(command, asked, namespace),
            CommandKind.FORGET: lambda: self._forget(command, asked, namespace),
            CommandKind.PAUSE: lambda: self._switch(command, asked, namespace),
            CommandKind.RESUME: lambda: self._switch(command, asked, namespace),
            CommandKind.NEVER: lambda: self._mark(command, asked, namespace),
            CommandKind.AGAIN: lambda: self._mark(command, asked, namespace),
        }
        return self._once(command, asked, namespace, acts[command.kind])

    def switch(self, namespace: Namespace, conversation: str, wanted: Switch) -> bool:
        """Pauses a chat or has it go on, as the tab asks; whether it is done by now."""
        done: list[bool] = []

        def job() -> None:
            self._settler.settle_chat(namespace, conversation)
            self._runtime.switches.turn(namespace, conversation, wanted)
            done.append(True)

        return self._runtime.within(job, PATIENCE_S, namespace) and bool(done)

    def mark(self, namespace: Namespace, *, never: bool) -> bool:
        """Has a character never remembered, or again, as the tab asks; whether it is done by now.

        What was said before is settled first: written, or known as not to be written.
        """
        done: list[bool] = []

        def job() -> None:
            self._settler.settle_all(namespace)
            self._runtime.switches.set_never_remembered(namespace, wanted=never)
            done.append(True)

        return self._runtime.within(job, PATIENCE_S, namespace) and bool(done)

    def drop(self, namespace: Namespace) -> None:
        """Forgets what was told of this namespace."""
        self._done.drop(lambda key: key[0] == namespace)
        self._candidates.drop(namespace)

    def _once(self, command: Command, asked: Asked, namespace: Namespace, act: Act) -> Lines:
        """A message that is answered anew, continued or goes on behind a tool is not a new one.

        Nobody can tell so of the first message of a chat without a name.
        """
        if told := self._told_before(command, asked, namespace):
            return told
        outcome: list[Lines] = []

        def job() -> None:
            if not outcome:  # else it was carried out, but that could not be noted down
                outcome.append(act())
            if asked.conversation:
                self._runtime.switches.did(namespace, *all_names(asked))

        if not self._runtime.within(job, PATIENCE_S, namespace) or not outcome:
            return _told(command, "later")
        for name in all_names(asked):
            self._done.put((namespace, name), outcome[0])
        return outcome[0]

    def _told_before(self, command: Command, asked: Asked, namespace: Namespace) -> Lines:
        """What came of it when it was carried out, if it was."""
        known = looked_for(asked)
        if not (asked.conversation or asked.is_tool_turn):
            return ()
        for name in known:
            if told := self._done.get((namespace, name)):
                return told
        is_done = any(self._runtime.switches.is_done(namespace, it) for it in known)
        return _told(command, "done_before") if asked.conversation and is_done else ()

    def _remember(self, command: Command, asked: Asked, namespace: Namespace) -> Lines:
        text = command.argument
        if not text:
            return _told(command, "nothing_to_remember")
        if not self._runtime.settings.ltm_writes.enabled:
            return _told(command, "not_kept_off", text=_quoted(text))
        if self._runtime.switches.is_never_remembered(namespace):
            return _told(command, "not_kept_never", text=_quoted(text))
        if self._runtime.switches.of(namespace, asked.conversation).writing:
            return _told(command, "not_kept_paused", text=_quoted(text))
        if command.is_here and not asked.conversation:
            return _told(command, "not_kept_here", text=_quoted(text))
        chat = asked.conversation if command.is_here else ""
        if self._candidates.note_of(namespace, chat, text):
            return _told(command, "kept_already", text=_quoted(text))
        memory, kind = self._runtime.memory, MemoryKind.KNOWLEDGE
        memory.note(namespace, text, kind=kind, pinned=False, conversation=chat)
        tell_note(namespace, text, self._runtime.settings)
        self._runtime.touch(namespace)
        return _told(command, "kept_here" if chat else "kept", text=_quoted(text))

    def _forget(self, command: Command, asked: Asked, namespace: Namespace) -> Lines:
        """What cannot be forgotten now is not tried again: the user was told otherwise."""
        try:
            return self._forget_if_clear(command, asked, namespace)
        except LongTermMemoryError as exc:
            return _told(command, "failed", text=_quoted(command.argument), reason=str(exc))

    def _forget_if_clear(self, command: Command, asked: Asked, namespace: Namespace) -> Lines:
        argument = command.argument
        if not argument:
            return _told(command, "nothing_to_forget")
        if means_last(argument):
            found = self._last(asked, namespace)
            return self._hide(command, namespace, found) if found else _told(command, "no_last")
        if means_all(argument):
            return _told(command, "not_all", text=_quoted(argument))
        named = self._candidates.named(namespace, asked.conversation, argument)
        if named is not None:
            live = [it for it in named if it is not None]
            return (
                self._hide(command, namespace, live)
                if live
                else _told(command, "forgotten_already")
            )
        return self._forget_meant(command, asked, namespace)

    def _forget_meant(self, command: Command, asked: Asked, namespace: Namespace) -> Lines:
        """By words: of several that they may mean the user is asked which."""
        words = command.argument
        meant = self._candidates.meant(namespace, asked.conversation, words)
        if len(meant) == 1:
            return self._hide(command, namespace, meant[0])
        if not meant:
            return _told(command, "no_match", text=_quoted(words))
        lines = self._numbered(command, asked, namespace, [group[0] for group in meant])
        return (*_told(command, "which", text=_quoted(words)), *lines)

    def _last(self, asked: Asked, namespace: Namespace) -> list[Memory]:
        """What the last message of the chat left that is still remembered."""
        chat = Chat(namespace=namespace, conversation=asked.conversation, cast=asked.cast)
        self._settler.settle_rows(chat, asked.heard.past)
        return self._candidates.last(namespace, asked.conversation, asked.heard.past)

    def _hide(self, command: Command, namespace: Namespace, memories: Sequence[Memory]) -> Lines:
        self._runtime.forget(namespace, [it.id for it in memories])
        return _told(command, "forgot", text="; ".join(_line(it) for it in memories))

    def _switch(self, command: Command, asked: Asked, namespace: Namespace) -> Lines:
        """What was said before is settled first: written, or known as not to be written."""
        if not asked.conversation:
            return _told(command, "no_chat_yet")
        chat = Chat(namespace=namespace, conversation=asked.conversation, cast=asked.cast)
        self._settler.settle_rows(chat, asked.heard.past)
        what, pauses = switched(command), command.kind is CommandKind.PAUSE
        switches = self._runtime.switches
        before = switches.of(namespace, asked.conversation)
        after = turned(before, what, paused=pauses)
        if after != before:
            switches.turn(namespace, asked.conversation, after)
        told = _told(command, f"paused_{what}" if pauses else f"resumed_{what}")
        is_never = not pauses and switches.is_never_remembered(namespace)
        return (*told, *_told(command, "still_never")) if is_never else told

    def _mark(self, command: Command, asked: Asked, namespace: Namespace) -> Lines:
        """As in mark(), in the chat that asks for it."""
        never = command.kind is CommandKind.NEVER
        chat = Chat(namespace=namespace, conversation=asked.conversation, cast=asked.cast)
        self._settler.settle_rows(chat, asked.heard.past)
        self._settler.settle_all(namespace)
        self._runtime.switches.set_never_remembered(namespace, wanted=never)
        return _told(command, "never" if never else "again")

    def _listing_in_time(self, command: Command, asked: Asked, namespace: Namespace) -> Lines:
        try:
            return self._listing(command, asked, namespace)
        except StorageBusy as exc:
            return _told(command, "busy", reason=str(exc))

    def _listing(self, command: Command, asked: Asked, namespace: Namespace) -> Lines:
        about, chat = command.argument, asked.conversation
        live = self._candidates.count(namespace, chat)
        found = self._candidates.hits(namespace, chat, about) if about else None
        newest = self._candidates.newest(namespace, chat, _LISTED) if found is None else found
        if found is None:
            head = _told(command, "memories" if live else "memories_none", all=live)
        else:
            key = "found" if found else "found_none"
            head = _told(command, key, text=_quoted(about), count=len(found), all=live)
        return (*head, *self._numbered(command, asked, namespace, newest))

    def _numbered(
        self, command: Command, asked: Asked, namespace: Namespace, memories: Sequence[Memory]
    ) -> Lines:
        """A list whose numbers /forget knows in this chat until the next list."""
        shown = memories[:_LISTED]
        self._candidates.list_here(namespace, asked.conversation, [it.id for it in shown])
        here = words_for(command)["only_here"]
        scopes = [here if it.only_in else "" for it in shown]
        return tuple(
            f"{n}. {_line(it)}{scope} [{it.id[:SHORT_ID]}]"
            for n, (it, scope) in enumerate(zip(shown, scopes, strict=True), 1)
        )


def turned(switch: Switch, what: Switched, *, paused: bool) -> Switch:
    """The switch with this part of it, or both, paused or not."""
    return Switch(
        writing=switch.writing if what is Switched.RECALL else paused,
        recall=switch.recall if what is Switched.WRITING else paused,
    )


def _told(command: Command, key: str, **fields: object) -> Lines:
    return (words_for(command)(key, **fields),)


def _quoted(text: str) -> str:
    return excerpt(" ".join(text.split()), _LONGEST_QUOTE)


def _line(memory: Memory) -> str:
    said = memory.exchange.user if memory.exchange else memory.text
    words = excerpt(" ".join((said or memory.text).split()), _LONGEST_LINE)
    return " ".join(filter(None, (date_in_digits(memory.ts), words)))
