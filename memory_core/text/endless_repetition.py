"""Recognises a text that has begun to repeat itself, as small models do without end."""

_SEED = 40  # characters that locate an earlier repetition
_LONGEST_PERIOD = 600
_PROOF = 300  # characters that must equal those one period earlier
_FEWEST = 3  # repetitions of a longer period


def repeats_itself(text: str) -> bool:
    """Returns whether the text ends in the same words over and over."""
    if len(text) < _PROOF + _SEED:
        return False
    before = text.rfind(text[-_SEED:], max(0, len(text) - _LONGEST_PERIOD - _SEED), len(text) - 1)
    period = len(text) - _SEED - before
    proof = max(_PROOF, (_FEWEST - 1) * period)
    is_periodic = text[-proof:] == text[-proof - period : -period]
    return before >= 0 and len(text) >= proof + period and is_periodic
