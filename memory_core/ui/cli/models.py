"""The command `models`: lists the configured models, and tries whether they answer."""

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...config.schema import Settings
from ...domain.errors import OutsideServiceError
from ...domain.records import Role, Turn
from ...memory.factories import Models
from ...memory.model_loading import try_embedder
from . import common
from .common import Commands, Terminal, add_command
from .rich_output import Rows

_HELLO = (Turn(role=Role.USER, text="Reply with the word OK."),)
_TOKENS, _TIMEOUT_S = 256, 60.0
_NOT_CONFIGURED = "not configured"


def add_models_command(commands: Commands) -> None:
    add_command(
        commands,
        "models",
        "Show which models are configured, and whether they answer.",
        _run,
        description="Show the embedding model, the reranker and the language model that the "
        "settings name, and ask each for a short answer. Nothing is downloaded.",
    )


def _run(args: argparse.Namespace, terminal: Terminal) -> int:
    models = common.build_models_offline()
    found = list(_try_models(models, common.load_settings()))
    terminal.show(
        {"models": found, "problems": list(models.problems)}, _rows(found, models.problems)
    )
    return 1 if models.problems or not all(row["works"] for row in found) else 0


def _rows(found: Sequence[Mapping[str, Any]], problems: Sequence[str]) -> Rows:
    cells = [(row["part"], row["name"], row["state"]) for row in found]
    return Rows(
        columns=("part", "model", "state"),
        cells=cells,
        lines=list(map(": ".join, cells)),
        remarks=[f"problem: {problem}" for problem in problems],
    )


def _try_models(models: Models, settings: Settings) -> Iterator[dict[str, Any]]:
    yield _try_embedder(models, settings)
    yield _row("reranker", models.reranker, settings.reranker.model, "configured")
    yield _try_language_model(models, settings)


def _try_embedder(models: Models, settings: Settings) -> dict[str, Any]:
    model = models.embedder
    if model is None:
        return _row("embedder", None, "", "")
    try:
        trial = try_embedder(model)
    except OutsideServiceError as exc:
        return _failed_row("embedder", model, settings.embedder.model, exc)
    state = f"answers in {trial.ms:.0f} ms, {trial.dim} numbers"
    return _row("embedder", model, settings.embedder.model, state)


def _try_language_model(models: Models, settings: Settings) -> dict[str, Any]:
    model = models.llm
    if model is None:
        return _row("language model", None, "", "")
    started = time.perf_counter()
    try:
        model.complete(_HELLO, max_tokens=_TOKENS, temperature=0.0, timeout_s=_TIMEOUT_S)
    except OutsideServiceError as exc:
        return _failed_row("language model", model, settings.llm.model, exc)
    seconds = time.perf_counter() - started
    return _row("language model", model, settings.llm.model, f"answers in {seconds:.1f} s")


def _failed_row(part: str, model: object, configured: str, exc: Exception) -> dict[str, Any]:
    return {**_row(part, model, configured, f"does not answer: {exc}"), "works": False}


def _row(part: str, model: object, configured: str, state: str) -> dict[str, Any]:
    """Returns the model as a row; a part without a model is optional, and so counts as working."""
    if model is None:
        return {"part": part, "name": "-", "state": _NOT_CONFIGURED, "works": True}
    name = str(getattr(model, "name", "") or configured or type(model).__name__)
    return {"part": part, "name": name, "state": state, "works": True}
