"""Executes clicks that change memories; each returns a notice with its undo."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ....domain.errors import LongTermMemoryError, UnknownMemory, WordsErased
from ....domain.namespaces import NAMED_SCOPES, Namespace
from ....host.hooks import Hooks
from ....memory.merging import merge_memories, undo_merge
from ....memory.relocation import move_memories, undo_move
from ....memory.runtime import Runtime
from ....memory.similar import similar_memories
from ....storage.disk_usage import BACKUPS
from ....storage.log.projection import MemoryRecord, MemoryStatus
from ....text.problem_text import failure_text
from ..common.actions import Action, Click, Undo, undo_last
from ..common.memory_text import edited_fields
from ..common.visible_namespaces import namespace_by_key
from ..common.wording import undo_minutes, undo_text
from .list_state import ABOUT, ListState, Notice

_MIN_MERGED = 2
_LONGEST_INDEX = 5


@dataclass(frozen=True, kw_only=True)
class ListClick(Click[ListState]):
    """A click in the list of memories; `targets` are the namespaces to which they may move."""

    targets: Sequence[Namespace]

    @property
    def ids(self) -> tuple[str, ...]:
        """The memory at which the button is, else the ticked ones."""
        own = self.action.value("memory_id")
        return (own,) if own else tuple(dict.fromkeys(self.action.ticked))

    @property
    def index(self) -> int:
        """Index of the item on the page at which the button is."""
        given = self.action.value("index")
        return int(given) if given.isdecimal() and len(given) <= _LONGEST_INDEX else 0


def move_targets(spaces: Sequence[Namespace], namespace: Namespace) -> list[Namespace]:
    """Returns the targets of a move: the user's shared namespace and those of other characters."""
    shared = Namespace.shared(namespace.user) if namespace.user else None
    own = [
        space for space in spaces if space.user == namespace.user and space.scope in NAMED_SCOPES
    ]
    found = [*([shared] if shared else []), *own]
    return [space for space in dict.fromkeys(found) if space != namespace]


def changes_memories(action: Action) -> bool:
    return action.name in _CHANGES


def execute(hooks: Hooks, click: ListClick) -> Notice:
    """Executes the action and returns its outcome; a fault is an outcome, too."""
    words = click.words
    try:
        notice = _CHANGES[click.action.name](hooks, click)
    except WordsErased:
        notice = Notice(text=words["words_erased"])
    except UnknownMemory:
        notice = Notice(text=words["memory_gone"])
    except (LongTermMemoryError, ValueError) as exc:
        notice = Notice(text=failure_text(exc, words))
    is_in_about = click.action.value("place") == ABOUT
    return replace(notice, index=click.index, is_in_about=is_in_about)


def _own_records(hooks: Hooks, click: ListClick) -> list[MemoryRecord]:
    """Returns the records that the click is about. Raises UnknownMemory for foreign ids."""
    with hooks.runtime.memory.open_namespace(click.namespace) as opened:
        return [opened.get_record(memory_id) for memory_id in click.ids]


def _no_action(click: ListClick) -> Notice:
    return Notice(text=click.words["tick_first"])


def _pin_or_unpin(hooks: Hooks, click: ListClick) -> Notice:
    space, pins = click.namespace, click.action.name == "pin"
    ids = [record.memory.id for record in _own_records(hooks, click)]
    if not ids:
        return _no_action(click)
    _set_pins(hooks.runtime, space, ids, is_pinned=pins)
    undo = Undo(
        namespace=space, run=lambda runtime: _set_pins(runtime, space, ids, is_pinned=not pins)
    )
    key = "pinned_now" if pins else "unpinned_now"
    return Notice(text=click.words(key, count=len(ids)), undo=undo)


def _set_pins(
    runtime: Runtime, namespace: Namespace, ids: Sequence[str], *, is_pinned: bool
) -> None:
    for memory_id in ids:
        (runtime.memory.pin if is_pinned else runtime.memory.unpin)(namespace, memory_id)


def _forget(hooks: Hooks, click: ListClick) -> Notice:
    """Forgets these memories and offers similar ones."""
    ids = _live_ids(_own_records(hooks, click))
    if not ids:
        return _no_action(click)
    also = similar_memories(hooks.runtime.memory, click.namespace, ids)
    return _forgotten(hooks, click, ids, tuple(one.id for one in also))


