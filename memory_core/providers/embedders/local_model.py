"""Embedding model in this process. `prepare()` loads it, so that no message waits for that."""

import os
import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

from ...domain.errors import EmbedderNotReady, EmbedderUnavailable
from ...domain.unicode import well_formed
from ...infra.deadlines import call_with_timeout
from ...infra.library_logs import quiet_libraries
from .base import Vectors, checked_rows, empty_rows
from .child_download import ChildDownload

# About 50 languages, vectors of 384 numbers; reads the first 128 tokens of a text.
DEFAULT_MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
DEFAULT_DIM = 384

_LONGEST_REASON = 300
_CLOCK_SLACK_S = 2.0
# Names on the hub are one word, or two with a slash between them.
_IS_PATH = re.compile(r"[./~\\]|[A-Za-z]:|[^/]*/[^/]*/")

Encode = Callable[[list[str]], object]


class UnknownModel(ValueError):
    """Raised if a library has no model of this name, so that it cannot be downloaded."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """Functions of a loaded model from texts to rows, one for documents and one for queries."""

    encode_documents: Encode
    encode_query: Encode


class LocalEmbedder(ABC):
    """Embedder that raises EmbedderNotReady at once until `prepare()` has returned."""

    def __init__(
        self, *, kind: str, model: str, allow_download: bool, download_mb: int,
        downloads: Path | None = None,
    ) -> None:  # fmt: skip
        """`downloads` is the folder into which the model is fetched, if that is known."""
        self.name = model or DEFAULT_MODEL
        self.dim = DEFAULT_DIM if self.name == DEFAULT_MODEL else 0
        self.fingerprint = f"{kind}:{self.name}"
        self.download_mb = download_mb if self.name == DEFAULT_MODEL else 0
        self._allow_download = allow_download
        self._loads_locally = not allow_download
        self._download = ChildDownload()
        self._loading = threading.Lock()
        self._loaded: LoadedModel | None = None
        self._fault = ""
        self._is_known = True
        self._downloads = downloads
        self._began_at = 0.0

    @abstractmethod
    def _load(self) -> LoadedModel:
        """Loads the model, after a download if one is needed and allowed. May raise anything."""

    def prepare(self) -> None:
        """Loads the model once, which may take minutes for a download.

        Raises EmbedderUnavailable.
        """
        with self._loading:
            if self._loaded:
                return
            self._began_at = time.time()
            try:
                with self._translate_errors("could not be loaded"), quiet_libraries():
                    loaded = self._load_or_fetch()
                    self.dim = checked_rows(
                        loaded.encode_query(["a"]), count=1, dim=self.dim
                    ).shape[1]
            except EmbedderUnavailable as exc:
                self._fault = str(exc)
                raise
            self._loaded, self._fault = loaded, ""

    def cancel(self) -> None:
        """Stops a download, and refuses later ones, since this model is not used any more."""
        self._download.cancel()

    def _load_or_fetch(self) -> LoadedModel:
        """Loads the model. If it is missing, downloads it first, which cancel() can stop."""
        arguments = self._fetch_arguments() if self.needs_download else ()
        if not arguments:
            return self._load()
        self._loads_locally = True
        try:
            return self._load()
        except ImportError:
            raise
        except Exception:  # noqa: BLE001  (libraries tell in many ways that a file is missing)
            self._download.run(arguments)
        return self._load()

    def _fetch_arguments(self) -> Sequence[str]:
        """Returns the arguments of fetch_model.py; empty if loading fetches the model itself."""
        return ()

    def embed(self, texts: Sequence[str]) -> Vectors:
        encode = self._ready().encode_documents
        return self._encode(encode, texts) if texts else empty_rows(self.dim)

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        encode = self._ready().encode_query
        try:
            row: Vectors = call_with_timeout(timeout_s, lambda: self._encode(encode, [text]))[0]
        except TimeoutError as exc:
            raise EmbedderUnavailable(f"{self.name} took longer than {timeout_s:.3g} s") from exc
        return row

    def _encode(self, encode: Encode, texts: Sequence[str]) -> Vectors:
        with self._translate_errors("failed"):
            rows = encode([well_formed(text) for text in texts])
            return checked_rows(rows, count=len(texts), dim=self.dim)

    def _ready(self) -> LoadedModel:
        if not self._loaded:
            raise EmbedderNotReady(self.status)
        return self._loaded

    def _is_local(self) -> bool:
        """Returns True if the model is a folder on this machine, which needs no download."""
        return _IS_PATH.match(self.name) is not None or Path(self.name).is_dir()

    @property
    def status(self) -> str:
        """The reason why the model cannot be used yet, or an empty text."""
        return "" if self._loaded else self._fault or self._not_ready_reason()

    @property
    def load_fault(self) -> str:
        """Returns why the last attempt to load the model failed, or an empty text."""
        return self._fault

    @property
    def needs_download(self) -> bool:
        """Returns True if loading the model may fetch it from the hub."""
        return self._allow_download and self._is_known and not self._is_local()

    def fetched_bytes(self) -> int:
        """Returns the bytes downloaded since loading began."""
        if self._downloads is None or not (self.needs_download and self._began_at):
            return 0
        return bytes_written(self._downloads, self._began_at)

    def _not_ready_reason(self) -> str:
        if self._is_local() or not self._allow_download:
            return f"the embedding model {self.name} is being loaded"
        size = f" ({self.download_mb} MB)" if self.download_mb else ""
        return f"the embedding model is being fetched{size}: {self.name}"

    @contextmanager
    def _translate_errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except ImportError as exc:
            raise EmbedderUnavailable(f"{exc.name} is not installed: pip install {self._package}"
                                      ) from exc  # fmt: skip
        except UnknownModel as exc:
            self._is_known = False
            raise EmbedderUnavailable(f"{self.name} {what}: {exc}; change embedder.model") from exc
        except Exception as exc:  # a library raises what the ones below it do
            reason = " ".join(str(exc).split())[:_LONGEST_REASON]
            message = f"{self.name} {what}: {reason.rstrip('.')}{self._advice()}"
            raise EmbedderUnavailable(message) from exc

    @property
    @abstractmethod
    def _package(self) -> str:
        """Returns the name of the package to install."""

    def _advice(self) -> str:
        if self._loaded:
            return ""
        if self._is_local():
            return "; is embedder.model the folder of a complete model?"
        if self._allow_download:
            return "; check the network connection and embedder.model"
        return "; the chat and the server fetch it once if embedder.allow_download is true"


def bytes_written(folder: Path, since: float) -> int:
    """Returns the size of all files below the folder that were written since this time.

    `since` is in seconds since the epoch. Files that are moved meanwhile are left out.
    """
    paths = (Path(root) / name for root, _, names in os.walk(folder) for name in names)
    return sum(_size_if_new(path, since - _CLOCK_SLACK_S) for path in paths)


def _size_if_new(path: Path, since: float) -> int:
    try:
        found = path.lstat()
    except OSError:
        return 0
    return found.st_size if S_ISREG(found.st_mode) and found.st_mtime >= since else 0
