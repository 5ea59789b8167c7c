"""Prints functions that grow faster than their text.

    python -m tests.end_to_end.growth [LETTERS] [FUNCTION …]

It goes from a tenth of LETTERS (100,000 by default) to LETTERS, for every function and text.
"""

import sys

from .foreign_text import FOREIGN
from .measuring import growth
from .nasty_texts import NASTY

letters = int(sys.argv[1]) if sys.argv[1:] else 100_000
wanted = sys.argv[2:] or FOREIGN
slowest = (0.0, "", "")
for function in wanted:
    for text in NASTY:
        found = growth(function, text, letters // 10)
        slowest = max(slowest, (found.long_s, function, text))
        if not found.is_linear:
            row = f"{function} | {text} | {found.short_s:.4f} s | {found.long_s:.4f} s"
            print(row, flush=True)  # noqa: T201
print(f"{len(wanted)} functions, {len(NASTY)} texts, slowest {slowest}")  # noqa: T201
