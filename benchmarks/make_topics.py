"""Makes the topic files that recall reads from the word lists in benchmarks/data/topics.

Stemming thousands of words takes seconds, so it is done once here and not at every start.

    python benchmarks/make_topics.py
"""

import json
import sys
import unicodedata
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from memory_core.domain.unicode import normalised
from memory_core.text.topics import FOLDER, UNSPACED, stem

_SHORT = 4  # letters
_VAGUE = 4  # topics; a word with more says little about any of them
WORDS = Path(__file__).resolve().parent / "data" / "topics"


def compiled(words: Mapping[str, str], language: str) -> dict[str, str]:
    """Returns the topics of each word, from the words of each topic, as stored in the files.

    Leaves out words with too many topics, which say little about any of them.
    """
    topics_by_word: dict[str, dict[str, None]] = {}
    for topic, listed in words.items():
        for word in normalised("NFKC", listed).casefold().split():
            for key in _keys(word, language):
                topics_by_word.setdefault(key, {})[topic] = None
    entries = sorted(topics_by_word.items())
    return {key: " ".join(names) for key, names in entries if len(names) < _VAGUE}


def _keys(word: str, language: str) -> set[str]:
    """Returns the keys of a word: stemmed, with its accents and without, as many people type."""
    if language in UNSPACED:
        return {word}
    return {stem(word, language), stem(_bare(word), language)}


def _bare(word: str) -> str:
    """Removes accents, but not from short words: in Spanish té is tea and te is you."""
    if len(word) < _SHORT:
        return word
    decomposed = normalised("NFD", word)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def main() -> None:
    for path in sorted(WORDS.glob("*.json")):
        found = compiled(json.loads(path.read_text(encoding="utf-8")), path.stem)
        lines = json.dumps(found, ensure_ascii=False, indent=0)
        (FOLDER / path.name).write_text(f"{lines}\n", encoding="utf-8")
        print(f"{path.stem}: {len(found)} words")


if __name__ == "__main__":
    run(main)
