"""The command `chat`: a chat with memory on a terminal, with MemoryScope's operations."""

import argparse
import shlex
import sys
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ... import bootstrap
from ...config import loader
from ...config.memoryscope_arguments import ASSISTANT, HUMAN, ReadArguments, read_arguments
from ...config.memoryscope_files import read_arguments_file
from ...consolidation.service import Consolidation
from ...domain.errors import ConfigError, HeldForReview, LongTermMemoryError, LooksPrivate
from ...domain.namespaces import namespace_of
from ...domain.private_parts import GuardAction
from ...memory.guard import GuardReport
from ...memory.runtime import Runtime
from ...server.library.chat_thread import ChatThread, TurnOptions
from . import common
from .common import Commands, Terminal, add_namespace_arguments, installation_with, printable

_HELP = """\
/exit                      end the chat (Ctrl-C and Ctrl-D, too; Ctrl-C also stops an answer)
/clear                     begin a new conversation; the old one can be recalled
/stream                    show answers as they are written, or all at once
/used                      the memories that the last answer got
/list_memory [limit=20] [refresh_time=5]
/retrieve_memory query="…"
/add_memory query="…"
/delete_memory query="exact text"   or   memory_id=…
/delete_all                forget everything of this character, after a question
/read_message              the last exchanges of this conversation
/consolidate_memory, /reflect_and_reconsolidate
                           let the language model do its background work now
/help                      show this"""
_EXIT_FAILED = 1
_PROMPT = "> "
_REFRESH = "refresh_time"
_CLEAR_SCREEN = "\033[2J\033[H"


def add_chat_command(commands: Commands) -> None:
    parser = commands.add_parser(
        "chat",
        help="Chat with a character in this terminal, with memory.",
        description="Chat with a character in this terminal, with memory. The answers come from "
        "any OpenAI-compatible server (llm.base_url). /help shows the commands in the chat.",
    )
    add_namespace_arguments(parser, is_optional=True)
    parser.add_argument("--base-url", metavar="URL", help="The model's server (llm.base_url).")
    parser.add_argument("--model", help="The model's name (llm.model).")
    parser.add_argument(
        "--conversation", default="", metavar="NAME", help="Continue the conversation NAME."
    )
    parser.add_argument("--system-prompt", default="", metavar="TEXT", help="Who the model is.")
    parser.add_argument(
        "--no-stream", action="store_true", help="Show each answer when it is complete."
    )
    parser.add_argument(
        "--config-path", type=Path, metavar="FILE", help="MemoryScope's arguments as YAML or JSON."
    )
    parser.add_argument(
        "--argument",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="One of MemoryScope's arguments, such as human_name=Ana; can be repeated.",
    )
    common.add_storage_option(parser)
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace, terminal: Terminal) -> int:
    read = read_arguments(_arguments(args))
    read.refuse_unknown()
    for note in read.notes:
        terminal.print_note(f"note: {note}")
    user, character = _names(args, read)
    if not user or not character:
        raise ConfigError("name a user and a character: chat USER CHARACTER", key="character")
    common.storage_folder(args, common.load_settings())
    runtime = _open(args, read)
    runtime.memory.guard.listen(partial(_note_guarded, terminal))
    try:
        thread = ChatThread(runtime, namespace_of(user, character), args.conversation)
        Consolidation(runtime)
        is_streaming = not args.no_stream and read.streams is not False
        chat = _TerminalChat(thread, terminal, args.system_prompt, is_streaming=is_streaming)
        return chat.run()
    finally:
        runtime.close()


def _names(args: argparse.Namespace, read: ReadArguments) -> tuple[str, str]:
    """Returns the user and the character; with MemoryScope's arguments, its own by default."""
    is_memoryscope = bool(args.config_path or args.argument)
    human, assistant = (HUMAN, ASSISTANT) if is_memoryscope else ("", "")
    return args.user or read.human_name or human, args.character or read.assistant_name or assistant


def _arguments(args: argparse.Namespace) -> dict[str, Any]:
    found = read_arguments_file(args.config_path) if args.config_path else {}
    for pair in args.argument:
        name, sign, value = pair.partition("=")
        if not sign:
            raise ConfigError(f"--argument {pair}: write NAME=VALUE", key="--argument")
        found[name.strip()] = value
    return found


def _open(args: argparse.Namespace, read: ReadArguments) -> Runtime:
    """Returns the running memory. Raises ConfigError for a bad setting, or without a model."""
    for key, value in read.settings.items():
        loader.refuse_bad(key, value)
    options = {"LTM_LLM__BASE_URL": args.base_url, "LTM_LLM__MODEL": args.model}
    home = installation_with(args, options, read.settings)
    runtime = bootstrap.build_runtime(home)
    if runtime.models.llm is None:
        problems = "; ".join(runtime.models.problems)
        runtime.close()
        message = problems or "no language model is configured: use --base-url, or set llm.base_url"
        raise ConfigError(message, key="--base-url")
    runtime.start()
    return runtime


