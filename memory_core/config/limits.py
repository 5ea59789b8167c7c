"""The settings about time that the memory itself needs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Seconds to wait for a query's vector, and from forgetting to erasure.

    With `next_session_only`, new memories are recalled from the next session on.
    """

    query_timeout_s: float
    undo_forget_s: float
    next_session_only: bool = False
