"""Long-term memory for local chatbots; importing this package loads nothing heavy."""

import importlib
from typing import TYPE_CHECKING, Any

from .version import VERSION

if TYPE_CHECKING:
    from .server.library.chat_memory import ChatMemory
    from .server.library.chat_thread import MemoryChat
    from .server.library.memory_scope import Arguments, MemoryScope
    from .server.library.offline_api import OfflineAPI

__version__ = VERSION
__all__ = ["Arguments", "ChatMemory", "MemoryChat", "MemoryScope", "OfflineAPI", "__version__"]

_LOADED_WHEN_USED = {
    "Arguments": ".server.library.memory_scope",
    "ChatMemory": ".server.library.chat_memory",
    "MemoryChat": ".server.library.chat_thread",
    "MemoryScope": ".server.library.memory_scope",
    "OfflineAPI": ".server.library.offline_api",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _LOADED_WHEN_USED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LOADED_WHEN_USED[name], __name__), name)
