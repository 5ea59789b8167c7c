"""Tests the trust in an embedder: measured in the background, stored, shown in plain words."""

import json
import stat
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from memory_core.admin.doctor.file_check import check_storage
from memory_core.domain.errors import EmbedderUnavailable
from memory_core.memory.language_trust import FILE, LanguageTrust
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.runtime import Runtime
from memory_core.providers.embedders.base import Vectors
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.recall.languages import all_probes
from memory_core.recall.results import Recall
from memory_core.recall.vector_score import UNMEASURED
from tests.builders import KIND, SPACE, asked, derive_all, pipeline, said
from tests.conftest import MakeRuntime, OpenMemory
from tests.recall.languages import Linguist

LOCKER = "I have told you that the number of my locker is seven at the swimming pool."
OTHERS = [
    f"Yesterday somebody brought a parcel{n} and we have opened it together." for n in range(14)
]
QUESTION = "Do you remember what the number of my locker at the swimming pool was?"
CHINESE = "你还记得我上个星期跟你说过的那个游泳池的储物柜号码吗"
PROBES = {text for probe_set in all_probes().values() for pair in probe_set.pairs for text in pair}
PATIENCE_S = 20.0
REPLIES = [f"Topical answer about locker {n}" for n in range(15)]


def measure_all(memory: LongTermMemory) -> None:
    while memory.languages.measure_next(memory.embedder):
        pass


def filled(opened: OpenMemory, embedder: FakeEmbedder, *replies: str) -> LongTermMemory:
    memory = opened(embedder=embedder)
    for fact, reply in zip([LOCKER, *OTHERS], replies or REPLIES, strict=True):
        memory.remember(SPACE, "talk", said(fact, reply))
    derive_all(memory)
    return memory


def turn_part(found: Recall) -> float:
    both = (*found.kept, *found.dropped)
    return max((name.candidate.parts.get("turn", 0.0) for name in both), default=0.0)


def trusted(folder: Path, *languages: str, texts: str = QUESTION) -> tuple[LanguageTrust, Linguist]:
    """Returns the trust measured for the languages of these texts."""
    trust, embedder = LanguageTrust(folder), Linguist(*languages)
    trust.queue_languages_of(embedder.fingerprint, [texts])
    while trust.measure_next(embedder):
        pass
    return trust, embedder


# ---- what is measured, and when


def test_language_that_occurred_is_measured_once(tmp_path: Path) -> None:
    trust, embedder = trusted(tmp_path, "en")
    assert trust.measured_trust(embedder.fingerprint) == {"en": 1.0}
    assert len(embedder.asked) == 2 * len(all_probes()["en"].pairs)
    trust.queue_languages_of(embedder.fingerprint, [QUESTION])
    assert not trust.measure_next(embedder)


def test_unused_language_is_not_measured(tmp_path: Path) -> None:
    trust, embedder = LanguageTrust(tmp_path), Linguist("en")
    assert not trust.measure_next(embedder)
    assert embedder.asked == []


def test_without_an_embedder_nothing_is_measured(tmp_path: Path) -> None:
    assert not LanguageTrust(tmp_path).measure_next(None)


def test_message_in_a_new_language_queues_it_for_measurement(tmp_path: Path) -> None:
    trust, embedder = LanguageTrust(tmp_path), Linguist("en")
    assert trust.trust_for_message(embedder.fingerprint, {"zh": 1.0}) == (UNMEASURED, "")
    assert trust.measure_next(embedder)
    assert trust.measured_trust(embedder.fingerprint) == {"zh": 0.0}


def test_language_waits_while_the_embedder_is_unavailable(tmp_path: Path) -> None:
    trust, embedder = LanguageTrust(tmp_path), Linguist("en")
    embedder.is_down = True
    trust.queue_languages_of(embedder.fingerprint, [QUESTION])
    with pytest.raises(EmbedderUnavailable):
        trust.measure_next(embedder)
    embedder.is_down = False
    assert trust.measure_next(embedder)
    assert trust.measured_trust(embedder.fingerprint) == {"en": 1.0}


