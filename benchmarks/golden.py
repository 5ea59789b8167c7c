"""Golden conversations: what a good worker learns from them, and what it must not assert.

`data/golden/README.md` describes the format. `python benchmarks/golden.py [FILE ...]` checks files
of this format and prints how much they hold; without a file it checks the project's own.
"""

import json
import re
import sys
import unicodedata
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple

GOLDEN = Path(__file__).resolve().parent / "data" / "golden"
SHOWN_PROBLEMS = 10

# An observation with one of these words says itself that it is about play, a dream or an idea.
_FRAMED = re.compile(
    r"\b(role.?play|pretend|imagin|hypothe|would\b|if\b|dream|novel|fiction|story\b|game|film|movie"
    r"|quot|jok|sarcas|ironic|lied\b|scam|horoscope|(?:'s|her|his|their|player) character)"
    r"|角色|扮演|假装|假如|如果|要是|想象|假设|梦|小说|故事|剧本|游戏|电影|台词|玩笑|反话|讽刺|骗|出戏"
)
_LATIN = "a-zà-öø-ɏ"


class GoldenFormatError(ValueError):
    """A file breaks the format; the message names the file, the history and the fault."""


class Place(NamedTuple):
    """An exchange of a history, both counted from 0."""

    session: int
    exchange: int


@dataclass(frozen=True, slots=True)
class Span:
    """The days, both included, that an event may have had."""

    first: date
    last: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    user: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """`started` is local time."""

    started: datetime
    exchanges: Sequence[Exchange]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """`about` is "user", "assistant" or a name; `words` are alternatives."""

    id: str
    about: str
    place: Place
    words: Sequence[Sequence[str]]
    superseded_by: str | None
    event: Span | None

    def is_stated_by(self, observation: str) -> bool:
        return has_words(observation, self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fiction:
    """Words of an exchange that no observation of it may assert."""

    place: Place
    words: Sequence[Sequence[str]]

    def is_asserted_by(self, observation: str) -> bool:
        """Expects an observation that is not flagged as fiction."""
        framed = _FRAMED.search(_folded(observation)) is not None
        return not framed and has_words(observation, self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`wants` is the id of the fact that answers; `avoids` that of one that misleads."""

    text: str
    wants: str
    avoids: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """`language` is the file's name; facts of one group in `repeats` say the same."""

    name: str
    language: str
    user_name: str
    assistant_name: str
    sessions: Sequence[Session]
    facts: Sequence[Fact]
    fiction: Sequence[Fiction]
    repeats: Sequence[Sequence[str]]
    not_superseded: Sequence[str]
    questions: Sequence[Question]

    def exchange(self, place: Place) -> Exchange:
        """Raises IndexError for a place that the history does not have."""
        if min(place) < 0:
            raise IndexError(f"a place counts from 0: {list(place)}")
        return self.sessions[place.session].exchanges[place.exchange]

    def fact(self, id_: str) -> Fact:
        """Raises KeyError for an unknown id."""
        return {fact.id: fact for fact in self.facts}[id_]


def has_words(text: str, alternatives: Sequence[Sequence[str]]) -> bool:
    """Tells whether a text has every word of one of the alternatives."""
    return any(all(has_word(text, word) for word in words) for words in alternatives)


def has_word(text: str, word: str) -> bool:
    """Tells whether a word begins in a text: "marr" is in "married", "art" not in "start".

    Case, width and composition of letters do not matter. Digits are whole numbers: "2" is not in
    "2025". In Chinese any place counts.
    """
    sought = _folded(word)
    before = rf"(?<![{_LATIN}])" if re.match(rf"[{_LATIN}]", sought) else ""
    before = r"(?<!\d)" if sought[0].isdigit() else before
    after = r"(?!\d)" if sought[-1].isdigit() else ""
    return re.search(before + re.escape(sought) + after, _folded(text)) is not None


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def read_span(text: str) -> Span:
    """Reads "2025", "2025-03", "2025-03-07" or an interval of two such dates, "2024-06/2024-08".

    Raises ValueError for anything else.
    """
    first, _, last = text.partition("/")
    return Span(_days(first).first, _days(last or first).last)


def _days(text: str) -> Span:
    if not re.fullmatch(r"\d{4}(-\d\d){0,2}", text):
        raise ValueError(f"{text!r} is not a year, a month or a day such as 2025-03-07")
    year, month, day = (*map(int, text.split("-")), None, None)[:3]
    if day and month:
        return Span(date(year, month, day), date(year, month, day))
    last = month or 12
    return Span(date(year, month or 1, 1), date(year, last, monthrange(year, last)[1]))


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
        told = json.loads(path.read_text(encoding="utf-8"))["histories"]
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise GoldenFormatError(f'{path}: not a JSON object with "histories": {exc!r}') from exc
    names = set[str]()
    for number, record in enumerate(told):
        history = _read_history(record, path, number)
        found = [*problems(history), *(["its name is taken"] if history.name in names else [])]
        if found:
            listed = "; ".join(found[:SHOWN_PROBLEMS])
            raise GoldenFormatError(f"{path}, history {history.name!r}: {listed}")
        names.add(history.name)
        yield history


def _read_history(told: Mapping[str, Any], path: Path, number: int) -> History:
    try:
        return _history({"repeats": []} | dict(told), path.stem)
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
        name = told.get("name", number) if isinstance(told, dict) else number
        raise GoldenFormatError(f"{path}, history {name!r}: {exc!r}") from exc


def _history(told: Mapping[str, Any], language: str) -> History:
    made = {
        "sessions": [_session(session) for session in told["sessions"]],
        "facts": [_fact(fact) for fact in told["facts"]],
        "fiction": [_fiction(mark) for mark in told["fiction"]],
        "questions": [_question(question) for question in told["questions"]],
    }
    return History(language=language, **(dict(told) | made))


def _session(told: Mapping[str, Any]) -> Session:
    exchanges = [Exchange(user=user, answer=answer) for user, answer in told["exchanges"]]
    started = datetime.fromisoformat(told["started"])
    return Session(**(dict(told) | {"started": started, "exchanges": exchanges}))


def _fact(told: Mapping[str, Any]) -> Fact:
    rest = {key: value for key, value in told.items() if key != "exchange"}
    event = read_span(told["event"]) if told["event"] is not None else None
    return Fact(place=Place(*told["exchange"]), **(rest | {"event": event}))


def _fiction(told: Mapping[str, Any]) -> Fiction:
    rest = {key: value for key, value in told.items() if key != "exchange"}
    return Fiction(place=Place(*told["exchange"]), **rest)


def _question(told: Mapping[str, Any]) -> Question:
    rest = {key: value for key, value in told.items() if key != "not"}
    return Question(avoids=told["not"], **rest)


def problems(history: History) -> Iterator[str]:
    """Yields each fault of a history as a sentence that names the part at fault."""
    yield from _session_problems(history.sessions)
    for mark in (*history.facts, *history.fiction):
        yield from _mark_problems(history, mark)
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


def _mark_problems(history: History, mark: Fact | Fiction) -> Iterator[str]:
    name = f"fact {mark.id!r}" if isinstance(mark, Fact) else f"fiction {list(mark.place)}"
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
        main(sys.argv[1:])
    except GoldenFormatError as exc:
        raise SystemExit(str(exc)) from exc
