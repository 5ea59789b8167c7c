"""Recognises placeholder names: a host calls the two speakers "You" and "AI" by default.

These are ordinary words in messages, so a search by such a name would find nothing useful. Prompts
say "the user" and "the assistant" instead, in Chinese for Chinese placeholders.
"""

from functools import lru_cache

_WORDS = (
    "you me i myself user human bot chatbot assistant model du ich nutzer benutzer assistent "
    "utilisateur usuario asistente usuário você utente assistente ты я пользователь ассистент "
    "あなた ユーザー アシスタント 사용자 나 너"
)
_GENERIC_NAMES = frozenset(_WORDS.split())
_GENERIC_NAMES_EXACT = frozenset(("AI", "ai", "A.I."))  # Ai is a name
_CHINESE_WORDS = "你 您 我 用户 用戶 使用者 助手 助理 人工智能 机器人 機器人 AI助手"
_CHINESE = frozenset(_CHINESE_WORDS.split())

USER, ASSISTANT = ("the user", "用户"), ("the assistant", "助手")


@lru_cache(maxsize=1024)  # a chat's two names are asked for at each line of its prompt
def is_name(name: str) -> bool:
    """Returns True for a name of a person, False for a placeholder or an empty name."""
    return bool(name.strip()) and not (_is_chinese(name) or _is_generic(name))


@lru_cache(maxsize=1024)
def name_or_role(name: str, role: tuple[str, str], language: str = "") -> str:
    """Returns the name, or for a placeholder the role (USER or ASSISTANT).

    The role is in the placeholder's language, and in Chinese if `language` is "zh".
    """
    english, chinese = role
    if _is_chinese(name) or (language == "zh" and _is_generic(name)):
        return chinese
    return english if _is_generic(name) else name


def _is_generic(name: str) -> bool:
    return name.strip().casefold() in _GENERIC_NAMES or name.strip() in _GENERIC_NAMES_EXACT


def _is_chinese(name: str) -> bool:
    return name.strip() in _CHINESE
