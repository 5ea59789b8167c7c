"""Long-term memory for text-generation-webui: the host's hooks, delegated to memory_core."""

import logging
import sys
from pathlib import Path

HERE = Path(__file__).absolute().parent
log = logging.getLogger("textgen.long_term_memory")  # the host shows only loggers below its own

params = {
    "display_name": "Long-term memory",
    "is_tab": True,
    "activate": False,
    "bias string": " *I got a new memory! I'll try bringing it up in conversation!*",
}
_live, _hooks, _fault = None, None, "setup() was not called"
_INSTALL = f""". Run cmd_windows.bat, cmd_linux.sh or cmd_macos.sh in the folder of \
text-generation-webui. In its window, run: pip install -r "{HERE / "requirements.txt"}" --upgrade"""


def _own_package():
    """Imports this folder's memory_core. The folder comes last on the path, to shadow nothing."""
    if str(HERE) not in sys.path:
        sys.path.append(str(HERE))
    import memory_core

    found = Path(memory_core.__file__).parent
    if found.resolve() != (HERE / "memory_core").resolve():
        raise RuntimeError(f"another copy is loaded from {found}: remove one of the two")


def setup():
    """Called by the host once per load. A fault here must stop neither the host nor the chat."""
    global _live, _hooks, _fault
    try:
        _own_package()
        from memory_core.extension import attach

        _live = attach(HERE, builder=custom_generate_chat_prompt)
        _hooks = _live.hooks
    except Exception as exc:
        lacks = isinstance(exc, ModuleNotFoundError)
        _fault = f"Long-term memory is off: {exc}{_INSTALL if lacks else ''}"
        log.error(_fault, exc_info=not lacks)


def custom_generate_chat_prompt(user_input, state=None, *others, **kwargs):
    if others:  # from an unknown host: the hook reports it
        kwargs["more than a message and a state"] = others
    return _hooks and _hooks.custom_generate_chat_prompt(user_input, state, **kwargs)


def input_modifier(string, state, is_chat=False):
    return _hooks.input_modifier(string, state, is_chat) if _hooks else string


def output_modifier(string, state, is_chat=False):
    return _hooks.output_modifier(string, state, is_chat) if _hooks else string


def bot_prefix_modifier(string, state):
    if not (_hooks and params["activate"]):
        return string
    return _hooks.bot_prefix_modifier(string, str(params["bias string"] or ""))


def ui():
    """Called by the host inside the extension's tab; an exception here would stop it."""
    import gradio as gr

    if _live is None:
        gr.Markdown(_fault)
        return
    try:
        from memory_core.ui.tab.page import build

        build(_live)
    except Exception as exc:
        log.exception("the tab could not be built")
        gr.Markdown(f"Long-term memory works, but its tab does not: {exc}")
