"""Selects the memories that a command names by words, number, id or as the last one."""

import re
from collections.abc import Sequence

from ...domain.namespaces import Namespace, log_name_of
from ...domain.records import Memory, MemoryKind
from ...infra.lru_cache import LRUCache
from ...memory.chat_notes import notes_for_other_chats
from ...memory.runtime import Runtime
from ...prompt.window import ChatRow
from ...recall.corrections import corrections_of
from ...recall.derived_memories import outdated_ids
from ...recall.query import Query
from ...storage.contract import Page
from ...storage.log.projection import MemoryStatus
from ...text.commands.parser import (
    CommandKind,
    is_command_message,
    is_mere_wish_to_forget,
    is_unstored_request,
    parse_command,
)
from ...text.locales import command_words
from ...text.search_terms import drop_paired_characters, terms
from .note_corrections import corrected_note

_MAX_LISTS = 64
_MAX_SEARCHED_IDS = 1000
_MAX_HITS = 50
_MAX_NUMBER = 99  # in a list
_MAX_WISHES = 200  # latest memories among which wishes to forget are looked for
_NUMBERS = re.compile(
    r"(?:#|no\.?\s?|number\s|第)?\d{1,2}(?:(?:[\s,，、&#和到至–-]|and|to)+\d{1,2})*\s?[.。!！条條]?",  # noqa: RUF001
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d+)(?:\s*(?:[到至–-]+|to)\s*#?(\d+))?")  # noqa: RUF001
_ID = re.compile(r"\[?([0-9a-f]{6,64})\]?")


class MemorySelector:
    """Selects memories, and remembers the last list shown in each chat; thread-safe."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._lists: LRUCache[tuple[Namespace, str], tuple[str, ...]] = LRUCache(_MAX_LISTS)

    def number(
        self, namespace: Namespace, conversation: str, ids: Sequence[str], *, keeps_list: bool
    ) -> list[int]:
        """Returns the numbers by which these memories can be named in the chat from now on.

        They replace the last list of the chat, or follow it, if it `keeps_list` and has room.
        """
        chat = namespace, conversation
        earlier = (self._lists.get(chat) or ()) if keeps_list else ()
        listed = tuple(dict.fromkeys((*earlier, *ids)))
        if len(listed) > _MAX_NUMBER:
            listed = tuple(ids)
        self._lists.put(chat, listed)
        return [listed.index(memory_id) + 1 for memory_id in ids]

    def forget_lists(self, namespace: Namespace) -> None:
        self._lists.drop_where(lambda key: key[0] == namespace)

    def notes_equal_to(self, namespace: Namespace, conversation: str, text: str) -> list[Memory]:
        """Returns the live notes that apply to this chat and have exactly this text."""
        notes = self._runtime.memory.always_in_prompt(namespace, conversation)
        return [note for note in notes if note.kind is MemoryKind.KNOWLEDGE and note.text == text]

    def containing_words(self, namespace: Namespace, conversation: str, words: str) -> list[Memory]:
        """Returns live memories with all of these words, newest first; none for no words."""
        wanted = tuple(dict.fromkeys(terms(words)))
        return self.newest(namespace, conversation, _MAX_HITS, wanted) if wanted else []

    def newest(
        self, namespace: Namespace, conversation: str, limit: int, words: tuple[str, ...] = ()
    ) -> list[Memory]:
        """Returns the live memories that apply to this chat, newest first."""
        excluded_ids = self._ids_of_other_chats(namespace, conversation)
        page = Page(limit=limit + len(excluded_ids), words=words)
        latest = self._runtime.memory.latest(namespace, page)
        return [memory for memory in latest if memory.id not in excluded_ids][:limit]

    def count(self, namespace: Namespace, conversation: str) -> int:
        """Returns the number of live memories that apply to this chat."""
        live = self._runtime.memory.counts(namespace)["live"]
        return live - len(self._ids_of_other_chats(namespace, conversation))

    def _ids_of_other_chats(self, namespace: Namespace, conversation: str) -> frozenset[str]:
        with self._runtime.memory.open_namespace(namespace) as opened:
            return notes_for_other_chats(opened, log_name_of(conversation))

    def remarks(self, namespace: Namespace, memories: Sequence[Memory], language: str) -> list[str]:
        """Returns what to say of each: that it is for one chat alone, or was replaced."""
        with self._runtime.memory.open_namespace(namespace) as opened:
            replaced = outdated_ids(opened.records, memories, None)
        words = command_words(language)
        return [
            words["only_here"] * bool(memory.only_in_conversation)
            + words["replaced"] * (memory.id in replaced)
            for memory in memories
        ]

    def by_number_or_id(
        self, namespace: Namespace, conversation: str, argument: str
    ) -> list[Memory | None] | None:
        """Returns the memories with these numbers of the last list, or with this id.

        A forgotten memory becomes None. Returns None for an argument that is neither.
        """
        ids = self._ids_by_number(namespace, conversation, argument) or self._ids_by_prefix(
            namespace, conversation, argument
        )
        if not ids:
            return None
        records = self._runtime.memory.get_records(namespace, ids)
        selected = [records[memory_id] for memory_id in ids if memory_id in records]
        return [
            record.memory if record.status is MemoryStatus.LIVE else None for record in selected
        ]

    def by_words(self, namespace: Namespace, conversation: str, words: str) -> list[list[Memory]]:
        """Returns groups of equal memories that match the words; a single group is unambiguous.

        Wishes in plain words to forget the same are none of them, unless nothing else matches. If
        no memory has all the words, recall searches; its hits never count as unambiguous.
        A mere number that is not in the last list is not searched for by meaning.
        """
        if exact := self.notes_equal_to(namespace, conversation, words):
            return [exact]
        if found := self.containing_words(namespace, conversation, words):
            groups = _group_equal(found)
            return [group for group in groups if not _is_wish(group[0])] or groups
        if _NUMBERS.fullmatch(words):
            return []
        query = Query(text=words, conversation=conversation, is_explicit_request=True)
        hits = self._runtime.memory.recall(namespace, query).kept
        groups = _group_equal([hit.memory for hit in hits])
        return groups if len(groups) != 1 else [*groups, *groups]

    def meant_by_wish(self, namespace: Namespace, conversation: str, words: str) -> list[Memory]:
        """Returns memories that a wish to forget in plain words may mean, without such wishes."""
        wanted = drop_paired_characters(terms(words))
        groups = self.by_words(namespace, conversation, words) if wanted else []
        found = {group[0].id: group[0] for group in groups}.values()
        return [one for one in found if not _is_wish(one) and wanted & frozenset(terms(one.text))]

    def with_companions(
        self, namespace: Namespace, conversation: str, memories: Sequence[Memory]
    ) -> list[Memory]:
        """Returns the memories with those that repeat their words and have no use without them.

        These are messages that only ask for a note, or correct a value ("no hes 8"), and the
        latest wishes to forget that have a word of these.
        """
        chat = namespace, conversation
        found = [*memories, *self._requests_for(*chat, memories)]
        found += self._corrections_of(namespace, found)
        found += self._wishes_for(*chat, found)
        return list({memory.id: memory for memory in found}.values())

    def _requests_for(
        self, namespace: Namespace, conversation: str, memories: Sequence[Memory]
    ) -> list[Memory]:
        return [
            other
            for note in memories
            if note.kind is MemoryKind.KNOWLEDGE
            for other in self.containing_words(namespace, conversation, note.text)
            if other.exchange and _only_asks_for(note.text, other.exchange.user)
        ]

    def _corrections_of(self, namespace: Namespace, memories: Sequence[Memory]) -> list[Memory]:
        with self._runtime.memory.open_namespace(namespace) as opened:
            return opened.query(
                lambda store: [
                    correction.memory
                    for memory in memories
                    for correction in corrections_of(memory, store)
                ]
            )

    def _wishes_for(
        self, namespace: Namespace, conversation: str, memories: Sequence[Memory]
    ) -> list[Memory]:
        known = frozenset[str]().union(*(terms(memory.text) for memory in memories))
        latest = self.newest(namespace, conversation, _MAX_WISHES)
        return [one for one in latest if _is_wish(one) and _words_of_wish(one) & known]

    def last_exchange(
        self,
        namespace: Namespace,
        conversation: str,
        rows: Sequence[ChatRow],
        *,
        is_last_stored: bool,
    ) -> list[Memory]:
        """Returns the memories of the last exchange or note, walking back over other commands.

        "Forget that" goes with the exchange before it, which it means. Returns none for a last
        exchange that is not stored.
        """
        wishes = 0
        for index in range(len(rows) - 1, -1, -1):
            row = rows[index]
            is_spoken = row.question and not is_command_message(row.question)
            if is_spoken and is_mere_wish_to_forget(row.question):
                wishes += 1
            elif is_spoken and not is_unstored_request(row.question):
                latest = self._runtime.memory.conversation(namespace, conversation, wishes + 1)
                last = _meant_by_wishes(latest) if is_last_stored else ()
                place = _place_of(last, rows[: index + 1])
                return [*last, *self._notes_written_for(namespace, conversation, rows, place)]
            if notes := self._notes_written_for(namespace, conversation, rows, index):
                return notes
        return []

    def _notes_written_for(
        self, namespace: Namespace, conversation: str, rows: Sequence[ChatRow], index: int
    ) -> list[Memory]:
        text = _note_written_for(rows, index)
        return self.notes_equal_to(namespace, conversation, text) if text else []

    def _ids_by_number(self, namespace: Namespace, conversation: str, argument: str) -> list[str]:
        listed = self._lists.get((namespace, conversation)) or ()
        if not _NUMBERS.fullmatch(argument):
            return []
        numbers = _numbers_in(argument)
        if not all(1 <= number <= len(listed) for number in numbers):
            return []
        return [listed[number - 1] for number in dict.fromkeys(numbers)]

    def _ids_by_prefix(self, namespace: Namespace, conversation: str, argument: str) -> list[str]:
        match = _ID.fullmatch(argument.strip())
        if match is None or not any(char.isdigit() for char in match[1]):
            return []  # without a digit it may be a word
        memory = self._runtime.memory
        if match[1] in memory.get_records(namespace, [match[1]]):
            return [match[1]]
        listed = self._lists.get((namespace, conversation)) or ()
        latest = [found.id for found in memory.latest(namespace, Page(limit=_MAX_SEARCHED_IDS))]
        matches = {memory_id for memory_id in (*listed, *latest) if memory_id.startswith(match[1])}
        return list(matches) if len(matches) == 1 else []


def _meant_by_wishes(latest: Sequence[Memory]) -> Sequence[Memory]:
    """Returns the last of these exchanges that is no wish to forget, and the wishes behind it."""
    for index in range(len(latest) - 1, -1, -1):
        if not _is_wish(latest[index]):
            return latest[index:]
    return ()


def _is_wish(memory: Memory) -> bool:
    return memory.exchange is not None and is_mere_wish_to_forget(memory.exchange.user)


def _only_asks_for(note: str, message: str) -> bool:
    command = parse_command(message)
    if command is None or command.kind is not CommandKind.REMEMBER:
        return False
    return command.argument == note and not command.has_more_text


def _words_of_wish(memory: Memory) -> frozenset[str]:
    command = parse_command(memory.exchange.user) if memory.exchange else None
    return drop_paired_characters(terms(command.argument if command else ""))


def _numbers_in(argument: str) -> list[int]:
    """Returns the numbers of a list that are named, with those of a range such as "1-3"."""
    found: list[int] = []
    for first, last in _RANGE.findall(argument):
        found += range(int(first), int(last or first) + 1)
    return found


def _place_of(last: Sequence[Memory], rows: Sequence[ChatRow]) -> int:
    """Returns the index of the row that the first of these memories has, else of the last row.

    It is an earlier one if the last was forgotten before.
    """
    said = last[0].exchange.user if last and last[0].exchange else ""
    places = (at for at in range(len(rows) - 1, -1, -1) if rows[at].question.strip() == said)
    return next(places, len(rows) - 1)


def _note_written_for(rows: Sequence[ChatRow], index: int) -> str:
    """Returns the note that the message of this row asked for or corrected, or ""."""
    question = rows[index].question
    command = parse_command(question)
    if command is not None:
        return command.argument if command.kind is CommandKind.REMEMBER else ""
    corrected = corrected_note(rows[:index], question)
    return corrected.text if corrected else ""


def _group_equal(memories: Sequence[Memory]) -> list[list[Memory]]:
    """Groups memories of equal content, and notes with the message they quote."""
    groups: dict[str, list[Memory]] = {}
    for memory in memories:
        groups.setdefault(memory.key, []).append(memory)
    for key, group in list(groups.items()):
        note = group[0]
        if note.exchange is None:
            source = next(
                (
                    other_key
                    for other_key, other in groups.items()
                    if _is_source_of(other[0], note.text)
                ),
                None,
            )
            if source is not None:
                groups[source] += groups.pop(key)
    return list(groups.values())


def _is_source_of(memory: Memory, text: str) -> bool:
    return memory.exchange is not None and text in memory.exchange.user
