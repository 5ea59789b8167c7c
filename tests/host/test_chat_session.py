"""A session keeps its start until a pause ends it."""

from memory_core.host.conversation_state import ChatSession, session_at
from tests.builders import DAY, HOUR, NOW, said

PAUSE = 4 * HOUR


def test_session_keeps_its_start_while_messages_follow_each_other() -> None:
    first = session_at(NOW, known=None, said=(), pause_s=PAUSE)
    later = NOW
    for _ in range(10):
        later += PAUSE - 1
        first = session_at(later, known=first, said=(), pause_s=PAUSE)
    assert (first.started_at, first.last_message_at) == (NOW, later)


def test_session_after_a_pause_is_a_new_one_that_does_not_show_today_yet() -> None:
    known = ChatSession(started_at=NOW, last_message_at=NOW, shows_today=True)
    fresh = session_at(NOW + PAUSE, known=known, said=(), pause_s=PAUSE)
    assert fresh == ChatSession(started_at=NOW + PAUSE, last_message_at=NOW + PAUSE)


def test_unknown_session_starts_by_the_times_of_the_chat() -> None:
    said_at = [NOW - DAY, NOW - 3 * HOUR, NOW - HOUR]
    chat = [said("Hello", ts=ts) for ts in said_at]
    assert session_at(NOW, known=None, said=chat, pause_s=PAUSE).started_at == NOW - 3 * HOUR


def test_session_in_a_chat_with_times_in_the_future_starts_now() -> None:
    chat = [said("Hello", ts=NOW + DAY)]
    assert session_at(NOW, known=None, said=chat, pause_s=PAUSE).started_at == NOW


def test_clock_set_back_ends_a_session_that_began_in_the_future() -> None:
    known = ChatSession(started_at=NOW + DAY, last_message_at=NOW + DAY, shows_today=True)
    fresh = session_at(NOW, known=known, said=(), pause_s=PAUSE)
    assert fresh == ChatSession(started_at=NOW, last_message_at=NOW)
