from datetime import datetime

from memory_core.domain.records import Exchange, Role
from memory_core.host.chat.codec import from_host
from memory_core.host.chat.exchanges import Speakers, date_last_exchange, to_exchanges
from memory_core.prompt.window import ChatRow
from memory_core.text.cleaning import GREETING_MARK
from tests.cases import for_each
from tests.host.plain_host import history_of

CAST = Speakers(user_name="Ana", assistant_name="Mira", channel="chat")


def test_greeting_is_no_exchange():
    rows = (
        ChatRow(user=GREETING_MARK, assistant="Hello!"),
        ChatRow(user="Hi", assistant="How are you?"),
    )
    assert [(exchange.user, exchange.assistant) for exchange in to_exchanges(rows, CAST)] == [
        ("Hi", "How are you?")
    ]


def test_names_and_channel_come_from_the_chat():
    (found,) = to_exchanges((ChatRow(user="Hi", assistant="Hello"),), CAST)
    assert (found.user_name, found.assistant_name, found.channel) == ("Ana", "Mira", "chat")


def test_hosts_local_stamp_becomes_seconds():
    row = ChatRow(user="Hi", assistant="Hello", user_meta={"timestamp": "Nov 21, 2026 07:24"})
    assert to_exchanges((row,), CAST)[0].ts == datetime(2026, 11, 21, 7, 24).timestamp()


@for_each("stamp", ["", "yesterday", "Nov 41, 2026 07:24", "Foo 1, 2026 07:24", None])
def test_unreadable_stamp_is_an_unknown_time(stamp):
    row = ChatRow(user="Hi", assistant="Hello", user_meta={"timestamp": stamp})
    assert to_exchanges((row,), CAST)[0].ts is None


def test_edited_message_has_the_time_of_its_first_version():
    versions = [
        {"content": minute, "timestamp": f"Nov 21, 2026 07:{minute}"} for minute in ("24", "30")
    ]
    for shown in ("24", "30"):
        meta = {"timestamp": f"Nov 21, 2026 07:{shown}", "versions": versions}
        (found,) = to_exchanges((ChatRow(user=shown, assistant="Hello", user_meta=meta),), CAST)
        assert found.ts == datetime(2026, 11, 21, 7, 24).timestamp()


@for_each("versions", ["no list", [3], [{"timestamp": 5}], [{}], None, []])
def test_versions_without_a_time_leave_the_messages_own_time(versions):
    meta = {"timestamp": "Nov 21, 2026 07:24", "versions": versions}
    (found,) = to_exchanges((ChatRow(user="Hi", assistant="Hello", user_meta=meta),), CAST)
    assert found.ts == datetime(2026, 11, 21, 7, 24).timestamp()


def test_only_the_last_exchange_without_a_time_is_dated_now():
    found = [Exchange(user="a", assistant="b"), Exchange(user="c", assistant="d")]
    assert [exchange.ts for exchange in date_last_exchange(found, 5.0)] == [None, 5.0]


def test_reasoning_in_an_answer_is_removed():
    row = ChatRow(user="Hi", assistant="<think>what does she want?</think>\n\nHello!")
    assert to_exchanges((row,), CAST)[0].assistant == "Hello!"


def test_reasoning_marks_in_a_users_text_are_kept():
    asked = "I am Ana. Why do you print </think>?"
    rows = (
        ChatRow(user=asked, assistant="Do I?", extra=("", {"tool_calls": [{"id": "1"}]})),
        ChatRow(user="", assistant="So: </think>I do.", extra=("", {})),
    )
    (found,) = to_exchanges(rows, CAST)
    assert (found.user, found.assistant) == (asked, "Do I?\n\nI do.")
    assert [turn.text for turn in found.turns] == [asked, "Do I?", "I do."]


def test_rows_without_a_user_belong_to_the_exchange_before():
    call = {"tool_calls": [{"id": "1"}]}
    rows = (
        ChatRow(user="What is the weather?", assistant="", extra=("", call)),
        ChatRow(user="", assistant="It rains.", extra=("{rain: true}", {"tool_call_id": "1"})),
        ChatRow(user="Thanks", assistant="Welcome"),
    )
    first, second = to_exchanges(rows, CAST)
    assert (first.user, first.assistant) == ("What is the weather?", "It rains.")
    assert [turn.role for turn in first.turns] == [Role.USER, Role.ASSISTANT, Role.TOOL]
    assert second.turns == ()


def test_system_row_alone_is_no_exchange():
    rows = (ChatRow(user="Be brief.", assistant="", extra=("", {"role": "system"})),)
    assert to_exchanges(rows, CAST) == []


def said_in(history, **state):
    window = from_host("now", {"mode": "chat", **state}, history, False)
    return [(exchange.user, exchange.assistant) for exchange in to_exchanges(window.rows, CAST)]


@for_each("change", ["edit", "remove", "insert", "append", "empty"])
def test_cached_chat_is_parsed_as_it_is_now(change):
    rows = [(f"u{n}", f"a{n}") for n in range(9)]
    said_in(history_of(*rows))
    now = {
        "edit": [*rows[:4], ("u4", "said anew"), *rows[5:]],
        "remove": rows[:-1],
        "insert": [*rows[:3], ("new", "row"), *rows[3:]],
        "append": [*rows, ("one", "more")],
        "empty": [],
    }[change]
    assert said_in(history_of(*now)) == now
    assert said_in(history_of(*rows)) == rows


