"""Reads golden conversations and reports violations of their format.

`data/golden/README.md` describes the format. `python benchmarks/golden.py [FILE ...]` checks files
of this format and prints how much they hold; without a file it checks the project's own.
"""

import json
import sys
from collections.abc import Iterator, Sequence, Set
from datetime import datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from benchmarks.golden_values import (
    Exchange,
    Fact,
    Fiction,
    History,
    Place,
    Question,
    Session,
    has_words,
    read_span,
)

GOLDEN = Path(__file__).resolve().parent / "data" / "golden"
SHOWN_PROBLEMS = 10
_HISTORY_KEYS = frozenset(
    {
        "name",
        "user_name",
        "assistant_name",
        "sessions",
        "facts",
        "fiction",
        "not_superseded",
        "questions",
    }
)
_FACT_KEYS = frozenset({"id", "about", "exchange", "words", "superseded_by", "event"})


class GoldenFormatError(ValueError):
    """A file breaks the format; the message names the file, the history and the fault."""


def read_golden(path: Path = GOLDEN) -> list[History]:
    """Returns the histories of one file, or of all JSON files in a folder.

    Raises GoldenFormatError for a file that breaks the format.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    found = [history for file in files for history in _of_file(file)]
    if not found:
        raise GoldenFormatError(f"{path} holds no golden conversations (*.json)")
    return found


def _of_file(path: Path) -> Iterator[History]:
    try:
        raw = list(json.loads(path.read_text(encoding="utf-8"))["histories"])
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise GoldenFormatError(f'{path}: not a JSON object with "histories": {exc!r}') from exc
    names = set[str]()
    for number, record in enumerate(raw):
        history = _read_history(record, path, number)
        found = [*problems(history), *(["its name is taken"] if history.name in names else [])]
        if found:
            listed = "; ".join(found[:SHOWN_PROBLEMS])
            raise GoldenFormatError(f"{path}, history {history.name!r}: {listed}")
        names.add(history.name)
        yield history


def _read_history(raw: object, path: Path, number: int) -> History:
    try:
        return _history(raw, path.stem)
    except (ValueError, TypeError) as exc:
        name = raw.get("name", number) if isinstance(raw, dict) else number
        raise GoldenFormatError(f"{path}, history {name!r}: {exc}") from exc


def _history(raw: object, language: str) -> History:
    known = _checked(raw, "a history", _HISTORY_KEYS, optional={"repeats"})
    made = {
        "sessions": [_session(session) for session in known["sessions"]],
        "facts": [_fact(fact) for fact in known["facts"]],
        "fiction": [_fiction(mark) for mark in known["fiction"]],
        "questions": [_question(question) for question in known["questions"]],
    }
    return History(language=language, **({"repeats": []} | known | made))


def _session(raw: object) -> Session:
    known = _checked(raw, "a session", {"started", "exchanges"})
    return Session(
        started=datetime.fromisoformat(known["started"]),
        exchanges=[_exchange(said) for said in known["exchanges"]],
    )


def _exchange(raw: object) -> Exchange:
    if not isinstance(raw, list) or [type(text) for text in raw] != [str, str]:
        raise ValueError(f"an exchange must be the user's text and the answer, not {raw!r}")
    return Exchange(user=raw[0], answer=raw[1])


def _fact(raw: object) -> Fact:
    known = _checked(raw, "a fact", _FACT_KEYS)
    return Fact(
        id=known["id"],
        about=known["about"],
        place=_place(known["exchange"]),
        words=_alternatives(known["words"]),
        superseded_by=known["superseded_by"],
        event=read_span(known["event"]) if known["event"] is not None else None,
    )


def _fiction(raw: object) -> Fiction:
    known = _checked(raw, "a fiction", {"exchange", "words"})
    return Fiction(place=_place(known["exchange"]), words=_alternatives(known["words"]))


def _question(raw: object) -> Question:
    known = _checked(raw, "a question", {"text", "wants", "not"})
    return Question(text=known["text"], wants=known["wants"], avoids=known["not"])


def _place(raw: object) -> Place:
    if not isinstance(raw, list) or [type(number) for number in raw] != [int, int]:
        raise ValueError(f"exchange must be two numbers, [session, exchange], not {raw!r}")
    return Place(*raw)


def _alternatives(raw: object) -> list[list[str]]:
    if not isinstance(raw, list) or not all(isinstance(words, list) for words in raw):
        raise ValueError(f"words must be a list of lists of words, not {raw!r}")
    return raw


def _checked(
    raw: object, part: str, required: Set[str], optional: Set[str] = frozenset()
) -> dict[str, Any]:
    """Returns the object. Raises ValueError for another type, or for wrong keys."""
    if not isinstance(raw, dict):
        raise ValueError(f"{part} must be an object, not {raw!r}")
    if unknown := sorted(raw.keys() - required - optional):
        allowed = ", ".join(sorted(required | optional))
        raise ValueError(f"{part} has unknown keys: {', '.join(unknown)} (allowed: {allowed})")
    if missing := sorted(required - raw.keys()):
        raise ValueError(f"{part} lacks {', '.join(missing)}")
    return raw


def problems(history: History) -> Iterator[str]:
    """Yields each fault of a history as a sentence that names the part at fault."""
    yield from _session_problems(history.sessions)
    for fact in history.facts:
        yield from _mark_problems(history, fact, f"fact {fact.id!r}")
    for mark in history.fiction:
        yield from _mark_problems(history, mark, f"fiction {list(mark.place)}")
    ids = [fact.id for fact in history.facts]
    yield from (f"two facts are called {id_!r}" for id_ in set(ids) if ids.count(id_) > 1)
    unknown = sorted(set(_named(history)) - set(ids))
    if unknown:
        yield f"no facts are called {', '.join(unknown)}"
    else:
        yield from _supersession_problems(history)


def _session_problems(sessions: Sequence[Session]) -> Iterator[str]:
    starts = [session.started for session in sessions]
    if not starts or starts != sorted(set(starts)):
        yield "its sessions are not in the order of time, or there are none"
    for number, session in enumerate(sessions):
        if not all(said.user.strip() and said.answer.strip() for said in session.exchanges):
            yield f"session {number} has an exchange without words"


def _mark_problems(history: History, mark: Fact | Fiction, name: str) -> Iterator[str]:
    try:
        said = history.exchange(mark.place)
    except IndexError:
        yield f"{name} names exchange {list(mark.place)}, which is not there"
        return
    if not all(words and all(words) for words in mark.words):
        yield f"{name} has an empty word"
    elif not has_words(f"{said.user}\n{said.answer}", mark.words):
        yield f"none of the words of {name} are in exchange {list(mark.place)}"


def _named(history: History) -> Iterator[str]:
    """Yields every id that one part of a history uses of another."""
    yield from (fact.superseded_by for fact in history.facts if fact.superseded_by)
    yield from history.not_superseded
    yield from (id_ for group in history.repeats for id_ in group)
    for question in history.questions:
        yield from filter(None, (question.wants, question.avoids))


def _supersession_problems(history: History) -> Iterator[str]:
    for fact in history.facts:
        later = fact.superseded_by
        if later and history.fact(later).place <= fact.place:
            yield f"fact {fact.id!r} is superseded by {later!r}, which was not said later"
        if later and fact.id in history.not_superseded:
            yield f"fact {fact.id!r} is superseded and must not be"


def main(files: Sequence[str]) -> None:
    for path in [Path(file) for file in files] or sorted(GOLDEN.glob("*.json")):
        histories = read_golden(path)
        facts = [fact for history in histories for fact in history.facts]
        counts = {
            "histories": len(histories),
            "exchanges": sum(len(s.exchanges) for history in histories for s in history.sessions),
            "facts": len(facts),
            "superseded": sum(fact.superseded_by is not None for fact in facts),
            "not_superseded": sum(len(history.not_superseded) for history in histories),
            "dated": sum(fact.event is not None for fact in facts),
            "fiction": sum(len(history.fiction) for history in histories),
            "questions": sum(len(history.questions) for history in histories),
        }
        print(path.name, json.dumps(counts))


if __name__ == "__main__":
    try:
        run(lambda: main(sys.argv[1:]))
    except GoldenFormatError as exc:
        raise SystemExit(str(exc)) from exc
