"""Rerankers as users may write them, for `package.module:Class`."""

import threading
from collections.abc import Mapping, Sequence
from typing import Never

from tests.providers.rerankers.shared_words import shared


class Counting:
    name = "counting"

    def __init__(self, *, settings: object) -> None:
        pass

    def prepare(self) -> None:
        pass

    def scores(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Mapping[int, float]:
        return {index: shared(query, text) for index, text in enumerate(texts)}


class Raising(Counting):
    def prepare(self) -> Never:
        raise OSError("no such disk")

    def scores(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Never:
        raise KeyError("no such model")


class NotANumber(Counting):
    def scores(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Mapping[int, float]:
        return {index: float("nan") for index, _ in enumerate(texts)}


class ListsThem(Counting):
    def scores(self, query: str, texts: Sequence[str], *, timeout_s: float) -> list[float]:
        return [1.0 for _ in texts]


class Endless(Counting):
    def scores(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Mapping[int, float]:
        threading.Event().wait(20)
        return {}


class Unprepared:
    name = "half"

    def __init__(self, *, settings: object) -> None:
        pass
