"""Facts about a derived memory: its origin, its subject, and the time in which it holds."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any


class Flag(StrEnum):
    """Reason why a memory must not be presented as a fact."""

    FICTION = "fiction"
    ROLE_PLAY = "role-play"
    HYPOTHETICAL = "hypothetical"


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """Facts about a memory that was made from other memories. All times in seconds since the epoch.

    `made_by`: the model that made it, or EXTRACTIVE. `subject`, `key`, `value`: a property of
    somebody ("Ana", "home", "Lisbon"). `search_words`: words that its text lacks and by which it is
    found, too. `is_about_speaker`: the subject is the user or the
    character, whose name says little in a search. `event_from` to `event_to`: the half-open period
    in which the event happened. `valid_from` to `valid_to`: the half-open period in which the fact
    holds. `superseded_by`: id of the newer memory that replaced it; it counts only while that
    memory is live. `reflected_into`: ids of the memories that were made from this one.
    `in_doubt_with`: ids of the memories that it may contradict, until somebody decides.
    `is_rejected`: somebody refused to make it a note for every prompt.
    """

    made_by: str = ""
    subject: str = ""
    key: str = ""
    value: str = ""
    search_words: str = ""
    is_about_speaker: bool = False
    event_from: float | None = None
    event_to: float | None = None
    valid_from: float | None = None
    valid_to: float | None = None
    superseded_by: str = ""
    flag: Flag | None = None
    reflected_into: tuple[str, ...] = ()
    in_doubt_with: tuple[str, ...] = ()
    is_rejected: bool = False

    @property
    def event_time(self) -> tuple[float, float] | None:
        """The half-open period in which the event happened; None if it is unknown."""
        if self.event_from is None:
            return None
        return self.event_from, max(self.event_from, self.event_to or self.event_from)

    @property
    def is_fact(self) -> bool:
        """Whether it is stated as a fact, and not as a plan."""
        return self.flag is None and self.key.casefold() != PLAN

    def never_held(self, said_at: float | None) -> bool:
        """Returns whether a person's note, said at that time, was only corrected by a newer one."""
        is_replaced_note = bool(self.superseded_by) and not self.made_by
        return is_replaced_note and self.valid_to is not None and self.valid_to == said_at

    def has_ended(self, now: float) -> bool:
        """Returns whether its validity has ended by `now`. Ignores `superseded_by`."""
        return self.valid_to is not None and self.valid_to <= now

    def to_fields(self) -> dict[str, Any]:
        """Returns the fields that differ from their defaults, as JSON values."""
        values = ((own.name, getattr(self, own.name), own.default) for own in fields(self))
        changed = {name: value for name, value, default in values if value != default}
        return changed | {name: list(changed[name]) for name in _ID_LISTS & changed.keys()}


EXTRACTIVE = "extractive"
PLAN = "plan"  # key of what somebody intends
NO_DERIVATION = Derivation()
DERIVATION_FIELDS = frozenset(own.name for own in fields(Derivation))
# Fields without words; they stay when a memory's text is erased.
VALIDITY_FIELDS = frozenset(("superseded_by", "valid_to"))
_ID_LISTS = frozenset(("reflected_into", "in_doubt_with"))
_BOOLEANS = frozenset(("is_about_speaker", "is_rejected"))
_MAX_TIME = 1e15
_TIMES = frozenset(("event_from", "event_to", "valid_from", "valid_to"))


def derivation_of(source: Mapping[str, Any]) -> Derivation | None:
    """Returns the derivation in the fields of an event; None if they contain none.

    Raises ValueError or TypeError for values of a wrong type.
    """
    known = DERIVATION_FIELDS & source.keys()
    if not known:
        return None
    return derivation_or_none(Derivation(**{name: _typed(name, source[name]) for name in known}))


def derivation_or_none(derivation: Derivation) -> Derivation | None:
    """Returns None instead of a derivation whose fields are all at their defaults."""
    return None if derivation == NO_DERIVATION else derivation


def _finite(value: Any) -> float:  # noqa: ANN401
    number = float(value)
    if not abs(number) <= _MAX_TIME:
        raise ValueError(f"{value!r} is not a time in seconds since the epoch")
    return number


def _typed(name: str, value: Any) -> Any:  # noqa: ANN401
    if name in _TIMES:
        return None if value is None else _finite(value)
    if name == "flag":
        return Flag(value) if value else None
    if name in _ID_LISTS:
        return tuple(map(str, value))
    if name in _BOOLEANS:
        return bool(value)
    return str(value)
