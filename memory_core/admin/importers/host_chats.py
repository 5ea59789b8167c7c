"""Imports the host's own past chats while it runs."""

from collections.abc import Sequence

from ...domain.errors import HostError, ImportFailed
from ...domain.namespaces import page_user
from ...host.chat.host_protocol import Host
from ...memory.runtime import Runtime
from .base import MemoryOwner
from .job import ImportJob
from .source import ImportSource
from .survey import Survey
from .textgen import TextgenReader


def host_chats_source(host: Host) -> ImportSource:
    """Returns the source of all chats that the host has saved, for the live chat's user.

    Raises HostError if the host saves no chats, ImportFailed if there are none yet.
    """
    folder = None if host.is_multi_user() else host.user_data_folder()
    if folder is None:
        raise HostError("this host saves no chats")
    reader = TextgenReader()
    if not reader.recognises(folder):
        raise ImportFailed(f"{folder} holds no chats yet")
    user = page_user(host.user_profile()) if host.user_profile() else reader.live_owner(folder).user
    return ImportSource(reader=reader, path=folder, owner=MemoryOwner(user=user, character=""))


def run_import(
    runtime: Runtime,
    job: ImportJob,
    sources: Sequence[ImportSource],
    *,
    survey_only: bool,
    known: Survey | None = None,
) -> None:
    """Runs a job that has begun, in the caller's thread; `known` is as in ImportJob.run()."""
    result = job.run(
        runtime.memory,
        sources,
        survey_only=survey_only,
        is_stopping=runtime.is_stopping,
        pauses=runtime.pauses,
        known=known,
    )
    for namespace, count in result.namespaces.items() if result else ():
        new = len(result.new_ids.get(namespace, ())) if result else 0
        runtime.journal.add_import(namespace, new, exchanges=count)
        runtime.schedule(namespace)
