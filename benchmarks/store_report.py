"""Prints the results of benchmarks/store.py beside their targets."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Figures = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A target: `bound` returns the value to reach for a run, or None if there is none."""

    key: str
    bound: Callable[[Figures], float | None]
    is_least: bool = False

    def met(self, found: Figures) -> bool | None:
        bound, value = self.bound(found), found.get(self.key)
        if bound is None or value is None:
            return None
        return bool(value >= bound if self.is_least else value <= bound)


TARGETS = (
    Target(key="append_per_fsync", bound=lambda _: 5.0),
    Target(key="recall_ms_p50", bound=lambda run: 10.0 if run["memories"] <= 100_000 else 20.0),
    Target(key="dense_recall", bound=lambda run: 0.97 if run["clustered"] else 0.95, is_least=True),
    Target(key="open_ms", bound=lambda _: 150.0),
    Target(key="rss_anon_mb", bound=lambda _: 150.0),
    Target(key="delete_per_fsync", bound=lambda _: 5.0),
)


def report(found: Figures) -> str:
    return "\n".join(_lines(found))


def missed(found: Figures) -> list[str]:
    return [target.key for target in TARGETS if target.met(found) is False]


def _lines(found: Figures) -> Iterator[str]:
    targets = {target.key: target for target in TARGETS}
    for name, value in found.items():
        if isinstance(value, Mapping):
            yield from (f"{name + ' ' + part:44} {it:>12}" for part, it in value.items())
        else:
            yield f"{name:44} {value!s:>12}{_judged(targets.get(name), found)}"


def _judged(target: Target | None, found: Figures) -> str:
    if target is None:
        return ""
    sign, verdict = ">=" if target.is_least else "<=", {True: "met", False: "missed", None: ""}
    return f"   {sign} {target.bound(found)}  {verdict[target.met(found)]}"
