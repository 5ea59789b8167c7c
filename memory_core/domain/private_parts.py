"""Parts of a text that may be private, and the rules of what the guard does with them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class PrivatePart(StrEnum):
    """The parts that the guard recognises."""

    KEY = "key"
    CARD = "card"
    EMAIL = "email"
    PHONE = "phone"


class GuardAction(StrEnum):
    """The action of the guard on words with a private part."""

    KEEP = "keep"
    REDACT = "redact"
    SKIP = "skip"
    ASK = "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardRules:
    """The action for each part; parts without one are kept."""

    actions: Mapping[PrivatePart, GuardAction] = field(default_factory=dict)

    @property
    def redacted(self) -> frozenset[PrivatePart]:
        return self._parts_with(GuardAction.REDACT)

    @property
    def skipped(self) -> frozenset[PrivatePart]:
        return self._parts_with(GuardAction.SKIP)

    @property
    def asked(self) -> frozenset[PrivatePart]:
        return self._parts_with(GuardAction.ASK)

    @property
    def refused(self) -> frozenset[PrivatePart]:
        """The parts that keep the whole text out of memory, at least until somebody decides."""
        return self.skipped | self.asked

    @property
    def forbidden(self) -> frozenset[PrivatePart]:
        """The parts that are not stored as they are, at least until somebody allows it."""
        return self.redacted | self.refused

    def _parts_with(self, action: GuardAction) -> frozenset[PrivatePart]:
        return frozenset(part for part, chosen in self.actions.items() if chosen is action)
