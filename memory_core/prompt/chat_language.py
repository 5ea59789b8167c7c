"""The language of a chat, in which the words of the prompt are written."""

import re
from collections.abc import Sequence
from itertools import islice

from ..text.locales import DEFAULT

_LOOKED_AT = 12
_TO_CHANGE = 3
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")
_WORD = re.compile("[^\\W\\d_\u3040-\u30ff\u3400-\u9fff]+")
_LONGEST = 2_000


def chat_language(newest_first: Sequence[str], known: str = "") -> str:
    """Returns the language for a chat with these messages of the user.

    A `known` language changes only after three messages in a row in another one, because each
    change makes the model process the whole prompt again.
    """
    spoken = list(islice(filter(None, map(_message_language, newest_first)), _LOOKED_AT))
    if not spoken:
        return known or DEFAULT
    if not known:
        return max(dict.fromkeys(spoken), key=spoken.count)
    latest = spoken[:_TO_CHANGE]
    has_changed = len(latest) == _TO_CHANGE and len(set(latest)) == 1
    return latest[0] if has_changed else known


def _message_language(text: str) -> str:
    """Returns "zh" for Chinese, the default for other languages, nothing without any word."""
    text = text[:_LONGEST]
    characters, words = len(_HAN.findall(text)), len(_WORD.findall(text))
    if not (characters or words):
        return ""
    return "zh" if characters > words and not _KANA.search(text) else DEFAULT
