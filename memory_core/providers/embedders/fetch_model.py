"""Fetches a model's files into a folder: a program of its own, which child_download.py starts.

usage: fetch_model.py fastembed|sentence-transformers NAME FOLDER

Ends as soon as its standard input does, so it never outlives the program that started it. It
imports nothing of this package, whose name differs from host to host.
"""

import os
import sys
import threading
from collections.abc import Callable, Sequence

_STOPPED = 3


def main(arguments: Sequence[str]) -> None:
    source, name, folder = arguments
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _SOURCES[source](name, folder)


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(_STOPPED)


def _fastembed(name: str, folder: str) -> None:
    from fastembed import TextEmbedding

    TextEmbedding(model_name=name, cache_dir=folder, lazy_load=True)


def _sentence_transformers(name: str, folder: str) -> None:
    from sentence_transformers import SentenceTransformer

    SentenceTransformer(name, cache_folder=folder or None)


_SOURCES: dict[str, Callable[[str, str], None]] = {
    "fastembed": _fastembed,
    "sentence-transformers": _sentence_transformers,
}

if __name__ == "__main__":
    main(sys.argv[1:])
