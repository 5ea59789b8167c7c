"""The settings that the memory itself needs: time limits and the guard's rules."""

from dataclasses import dataclass, field

from ..domain.private_parts import GuardRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of one memory.

    `query_timeout_s`: seconds to wait for a query's vector. `undo_forget_s`: seconds between
    forgetting and erasure. `next_session_only`: new memories are recalled from the next session
    on. `guard`: the actions for private details in new words.
    """

    query_timeout_s: float
    undo_forget_s: float
    next_session_only: bool = False
    guard: GuardRules = field(default_factory=GuardRules)
