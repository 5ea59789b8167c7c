"""The local store agrees with the in-memory store after any sequence of changes."""

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memory_core.domain.records import MemoryKind
from memory_core.storage.contract import (
    NO_FILTER,
    DerivedFilter,
    Page,
    PassageColumns,
    SearchFilter,
)
from memory_core.storage.index.local import LocalStore
from memory_core.storage.index.vectors.segment_list import ChunkSizes
from memory_core.storage.log.events import DERIVATION_EVENTS, Event, EventType
from memory_core.storage.log.projection import exchange_fields
from memory_core.storage.store import MemoryStore
from memory_core.text.search_terms import terms
from tests.builders import DAY, HOUR, NOW, added, said
from tests.fuzzing import examples
from tests.storage.index.in_memory.store import InMemoryStore
from tests.storage.index.scene import FAKE, embed_all

MOST = 1000
TINY = ChunkSizes(chunk=2, segment=4, merge=2)
FILTERS = [
    NO_FILTER,
    SearchFilter(conversation="a"),
    SearchFilter(since=NOW, until=NOW + DAY),
    SearchFilter(kinds=frozenset({MemoryKind.KNOWLEDGE})),
    SearchFilter(applies_in="a"),
    SearchFilter(applies_in=""),
]
PAUSES = st.sampled_from([None, -9 * HOUR, 60.0, 4 * HOUR, 4 * HOUR + 1, 3 * DAY])
DERIVED_FILTERS = [
    DerivedFilter(),
    DerivedFilter(kinds=frozenset({MemoryKind.OBSERVATION})),
    DerivedFilter(ids=frozenset({"id1", "id3"})),
    DerivedFilter(sources=frozenset({"id1", "id2"})),
    DerivedFilter(sources=frozenset({"id1"}), subject="DOG"),
    DerivedFilter(key="dog"),
    DerivedFilter(superseded_by=frozenset({"id1", "id4"})),
]
SUBJECTS = st.sampled_from(["", "dog", "狗"])
EVENT_TIMES = st.sampled_from(
    [{}, {"event_from": NOW}, {"event_from": NOW - DAY, "event_to": NOW + DAY}]
)
WORDS = ["dog", "bee", "狗叫", "привет", "naïve", "2026", "ß", "yesterday", "last week", "in May"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
ASKED = terms(" ".join(WORDS))


class Stores(RuleBasedStateMachine):
    """Applies the same events to both stores: two conversations, notes, and changes to them."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.local = LocalStore(self.folder / "index", compact_from=3, sizes=TINY)
        self.oracle = InMemoryStore()
        self.ids: list[str] = []
        self.lines: list[Event] = []
        self.seq = 0
        self.now = NOW

    def teardown(self) -> None:
        self.local.close()
        shutil.rmtree(self.folder)

    @property
    def stores(self) -> list[MemoryStore]:
        return [self.local, self.oracle]

    def write(self, op: EventType, memory_id: str, *, log: str = "", **fields: object) -> None:
        self.seq += 1
        line = Event(seq=self.seq, op=op, id=memory_id, ts=self.now, fields=fields, log=log)
        self.apply(line)

    def apply(self, line: Event) -> None:
        self.lines.append(line)
        for store in self.stores:
            store.apply([line], {"a": line.seq})
        if line.op in (EventType.UNFORGET, EventType.PLACE, EventType.EDIT, EventType.REVISE):
            self.embed_rest()  # a text that comes back may find its old vector, or not

    def embed_rest(self) -> None:
        """Embeds all pending texts, so that both stores have the same vectors."""
        for store in self.stores:
            embed_all(store)

    @initialize()
    def choose_model(self) -> None:
        for store in self.stores:
            store.vectors.use_model(FAKE.fingerprint, FAKE.dim)

    @rule(log=st.sampled_from("ab"), user=TEXTS, answer=TEXTS, pause=PAUSES, back=st.integers(0, 3))
    def say(self, log: str, user: str, answer: str, pause: float | None, back: int) -> None:
        """Says an exchange at the end of a conversation, or between earlier ones."""
        self.seq += 1
        self.now += pause or 0.0
        self.ids.append(f"id{self.seq}")
        exchange = said(user, answer, ts=None if pause is None else self.now)
        place = self.seq - back * 1.5
        self.apply(added(self.seq, self.ids[-1], exchange, log=log, place=place))

    @rule(kind=st.sampled_from(["knowledge", "summary"]), text=TEXTS, of=st.sampled_from(["", "a"]))
    def note(self, kind: str, text: str, of: str) -> None:
        self.ids.append(f"id{self.seq + 1}")
        self.write(EventType.NOTE, self.ids[-1], kind=kind, text=text, conversation=of)

    @precondition(lambda self: self.ids)
    @rule(data=st.data(), text=TEXTS, subject=SUBJECTS, about=st.booleans(), when=EVENT_TIMES)
    def derive(
        self, data: st.DataObject, text: str, subject: str, about: bool, when: dict[str, float]
    ) -> None:
        sources = data.draw(st.lists(st.sampled_from(self.ids), max_size=3))
        self.ids.append(f"id{self.seq + 1}")
        fields = {"subject": subject, "is_about_speaker": about, "key": subject.upper(), **when}
        self.write(
            EventType.NOTE,
            self.ids[-1],
            kind="observation",
            text=f"{subject} {text}",
            sources=sources,
            **fields,
        )

    @precondition(lambda self: self.ids)
    @rule(data=st.data(), op=st.sampled_from(sorted(DERIVATION_EVENTS)), ends=PAUSES)
    def change_derivation(self, data: st.DataObject, op: EventType, ends: float | None) -> None:
        memory_id, newer = (data.draw(st.sampled_from(self.ids)) for _ in range(2))
        fields = {"into": [newer], "with": [newer], "rejected": ends is None}
        self.write(op, memory_id, superseded_by=newer, valid_to=ends, **fields)

    @precondition(lambda self: self.ids)
    @rule(data=st.data(), user=TEXTS, answer=TEXTS)
    def edit(self, data: st.DataObject, user: str, answer: str) -> None:
        memory_id = data.draw(st.sampled_from(self.ids))
        if self.oracle.catalog.get([memory_id])[memory_id].memory.exchange:
            self.write(EventType.EDIT, memory_id, **exchange_fields(said(user, answer)))

    @precondition(lambda self: self.ids)
    @rule(data=st.data(), text=TEXTS)
    def revise(self, data: st.DataObject, text: str) -> None:
        memory_id = data.draw(st.sampled_from(self.ids))
        self.write(EventType.REVISE, memory_id, user=text, text=text)

    @precondition(lambda self: self.ids)
    @rule(
        data=st.data(),
        op=st.sampled_from(
            [
                EventType.REMOVE,
                EventType.FORGET,
                EventType.FORGET,
                EventType.UNFORGET,
                EventType.PIN,
                EventType.UNPIN,
            ]
        ),
    )
    def mark(self, data: st.DataObject, op: EventType) -> None:
        memory_id = data.draw(st.sampled_from(self.ids))
        self.write(op, memory_id, sealed=f"seal of {memory_id}")

    @precondition(lambda self: self.ids)
    @rule(data=st.data(), log=st.sampled_from("abc"), back=st.integers(0, 3))
    def show_elsewhere(self, data: st.DataObject, log: str, back: int) -> None:
        """Gives a memory a position in another chat, like a branch."""
        memory_id = data.draw(st.sampled_from(self.ids))
        if self.oracle.catalog.get([memory_id])[memory_id].memory.exchange:
            self.write(EventType.PLACE, memory_id, log=log, place=self.seq - back * 1.5)

    @precondition(lambda self: self.ids)
    @rule(data=st.data(), log=st.sampled_from("abc"))
    def take_off_one(self, data: st.DataObject, log: str) -> None:
        self.write(EventType.REMOVE, data.draw(st.sampled_from(self.ids)), log=log)

    @rule()
    def erase(self) -> None:
        ids = [entry.memory.id for entry in self.oracle.catalog.forgotten()]
        for store in self.stores:
            store.erase(ids)

    @rule(limit=st.integers(1, 8))
    def embed(self, limit: int) -> None:
        for store in self.stores:
            waiting = store.vectors.pending(limit)
            rows = FAKE.embed([pending.text for pending in waiting])
            store.vectors.add([pending.vector_id for pending in waiting], rows)

    @rule()
    def reopen(self) -> None:
        self.local.close()
        self.local = LocalStore(self.folder / "index", compact_from=3, sizes=TINY)
        self.choose_model()
        self.embed_rest()

    @rule(steps=st.integers(1, 3))
    def seal(self, steps: int) -> None:
        for _ in range(steps):
            self.local.maintain()

    @rule(back=st.integers(1, 6))
    def apply_again(self, back: int) -> None:
        """Repeats events, like a start after a crash between two batches; positions stay."""
        for store in self.stores:
            store.apply(self.lines[-back:], {})
        self.embed_rest()

    @rule(size=st.sampled_from([1, 3, MOST]))
    def rebuild(self, size: int) -> None:
        for store in self.stores:
            store.clear()
            for first in range(0, len(self.lines), size):
                store.apply(self.lines[first : first + size], {"a": self.seq})
        self.embed_rest()

    @invariant()
    def nothing_is_left_over(self) -> None:
        rows = self.local._database.rows
        live = set(rows("SELECT row FROM entries WHERE state = 'live'"))
        sealed = rows("SELECT coalesce(max(last), 0) FROM segments")[0]
        uncompacted = set(rows("SELECT row FROM uncompacted_words WHERE user IS NOT NULL"))
        assert uncompacted <= live
        assert {row for row in live if row > sealed} <= uncompacted
        assert set(rows("SELECT row FROM vectors UNION SELECT row FROM mentioned_times")) <= live
        gone = set(rows("SELECT row FROM entries WHERE state = 'removed'"))
        assert gone.isdisjoint(rows("SELECT row FROM positions"))
        counted = rows("SELECT count(*), total(length) FROM entries WHERE state = 'live'")
        assert rows("SELECT live, length FROM totals") == counted

    @invariant()
    def derived_memories_are_the_same(self) -> None:
        for only in DERIVED_FILTERS:
            assert self.local.catalog.find_derived(only) == self.oracle.catalog.find_derived(only)
        found = self.local._database.rows("SELECT DISTINCT row FROM derivation_refs")
        kept = self.local._database.rows("SELECT row FROM entries WHERE state != 'forgotten'")
        assert set(found) <= set(kept)

    @invariant()
    def entries_are_the_same(self) -> None:
        assert self.local.catalog.get(self.ids) == self.oracle.catalog.get(self.ids)
        assert self.local.catalog.live_seqs(self.ids) == self.oracle.catalog.live_seqs(self.ids)
        assert self.local.counts() == self.oracle.counts()
        assert (
            self.local.catalog.summary().last_applied_seq
            == self.oracle.catalog.summary().last_applied_seq
        )
        assert self.local.catalog.forgotten() == self.oracle.catalog.forgotten()
        assert self.local.catalog.always_in_prompt() == self.oracle.catalog.always_in_prompt()
        assert self.local.catalog.retention_candidates(
            3
        ) == self.oracle.catalog.retention_candidates(3)
        for before in (None, NOW, self.now):
            counts = [
                store.catalog.count_retention_candidates(before=before) for store in self.stores
            ]
            assert counts[0] == counts[1]
        for log in "abc":
            assert self.local.catalog.known_exchanges(log) == self.oracle.catalog.known_exchanges(
                log
            )
            assert self.local.catalog.conversation(log, 3) == self.oracle.catalog.conversation(
                log, 3
            )
        keys = [record.key for record in self.oracle.catalog.known_exchanges("a")]
        assert self.local.catalog.exchanges_by_content(
            keys
        ) == self.oracle.catalog.exchanges_by_content(keys)
        for page in (Page(limit=3, offset=1), Page(limit=9, words=("dog",), before=NOW + DAY)):
            assert self.local.latest(page) == self.oracle.latest(page)

    @invariant()
    def passages_are_the_same(self) -> None:
        half = len(self.ids) // 2
        for found, others in ((self.ids, []), (self.ids[:1], self.ids[half : half + 2])):
            own, oracles = (store.fulltext.passages(found, others) for store in self.stores)
            assert by_id(own) == by_id(oracles)
            counts = self.local.fulltext.term_counts(own, ASKED).tolist()
            assert counts == self.oracle.fulltext.term_counts(oracles, ASKED).tolist()
            times = self.local.fulltext.mentioned_times(own)
            assert times == self.oracle.fulltext.mentioned_times(oracles)
            assert self.local.fulltext.speaker_names(own.ids) == self.oracle.fulltext.speaker_names(
                own.ids
            )

    @invariant()
    def words_are_the_same(self) -> None:
        assert self.local.fulltext.corpus(ASKED) == self.oracle.fulltext.corpus(ASKED)
        for letters in ("d", "狗", "20", "п"):
            begun = [store.fulltext.terms_with_prefix(letters, limit=2) for store in self.stores]
            assert list(begun[0].items()) == list(begun[1].items())
        for words in (ASKED, ["dog"], ["bee", "привет"]):
            for until in (None, self.seq - 2):
                found = [
                    store.fulltext.search(words, limit=MOST, only=SearchFilter(until_seq=until))
                    for store in self.stores
                ]
                assert sorted(found[0]) == sorted(found[1])
            best = [store.fulltext.search(words, limit=3) for store in self.stores]
            assert len(best[0]) == len(best[1])

    @invariant()
    def times_are_the_same(self) -> None:
        for since, until in ((NOW, NOW + DAY), (NOW - 9 * DAY, NOW), (0.0, NOW * 2)):
            for limit, seq in ((2, None), (MOST, self.seq - 2)):
                found = [
                    store.catalog.search_dates(
                        since, until, limit=limit, only=SearchFilter(until_seq=seq)
                    )
                    for store in self.stores
                ]
                assert found[0] == found[1]

    @invariant()
    def kept_sample_is_of_live_exchanges(self) -> None:
        pairs = self.local.vectors.embedded_pairs(MOST)
        kept = self.local.vectors.kept_sample().decode().split()
        assert set(kept) <= set(pairs)
        self.local.vectors.keep_sample(pairs[:2], " ".join(pairs[:2]).encode())

    @invariant()
    def vectors_are_the_same(self) -> None:
        assert self.local.vectors.pending(5) == self.oracle.vectors.pending(5)
        assert self.local.vectors.embedded_pairs(2) == self.oracle.vectors.embedded_pairs(2)
        vectors = [store.vectors.get(self.ids) for store in self.stores]
        assert vectors[0].keys() == vectors[1].keys()
        for memory_id, pair in vectors[0].items():
            for row, expected in zip(pair, vectors[1][memory_id], strict=True):
                assert (row is None) == (expected is None)
                assert row is None or np.allclose(row, expected, atol=2e-3)
        query = FAKE.embed_query("dog bee", timeout_s=1)
        for only in FILTERS:
            only = replace(only, until_seq=self.seq - 2)
            near = [store.vectors.search(query, limit=MOST, only=only) for store in self.stores]
            assert sorted(near[0]) == sorted(near[1])


def by_id(passages: PassageColumns) -> tuple[object, ...]:
    """Returns the passages with each session as its members, as its number differs by store."""
    ids = [*passages.ids, ""]
    members: dict[int, set[str]] = {}
    for memory_id, session in zip(passages.ids, passages.sessions.tolist(), strict=True):
        members.setdefault(session, set()).add(memory_id)
    return (
        passages.ids,
        (passages.found_count, passages.weighed_count),
        passages.lengths.tolist(),
        np.nan_to_num(passages.said_at, nan=-1.0).tolist(),
        [members[session] for session in passages.sessions.tolist()],
        [ids[index] for index in passages.before],
        [ids[index] for index in passages.after],
    )


TestStores = pytest.mark.slow(Stores.TestCase)
TestStores.settings = settings(max_examples=examples(30), stateful_step_count=25)
