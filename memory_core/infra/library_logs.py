"""Quiets the logs of foreign libraries during work that we report ourselves."""

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

_NAMES = (
    "huggingface_hub", "httpx", "httpcore", "urllib3", "requests", "filelock", "fsspec",
    "transformers", "sentence_transformers", "onnxruntime",
)  # fmt: skip
_lock = threading.Lock()
_levels: dict[str, int] = {}
_users = 0


@contextmanager
def quiet_libraries() -> Iterator[None]:
    """Silences libraries that download and load models. Safe for many threads."""
    global _users
    with _lock:
        _users += 1
        if _users == 1:
            _levels.update((name, logging.getLogger(name).level) for name in _NAMES)
            _set_levels(dict.fromkeys(_NAMES, logging.CRITICAL + 1))
            _set_fastembed_logging(False)
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                _set_levels(_levels)
                _set_fastembed_logging(True)


def _set_levels(levels: Mapping[str, int]) -> None:
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


def _set_fastembed_logging(is_allowed: bool) -> None:
    """Switches fastembed's logs: it uses loguru, which has no level for each logger."""
    with suppress(ImportError):
        from loguru import logger

        (logger.enable if is_allowed else logger.disable)("fastembed")
