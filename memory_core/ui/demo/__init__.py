"""The extension without the host: a chat page of its own, to try memory in a minute."""
