"""An AutoGen agent that remembers: its model client speaks to the memory server.

    pip install autogen-agentchat 'autogen-ext[openai]'
    long-term-memory serve --backend http://127.0.0.1:8000/v1
    python examples/autogen_agent.py

Each line is one message. AutoGen keeps the chat of this run; the server adds what was said in
earlier runs. Written for autogen-agentchat 0.7.
"""

import asyncio
import os
import sys

from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import ModelInfo
from autogen_ext.models.openai import OpenAIChatCompletionClient

SERVER = os.environ.get("MEMORY_SERVER", "http://127.0.0.1:8010")
KEY = os.environ.get("MEMORY_KEY", "none")
USER = os.environ.get("MEMORY_USER", "ana")
CHARACTER = "Mira"


def model_client() -> OpenAIChatCompletionClient:
    return OpenAIChatCompletionClient(
        model="local",
        base_url=f"{SERVER}/v1",
        api_key=KEY,
        user=USER,
        extra_body={"metadata": {"character": CHARACTER}},
        model_info=ModelInfo(
            vision=False,
            function_calling=True,
            json_output=True,
            structured_output=False,
            family="unknown",
        ),
    )


async def main() -> None:
    client = model_client()
    agent = AssistantAgent(CHARACTER, client, system_message=f"You are {CHARACTER}, a friend.")
    for line in sys.stdin:
        if line.strip():
            result = await agent.run(task=line.strip())
            print(result.messages[-1].to_text(), flush=True)  # noqa: T201
    await client.close()


if __name__ == "__main__":
    asyncio.run(main())
