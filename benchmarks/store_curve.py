"""Draws the figures of benchmarks/store.py by the number of memories: docs/store.svg and a table.

    python benchmarks/store_curve.py --to 100000 [--from 1000] [--write]

Each size is a run of its own, ten times the one before; what lies filled in build/ is used again.
With --write, docs/store.svg is drawn again and the table in docs/store.md between its two marks is
replaced; else the table is printed.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from math import log10
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.command import run
from benchmarks.store_report import missed

PROJECT = Path(__file__).resolve().parent.parent
_PAGE, _DRAWING = PROJECT / "docs" / "store.md", PROJECT / "docs" / "store.svg"
_BEGIN, _END = "<!-- figures: make bench -->", "<!-- end of figures -->"
_ROWS = {
    "append_ms_p50": "append, ms p50",
    "fsync_ms_p50": "a raw synced write of 1 KB, ms p50",
    "append_per_fsync": "append / raw write",
    "recall_ms_p50": "recall, whole, ms p50",
    "recall_ms_p99": "recall, ms p99",
    "recall_cpu_ms_mean": "recall, ms of CPU",
    "lexical_ms_p50": "by words alone, ms p50",
    "dense_ms_p50": "by vectors alone, ms p50",
    "dense_recall": "the nearest 20, share found",
    "open_ms": "open, cold, ms",
    "warm_open_ms": "open, warm, ms",
    "warm_open_cpu_ms": "open, warm, ms of CPU",
    "rss_anon_mb": "anonymous memory, MB",
    "delete_ms_p50": "forget, ms p50",
    "delete_per_fsync": "forget / raw write",
    "erase_now_ms": "erase what was forgotten, ms",
    "bytes_per_memory": "disk, bytes per memory",
    "fill_write_per_s": "filled per second, written",
    "fill_derive_per_s": "filled per second, embedded and indexed",
    "load_before": "load of the machine before",
}
_LINES = {
    "append_ms_p50": "#1f77b4",
    "fsync_ms_p50": "#9aa5b1",
    "recall_ms_p50": "#d62728",
    "dense_ms_p50": "#9467bd",
    "lexical_ms_p50": "#2ca02c",
    "delete_ms_p50": "#ff7f0e",
    "open_ms": "#8c564b",
}
_WIDTH, _HEIGHT, _LEFT, _TOP, _LEGEND = 640, 360, 72, 20, 120

Runs = Sequence[dict[str, Any]]


def measured(memories: int, *, unclustered: bool) -> dict[str, Any]:
    command = [sys.executable, str(PROJECT / "benchmarks" / "store.py"), "--json"]
    command += ["--memories", str(memories), *(["--unclustered"] if unclustered else [])]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if ended.returncode:
        sys.exit(ended.stderr)
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return found


def table(runs: Runs) -> str:
    """Returns a Markdown table; values that miss their target are bold."""
    names = " | ".join(_name(run) for run in runs)
    rows = [f"| | {names} |", f"|---|{'---|' * len(runs)}"]
    lacks = [missed(run) for run in runs]
    for key, column in _ROWS.items():
        cells = (
            f"**{_short(run.get(key))}**" if key in lack else _short(run.get(key))
            for run, lack in zip(runs, lacks, strict=True)
        )
        rows.append(f"| {column} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _short(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _name(run: dict[str, Any]) -> str:
    return f"{run['memories']:,}{'' if run['clustered'] else ', unclustered'}"


def drawing(runs: Runs) -> str:
    """Returns an SVG with logarithmic axes: milliseconds against memories, clustered."""
    runs = [run for run in runs if run["clustered"]]
    sizes = [log10(run["memories"]) for run in runs]
    values = [log10(max(run[key], 1e-3)) for run in runs for key in _LINES]
    bounds = Bounds(sizes[0], sizes[-1], int(min(values) - 1), int(max(values) + 1))
    parts = [*bounds.grid()]
    for index, (key, colour) in enumerate(_LINES.items()):
        points = [bounds.point(log10(run["memories"]), log10(max(run[key], 1e-3))) for run in runs]
        parts += _line(points, colour)
        x, y = _LEFT + _WIDTH + 14, _TOP + 16 + 20 * index
        parts.append(f'<rect x="{x}" y="{y - 8}" width="14" height="4" fill="{colour}"/>')
        parts.append(_text(x + 20, y, key.replace("_ms_p50", "").replace("_ms", ", cold"), "start"))
    width, height = _LEFT + _WIDTH + _LEGEND, _TOP + _HEIGHT + 44
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="12">\n<rect width="{width}" height="{height}" '
        f'fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


class Bounds:
    """The powers of ten on the two axes, and their positions in the picture."""

    def __init__(self, first: float, last: float, low: int, high: int) -> None:
        self._first, self._last = first, max(last, first + 1)
        self._low, self._high = low, high

    def point(self, x: float, y: float) -> tuple[float, float]:
        across = (x - self._first) / (self._last - self._first)
        up = (y - self._low) / (self._high - self._low)
        return round(_LEFT + _WIDTH * across, 1), round(_TOP + _HEIGHT * (1 - up), 1)

    def grid(self) -> Iterator[str]:
        for power in range(self._low, self._high + 1):
            x, y = self.point(self._first, power)
            yield f'<path d="M{x} {y}h{_WIDTH}" stroke="#dde1e6"/>'
            yield _text(x - 8, y + 4, f"{10.0**power:g} ms", "end")
        for power in range(round(self._first), round(self._last) + 1):
            x, y = self.point(power, self._low)
            yield f'<path d="M{x} {_TOP}v{_HEIGHT}" stroke="#dde1e6"/>'
            yield _text(x, y + 18, f"{10**power:,}", "middle")
        yield _text(_LEFT + _WIDTH / 2, _TOP + _HEIGHT + 38, "memories", "middle")


def _line(points: Sequence[tuple[float, float]], colour: str) -> list[str]:
    path = " L".join(f"{x} {y}" for x, y in points)
    dots = [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in points]
    return [f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>', *dots]


def _text(x: float, y: float, said: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="#333333">{said}</text>'


def write(runs: Runs) -> None:
    _DRAWING.write_text(drawing(runs), encoding="utf-8")
    page = _PAGE.read_text(encoding="utf-8")
    head, begin, rest = page.partition(_BEGIN)
    _, end, tail = rest.partition(_END)
    if not (begin and end):
        sys.exit(f"{_PAGE} lacks the marks between which the figures stand")
    text = f"{head}{begin}\n{table(runs)}\n{end}{tail}"
    _PAGE.write_text(text, encoding="utf-8")


def sizes(first: int, last: int) -> Iterator[int]:
    while first <= last:
        yield first
        first *= 10


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--from", dest="first", type=int, default=1000)
    parser.add_argument("--to", dest="last", type=int, default=100_000)
    parser.add_argument("--unclustered", type=int, default=0, help="one such run more, so large")
    parser.add_argument("--write", action="store_true", help="into docs/")
    given = parser.parse_args()
    runs = [measured(size, unclustered=False) for size in sizes(given.first, given.last)]
    if given.unclustered:
        runs.append(measured(given.unclustered, unclustered=True))
    if given.write:
        write(runs)
    print(table(runs))


if __name__ == "__main__":
    run(main)
