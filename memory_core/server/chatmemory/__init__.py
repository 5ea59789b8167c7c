"""The REST API of ChatMemory over these memories, for programs that were written for it.

A user's sessions are conversations, its messages are exchanges, and its summaries, knowledge and
diaries are notes. Addresses, names and status codes are ChatMemory's. Unlike there, no call works
on the data of all users, and a session that continues is summarised again.
"""
