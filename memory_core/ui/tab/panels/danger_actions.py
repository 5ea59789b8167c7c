"""Deleting asks for the name: what was typed has to be what is shown."""


def confirmed(typed: str, name: str) -> bool:
    return bool(name) and typed == name
