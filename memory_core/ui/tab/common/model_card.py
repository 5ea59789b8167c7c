"""A card on the model that finds memories by meaning, while it is not ready."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from ....memory.model_loading import WORDS_ALONE
from ....memory.runtime import Runtime
from ....text.locales import Words
from ....text.problem_text import problem_text
from .actions import button_html
from .markup import escaped, progress_bar

RETRY, WORK_WITHOUT = "retry_model", "work_without"
_HUB = "https://huggingface.co"


class ModelStage(StrEnum):
    """The stage of the embedder: switched off, being loaded, failed, or ready."""

    NONE = "none"
    LOADING = "loading"
    FAILED = "failed"
    READY = "ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelView:
    """The state of the embedder. `hub` is the server of a download; empty if none is needed.

    `fetched_mb` is how much of it has arrived so far. `is_untried`: its server was never asked.
    """

    stage: ModelStage
    name: str = ""
    fault: str = ""
    hub: str = ""
    download_mb: int = 0
    fetched_mb: int = 0
    next_try_s: float = 0.0
    is_untried: bool = False

    @property
    def state(self) -> str:
        """Returns the stage for people: a server that was never asked is not called ready."""
        is_claimed = self.stage is ModelStage.READY and self.is_untried
        return "untried" if is_claimed else self.stage

    @property
    def is_out_of_reach(self) -> bool:
        """Returns True if the download failed, not the model itself."""
        return self.stage is ModelStage.FAILED and bool(self.hub) and "network" in self.fault


def model_view(runtime: Runtime, environ: Mapping[str, str] = os.environ) -> ModelView:
    """Returns the current state of the embedder."""
    embedder = runtime.memory.embedder
    if embedder is None:
        return ModelView(stage=ModelStage.NONE)
    state = runtime.model_loader.state("embedder", embedder)
    paused = str(getattr(embedder, "fault", ""))  # of a server that did not answer
    return ModelView(
        stage=ModelStage.FAILED if paused else ModelStage[state.stage.name],
        name=embedder.name,
        fault=paused or state.fault.removeprefix(f"{WORDS_ALONE}: "),
        hub=_hub(environ) if getattr(embedder, "needs_download", False) else "",
        download_mb=getattr(embedder, "download_mb", 0),
        fetched_mb=_fetched_mb(embedder),
        next_try_s=state.next_try_s,
        is_untried=getattr(embedder, "is_untried", False),
    )


def _fetched_mb(embedder: object) -> int:
    count = getattr(embedder, "fetched_bytes", None)
    return round(count() / 1_000_000) if count else 0


def _hub(environ: Mapping[str, str]) -> str:
    """Returns the host of the model hub, which HF_ENDPOINT may name."""
    return urlsplit(environ.get("HF_ENDPOINT") or _HUB).hostname or _HUB


def model_card_html(view: ModelView, words: Words, *, field_id: str) -> str:
    """Returns the card, or nothing if the model is ready or switched off.

    Without `field_id` the card has no buttons.
    """
    if view.stage in (ModelStage.READY, ModelStage.NONE):
        return ""
    title, *lines = (
        words[f"model_{view.stage}"],
        _description(view, words),
        words["model_meanwhile"],
    )
    text = "".join(f"<p>{escaped(line)}</p>" for line in lines)
    buttons = _buttons(view, words, field_id) if field_id else ""
    return (
        f'<section class="ltm-card ltm-model-card" role="status"><h3>{escaped(title)}</h3>'
        f"{text}{_progress(view, words)}{buttons}{_manual_advice(view, words)}</section>"
    )


def _description(view: ModelView, words: Words) -> str:
    size = words("model_size", size=view.download_mb) if view.download_mb else ""
    if view.stage is ModelStage.LOADING:
        key = "model_fetching" if view.hub else "model_opening"
        return words(key, name=view.name, hub=view.hub, size=size)
    if view.is_out_of_reach:
        return words("model_unreachable", hub=view.hub, size=size)
    return words("model_fault", name=view.name, reason=problem_text(view.fault, words))


def _progress(view: ModelView, words: Words) -> str:
    """Returns a bar that fills as far as the download is known, or moves if that is not known."""
    if view.stage is not ModelStage.LOADING:
        return ""
    is_known = 0 < view.fetched_mb < view.download_mb
    bar = progress_bar(
        words["model_progress"], view.fetched_mb, view.download_mb if is_known else 0
    )
    said = words("model_fetched", count=view.fetched_mb) if view.hub and view.fetched_mb else ""
    return f'<p class="ltm-model-progress" data-ltm-polled>{bar} <span>{escaped(said)}</span></p>'


def _buttons(view: ModelView, words: Words, field_id: str) -> str:
    is_download = view.stage is ModelStage.LOADING and view.hub
    label = "model_stop_download" if is_download else "model_work_without"
    found = [button_html(field_id, WORK_WITHOUT, words[label])]
    if view.stage is ModelStage.FAILED:
        found.insert(0, button_html(field_id, RETRY, words["model_retry"]))
    return f'<p class="ltm-row">{"".join(found)}</p>'


def _manual_advice(view: ModelView, words: Words) -> str:
    """Returns folded advice for a machine that cannot reach the hub."""
    if not view.is_out_of_reach:
        return ""
    named = words("label_and_value", label=words["embedder"], value=view.name)
    advice = [words["model_mirror"]]
    if view.next_try_s:
        advice.append(words("model_next_try", minutes=f"{1 + view.next_try_s // 60:.0f}"))
    texts = "".join(f"<p>{escaped(text)}</p>" for text in advice)
    details = f"<p>{escaped(named)}</p><p><code>{escaped(view.fault)}</code></p>"
    return f"<details><summary>{escaped(words['model_help'])}</summary>{texts}{details}</details>"
