"""OpenPersistentMemory's Python API over many users."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_core.domain.errors import ConfigError, LLMUnavailable, StorageFailed
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.server.library.offline_api import MessageSettings, OfflineAPI
from tests.server.library.conftest import WORDS_ALONE, sent

HVAR = "We spent last summer on the island of Hvar with my sister Jelena."
QUESTION = "Where did we spend last summer with my sister?"


@pytest.fixture
def api(tmp_path: Path, llm: ScriptedLLM) -> Iterator[OfflineAPI]:
    with OfflineAPI(tmp_path, settings=WORDS_ALONE, llm=llm) as opened:
        yield opened


def talk(*texts: str, **fields: object) -> list[dict[str, object]]:
    roles = ("user", "assistant")
    return [{"role": roles[n % 2], "content": text, **fields} for n, text in enumerate(texts)]


def test_history_is_paired_and_strays_are_skipped(api: OfflineAPI) -> None:
    messages = [
        {"role": "assistant", "content": "Hello, I am here"},
        {"role": "user", "content": "Nobody answers this"},
        *talk(HVAR, "How lovely!"),
        {"role": "system", "content": "Be brief"},
    ]
    ids = api.add_history("ana", "one", messages)
    found = api.get_history("ana", "one")
    assert [row["memory_id"] for row in found] == ids
    assert [(row["user"], row["assistant"]) for row in found] == [(HVAR, "How lovely!")]


def test_history_leaves_out_what_was_said_off_the_record(api: OfflineAPI) -> None:
    asked = ("/off My PIN is 4711", "Don't remember this: my PIN is 4711")
    said = [turn for text in asked for turn in talk(text, "All right.")]
    api.add_history("ana", "one", [*said, *talk(HVAR, "How lovely!")])
    assert [row["user"] for row in api.get_history("ana", "one")] == [HVAR]


def test_message_said_while_remember_is_off_is_not_stored_with_a_later_one(api: OfflineAPI) -> None:
    secret = "My PIN is 4711"
    api.runtime.save_settings({"ltm_writes.enabled": False})
    answer = api.chat("ana", "one", talk(secret))["choices"][0]["message"]["content"]
    api.runtime.save_settings({"ltm_writes.enabled": True})
    api.chat("ana", "one", talk(secret, answer, HVAR))
    assert [row["user"] for row in api.get_history("ana", "one")] == [HVAR]


def test_message_said_again_later_is_stored_though_it_was_said_off_without_a_history(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(["All right.", "How lovely!", "Fine."])
    with OfflineAPI(tmp_path, settings=WORDS_ALONE, llm=llm) as api:
        api.runtime.save_settings({"ltm_writes.enabled": False})
        api.chat("ana", "one", talk("Good morning"))
        api.runtime.save_settings({"ltm_writes.enabled": True})
        api.chat("ana", "one", talk(HVAR))
        api.chat("ana", "one", talk("Good morning"))
        assert [row["assistant"] for row in api.get_history("ana", "one")] == [
            "How lovely!",
            "Fine.",
        ]


def test_message_said_off_without_a_history_stays_out_with_another_answer(tmp_path: Path) -> None:
    llm = ScriptedLLM(["How lovely!", "All right.", "Fine."])
    with OfflineAPI(tmp_path, settings=WORDS_ALONE, llm=llm) as api:
        api.chat("ana", "one", talk(HVAR))
        api.runtime.save_settings({"ltm_writes.enabled": False})
        api.chat("ana", "one", talk("Good morning"))
        api.runtime.save_settings({"ltm_writes.enabled": True})
        api.chat("ana", "one", talk("Good morning"))
        assert [row["assistant"] for row in api.get_history("ana", "one")] == ["How lovely!"]


@pytest.mark.parametrize("was_on", [True, False])
def test_message_counts_as_said_before_a_switch_during_its_answer(
    tmp_path: Path, was_on: bool
) -> None:
    def switch_and_answer(_: object) -> str:
        api.runtime.save_settings({"ltm_writes.enabled": not was_on})
        return "How lovely!"

    llm = ScriptedLLM(switch_and_answer)
    with OfflineAPI(tmp_path, settings=WORDS_ALONE, llm=llm) as api:
        api.runtime.save_settings({"ltm_writes.enabled": was_on})
        api.chat("ana", "one", talk(HVAR))
        api.runtime.save_settings({"ltm_writes.enabled": True})
        api.chat("ana", "one", talk(HVAR, "How lovely!", "And you?"))
        said = [row["user"] for row in api.get_history("ana", "one")]
    assert (HVAR in said) == was_on


def test_note_is_refused_while_remember_is_off(api: OfflineAPI) -> None:
    api.runtime.save_settings({"ltm_writes.enabled": False})
    with pytest.raises(ConfigError, match="switched off") as refused:
        api.remember("ana", "Ana is allergic to nuts")
    assert refused.value.key == "ltm_writes.enabled"
    assert not api.runtime.memory.namespaces()


@pytest.mark.parametrize("first", ["My PIN is 4711", "My PIN is 4711\n"])
def test_first_message_said_off_without_an_answer_stays_out_of_an_unnamed_chat(
    tmp_path: Path, first: str
) -> None:
    llm = ScriptedLLM([LLMUnavailable("gone"), "How lovely!", "All right."])
    with OfflineAPI(tmp_path, settings=WORDS_ALONE, llm=llm) as api:
        api.runtime.save_settings({"ltm_writes.enabled": False})
        with pytest.raises(LLMUnavailable):
            api.chat("ana", "", talk(first))
        api.runtime.save_settings({"ltm_writes.enabled": True})
        api.chat("ana", "", [*talk(first, "I see."), *talk(HVAR)])
        assert [row["user"] for row in api.get_history("ana")] == [HVAR]
        api.chat("ana", "", talk(first))
        assert {row["user"] for row in api.get_history("ana")} == {HVAR, first.strip()}


def test_message_said_off_stays_out_though_it_got_no_answer(tmp_path: Path) -> None:
    secret = "My PIN is 4711"
    llm = ScriptedLLM([LLMUnavailable("gone"), "How lovely!"])
    with OfflineAPI(tmp_path, settings=WORDS_ALONE, llm=llm) as api:
        api.runtime.save_settings({"ltm_writes.enabled": False})
        with pytest.raises(LLMUnavailable):
            api.chat("ana", "one", talk(secret))
        api.runtime.save_settings({"ltm_writes.enabled": True})
        api.chat("ana", "one", [*talk(secret), *talk(HVAR)])
        assert [row["user"] for row in api.get_history("ana", "one")] == [HVAR]


def test_history_keeps_the_times_of_its_messages(api: OfflineAPI) -> None:
    api.add_history("ana", "one", talk("Hi", "Hello", created_at="2025-03-04T05:06:07+00:00"))
    assert api.get_history("ana")[0]["ts"] == "2025-03-04T05:06:07+00:00"


def test_history_keeps_the_metadata_of_its_messages(api: OfflineAPI) -> None:
    api.add_history("ana", "one", talk("Hi", "Hello", metadata={"mood": "fine"}))
    assert api.get_history("ana")[0]["metadata"] == {"mood": "fine"}
    with pytest.raises(ConfigError, match=r"messages\[0\]\.metadata"):
        api.add_history("ana", "one", talk("Hi", "Hello", metadata="fine"))


def test_diary_has_one_page_for_each_day(api: OfflineAPI) -> None:
    first = api.write_diary("ana", "2026-01-30", "Rain.")
    assert api.write_diary("ana", date(2026, 1, 30), "Snow.") == first
    api.write_diary("ana", "2026-01-31", "Sun.")
    assert [(page["day"], page["text"]) for page in api.get_diary("ana")] == [
        ("2026-01-31", "Sun."),
        ("2026-01-30", "Snow."),
    ]
    assert [page["text"] for page in api.get_diary("ana", until="2026-01-30")] == ["Snow."]
    assert (api.delete_diary("ana", "2026-01-30"), api.delete_diary("ana", "2026-01-30")) == (
        True,
        False,
    )
    assert api.get_diary("ben") == []


def test_draft_of_a_page_is_not_stored(api: OfflineAPI) -> None:
    api.add_history("ana", "one", talk(HVAR, "How lovely!", created_at="2026-01-31T12:00:00"))
    draft = api.draft_diary("ana", "2026-01-31")
    assert draft["text"]
    assert api.get_diary("ana") == []


@pytest.mark.parametrize(("day", "text"), [("yesterday", "Rain."), ("2026-01-31", " ")])
def test_page_without_a_day_or_a_text_is_refused(api: OfflineAPI, day: str, text: str) -> None:
    with pytest.raises(ConfigError):
        api.write_diary("ana", day, text)


def test_history_that_the_guard_skips_has_no_id(tmp_path: Path, llm: ScriptedLLM) -> None:
    settings = {**WORDS_ALONE, "guard": {"cards": "skip"}}
    said = talk("My card is 4111 1111 1111 1111", "Hm", HVAR, "How lovely!")
    with OfflineAPI(tmp_path, settings=settings, llm=llm) as api:
        (kept,) = api.add_history("ana", "one", said)
        found = api.get_history("ana", "one")
    assert [(row["memory_id"], row["user"]) for row in found] == [(kept, HVAR)]


def test_chat_answers_in_openais_shape_with_the_memories_it_used(
    api: OfflineAPI, llm: ScriptedLLM
) -> None:
    (memory_id,) = api.add_history("ana", "one", talk(HVAR, "How lovely!"))
    answer = api.chat("ana", "two", [{"role": "user", "content": QUESTION}])
    assert answer["object"] == "chat.completion"
    assert answer["choices"][0]["message"]["content"] == f"You said: {QUESTION}"
    retrieved = answer["retrieved"]
    found = [*retrieved["replay"], *retrieved["summary_only"]]
    assert [row["memory_id"] for row in found] == [memory_id]
    assert "Hvar" in sent(llm)
    assert retrieved["stored"] is True
    json.dumps(answer)


def test_answer_names_the_lines_that_every_prompt_of_the_conversation_has(
    api: OfflineAPI, llm: ScriptedLLM
) -> None:
    api.add_history("ana", "one", talk(HVAR, "How lovely!", "I keep bees near Graz.", "Hm."))
    api.remember("ana", "Ana is allergic to nuts")
    retrieved = api.chat("ana", "two", "Where do I keep my bees?")["retrieved"]
    note, session = retrieved["always_in_prompt"]
    assert "allergic to nuts" in note
    assert "bees near Graz" in session
    assert note in sent(llm)
    assert session in sent(llm)
    assert (retrieved["replay"], retrieved["summary_only"]) == ([], [])


def test_chat_shows_the_last_exchanges_of_its_conversation(
    api: OfflineAPI, llm: ScriptedLLM
) -> None:
    api.chat("ana", "one", "The code word is heron")
    api.chat("ana", "one", "Thanks")
    assert llm.asked[-1][0].text == "The code word is heron"
    api.chat("ana", "one", "Thanks again", recent_turns=0)
    assert llm.asked[-1][0].text != "The code word is heron"


@pytest.mark.parametrize(
    ("user", "settings", "name"), [("ana", {"user_name": "Ana"}, "Ana"), ("api:ana", {}, "ana")]
)
def test_model_is_told_the_users_name_and_not_the_name_in_the_store(
    api: OfflineAPI, llm: ScriptedLLM, user: str, settings: MessageSettings, name: str
) -> None:
    """A user of the server is called `api:ana` in Python."""
    api.remember(user, "I am allergic to nuts")
    api.chat(user, "one", QUESTION, **settings)
    assert f"remembers of {name} from before" in sent(llm)


def test_incognito_message_is_not_stored(api: OfflineAPI) -> None:
    answer = api.chat("ana", "one", HVAR, incognito=True)
    assert answer["retrieved"]["stored"] is False
    assert api.get_sessions("ana") == []


def test_use_after_closing_is_refused_and_locks_nothing(tmp_path: Path, llm: ScriptedLLM) -> None:
    with OfflineAPI(tmp_path, settings=WORDS_ALONE, llm=llm) as closed:
        closed.remember("ana", HVAR)
    with pytest.raises(StorageFailed, match="closed"):
        closed.remember("ana", "I keep bees")
    assert closed.chat("ana", "one", QUESTION)["retrieved"]["stored"] is False
    with OfflineAPI(tmp_path, settings=WORDS_ALONE, llm=llm) as opened:
        assert opened.chat("ana", "one", QUESTION)["retrieved"]["stored"] is True


def test_users_never_see_each_others_memories(api: OfflineAPI, llm: ScriptedLLM) -> None:
    api.add_history("ana", "one", talk(HVAR, "How lovely!"))
    api.chat("ben", "one", QUESTION)
    assert "Hvar" not in sent(llm)
    assert api.search(QUESTION, "ben", limit=50)[0]["user_id"] == "ben"
    assert "Hvar" not in json.dumps(api.search(QUESTION, "ben", limit=50))
    assert api.get_history("ben", "one")[0]["user"] == QUESTION


def test_search_covers_several_users_and_a_window_of_days(api: OfflineAPI) -> None:
    api.add_history("ana", "a", talk("I keep bees", "Nice", created_at="2026-01-30T23:30:00+00:00"))
    api.add_history(
        "ben", "b", talk("I keep bees too", "Oh", created_at="2026-02-02T12:00:00+00:00")
    )
    found = api.search("who keeps bees?", ["ana", "ben", "nobody"])
    assert {row["user_id"] for row in found} == {"ana", "ben"}
    window = {"since": "2026-01-31", "until": "2026-01-31"}
    assert api.search("bees", ["ana", "ben"], **window, utc_offset_hours=0) == []  # type: ignore[arg-type]
    shifted = api.search("bees", ["ana", "ben"], **window, utc_offset_hours=1)  # type: ignore[arg-type]
    assert [row["user_id"] for row in shifted] == ["ana"]
    assert api.search("bees", "ana", kinds=["diary"]) == []


def test_looking_for_an_unknown_user_makes_no_folder(api: OfflineAPI) -> None:
    api.search("bees", "carla")
    api.get_sessions("carla")
    api.get_history("carla")
    assert api.runtime.memory.namespaces() == []


def test_sessions_are_listed_latest_first_and_by_channel(api: OfflineAPI) -> None:
    for day, name, channel in ((1, "a", "web"), (3, "b", "voice"), (2, "c", "web")):
        when = datetime(2026, 1, day, tzinfo=UTC).isoformat()
        api.add_history("ana", name, talk(f"day {day}", "ok", created_at=when), channel=channel)
    assert api.get_session_ids("ana") == ["b", "c", "a"]
    web = api.get_sessions("ana", channel="web", limit=1)
    assert [(row["session_id"], row["channel"], row["count"]) for row in web] == [("c", "web", 1)]
    assert [row["session_id"] for row in api.get_sessions("ana", until="2026-01-01")] == ["a"]


def test_history_is_forgotten_by_channel(api: OfflineAPI) -> None:
    api.add_history("ana", "a", talk("in the web", "ok"), channel="web")
    api.add_history("ana", "a", talk("by voice", "ok"), channel="voice")
    assert api.delete_history("ana", "a", channel="web") == 1
    assert [row["user"] for row in api.get_history("ana")] == ["by voice"]


def test_notes_are_remembered_and_forgotten(api: OfflineAPI, llm: ScriptedLLM) -> None:
    note = api.remember("ana", "Ana is allergic to nuts")
    api.chat("ana", "one", "Hello there")
    assert "allergic to nuts" in sent(llm)
    api.forget("ana", [note])
    api.chat("ana", "two", "Hello again")
    assert "allergic to nuts" not in sent(llm)
    api.forget("ana", api.remember("ana", "Ana likes tea"))  # a single id
    assert api.search("tea", "ana") == []


def test_answer_names_its_sources(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda _: '{"answer": "On Hvar.", "used": [1], "enough": true}')
    with OfflineAPI(tmp_path, settings=WORDS_ALONE, llm=llm) as api:
        (memory_id,) = api.add_history("ana", "one", talk(HVAR, "How lovely!"))
        found = api.answer("Where did we spend last summer?", "ana")
    assert (found["answer"], found["fault"]) == ("On Hvar.", "")
    assert [row["memory_id"] for row in found["used"]] == [memory_id]


@pytest.mark.parametrize(
    ("messages", "named"),
    [
        ([{"role": "user"}], r"messages\[0\]"),
        ("Hello", r"messages\[0\]"),
        ([*talk("a", "b"), {"content": "c"}], r"messages\[2\]"),
        (talk("a", "b", created_at="soon"), "created_at"),
    ],
)
def test_bad_history_is_refused_before_anything_is_stored(
    api: OfflineAPI, messages: Any, named: str
) -> None:
    with pytest.raises(ConfigError, match=named):
        api.add_history("ana", "one", messages)
    assert api.get_sessions("ana") == []


def test_bad_arguments_are_named(api: OfflineAPI) -> None:
    with pytest.raises(ConfigError, match="retrieve_k"):
        api.chat("ana", "one", "Hi", retrieve=3)  # type: ignore[call-arg]
    with pytest.raises(ConfigError, match="since, until"):
        api.search("bees", "ana", from_="2026")  # type: ignore[call-arg]
    with pytest.raises(ConfigError, match="2026-01-31"):
        api.search("bees", "ana", since="last week")
    with pytest.raises(ConfigError, match="earlier than until"):
        api.search("bees", "ana", since="2026-02-01", until="2026-01-31")
    with pytest.raises(ConfigError, match="exchange them"):
        api.get_diary("ana", since="2026-02-01", until="2026-01-31")
    with pytest.raises(ConfigError, match="diary"):
        api.search("bees", "ana", kinds=["diaries"])
    with pytest.raises(ConfigError, match="user"):
        api.chat("", "one", "Hi")
    with pytest.raises(ConfigError, match="note"):
        api.remember("ana", " ")


def test_model_that_offers_too_little_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="llm: object lacks name, complete, stream"):
        OfflineAPI(tmp_path / "new", llm=object())  # type: ignore[arg-type]
    assert not (tmp_path / "new").exists()


def test_user_that_is_no_text_is_refused_before_anything_is_stored(api: OfflineAPI) -> None:
    with pytest.raises(ConfigError, match="user must be a text, not int"):
        api.add_history(4711, "one", talk(HVAR, "How lovely!"))  # type: ignore[arg-type]
    assert api.runtime.problems() == []
