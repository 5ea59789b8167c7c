"""What is said in the tests: facts, questions about them, and much other talk."""

from dataclasses import dataclass

MODES = ("chat", "chat-instruct", "instruct")


@dataclass(frozen=True, slots=True)
class Fact:
    """`answer` stands in no other words of the talk, and not in the question."""

    told: str
    question: str
    answer: str


_LONG_END = (
    "Before you answer: I ask because everything has to be planned by Saturday, the drive, the "
    "boxes and two guests who come along, so take your time and read this line to its very end."
)

# Asked in the same chat, after it has left the window.
SAME_CHAT = {
    "chat": Fact(
        "My sister Mireille keeps her bees in Trondheim, behind the old rope factory.",
        f"Where does my sister Mireille keep her bees? {_LONG_END}",
        "Trondheim",
    ),
    "chat-instruct": Fact(
        "Our dog Barnaby must not eat salmon, it makes his ears swell for days.",
        f"What is it that our dog Barnaby must not eat? {_LONG_END}",
        "salmon",
    ),
    "instruct": Fact(
        "The computer in the cellar is called Heliotrope, after my grandmother's boat.",
        f"What is the name of the computer in the cellar? {_LONG_END}",
        "Heliotrope",
    ),
}

# Asked in a new chat.
NEW_CHAT = {
    "chat": Fact(
        "The lock of the garden shed opens with 7319, please never write it on the door.",
        "Which number opens the lock of the garden shed?",
        "7319",
    ),
    "chat-instruct": Fact(
        "My violin teacher is Mrs Okonkwo, who lives above the pharmacy.",
        "What is the name of my violin teacher?",
        "Okonkwo",
    ),
    "instruct": Fact(
        "I was born in Ulaanbaatar while my parents were building a railway.",
        "In which town was I born?",
        "Ulaanbaatar",
    ),
}

_OPENINGS = (
    "This morning I spent an hour with",
    "My neighbour asked me again about",
    "I read half a book about",
    "On the way to work I thought about",
    "We argued at lunch about",
    "There was a long film on television about",
    "For next year I am making plans with",
)
_SUBJECTS = (
    "the tram timetable",
    "a recipe for lentil soup",
    "watercolour paper",
    "the bridge over the canal",
    "a chess opening with two knights",
    "winter tyres",
    "the museum of clocks",
    "tomato seedlings",
    "a broken umbrella",
    "the history of postage stamps",
    "running shoes",
)
_REMARKS = (
    "It took longer than anybody had expected, and in the end we had to begin again from nothing.",
    "What surprised me most was the price, which has doubled since the last time that I looked.",
    "I still do not know whether that was a good idea, but it made all of us laugh a great deal.",
    "Somebody should write down how it is done, because each of us remembers it differently.",
    "If the weather stays like this we shall try once more on the weekend with a larger table.",
)
REPLIES = (
    "That sounds like a full day; what would you do in another way the next time?",
    "I would begin with the smallest part of it and see how far the afternoon carries you.",
    "Many people say the same, and most of them change their mind after a week or two.",
    "Let us leave it at that for today and come back to it when there is more to tell.",
)


def note(text: str, number: int, *, slowly: bool = False) -> str:
    """The text with the mark by which the scripted model knows its answer."""
    return f"{text} (note {number}{', slowly' if slowly else ''})"


def answer(number: int, take: int = 1) -> str:
    return f"Reply {number}, take {take}. {REPLIES[number % len(REPLIES)]}"


def other_talk(number: int, *, remarks: int = 2) -> str:
    """A message about nothing that matters; each number gives another one."""
    opening = _OPENINGS[number % len(_OPENINGS)]
    subject = _SUBJECTS[number % len(_SUBJECTS)]
    chosen = [_REMARKS[(number + step) % len(_REMARKS)] for step in range(remarks)]
    return " ".join([f"{opening} {subject}.", *chosen])


def corpus() -> str:
    """All words in use, for the tokenizer to learn."""
    facts = [
        part for it in (*SAME_CHAT.values(), *NEW_CHAT.values()) for part in (it.told, it.question)
    ]
    return "\n".join([*facts, *REPLIES, *(other_talk(number) for number in range(80))])
