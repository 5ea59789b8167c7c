"""Measures the cost of reading and comparing a long chat's rows at each message.

    python -m benchmarks.reconcile --rows 2000 --json

`hook_rows_ms`: parsing the host's rows to exchanges; `archive_compare_ms`: comparing them with the
stored ones; `hook_compare_ms`: both. Medians over messages, each with one row more than the last.
"""

import argparse
import copy
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.command import run
from memory_core.bootstrap import build_runtime
from memory_core.domain.namespaces import Namespace
from memory_core.host.chat.codec import from_host
from memory_core.host.chat.exchanges import speakers_of, to_exchanges
from memory_core.memory.installation import Installation
from memory_core.memory.runtime import Runtime

SPACE = Namespace("default", "Mira")
STATE = {"mode": "chat", "name1": "Ana", "name2": "Mira"}
_MESSAGES = 40


def history_of(rows: int) -> dict[str, Any]:
    """Returns a chat like the host's: each row with its times, every fifth with two versions."""
    said = [_row(index) for index in range(rows)]
    metadata = {f"user_{index}": {"timestamp": _stamp(index)} for index in range(rows)}
    metadata |= {f"assistant_{index}": _meta(index, said[index][1]) for index in range(rows)}
    return {"internal": said, "visible": said, "metadata": metadata}


def _row(index: int) -> list[str]:
    user = (
        f"Message {index} about <b>bees</b> and what they did on day {index % 365} "
        + "of work " * 25
    )
    return [user, f"Answer {index}: they [all] flew out again. " + "And so on. " * 60]


def _stamp(index: int) -> str:
    return f"Nov {1 + index // 1440 % 28}, 2026 {index // 60 % 24:02}:{index % 60:02}"


def _meta(index: int, text: str) -> dict[str, Any]:
    version = {"content": text, "visible_content": text, "timestamp": _stamp(index)}
    more = {"versions": [version] * 2, "current_version_index": 1} if index % 5 == 0 else {}
    return {"timestamp": _stamp(index), "model_name": "model", **more}


def measure(rows: int) -> dict[str, float]:
    whole = history_of(rows + _MESSAGES)
    with tempfile.TemporaryDirectory() as folder:
        runtime = build_runtime(
            Installation(folder=Path(folder), environ={"LTM_EMBEDDER__KIND": "none"})
        )
        found = [_message(runtime, _part(whole, rows + index)) for index in range(_MESSAGES)]
        runtime.close()
    first, later = found[0], found[2:]
    medians = [statistics.median(it) for it in zip(*later, strict=True)]
    return {
        "rows": rows,
        "first_rows_ms": round(first[0], 2),
        "hook_rows_ms_p50": round(medians[0], 2),
        "archive_compare_ms_p50": round(medians[1], 2),
        "hook_compare_ms_p50": round(medians[0] + medians[1], 2),
    }


def _part(whole: dict[str, Any], rows: int) -> dict[str, Any]:
    """Returns the chat at one message, as a deep copy like the host's."""
    part = {key: whole[key][:rows] for key in ("internal", "visible")}
    metadata = {f"{side}_{index}": whole["metadata"][f"{side}_{index}"]
                for index in range(rows) for side in ("user", "assistant")}  # fmt: skip
    return copy.deepcopy(part | {"metadata": metadata})


def _message(runtime: Runtime, history: dict[str, Any]) -> tuple[float, float]:
    begin = time.perf_counter()
    window = from_host("And now?", STATE, history, False)
    said = to_exchanges(window.rows, speakers_of(window, is_api=False))
    middle = time.perf_counter()
    runtime.memory.compare(SPACE, "talk", said, whole=True)
    end = time.perf_counter()
    runtime.memory.reconcile(SPACE, "talk", said, whole=True)
    return 1e3 * (middle - begin), 1e3 * (end - middle)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--json", action="store_true", help="one object on the last line")
    given = parser.parse_args()
    result = measure(given.rows)
    if not given.json:
        for name, value in result.items():
            print(f"{name:>24} {value:10.2f}")
    else:
        print(json.dumps(result))


if __name__ == "__main__":
    run(main)
