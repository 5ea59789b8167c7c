"""Format of the event log's lines: old lines stay readable, and damage is reported."""

import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.domain.errors import StorageCorrupt
from memory_core.domain.records import MemoryKind, content_key
from memory_core.storage.log.events import Event, EventType, after_round_trip, pack, unpack
from tests.cases import for_each

# Format v1 to the byte; a change here is a new format and needs a migration.
GOLDEN = (
    '{"v":1,"seq":7,"op":"add","id":"00f1a2b3c4d5e6f7","ts":1790000000.5,"turn_id":3,'
    '"user":"I keep \\"bees\\" 蜜蜂\u2028🐝","assistant":"Oh!\\nHow many?",'
    '"metadata":{"n":[1,null]}'
    ',"crc":"e93064c4"}\n'
).encode()
GOLDEN_LINE = Event(
    seq=7,
    op=EventType.ADD,
    id="00f1a2b3c4d5e6f7",
    ts=1790000000.5,
    fields={
        "turn_id": 3,
        "user": 'I keep "bees" 蜜蜂\u2028🐝',
        "assistant": "Oh!\nHow many?",
        "metadata": {"n": [1, None]},
    },
    log="monday",
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
OWN_KEYS = {"v", "seq", "op", "id", "ts", "crc"}
FIELDS = st.dictionaries(st.text().filter(lambda key: key not in OWN_KEYS), JSON, max_size=4)


def test_a_line_of_format_1_is_written_to_the_byte() -> None:
    assert pack(GOLDEN_LINE) == GOLDEN


def test_a_line_of_format_1_is_read() -> None:
    assert unpack(GOLDEN[:-1], "monday") == GOLDEN_LINE


def test_the_checksum_is_zlibs_crc_32_of_all_before_it() -> None:
    body, _, rest = GOLDEN.rpartition(b',"crc":"')
    assert int(rest[:8], 16) == zlib.crc32(body)


@given(
    fields=FIELDS,
    seq=st.integers(1, 1 << 60),
    op=st.sampled_from(EventType),
    ts=st.none() | st.floats(0, 1e12),
)
def test_event_with_any_json_fields_survives_the_round_trip(
    fields: dict[str, object], seq: int, op: EventType, ts: float | None
) -> None:
    line = Event(seq=seq, op=op, id="a", ts=ts, fields=fields, log="talk")
    data = pack(line)
    assert data.count(b"\n") == 1
    assert unpack(data[:-1], "talk") == line


ODD = st.text(st.characters(exclude_categories=())) | st.sampled_from(
    (MemoryKind.DIARY, (), ("a",), {}, [], {1: 2}, {"a": ("b",)}, 1 << 70, float("inf"))
)


@given(
    fields=st.dictionaries(st.sampled_from(("user", "turn_id", "seq", "kind")), JSON | ODD),
    memory_id=st.sampled_from(("a", "\ud800")),
    ts=st.none() | st.floats(0, 1e12) | st.integers(),
)
def test_appended_event_equals_the_one_read_later(
    fields: dict[str, object], memory_id: str, ts: float | None
) -> None:
    line = Event(seq=1, op=EventType.ADD, id=memory_id, ts=ts, fields=fields, log="talk")
    data = pack(line)
    assert repr(after_round_trip(line, data)) == repr(unpack(data[:-1], "talk"))


def test_plain_event_is_returned_without_decoding() -> None:
    line = replace(GOLDEN_LINE, fields={"user": "bees 蜜蜂", "place": 1.0, "metadata": {}})
    assert after_round_trip(line, b"nothing of it") is line


def test_field_cannot_replace_one_of_the_lines_own_keys() -> None:
    forged = Event(
        seq=1, op=EventType.ADD, id="a", ts=None, fields={"seq": 99, "id": "b", "crc": "0"}
    )
    read = unpack(pack(forged)[:-1], "")
    assert (read.seq, read.id, read.fields) == (1, "a", {})


def test_a_lone_surrogate_is_replaced_and_the_content_keeps_its_key() -> None:
    said = "half a smile \ud83d here"
    read = unpack(
        pack(Event(seq=1, op=EventType.ADD, id="a", ts=None, fields={"user": said}))[:-1], ""
    )
    assert read.fields["user"] == "half a smile ? here"
    assert content_key(str(read.fields["user"]), "") == content_key(said, "")


@given(index=st.integers(0, len(GOLDEN) - 2), change=st.integers(1, 255))
def test_changed_byte_is_detected(index: int, change: int) -> None:
    data = bytearray(GOLDEN[:-1])
    data[index] ^= change
    with pytest.raises(StorageCorrupt):
        unpack(bytes(data), "")


@given(cut=st.integers(0, len(GOLDEN) - 2))
def test_truncated_line_is_detected(cut: int) -> None:
    with pytest.raises(StorageCorrupt):
        unpack(GOLDEN[:cut], "")


@for_each(
    "body",
    [
        b'{"v":2,"seq":1,"op":"add","id":"a","ts":null',
        b'{"v":1,"seq":1',
        b"[1",
        b'{"v":1,"seq":1,"op":"fly","id":"a","ts":null',
    ],
    ids=["newer", "keys missing", "no JSON", "unknown operation"],
)
def test_whole_line_of_an_unknown_format_is_reported(body: bytes) -> None:
    with pytest.raises(StorageCorrupt):
        unpack(body + b',"crc":"%08x"}' % zlib.crc32(body), "")