def test_another_model_is_measured_by_itself(tmp_path: Path) -> None:
    trust, english = trusted(tmp_path, "en")
    chinese = Linguist("zh")
    assert trust.measured_trust(chinese.fingerprint) == {}
    trust.queue_languages_of(chinese.fingerprint, [QUESTION])
    assert trust.measure_next(chinese)
    assert trust.measured_trust(chinese.fingerprint) == {"en": 0.0}
    assert trust.measured_trust(english.fingerprint) == {"en": 1.0}


# ---- how a message is judged


def test_language_without_probes_gets_half_the_trust(tmp_path: Path) -> None:
    trust, embedder = trusted(tmp_path, "en")
    assert trust.trust_for_message(embedder.fingerprint, {"": 1.0}) == (UNMEASURED, "")
    assert trust.trust_for_message(embedder.fingerprint, {}) == (UNMEASURED, "")
    assert not trust.measure_next(embedder)


def test_trust_for_a_message_in_two_languages_is_weighted_by_their_shares(tmp_path: Path) -> None:
    trust, embedder = trusted(tmp_path, "en", texts=f"{QUESTION} {CHINESE}")
    value, note = trust.trust_for_message(embedder.fingerprint, {"en": 0.75, "zh": 0.25})
    assert (value, note) == (pytest.approx(0.75), "")
    value, note = trust.trust_for_message(embedder.fingerprint, {"en": 0.25, "zh": 0.75})
    assert value == pytest.approx(0.25)
    assert note == ("the embedding model knows little Chinese (0.00): recall goes mostly by words")


# ---- what is kept over a restart


def test_measured_trust_is_kept_over_a_restart(tmp_path: Path) -> None:
    _, embedder = trusted(tmp_path, "en")
    again = LanguageTrust(tmp_path)
    assert again.measured_trust(embedder.fingerprint) == {"en": 1.0}
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_measured_trust_of_another_program_is_kept(tmp_path: Path) -> None:
    first, second = LanguageTrust(tmp_path), LanguageTrust(tmp_path)
    embedder = Linguist("en")
    for trust, text in ((first, QUESTION), (second, CHINESE)):
        trust.queue_languages_of(embedder.fingerprint, [text])
        assert trust.measure_next(embedder)
    assert LanguageTrust(tmp_path).measured_trust(embedder.fingerprint) == {"en": 1.0, "zh": 0.0}


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"probes": 1}', "[" * 9999])
def test_a_file_that_is_damaged_is_rewritten(tmp_path: Path, damage: str) -> None:
    (tmp_path / FILE).write_text(damage, encoding="utf-8")
    _, embedder = trusted(tmp_path, "en")
    assert len(embedder.asked) == 2 * len(all_probes()["en"].pairs)
    assert LanguageTrust(tmp_path).measured_trust(embedder.fingerprint) == {"en": 1.0}


def test_measures_by_other_probes_are_not_used(tmp_path: Path) -> None:
    _, embedder = trusted(tmp_path, "en")
    kept = json.loads((tmp_path / FILE).read_text(encoding="utf-8"))
    (tmp_path / FILE).write_text(json.dumps(kept | {"probes": "others"}), encoding="utf-8")
    assert LanguageTrust(tmp_path).measured_trust(embedder.fingerprint) == {}


def test_a_model_s_entry_of_the_wrong_shape_is_measured_again(tmp_path: Path) -> None:
    trusted(tmp_path, "en")
    kept = json.loads((tmp_path / FILE).read_text(encoding="utf-8"))
    (tmp_path / FILE).write_text(json.dumps(kept | {"models": {"m": [1]}}), encoding="utf-8")
    assert LanguageTrust(tmp_path).measured_trust("m") == {}


def test_a_folder_that_cannot_be_written_loses_nothing_but_the_file(tmp_path: Path) -> None:
    trust, embedder = trusted(tmp_path / "missing", "en")
    assert trust.measured_trust(embedder.fingerprint) == {"en": 1.0}


