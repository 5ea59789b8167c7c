"""A stand-in for the host: takes its dicts, returns a ChatML prompt, and has a tokenizer if any."""

import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from memory_core.text.token_counter import estimate_tokens
from memory_core.ui.demo.demo_host import Message, messages

_VOCABULARY = 4096
_CHARS_PER_TOKEN = 3
_OTHER_OPTIONS = 140  # the host's page sends about this many that memory never looks at


class Tokens(Protocol):
    """Splits a text as a model does; `name` names the tokenizer."""

    name: str

    def count(self, text: str) -> int: ...

    def split(self, text: str) -> Sequence[object]: ...


class BytePairs:
    """A byte-level BPE tokenizer like those of models, trained on the benchmark's own talk."""

    def __init__(self, texts: Iterable[str]) -> None:
        from tokenizers import ByteLevelBPETokenizer

        self._tokenizer = ByteLevelBPETokenizer()
        self._tokenizer.train_from_iterator(texts, vocab_size=_VOCABULARY, show_progress=False)
        self.name = f"byte-level BPE, at most {_VOCABULARY} tokens, trained on talk like the chat's"

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(text))

    def split(self, text: str) -> Sequence[object]:
        return list(self._tokenizer.encode(text).ids)


class Estimated:
    """Counts by characters, as the extension does without a tokenizer."""

    name = "estimate by characters (the package `tokenizers` is not installed)"

    def count(self, text: str) -> int:
        return estimate_tokens(text)

    def split(self, text: str) -> Sequence[object]:
        return text


def tokens_for(texts: Iterable[str]) -> Tokens:
    """Returns the most realistic counter available; `texts` are a sample of texts to count."""
    return BytePairs(texts) if importlib.util.find_spec("tokenizers") else Estimated()


class StandInHost:
    """A stand-in for the parts of the host that the hooks use."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def build_prompt(
        self, user_input: str, state: dict[str, Any], *, history: dict[str, Any], continuing: bool
    ) -> str:
        """Cuts a too long prompt in one step, then counts once.

        The real host renders and counts again for each message that it cuts off. Compared with
        that, memory, which cuts beforehand, would seem to take negative time.
        """
        room = state["truncation_length"] - state["max_new_tokens"]
        found = messages(user_input, state, history)
        prompt = _chatml(_cut(found, room * _CHARS_PER_TOKEN))
        self._tokens.count(prompt)
        return prompt

    def count_tokens(self, text: str) -> int | None:
        return None if isinstance(self._tokens, Estimated) else self._tokens.count(text)

    def is_generating(self) -> bool:
        return False

    def is_multi_user(self) -> bool:
        return False

    def signed_in(self) -> str | None:
        return None

    def chat_file(self, state: Mapping[str, Any]) -> Path | None:
        """Returns None: the last hook stores each turn, without waiting for a file."""
        return None

    def user_data_folder(self) -> Path | None:
        return None

    def user_profile(self) -> str:
        return ""


def page_state(**own: object) -> dict[str, Any]:
    """Returns the state that the host's page sends with a message; `own` are the keys used here."""
    return {f"option_{number}": number for number in range(_OTHER_OPTIONS)} | own


def _cut(found: list[Message], chars: int) -> list[Message]:
    """Drops the oldest messages after the system message, until about `chars` remain."""
    system, rest = found[:1], found[1:]
    left = chars - sum(len(entry["content"]) for entry in found)
    while left < 0 and len(rest) > 1:
        left += len(rest.pop(0)["content"])
    return system + rest


def _chatml(found: Iterable[Message]) -> str:
    turns = (f"<|im_start|>{entry['role']}\n{entry['content']}<|im_end|>\n" for entry in found)
    return "".join(turns) + "<|im_start|>assistant\n"
