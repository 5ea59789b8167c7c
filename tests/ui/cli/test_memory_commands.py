"""The commands that search, read, keep and forget single memories."""

import json
from pathlib import Path
from typing import Any

import pytest

from memory_core.domain.derivations import EXTRACTIVE, Derivation, Flag
from memory_core.domain.namespaces import Namespace
from memory_core.memory.derived_memories import DerivedMemories
from memory_core.server.library.offline_api import OfflineAPI
from memory_core.ui.cli.main import main
from tests.builders import DAY, NOW, SPACE, Clock, open_memory, said
from tests.memory.derived_scene import LISBON, PORTO, observe, remember
from tests.ui.cli.json_commands import run

ANA = ("ana", "Mira")
BEES = "I keep bees behind the house"
CELLO = "My cello is from Ghent"

pytestmark = pytest.mark.usefixtures("no_models")


@pytest.fixture
def storage(tmp_path: Path) -> str:
    memory = open_memory(tmp_path, clock=Clock(NOW))
    chat = [said(BEES, ts=NOW - 9 * DAY), said(CELLO, ts=NOW)]
    memory.reconcile(Namespace(*ANA), "a", chat, whole=True)
    memory.reconcile(Namespace("ben", "Mira"), "b", [said("My cello is blue")], whole=True)
    memory.close()
    return f"--storage={memory.root}"


def texts(rows: list[dict[str, Any]]) -> list[str]:
    return [row["user"] for row in rows]


def test_list_shows_the_newest_memory_first(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(capsys, "list", *ANA, storage)
    assert (texts(found["memories"]), found["total"]) == ([CELLO, BEES], 2)
    assert texts(run(capsys, "list", *ANA, storage, "--words", "bees")["memories"]) == [BEES]
    assert texts(run(capsys, "list", *ANA, storage, "--offset", "1")["memories"]) == [BEES]


def test_list_marks_outdated_facts_and_those_of_a_story(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = open_memory(tmp_path, clock=Clock(NOW))
    old, new = (observe(memory, f"{text}.", remember(memory, text)) for text in (PORTO, LISBON))
    DerivedMemories(memory).supersede(SPACE, old, new)
    tale = Derivation(made_by=EXTRACTIVE, flag=Flag.FICTION)
    observe(memory, "The dragon is tame.", remember(memory, "A dragon came"), derived=tale)
    memory.close()
    assert main(["list", SPACE.user, SPACE.character, f"--storage={memory.root}"]) == 0
    shown = capsys.readouterr().out
    assert f"observation until 2026-09-21  {PORTO}." in shown
    assert f"observation  {LISBON}." in shown
    assert "observation fiction  The dragon is tame." in shown


def test_list_refuses_a_negative_limit(storage: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", *ANA, storage, "--limit", "-1"]) == 2
    assert "--limit" in capsys.readouterr().err


def test_search_finds_the_memories_of_this_user_alone(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(capsys, "search", *ANA, "where is my cello from?", storage)
    assert texts(found["memories"])[0] == CELLO
    assert "blue" not in json.dumps(found)


def test_search_keeps_to_its_days(storage: str, capsys: pytest.CaptureFixture[str]) -> None:
    day = "2026-09-21"  # NOW
    found = run(capsys, "search", *ANA, "bees or cello?", storage, "--since", day, "--until", day)
    assert texts(found["memories"]) == [CELLO]


def test_search_explains_scores_and_what_was_left_out(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", *ANA, "where is my cello from?", storage, "--explain"]) == 0
    shown = capsys.readouterr().out
    assert "words " in shown
    found = run(capsys, "search", *ANA, "where is my cello from?", storage, "--explain")
    assert all(row["score"] > 0 for row in found["memories"])
    assert "left_out" in found


def test_search_refuses_a_day_that_is_no_date(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["search", *ANA, "bees", storage, "--since", "yesterday"])
    assert "2026-01-31" in capsys.readouterr().err


def test_show_prints_all_fields_of_one_memory(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = run(capsys, "list", *ANA, storage)["memories"][0]
    found = run(capsys, "show", *ANA, wanted["id"], storage)
    assert (found["user"], found["status"], found["conversation"]) == (CELLO, "live", "a")


@pytest.mark.parametrize("command", ["show", "forget"])
def test_unknown_id_is_refused_with_the_way_to_find_one(
    storage: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, *ANA, "0123", storage]) == 2
    assert "`list` shows the ids" in capsys.readouterr().err


def test_forgotten_memory_is_not_listed_until_it_is_restored(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    memory_id = run(capsys, "list", *ANA, storage)["memories"][0]["id"]
    assert run(capsys, "forget", *ANA, memory_id, storage) == {"forgotten": [memory_id]}
    assert texts(run(capsys, "list", *ANA, storage)["memories"]) == [BEES]
    assert texts(run(capsys, "list", *ANA, storage, "--forgotten")["memories"]) == [CELLO]
    run(capsys, "forget", *ANA, memory_id, "--undo", storage)
    assert texts(run(capsys, "list", *ANA, storage)["memories"]) == [CELLO, BEES]


def test_nothing_is_forgotten_when_one_of_the_ids_is_wrong(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    memory_id = run(capsys, "list", *ANA, storage)["memories"][0]["id"]
    assert main(["forget", *ANA, memory_id, "0123", storage]) == 2
    capsys.readouterr()
    assert run(capsys, "list", *ANA, storage)["total"] == 2


def test_note_is_kept_for_a_character_without_memories(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = run(capsys, "remember", "ana", "Tom", "Ana is vegan.", storage)
    found = run(capsys, "list", "ana", "Tom", storage)["memories"]
    assert [(row["id"], row["text"], row["kind"]) for row in found] == [
        (kept["id"], "Ana is vegan.", "knowledge")
    ]
    assert main(["remember", "ana", "Tom", "  ", storage]) == 2


def test_note_is_refused_while_remember_is_off(
    storage: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LTM_LTM_WRITES__ENABLED", "false")
    assert main(["remember", "ana", "Tom", "Ana is vegan.", storage]) == 2
    assert "ltm_writes.enabled" in capsys.readouterr().err
    assert main(["list", "ana", "Tom", storage]) == 2


def test_note_for_a_name_in_another_case_is_refused(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["remember", "Ana", "Mira", "Ana is vegan.", storage]) == 2
    assert "there is ana / Mira: write it so" in capsys.readouterr().err
    assert main(["list", "Ana", "Mira", storage]) == 2


def test_answer_without_a_model_shows_the_memories_and_says_so(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(capsys, "answer", *ANA, "where is my cello from?", storage, code=1)
    assert (found["answer"], texts(found["sources"])[0]) == ("", CELLO)
    assert "llm.base_url" in found["fault"]
    assert main(["answer", *ANA, "where is my cello from?", storage]) == 1
    assert "the memories that fit:" in capsys.readouterr().out


def test_folder_of_the_python_api_can_be_named_as_storage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "api"
    with OfflineAPI(home, character="Mira", settings={"embedder.kind": "none"}) as api:
        api.remember("ana", "Ana plays the piano")
    for folder in (home, home / "memories"):
        (found,) = run(capsys, "list", *ANA, f"--storage={folder}")["memories"]
        assert found["text"] == "Ana plays the piano"
    assert [path.name for path in (home / "memories" / "ana").iterdir()] == ["%4dira"]
