"""Names never share a folder on any file system, and no name leads out of the storage folder."""

import os
import random
import re
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.domain.errors import StorageCorrupt
from memory_core.domain.namespaces import (
    DEFAULT_USER,
    Namespace,
    Scope,
    api_user,
    decode,
    encode,
    page_user,
    signed_in_user,
)
from memory_core.storage.manifest import MANIFEST, list_namespaces, read_manifest, write_manifest
from tests.cases import for_each
from tests.fuzzing import examples

DEVICES = [
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
]
SEEDS = [
    *DEVICES,
    *(device.upper() for device in DEVICES),
    *("conin$", "CONOUT$", "COM¹", "lpt³", "con.txt", "nul ", "aux."),
    *(
        "",
        " ",
        ".",
        "..",
        "...",
        "../..",
        "/",
        "\\",
        "/etc/passwd",
        "C:\\x",
        "a/b",
        "a\\b",
        "\0",
        "a\0",
    ),
    *(
        "a.",
        "a ",
        " a",
        "a..",
        "~",
        "~1",
        "longfi~1",
        "%",
        "%00",
        "%41",
        "%empty",
        "empty",
        "-",
        "-rf",
    ),
    *("_", "__", "_instruct", "_shared", "_world", "instruct", "%5fworld", "world"),
    *(
        "小明",
        "李华",
        "Мария",
        "мария",
        "!!!",
        "Ana",
        "ana",
        "ANA",
        "anon",
        "Anon",
        "İ",
        "i̇",
        "ı",
        "ß",
        "ss",
    ),
    *(
        "\ud800",
        "\udfff",
        "\ud83d\ude00",
        "😀",
        "👩‍👩‍👧",
        "\u202eabc",
        "a\u200b",
        "\ufeffa",
        "\u2028",
    ),
    *("<", ">", ":", '"', "|", "?", "*", "a<b>", "é", "e\u0301", "Å", "\u212b", "ﬁ", "fi"),
    *("x" * 80, "x" * 81, "x" * 10_000, "x" * 10_001, "😀" * 3_000, "😀" * 3_001),
]
ALPHABET = "aAbBzZ09-_ .~%/\\:\0éÉ\u0301ıİßſKK小明😀\ud800\udc00\u202e$"
NAMES = st.text(st.characters(exclude_categories=()), max_size=200)


def nasty_names(count: int) -> set[str]:
    """Yields seeds, their variants (case, normal forms, dots, blanks), then random mixtures."""
    chance = random.Random(20261121)
    names = {relative for seed in SEEDS for relative in relatives(seed)}
    while len(names) < count:
        names.add(mixture(chance))
    return names


def relatives(name: str) -> Iterator[str]:
    yield from (name, name.upper(), name.lower(), name.swapcase(), name.casefold())
    yield from (name + ".", name + " ", " " + name, "_" + name, "%" + name, name + "~", name * 2)
    yield from (unicodedata.normalize(form, name) for form in ("NFC", "NFD", "NFKC", "NFKD"))


def mixture(chance: random.Random) -> str:
    noise = "".join(chance.choices(ALPHABET, k=chance.randint(0, 6)))
    kind = chance.randrange(3)
    if kind == 0:
        return noise + "".join(map(chr, chance.choices(range(0x110000), k=chance.randint(1, 40))))
    prefix = (
        chance.choice(["x" * 90, "x" * 79, "小" * 30]) if kind == 1 else chance.choice(SEEDS)[:99]
    )
    return prefix + noise


def assert_valid_everywhere(folder: str) -> None:
    assert re.fullmatch(r"[a-z0-9%][a-z0-9_%~-]*", folder), folder
    assert len(folder) <= 80
    assert folder not in DEVICES


@pytest.mark.slow
def test_ten_thousand_nasty_names_have_folders_of_their_own() -> None:
    names = nasty_names(12_000)
    folders = {encode(name).casefold() for name in names}
    assert len(folders) == len(names) >= 10_000


