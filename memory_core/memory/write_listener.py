"""Takes the writes of other programs for the namespaces that this program holds."""

import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..domain.errors import LongTermMemoryError, StorageFailed, StorageLocked
from ..domain.namespaces import Namespace
from ..infra import durable_files
from ..infra.json_codec import dump_json, load_json
from ..infra.loopback_calls import CallServer
from ..storage.holder import HolderAddress
from ..storage.log.events import Event, EventType, NewEvent
from ..storage.manifest import namespace_at
from .forgetting import Forgotten
from .holder_client import WRITE, fields_of_written, new_event_from, write_missing
from .long_term_memory import LongTermMemory
from .namespace_memory import NamespaceMemory

_log = logging.getLogger("long_term_memory")
_MALFORMED = (ValueError, KeyError, TypeError, RecursionError)


class WriteListener:
    """Accepts writes on loopback from start() to close().

    `memory` returns the open memory; `wrote` and `forgot` are called after other programs' writes.
    """

    def __init__(
        self,
        memory: Callable[[], LongTermMemory],
        *,
        wrote: Callable[[Namespace], None],
        forgot: Callable[[Forgotten], None],
    ) -> None:
        self._memory = memory
        self._on_written = wrote
        self._on_forgotten = forgot
        self._server: CallServer | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Starts listening. Without loopback, other programs have to wait until this one ends."""
        try:
            self._server = CallServer(self._answer)
        except OSError as exc:
            _log.info("other programs cannot write while this one runs: %s", exc)
            return
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.1,), name="ltm-listener", daemon=True
        )
        self._thread.start()
        self.announce()

    def announce(self) -> None:
        """Makes the open memory publish its address in each namespace that it holds."""
        if self._server is not None:
            address = HolderAddress(port=self._server.port, token=self._server.token)
            self._memory().announcer.address = address

    def close(self) -> None:
        if self._server is None or self._thread is None:
            return
        self._server.shutdown()
        self._thread.join(timeout=5.0)
        self._server.server_close()
        self._server = None

    def _answer(self, data: bytes) -> bytes:
        try:
            return dump_json(self._execute(load_json(data)))
        except StorageLocked:
            return dump_json({"is_locked": True})
        except LongTermMemoryError as exc:
            return dump_json({"error": str(exc)})
        except _MALFORMED as exc:
            return dump_json({"error": f"not understood: {type(exc).__name__}"})

    def _execute(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        folder = Path(asked["folder"])
        namespace = namespace_at(self._memory().root, folder)
        if namespace is None:
            raise StorageFailed(f"{folder} is no folder of these memories")
        with self._memory().open_namespace(namespace) as opened:
            with durable_files.naming_errors(folder):
                is_same = os.path.samefile(opened.folder, folder)
            if not is_same:
                raise StorageFailed(f"{folder} is no folder of these memories")
            if asked["do"] != WRITE:
                with opened.writing():
                    return {"secret": opened.secret()}
            events = list(map(new_event_from, asked["events"]))
            return {"events": list(map(fields_of_written, self._write(namespace, opened, events)))}

    def _write(
        self, namespace: Namespace, opened: NamespaceMemory, events: Sequence[NewEvent]
    ) -> list[Event]:
        ids = [event.id for event in events if event.op is EventType.FORGET]
        with opened.writing():
            known = opened.records(ids) if ids else {}
            written = write_missing(opened, events)
            opened.sync_index()  # the other program must find its own words in the index
        if ids:
            self._on_forgotten(Forgotten.of(namespace, ids, known.values()))
        self._on_written(namespace)
        return written
