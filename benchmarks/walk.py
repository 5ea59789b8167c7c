"""Lists the files and functions of memory_core that a message and a `/forget last` enter.

Counts calls by Python's own profiler, warm, with the default settings and no embedder: `files` and
`functions` are different ones, `depth` is the deepest stack of memory_core's frames in one thread,
`resolved` is how often the character's name was looked up among the aliases.
"""

import argparse
import json
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from benchmarks.corpus import Corpus
from benchmarks.turn import Bench, Chat, Past
from memory_core.memory.runtime import Runtime
from memory_core.storage.aliases import Aliases

PACKAGE = str(Path(__file__).resolve().parent.parent / "memory_core")
HOST = "/demo/"  # the demo's prompt builder is used in place of the host's
MEMORIES, WARM_UP = 500, 4
_LATER_S = 0.001


def is_counted(code: CodeType) -> bool:
    """Returns whether this is a named function of ours; only some Pythons count comprehensions."""
    name = code.co_filename
    return name.startswith(PACKAGE) and HOST not in name and not code.co_name.startswith("<")


@dataclass(slots=True)
class Walk:
    """The functions entered while a profiler was on, in one thread or several."""

    calls: Counter[CodeType] = field(default_factory=Counter)
    depth: int = 0

    def tracer(self) -> Callable[[FrameType, str, object], None]:
        """Returns a profile function for one thread."""
        depth = 0

        def trace(frame: FrameType, event: str, _: object) -> None:
            nonlocal depth
            if event in ("call", "return") and is_counted(frame.f_code):
                depth += 1 if event == "call" else -1
                self.depth = max(self.depth, depth)
                if event == "call":
                    self.calls[frame.f_code] += 1

        return trace

    def figures(self) -> dict[str, int]:
        return {
            "files": len({code.co_filename for code in self.calls}),
            "functions": len({(code.co_filename, code.co_qualname) for code in self.calls}),
            "depth": self.depth,
            "resolved": self.calls[Aliases.resolve.__code__],
        }

    def listing(self) -> Iterator[str]:
        """Returns one line per file, with the functions entered and how often."""
        for name in sorted({code.co_filename for code in self.calls}):
            own = {code: n for code, n in self.calls.items() if code.co_filename == name}
            entered = ", ".join(f"{code.co_qualname} {n}" for code, n in own.items())
            yield f"{Path(name).relative_to(PACKAGE)}: {entered}"


@contextmanager
def traced(runtime: Runtime) -> Iterator[Walk]:
    """Traces this thread, and the writer's work for a command that waits for it."""
    walk, ended = Walk(), threading.Event()

    def write() -> None:
        while not ended.wait(_LATER_S):
            if runtime.count_waiting()[0]:
                sys.setprofile(walk.tracer())
                runtime.run_pending()
                sys.setprofile(None)

    writer = threading.Thread(target=write)
    writer.start()
    sys.setprofile(walk.tracer())
    try:
        yield walk
    finally:
        sys.setprofile(None)
        ended.set()
        writer.join()


def walks(folder: Path) -> dict[str, Walk]:
    """Walks a message with a recalled memory, then `/forget last`, in a chat that has begun."""
    bench = Bench(folder, embedder="none")
    past = bench.past(MEMORIES)
    runtime = bench.opened(past.home)
    try:
        chat = Chat(runtime, bench.host, Corpus(1, bench.tokens.count))
        for _ in range(WARM_UP):
            chat.turn(past.told)
        return {"message": _message(runtime, chat, past), "forget": _forget(runtime, chat)}
    finally:
        runtime.close()


def _message(runtime: Runtime, chat: Chat, past: Past) -> Walk:
    message = chat.question(past.told)
    with traced(runtime) as walk:
        prompt = chat.prompt(message)
    assert message in prompt
    chat.answer(message)
    return walk


def _forget(runtime: Runtime, chat: Chat) -> Walk:
    with traced(runtime) as walk:
        prompt = chat.prompt("/forget last")
    assert "/forget" not in prompt, prompt
    return walk


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON alone")
    parser.add_argument("--list", action="store_true", help="list the files and functions too")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        found = walks(Path(folder))
    for name, walk in found.items() if options.list else ():
        print(f"# {name}", *walk.listing(), sep="\n")
    figures = {name: walk.figures() for name, walk in found.items()}
    if options.json:
        print(json.dumps(figures))
    else:
        for name, counted in figures.items():
            print(f"{name}: " + ", ".join(f"{n} {what}" for what, n in counted.items()))


if __name__ == "__main__":
    run(main)
