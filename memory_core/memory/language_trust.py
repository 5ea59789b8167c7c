"""The trust in an embedder for each language: measured once per model, then stored.

The probes run in idle time, and only for languages that occurred. `embedder_languages.json` in the
storage folder keeps the figures; it is derived and may be deleted at any time:
{"probes": digest, "models": {fingerprint: {language: rank share}}}.
"""

import json
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from ..domain.errors import StorageFailed
from ..infra import durable_files, regular_files
from ..infra.json_codec import UNUSABLE_JSON
from ..providers.embedders.base import Embedder
from ..recall.languages import (
    Shares,
    all_probes,
    certain_languages,
    measure_language,
    probes_digest,
    trust_from,
)
from ..recall.vector_score import UNMEASURED

FILE = "embedder_languages.json"
_MIN_SHARE = 0.5  # of a message; languages with a smaller share are not measured
KNOWN_WELL = 0.5  # a trust from which on no note is made
_NOTE = "the embedding model knows little {language} ({trust:.2f}): recall goes mostly by words"

Measured = dict[str, dict[str, float]]


class LanguageTrust:
    """Safe for many threads. Only measure_next() calls the model, which takes time."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._measured = _read(self._path)
        self._queued: dict[tuple[str, str], None] = {}  # (fingerprint, language), oldest first
        self._lock = threading.Lock()

    def measured_trust(self, fingerprint: str) -> Mapping[str, float]:
        """Returns the trust in this model, 0 … 1, for each measured language."""
        with self._lock:
            measured = self._measured.get(fingerprint, {})
            return {code: trust_from(share) for code, share in measured.items()}

    def trust_for_message(self, fingerprint: str, mix: Shares) -> tuple[float, str]:
        """Returns the trust in this model for such a message, 0 … 1, and a note if it is low.

        Queues the languages that are not measured yet.
        """
        known = self.measured_trust(fingerprint)
        self._queue(fingerprint, [code for code, share in mix.items() if share > _MIN_SHARE])
        if not mix:
            return UNMEASURED, ""
        trust = sum(share * known.get(code, UNMEASURED) for code, share in mix.items())
        lost = {code: mix[code] * (1 - known[code]) for code in mix.keys() & known.keys()}
        if trust >= KNOWN_WELL or not lost:
            return trust, ""
        worst = max(lost, key=lambda code: lost[code])
        return trust, _NOTE.format(language=all_probes()[worst].name, trust=known[worst])

    def queue_languages_of(self, fingerprint: str, texts: Iterable[str]) -> None:
        """Queues the languages of these texts for measurement."""
        self._queue(fingerprint, {code for text in texts for code in certain_languages(text)})

    def measure_next(self, embedder: Embedder | None) -> bool:
        """Measures a queued language; returns whether there was one. Raises EmbedderUnavailable."""
        language = self._next(embedder.fingerprint) if embedder else None
        if embedder is None or language is None:
            return False
        share = measure_language(embedder, language)
        with self._lock:
            self._measured.setdefault(embedder.fingerprint, {})[language] = share
            self._queued.pop((embedder.fingerprint, language), None)
        with suppress(StorageFailed):  # it is measured again after a restart
            self._save()
        return True

    def _next(self, fingerprint: str) -> str | None:
        with self._lock:
            waiting = (code for model, code in self._queued if model == fingerprint)
            return next(waiting, None)

    def _queue(self, fingerprint: str, languages: Iterable[str]) -> None:
        with self._lock:
            known = self._measured.get(fingerprint, {})
            for code in languages:
                if code in all_probes() and code not in known:
                    self._queued[(fingerprint, code)] = None

    def _save(self) -> None:
        """Saves the figures together with those another program has saved meanwhile."""
        written = _read(self._path)
        with self._lock:
            for fingerprint, shares in written.items():
                self._measured[fingerprint] = shares | self._measured.get(fingerprint, {})
            content = {"probes": probes_digest(), "models": self._measured}
        durable_files.replace(self._path, json.dumps(content, indent=1).encode())


def _read(path: Path) -> Measured:
    """Returns the file's figures; none if it is missing, damaged or made with other probes."""
    try:
        found = json.loads(regular_files.read_regular_file(path))
        if found["probes"] != probes_digest():
            return {}
        return {
            str(fingerprint): {str(code): float(share) for code, share in shares.items()}
            for fingerprint, shares in found["models"].items()
        }
    except (OSError, *UNUSABLE_JSON):
        return {}
