"""For how long forgotten memories can be brought back, in words."""

import math

from ....memory.runtime import Runtime
from ....text.locales import Words

_MINUTE_S = 60.0


def undo_minutes(runtime: Runtime) -> int:
    """Returns the time in full minutes; 0 if the words of forgotten memories are erased at once."""
    return math.ceil(runtime.settings.ltm_writes.undo_forget_s / _MINUTE_S)


def undo_text(words: Words, minutes: int, keys: tuple[str, str], **values: object) -> str:
    """Returns the text of the first key, or of the second if nothing can be brought back."""
    within, at_once = keys
    return words(within, minutes=minutes, **values) if minutes else words(at_once, **values)
