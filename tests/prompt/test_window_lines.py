"""The widest summaries cover what has left the window, and extracts cover the rest."""

from memory_core.domain.records import Memory, MemoryKind
from memory_core.memory.window_parts import WindowPart
from memory_core.prompt.window_lines import cover
from tests.cases import for_each


def part(start: int, end: int, level: int = 0) -> WindowPart:
    memory = Memory(id=f"{start}-{end}", kind=MemoryKind.SUMMARY, text="x")
    return WindowPart(memory=memory, start=start, end=end, level=level)


TENS = [part(start, start + 10) for start in range(0, 60, 10)]


@for_each(
    ("parts", "count", "covered"),
    [
        ([], 0, []),
        ([], 7, [(0, 7)]),
        (TENS, 20, ["0-10", "10-20"]),
        (TENS, 15, ["0-10", "10-20"]),
        ([*TENS, part(0, 40, 1)], 45, ["0-40", "40-50"]),
        ([*TENS, part(0, 40, 1)], 35, ["0-10", "10-20", "20-30", "30-40"]),
        ([part(0, 10), part(20, 30)], 34, ["0-10", (10, 20), "20-30", (30, 34)]),
        ([part(20, 30)], 15, [(0, 15)]),
    ],
)
def test_cover_takes_the_widest_summaries_and_ranges_between_them(
    parts: list[WindowPart], count: int, covered: list[object]
) -> None:
    found = [
        (one.start, one.stop) if isinstance(one, range) else one.memory.id
        for one in cover(parts, count)
    ]
    assert found == covered
