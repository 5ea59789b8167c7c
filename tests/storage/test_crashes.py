"""kill -9 in an append loop loses nothing acknowledged, and the memory opens and answers."""

import subprocess
import sys
from pathlib import Path

import pytest

from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.fake import FakeEmbedder
from tests.builders import SPACE, asked, derive_all, open_memory, opened_namespace, recalled
from tests.programs import Program

KILLS = 3
PROJECT = Path(__file__).resolve().parents[2]

# Says every id only after remember() returned, and embeds in between as the deriver does.
WRITER = """
import itertools, sys
from pathlib import Path
from memory_core.providers.embedders.fake import FakeEmbedder
from tests.builders import SPACE, open_memory, said

memory = open_memory(Path(sys.argv[1]), embedder=FakeEmbedder())
for n in itertools.count():
    text = f"word{sys.argv[2]}x{n} is what I said"
    print(memory.remember(SPACE, "talk", said(text)), flush=True)
    memory.derive_pending(SPACE)
"""


def killed_writer(root: Path, run: int, after: int) -> list[str]:
    """Returns the ids that a writer had acknowledged when it was killed."""
    command = [sys.executable, "-c", WRITER, str(root), str(run)]
    with Program(command, stdout=subprocess.PIPE, text=True, cwd=PROJECT) as writer:
        assert writer.stdout is not None
        ids = [writer.stdout.readline().strip() for _ in range(after)]
        writer.kill()
        return ids + [line.strip() for line in writer.stdout if line.endswith("\n")]


def is_in_order(memory: LongTermMemory) -> bool:
    lines = opened_namespace(memory, SPACE).event_log.read("talk").events
    seqs = [line.seq for line in lines]
    return seqs == sorted(set(seqs)) and len({line.id for line in lines}) == len(lines)


@pytest.mark.slow
def test_killed_writer_loses_no_acknowledged_exchange(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    for run in range(KILLS):
        acknowledged += killed_writer(tmp_path, run, after=1 + 10 * run)
    memory = open_memory(tmp_path, embedder=FakeEmbedder(dim=16))
    assert set(acknowledged) <= memory.get_records(SPACE, acknowledged).keys()
    assert is_in_order(memory)
    derive_all(memory)
    counts = memory.counts(SPACE)
    assert counts["embedded"] == counts["vectors"] == 2 * counts["live"]
    for run in range(KILLS):
        question = asked(f"What is word{run}x0?")
        assert recalled(memory.recall(SPACE, question))[0] == f"word{run}x0 is what I said"
    assert memory.problems() == []
    memory.close()
