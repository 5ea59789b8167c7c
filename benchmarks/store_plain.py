"""A flat FAISS index and an FTS5 table over the same memories, asked in turn with recall.

Machines differ, and one machine from hour to hour; how many times as long as these recall takes
differs less. Of more vectors than a small machine holds, the first are searched, and the time is
multiplied: a flat search goes through all of them.
"""

import re
import sqlite3
from collections.abc import Sequence

import numpy as np

from benchmarks.store_exact import Part
from benchmarks.store_talk import DIM, SPACE, Opened, asked
from benchmarks.timing import percentile, spread, timed
from memory_core.providers.embedders.base import Vectors

K = 60
_MAX_ROWS = 400_000  # 600 MB
_WORD = re.compile(r"\w+")


class Plain:
    """Both indexes, filled in parts; a memory is found by either side's vector."""

    def __init__(self) -> None:
        import faiss

        faiss.omp_set_num_threads(1)
        self._index = faiss.IndexFlatIP(DIM)
        self._rows = 0
        self._texts = sqlite3.connect("")  # a file of its own that goes with it
        self._texts.execute("CREATE VIRTUAL TABLE texts USING fts5(text)")

    def see(self, part: Part) -> None:
        rows = part.rows.reshape(-1, DIM)
        self._rows += len(rows)
        self._index.add(rows[: _MAX_ROWS - self._index.ntotal].astype(np.float32))
        self._texts.executemany("INSERT INTO texts VALUES (?)", [(text,) for text in part.texts])

    def beside(self, opened: Opened, questions: Sequence[str]) -> dict[str, float]:
        """Returns the milliseconds of each search, and of recall between them."""
        self._texts.commit()
        vectors = np.array(
            [opened.embedder.embed_query(question, timeout_s=1.0) for question in questions]
        )
        recall, flat, fts5 = list[float](), list[float](), list[float]()
        for question, vector in zip(questions, vectors, strict=True):
            recall.append(timed(opened.memory.recall, SPACE, asked(question)))
            flat.append(timed(self._nearest, vector))
            fts5.append(timed(self._holding, question))
        flat = [it * self._rows / self._index.ntotal for it in flat]
        middle = percentile(recall, 50)
        return {
            **spread("recall_in_turn", recall),
            "flat_ms_p50": round(percentile(flat, 50), 3),
            "fts5_ms_p50": round(percentile(fts5, 50), 3),
            "recall_over_flat": round(middle / percentile(flat, 50), 2),
            "recall_over_fts5": round(middle / percentile(fts5, 50), 2),
        }

    def _nearest(self, vector: Vectors) -> None:
        self._index.search(vector[None], min(K, self._index.ntotal))

    def _holding(self, question: str) -> None:
        """Searches for texts with any of the words, best first."""
        words = " OR ".join(f'"{word}"' for word in _WORD.findall(question))
        sql = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?"
        self._texts.execute(sql, (words, K)).fetchall()
