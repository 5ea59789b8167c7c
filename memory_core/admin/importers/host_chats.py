"""Imports the host's own past chats beside the chat that goes on."""

from ...domain.errors import HostError, ImportFailed
from ...domain.users import page_user
from ...host.chat.host_protocol import Host
from ...memory.console import log_import
from ...memory.runtime import Runtime
from .base import MemoryOwner
from .engine import ImportSource
from .formats import textgen_reader
from .job import ImportJob


def host_chats_source(host: Host, *, listens: bool = True) -> ImportSource:
    """All that the host has saved, for the user whom the live chat names. `listens`: as in it.

    Raises HostError where the host saves none, ImportFailed where there are none.
    """
    folder = None if host.is_multi_user() else host.user_data_folder()
    if folder is None:
        raise HostError("this program saves no chats")
    reader = textgen_reader(listens=listens)
    if not reader.recognises(folder):
        raise ImportFailed(f"{folder} holds no chats yet")
    user = page_user(host.user_profile()) if host.user_profile() else reader.live_owner(folder).user
    return ImportSource(reader=reader, path=folder, owner=MemoryOwner(user=user, character=""))


def begin_import(
    runtime: Runtime, job: ImportJob, source: ImportSource, *, survey_only: bool
) -> bool:
    """Begins in the background; False while something else runs there."""
    memory, switches = runtime.memory, runtime.pauses

    def work() -> None:
        result = job.run(
            memory,
            source,
            survey_only=survey_only,
            is_stopping=runtime.is_stopping,
            switches=switches,
        )
        for namespace, count in result.namespaces.items() if result else ():
            log_import(namespace, count)
            runtime.schedule(namespace)

    if not job.try_begin():
        return False
    if runtime.in_background("import", work):
        return True
    job.release()
    return False
