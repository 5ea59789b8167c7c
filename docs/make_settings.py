"""Writes the tables of docs/settings.md from the code; with --check only says whether they fit."""

import json
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
PAGE = PROJECT / "docs" / "settings.md"
sys.path.insert(0, str(PROJECT))

from memory_core.config.fields import API_KEY_NAME, ENVIRONMENT_NAMES, FLAT_NAMES, FOREIGN_NAMES  # noqa: E402
from memory_core.config.loader import describe  # noqa: E402

BEGIN, END = "<!-- begin {} -->", "<!-- end {} -->"


def tables() -> dict[str, str]:
    knobs = [
        (f"`{k.key}`", k.allowed, code(k.default), f"`{k.environment_name}`", k.description)
        for k in describe()
    ]
    variables = [(f"`{name}`", f"`{key}`") for name, key in ENVIRONMENT_NAMES.items()]
    variables.append((f"`{API_KEY_NAME}`", "`llm.api_key` and `embedder.api_key`, where unset"))
    foreign = [(f"`{name}`", instead) for name, instead in FOREIGN_NAMES.items()]
    flat = [(f"`{name}`", f"`{key}`") for name, key in FLAT_NAMES.items()]
    return {
        "settings": table(("Key", "Allowed", "Default", "Environment", "Meaning"), knobs),
        "variables": table(("Variable", "Setting"), variables),
        "foreign": table(("Variable", "What to do instead"), foreign),
        "flat": table(("Name", "Setting"), flat),
    }


def code(value: object) -> str:
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in lines
    )


def renewed(page: str) -> str:
    for name, text in tables().items():
        before, _, rest = page.partition(BEGIN.format(name))
        _, _, after = rest.partition(END.format(name))
        page = f"{before}{BEGIN.format(name)}\n{text}\n{END.format(name)}{after}"
    return page


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    if "--check" not in sys.argv:
        PAGE.write_text(renewed(page), encoding="utf-8", newline="\n")
    elif renewed(page) != page:
        sys.exit("docs/settings.md does not fit the code; run: python docs/make_settings.py")


if __name__ == "__main__":
    main()