def test_doctor_knows_the_file_of_language_trust(opened: OpenMemory) -> None:
    memory = filled(opened, Linguist("en"))
    measure_all(memory)
    assert (memory.root / FILE).is_file()
    assert list(check_storage(memory.root)) == []


# ---- recall


@pytest.mark.parametrize(
    "replies",
    [
        ["Understood."] * 15,
        [f"Ok {n}." for n in range(15)],
        [*REPLIES[:3], *["Sorry, I do not know that."] * 12],
    ],
    ids=["all alike", "all short", "mostly refusals"],
)
def test_answers_of_the_character_do_not_change_trust(
    opened: OpenMemory, replies: list[str]
) -> None:
    memory = filled(opened, Linguist("en"), *replies)
    measure_all(memory)
    found = memory.recall(SPACE, asked(QUESTION))
    assert turn_part(found) > 0.0
    assert found.notes == ()
    assert memory.languages.trust_for_message(memory.embedder.fingerprint, {"en": 1.0}) == (1.0, "")


def test_recall_in_an_unknown_language_uses_words_and_reports_it(
    opened: OpenMemory,
) -> None:
    memory = filled(opened, Linguist("zh"))
    before = memory.recall(SPACE, asked(QUESTION))
    assert turn_part(before) > 0.0
    assert before.notes == ()
    measure_all(memory)
    found = memory.recall(SPACE, asked(QUESTION))
    assert turn_part(found) == 0.0
    assert found.kept
    assert found.degraded_reasons == ()
    assert found.notes == (
        "the embedding model knows little English (0.00): recall goes mostly by words",
    )


def test_recall_asks_the_model_for_the_message_alone(opened: OpenMemory) -> None:
    embedder = Linguist("en")
    memory = filled(opened, embedder)
    embedder.asked.clear()
    memory.recall(SPACE, asked(QUESTION))
    memory.recall(SPACE, asked(CHINESE))
    assert embedder.asked == []
    assert embedder.queries == [QUESTION, CHINESE]


def test_deriving_asks_the_model_for_the_history_alone(opened: OpenMemory) -> None:
    embedder = Linguist("en")
    filled(opened, embedder)
    assert PROBES.isdisjoint(embedder.asked)


# ---- the running program


class Awaited(Linguist):
    """Signals when it was asked for the probes often enough; may then fail."""

    def __init__(self, *languages: str, after: int, fault: Exception | None = None) -> None:
        super().__init__(*languages)
        self.is_done = threading.Event()
        self._left, self._fault = after, fault

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = super().embed(texts)
        if set(texts).isdisjoint(PROBES):
            return vectors
        self._left -= 1
        if self._left <= 0:
            self.is_done.set()
        if self._fault:
            raise self._fault
        return vectors


def run_until_asked(runtime: Runtime, embedder: Awaited, *texts: str) -> None:
    """Lets the running program embed these, until it has asked for the probes."""
    use(runtime, embedder)
    for text in texts:
        runtime.memory.remember(SPACE, "talk", said(text, ""))
    runtime.schedule(SPACE)
    runtime.start()
    assert embedder.is_done.wait(PATIENCE_S)
    runtime.close()


def use(runtime: Runtime, embedder: Linguist) -> None:
    runtime.memory.reconfigure(embedder=embedder, pipeline=pipeline(), limits=KIND)


def test_deriver_measures_the_languages_that_occurred(make_runtime: MakeRuntime) -> None:
    runtime, embedder = make_runtime(), Awaited("en", after=4)
    run_until_asked(runtime, embedder, QUESTION, CHINESE)
    assert runtime.memory.languages.measured_trust(embedder.fingerprint) == {"en": 1.0, "zh": 0.0}
    assert runtime.problems() == []


def test_model_that_fails_on_probes_ends_no_thread(make_runtime: MakeRuntime) -> None:
    runtime, embedder = make_runtime(), Awaited("en", after=1, fault=ValueError("odd"))
    run_until_asked(runtime, embedder, QUESTION)
    assert any("please report it" in problem for problem in runtime.problems())
    assert runtime.memory.languages.measured_trust(embedder.fingerprint) == {}
