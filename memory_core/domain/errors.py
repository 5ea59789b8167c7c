"""Every error this package raises on purpose, as one tree.

LongTermMemoryError
├── ConfigError               a setting, a template or an environment variable is wrong
├── OutsideServiceError       a server or model outside this package failed
│   ├── EmbedderUnavailable   no vectors now; recall goes on lexically
│   │   └── EmbedderNotReady  its model is still being downloaded or loaded; retrying is free
│   ├── RerankerUnavailable   no new order now; the order of the scores stays
│   │   └── RerankerNotReady  its model is still being downloaded or loaded; retrying is free
│   └── LLMUnavailable        no text now; the caller goes on without it
├── StorageError              the storage folder
│   ├── StorageFailed         a write or a sync failed; nothing was acknowledged
│   ├── StorageBusy           memories are being rebuilt or moved, and the caller cannot wait
│   ├── StorageLocked         another process writes this namespace
│   └── StorageCorrupt        a derived file cannot be used (it is rebuilt from the event log)
├── ImportFailed              a foreign file cannot be read; nothing was changed
├── UnknownMemory             no memory has this id
│   └── WordsErased           the memory's text is erased, or is being erased now
└── HostError                 the host lacks something that a hook needs
"""


class LongTermMemoryError(Exception):
    """Base of all errors raised on purpose by this package."""


class ConfigError(LongTermMemoryError):
    """A setting is wrong. `key` names it; the message says what is allowed."""

    def __init__(self, message: str, *, key: str = "") -> None:
        super().__init__(message)
        self.key = key


class OutsideServiceError(LongTermMemoryError):
    """A server or model outside this package failed."""


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


class HostError(LongTermMemoryError):
    """The host lacks something that a hook needs."""


def missing_package(exc: ImportError) -> str:
    """Returns the banner's advice for a package that is not installed."""
    return (
        f"{exc.name} is not installed, so recall goes on by words alone: install the extension's "
        "requirements.txt (update wizard, option B, or pip install -r requirements.txt)"
    )
