"""The words of the tab, the prompt and the replies to commands: one folder per language.

Each file is a part of its own, but the files in `tab/` form one part together. Prompts are written
in more languages than the tab.
"""

import json
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from string import Formatter

DEFAULT = "en"
LANGUAGES = {"English": "en", "中文": "zh"}
PROMPT_LANGUAGES = (*LANGUAGES.values(), "de", "es", "fr", "ja", "ru")

_FOLDER = Path(__file__).parent
_FORMS = "|"


class Words:
    """The words of one part of the program in one language, by key.

    Raises KeyError for an unknown key, and for a field of a text that the caller does not give.
    """

    def __init__(
        self, texts: Mapping[str, str], *, settings: Mapping[str, str] | None = None
    ) -> None:
        self._texts = texts
        self.settings = settings or {}  # names of the settings by their keys

    def __call__(self, key: str, /, **fields: object) -> str:
        """Returns a text with its fields filled in: words("did_erase", count=2)."""
        text = self._texts[key]
        if _FORMS not in text:  # most texts, in a third of the time
            return text.format(**fields)
        return _WITH_PLURALS.vformat(text, (), fields)

    def __getitem__(self, key: str) -> str:
        """Returns a text that has no fields."""
        return self(key)

    def __contains__(self, key: object) -> bool:
        return key in self._texts

    def get(self, key: str, default: str) -> str:
        return self(key) if key in self._texts else default

    def keys(self) -> Collection[str]:
        return self._texts.keys()

    def template(self, key: str) -> str:
        """Returns a text with its fields unfilled, as its file holds it."""
        return self._texts[key]


def tab_words(language: str) -> Words:
    """Returns the words of the tab, in English for an unknown language."""
    return _words(language, "tab")


def command_words(language: str) -> Words:
    """Returns the replies to commands, in English for an unknown language."""
    return _words(language, "commands")


def prompt_words(language: str) -> Words:
    """Returns the words of the prompt, in English for an unknown language."""
    return _words(language, "prompt")


def mark_words(language: str) -> Words:
    """Returns the marks that replace parts of a memory that the guard removed."""
    return _words(language, "marks")


def question_words(language: str) -> Words:
    """Returns the questions that the recall check asks, in English for an unknown language."""
    return _words(language, "questions")


def setting_label(key: str, language: str) -> str:
    """Returns the setting's translated name with its key, or the key alone if it has none."""
    name = load_texts(language).get("settings", {}).get(key)
    return f"{name} ({key})" if name else key


def setting_help(key: str, description: str, language: str) -> str:
    """Returns the translated help of a setting, or the English description if it has none."""
    return load_texts(language).get("settings_help", {}).get(key, description)


@cache
def _words(language: str, part: str) -> Words:
    english, own = load_texts(DEFAULT), load_texts(language)
    settings = english["settings"] | own.get("settings", {})
    return Words(english[part] | own.get(part, {}), settings=settings)


@cache
def load_texts(language: str) -> dict[str, dict[str, str]]:
    """Returns one language's words: part, key, text."""
    folder = _FOLDER / (language if language in PROMPT_LANGUAGES else DEFAULT)
    parts = {path.stem: _read(path) for path in sorted(folder.glob("*.json"))}
    tab = {key: text for path in tab_files(folder) for key, text in _read(path).items()}
    return parts | {"tab": tab}


def tab_files(folder: Path) -> list[Path]:
    """Returns the files of the tab's words; each key is in only one of them."""
    return sorted((folder / "tab").glob("*.json"))


def _read(path: Path) -> dict[str, str]:
    texts: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return texts


class _WithPlurals(Formatter):
    """Formats as str.format does, and `{count:memory|memories}` as the form for that number."""

    def format_field(self, value: object, format_spec: str) -> str:
        if _FORMS not in format_spec:
            return format(value, format_spec)
        one, many = format_spec.split(_FORMS)
        return one if str(value) == "1" else many


_WITH_PLURALS = _WithPlurals()
