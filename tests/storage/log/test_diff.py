"""reconcile(): the diff, once written, makes the event log match the chat."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from memory_core.domain.records import Exchange, side_key
from memory_core.storage.log.diff import Diff, KnownExchange, reconcile
from tests.cases import for_each

# Few different words, so that repeated and half-equal exchanges are the rule.
WORDS = st.sampled_from(["", "a", "b", "c", "d"])
EXCHANGES = st.builds(Exchange, user=WORDS, assistant=WORDS).filter(
    lambda exchange: bool(exchange.user or exchange.assistant)
)
CHATS = st.lists(EXCHANGES, max_size=7)
DIFFERENT = st.lists(EXCHANGES, max_size=12, unique_by=lambda exchange: exchange.key)


@dataclass(frozen=True)
class Written:
    """A logged conversation, with the keys that reconcile() compares."""

    known: KnownExchange
    exchange: Exchange


def written(exchanges: Sequence[Exchange]) -> list[Written]:
    return [_written(f"id{n}", n + 1.0, exchange) for n, exchange in enumerate(exchanges)]


def _written(memory_id: str, place: float, exchange: Exchange) -> Written:
    known = KnownExchange(
        id=memory_id,
        key=exchange.key,
        position=place,
        user_key=side_key(exchange.user),
        assistant_key=side_key(exchange.assistant),
        ts=exchange.ts,
    )
    return Written(known, exchange)


def forgotten(entry: Written) -> Written:
    return replace(entry, known=replace(entry.known, is_forgotten=True))


def compare(before: Sequence[Written], shown: Sequence[Exchange], *, whole: bool = True) -> Diff:
    return reconcile(
        [entry.known for entry in before], [(new.key, new) for new in shown], whole=whole
    )


def apply(before: Sequence[Written], diff: Diff) -> list[Written]:
    """Returns the conversation after the diff is written."""
    changes = {change.id: change.exchange for change in diff.changed}
    after = [
        _written(entry.known.id, entry.known.position, changes[entry.known.id])
        if entry.known.id in changes
        else entry
        for entry in before
        if entry.known.id not in (*diff.removed, *diff.forgotten_left)
    ]
    new = [
        _written(f"new{n}", added.position, added.exchange) for n, added in enumerate(diff.added)
    ]
    return sorted([*after, *new], key=lambda entry: entry.known.position)


def exchanges(conversation: Sequence[Written]) -> list[tuple[str, str]]:
    return [(entry.exchange.user, entry.exchange.assistant) for entry in conversation]


def rises(conversation: Sequence[Written]) -> bool:
    places = [entry.known.position for entry in conversation]
    return all(left < right for left, right in pairwise(places))


def pairs(shown: Sequence[Exchange]) -> list[tuple[str, str]]:
    return [(exchange.user, exchange.assistant) for exchange in shown]


@given(chats=st.lists(CHATS, min_size=2, max_size=5))
def test_diff_turns_the_log_into_the_shown_chat_in_its_order(chats: list[list[Exchange]]) -> None:
    conversation: list[Written] = []
    for n, shown in enumerate(chats):
        after = apply(conversation, compare(conversation, shown))
        conversation = [
            replace(entry, known=replace(entry.known, id=f"{n}-{entry.known.id}"))
            for entry in after
        ]
        assert exchanges(conversation) == pairs(shown)
        assert rises(conversation)


@given(before=CHATS, shown=CHATS, whole=st.booleans())
def test_reconcile_finds_nothing_the_second_time(
    before: list[Exchange], shown: list[Exchange], whole: bool
) -> None:
    start = written(before)
    after = apply(start, compare(start, shown, whole=whole))
    assert rises(after)
    assert not compare(after, shown, whole=whole)


@given(before=CHATS, shown=CHATS)
def test_incomplete_chat_removes_nothing(before: list[Exchange], shown: list[Exchange]) -> None:
    assert compare(written(before), shown, whole=False).removed == ()


@given(chat=DIFFERENT, cuts=st.tuples(*[st.integers(0, 12)] * 3))
def test_equal_exchanges_at_both_ends_keep_their_ids(
    chat: list[Exchange], cuts: tuple[int, int, int]
) -> None:
    one, two, three = sorted(cuts)
    head, old, new, tail = chat[:one], chat[one:two], chat[two:three], chat[three:]
    before = written([*head, *old, *tail])
    touched = compare(before, [*head, *new, *tail]).stale_ids
    middle = before[len(head) : len(head) + len(old)]
    assert touched <= {entry.known.id for entry in middle}


@given(chat=DIFFERENT, forgotten_indices=st.sets(st.integers(0, 6)), shown=CHATS)
@example(  # the first forgotten one, and then another, becomes the message said three times
    chat=[Exchange(user="a", assistant=text) for text in "xyz"],
    forgotten_indices={0, 2},
    shown=[Exchange(user="a", assistant="b")] * 3,
)
def test_forgotten_exchange_is_neither_removed_nor_changed_nor_added_again(
    chat: list[Exchange], forgotten_indices: set[int], shown: list[Exchange]
) -> None:
    start = [
        forgotten(entry) if n in forgotten_indices else entry
        for n, entry in enumerate(written(chat))
    ]
    diff = compare(start, shown)
    assert not diff.stale_ids & {entry.known.id for entry in start if entry.known.is_forgotten}
    after = apply(start, diff)
    assert rises(after)
    assert not compare(after, shown)


A, B, C = (Exchange(user=text, assistant=text.upper()) for text in ("a", "b", "c"))


@for_each(
    "now", [replace(B, assistant="another"), replace(B, user="another")], ids=["answer", "question"]
)
def test_exchange_that_kept_a_side_is_changed_not_replaced(now: Exchange) -> None:
    diff = compare(written([A, B, C]), [A, now, C])
    assert [(change.id, change.exchange) for change in diff.changed] == [("id1", now)]
    assert (diff.added, diff.removed) == ((), ())


HELLO, HI = (Exchange(user="", assistant=text) for text in ("hello", "hi"))


def test_regenerated_answer_without_a_message_changes_its_exchange() -> None:
    diff = compare(written([A, HELLO, C]), [A, HI, C])
    assert [(change.id, change.exchange) for change in diff.changed] == [("id1", HI)]
    assert (diff.added, diff.removed) == ((), ())


@for_each("shown", [[HI, B], [], [HI, HI]], ids=["more", "none", "twice"])
def test_empty_sides_do_not_match_when_the_number_of_exchanges_changed(
    shown: list[Exchange],
) -> None:
    diff = compare(written([HELLO]), shown)
    assert (diff.changed, diff.removed) == ((), ("id0",))


def test_empty_sides_do_not_match_in_an_incomplete_chat() -> None:
    diff = compare(written([HELLO]), [HI], whole=False)
    assert [new.exchange for new in diff.added] == [HI]
    assert not diff.changed


def test_a_forgotten_exchange_without_a_message_is_not_changed_by_another_answer() -> None:
    diff = compare([forgotten(entry) for entry in written([HELLO])], [HI])
    assert [new.exchange for new in diff.added] == [HI]
    assert (diff.changed, diff.removed) == ((), ())


@for_each("whole", [True, False])
@for_each("following", [[], [C]], ids=["last", "between"])
def test_regenerated_answer_leaves_a_forgotten_exchange_forgotten(
    whole: bool, following: list[Exchange]
) -> None:
    start = written([A, B, *following])
    start[1] = forgotten(start[1])
    assert not compare(start, [A, replace(B, assistant="another"), *following], whole=whole)


def test_forgotten_message_said_again_at_another_time_is_added() -> None:
    start = [forgotten(entry) for entry in written([replace(B, ts=60.0)])]
    again = replace(B, assistant="another", ts=120.0)
    assert [new.exchange for new in compare(start, [again]).added] == [again]
    assert not compare(start, [replace(again, ts=60.0)])


def test_forgotten_answer_under_another_message_is_added() -> None:
    changed = replace(B, user="another")
    start = [forgotten(entry) for entry in written([B])]
    assert [new.exchange for new in compare(start, [changed]).added] == [changed]


def test_removed_last_exchange_is_found() -> None:
    assert compare(written([A, B]), [A]) == Diff(removed=("id1",))


def test_exchange_inserted_in_the_middle_gets_a_position_between() -> None:
    (added,) = compare(written([A, C]), [A, B, C]).added
    assert added.exchange == B
    assert 1.0 < added.position < 2.0


def test_new_exchanges_at_the_end_get_the_next_positions() -> None:
    assert [new.position for new in compare(written([A]), [A, B, C]).added] == [2.0, 3.0]


def test_an_exchange_inserted_before_a_changed_one_comes_before_it() -> None:
    changed = replace(B, assistant="another")
    start = written([A, B])
    after = apply(start, compare(start, [A, C, changed]))
    assert exchanges(after) == pairs([A, C, changed])


def test_forgotten_exchange_stays_out_and_a_repetition_is_added() -> None:
    start = [*written([A])[:1], forgotten(written([A, B])[1])]
    assert not compare(start, [A, B])
    assert [new.exchange for new in compare(start, [A, B, B]).added] == [B]


def test_incomplete_chat_without_its_beginning_adds_only_new_exchanges() -> None:
    diff = compare(written([A, B]), [B, C], whole=False)
    assert [(new.exchange, new.position) for new in diff.added] == [(C, 3.0)]
    assert (diff.changed, diff.removed) == ((), ())


def test_replaced_exchange_of_an_incomplete_chat_gets_a_free_position() -> None:
    other = Exchange(user="x", assistant="X")
    start = written([A, B, C])
    assert rises(apply(start, compare(start, [A, other, C], whole=False)))
