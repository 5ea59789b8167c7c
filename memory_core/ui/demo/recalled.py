"""The memories in the prompt of a chat's latest message, read from its trace."""

from collections.abc import Sequence

from ...domain.errors import LongTermMemoryError
from ...domain.namespaces import Namespace
from ...domain.users import page_user
from ...host.hooks import Hooks
from ...memory.traces import Trace
from ..tab.now.cards import shown_ids
from .given import Given
from .session import Session


class TracedMemories:
    """Reads them from the newest trace of a chat, as the tab does."""

    def __init__(self, hooks: Hooks, session: Session) -> None:
        self._hooks = hooks
        self._session = session

    def latest(self) -> Sequence[Given]:
        trace = next(iter(traces_of(self._hooks, self._session)), None)
        if trace is None:
            return ()
        recalled = {result.memory.id for result in trace.recall.kept}
        ids = shown_ids(trace)
        try:
            records = self._hooks.runtime.memory.get_records(namespace_of(self._session), ids)
        except LongTermMemoryError:
            return ()  # the tab reports it
        return [
            Given(memory=records[name].memory, is_recalled=name in recalled)
            for name in ids
            if name in records and records[name].has_text
        ]


def traces_of(hooks: Hooks, session: Session) -> list[Trace]:
    """Returns the traces of this chat, newest first."""
    traces = hooks.runtime.traces.latest(namespace_of(session))
    return [trace for trace in traces if trace.conversation == session.unique_id]


def namespace_of(session: Session) -> Namespace:
    return Namespace(page_user(session.user), session.character.name)
