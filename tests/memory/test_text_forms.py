"""A chat rewritten in another Unicode form, or with other line ends, is the same chat."""

import hashlib
import unicodedata
from collections.abc import Callable
from dataclasses import replace

import pytest

from memory_core.domain.records import Exchange, MemoryKind, Note, content_key
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.log.diff import KnownExchange
from memory_core.storage.log.erasure import resolve_tombstones
from tests.builders import SPACE, opened_namespace, said

CAFE = said("Das Café heißt „Möwe“.\nEs ist am Hafen.", "Schön!\r\nUnd der Kaffee?")
TEA = said("I like tea", "Ça va.")


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def old_mac(text: str) -> str:
    return lf(text).replace("\n", "\r")


Rewrite = Callable[[str], str]
REWRITTEN = pytest.mark.parametrize("rewrite", [nfd, crlf, lf, old_mac])


def rewritten(exchange: Exchange, rewrite: Rewrite) -> Exchange:
    return replace(exchange, user=rewrite(exchange.user), assistant=rewrite(exchange.assistant))


@REWRITTEN
def test_rewritten_chat_changes_nothing(memory: LongTermMemory, rewrite: Rewrite) -> None:
    memory.reconcile(SPACE, "monday", [CAFE, TEA], whole=True)
    before = memory.conversation(SPACE, "monday", 9)
    shown = [rewritten(CAFE, rewrite), rewritten(TEA, rewrite)]
    assert not memory.reconcile(SPACE, "monday", shown, whole=True)
    assert not memory.reconcile(SPACE, "monday", [CAFE, TEA], whole=False)
    assert memory.conversation(SPACE, "monday", 9) == before


@REWRITTEN
def test_rewritten_branch_doubles_nothing(memory: LongTermMemory, rewrite: Rewrite) -> None:
    memory.reconcile(SPACE, "monday", [CAFE, TEA], whole=True)
    memory.reconcile(SPACE, "branch", [rewritten(CAFE, rewrite), TEA], whole=True)
    assert memory.counts(SPACE)["live"] == 2


@REWRITTEN
@pytest.mark.parametrize("is_erased", [False, True], ids=["hidden", "erased"])
def test_rewritten_chat_brings_back_nothing_forgotten(
    memory: LongTermMemory, rewrite: Rewrite, is_erased: bool
) -> None:
    memory.reconcile(SPACE, "monday", [CAFE, TEA], whole=True)
    memory.forget(SPACE, [memory.conversation(SPACE, "monday", 9)[0].id])
    if is_erased:
        memory.erase_all_forgotten(SPACE)
    assert not memory.reconcile(SPACE, "monday", [rewritten(CAFE, rewrite), TEA], whole=True)
    regenerated = replace(rewritten(CAFE, rewrite), assistant="Oh!")
    assert not memory.reconcile(SPACE, "monday", [regenerated, TEA], whole=True)


@REWRITTEN
def test_rewritten_note_is_added_once(memory: LongTermMemory, rewrite: Rewrite) -> None:
    notes = [Note(text=text, kind=MemoryKind.KNOWLEDGE) for text in (CAFE.user, rewrite(CAFE.user))]
    assert len(memory.add_notes(SPACE, notes[:1])) == 1
    assert memory.add_notes(SPACE, notes[1:]) == []


def hash_of_0_1(secret: str, user: str, assistant: str) -> str:
    """Returns the tombstone hash of a program that did not know the forms of a text."""
    joined = f"{user.strip()}\x1f{assistant.strip()}"
    content = hashlib.sha256(joined.encode()).hexdigest()[:32]
    key = bytes.fromhex(secret)
    return hashlib.blake2b(content.encode(), key=key, digest_size=16).hexdigest()


@REWRITTEN
def test_tombstone_of_an_earlier_version_still_hides_its_text(
    memory: LongTermMemory, rewrite: Rewrite
) -> None:
    secret = opened_namespace(memory, SPACE).secret()
    shown = rewritten(CAFE, rewrite)
    entry = KnownExchange(
        id="a",
        key=hash_of_0_1(secret, shown.user, shown.assistant),
        user_key=hash_of_0_1(secret, shown.user, ""),
        position=1.0,
        is_forgotten=True,
    )
    (found,) = resolve_tombstones([entry], [shown], [secret])
    assert found.key == shown.key
    regenerated = replace(shown, assistant="Oh!")
    (found,) = resolve_tombstones([entry], [regenerated], [secret])
    assert found.user_key == content_key(shown.user, "")
