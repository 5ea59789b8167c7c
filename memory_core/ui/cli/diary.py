"""The command `diary`: reads, writes, drafts and removes diary pages."""

import argparse
from datetime import date

from ...consolidation.diary_drafts import DiaryDrafter
from ...domain.errors import ConfigError
from ...domain.namespaces import namespace_of
from ...domain.records import Memory
from ...memory.diary import BY_USER, Diary, day_of_page, maker_of_page
from . import common
from .common import (
    Commands,
    Terminal,
    add_command,
    add_namespace_arguments,
    counted,
    existing_namespace,
)


def add_diary_command(commands: Commands) -> None:
    parser = add_command(
        commands,
        "diary",
        "Read, write, draft or remove diary pages.",
        _run,
        description="List the pages of a diary, the latest first; or write, draft or remove the "
        "page of one --day. A draft is printed, and stored only with --save. The language model "
        "(llm.base_url) writes it; without one, the user's own messages are quoted.",
    )
    add_namespace_arguments(parser)
    for name, help_text in (
        ("--day", "The page of this day: 2026-01-31."),
        ("--since", "Pages from this day."),
        ("--until", "Pages up to this day."),
    ):
        parser.add_argument(name, type=_day, metavar="DAY", help=help_text)
    work = parser.add_mutually_exclusive_group()
    work.add_argument("--write", metavar="TEXT", help="Write this page in place of an older one.")
    work.add_argument("--draft", action="store_true", help="Draft the page from the day's chat.")
    work.add_argument("--remove", action="store_true", help="Forget the page.")
    parser.add_argument("--save", action="store_true", help="Store the draft.")


def _run(args: argparse.Namespace, terminal: Terminal) -> int:
    if args.write is None and not args.draft and not args.remove:
        return _list(args, terminal)
    if args.day is None:
        raise ConfigError("name the day of the page: --day 2026-01-31", key="--day")
    if args.draft:
        return _draft(args, terminal)
    return _remove(args, terminal) if args.remove else _write(args, terminal)


def _list(args: argparse.Namespace, terminal: Terminal) -> int:
    namespace = existing_namespace(args)
    since, until = (args.day, args.day) if args.day else (args.since, args.until)
    with common.open_memory(args) as memory:
        pages = Diary(memory).pages(namespace, since=since, until=until)
    terminal.show(
        {"pages": [_fields(page) for page in pages]},
        "\n\n".join([*map(_text, pages), counted(len(pages), "page")]),
    )
    return 0


def _write(args: argparse.Namespace, terminal: Terminal) -> int:
    if not args.write.strip():
        raise ConfigError("the page is empty", key="--write")
    namespace = namespace_of(args.user, args.character)
    with common.open_memory(args, must_exist=False) as memory:
        memory_id = Diary(memory).write(namespace, args.day, args.write)
    terminal.show({"id": memory_id}, f"written: {args.day}")
    return 0


def _remove(args: argparse.Namespace, terminal: Terminal) -> int:
    namespace = existing_namespace(args)
    with common.open_memory(args) as memory:
        was_there = Diary(memory).remove(namespace, args.day)
    outcome = "removed" if was_there else "there is no page of"
    terminal.show({"removed": was_there}, f"{outcome} {args.day}")
    return 0 if was_there else 1


def _draft(args: argparse.Namespace, terminal: Terminal) -> int:
    namespace = existing_namespace(args)
    with common.open_memory(args) as memory:
        drafter = DiaryDrafter.of(memory, common.build_models(), common.load_settings())
        draft = drafter.draft(namespace, args.day)
        if args.save and draft.text:
            Diary(memory).write(namespace, args.day, draft.text, made_by=draft.made_by)
    if draft.fault:
        terminal.print_note(f"note: {draft.fault}; the page quotes the user's messages")
    fields = {"text": draft.text, "made_by": draft.made_by, "exchanges": draft.exchanges}
    fields |= {"fault": draft.fault, "saved": bool(args.save and draft.text)}
    terminal.show(fields, draft.text or f"nothing to write about on {args.day}")
    return 0 if draft.text else 1


def _fields(page: Memory) -> dict[str, str]:
    made_by = maker_of_page(page)
    return {"day": _day_text(page), "text": page.text, "made_by": made_by, "id": page.id}


def _text(page: Memory) -> str:
    made_by = maker_of_page(page)
    maker = "" if made_by == BY_USER else f" ({made_by})"
    return f"{_day_text(page)}{maker}\n{page.text}"


def _day_text(page: Memory) -> str:
    day = day_of_page(page)
    return day.isoformat() if day else "?"


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as exc:
        raise argparse.ArgumentTypeError(f"{text!r} is no day: write 2026-01-31") from exc
