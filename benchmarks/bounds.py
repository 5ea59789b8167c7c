"""Fixed bounds on a benchmark's figures: CI fails if one falls below or rises above its bound."""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Bound = tuple[str, float]


def add_bounds(parser: argparse.ArgumentParser) -> None:
    """Adds --floor and --ceiling; a figure inside another is named with a dot between."""
    for name in ("--floor", "--ceiling"):
        parser.add_argument(
            name,
            type=_bound,
            action="append",
            default=[],
            metavar="FIGURE=VALUE",
            help="fail beyond it, e.g. recall@10=0.5 or by_category.temporal.recall@10=0.5",
        )


def exit_if_broken(asked: argparse.Namespace, figures: Mapping[str, Any]) -> None:
    """Ends the program with status 1 and a message, if any bounds do not hold."""
    broken = list(_broken(asked.floor, asked.ceiling, figures))
    if broken:
        sys.exit("\n".join(broken))


def _bound(text: str) -> Bound:
    name, _, value = text.rpartition("=")
    return name, float(value)


def _broken(
    floors: Sequence[Bound], ceilings: Sequence[Bound], figures: Mapping[str, Any]
) -> Iterator[str]:
    for name, least in floors:
        if not (found := _figure(name, figures)) >= least:
            yield f"{name} is {found:.3f}, below its floor of {least:.3f}"
    for name, most in ceilings:
        if not (found := _figure(name, figures)) <= most:
            yield f"{name} is {found:.3f}, above its ceiling of {most:.3f}"


def _figure(name: str, figures: Any) -> float:  # noqa: ANN401
    found = figures
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            sys.exit(f"there is no figure {name}")
        found = found[part]
    return float(found)