def test_nasty_names_give_valid_folders_and_decode_to_themselves() -> None:
    for name in nasty_names(12_000):
        folder = encode(name)
        assert_valid_everywhere(folder)
        assert decode(folder) == (None if "~" in folder else name)


@given(NAMES)
def test_any_encoded_name_decodes_to_itself_or_is_a_digest(name: str) -> None:
    folder = encode(name)
    assert_valid_everywhere(folder)
    assert decode(folder) == (None if "~" in folder else name)


@given(NAMES, NAMES)
def test_two_names_never_share_a_folder(one: str, other: str) -> None:
    assert (encode(one).casefold() == encode(other).casefold()) == (one == other)


@given(st.text("aA_-%~.con\u0301é", max_size=12), st.text("aA_-%~.con\u0301é", max_size=12))
@settings(max_examples=examples(250))
def test_two_similar_names_never_share_a_folder(one: str, other: str) -> None:
    assert (encode(one) == encode(other)) == (one == other)


@given(st.text("abco%_-~.41f0X\u00e9", max_size=12))
def test_folder_that_decodes_is_the_one_that_encode_returns(folder: str) -> None:
    name = decode(folder)
    assert name is None or encode(name) == folder


@given(NAMES, NAMES)
def test_namespace_folders_lie_two_levels_below_the_root(user: str, character: str) -> None:
    root = Path("/storage").resolve()
    assert Namespace(user, character).folder(root).resolve().parent.parent == root


@given(NAMES, NAMES)
def test_no_name_encodes_to_a_reserved_folder(user: str, character: str) -> None:
    root = Path("root")
    chosen = Namespace(user, character).folder(root)
    assert chosen not in {
        Namespace.instruct(user).folder(root),
        Namespace.shared(user).folder(root),
    }
    assert chosen.parent != Namespace.world().folder(root)


def test_readable_names_stay_readable() -> None:
    assert [encode(name) for name in ("ana", "Ana", "con", "_world", "")] == [
        *("ana", "%41na", "%63on", "%5fworld", "%empty")
    ]
    assert encode("20261121-07-24-33") == "20261121-07-24-33"


def test_reserved_folders_have_their_fixed_names() -> None:
    root = Path("root")
    assert Namespace.world().folder(root) == root / "_world"
    assert Namespace.instruct("ana").folder(root) == root / "ana" / "_instruct"
    assert Namespace.shared("ana").folder(root) == root / "ana" / "_shared"


@for_each("scope", [Scope.INSTRUCT, Scope.SHARED, Scope.WORLD])
def test_only_the_character_scope_takes_a_character(scope: Scope) -> None:
    with pytest.raises(ValueError, match="no character"):
        Namespace("", "Ana", scope)


def made(root: Path, *namespaces: Namespace, manifest: bool = True) -> set[Namespace]:
    for namespace in namespaces:
        folder = namespace.folder(root)
        folder.mkdir(parents=True)
        if manifest:
            write_manifest(namespace, folder)
    return set(namespaces)


def test_namespaces_are_listed_by_their_folders_alone(tmp_path: Path) -> None:
    namespaces = (
        Namespace("Ana", "小明"),
        Namespace("", ""),
        Namespace.world(),
        Namespace.shared("..."),
    )
    expected = made(tmp_path, *namespaces, manifest=False)
    assert set(list_namespaces(tmp_path)) == expected


def test_long_names_are_listed_from_their_manifests(tmp_path: Path) -> None:
    long = "\ud83d\ude00" * 100
    namespaces = (Namespace(long, "Ana"), Namespace("Ana", "x" * 10_000), Namespace.instruct(long))
    expected = made(tmp_path, *namespaces)
    assert set(list_namespaces(tmp_path)) == expected


def test_a_missing_root_has_no_namespaces(tmp_path: Path) -> None:
    assert list_namespaces(tmp_path / "absent") == []


