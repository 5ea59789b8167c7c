"""What a request leaves out of its conversation follows the strategy for older messages."""

import json

import pytest

from tests.server.conftest import ServeWith
from tests.server.live_server import chat

BEES = "Helena keeps forty bees in Porto."
QUESTION = "What does Helena keep in Porto?"
HERE = {"conversation_id": "one"}


@pytest.mark.parametrize(
    ("strategy", "is_known"), [("sliding_window", False), ("summarize", True), ("retrieve", True)]
)
def test_messages_that_the_client_no_longer_sends_follow_the_strategy(
    serve_with: ServeWith, strategy: str, is_known: bool
) -> None:
    context = {"strategy": strategy, "summary_sessions": 0}
    served = serve_with(ltm_context=context)
    trees = [f"We planted tree {number}." for number in range(3)]
    said = [BEES]
    for text in trees:
        chat(served.client, *said, metadata=HERE)
        said += ["All right.", text]
    chat(served.client, *said, metadata=HERE)
    chat(served.client, trees[-1], "All right.", QUESTION, metadata=HERE)
    prompt = json.dumps(served.sent_messages)
    assert ("forty bees" in prompt) == is_known
    assert ("earlier in this chat" in prompt) == (strategy == "summarize")


def test_chat_that_the_store_does_not_know_goes_on(serve_with: ServeWith) -> None:
    served = serve_with(ltm_context={"strategy": "combined", "summary_sessions": 0})
    chat(served.client, BEES, metadata=HERE)
    answer = chat(served.client, "Edited", "elsewhere", QUESTION, metadata=HERE)
    assert answer.json()["retrieved"]["stored"] is True
    assert "earlier in this chat" not in json.dumps(served.sent_messages)
