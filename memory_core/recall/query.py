"""What recall is asked: the message, who talks, and what must not come back."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..records import nothing
from ..terms import terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """`shown` holds content keys of what the prompt holds anyway, `stale` ids of memories that
    the chat no longer says, `sticky` the scores that earlier messages lend to what they recalled.
    """

    text: str
    names: tuple[str, ...] = ()
    shown: frozenset[str] = frozenset()
    stale: frozenset[str] = frozenset()
    sticky: Mapping[str, float] = field(default_factory=nothing)

    @property
    def words(self) -> list[str]:
        """The terms to search for; the names of those who talk are in every memory."""
        own = {word for name in self.names for word in terms(name)}
        return [word for word in terms(self.text) if word not in own]

    @property
    def nameless(self) -> str:
        """The text without the names, for the embedder."""
        names = [re.escape(name) for name in self.names if name.strip()]
        if not names:
            return self.text
        pattern = rf"(?<!\w)(?:{'|'.join(names)})(?!\w)"
        return re.sub(pattern, " ", self.text, flags=re.IGNORECASE).strip() or self.text
