"""The tokens of a prompt: those of memory in a line; folded, a bar with all parts."""

import html

from ....memory.traces import Trace
from ....text.locales import Words

FORMS = {"system": "always", "system_extract": "always", "replay": "replayed", "line": "lines"}


def budget_of(trace: Trace) -> dict[str, int]:
    """Returns the tokens of each part of the prompt; `free` is 0 if the limit is unknown."""
    parts = dict.fromkeys(FORMS.values(), 0)
    for entry in trace.injected:
        parts[FORMS.get(entry.form, "lines")] += entry.tokens
    used = sum(parts.values()) + trace.chat_tokens
    return parts | {"chat": trace.chat_tokens, "free": max(0, trace.limit_tokens - used)}


def budget_html(trace: Trace, words: Words) -> str:
    """Returns the line with the folded bar and legend; nothing for a prompt of unknown length."""
    parts = budget_of(trace)
    whole = sum(parts.values())
    if not whole or not trace.chat_tokens:
        return ""
    named = {name: (words[f"budget_{name}"], tokens) for name, tokens in parts.items()}
    bars = "".join(
        f'<span class="ltm-part ltm-{name}" style="width: {100 * tokens / whole:.2f}%"></span>'
        for name, (_, tokens) in named.items()
        if tokens
    )
    legend = "".join(
        f'<li><span class="ltm-key ltm-{name}" aria-hidden="true"></span>{html.escape(label)} '
        f"<b>{tokens:,}</b></li>"
        for name, (label, tokens) in named.items()
        if tokens
    )
    used = whole - parts["chat"] - parts["free"]
    title = html.escape(words("budget_title", used=used, count=trace.limit_tokens or whole))
    return (
        f'<details class="ltm-budget"><summary>{title}</summary>'
        f'<div class="ltm-bar" aria-hidden="true">{bars}</div><ul>{legend}</ul></details>'
    )
