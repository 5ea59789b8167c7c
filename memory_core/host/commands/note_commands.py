"""Saves the notes that people ask for, and replaces those that their next message corrects.

A correction writes a new note, and marks the wrong one as replaced. So nothing is lost, and the old
note holds again once the new one is forgotten.
"""

import re

from ...domain.errors import LooksPrivate
from ...domain.namespaces import Namespace, log_name_of
from ...domain.records import Memory, MemoryKind
from ...infra.lru_cache import LRUCache
from ...memory.derived_memories import DerivedMemories
from ...memory.namespace_memory import NamespaceMemory
from ...memory.runtime import Runtime
from ...recall.derived_memories import superseding
from ...storage.log.projection import MemoryStatus
from ...text.commands.command import Command, CommandKind
from ...text.commands.parser import parse_command
from ...text.locales import command_words
from ..chat.turn_request import TurnRequest
from ..notices import Replies, quote, reply
from .note_corrections import corrected_note
from .targets import MemorySelector

_MAX_PLACES = 256  # of messages that asked for a note
_WORD = re.compile("[\u3040-\u30ff\u3400-\u9fff]|[^\\s\u3040-\u30ff\u3400-\u9fff]+")
_MIN_ALIKE = 0.5  # share of equal words in a note and its edited form


class NoteCommands:
    """Executes the commands that write notes, in the writer's thread."""

    def __init__(self, runtime: Runtime, selector: MemorySelector) -> None:
        self._runtime = runtime
        self._selector = selector
        self._asked_for: LRUCache[tuple[Namespace, str, int], str] = LRUCache(_MAX_PLACES)

    def remember(self, command: Command, request: TurnRequest) -> Replies:
        """Saves the note that the message asks for, unless it is already known."""
        if not command.argument:
            return reply(command, "nothing_to_remember")
        if refused := self._refusal(command, request):
            return refused
        chat = request.conversation if command.this_chat_only else ""
        try:
            text = self._runtime.memory.guard.admit_text(request.namespace, command.argument)
        except LooksPrivate as exc:
            return _not_kept_private(command, exc)
        if self._selector.notes_equal_to(request.namespace, chat, text):
            return reply(command, "kept_already", text=quote(text))
        earlier = self._note_of_edited_message(request, text)
        note = self._add_note(request.namespace, chat, text)
        self._asked_for.put(_place(request), note)
        if earlier is not None and earlier.only_in_conversation == log_name_of(chat):
            return self._replace(command, request.namespace, earlier, note)
        return reply(command, "kept_here" if chat else "kept", text=quote(text))

    def correct(self, command: Command, request: TurnRequest) -> Replies:
        """Replaces the note that the message corrects; says nothing if there is none."""
        namespace, guard = request.namespace, self._runtime.memory.guard
        chat = request.conversation if command.this_chat_only else ""
        window = request.raw_window
        found = corrected_note(window.past_rows, window.question)
        try:
            before = guard.admit_text(namespace, found.request.argument) if found else ""
            wrong = self._note_in_force(namespace, chat, before)
            text = guard.admit_text(namespace, command.argument)
        except LooksPrivate as exc:
            return _not_kept_private(command, exc)
        if wrong is None or wrong.text == text:
            return ()
        if refused := self._refusal(command, request):
            return refused
        equal = [note.id for note in self._selector.notes_equal_to(namespace, chat, text)]
        with self._runtime.memory.open_namespace(namespace) as opened:
            known = opened.records(equal)  # no shared one, as a successor is looked up here
        right = next(iter(known), "") or self._add_note(namespace, chat, text)
        return self._replace(command, namespace, wrong, right)

    def _replace(
        self, command: Command, namespace: Namespace, wrong: Memory, right: str
    ) -> Replies:
        """Marks a note as corrected by the one with the id `right`; it never held."""
        derived = DerivedMemories(self._runtime.memory)
        derived.supersede(namespace, wrong.id, right, valid_to=wrong.ts)
        text = quote(command.argument)
        return reply(command, "corrected", text=text, wrong=quote(wrong.text))

    def _note_of_edited_message(self, request: TurnRequest, text: str) -> Memory | None:
        """Returns the note in force of the message that this one replaced, if both are alike.

        A message that says something else was not edited: another one was removed. Nor was it if a
        message before it still asks for the note, and only moved up.
        """
        note = self._asked_for.get(_place(request)) if request.conversation else None
        record = self._runtime.memory.get_records(request.namespace, [note or ""]).get(note or "")
        if record is None or record.status is not MemoryStatus.LIVE:
            return None
        known, said = (set(_WORD.findall(one.lower())) for one in (record.memory.text, text))
        is_alike = len(known & said) >= len(known | said) * _MIN_ALIKE
        if not is_alike or record.memory.text == text or _asks_for(request, record.memory.text):
            return None
        with self._runtime.memory.open_namespace(request.namespace) as opened:
            return _latest_version(opened, record.memory)

    def _refusal(self, command: Command, request: TurnRequest) -> Replies:
        """Returns why no note may be saved now, or nothing."""
        text, pauses = quote(command.argument), self._runtime.pauses
        if not self._runtime.settings.ltm_writes.enabled:
            return reply(command, "not_kept_off", text=text)
        if pauses.is_never_remembered(request.namespace):
            return reply(command, "not_kept_never", text=text)
        if pauses.get(request.namespace, request.conversation).is_writing_paused:
            return reply(command, "not_kept_paused", text=text)
        if command.this_chat_only and not request.conversation:
            return reply(command, "not_kept_here", text=text)
        return ()

    def _add_note(self, namespace: Namespace, chat: str, text: str) -> str:
        memory, kind = self._runtime.memory, MemoryKind.KNOWLEDGE
        note = memory.add_note(namespace, text, kind=kind, pinned=False, conversation=chat)
        self._runtime.journal.add_note(namespace, text)
        self._runtime.schedule(namespace)
        return note

    def _note_in_force(self, namespace: Namespace, chat: str, text: str) -> Memory | None:
        """Returns the note with this text, or the one that replaced it; None if there is none."""
        with self._runtime.memory.open_namespace(namespace) as opened:
            notes = [
                note
                for note in opened.always_in_prompt()
                if note.kind is MemoryKind.KNOWLEDGE
                and note.text == text
                and note.only_in_conversation == log_name_of(chat)
            ]
            if not notes:
                return None
            return _latest_version(opened, max(notes, key=lambda note: note.ts or 0.0))


def _latest_version(opened: NamespaceMemory, note: Memory) -> Memory:
    """Returns the last live note that replaced this one, or the note itself."""
    newer = [
        record.memory
        for record in superseding(opened.records, note)
        if record.status is MemoryStatus.LIVE
    ]
    return newer[-1] if newer else note


def _not_kept_private(command: Command, exc: LooksPrivate) -> Replies:
    words = command_words(command.language)
    names = [words[f"private_{part}"] for part in sorted(exc.parts)]
    return reply(command, "not_kept_private", parts=words["between_parts"].join(names))


def _asks_for(request: TurnRequest, text: str) -> bool:
    """Returns whether a message before this one asks for a note with this text."""
    commands = (parse_command(row.question) for row in request.raw_window.past_rows)
    return any(
        command is not None and command.kind is CommandKind.REMEMBER and command.argument == text
        for command in commands
    )


def _place(request: TurnRequest) -> tuple[Namespace, str, int]:
    """Returns the place of the message in its chat, which an edited message keeps."""
    earlier = sum(bool(row.question) for row in request.raw_window.past_rows)
    return request.namespace, request.conversation, earlier
