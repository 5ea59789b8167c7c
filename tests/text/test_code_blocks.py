"""Tests of finding the code that a person pasted into a message."""

from memory_core.text.code_blocks import without_code, without_fences
from tests.cases import for_each

TRACE = """Traceback (most recent call last):
  File "/srv/app/views.py", line 12, in show
    return render(page)
  File "/srv/app/pages.py", line 30, in render
    raise KeyError(name)
KeyError: 'name'"""
LOG = "\n".join(f"2026-03-02 10:00:0{second} ERROR pool is full" for second in range(5))
POEM = """I sat (alone);
the rain came down:
grey roofs, grey town,
and you had gone."""


@for_each(
    ("text", "prose"),
    [
        ("Why?\n```py\nx = 1\n```\nI use Flask.", "Why?\n\nI use Flask."),
        ("It is\n~~~\nx = 1\n~~~", "It is\n"),
        ("Never closed:\n```\nx = 1\ny = 2", "Never closed:\n"),
        (f"My app dies:\n{TRACE}", "My app dies:"),
        (f"look\n{LOG}\nI am on Debian.", "look\nI am on Debian."),
        (POEM, POEM),
        ("I set x = 1; is that right?", "I set x = 1; is that right?"),
        ("Plain words.\nMy dog is Rex.", "Plain words.\nMy dog is Rex."),
        ("", ""),
    ],
)
def test_code_and_logs_are_left_out_of_a_message(text: str, prose: str) -> None:
    assert without_code(text) == prose


@for_each(
    ("text", "bare"),
    [
        ("Run:\n```sh\nls -l\n```\nthen `cat`.", "Run:\n\nls -l\n\nthen `cat`."),
        ("cut off ```c++ int x", "cut off  int x"),
        ("no code", "no code"),
    ],
)
def test_fences_are_removed_and_their_code_stays(text: str, bare: str) -> None:
    assert without_fences(text) == bare
