"""A page on which Remember is switched off and on, with chats that have real times."""

import json
import time
from datetime import datetime

from tests.host.one_page import CHAT
from tests.host.plain_host import history_of, page_state

OFF, ON = {"ltm_writes": {"enabled": False}}, {"ltm_writes": {"enabled": True}}


def switch(page, *, on):
    page.runtime.save_settings({"ltm_writes.enabled": on})


def restart(page, settings):
    """Ends the program properly; the settings were changed by hand meanwhile."""
    page.settings = page.settings | settings
    page.restart()


def crash(page, settings):
    """Ends the program without any last write; the settings were changed by hand meanwhile."""
    page.memory.close()
    page.settings = page.settings | settings
    page.open()


def stamp(seconds_ago):
    """Returns the host's stamp of a time."""
    return datetime.fromtimestamp(time.time() - seconds_ago).strftime("%b %d, %Y %H:%M")


def dated_history(rows, stamps):
    metadata = {
        f"{side}_{index}": {"timestamp": one}
        for index, one in enumerate(stamps)
        for side in ("user", "assistant")
    }
    return history_of(*rows) | {"metadata": metadata}


def write_chat(page, rows, stamps, chat=CHAT):
    """Writes a chat file whose rows have these times, and nothing else happens."""
    text = json.dumps(dated_history(rows, stamps))
    (page.folder / f"{chat}.json").write_text(text, encoding="utf-8")


def say_at(page, stamps, text, answer, chat=CHAT):
    """Runs a whole turn of a chat whose rows have these times, the new one included."""
    history = dated_history(page.rows, stamps)
    state = page_state(unique_id=chat, history=history)
    page.hooks.custom_generate_chat_prompt(text, state, history=history)
    page.rows.append((text, answer))
    write_chat(page, page.rows, stamps, chat)
    page.runtime.run_pending()
    page.hooks.synchronizer.sync_and_close()
