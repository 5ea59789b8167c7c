"""An AgentScope agent that remembers: its model speaks to the memory server.

    pip install agentscope
    long-term-memory serve --backend http://127.0.0.1:8000/v1
    python examples/agentscope_agent.py

Each line is one message. AgentScope keeps the chat of this run; the server adds what was said in
earlier runs. Written for agentscope 2.0.
"""

import asyncio
import os
import sys

from agentscope.agent import Agent, InjectionConfig
from agentscope.credential import OpenAICredential
from agentscope.message import UserMsg
from agentscope.model import OpenAIChatModel

SERVER = os.environ.get("MEMORY_SERVER", "http://127.0.0.1:8010")
KEY = os.environ.get("MEMORY_KEY", "none")
USER = os.environ.get("MEMORY_USER", "ana")
CHARACTER = "Mira"


def model() -> OpenAIChatModel:
    return OpenAIChatModel(
        credential=OpenAICredential(api_key=KEY, base_url=f"{SERVER}/v1"),
        model="local",
        stream=True,
        extra_body={"user": USER, "metadata": {"character": CHARACTER}},
    )


async def main() -> None:
    agent = Agent(
        CHARACTER,
        f"You are {CHARACTER}, a friend.",
        model(),
        # Otherwise the clock arrives as a message of the user and is remembered.
        injection_config=InjectionConfig(inject_runtime_state=False),
    )
    for line in sys.stdin:
        if line.strip():
            answer = await agent.reply(UserMsg(name=USER, content=line.strip()))
            print(answer.get_text_content(), flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main())
