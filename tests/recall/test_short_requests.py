"""A short request whose telling word a memory has gets that memory, with the default settings."""

from memory_core.config.schema import RecallSettings
from memory_core.recall.gate import ScoreGate
from memory_core.recall.pipeline import Pipeline, RecallLimits
from memory_core.recall.query import Query
from memory_core.recall.rerank import RerankByScore
from tests.builders import added, said
from tests.cases import for_each
from tests.recall.searching import recalled
from tests.storage.index.in_memory.store import InMemoryStore

FACTS = {
    "en": ["The wifi password of the cabin is bluebird.", "My brother Paul works at the harbour."],
    "de": ["Das WLAN-Passwort der Hütte ist Blaumeise.", "Mein Bruder Paul arbeitet am Hafen."],
    "es": ["La clave del wifi de la cabaña es pájaro azul.", "Mi hermano trabaja en el puerto."],
    "fr": ["Le mot de passe du wifi est mésange.", "Mon frère Paul travaille au port."],
    "ru": ["Пароль от вайфая на даче — синица.", "Мой брат Павел работает в порту."],
    "ja": ["山小屋のパスワードはシジュウカラだよ。", "兄の健一は港で働いてる。"],
    "zh": ["小木屋的wifi密码是蓝鸟。", "我哥保罗在码头上班。"],
}
REQUESTS = [
    ("en", "say the password"),
    ("en", "password please"),
    ("de", "sag das passwort"),
    ("de", "passwort bitte"),
    ("es", "dime la clave"),
    ("es", "repíteme la clave"),
    ("fr", "donne le mot de passe"),
    ("ru", "скажи пароль"),
    ("ru", "дай пароль"),
    ("ja", "パスワード言って"),
    ("zh", "告诉我密码"),
]
TOGETHER = [
    ("en", "say the magic word"),
    ("de", "sag mal ehrlich"),
    ("es", "dime la verdad"),
    ("fr", "dis-moi la vérité"),
    ("ru", "скажи правду"),
]


def asked(language: str, text: str) -> list[str]:
    shipped, store = RecallSettings(), InMemoryStore()
    facts = enumerate(FACTS[language], start=1)
    store.apply([added(number, f"id{number}", said(fact)) for number, fact in facts], {})
    gate = ScoreGate(
        min_score=0.0, min_letters=1, min_need=shipped.min_need, full_need=shipped.full_need
    )
    sizes = RecallLimits(candidates=60, replay=2, lines=6)
    pipeline = Pipeline(gate=gate, reranker=RerankByScore(), sizes=sizes)
    return [found.memory.id for found in recalled(pipeline, store, Query(text=text)).kept]


@for_each(("language", "text"), REQUESTS)
def test_short_request_gets_the_memory_that_has_its_word(language: str, text: str) -> None:
    assert asked(language, text)[:1] == ["id1"]


@for_each(("language", "text"), TOGETHER)
def test_short_request_for_something_unknown_gets_nothing(language: str, text: str) -> None:
    assert asked(language, text) == []
