"""A real HTTP server that summarises stories as a good model would."""

import json
import threading

from tests.loopback import Answer, Asked, streams

_PATIENCE_S = 20.0


def event(text: str = "", **choice: object) -> str:
    return "data: " + json.dumps({"choices": [{"delta": {"content": text}, **choice}]})


def usage(prompt: int, completion: int) -> str:
    counts = {"prompt_tokens": prompt, "completion_tokens": completion}
    return "data: " + json.dumps({"choices": [], "usage": counts})


def answers(text: str) -> Answer:
    return streams([event(text), event(finish_reason="stop"), usage(100, 7), "data: [DONE]"])


def summarises(asked: Asked) -> Answer:
    """Returns the summary of the numbered story in the last message."""
    last = asked.body["messages"][-1]["content"]
    number = last.partition("story number ")[2].partition(".")[0]
    return answers(json.dumps({"summary": f"Ana told story {number}."}))


class HeldUp:
    """Summarises the first stories at once, and the others when it is released."""

    def __init__(self, *, at_once: int) -> None:
        self._left = at_once
        self._goes_on = threading.Event()

    def __call__(self, asked: Asked) -> Answer:
        self._left -= 1
        if self._left < 0:
            self._goes_on.wait(_PATIENCE_S)
        return summarises(asked)

    def release(self) -> None:
        self._goes_on.set()


def summarises_sessions(asked: Asked) -> Answer:
    """Returns a summary of a session that any source supports."""
    return answers(json.dumps({"summary": "Ana told stories.", "keywords": ["story"]}))
