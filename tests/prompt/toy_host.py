"""Fake host: renders a prompt with any chat template from the real host's dicts."""

from functools import cache
from typing import Any

from jinja2 import Template
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tests.prompt.host_messages import messages, with_names

HERE = "the reply goes on here"
COMMAND = "Continue this chat as <|character|>.\n\n<|prompt|>"


def _refuse(reason: str) -> None:
    raise ValueError(reason)


_JINJA = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
_JINJA.globals["raise_exception"] = _refuse


@cache
def _compiled(template: str) -> Template:
    return _JINJA.from_string(template)


def build(user_input: str, state: dict[str, Any], history: dict[str, Any], continuing: bool) -> str:
    found = messages(user_input, state, history, continuing)
    if state["mode"] == "instruct":
        return _rendered(state["instruction_template_str"], found, state, continuing)
    if state["mode"] == "chat":
        return _rendered(state["chat_template_str"], found, state, continuing)
    return _quoted(found, state, continuing)


def _quoted(found: list[dict[str, Any]], state: dict[str, Any], continuing: bool) -> str:
    """Renders chat-instruct: one user message of the instruct template quotes the dialogue."""
    shown, last = (found[:-1], found[-1:]) if continuing else (found, [])
    dialogue = _compiled(state["chat_template_str"]).render(messages=shown, **state)
    command = COMMAND.replace("<|character|>", state["name2"]).replace("<|prompt|>", dialogue)
    system = state["custom_system_message"].strip()
    outer = [{"role": "system", "content": system}] if system else []
    outer += [{"role": "user", "content": with_names(command, state)}, *last]
    return _rendered(state["instruction_template_str"], outer, state, continuing)


def _rendered(
    template: str, found: list[dict[str, Any]], state: dict[str, Any], continuing: bool
) -> str:
    compiled = _compiled(template)
    if not continuing:
        return compiled.render(messages=found, add_generation_prompt=True, **state)
    last = found[-1]["content"]
    found = [*found[:-1], {**found[-1], "content": HERE}]
    return (
        compiled.render(messages=found, add_generation_prompt=False, **state).split(HERE)[0] + last
    )
