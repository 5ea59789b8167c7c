"""A bot for a channel with many people, each with memories of their own.

    long-term-memory serve --backend http://127.0.0.1:8000/v1
    python examples/bot_loop.py

Lines are read as `name: message`. In a bot for Discord or Telegram, call `reply()` from the event
of a new message, with the id of its author and of its channel. Only the last message is sent: the
server adds the recent exchanges and what fits from earlier days.
"""

import json
import os
import sys
import urllib.request

SERVER = os.environ.get("MEMORY_SERVER", "http://127.0.0.1:8010")
KEY = os.environ.get("MEMORY_KEY", "")
CHARACTER = "Mira"
RECENT_TURNS = 8


def reply(author: str, channel: str, text: str) -> str:
    """Returns the bot's answer to one message."""
    body = {
        "model": "local",
        "user": author,
        "messages": [{"role": "user", "content": text}],
        "metadata": {
            "character": CHARACTER,
            "user_name": author,
            "conversation_id": f"{channel}-{author}",
            "recent_turns": RECENT_TURNS,
        },
    }
    request = urllib.request.Request(  # noqa: S310  (the address is your own)
        f"{SERVER}/v1/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"},
    )
    with urllib.request.urlopen(request, timeout=300) as answer:  # noqa: S310
        return str(json.load(answer)["choices"][0]["message"]["content"])


def main() -> None:
    for line in sys.stdin:
        author, _, text = line.partition(":")
        if text.strip():
            print(reply(author.strip(), "console", text.strip()), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