def _note_guarded(terminal: Terminal, report: GuardReport) -> None:
    """Notes in the terminal what the guard keeps out of memory."""
    if report.action is GuardAction.ASK:
        terminal.print_note(f"note: {HeldForReview(report.parts)}")
    elif report.action is GuardAction.SKIP:
        terminal.print_note(f"note: {LooksPrivate(report.parts)}")


class _TerminalChat:
    """Reads lines from the terminal until the user leaves."""

    def __init__(
        self, thread: ChatThread, terminal: Terminal, system_prompt: str, *, is_streaming: bool
    ) -> None:
        self._thread = thread
        self._terminal = terminal
        self._options = TurnOptions(system_prompt=system_prompt)
        self._is_streaming = is_streaming
        self._has_failed = False

    def run(self) -> int:
        """Chats until /exit, Ctrl-C or the end of the input; returns the exit code.

        A person has read the errors, but a script has to notice them.
        """
        try:
            self._read_lines()
        except (KeyboardInterrupt, EOFError):
            self._terminal.print_result("")
        return _EXIT_FAILED if self._has_failed and not sys.stdin.isatty() else 0

    def _read_lines(self) -> None:
        self._terminal.print_note(
            f"{self._thread.owner.label}; /help shows the commands, /exit ends the chat"
        )
        while (line := input(_PROMPT if sys.stdin.isatty() else "").strip()) != "/exit":
            if line:
                self._handle_line(line)

    def _handle_line(self, line: str) -> None:
        try:
            if line.startswith("/"):
                self._command(line[1:])
            else:
                self._say(line)
        except KeyboardInterrupt:  # ends the answer or the list; at the prompt it ends the chat
            self._terminal.print_result("")
        except LongTermMemoryError as exc:
            self._has_failed = True
            self._terminal.print_note(f"error: {exc}")

    def _command(self, line: str) -> None:
        name, arguments = _parse_command(line)
        if name == "help":
            self._terminal.print_result(_HELP)
        elif name == "clear":
            self._thread.start_over()
            self._terminal.print_result("a new conversation")
        elif name == "stream":
            self._is_streaming = not self._is_streaming
            self._terminal.print_result(f"streaming: {'on' if self._is_streaming else 'off'}")
        elif name == "used":
            self._print_used()
        elif name in self._thread.operations().names:
            self._run_operation(name, arguments)
        else:
            raise ConfigError(f"/{name} is no command; /help shows all", key="command")

    def _print_used(self) -> None:
        response = self._thread.last_response
        memories = str(response.meta_data["memories"]) if response else ""
        self._terminal.print_result(memories or "the last answer got no memories")
        for note in response.retrieved["notes"] if response else ():
            self._terminal.print_note(f"note: {note}")

    def _run_operation(self, name: str, arguments: Mapping[str, str]) -> None:
        if name == "delete_all" and not self._confirm():
            self._terminal.print_result("nothing was forgotten")
            return
        own = {key: value for key, value in arguments.items() if key != _REFRESH}
        seconds = _seconds(arguments.get(_REFRESH, "0"))
        while True:
            self._terminal.print_result(self._thread.operations().run(name, own))
            if not seconds:
                return
            time.sleep(seconds)
            if sys.stdout.isatty():
                sys.stdout.write(_CLEAR_SCREEN)

    def _confirm(self) -> bool:
        owner = self._thread.owner.label
        self._terminal.print_note(f"This forgets all memories of {owner}. Type yes to go on:")
        return input().strip() == "yes"

    def _say(self, text: str) -> None:
        if not self._is_streaming:
            self._terminal.print_result(self._thread.answer(text, self._options).text)
            return
        for piece in self._thread.stream(text, self._options):
            _write(piece)
        _write("\n")


def _parse_command(line: str) -> tuple[str, dict[str, str]]:
    """Returns a command's name and its arguments NAME=VALUE. Raises ConfigError."""
    try:
        words = list(_words(line))
    except ValueError as exc:
        raise ConfigError(f"/{line}: a quotation mark is missing", key="command") from exc
    name, rest = (words[0], words[1:]) if words else ("", [])
    pairs = (word.partition("=") for word in rest)
    return name, {key: value for key, _, value in pairs}


def _words(line: str) -> Iterator[str]:
    """Yields the words; without quotation marks, query= takes the rest of the line."""
    head, mark, rest = line.partition("query=")
    if mark and rest[:1] not in "\"'":
        yield from shlex.split(head)
        yield f"query={rest.strip()}"
    else:
        yield from shlex.split(line)


def _seconds(text: str) -> float:
    try:
        return max(0.0, float(text))
    except ValueError as exc:
        message = f"refresh_time = {text!r}: allowed is a number of seconds"
        raise ConfigError(message, key="refresh_time") from exc


def _write(piece: str) -> None:
    sys.stdout.write(printable(piece, sys.stdout.encoding))
    sys.stdout.flush()
