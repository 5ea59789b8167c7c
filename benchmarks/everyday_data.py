"""Histories of everyday chat, and messages that need a memory of them or none.

A file holds a list of histories: `exchanges` with the days before `now` at which they were said,
and `probes`, each with the exchanges that it wants (`want`, any of them serves), those that would
not disturb (`ok`), texts of them that answer it (`answer`), and the messages just before it
(`context`).
"""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_core.domain.records import Exchange

DATA = Path(__file__).resolve().parent / "data" / "everyday"
FITTED, HELD_OUT = DATA / "fitted", DATA / "held_out"
CROWD = "files or folders of histories to add to each history of their language"
NOW = "2026-11-22T20:00"  # of a history that does not say when it is asked
WANTS_NOTHING = "none_"
_DAY_S = 86_400.0
_SMALL_TALK_OF_A_CHAT = 6  # exchanges
_CROWD_S = 365 * _DAY_S  # the time over which further histories are spread
# The answer of a character that remembers nothing; in one chat each message needs an answer.
REPLIES = {
    "en": "I see.",
    "zh": "嗯，知道了。",  # noqa: RUF001
    "de": "Verstehe.",
    "es": "Entiendo.",
    "ja": "そうなんだ。",
    "fr": "Je vois.",
    "ru": "Понятно.",
    "pt": "Entendi.",
    "it": "Capisco.",
    "ko": "그렇구나.",
    "pl": "Rozumiem.",
    "nl": "Ik snap het.",
    "tr": "Anladım.",  # noqa: RUF001
}
# Answers that companions give to small talk, whatever it says.
ANSWERS_TO_SMALL_TALK = {
    "en": (
        "Good morning! I hope you slept well. What are your plans for today?",
        "Haha, you always make me laugh.",
        "I'm here whenever you want to talk.",
        "That sounds like a lot. Be kind to yourself today.",
        "You're welcome! Anything else on your mind?",
        "I missed you too. How was your day?",
    ),
    "zh": (
        "早上好呀！今天有什么安排？",  # noqa: RUF001
        "哈哈，你真逗。",  # noqa: RUF001
        "我一直都在，随时找我聊。",  # noqa: RUF001
        "听起来好累，今天要对自己好一点。",  # noqa: RUF001
        "我也想你了，今天过得怎么样？",  # noqa: RUF001
    ),
    "de": (
        "Guten Morgen! Hast du gut geschlafen? Was steht heute an?",
        "Haha, du bist mir einer.",
        "Ich bin da, wenn du reden willst.",
        "Das klingt anstrengend. Gönn dir heute eine Pause.",
    ),
    "es": (
        "¡Buenos días! ¿Qué planes tienes para hoy?",
        "Jaja, siempre me haces reír.",
        "Aquí estoy cuando quieras hablar.",
        "Suena agotador, cuídate mucho hoy.",
    ),
    "fr": (
        "Bonjour ! Bien dormi ? Quels sont tes plans aujourd'hui ?",
        "Haha, tu me fais toujours rire.",
        "Je suis là quand tu veux parler.",
        "Ça a l'air fatigant, prends soin de toi.",
    ),
    "ru": (
        "Доброе утро! Как спалось? Какие планы на сегодня?",
        "Ха-ха, ты меня смешишь.",  # noqa: RUF001
        "Я рядом, если захочешь поговорить.",
        "Звучит утомительно, береги себя.",
    ),
    "ja": (
        "おはよう！よく眠れた？今日の予定は？",  # noqa: RUF001
        "あはは、いつも笑わせてくれるね。",
        "話したくなったらいつでもどうぞ。",
        "大変だったね、今日はゆっくりして。",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A message as people type it; `context` is the exchange just before it, if any.

    A prompt with one of the texts in `answers` says what is wanted. Not all histories have them.
    """

    text: str
    kind: str
    want: frozenset[int]
    ok: frozenset[int]
    context: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()

    @property
    def wants(self) -> bool:
        return not self.kind.startswith(WANTS_NOTHING)


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """`chats` names the chat of each exchange; `now` is in seconds since the epoch.

    `small_talk` has the indices of exchanges that were added as such.
    """

    name: str
    language: str
    user: str
    character: str
    now: float
    exchanges: Sequence[Exchange]
    chats: Sequence[str]
    probes: Sequence[Probe]
    small_talk: range = range(0)


def read_histories(path: Path, crowd: Sequence[Path] = (), *, small_talk: int = 0) -> list[History]:
    """Returns the histories of one file, or of all files in a folder.

    Each gets the exchanges of the histories in `crowd` that are in its language, and so many
    exchanges of small talk.
    """
    found = _read(path)
    if not found:
        raise SystemExit(f"{path} holds no histories")
    if others := [history for other in crowd for history in _read(other)]:
        found = [_crowded(history, others) for history in found]
    if small_talk:
        texts = _small_talk_by_language()
        found = [_with_small_talk(one, texts[one.language], small_talk) for one in found]
    return found


def _read(path: Path) -> list[History]:
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    return [
        _history(record)
        for file in files
        for record in json.loads(file.read_text(encoding="utf-8"))
    ]


def _crowded(history: History, others: Sequence[History]) -> History:
    """Returns the history with those of the others in its language in chats of its own.

    They are told by the same two people within the year before, as after months of chats.
    """
    crowd = [one for one in others if one.language == history.language and one != history]
    told = [
        (f"{one.name} {chat}", _retold(exchange, history, one, number / len(crowd)))
        for number, one in enumerate(crowd)
        for chat, exchange in zip(one.chats, one.exchanges, strict=True)
    ]
    return replace(
        history,
        exchanges=[*history.exchanges, *(exchange for _, exchange in told)],
        chats=[*history.chats, *(chat for chat, _ in told)],
    )


def _small_talk_by_language() -> Mapping[str, Sequence[str]]:
    """Returns the messages that want nothing, of all histories but those held out."""
    found: dict[str, dict[str, None]] = {}
    for folder in sorted(set(filter(Path.is_dir, DATA.iterdir())) - {HELD_OUT}):
        for history in _read(folder):
            texts = found.setdefault(history.language, {})
            texts.update(dict.fromkeys(one.text for one in history.probes if not one.wants))
    return {language: list(texts) for language, texts in found.items()}


def _with_small_talk(history: History, texts: Sequence[str], count: int) -> History:
    """Returns the history with small talk at random times between its exchanges."""
    chosen, own = random.Random(history.name), {probe.text for probe in history.probes}
    others = [text for text in texts if text not in own]
    times = [exchange.ts or history.now for exchange in history.exchanges]
    answers = ANSWERS_TO_SMALL_TALK.get(history.language, [REPLIES[history.language]])
    told = [
        Exchange(
            user=chosen.choice(others),
            assistant=chosen.choice(answers),
            user_name=history.user,
            assistant_name=history.character,
            ts=chosen.uniform(min(times), history.now - _DAY_S),
        )
        for _ in range(count)
    ]
    first = len(history.exchanges)
    return replace(
        history,
        exchanges=[*history.exchanges, *told],
        chats=[
            *history.chats,
            *(f"small talk {place // _SMALL_TALK_OF_A_CHAT}" for place in range(count)),
        ],
        small_talk=range(first, first + count),
    )


def _retold(exchange: Exchange, history: History, other: History, share: float) -> Exchange:
    """Returns another history's exchange as if said by this one's people, a share of a year ago."""
    age = other.now - (exchange.ts or other.now)
    return replace(
        exchange,
        user_name=history.user,
        assistant_name=history.character,
        ts=history.now - age - share * _CROWD_S,
    )


def _history(raw: dict[str, Any]) -> History:
    now = datetime.fromisoformat(raw.get("now", NOW)).timestamp()
    return History(
        name=raw["id"],
        language=raw["lang"],
        user=raw["user"],
        character=raw["character"],
        now=now,
        exchanges=[_exchange(exchange, raw, now) for exchange in raw["exchanges"]],
        chats=[exchange["chat"] for exchange in raw["exchanges"]],
        probes=[_probe(probe) for probe in raw["probes"]],
    )


def _exchange(raw: dict[str, Any], history: dict[str, Any], now: float) -> Exchange:
    return Exchange(
        user=raw["user"],
        assistant=raw["assistant"],
        user_name=history["user"],
        assistant_name=history["character"],
        ts=now - _DAY_S * raw["day"],
    )


def _probe(raw: dict[str, Any]) -> Probe:
    return Probe(
        text=raw["text"],
        kind=raw["kind"],
        want=frozenset(raw["want"]),
        ok=frozenset(raw["ok"]),
        context=tuple(raw["context"]),
        answers=tuple(raw.get("answer", ())),
    )
