"""The search by words: SQLite's FTS5 finds, and what BM25 needs to weigh by is fetched.

Words are compared as terms() gives them; FTS5's own tokenizer only splits at the blanks between.
FTS5 goes through every entry that holds any of the words, so the commonest are left out where
they would make it look at more than _MOST_LOOKED_AT: the rare words find, all words weigh.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from .. import bm25
from ..recent import Recent
from .base import Passage
from .database import EVER, LIST, Database, listed, quoted

Time = tuple[float, float]

_MOST_LOOKED_AT = 20_000
_COMMON = 2_000  # FTS5 counts a word by going through all that hold it
_BEYOND = chr(0x10FFFF)  # sorts behind all that may follow
_DRIFT = 0.05  # by which share of itself a count may be out of date
_PASSAGES = (
    "SELECT e.id, w.user, w.assistant, e.user_name, e.assistant_name, e.ts, e.born, e.sitting, "  # noqa: S608
    "(SELECT b.id FROM entries AS b WHERE b.sitting = e.sitting AND b.state = 'live' "
    "AND (b.place, b.row) < (e.place, e.row) ORDER BY b.place DESC, b.row DESC LIMIT 1), "
    "(SELECT a.id FROM entries AS a WHERE a.sitting = e.sitting AND a.state = 'live' "
    "AND (a.place, a.row) > (e.place, e.row) ORDER BY a.place, a.row LIMIT 1) "
    "FROM entries AS e JOIN words AS w ON w.rowid = e.row "  # only what is live has words
    f"WHERE e.id IN {LIST}"
)
_HAPPENED = (
    "SELECT id, start, end FROM entries JOIN happened USING (row) "  # noqa: S608
    f"WHERE id IN {LIST} ORDER BY happened.rowid"
)


class Lexical:
    """Over the tables that saving.py fills. Safe for many threads.

    A search looks at about `budget` entries at most, unless all its words are common.
    """

    def __init__(self, database: Database, *, budget: int = _MOST_LOOKED_AT) -> None:
        self._db = database
        self._budget = budget
        self._counted: Recent[str, tuple[int, int]] = Recent(10_000)

    def search(self, words: Sequence[str], *, limit: int, until_seq: int | None) -> list[str]:
        wanted = list(dict.fromkeys(words))
        if not wanted:
            return []
        chosen = _rarest(self.corpus(wanted).held, self._budget)
        found = self._db.rows(
            "SELECT id FROM (SELECT rowid, bm25(words) AS cost FROM words "
            "WHERE words MATCH ? AND rowid NOT IN (SELECT row FROM entries WHERE born > ?) "
            "ORDER BY bm25(words), rowid LIMIT ?) AS hits JOIN entries ON entries.row = hits.rowid "
            "ORDER BY cost, row",
            " OR ".join(quoted(chosen)),
            until_seq if until_seq is not None else EVER,
            limit,
        )
        return [memory_id for (memory_id,) in found]

    def corpus(self, words: Collection[str]) -> bm25.Corpus:
        with self._db.using():
            size, length, changes = self._db.rows("SELECT live, length, changes FROM totals")[0]
            held = self._held(words, changes)
        return bm25.Corpus(
            size=size,
            mean_length=length / size if size else 0.0,
            held={word: min(held[word], size) for word in words},
        )

    def beginning_with(self, letters: str, *, limit: int) -> dict[str, int]:
        sql = "SELECT term, doc FROM vocabulary WHERE term >= ? AND term < ? ORDER BY term LIMIT ?"
        return dict(self._db.rows(sql, letters, letters + _BEYOND, limit))

    def _held(self, words: Collection[str], changes: int) -> Mapping[str, int]:
        known = {word: it for word in words if (it := self._known(word, changes)) is not None}
        asked = [word for word in words if word not in known]
        sql = f"SELECT term, doc FROM vocabulary WHERE term IN {LIST}"  # noqa: S608
        counted = dict.fromkeys(asked, 0) | dict(self._db.rows(sql, listed(asked)))
        for word, held in counted.items():
            if held > _COMMON:
                self._counted.put(word, (held, changes))
        return counted | known

    def _known(self, word: str, changes: int) -> int | None:
        """How many hold a common word, while the count cannot be far out of date."""
        held, then = self._counted.get(word) or (0, 0)
        return held if held and changes - then <= _DRIFT * held else None

    def passages(self, ids: Collection[str]) -> dict[str, Passage]:
        wanted = listed(list(ids))
        with self._db.using():
            found = self._db.rows(_PASSAGES, wanted)
            times = self._db.rows(_HAPPENED, wanted)
        happened: dict[str, list[Time]] = {}
        for memory_id, start, end in times:
            happened.setdefault(memory_id, []).append((start, end))
        return {row[0]: _passage(row, happened.get(row[0], ())) for row in found}


def _passage(row: tuple[Any, ...], happened: Iterable[Time]) -> Passage:
    memory_id, user, assistant, user_name, assistant_name, ts, born, sitting, before, after = row
    return Passage(
        id=memory_id,
        terms=(user.split(), assistant.split()),
        names=(user_name, assistant_name),
        ts=ts,
        happened=tuple(happened),
        born=born,
        sitting=sitting,
        before=before,
        after=after,
    )


def _rarest(held: Mapping[str, int], budget: int) -> list[str]:
    """The words to look for: as many of the rarest as can be looked at, but always one."""
    return list(_affordable(sorted(held, key=lambda word: (held[word], word)), held, budget))


def _affordable(words: Sequence[str], held: Mapping[str, int], left: int) -> Iterator[str]:
    for at, word in enumerate(words):
        left -= held[word]
        if left < 0 and at and held[words[at - 1]]:
            return
        yield word
