"""The card on a model that is not ready, and the list of problems beside it."""

from pathlib import Path

import pytest

from memory_core.admin.administration import Administration
from memory_core.domain.errors import EmbedderUnavailable
from memory_core.host.hooks import Hooks
from memory_core.memory.model_loading import WORDS_ALONE, try_embedder
from memory_core.memory.runtime import Runtime
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.text.locales import LANGUAGES, Words, tab_words
from memory_core.ui.tab.common import status
from memory_core.ui.tab.common.model_card import (
    RETRY,
    WORK_WITHOUT,
    ModelStage,
    ModelView,
    model_card_html,
    model_view,
)
from memory_core.ui.tab.settings import health
from memory_core.ui.tab.settings.model import try_current_model
from tests.cases import for_each
from tests.host.plain_host import PlainHost
from tests.loopback import says_json, serve
from tests.memory.test_model_loading import MakeRuntime, hanging_download  # noqa: F401

NAME = "hub/small-model"
NO_NETWORK = f"{NAME} could not be loaded: no route; check the network connection"
OUT_OF_REACH = ModelView(
    stage=ModelStage.FAILED,
    name=NAME,
    fault=NO_NETWORK,
    hub="mirror.example",
    download_mb=220,
    next_try_s=90.0,
)
EVERY_LANGUAGE = for_each("words", [*map(tab_words, LANGUAGES.values())])


@EVERY_LANGUAGE
def test_card_of_a_failed_download_names_hub_and_mirror(words: Words) -> None:
    html = model_card_html(OUT_OF_REACH, words, field_id="box")
    for named in ("mirror.example", NAME, "220", "HF_ENDPOINT"):
        assert named in html
    assert f'data-ltm="{RETRY}"' in html
    assert f'data-ltm="{WORK_WITHOUT}"' in html
    assert html.index("<h3>") < html.index("no route")  # raw errors are folded, at the end
    assert html.index("<details>") < html.index("no route")


def test_card_of_another_fault_gives_its_reason_and_no_advice_on_networks() -> None:
    view = ModelView(stage=ModelStage.FAILED, name=NAME, fault="it is <damaged>", hub="h")
    html = model_card_html(view, tab_words("en"), field_id="box")
    assert "it is &lt;damaged&gt;" in html
    assert "HF_ENDPOINT" not in html


def test_card_has_no_buttons_on_a_shared_page() -> None:
    assert "<button" not in model_card_html(OUT_OF_REACH, tab_words("en"), field_id="")


@for_each("stage", [ModelStage.READY, ModelStage.NONE])
def test_ready_or_switched_off_model_needs_no_card(stage: ModelStage) -> None:
    assert model_card_html(ModelView(stage=stage), tab_words("en"), field_id="box") == ""


def test_download_is_shown_from_the_start_with_its_hub(
    make_runtime: MakeRuntime,
    hanging_download: list[int],  # noqa: F811
) -> None:
    runtime: Runtime = make_runtime(embedder={"kind": "fastembed"})
    view = model_view(runtime, {"HF_ENDPOINT": "https://mirror.example/x"})
    assert (view.stage, view.hub, view.download_mb) == (ModelStage.LOADING, "mirror.example", 220)
    assert "mirror.example" in model_card_html(view, tab_words("en"), field_id="box")
    messages = runtime.model_loader.embedder_messages(runtime.memory.embedder)
    assert messages
    assert set(messages) <= set(runtime.problems())


def test_banner_does_not_repeat_the_card_about_an_unreachable_server(
    make_runtime: MakeRuntime, tmp_path: Path
) -> None:
    server = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}
    runtime: Runtime = make_runtime(embedder=server)
    assert runtime.memory.embedder is not None
    with pytest.raises(EmbedderUnavailable) as caught:
        runtime.memory.embedder.embed(["hello"])
    runtime.report("deriving", f"{WORDS_ALONE}: {caught.value} (tried again in 30 s)")
    assert model_view(runtime).stage is ModelStage.FAILED
    assert status.problems(Hooks(runtime, PlainHost(tmp_path)), tab_words("en")) == []


def test_health_does_not_claim_that_a_model_runs_before_it_is_there(
    make_runtime: MakeRuntime,
    hanging_download: list[int],  # noqa: F811
    tmp_path: Path,
) -> None:
    words, runtime = tab_words("en"), make_runtime(embedder={"kind": "fastembed"})
    assert embedder_row(runtime, tmp_path).endswith(words["health_not_ready"])


def embedder_row(runtime: Runtime, folder: Path) -> str:
    words, live = tab_words("en"), Administration(Hooks(runtime, PlainHost(folder)))
    return dict(health.rows(live, None, words))[words["health_embedder"]]


def test_trial_of_a_model_on_its_way_answers_at_once(
    make_runtime: MakeRuntime,
    hanging_download: list[int],  # noqa: F811
) -> None:
    runtime: Runtime = make_runtime(embedder={"kind": "fastembed"})
    words = tab_words("en")
    assert try_current_model(runtime, words) == words["model_state_loading"]  # no waiting


def test_no_model_is_no_stage_to_wait_for(make_runtime: MakeRuntime) -> None:
    runtime: Runtime = make_runtime(embedder={"kind": "none"})
    assert model_view(runtime).stage is ModelStage.NONE


def test_trial_shows_width_and_time() -> None:
    found = try_embedder(FakeEmbedder())
    assert found.dim == FakeEmbedder().dim
    assert found.ms >= 0


class Silent(FakeEmbedder):
    def prepare(self) -> None:
        raise EmbedderUnavailable("no answer")


def test_trial_of_a_model_that_cannot_be_loaded_raises() -> None:
    with pytest.raises(EmbedderUnavailable, match="no answer"):
        try_embedder(Silent())


@EVERY_LANGUAGE
def test_card_of_a_download_shows_its_progress(words: Words) -> None:
    view = ModelView(stage=ModelStage.LOADING, name=NAME, hub="h", download_mb=220, fetched_mb=57)
    html = model_card_html(view, words, field_id="box")
    assert 'max="220" value="57"' in html
    assert "57 MB" in html


def test_bar_only_moves_while_the_size_is_not_known_or_was_wrong() -> None:
    for fetched_mb, download_mb in ((0, 220), (57, 0), (230, 220)):
        view = ModelView(
            stage=ModelStage.LOADING, hub="h", download_mb=download_mb, fetched_mb=fetched_mb
        )
        html = model_card_html(view, tab_words("en"), field_id="box")
        assert "<progress" in html
        assert "value=" not in html


def test_failed_model_has_no_bar() -> None:
    assert "<progress" not in model_card_html(OUT_OF_REACH, tab_words("en"), field_id="box")


def test_server_is_called_untried_until_it_was_asked(
    make_runtime: MakeRuntime, tmp_path: Path
) -> None:
    untried = tab_words("en")["health_untried"]
    with serve(says_json({"data": [{"embedding": [1.0, 0.0]}]})) as server:
        settings = {"kind": "openai", "base_url": server.url, "model": "m"}
        runtime: Runtime = make_runtime(embedder=settings)
        assert model_view(runtime).state == "untried"
        assert untried in embedder_row(runtime, tmp_path)
        assert runtime.memory.embedder is not None
        runtime.memory.embedder.embed(["hello"])
        assert model_view(runtime).state == ModelStage.READY
        assert untried not in embedder_row(runtime, tmp_path)
