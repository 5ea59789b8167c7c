"""The REST API of ChatMemory over these memories, for programs that were written for it.

A user's sessions are conversations, its messages are exchanges, and its summaries, knowledge and
diaries are notes. Addresses, names and status codes are ChatMemory's. Unlike there, no call works
on everybody's data, and a session that goes on is summarised again.
"""