def _forget_also(hooks: Hooks, click: ListClick) -> Notice:
    """Forgets the ticked ones of the offered memories; one undo restores all."""
    notice = click.state.notice
    offered = notice.also if notice else ()
    ids = [memory_id for memory_id in click.ids if memory_id in offered]
    return _forgotten(hooks, click, ids, ()) if ids else _no_action(click)


def _forgotten(hooks: Hooks, click: ListClick, ids: Sequence[str], also: tuple[str, ...]) -> Notice:
    runtime, space, notice = hooks.runtime, click.namespace, click.state.notice
    runtime.forget(space, ids)
    before = notice.undo if notice and click.action.name == "forget_also" else None
    both = (*(before.ids if before else ()), *ids)
    undo = Undo(
        namespace=space, ids=both, run=lambda runtime: runtime.memory.unforget(space, *both)
    )
    text = undo_text(click.words, undo_minutes(runtime), "forgot", count=len(both))
    still = _live_ids(runtime.memory.get_records(space, also).values())
    return Notice(text=text, undo=undo, also=tuple(still))


def _live_ids(records: Iterable[MemoryRecord]) -> list[str]:
    return [record.memory.id for record in records if record.status is MemoryStatus.LIVE]


def _unforget(hooks: Hooks, click: ListClick) -> Notice:
    ids = [record.memory.id for record in _own_records(hooks, click)]
    hooks.runtime.memory.unforget(click.namespace, *ids)
    hooks.runtime.schedule(click.namespace)
    space = click.namespace
    undo = Undo(namespace=space, run=lambda runtime: runtime.forget_exactly(space, ids))
    text = click.words("brought_back", count=len(ids))
    return Notice(text=text, undo=undo) if ids else _no_action(click)


def _erase(hooks: Hooks, click: ListClick) -> Notice:
    memory, words = hooks.runtime.memory, click.words
    texts = [words("did_erase", count=memory.erase_all_forgotten(click.namespace))]
    folder = memory.root.parent / BACKUPS
    if any(folder.glob("*.zip")):
        texts.append(words("did_erase_not_there", folder=folder))
    return Notice(text=words["sentence_gap"].join(texts))


def _save(hooks: Hooks, click: ListClick) -> Notice:
    (record,) = _own_records(hooks, click)
    memory, values = record.memory, click.action.values
    user, character = memory.sides
    before = edited_fields(memory, user, character)
    after = edited_fields(memory, values.get("user", user), values.get("character", character))
    if not any(text.strip() for text in after.values()):
        return Notice(text=click.words["edit_empty"])
    if before == after:
        return Notice(text=click.words["unchanged"])
    hooks.runtime.memory.edit(click.namespace, memory.id, after)
    hooks.runtime.schedule(click.namespace)
    space = click.namespace
    undo = Undo(namespace=space, run=lambda runtime: runtime.memory.edit(space, memory.id, before))
    return Notice(text=click.words["saved_edit"], undo=undo)


def _merge(hooks: Hooks, click: ListClick) -> Notice:
    if len(click.ids) < _MIN_MERGED:
        return Notice(text=click.words["merge_two"])
    text = click.action.value("text")
    if not text.strip():
        return Notice(text=click.words["edit_empty"])
    merge = merge_memories(hooks.runtime, click.namespace, click.ids, text)
    space = click.namespace
    undo = Undo(namespace=space, run=lambda runtime: undo_merge(runtime, space, merge))
    return Notice(text=click.words("merged_into_one", count=len(merge.sources)), undo=undo)


def _move(hooks: Hooks, click: ListClick) -> Notice:
    target = namespace_by_key(click.targets, click.action.value("target"))
    if target is None or not click.ids:
        return _no_action(click)
    move = move_memories(hooks.runtime, click.namespace, target, click.ids)
    undo = Undo(namespace=click.namespace, run=lambda runtime: undo_move(runtime, move))
    return Notice(text=click.words("moved_memories", count=len(move.ids)), undo=undo)


def _take_back(hooks: Hooks, click: ListClick) -> Notice:
    undo = click.state.notice.undo if click.state.notice else None
    return Notice(text=undo_last(undo, hooks.runtime, click.namespace, click.words))


_CHANGES: Mapping[str, Callable[[Hooks, ListClick], Notice]] = {
    "pin": _pin_or_unpin,
    "unpin": _pin_or_unpin,
    "forget": _forget,
    "forget_also": _forget_also,
    "unforget": _unforget,
    "erase": _erase,
    "save": _save,
    "merge_save": _merge,
    "move": _move,
    "undo": _take_back,
}
