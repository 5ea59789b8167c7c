"""The English patterns of "remember that …" in plain words."""

# ruff: noqa: RUF001  (curly quotes)

import re

from . import this_chat_only
from .chinese import HAN

LONGEST_START = 2_000  # letters in which a message begins with a request, however polite

# Statements about oneself that may follow without "that".
CLAUSE = r"""(?:i(?:['’]?m|\s+am|['’]ve|\s+have|\s+do(?:n['’]?t|\s+not)|\s+can(?:['’]?t|not)
    |\s+(?:always|never|only|still|live|work|study|eat|drink|like|love|hate|prefer|speak|play|own
      |moved|was\ born))\s+(?!you\b)\S
  |my(?:\s+(?!(?:who|that|which|when|where|if|how)\b)[\w'’-]+){1,4}?\s+
    (?:is|are|has|have|lives?|works?|was|were|will|can|can['’]t|doesn['’]t|don['’]t)\s+\S)"""
PLEASE = r"(?:pl(?:ea?|a)se*|pl[sz]+)"
REMEMBER = r"rem(?:em|e|m)?b+er"  # as people type it in a hurry
ASK = re.compile(
    r"""\s*
    (?:(?:ok(?:ay)?|alright|hey|hi|hello|good\ (?:morning|evening|night)|thanks|thank\ you|so|and
      |but|also|oh|yes|well|now|listen|btw|by\ the\ way)\b[\s,!:.]*){0,2}
    (?:[^\W\d_]{2,}\s*,\s*)?                                        # a name
    (?:(?:can|could|would|will)\s+(?:you|u)\s+(?P<asks>PLEASE|kindly)\s+)?
    (?:(?:PLEASE|kindly|also|always|just|do)\s+)*
    (?:REMEMBER|memori[sz]e|(?:save|store)(?=\s+(?:this|the\s+following)\s*:)
      |(?:add|put|save|store|commit|write)\s+(?:(?:this|that|it)\s+)?(?:in|to|into)\s+
        (?:(?:your|the)\s+)?(?:long[- ]term\s+)?memory
      |keep\s+in\s+mind|(?:make|take)\s+(?:a\s+)?(?:mental\s+)?note(?:\s+of\s+this)?
      |for\s+(?:future\s+reference|the\s+record)
      |(?:do\s?n['’]?t\s+(?:you\s+)?|do\s+not\s+)(?:ever\s+)?forget|never\s+forget
      |i(?:\s+want|\s+need|['’]d\s+like)\s+(?:you|u)\s+to\s+(?:always\s+)?REMEMBER)
    (?:\s{0,3},?\s{0,3}PLEASE\b(?:\s{0,3},)?)?
    (?P<here>\s{0,3}[,(]?\s{0,3}SCOPE\s{0,3}[,)]?)?
    (?:\s+that\b(?!['’])[\s,:]*
      |(?:\s+(?:this|the\ following)\b)?(?:\s{1,3}for\ (?:later|next\ time)\b)?\s*:\s*
      |(?:\s{0,3},)?\s{1,3}(?=CLAUSE))
    """.replace("SCOPE", this_chat_only.SCOPE)
    .replace("CLAUSE", CLAUSE)
    .replace("REMEMBER", REMEMBER)
    .replace("PLEASE", PLEASE),
    re.IGNORECASE | re.VERBOSE,
)
# Phrases in which "that" points at something: that day in Paris, that song.
_POINTS = re.compile(
    r"""(?!(?:my|your|his|her|its|our|their|the|an?|this|these|those|every|each|no|all|some|any
      |i|you|he|she|it|we|they|one\s+of|next|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\s)
    (?:(?:one|big|little|small|tiny|old|young|new|first|last|other|whole|long|weird|strange|funny
      |crazy|silly|stupid|awful|terrible|horrible|scary|sad|sweet|cute|nice|great|lovely|beautiful
      |amazing|wonderful|special|famous)\s+){0,3}
    (?:\w+\s+)?
    (?:time|day|night|evening|morning|afternoon|summer|winter|weekend|week|year|moment|trip|party
      |guy|man|woman|girl|boy|kid|person|place|house|restaurant|caf[eé]|bar|movie|film|scene
      |episode|song|book|game|story|joke|letter|picture|photo|gift|thing|one|dream|feeling|promise
      |fight|argument|conversation|talk|boss|teacher|dog|cat)s?\b
    \s*(?:$|[.!…,]|when\b|where\b|we\b|you\b|i\b|he\b|she\b|they\b|in\b|at\b|on\b|of\b|with\b|from\b
      |who\b|that\b|last\b|about\b|back\b|to\b|near\b)""",
    re.IGNORECASE | re.VERBOSE,
)
QUESTION = re.compile(r"\A([^.!?\n]*+)\?")


def is_request(_: re.Match[str], statement: str) -> bool:
    """Returns whether the statement after ASK is one, not a word or a phrase that points."""
    if not statement or _POINTS.match(statement):
        return False
    return len(statement.split()) > 1 or HAN.search(statement) is not None
