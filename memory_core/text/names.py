"""Handles the names of the two speakers: placeholders, macros, and names inside a text.

A host calls the two speakers "You" and "AI" by default. These are ordinary words in messages, so a
search by such a name would find nothing useful. Prompts say "the user" and "the assistant" instead,
in the chat's language, and in Chinese for Chinese placeholders.

In the chat modes the page of text-generation-webui replaces {{user}}, <USER> and <user> in answers,
but not in instruct mode, not in a person's messages, and never {{char}}. The chat's file keeps the
macro, and so does the log, so that a chat stays recognisable after the user changes
the name.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType

from ..domain.records import Exchange, Role, Turn
from .locales import DEFAULT

_MACROS = ("{{user}}", "<USER>", "<user>")
CHAT_CHANNELS = frozenset(["chat", "chat-instruct", "api-chat", "api-chat-instruct"])
_HAN = re.compile("[\u3400-\u9fff]")

_WORDS = (
    "you me i myself user human bot chatbot assistant model du ich nutzer benutzer assistent "
    "utilisateur usuario asistente usuário você utente assistente ты я пользователь ассистент "
    "あなた ユーザー アシスタント 사용자 나 너"
)
_GENERIC_NAMES = frozenset(_WORDS.split())
_GENERIC_NAMES_EXACT = frozenset(("AI", "ai", "A.I."))  # Ai is a name
_CHINESE_WORDS = "你 您 我 用户 用戶 使用者 助手 助理 人工智能 机器人 機器人 AI助手"
_CHINESE = frozenset(_CHINESE_WORDS.split())

USER, ASSISTANT = "user", "assistant"
_ROLES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        USER: {
            "en": "the user",
            "zh": "用户",
            "de": "der Nutzer",
            "es": "el usuario",
            "fr": "l'utilisateur",
            "ja": "ユーザー",
            "ru": "пользователь",
        },
        ASSISTANT: {
            "en": "the assistant",
            "zh": "助手",
            "de": "der Assistent",
            "es": "el asistente",
            "fr": "l'assistant",
            "ja": "アシスタント",
            "ru": "ассистент",
        },
    }
)


def replace_macros(exchange: Exchange) -> Exchange:
    """Returns the exchange with names for macros, or the same object if nothing changes."""
    name = exchange.user_name
    if not name or exchange.channel not in CHAT_CHANNELS:
        return exchange
    if not (exchange.turns or "<" in exchange.assistant or "{" in exchange.assistant):
        return exchange
    answer = _replace_in_text(exchange.assistant, name)
    turns = tuple(_replace_in_turn(turn, name) for turn in exchange.turns)
    if (answer, turns) == (exchange.assistant, exchange.turns):
        return exchange
    return replace(exchange, assistant=answer, turns=turns)


def _replace_in_turn(turn: Turn, name: str) -> Turn:
    return (
        replace(turn, text=_replace_in_text(turn.text, name))
        if turn.role is Role.ASSISTANT
        else turn
    )


def _replace_in_text(text: str, name: str) -> str:
    for macro in _MACROS:
        text = text.replace(macro, name)
    return text


@lru_cache(maxsize=1024)  # a chat's two names are asked for at each line of its prompt
def is_name(name: str) -> bool:
    """Returns True for a name of a person, False for a placeholder or an empty name."""
    return bool(name.strip()) and not (_is_chinese(name) or _is_generic(name))


@lru_cache(maxsize=1024)
def name_or_role(name: str, role: str, language: str = DEFAULT) -> str:
    """Returns the name, or for a placeholder the role (USER or ASSISTANT) in this language.

    The role is in Chinese for a Chinese placeholder, and in English for an unknown language.
    """
    by_language = _ROLES[role]
    if _is_chinese(name):
        return by_language["zh"]
    return by_language.get(language, by_language[DEFAULT]) if _is_generic(name) else name


def _is_generic(name: str) -> bool:
    return name.strip().casefold() in _GENERIC_NAMES or name.strip() in _GENERIC_NAMES_EXACT


def _is_chinese(name: str) -> bool:
    return name.strip() in _CHINESE


def without_name(text: str, name: str) -> str:
    """Returns the text without this name; the text itself if nothing else would be left."""
    if not name.strip():
        return text
    rest = " ".join(_pattern(name).sub(" ", text).split())
    return rest if any(map(str.isalnum, rest)) else text


@lru_cache(maxsize=64)
def _pattern(name: str) -> re.Pattern[str]:
    """Returns a pattern for the name as whole words; in Chinese, which has no blanks, anywhere."""
    if _HAN.search(name):
        return re.compile(re.escape(name))
    return re.compile(rf"(?<!\w){re.escape(name)}(?:['’]s)?(?!\w)", re.IGNORECASE)  # noqa: RUF001
