"""Makes the topic files that recall reads from the word lists in benchmarks/data/topics.

Stemming thousands of words takes seconds, so it is done once here and not at every start.

    python benchmarks/make_topics.py
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from memory_core.text.topics import FOLDER, compiled

WORDS = Path(__file__).resolve().parent / "data" / "topics"


def main() -> None:
    for path in sorted(WORDS.glob("*.json")):
        found = compiled(json.loads(path.read_text(encoding="utf-8")), path.stem)
        lines = json.dumps(found, ensure_ascii=False, indent=0)
        (FOLDER / path.name).write_text(f"{lines}\n", encoding="utf-8")
        print(f"{path.stem}: {len(found)} words")


if __name__ == "__main__":
    main()
