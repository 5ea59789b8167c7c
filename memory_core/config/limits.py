"""What the settings say of time to the memory."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Patience with a query's vector, and until erasure, in seconds; whether what is said now is
    recalled in the next session only.
    """

    query_timeout_s: float
    undo_forget_s: float
    next_session_only: bool = False
