"""Every error this package raises on purpose, as one tree.

LongTermMemoryError
├── ConfigError               a setting, a template or an environment variable is wrong
├── OutsideServiceError       a server or model outside this package failed
│   ├── EmbedderUnavailable   no vectors now; recall goes on lexically
│   │   └── EmbedderNotReady  its model is still being downloaded or loaded; retrying is free
│   ├── RerankerUnavailable   no new order now; the order of the scores stays
│   │   └── RerankerNotReady  its model is still being downloaded or loaded; retrying is free
│   └── LLMUnavailable        no text now; the caller goes on without it
│       ├── LLMRefused        the server refuses this request; others may succeed
│       ├── LLMInterrupted    the caller stopped waiting; nothing is wrong with the model
│       └── BadAnswer         the model answered, but not in the form that was asked for
├── StorageError              the storage folder
│   ├── StorageFailed         a write or a sync failed; nothing was acknowledged
│   ├── StorageBusy           memories are being rebuilt or moved, and the caller cannot wait
│   ├── StorageLocked         another process writes this namespace
│   ├── StoreIncomplete       a class that was given as store lacks a part of the contract
│   └── StorageCorrupt        a derived file cannot be used (it is rebuilt from the event log)
├── ImportFailed              a foreign file cannot be read; nothing was changed
├── UnknownMemory             no memory has this id
│   ├── WordsErased           the memory's text is erased, or is being erased now
│   └── MemoryWithdrawn       it was made from memories that changed or are forgotten
├── UnknownUser               a chat names no user; its memory stays off
├── LooksPrivate              the guard refuses to store words with a private part
│   └── HeldForReview         the guard holds the words until somebody decides
├── SourcesChanged            memories changed while another was made from them
├── WorkerFailed              a class that does background work raised an error
└── HostError                 the host lacks something that a hook needs
"""

from collections.abc import Collection


class LongTermMemoryError(Exception):
    """Base of all errors raised on purpose by this package."""


class ConfigError(LongTermMemoryError):
    """A setting is wrong. `key` names it; the message says what is allowed."""

    def __init__(self, message: str, *, key: str = "") -> None:
        super().__init__(message)
        self.key = key


class OutsideServiceError(LongTermMemoryError):
    """A server or model outside this package failed.

    `status` is the HTTP status, 0 without an answer. `is_transient` says that the same request may
    succeed soon, after `retry_after_s` seconds if the server named a time. `is_timeout` says that
    nothing came within the time limit. `is_lasting` says that every request fails until somebody
    changes the settings or the server, `is_too_long` that this one exceeds the model's context.
    """

    status: int = 0
    is_timeout: bool = False
    is_transient: bool = False
    is_lasting: bool = False
    is_too_long: bool = False
    retry_after_s: float = 0.0


class EmbedderUnavailable(OutsideServiceError):
    """The embedder returns no vectors at the moment."""


class EmbedderNotReady(EmbedderUnavailable):
    """The embedder's model is not loaded yet."""


class RerankerUnavailable(OutsideServiceError):
    """The reranker returns no order at the moment."""


class RerankerNotReady(RerankerUnavailable):
    """The reranker's model is not loaded yet."""


class LLMUnavailable(OutsideServiceError):
    """The language model returns no completion at the moment."""


class LLMRefused(LLMUnavailable):
    """The server refuses this request, for instance because it is too long."""


class LLMInterrupted(LLMUnavailable):
    """The caller stopped waiting for the answer, because something else is more urgent."""


class BadAnswer(LLMUnavailable):
    """The model's answer does not have the requested form. The message never quotes it."""


class StorageError(LongTermMemoryError):
    """Something is wrong with the storage folder."""


class StorageFailed(StorageError):
    """A write or sync failed; nothing was acknowledged."""


class StorageBusy(StorageError):
    """The memories are not available within the caller's time limit; later they are."""


class StorageLocked(StorageError):
    """Another process holds the namespace's lock."""


class StorageCorrupt(StorageError):
    """A derived file is damaged or foreign."""


class StoreIncomplete(StorageError):
    """A class that was given as store lacks parts or methods. The message names them."""


class ImportFailed(LongTermMemoryError):
    """A file to be imported or restored is damaged or of another type; nothing was changed."""


class UnknownFormat(ImportFailed):
    """No reader knows a file's format."""


class UnknownMemory(LongTermMemoryError):
    """No memory has this id. `memory_id` holds it."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"no memory has the id {memory_id!r}")
        self.memory_id = memory_id


class WordsErased(UnknownMemory):
    """The memory cannot be restored, since its text is erased. `memory_id` holds its id."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(memory_id)
        self.args = (
            f"the memory {memory_id!r} cannot be brought back: its words are erased already, or "
            "are being erased just now; say it again to have it remembered",
        )


class MemoryWithdrawn(UnknownMemory):
    """The memory cannot be restored alone, since it was made from others. `memory_id` is its id."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(memory_id)
        self.args = (
            f"the memory {memory_id!r} was made of others that changed or are forgotten: restore "
            "those, and it comes back or is made anew",
        )


class UnknownUser(LongTermMemoryError):
    """A chat names no user, so its memory stays off. `is_api`: an API call is at fault."""

    def __init__(self, message: str, *, is_api: bool) -> None:
        super().__init__(message)
        self.is_api = is_api


class LooksPrivate(LongTermMemoryError):
    """The guard's settings forbid to store these words. `parts` are the kinds that were found."""

    def __init__(self, parts: Collection[str]) -> None:
        names = ", ".join(_PART_NAMES[part] for part in sorted(parts))
        super().__init__(
            f"not stored, since the guard is set to skip or ask about words with {names}: leave "
            "that part out, or choose redact or keep in the settings"
        )
        self.parts = frozenset(parts)


class HeldForReview(LooksPrivate):
    """The guard keeps this exchange outside memory until somebody decides about it."""

    def __init__(self, parts: Collection[str]) -> None:
        super().__init__(parts)
        names = ", ".join(_PART_NAMES[part] for part in sorted(parts))
        self.args = (
            f"held back, since the guard is set to ask about words with {names}: decide in the "
            "review of the tab, or with `python -m memory_core review`",
        )


_PART_NAMES = {
    "key": "something like an API key (guard.keys)",
    "card": "a card number (guard.cards)",
    "email": "an e-mail address (guard.emails)",
    "phone": "something like a telephone number (guard.phones)",
}


class SourcesChanged(LongTermMemoryError):
    """Memories changed or disappeared while another was made from them. `ids` names them."""

    def __init__(self, ids: Collection[str]) -> None:
        names = ", ".join(sorted(ids))
        super().__init__(f"changed since they were read: {names}; read them again and start anew")
        self.ids = frozenset(ids)


class WorkerFailed(LongTermMemoryError):
    """A consolidation worker raised an unexpected error."""


class HostError(LongTermMemoryError):
    """The host lacks something that a hook needs."""


def missing_package(exc: ImportError) -> str:
    """Returns the banner's advice for a package that is not installed."""
    return (
        f"{exc.name} is not installed, so recall goes on by words alone: install the extension's "
        "requirements.txt into the host's environment (docs/install.md tells how)"
    )
