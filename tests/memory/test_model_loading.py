"""Models are loaded in the background, retried at growing intervals, and reported once."""

import logging
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_core.domain.errors import EmbedderNotReady, EmbedderUnavailable
from memory_core.infra.library_logs import quiet_libraries
from memory_core.memory.model_loading import ModelLoader
from memory_core.memory.runtime import Runtime
from memory_core.providers.embedders.fastembed import FastEmbedEmbedder
from memory_core.providers.embedders.local_model import LoadedModel
from memory_core.providers.embedders.sentence_transformers import SentenceTransformersEmbedder
from tests.builders import SPACE, Clock, said
from tests.cases import for_each

MakeRuntime = Callable[..., Runtime]


class Model:
    """A model that is ready once `go` is set, or fails with `fault`."""

    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        self.tried = 0
        self.go = threading.Event()
        self.go.set()

    def prepare(self) -> None:
        self.tried += 1
        self.go.wait(30)
        if self.fault:
            raise EmbedderUnavailable(f"{self.fault} ({self.tried})")


class Told:
    """Records the loader's reports, with a clock turned by hand."""

    def __init__(self) -> None:
        self.problems: dict[str, str] = {}
        self.said: list[str] = []
        self.ended = threading.Event()
        self.clock = Clock()
        self.loader = ModelLoader(self.report, self.clear, ended=self.ended.set, clock=self.clock)

    def report(self, part: str, problem: str) -> None:
        self.problems[part] = problem
        self.said.append(problem)

    def clear(self, part: str) -> None:
        self.problems.pop(part, None)

    def load(self, model: object) -> bool:
        return self.loader.load("embedder", model, "words alone", waits=True)


@pytest.fixture
def told() -> Told:
    return Told()


def test_pauses_between_attempts_double_up_to_five_minutes(told: Told) -> None:
    model = Model("no network")
    told.load(model)
    pauses = []
    for _ in range(6):
        tried, since = model.tried, told.clock.now
        while model.tried == tried:
            told.clock.now += 1
            told.load(model)
        pauses.append(told.clock.now - since)
    assert pauses == [30, 60, 120, 240, 300, 300]


def test_problem_keeps_its_first_words_until_the_model_is_loaded(told: Told) -> None:
    model = Model("no network")
    told.load(model)
    told.clock.now += 31
    told.load(model)
    assert (model.tried, set(told.said)) == (2, {"words alone: no network (1)"})
    model.fault = ""
    told.clock.now += 61
    assert told.load(model)
    assert told.problems == {}
    assert not told.load(model)
    assert model.tried == 3


def test_load_does_not_wait_for_an_attempt_that_runs(told: Told) -> None:
    model = Model()
    model.go.clear()
    assert not told.loader.load("embedder", model, "words alone")
    assert not told.loader.load("embedder", model, "words alone")
    model.go.set()
    assert told.ended.wait(30)
    assert told.load(model)
    assert model.tried == 1


def test_another_model_is_loaded_at_once_and_the_old_attempt_is_not_reported(
    told: Told,
) -> None:
    former, other = Model("too late"), Model()
    former.go.clear()
    told.loader.load("embedder", former, "words alone")
    assert told.load(other)
    former.go.set()
    told.load(other)
    assert told.said == []


def test_model_without_prepare_is_ready_at_once(told: Told) -> None:
    told.report("embedder", "of the model before")
    assert not told.load(None)
    assert told.problems == {}


def test_libraries_are_quiet_while_models_are_loaded_and_as_before_afterwards(
    caplog: pytest.LogCaptureFixture,
) -> None:
    library = logging.getLogger("huggingface_hub.utils")
    with quiet_libraries():
        with quiet_libraries():
            library.error("one")
        library.error("two")
    library.error("three")
    assert caplog.messages == ["three"]


@pytest.fixture
def hanging_download(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Replaces the download by one that lasts until the test ends; the list counts attempts."""
    begun, ends = list[int](), threading.Event()

    def load(_: FastEmbedEmbedder) -> LoadedModel:
        begun.append(1)
        ends.wait(60)
        raise OSError("the test is over")

    monkeypatch.setattr(FastEmbedEmbedder, "_load", load)
    monkeypatch.setattr(FastEmbedEmbedder, "_fetch_arguments", lambda _: ())
    yield begun
    ends.set()


def test_download_of_a_model_that_is_chosen_no_more_is_stopped() -> None:
    told, stopped = Told(), list[str]()
    old, new = Model("no route"), Model()
    old.cancel = lambda: stopped.append("old")  # type: ignore[attr-defined]
    new.cancel = lambda: stopped.append("new")  # type: ignore[attr-defined]
    told.load(old)
    assert told.load(new)
    assert stopped == ["old"]
    told.loader.cancel_all()
    assert stopped == ["old", "new"]


def _comes_true(is_so: Callable[[], bool]) -> bool:
    """Checks repeatedly, for a generous time."""
    end, pause = time.monotonic() + 30, threading.Event()
    while not is_so() and time.monotonic() < end:
        pause.wait(0.01)
    return is_so()


@pytest.mark.slow
def test_download_that_hangs_holds_up_neither_erasing_nor_a_change_of_settings(
    make_runtime: MakeRuntime, hanging_download: list[int], caplog: pytest.LogCaptureFixture
) -> None:
    runtime = make_runtime(embedder={"kind": "fastembed"}, ltm_writes={"undo_forget_s": 0})
    runtime.start()
    memory_id = runtime.memory.remember(SPACE, "chat", said("My dog is called Bello"))
    runtime.schedule(SPACE)
    waiting = "recall goes on by words alone: the embedding model is being fetched (220 MB)"
    assert _comes_true(lambda: any(problem.startswith(waiting) for problem in runtime.problems()))
    assert _comes_true(lambda: hanging_download == [1])
    runtime.forget(SPACE, [memory_id])
    assert _comes_true(lambda: not runtime.memory.forgotten(SPACE))
    runtime.save_settings({"embedder.kind": "none"})
    assert _comes_true(lambda: runtime.problems() == [])
    assert hanging_download == [1]
    assert caplog.messages == []


@for_each("model", ["/models/minilm", "./minilm", "~/minilm", "C:\\models\\minilm", "a/b/c"])
def test_folder_of_a_model_is_not_said_to_be_fetched(model: str) -> None:
    embedder = SentenceTransformersEmbedder(model=model)
    with pytest.raises(EmbedderNotReady, match=f"{re.escape(model)} is being loaded"):
        embedder.embed(["a"])


def test_folder_that_is_there_is_not_said_to_be_fetched_whatever_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("minilm").mkdir()
    with pytest.raises(EmbedderNotReady, match="minilm is being loaded"):
        SentenceTransformersEmbedder(model="minilm").embed(["a"])


def test_name_on_the_hub_is_said_to_be_fetched() -> None:
    with pytest.raises(EmbedderNotReady, match="is being fetched: intfloat/e5-small"):
        SentenceTransformersEmbedder(model="intfloat/e5-small").embed(["a"])
