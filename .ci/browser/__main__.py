"""The pages as a person uses them, in Debian's chromium; keeps screenshots in the folder named.

usage: python .ci/browser [--tab-only] [--full] [--only ROOM[,ROOM]] FOLDER
  --tab-only   without the demo's chat, in whatever Gradio this Python has (the host's is 4.37)
  --full       every theme with every width and language, not only each of them once
  --only       these rooms alone: chat, answer, views (axe), transfer, settings, clicks, memories,
               danger, many, languages, history, review-en, review-zh; or all rooms of the demo
"""

import argparse
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent)]

from browser import (  # noqa: E402
    answer,
    chat,
    clicks,
    history,
    languages,
    many,
    memories,
    review,
    settings,
    transfer,
    views,
)
from browser.demo import demo, tab_alone  # noqa: E402
from browser.lives import CHINESE, ENGLISH, tab_over_a_life  # noqa: E402
from browser.visit import Step  # noqa: E402
from browser.walk import Site, chromium, walk  # noqa: E402

Rooms = dict[str, Sequence[Step]]


def main() -> None:
    asked = _arguments()
    started = time.monotonic()
    shown = views.EVERY if asked.full else views.STEPS
    wanted = asked.only.split(",") if asked.only else []
    with chromium() as browser:
        for site, rooms in sites(alone=asked.tab_only, shown_views=shown).items():
            is_wanted = not wanted or site.name in wanted
            chosen = [name for name in rooms if is_wanted or name in wanted]
            steps = [step for name in chosen for step in rooms[name]]
            if steps:
                walk(browser, site, steps, asked.shots / site.name)
    sys.stdout.write(f"all in {time.monotonic() - started:.0f} s\n")


def sites(*, alone: bool, shown_views: Sequence[Step]) -> dict[Site, Rooms]:
    """Returns the pages, each with its rooms in the order in which they can follow each other."""
    samples = Site(name="tab", serve=tab_alone) if alone else Site(name="demo", serve=demo)
    english = Site(name="review-en", serve=partial(tab_over_a_life, ENGLISH))
    chinese = Site(name="review-zh", serve=partial(tab_over_a_life, CHINESE), locale="zh-CN")
    return {
        samples: samples_rooms(alone=alone, shown_views=shown_views),
        Site(name="history", serve=history.tab_over_a_history): {"history": history.STEPS},
        english: {"review-en": review.STEPS["en"]},
        chinese: {"review-zh": review.STEPS["zh"]},
    }


def samples_rooms(*, alone: bool, shown_views: Sequence[Step]) -> Rooms:
    """Returns the rooms over the demo's own memories."""
    return {
        "chat": () if alone else chat.STEPS,
        "answer": answer.ALONE if alone else answer.IN_THE_DEMO,
        "views": shown_views,
        "transfer": transfer.STEPS,
        "settings": settings.STEPS,
        "clicks": () if alone else clicks.STEPS,
        "memories": memories.STEPS,
        "danger": settings.LAST,
        "many": () if alone else many.STEPS,  # much the same in any Gradio
        "languages": languages.STEPS,
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tab-only", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("shots", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
