"""Collects the user's statements about themselves, except those that are being forgotten."""

from ..domain.namespaces import Namespace
from ..recall.about_user import AboutUser, collect_about_user
from .long_term_memory import LongTermMemory


def about_user(memory: LongTermMemory, namespace: Namespace) -> AboutUser:
    """Returns the user's statements about themselves in this namespace."""
    with memory.open_namespace(namespace) as opened:
        found = opened.query(collect_about_user)
        hidden = opened.hidden_ids()
    if not hidden:
        return found
    said = {
        subject: [quote for quote in quotes if quote.memory.id not in hidden]
        for subject, quotes in found.said.items()
    }
    return AboutUser(
        pinned=[one for one in found.pinned if one.id not in hidden],
        notes=[one for one in found.notes if one.id not in hidden],
        said={subject: quotes for subject, quotes in said.items() if quotes},
    )
