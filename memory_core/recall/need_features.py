"""Features of a search result from which the need for a memory is estimated."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedFeatures:
    """Coverage of a message's words by the stored memories.

    `found`: summed weight of the words in the best exchange, in rare words; `share`: `found` as a
    share of all the message's words; `covered`: the largest share of them that one memory has;
    `is_known`: some memory has one of the words; `asks_back`: the message names a past time;
    `trust`: how well the embedder knows the message's language, 0 … 1, 0 without an embedder.
    """

    share: float
    found: float
    covered: float = 0.0
    is_known: bool = False
    asks_back: bool = False
    trust: float = 0.0


NO_FEATURES = NeedFeatures(share=0.0, found=0.0)
