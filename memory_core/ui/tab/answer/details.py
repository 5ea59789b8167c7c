"""Translates recall's English reasons for leaving out a memory into the reader's language."""

import re

from ....text.locales import DEFAULT, Words, tab_words
from ....text.problem_text import problem_text

_NUMBER = r"(?P<{}>[\d.]+)"
_SCORE, _MINIMUM, _COUNT = (_NUMBER.format(name) for name in ("score", "minimum", "count"))
# A trace may be older than the program, so only its text can be translated.
_KNOWN = tuple(
    (re.compile(pattern, re.DOTALL), f"detail_{key}")
    for key, pattern in {
        "no_need": rf"the message seems to need no memory \({_SCORE} is below {_MINIMUM}\)",
        "low_score": rf"score {_SCORE} is below {_MINIMUM}",
        "neighbours": "only its neighbours fit, and it says little itself",
        "unanswered": "a question like this one, which got no answer",
        "in_block": "already in the system block",
        "command": "a command, or its reply",
        "repeated": "a better memory says the same: one of them was made of the other",
        "short": rf"shorter than {_COUNT} letters",
        "too_far": rf"cosine distance {_SCORE} is not below {_MINIMUM}",
        "little_language": "the embedding model knows little (?P<language>.+) "
        rf"\({_SCORE}\): recall goes mostly by words",
        "said": "the prompt already says it",
        "limit": rf"only {_COUNT} are (?:recalled|kept)",
        "shown_fits": rf"the chat shows what fits far better: only {_COUNT} are recalled",
        "tokens": rf"only {_COUNT} tokens were left",
        "paused": "recall is paused in this chat",
        "switched_off": "recall is switched off",
        "was_command": "the message was a command to the memory",
        "no_text": "the message has no text to recall for",
        "no_embedder": "no (?:embedding model|embedder): words only",
        "model_changed": "the embedding model has just changed: words only",
        "not_embedded": "embeddings are not ready yet: words only",
        "words_only": "words only: (?P<reason>.+)",
    }.items()
)


def detail_text(detail: str, words: Words) -> str:
    """Returns the detail in the language of these words; an unknown one stays unchanged."""
    for pattern, key in _KNOWN:
        if found := pattern.fullmatch(detail):
            fields = found.groupdict()
            if "language" in fields:
                fields["language"] = _language(fields["language"], words)
            if "reason" in fields:
                fields["reason"] = problem_text(fields["reason"], words)
            return words(key, **fields)
    return detail


def _language(english: str, words: Words) -> str:
    """Returns the name of a language in these words; an unknown one stays English."""
    known = tab_words(DEFAULT)
    names = [name for name in known.keys() if name.startswith("language_")]  # noqa: SIM118
    key = next((name for name in names if known[name] == english), "")
    return words[key] if key else english
