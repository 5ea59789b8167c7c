"""The settings that the memory itself needs: of time, and of the guard."""

from dataclasses import dataclass, field

from ..domain.private_parts import GuardRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Seconds to wait for a query's vector, and from forgetting to erasure.

    With `next_session_only`, new memories are recalled from the next session on. `guard` rules
    over new words with private parts.
    """

    query_timeout_s: float
    undo_forget_s: float
    next_session_only: bool = False
    guard: GuardRules = field(default_factory=GuardRules)
