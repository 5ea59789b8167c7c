"""Imports the host's own past chats beside the chat that goes on."""

from ..console import tell_import
from ..errors import HostError, ImportFailed
from ..identity import page_user
from ..importing.base import Owner
from ..importing.engine import Source
from ..importing.job import ImportJob
from ..runtime import Runtime
from .host import Host
from .readers import textgen_reader


def own_chats(host: Host, *, listens: bool = True) -> Source:
    """All that the host has saved, for the user whom the live chat names. `listens`: as in it.

    Raises HostError where the host saves none, ImportFailed where there are none.
    """
    folder = None if host.is_multi_user() else host.user_data_folder()
    if folder is None:
        raise HostError("this program saves no chats")
    reader = textgen_reader(listens=listens)
    if not reader.recognises(folder):
        raise ImportFailed(f"{folder} holds no chats yet")
    user = page_user(host.user_profile()) if host.user_profile() else reader.owner(folder).user
    return Source(reader=reader, path=folder, owner=Owner(user=user, character=""))


def begin(runtime: Runtime, job: ImportJob, source: Source, *, only_look: bool) -> bool:
    """Begins in the background; False while something else runs there."""
    memory, switches = runtime.memory, runtime.switches

    def work() -> None:
        result = job.run(
            memory,
            source,
            only_look=only_look,
            is_stopping=runtime.is_stopping,
            switches=switches,
        )
        for namespace, count in result.namespaces.items() if result else ():
            tell_import(namespace, count)
            runtime.touch(namespace)

    if not job.try_begin():
        return False
    if runtime.in_background("import", work):
        return True
    job.give_back()
    return False
