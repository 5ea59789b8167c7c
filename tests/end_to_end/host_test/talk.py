"""Messages of the tests: facts, questions about them, and much other conversation."""

from dataclasses import dataclass

MODES = ("chat", "chat-instruct", "instruct")


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact and a question about it. `answer` occurs nowhere else."""

    told: str
    question: str
    answer: str


# Longer than the question itself: what is said around a question must not drown it.
_REASON = (
    "I ask because everything has to be planned by Saturday, since my aunt arrives that evening "
    "with her whole choir and wants to hear all about it. Please read this to the very end."
)

# Asked in the same chat, after it has left the window.
SAME_CHAT = {
    "chat": Fact(
        "My sister Mireille keeps her bees in Trondheim, behind the old rope factory.",
        f"Where does my sister Mireille keep her bees? {_REASON}",
        "Trondheim",
    ),
    "chat-instruct": Fact(
        "Our dog Barnaby must not eat salmon, it makes his ears swell for days.",
        f"What is it that our dog Barnaby must not eat? {_REASON}",
        "salmon",
    ),
    "instruct": Fact(
        "The computer in the cellar is called Heliotrope, after my grandmother's boat.",
        f"What is the name of the computer in the cellar? {_REASON}",
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

# Asked in the new chats that follow two restarts; nowhere else, so that no asking is recalled.
RESTARTED = Fact(
    "The spare key of the cellar hangs behind the blue calendar of my grandfather.",
    "Where does the spare key of the cellar hang?",
    "calendar",
)

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
    "It took longer than anybody had expected, and we had to begin again from nothing.",
    "What surprised me most was the price, which has doubled in two years.",
    "I still do not know whether that was wise, but it made all of us laugh.",
    "Somebody should write down how it is done, since each of us does it differently.",
    "If the weather stays dry we shall try once more with a larger table.",
    "My uncle used to say that patience is cheaper than any tool.",
    "There is a small shop near the station that sells nothing else.",
    "The instructions were printed in four languages, none of which helped.",
    "By noon the kitchen looked as if a storm had passed through it.",
    "A stranger on the bench offered advice and turned out to be right.",
    "Half of it went into a drawer, where it will probably stay until spring.",
    "I took three photographs, all of them blurred and slightly green.",
    "Next time somebody else may carry the ladder up the stairs.",
    "The radio played an old waltz and for a moment nobody spoke.",
    "According to the newspaper it will be fashionable again by autumn.",
    "We drank too much coffee and forgot what the argument was about.",
    "On paper the whole affair looks simple, like most things on paper.",
    "The cat slept on the plans, so we had to guess the measurements.",
    "Halfway through, the light bulb failed and we went on by candle.",
)
REPLIES = (
    "That sounds like a full day; what would you do in another way the next time?",
    "I would begin with the smallest part of it and see how far the afternoon carries you.",
    "Many people say the same, and most of them change their mind after a week or two.",
    "Let us leave it at that for today and come back to it when there is more to tell.",
)


def note(text: str, number: int, *, manner: str = "") -> str:
    """Returns the text with the mark that tells the scripted model its answer and manner."""
    return f"{text} (note {number}{', ' if manner else ''}{manner})"


def answer(number: int, take: int = 1) -> str:
    return f"Reply {number}, take {take}. {REPLIES[number % len(REPLIES)]}"


def other_talk(number: int, *, remarks: int = 2) -> str:
    """Returns an unimportant message; each number gives another one."""
    opening = _OPENINGS[number % len(_OPENINGS)]
    subject = _SUBJECTS[number % len(_SUBJECTS)]
    chosen = [_REMARKS[(5 * number + 3 * step) % len(_REMARKS)] for step in range(remarks)]
    return " ".join([f"{opening} {subject}.", *chosen])


def corpus() -> str:
    """Returns all words in use, for the tokenizer to learn."""
    facts = [
        part
        for it in (*SAME_CHAT.values(), *NEW_CHAT.values(), RESTARTED)
        for part in (it.told, it.question)
    ]
    return "\n".join([*facts, *REPLIES, *(other_talk(number) for number in range(80))])
