"""Says that something failed, in the language of the page."""

from ....text.locales import Words
from ....text.problem_text import problem_text


def failure_text(exc: Exception, words: Words) -> str:
    """Returns a message that something failed, with the error in the language of these words."""
    return words("failed", reason=problem_text(str(exc), words))
