"""The endpoint /answer: a language model answers a question from the memories that fit it."""

from fastapi import Request

from ...memory.questions import Answer, Question, Stage
from ...memory.runtime import Runtime
from .owners import Owners
from .shapes import AnswerOut, AskMemories, memory_out, window_of

NOTHING_STORED = "there are no memories of this user and character"


class Answers:
    """Answers questions about one or several users of a character."""

    def __init__(self, runtime: Runtime, owners: Owners) -> None:
        self._runtime = runtime
        self._owners = owners

    def answer(self, request: Request, body: AskMemories) -> AnswerOut:
        """Answers from summaries and notes; if these are not enough, from the exchanges too."""
        since, until = window_of(body.since, body.until, body.utc_offset_hours)
        spaces = self._owners.all_existing(request, body.user_id, body.character)
        if not spaces:
            return AnswerOut(
                answer="", stage=Stage.CONDENSED, fault=NOTHING_STORED, used=[], sources=[]
            )
        question = Question(
            text=body.question,
            namespaces=tuple(spaces),
            top_k=body.top_k,
            since=since,
            until=until,
        )
        return _answer_out(self._runtime.memory.answer(question))


def _answer_out(answer: Answer) -> AnswerOut:
    return AnswerOut(
        answer=answer.text,
        stage=answer.stage,
        fault=answer.fault,
        used=[memory_out(source.memory) for source in answer.used],
        sources=[memory_out(source.memory) for source in answer.sources],
    )