def test_foreign_folders_and_files_are_not_listed(tmp_path: Path) -> None:
    for foreign in (
        "Ana/x",
        "ana/Backup (1)",
        "ana/x~1",
        "%zz/x",
        "_world/ana",
        "_other/ana",
        "con/a",
    ):
        (tmp_path / foreign).mkdir(parents=True)
    (tmp_path / "ana" / "notes").write_text("a file")
    assert list_namespaces(tmp_path) == [Namespace.world()]


def test_manifest_of_another_namespace_is_ignored(tmp_path: Path) -> None:
    folder = Namespace("ana", "x" * 100).folder(tmp_path)
    folder.mkdir(parents=True)
    write_manifest(Namespace("bob", "x" * 100), folder)
    assert list_namespaces(tmp_path) == []


def test_a_manifest_keeps_names_and_extras(tmp_path: Path) -> None:
    namespace = Namespace("\ud83d\ude00", "小明")
    write_manifest(namespace, tmp_path, extra={"embedder": {"dim": 384}, "user": "not this"})
    assert read_manifest(tmp_path) == {
        **{"format": 1, "user": "\ud83d\ude00", "character": "小明", "scope": "character"},
        "embedder": {"dim": 384},
    }


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_manifest_is_for_its_owner_alone(tmp_path: Path) -> None:
    write_manifest(Namespace("ana"), tmp_path)
    assert stat.S_IMODE((tmp_path / MANIFEST).stat().st_mode) == 0o600


def test_missing_manifest_reads_as_empty(tmp_path: Path) -> None:
    assert read_manifest(tmp_path) == {}


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "null", "{}", "[" * 100_000),
        '{"format": 2, "user": "a", "character": "b", "scope": "character"}',
        '{"format": 1, "user": 7, "character": "b", "scope": "character"}',
        '{"format": 1, "user": "a", "character": "b", "scope": "galaxy"}',
        '{"format": 1, "user": "a", "character": "b", "scope": "world"}',
    ],
)
def test_damaged_or_newer_manifest_is_reported_and_not_listed(tmp_path: Path, content: str) -> None:
    folder = Namespace("ana", "x" * 100).folder(tmp_path)
    folder.mkdir(parents=True)
    (folder / MANIFEST).write_text(content)
    with pytest.raises(StorageCorrupt, match=r"manifest\.json"):
        read_manifest(folder)
    assert list_namespaces(tmp_path) == []


USERS = st.one_of(
    st.text(min_size=1),
    st.lists(st.sampled_from(["api:", "user:", "ana", "default", ":"]), min_size=1).map("".join),
)


@given(USERS, USERS)
def test_a_page_user_is_never_an_api_user(page: str, api: str) -> None:
    assert page_user(page) != api_user(api, "")


@given(USERS, USERS)
def test_different_names_are_different_users(one: str, other: str) -> None:
    assert (page_user(one) == page_user(other)) == (one == other)
    assert (signed_in_user(one) == signed_in_user(other)) == (one == other)
    assert (api_user(one, "") == api_user(other, "")) == (one == other)


@given(USERS)
def test_a_prefix_typed_by_the_user_makes_another_user(name: str) -> None:
    typed = [prefix + name for prefix in ("", "api:", "user:", "user:user:", "user:api:")]
    assert len(set(map(page_user, typed))) == len(typed)


def test_an_ordinary_name_stays_as_it_is() -> None:
    assert page_user("Ana") == signed_in_user("Ana") == "Ana"


def test_page_without_a_profile_has_the_default_user() -> None:
    assert page_user(None) == page_user("") == DEFAULT_USER


@for_each("nobody", [None, ""])
def test_shared_page_without_sign_in_has_no_user(nobody: str | None) -> None:
    assert signed_in_user(nobody) is None


@for_each(
    ("field", "default", "user"),
    [
        ("bob", "", "api:bob"),
        ("bob", "default", "api:bob"),
        (None, "default", "default"),
        ("", "default", "default"),
        (None, "", None),
        ("api:bob", "", "api:api:bob"),
    ],
)
def test_an_api_call_without_user_has_the_configured_one(
    field: str | None, default: str, user: str | None
) -> None:
    assert api_user(field, default) == user
