"""Features of a search result from which the need for a memory is estimated."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedFeatures:
    """Coverage of a message's words by the stored memories.

    `found`: summed weight of the words in the best exchange, in rare words; `share`: `found` as a
    share of all the message's words; `known`: summed weight of the words in any memory; `unknown`:
    number of words in none; `rare`: few memories contain one of the words; `proper`: a known word
    is capitalised like a name; `asks_back`: the message names a past time; `named`: the message
    names one of the two speakers; `trust`: how well the embedder knows the message's language,
    0 … 1, 0 without an embedder.
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
