"""Made-up lives of somebody, one for each language, with what a language model says of them."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_core.domain.derivations import Derivation
from memory_core.domain.errors import HeldForReview
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, MemoryKind, Turn
from memory_core.memory.derived_memories import DerivedMemories, NewDerived
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.llm.fake import ScriptedLLM
from memory_core.ui.demo.program import Program

from .demo import tab_of

MODEL = "qwen3-4b"
_CHAT = "20260503-14-05-09"
_DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """Facts of a person. `homes` contradict each other, `today` is the chat of today.

    `cards` are said while the guard is set to ask about card numbers.
    """

    language: str
    sports: tuple[str, ...]
    leisure: str
    homes: tuple[str, str]
    allergy: tuple[str, str]
    question: str
    answer: str
    today: str
    cards: tuple[str, str, str]


ENGLISH = Life(
    language="en",
    sports=(
        "Alex rows on the lake every Tuesday.",
        "Alex bought an old kayak.",
        "Alex swims in the river in summer.",
    ),
    leisure="Alex spends much of the free time on and in the water.",
    homes=("Alex lives in Porto.", "Alex lives in Lisbon."),
    allergy=("Please remember that I am allergic to walnuts.", "Alex is allergic to walnuts."),
    question="What do I do in my free time?",
    answer="You row every Tuesday, swim in the river, and have an old kayak.",
    today="I was on the lake today and saw a heron.",
    cards=(
        "My card is 4111 1111 1111 1111.",
        "The boat club wants 5500 0000 0000 0004, my old card.",
        "The hotel in Porto took 4012 8888 8888 1881.",
    ),
)
CHINESE = Life(
    language="zh",
    sports=("小安每周二在湖上划船。", "小安买了一条旧皮划艇。", "小安夏天在河里游泳。"),
    leisure="小安的闲暇时间大多在水上和水里度过。",
    homes=("小安住在波尔图。", "小安住在里斯本。"),
    allergy=("请记住我对核桃过敏。", "小安对核桃过敏。"),
    question="我闲暇时喜欢做什么？",  # noqa: RUF001  (as it is written there)
    answer="你每周二划船，在河里游泳，还有一条旧皮划艇。",  # noqa: RUF001
    today="我今天在湖上看见了一只苍鹭。",
    cards=(
        "我的卡号是 4111 1111 1111 1111。",
        "划船俱乐部要我的旧卡号 5500 0000 0000 0004。",
        "波尔图的旅馆用了 4012 8888 8888 1881。",
    ),
)


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers the question about this life, and drafts the page of its day."""

    life: Life

    def __call__(self, turns: Sequence[Turn]) -> str:
        is_question = self.life.question in turns[-1].text
        answer = {"answer": self.life.answer, "used": [1, 2], "enough": True}
        return json.dumps(answer if is_question else {"page": self.life.today}, ensure_ascii=False)


@contextmanager
def tab_over_a_life(life: Life, folder: Path) -> Iterator[str]:
    """The tab over what was said and what was made of that, with a language model; its address."""
    guarded = {"LTM_GUARD__CARDS": "ask"}
    program = Program(folder, guarded, llm=ScriptedLLM(Answers(life), name=MODEL))
    LifeWriter(program.runtime.memory).write(life)
    embedder, loader = program.runtime.memory.embedder, program.runtime.model_loader
    loader.load("embedder", embedder, "by words", waits=True)  # no thread of the program does it
    with tab_of(program) as address:
        yield address


class LifeWriter:
    """Writes exchanges, facts, an insight and a doubtful pair, as a language model makes them."""

    def __init__(self, memory: LongTermMemory) -> None:
        self._memory = memory
        self._derived = DerivedMemories(memory)
        self._namespace = Namespace("Alex", "Nora")

    def write(self, life: Life) -> None:
        fact = MemoryKind.OBSERVATION
        ages = range(9, 9 - len(life.sports), -1)
        sports = [
            self._note(fact, text, [self._say(text, age)], "sport")
            for text, age in zip(life.sports, ages, strict=True)
        ]
        self._note(MemoryKind.INSIGHT, life.leisure, sports, "leisure")
        first, second = (
            self._note(fact, text, [self._say(text, age)], "home")
            for text, age in zip(life.homes, (40, 3), strict=True)
        )
        self._derived.doubt(self._namespace, second, [first])
        said, noted = life.allergy
        self._note(fact, noted, [self._say(said, 2)], "allergy")
        self._say(life.today, 0)
        for text in life.cards:
            with suppress(HeldForReview):
                self._say(text, 1)

    def _say(self, text: str, age_days: int) -> str:
        ts = datetime.now().timestamp() - age_days * _DAY
        said = Exchange(user=text, assistant="…", user_name="Alex", assistant_name="Nora", ts=ts)
        return self._memory.remember(self._namespace, _CHAT, said)

    def _note(self, kind: MemoryKind, text: str, sources: Sequence[str], key: str) -> str:
        records = self._memory.get_records(self._namespace, sources)
        new = NewDerived(
            kind=kind,
            text=text,
            sources={name: record.seq for name, record in records.items()},
            derived=Derivation(made_by=MODEL, subject="Alex", key=key),
        )
        return self._derived.add(self._namespace, new)
