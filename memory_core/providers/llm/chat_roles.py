"""Messages for servers whose chat templates know only users and assistants, in turn."""

from collections.abc import Sequence

_BETWEEN = "\n\n"


def merge_roles(messages: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Returns the messages with the system's as the user's, and neighbours of one role as one."""
    merged = list[dict[str, str]]()
    for message in messages:
        role = "user" if message["role"] == "system" else message["role"]
        if merged and merged[-1]["role"] == role:
            content = merged.pop()["content"] + _BETWEEN + message["content"]
        else:
            content = message["content"]
        merged.append({"role": role, "content": content})
    return merged
