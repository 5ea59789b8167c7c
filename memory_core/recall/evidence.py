"""The evidence of a search: how much of a message the memories know."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedFeatures:
    """What the memories know of a message's words. `found`: the words that the best exchange
    answers, in rare words; `share`: the same of all its words; `known`: the weight of those that
    any memory holds; `unknown`: how many none does; `rare`: few memories hold one of them;
    `proper`: one of them is written as a name is; `asks_back`: the message names a time that is
    over; `named`: it speaks of one of the two by name;
    `trust`: how far the embedder knows the message's language, 0 … 1, 0 without an embedder.
    """

    share: float
    found: float
    known: float
    unknown: int
    rare: bool = False
    proper: bool = False
    asks_back: bool = False
    named: bool = False
    trust: float = 0.0
