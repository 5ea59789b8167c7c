"""A program that holds the memories of a folder until it is killed: `python -m … FOLDER`."""

import sys
import threading
from pathlib import Path

from memory_core.bootstrap import build_runtime
from memory_core.memory.installation import Installation
from tests.builders import SPACE, said


def main() -> None:
    runtime = build_runtime(
        Installation(folder=Path(sys.argv[1]), environ={"LTM_EMBEDDER__KIND": "none"})
    )
    runtime.start()
    runtime.memory.remember(SPACE, "held", said("The holder wrote this first"))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    threading.Event().wait()


if __name__ == "__main__":
    main()
