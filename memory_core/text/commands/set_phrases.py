"""Sentences for the model in place of a bare command. Some chat templates refuse an empty message.

Each is in English and in Chinese, by the value of its CommandKind.
"""

# ruff: noqa: RUF001  (Chinese punctuation)

from collections.abc import Mapping

_ALONE: Mapping[str, tuple[str, str]] = {
    "off": ("This stays off the record.", "这条不要记录。"),
    "remember": ("Please remember something.", "请记住一件事。"),
    "forget": ("Please forget something.", "请忘掉一件事。"),
    "memories": ("What do you remember?", "你记得什么？"),
    "pause": ("Please pause your memory in this chat.", "请在这个对话中暂停记忆。"),
    "resume": ("Please resume your memory in this chat.", "请在这个对话中恢复记忆。"),
    "never": ("Please remember nothing from now on.", "请从现在起什么都不要记住。"),
    "again": ("Please remember again from now on.", "请从现在起重新开始记住。"),
    "help": ("Which commands does your memory have?", "你的记忆有哪些命令？"),
}
ABOUT: Mapping[str, tuple[str, str]] = {
    "forget": ("Please forget: {}", "请忘掉：{}"),
    "memories": ("What do you remember about this: {}", "关于这个你记得什么：{}"),
}


def set_phrase(kind: str, argument: str, *, is_chinese: bool) -> str:
    """Returns the sentence for a command of this kind, with its argument if there is one."""
    if argument and kind in ABOUT:
        return ABOUT[kind][is_chinese].format(argument)
    return _ALONE[kind][is_chinese]
