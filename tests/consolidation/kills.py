"""A program that consolidates one folder in child processes and kills these at random moments.

Run as `python -m tests.consolidation.kills FOLDER KILLS SEED`. The last child may finish.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

from memory_core.domain.errors import LongTermMemoryError
from memory_core.providers.llm.fake import ScriptedLLM
from tests.builders import open_memory
from tests.consolidation.scenes import make_runner, run_all, summary

_LATEST_S = 0.12


def story_of(turns: object) -> str:
    time.sleep(0.002)
    number = turns[-1].text.partition("story number ")[2].partition(".")[0]
    return summary(f"Ana told story {number}.")


def work(folder: Path) -> None:
    memory = open_memory(folder)
    run_all(make_runner(memory, ScriptedLLM(story_of)))
    memory.close()


def run_child(folder: Path) -> int:
    """Returns the id of a child process that works on the folder."""
    child = os.fork()
    if child:
        return child
    try:
        work(folder)
    except LongTermMemoryError as exc:
        sys.stderr.write(f"{exc}\n")
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def main() -> None:
    folder, kills, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)
    for _ in range(kills):
        child = run_child(folder)
        time.sleep(chance.uniform(0.0, _LATEST_S))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    _, status = os.waitpid(run_child(folder), 0)
    sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