def test_row_added_after_a_tool_call_joins_the_cached_last_exchange():
    called = ["u1", "", "", {"tool_calls": [{"id": "1"}]}]
    result, closing = ["", "", "{rain: true}", {"tool_call_id": "1"}], ["", "It rains.", "", {}]
    asked = {"internal": [["u0", "a0"], called]}
    assert said_in(asked) == [("u0", "a0"), ("u1", "")]
    answered = {"internal": [*asked["internal"], result, closing]}
    assert said_in(answered) == [("u0", "a0"), ("u1", "It rains.")]


def test_empty_page_message_is_an_exchange_of_its_answer_alone():
    rows = [
        (GREETING_MARK, "Hello!"),
        ("", "She waits."),
        ("Hi", "Hello"),
        ("", "She nods."),
        ("", ""),
    ]
    assert said_in(history_of(*rows)) == [
        ("", "She waits."), ("Hi", "Hello"), ("", "She nods."),
    ]  # fmt: skip


def test_picture_alone_is_an_exchange_of_its_answer_alone():
    history = history_of(("Hi", "Hello"), ("", "A red cat."))
    history["metadata"]["user_1"]["attachments"] = [{"type": "image", "image_data": "AAAA"}]
    assert said_in(history) == [("Hi", "Hello"), ("", "A red cat.")]


def test_api_picture_without_text_is_an_exchange_without_the_mark():
    rows = [["Hi", "Hello", "", {}], ["<__media__>", "A red cat.", "", {}]]
    rows.append(["<__media__>\n\nAnd this?", "A dog.", "", {}])
    assert said_in({"internal": rows}) == [
        ("Hi", "Hello"), ("", "A red cat."), ("And this?", "A dog."),
    ]  # fmt: skip


def test_second_answer_of_the_api_is_an_exchange_of_its_own():
    rows = [["Hi", "Hello", "", {}], ["", "Are you there?", "", {}]]
    assert said_in({"internal": rows}) == [("Hi", "Hello"), ("", "Are you there?")]


def test_answer_that_begins_a_chat_of_the_api_is_its_greeting():
    rows = [["", "I am Mira.", "", {}], ["Hi", "Hello", "", {}]]
    assert said_in({"internal": rows}) == [("Hi", "Hello")]


def test_two_tools_asked_in_turn_and_the_closing_answer_are_one_exchange():
    rows = [
        ["Weather?", "Let me see.", "", {"tool_calls": [{"id": "1"}]}],
        ["", "", "{rain: true}", {"tool_call_id": "1"}],
        ["Be brief.", "", "", {"role": "system"}],
        ["", "", "", {"tool_calls": [{"id": "2"}]}],
        ["", "", "{wind: 3}", {"tool_call_id": "2"}],
        ["", "Rain and wind.", "", {}],
        ["Thanks", "Welcome", "", {}],
    ]
    assert said_in({"internal": rows}) == [
        ("Weather?", "Let me see.\n\nRain and wind."), ("Thanks", "Welcome"),
    ]  # fmt: skip


def test_changed_time_or_names_are_noticed_for_cached_text():
    def first(history, cast):
        return to_exchanges(from_host("now", {"mode": "chat"}, history, False).rows, cast)[0]

    old, new = (
        first(history_of(("u", "a")), CAST),
        history_of(("u", "a"), stamp="Nov 21, 2026 1:00"),
    )
    assert first(new, CAST).ts != old.ts
    assert first(new, Speakers(user_name="Bo", assistant_name="", channel="chat")).user_name == "Bo"


def test_visible_text_replaced_by_other_extensions_is_ignored():
    history = history_of(("Hi", "Hello <b>you</b>"))
    history["visible"] = [["Hi", "<audio src=x></audio>Bonjour &lt;b&gt;"]]
    assert said_in(history) == [("Hi", "Hello <b>you</b>")]


def test_rows_of_the_api_and_of_the_page_can_be_mixed():
    history = {
        "internal": [
            ["Be brief.", "", "", {"role": "system"}],
            ["Weather?", "", "", {"tool_calls": [{"id": "1"}]}],
            ["", "It rains.", "{rain: true}", {"tool_call_id": "1"}],
            ["Thanks", "<think>kind</think>Welcome"],
        ]
    }
    assert said_in(history) == [("Weather?", "It rains."), ("Thanks", "Welcome")]


def test_attachments_are_no_text_of_the_message():
    history = history_of(("See this", "I see"))
    history["metadata"]["user_0"]["attachments"] = [
        {"name": "a.txt", "type": "text/plain", "content": "a whole novel"},
        {"name": "b.png", "type": "image", "image_data": "AAAA"},
    ]
    assert said_in(history) == [("See this", "I see")]


def test_growing_chat_parses_only_new_exchanges_in_both_readings():
    """Parses each chat with and without its memory commands, for many chats."""
    rows = [
        [ChatRow(user=f"{who} says {index}", assistant="Yes") for index in range(30)]
        for who in range(40)
    ]
    plain = [tuple(chat) for chat in rows]
    spoken = [(*chat[:20], ChatRow(user="Told so", assistant="Yes"), *chat[21:]) for chat in rows]
    first = [
        [to_exchanges(rows, CAST) for rows in (one, other)]
        for one, other in zip(plain, spoken, strict=True)
    ]
    new = ChatRow(user="And now", assistant="Yes")
    then = [
        [to_exchanges((*rows, new), CAST) for rows in (one, other)]
        for one, other in zip(plain, spoken, strict=True)
    ]
    for before, after in zip(first, then, strict=True):
        for known, grown in zip(before, after, strict=True):
            assert [exchange.user for exchange in grown] == [
                *(exchange.user for exchange in known),
                "And now",
            ]
            assert all(new is old for new, old in zip(grown[:29], known[:29], strict=True))
