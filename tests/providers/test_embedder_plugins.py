"""A user's own embedders and models are loaded and checked against the contract."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from memory_core.config.model_settings import EmbedderSettings
from memory_core.domain.errors import ConfigError, EmbedderUnavailable
from memory_core.infra.plugins import load_class
from memory_core.providers.embedders.base import Embedder, Vectors
from memory_core.providers.plugins import custom_embedder
from tests.cases import for_each
from tests.in_time import within


def _custom(name: str) -> Embedder:
    return custom_embedder(EmbedderSettings(kind=f"tests.providers.embedders.own_embedders:{name}"))


@for_each(
    ("spec", "message"),
    [
        ("no_such_package.module:Class", "cannot import 'no_such_package.module'"),
        ("json:Missing", "has no class 'Missing'"),
        ("json:dumps", "has no class 'dumps'"),
        ("json:", "not of the form package.module:Class"),
        (":Class", "not of the form package.module:Class"),
        ("json", "not of the form package.module:Class"),
        ("json:a.b", "not of the form package.module:Class"),
        (".json:JSONDecoder", "cannot import '.json'"),
    ],
)
def test_a_class_that_cannot_be_found_is_reported_with_the_key(spec: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_class(spec, key="embedder.kind")
    assert message in str(caught.value)
    assert caught.value.key == "embedder.kind"


def test_a_module_that_fails_on_import_is_reported_with_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_own_module.py").write_text("def broken(:")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ConfigError, match=r"llm\.kind: cannot import .*SyntaxError"):
        load_class("broken_own_module:Class", key="llm.kind")
    assert "broken_own_module" not in sys.modules


def test_an_incomplete_class_is_reported_with_its_missing_methods() -> None:
    with pytest.raises(ConfigError, match=r"embedder\.kind: .*:NoQuery lacks embed_query"):
        _custom("NoQuery")


def test_a_class_that_fails_on_construction_is_reported() -> None:
    with pytest.raises(ConfigError, match=r"embedder\.kind: .*:TakesNothing.* failed with TypeErr"):
        _custom("TakesNothing")


def test_plugin_class_gets_the_settings() -> None:
    settings = EmbedderSettings(kind=f"{__name__}:KeepsSettings", model="mine")
    assert custom_embedder(settings).name == "mine"


class KeepsSettings:
    dim, fingerprint = 3, "x"

    def __init__(self, *, settings: object) -> None:
        self.name = settings.model

    def embed(self, texts: Sequence[str]) -> Vectors:
        return []

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        return []


def test_any_error_of_a_foreign_class_becomes_embedder_unavailable() -> None:
    embedder = _custom("Raising")
    with pytest.raises(EmbedderUnavailable, match="careless: KeyError: 'no such model'"):
        embedder.embed(["a"])
    with pytest.raises(EmbedderUnavailable):
        embedder.embed_query("a", timeout_s=1)


def test_a_wrong_number_of_vectors_is_refused() -> None:
    with pytest.raises(EmbedderUnavailable, match="1 texts, but vectors of shape"):
        _custom("TooMany").embed(["a"])


def test_an_endless_query_of_a_foreign_class_times_out() -> None:
    with within(10), pytest.raises(EmbedderUnavailable, match="TimeoutError"):
        _custom("Endless").embed_query("a", timeout_s=0.2)
