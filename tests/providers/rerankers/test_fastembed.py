"""A cross-encoder in this process is loaded by prepare() and fails clearly before that."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.domain.errors import RerankerNotReady, RerankerUnavailable
from memory_core.providers.rerankers.fastembed import CrossEncoderReranker
from tests.cases import for_each
from tests.in_time import within
from tests.loopback import says, serve
from tests.providers.rerankers.shared_words import VOCABULARY
from tests.providers.rerankers.tiny_cross_encoder import write_tiny_cross_encoder

PROJECT = Path(__file__).resolve().parents[3]
Score = Callable[[str, list[str]], list[float]]


@pytest.fixture
def tiny(tmp_path: Path) -> CrossEncoderReranker:
    write_tiny_cross_encoder(tmp_path, words=VOCABULARY)
    return CrossEncoderReranker(cache_dir=tmp_path, allow_download=False, model_dir=tmp_path)


class Own(CrossEncoderReranker):
    """A model that scores with the test's function. Loading raises `fault` if it is set."""

    def __init__(self, score: Score) -> None:
        super().__init__(cache_dir=Path(), model="own")
        self.own = score
        self.fault: Exception | None = None
        self.loads = 0

    def _load(self) -> Score:
        self.loads += 1
        if self.fault:
            raise self.fault
        return lambda query, texts: self.own(query, texts)


def _all_one(query: str, texts: list[str]) -> list[float]:
    return [1.0 for _ in texts]


def test_scores_before_prepare_report_the_download(tmp_path: Path) -> None:
    reranker = CrossEncoderReranker(cache_dir=tmp_path)
    with pytest.raises(RerankerNotReady, match=r"ms-marco-MiniLM-L-6-v2 is being fetched"):
        reranker.scores("a", ["a"], timeout_s=1)
    assert "fetched" not in str(_not_ready(CrossEncoderReranker(cache_dir=tmp_path,
                                                                allow_download=False)))  # fmt: skip


def _not_ready(reranker: CrossEncoderReranker) -> RerankerNotReady:
    with pytest.raises(RerankerNotReady) as caught:
        reranker.scores("a", ["a"], timeout_s=1)
    return caught.value


def test_no_message_waits_while_another_thread_loads_the_model() -> None:
    reranker, go_on, began = Own(_all_one), threading.Event(), threading.Event()

    def slow_to_load(query: str, texts: list[str]) -> list[float]:
        began.set()
        go_on.wait(60)
        return [1.0]

    reranker.own = slow_to_load
    thread = threading.Thread(target=reranker.prepare)
    thread.start()
    began.wait(20)
    with within(20):
        _not_ready(reranker)
    go_on.set()
    thread.join()
    assert reranker.scores("a", ["a"], timeout_s=1) == {0: 1.0}


def test_fastembed_lists_the_default_model() -> None:
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    known = {each["model"] for each in TextCrossEncoder.list_supported_models()}
    assert CrossEncoderReranker(cache_dir=Path()).name in known


def test_a_forbidden_download_without_a_cache_names_the_setting(
    tmp_path: Path,
) -> None:
    reranker = CrossEncoderReranker(cache_dir=tmp_path, allow_download=False)
    with pytest.raises(RerankerUnavailable, match=r"reranker\.allow_download"):
        reranker.prepare()
    assert "reranker.allow_download" in str(_not_ready(reranker))


_PREPARE = """
import sys, pathlib
from memory_core.domain.errors import RerankerUnavailable
from memory_core.providers.rerankers.fastembed import CrossEncoderReranker
try:
    CrossEncoderReranker(cache_dir=pathlib.Path(sys.argv[1]), allow_download=False).prepare()
except RerankerUnavailable:
    sys.exit(3)
"""


def test_a_forbidden_download_sends_no_request(tmp_path: Path) -> None:
    with serve(says("", status=503)) as hub:
        # In a process of its own, because the address of the hub is read at import.
        environ = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        done = subprocess.run(
            [sys.executable, "-c", _PREPARE, str(tmp_path)],
            env=environ | {"HF_ENDPOINT": hub.url.removesuffix("/v1"), "HOME": str(tmp_path)},
            cwd=PROJECT, capture_output=True, check=False, timeout=60,
        )  # fmt: skip
        assert (done.returncode, hub.asked) == (3, [])


def test_a_model_unknown_to_fastembed_is_reported(tmp_path: Path) -> None:
    for allow_download in (True, False):
        reranker = CrossEncoderReranker(
            cache_dir=tmp_path, model="nobody/nothing", allow_download=allow_download
        )
        with pytest.raises(RerankerUnavailable, match=r"change reranker\.model$") as found:
            reranker.prepare()
        assert not any(word in str(found.value) for word in ("network", "fetch"))


def test_a_damaged_model_is_reported(tiny: CrossEncoderReranker, tmp_path: Path) -> None:
    (tmp_path / "onnx" / "model.onnx").write_bytes(b"\x00")
    with pytest.raises(RerankerUnavailable, match="could not be loaded"):
        tiny.prepare()


def test_a_missing_package_is_reported_with_its_name(
    tiny: CrossEncoderReranker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastembed.rerank.cross_encoder", None)
    with pytest.raises(RerankerUnavailable, match="pip install fastembed"):
        tiny.prepare()


def test_prepare_loads_once_and_can_be_tried_again_after_a_failure() -> None:
    reranker = Own(_all_one)
    reranker.fault = OSError("no route to host")
    with pytest.raises(RerankerUnavailable, match="no route to host"):
        reranker.prepare()
    assert "no route to host" in str(_not_ready(reranker))
    reranker.fault = None
    reranker.prepare()
    reranker.prepare()
    assert reranker.loads == 2
    assert reranker.scores("a", ["a", "b"], timeout_s=1) == {0: 1.0, 1: 1.0}


@for_each(
    "score",
    [lambda q, t: [1.0] * (len(t) - 1), lambda q, t: [float("nan")] * len(t), lambda q, t: [t[9]]],
    ids=["one too few", "not a number", "raises"],
)
def test_bad_results_and_errors_of_a_loaded_model_become_clear_faults(score: Score) -> None:
    reranker = Own(_all_one)
    reranker.prepare()
    reranker.own = score
    with pytest.raises(RerankerUnavailable, match="own failed"):
        reranker.scores("a", ["a", "b"], timeout_s=1)


def test_a_slow_model_times_out_and_stops_working_soon() -> None:
    reranker, asked = Own(_all_one), []
    reranker.prepare()
    stopped, go_on = threading.Event(), threading.Event()

    def slow(query: str, texts: list[str]) -> list[float]:
        asked.extend(texts)
        go_on.wait(60)
        stopped.set()
        return [1.0 for _ in texts]

    reranker.own = slow
    late = pytest.raises(RerankerUnavailable, match=r"longer than 0\.2 s.*reranker\.candidates")
    with within(20), late:
        reranker.scores("a", ["a"] * 50, timeout_s=0.2)
    go_on.set()
    assert stopped.wait(20)
    assert len(asked) < 10
