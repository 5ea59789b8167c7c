"""The demo's program: its samples, its own folder, its settings."""

import json
import shutil
from datetime import datetime
from pathlib import Path

from memory_core.admin.administration import destroy
from memory_core.domain.namespaces import Namespace
from memory_core.providers.embedders.built_in import BuiltInEmbedder
from memory_core.ui.demo import samples
from memory_core.ui.demo.program import Program
from memory_core.ui.demo.responder import MemoryResponder, ModelResponder

from .chatting import derive, say

MIRA, XIAOLAN = Namespace("Alex", "Mira"), Namespace("Alex", "小岚")


def exchanges(sample: dict[str, object]) -> int:
    talks = sample["conversations"]
    assert isinstance(talks, list)
    return sum(len(talk["exchanges"]) for talk in talks)


def test_the_samples_are_remembered_with_both_characters(program: Program) -> None:
    live = [program.runtime.memory.counts(space)["live"] for space in (MIRA, XIAOLAN)]
    assert live == [exchanges(dict(sample)) for sample in samples.read()]
    assert program.runtime.problems() == []


def test_the_samples_lie_in_the_past(program: Program) -> None:
    for name in program.characters:
        newest = program.session("Alex", name).conversations()[0]
        assert datetime.strptime(newest, "%Y%m%d-%H-%M-%S") < datetime.now()


def test_second_start_adds_nothing_and_restores_nothing_deleted(tmp_path: Path) -> None:
    first = Program(tmp_path, {})
    before = first.runtime.memory.counts(MIRA)
    destroy(first.hooks, XIAOLAN)
    first.runtime.close()
    second = Program(tmp_path, {})
    assert second.runtime.memory.counts(MIRA) == before
    assert second.runtime.memory.namespaces() == [MIRA]
    second.runtime.close()


def test_interrupted_first_start_is_completed_by_the_next(tmp_path: Path) -> None:
    half = tmp_path / "logs" / "%41lex" / "chat" / "%4dira.new"
    half.mkdir(parents=True)
    (half / "torn.json").write_text("{", encoding="utf-8")
    program = Program(tmp_path, {})
    assert not half.exists()
    assert "torn" not in program.session("Alex", "Mira").conversations()
    program.runtime.close()


def test_every_suggested_question_finds_its_answer(tmp_path: Path, demo_home: Path) -> None:
    shutil.copytree(demo_home, tmp_path, dirs_exist_ok=True)
    program = Program(tmp_path, {})
    assert isinstance(program.runtime.memory.embedder, BuiltInEmbedder)
    program.runtime.memory.embedder.prepare()
    answers = {
        "What is my cat called, and where did I find him?": "Biscuit",
        "Which nuts am I allergic to?": "hazelnuts",
        "Where did my sister and I stay on Skye?": "Puffin House",
        "Which musical instrument am I studying?": "cello",
        "我对什么水果过敏？": "芒果",
        "我们绕着洱海骑车住在哪家客栈？": "洱海",
        "妈妈的番茄牛腩怎么做？": "八角",
    }
    asked = {
        question: name
        for name, character in program.characters.items()
        for question in character.questions
    }
    assert asked.keys() == answers.keys()
    derive(program, MIRA)
    derive(program, XIAOLAN)
    for question, name in asked.items():
        session = program.session("Alex", name)
        for _ in session.send(question, program.responder(session)):
            pass
        assert answers[question] in session.history["internal"][-1][1], question
    program.runtime.close()


def test_another_user_shares_neither_chats_nor_memories(program: Program) -> None:
    session = program.session("Sam", "Mira")
    assert session.conversations() == []
    say(session, "What is my cat called?")
    assert "Biscuit" not in program.runtime.traces.latest()[0].injected_text


def test_names_that_look_like_paths_stay_below_the_folder(program: Program, tmp_path: Path) -> None:
    path = program.host.chat_path("../..", "..", "../../x")
    assert path.resolve().is_relative_to(tmp_path / "logs")


def test_demo_keeps_settings_and_memories_in_its_own_folder(
    program: Program, tmp_path: Path
) -> None:
    program.runtime.save_settings({"recall.lines": 3})
    assert json.loads((tmp_path / "ltm_config.json").read_bytes()) == {"recall": {"lines": 3}}
    assert program.runtime.memory.root == tmp_path / "memories"


def test_settings_of_an_earlier_demo_lose_its_model_and_keep_the_rest(tmp_path: Path) -> None:
    former = {"kind": "memory_core.ui.demo.shipped_vectors:ShippedVectors", "timeout_s": 9.0}
    path = tmp_path / "ltm_config.json"
    path.write_text(json.dumps({"recall": {"lines": 3}, "embedder": former}))
    program = Program(tmp_path, {})
    assert isinstance(program.runtime.memory.embedder, BuiltInEmbedder)
    assert program.runtime.settings.recall.lines == 3
    assert program.runtime.settings.embedder.timeout_s == 9.0
    program.runtime.close()


def test_settings_made_before_are_kept(tmp_path: Path) -> None:
    (tmp_path / "ltm_config.json").write_text(
        '{"recall": {"lines": 3}, "embedder": {"kind": "none"}}'
    )
    program = Program(tmp_path, {})
    assert program.runtime.settings.recall.lines == 3
    program.runtime.close()


def test_the_environment_brings_a_language_model_and_an_embedder(tmp_path: Path) -> None:
    address = "http://127.0.0.1:9/v1"
    program = Program(
        tmp_path, {"LLM_BASE_URL": address, "EMB_BASE_URL": address, "EMB_MODEL": "m"}
    )
    assert isinstance(program.responder(program.session("Alex", "Mira")), ModelResponder)
    assert program.runtime.memory.embedder is not None
    program.runtime.close()


def test_without_a_language_model_memories_answer(program: Program) -> None:
    assert isinstance(program.responder(program.session("Alex", "Mira")), MemoryResponder)
