"""Chats with memory in a Python program of your own, without a server."""
