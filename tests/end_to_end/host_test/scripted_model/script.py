"""A host extension in place of the model: known replies, and a log of the exact prompts.

A message that ends in "(note 12)" is answered by reply 12 of $SCRIPTED_MODEL/replies.json, the
first time as take 1, the next (a regenerate) as take 2. "(note 12, slowly)" is answered word by
word, "(note 12, thinking)" after some reasoning, "(note 12, tool)" by a call of the tool roll_dice
and, when it has given its result, by take 2. Each prompt becomes a line of
$SCRIPTED_MODEL/prompts.jsonl.

A generation with a stop event of its own that is no API call is background work. It is answered,
slowly, by a summary of the exchange that the prompt ends in. Its prompt goes to
$SCRIPTED_MODEL/background.jsonl.
"""

import json
import os
import re
import threading
import time
from collections import Counter
from pathlib import Path

from modules import shared

FOLDER = Path(os.environ["SCRIPTED_MODEL"])
NOTE = re.compile(r"\(note (\d+)(?:, (slowly|thinking|tool))?\)")
CALL = '<tool_call>\n{"name": "roll_dice", "arguments": {"count": 1}}\n</tool_call>'
SLOWLY_S = 0.25

params = {"display_name": "Scripted model", "is_tab": False}
_takes = Counter()
_lock = threading.Lock()


def _reply(prompt):
    """Returns the answer to the last note in the prompt, and the pause after each of its words."""
    notes = NOTE.findall(prompt)
    if not notes:
        return "There is nothing to answer.", 0.0
    number, manner = notes[-1]
    _takes[number] += 1
    if manner == "tool" and _takes[number] == 1:
        return CALL, 0.0
    replies = json.loads((FOLDER / "replies.json").read_text(encoding="utf-8"))
    words = replies[int(number) % len(replies)]
    thought = f"<think>\nI ponder {number}.\n</think>\n\n" if manner == "thinking" else ""
    reply = f"{thought}Reply {number}, take {_takes[number]}. {words}"
    return reply, SLOWLY_S if manner == "slowly" else 0.0


def _summary(prompt):
    """Returns the first sentence of the exchange at the prompt's end, as the JSON asked for."""
    exchange, _ = json.JSONDecoder().raw_decode(prompt, prompt.rindex('\n{"') + 1)
    said = next(iter(exchange.values()))
    return json.dumps({"summary": said.split(". ")[0] + "."})


def _log(prompt, state, name):
    kept = ("mode", "unique_id", "truncation_length", "max_new_tokens")
    line = json.dumps({"prompt": prompt, **{key: state.get(key) for key in kept}})
    with (FOLDER / name).open("a", encoding="utf-8") as out:
        out.write(line + "\n")


def custom_generate_reply(question, original_question, state, stopping_strings, is_chat):
    """Yields the whole reply so far at each step, as the host's own generators do."""
    stop_event = state.get("stop_event")
    is_background = stop_event is not None and "messages" not in state  # API calls have both
    with _lock:
        if not is_background:
            reply, pause_s = _reply(question)
            _log(question, state, "prompts.jsonl")
        else:
            _log(question, state, "background.jsonl")
            reply, pause_s = _summary(question), SLOWLY_S
    end = 0
    for word in re.finditer(r"\S+\s*", reply):
        if shared.stop_everything or (stop_event is not None and stop_event.is_set()):
            return
        end = word.end()
        if pause_s:
            time.sleep(pause_s)
            yield reply[:end]
    yield reply
