"""The command `consolidate`: does what is due, says what it cost, and refuses plainly."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.consolidation.runner import MOST_FAILED_IN_A_ROW
from memory_core.domain.namespaces import Namespace
from memory_core.ui.cli.main import main
from tests.builders import SPACE, open_memory, said
from tests.consolidation.scenes import texts
from tests.consolidation.servers import answers, summarises, summarises_sessions
from tests.loopback import Answer, Asked, Loopback, serve

LEO = Namespace("ana", "leo")


@pytest.fixture
def storage(tmp_path: Path) -> str:
    memory = open_memory(tmp_path)
    for space in (SPACE, LEO):
        for number in range(3):
            text = f"This is my story number {number}. {'It is rather long. ' * 12}"
            memory.remember(space, "talk", said(text))
    memory.remember(LEO, "talk", said("Hi"))
    memory.close()
    return f"--storage={memory.root}"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    with serve(summarises) as running:
        use(monkeypatch, running.url)
        yield running


def use(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("LTM_LLM__BASE_URL", url)
    monkeypatch.setenv("LTM_LLM__MODEL", "m")
    monkeypatch.setenv("LTM_LLM__RETRIES", "0")
    monkeypatch.setenv("LTM_CONSOLIDATION__AUDIT_LOG", "false")
    monkeypatch.setenv("LTM_CONSOLIDATION__WORKERS", "exchange_summary")


def result(capsys: pytest.CaptureFixture[str]) -> list[dict]:
    return json.loads(capsys.readouterr().out)["namespaces"]


@pytest.mark.usefixtures("server")
def test_consolidate_runs_due_jobs_of_all_characters_and_counts_tokens(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["consolidate", storage, "--json"]) == 0
    found = result(capsys)
    assert [(one["done"], one["failed"]) for one in found] == [(3, 0), (3, 0)]
    usage = found[0]["usage"]["exchange_summary"]
    assert (usage["calls"], usage["prompt_tokens"], usage["completion_tokens"]) == (3, 300, 21)
    memory = open_memory(tmp_path)
    assert texts(memory) == {f"Ana told story {number}." for number in range(3)}
    memory.close()
    assert main(["consolidate", storage, "--json"]) == 0
    assert [one["done"] for one in result(capsys)] == [0, 0]


@pytest.mark.usefixtures("server")
def test_consolidate_describes_its_results_in_words(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["consolidate", "ana", "mira", storage, "--limit=2"]) == 0
    shown = capsys.readouterr()
    assert "3 jobs due" in shown.err
    assert "done 2, failed 0, still due 1" in shown.out
    assert "exchange_summary: 2 calls, 200 tokens read, 14 written" in shown.out
    assert main(["consolidate", "ana", "leo", storage]) == 0
    assert "done 3, failed 0, nothing to do in 1" in capsys.readouterr().out


def test_failed_jobs_are_reported_with_the_reason_and_retried_on_demand(
    storage: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve(answers("I am a teapot")) as broken:
        use(monkeypatch, broken.url)
        assert main(["consolidate", "ana", "mira", storage]) == 1
    assert "put off 3" in (shown := capsys.readouterr().out)
    assert 'no JSON object with "summary"' in shown
    with serve(summarises) as working:
        use(monkeypatch, working.url)
        assert main(["consolidate", "ana", "mira", storage]) == 0
        assert "done 0" in capsys.readouterr().out
        assert main(["consolidate", "ana", "mira", storage, "--retry"]) == 0
    assert "done 3" in capsys.readouterr().out


def test_consolidate_names_a_server_that_is_down(
    storage: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve(summarises) as gone:
        pass
    use(monkeypatch, gone.url)
    assert main(["consolidate", storage]) == 1
    assert f"{gone.url} cannot be reached" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("variable", "value", "fault"),
    [
        ("LTM_LLM__KIND", "none", "llm.kind"),
        ("LTM_LLM__KIND", "host", "does not run inside text-generation-webui"),
        ("LTM_LLM__BASE_URL", "", "set llm.base_url"),
        ("LTM_CONSOLIDATION__WORKERS", "summaries", "'summaries' is no worker"),
    ],
)
@pytest.mark.usefixtures("server")
def test_consolidate_refuses_to_run_without_a_model_or_with_a_wrong_worker(
    storage: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    variable: str,
    value: str,
    fault: str,
) -> None:
    monkeypatch.setenv(variable, value)
    assert main(["consolidate", storage]) == 2
    assert fault in capsys.readouterr().err


@pytest.mark.usefixtures("server")
def test_consolidate_refuses_to_run_while_another_program_writes(
    storage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = open_memory(tmp_path)
    memory.remember(SPACE, "talk", said("Hello"))
    assert main(["consolidate", storage]) == 1
    assert "another program writes" in capsys.readouterr().err
    memory.close()


@pytest.mark.usefixtures("server")
def test_doctor_knows_the_queue_of_consolidate(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["consolidate", storage])
    capsys.readouterr()
    assert main(["doctor", storage]) == 0
    assert "jobs.sqlite" not in capsys.readouterr().out


def test_summaries_of_sessions_are_made_again_on_demand(
    storage: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve(summarises_sessions) as server:
        use(monkeypatch, server.url)
        monkeypatch.setenv("LTM_CONSOLIDATION__WORKERS", "session_summary")
        again = ["consolidate", storage, "--overwrite", "--max-count=5", "--json"]
        for command in (["consolidate", storage, "--json"], again, again):
            assert main(command) == 0
            assert [one["done"] for one in result(capsys)] == [1, 1]
        assert len(server.asked) == 6


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--max-count=5"], "--max-count needs --overwrite"),
        (["--overwrite"], "does not name session_summary"),
    ],
)
@pytest.mark.usefixtures("server")
def test_consolidate_refuses_to_overwrite_what_it_cannot(
    storage: str, capsys: pytest.CaptureFixture[str], arguments: list[str], fault: str
) -> None:
    assert main(["consolidate", storage, *arguments]) == 2
    assert fault in capsys.readouterr().err


@pytest.mark.usefixtures("server")
def test_consolidate_refuses_a_wrong_number_of_sessions(
    storage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["consolidate", storage, "--overwrite", "--max-count=0"])
    assert "0 is no number of sessions" in capsys.readouterr().err


def test_consolidate_stops_if_no_answer_can_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = open_memory(tmp_path)
    for number in range(MOST_FAILED_IN_A_ROW + 3):
        memory.remember(SPACE, "talk", said(f"Story {number}. {'It is rather long. ' * 12}"))
    memory.close()
    with serve(answers("I am a teapot")) as broken:
        use(monkeypatch, broken.url)
        assert main(["consolidate", f"--storage={memory.root}"]) == 1
    shown = capsys.readouterr()
    assert "stopped after 10 failed jobs in a row: the model may be too small" in shown.err
    assert "20 of 20 answers could not be used" in shown.out
    assert "still due 3" in shown.out


def test_consolidate_runs_jobs_that_its_own_results_make_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = open_memory(tmp_path)
    for town in ("Porto", "Lisbon"):
        memory.remember(SPACE, "talk", said(f"I live in {town}, near the old station."))
    memory.close()
    with serve(moves) as server:
        use(monkeypatch, server.url)
        monkeypatch.setenv("LTM_CONSOLIDATION__WORKERS", "observations,contradictions")
        assert main(["consolidate", f"--storage={memory.root}", "--json"]) == 0
    (found,) = result(capsys)
    assert found["usage"]["contradictions"]["calls"] >= 1
    assert found["waiting"]["due"] == 0


def moves(asked: Asked) -> Answer:
    """Takes the home from an exchange, and finds that nothing contradicts."""
    last = asked.body["messages"][-1]["content"]
    if "KNOWN:" in last:
        return answers(json.dumps({"repeats": [], "replaces": [], "denies": [], "unsure": []}))
    town = "Lisbon" if "Lisbon" in last.rpartition("exchange is of")[2] else "Porto"
    fact = {"text": f"Ana lives in {town}.", "about": "Ana", "key": "home", "value": town}
    return answers(json.dumps({"facts": [{**fact, "status": "fact", "when": ""}]}))
