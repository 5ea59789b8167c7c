"""Draws the exchanges that the guard holds back, each with its three decisions."""

from collections.abc import Sequence

from ....memory.held_inbox import HeldDecision
from ....storage.held import HeldExchange
from ....text.locales import Words
from ..common.actions import primary
from ..common.status import escaped
from .cards import Button
from .wording import moment

_MAX_ITEMS = 20
_LONGEST = 600


def held_html(held: Sequence[HeldExchange], words: Words, button: Button) -> str:
    """Returns the list of held exchanges; "" if none waits."""
    if not held:
        return ""
    items = "".join(_item(one, words, button) for one in held[:_MAX_ITEMS])
    left = len(held) - _MAX_ITEMS
    more = (
        f'<p class="ltm-muted">{escaped(words("review_more", count=left))}</p>' if left > 0 else ""
    )
    return (
        f"<h3>{escaped(words['review_held'])}</h3>"
        f'<p class="ltm-muted">{escaped(words["review_held_help"])}</p><ul>{items}</ul>{more}'
    )


def _item(one: HeldExchange, words: Words, button: Button) -> str:
    texts = filter(None, (one.exchange.user, one.exchange.assistant))
    sides = "".join(f'<p class="ltm-fact">{escaped(_short(text))}</p>' for text in texts)
    buttons = "".join(_decision(name, one, words, button) for name in HeldDecision)
    return (
        f'<li class="ltm-card">{sides}{_reason(one, words)}'
        f'<div class="ltm-row ltm-held-actions">{buttons}</div></li>'
    )


def _decision(name: HeldDecision, one: HeldExchange, words: Words, button: Button) -> str:
    """Returns the button of a decision; the one that stores no private part is highlighted."""
    label = words[f"review_held_{name}"]
    found = button("decide", label, decision=name.value, held_id=one.id)
    return primary(found) if name is HeldDecision.REDACT else found


def _reason(one: HeldExchange, words: Words) -> str:
    found = ", ".join(words[f"guard_{part}"] for part in sorted(one.parts))
    when = moment(one.exchange.ts or one.held_at, words)
    time = f'<time datetime="{escaped(when.iso)}">{escaped(when.text)}</time>'
    return f'<p class="ltm-muted">{escaped(words("review_held_why", parts=found))} · {time}</p>'


def _short(text: str) -> str:
    joined = " ".join(text.split())
    return joined if len(joined) <= _LONGEST else f"{joined[:_LONGEST]}…"
