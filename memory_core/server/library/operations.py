"""MemoryScope's operations on the memories of one user and character, under their names there."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from ...admin.exporters.row_fields import memory_line, shortened
from ...consolidation.assembly import build_runner
from ...consolidation.runner import Step
from ...domain.errors import ConfigError, UnknownMemory
from ...domain.namespaces import Namespace
from ...domain.records import Memory, MemoryKind
from ...infra.deadlines import NEVER
from ...memory.browse import browse
from ...memory.derived_memories import DerivedMemories
from ...memory.runtime import Runtime
from ...storage.contract import DerivedFilter
from ...storage.listing import ListQuery
from ...text.search_terms import terms
from ..memory_access import remember_fact, search_all

_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "list_memory": ("limit",),
    "retrieve_memory": ("query", "limit"),
    "add_memory": ("query",),
    "delete_memory": ("query", "memory_id"),
    "read_message": ("limit",),
}
_PAGE = 500
_LONGEST_LINE = 300
_MOST_LINES = 50
_NONE = "there are no memories"


class Operations:
    """Runs operations, which return text; `conversation` is the current one."""

    def __init__(self, runtime: Runtime, owner: Namespace, conversation: str = "") -> None:
        self._runtime = runtime
        self._owner = owner
        self._conversation = conversation
        self._by_name: Mapping[str, Callable[[Mapping[str, str]], str]] = {
            "list_memory": self._list,
            "retrieve_memory": self._retrieve,
            "add_memory": self._add,
            "delete_memory": self._delete,
            "delete_all": self._delete_all,
            "read_message": self._read,
            "consolidate_memory": self._consolidate,
            "reflect_and_reconsolidate": self._consolidate,
        }

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)

    def run(self, name: str, arguments: Mapping[str, str]) -> str:
        """Runs one operation. Raises ConfigError for an unknown name, or a wrong argument."""
        if name not in self._by_name:
            raise ConfigError(
                f"{name} is no operation; there are {', '.join(self.names)}", key=name
            )
        known = _ARGUMENTS.get(name, ())
        if unknown := [given for given in arguments if given not in known]:
            takes = f"takes {', '.join(known)}" if known else "takes no arguments"
            raise ConfigError(f"{name} {takes}, not {unknown[0]}", key=unknown[0])
        return self._by_name[name](arguments)

    def _list(self, arguments: Mapping[str, str]) -> str:
        """Returns the newest knowledge and derived memories, or exchanges if there are none."""
        limit = _count(arguments, "limit", 20)
        kinds = frozenset(MemoryKind) - {MemoryKind.EXCHANGE}
        found = self._browse(ListQuery(kinds=kinds, limit=limit))
        return _lines(found or self._browse(ListQuery(limit=limit)))

    def _retrieve(self, arguments: Mapping[str, str]) -> str:
        text, limit = _required_query(arguments), _count(arguments, "limit", 10)
        found = search_all(self._runtime, [self._owner], text, limit=limit)
        return _lines([recalled.memory for _, recalled in found])

    def _add(self, arguments: Mapping[str, str]) -> str:
        text = _required_query(arguments)
        return f"kept: {remember_fact(self._runtime, self._owner, text)}"

    def _delete(self, arguments: Mapping[str, str]) -> str:
        ids = self._named(arguments)
        if not ids:
            return "no memory says exactly this; list_memory shows them with their ids"
        self._runtime.forget(self._owner, ids)
        return f"forgotten: {', '.join(ids)}"

    def _named(self, arguments: Mapping[str, str]) -> list[str]:
        if memory_id := arguments.get("memory_id", ""):
            try:
                self._runtime.memory.get_record(self._owner, memory_id)
            except UnknownMemory as exc:
                message = f"{memory_id} is not the id of a memory; list_memory shows the ids"
                raise ConfigError(message, key="memory_id") from exc
            return [memory_id]
        text = _required_query(arguments).strip()
        words = tuple((word,) for word in dict.fromkeys(terms(text)))
        return [memory.id for memory in self._all(ListQuery(words=words)) if _says(memory, text)]

    def _delete_all(self, _: Mapping[str, str]) -> str:
        ids = [memory.id for memory in self._all(ListQuery())]
        if ids:
            self._runtime.forget_exactly(self._owner, ids)
        return f"forgotten: {len(ids):,}"

    def _read(self, arguments: Mapping[str, str]) -> str:
        limit = _count(arguments, "limit", 10)
        if not (self._conversation and self._runtime.memory.has_namespace(self._owner)):
            return _NONE
        said = self._runtime.memory.conversation(self._owner, self._conversation, limit)
        return _lines(said)

    def _consolidate(self, _: Mapping[str, str]) -> str:
        """Runs the background work that is due; returns the numbers of jobs, then a line for each
        new or outdated memory.

        Raises ConfigError without a language model, LLMUnavailable if it does not answer.
        """
        runtime, owner = self._runtime, self._owner
        runner = build_runner(
            runtime.memory,
            runtime.settings,
            runtime.models,
            home=runtime.installation,
            clock=runtime.clock,
        )
        runner.end_pause()  # the caller may have repaired the model
        before = self._derived()
        due = runner.scan(owner, NEVER).due
        outcomes = Counter(step for step, _ in runner.run_due(owner, NEVER, due=due))
        runtime.schedule(owner)
        lines = list(_changes(before, self._derived()))
        more = [f"and {len(lines) - _MOST_LINES:,} more"] if len(lines) > _MOST_LINES else []
        counts = f"done: {outcomes[Step.DONE]:,}, failed: {outcomes[Step.FAILED]:,}"
        return "\n".join([counts, *lines[:_MOST_LINES], *more])

    def _derived(self) -> Mapping[str, Memory]:
        if not self._runtime.memory.has_namespace(self._owner):
            return {}
        found = DerivedMemories(self._runtime.memory).find(self._owner, DerivedFilter())
        return {memory.id: memory for memory in found}

    def _all(self, query: ListQuery) -> Iterator[Memory]:
        """Yields all memories of a list, page by page; nothing may change meanwhile."""
        offset = 0
        while page := self._browse(replace(query, limit=_PAGE, offset=offset)):
            yield from page
            offset += _PAGE

    def _browse(self, query: ListQuery) -> list[Memory]:
        if not self._runtime.memory.has_namespace(self._owner):
            return []
        return list(browse(self._runtime.memory, self._owner, query).memories)


def _says(memory: Memory, text: str) -> bool:
    sides = (memory.exchange.user, memory.exchange.assistant) if memory.exchange else ()
    return text in (memory.text.strip(), *(side.strip() for side in sides))


def _changes(before: Mapping[str, Memory], after: Mapping[str, Memory]) -> Iterator[str]:
    for memory in after.values():
        known, text = before.get(memory.id), shortened(memory.text, _LONGEST_LINE)
        if known is None:
            flag = f" ({memory.derived.flag})" if memory.derived and memory.derived.flag else ""
            yield f"new {memory.kind}{flag}: {text}"
        if _is_outdated(memory) and not (known and _is_outdated(known)):
            yield f"no longer true: {text}"


def _is_outdated(memory: Memory) -> bool:
    return memory.derived is not None and memory.derived.valid_to is not None


def _lines(memories: list[Memory]) -> str:
    return "\n".join(memory_line(memory, longest=_LONGEST_LINE) for memory in memories) or _NONE


def _required_query(arguments: Mapping[str, str]) -> str:
    value = str(arguments.get("query", ""))
    if not value.strip():
        raise ConfigError("query is missing: write query=TEXT", key="query")
    return value


def _count(arguments: Mapping[str, str], name: str, default: int) -> int:
    text = str(arguments.get(name, default))
    if not text.isdecimal():
        raise ConfigError(f"{name} = {text!r}: allowed is a whole number", key=name)
    return int(text)
