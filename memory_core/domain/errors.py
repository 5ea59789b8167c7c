"""Every error this package raises on purpose, as one tree.

LongTermMemoryError
├── ConfigError               a setting, a template or an environment variable is wrong
├── OutsideServiceError       somebody else's server or model did not do its part
│   ├── EmbedderUnavailable   no vectors now; recall goes on lexically
│   │   └── EmbedderNotReady  its model is still being fetched or loaded: asking again is free
│   ├── RerankerUnavailable   no new order now; that of the scores stands
│   │   └── RerankerNotReady  its model is still being fetched or loaded: asking again is free
│   └── LLMUnavailable        no text now; whatever wanted it goes on without
├── StorageError              the storage folder
│   ├── StorageFailed         a write or a sync failed; nothing was acknowledged
│   ├── StorageBusy           they are being made anew or moved, and the caller is in a hurry
│   ├── StorageLocked         another process writes this namespace
│   └── StorageCorrupt        a derived file cannot be used (it is rebuilt from the transcript)
├── ImportFailed             somebody else's file cannot be read; nothing was changed
├── UnknownMemory             no memory has this id
│   └── WordsErased           it has none of its words any more, or is losing them just now
└── HostError                 the host did not offer what a hook needs
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
    """No embeddings can be had now."""


class EmbedderNotReady(EmbedderUnavailable):
    """The model is not loaded yet."""


class RerankerUnavailable(OutsideServiceError):
    """No order but that of the scores can be had now."""


class RerankerNotReady(RerankerUnavailable):
    """The model is not loaded yet."""


class LLMUnavailable(OutsideServiceError):
    """No completion can be had now."""


class StorageError(LongTermMemoryError):
    """Something is wrong with the storage folder."""


class StorageFailed(StorageError):
    """A write or sync failed: what it was for is not acknowledged."""


class StorageBusy(StorageError):
    """Memories cannot be had as soon as somebody wants them; later they can."""


class StorageLocked(StorageError):
    """Another process holds the namespace's lock."""


class StorageCorrupt(StorageError):
    """A derived file is damaged or foreign."""


class ImportFailed(LongTermMemoryError):
    """A file to be imported or restored is broken or not what it seems; nothing was changed."""


class UnknownMemory(LongTermMemoryError):
    """No memory has this id. `memory_id` holds it."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"no memory has the id {memory_id!r}")
        self.memory_id = memory_id


class WordsErased(UnknownMemory):
    """The memory cannot be brought back. `memory_id` holds its id."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(memory_id)
        self.args = (
            f"the memory {memory_id!r} cannot be brought back: its words are erased already, or "
            "are being erased just now; say it again to have it remembered",
        )


class HostError(LongTermMemoryError):
    """The host lacks something a hook needs."""


def missing_package(exc: ImportError) -> str:
    """What to do about it, for the banner."""
    return (
        f"{exc.name} is not installed, so recall goes on by words alone: install the extension's "
        "requirements.txt (update wizard, option B, or pip install -r requirements.txt)"
    )
