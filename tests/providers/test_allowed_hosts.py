"""Addresses of other machines are refused without permission, with a clear message."""

import pytest

from memory_core.domain.errors import ConfigError
from memory_core.providers.allowed_hosts import check_endpoint
from tests.cases import for_each

KEY = "llm.base_url"


def _refusal(url: str, *, allow_remote: bool = False) -> str:
    with pytest.raises(ConfigError) as caught:
        check_endpoint(url, allow_remote=allow_remote, key=KEY)
    assert caught.value.key == KEY
    assert KEY in str(caught.value)
    return str(caught.value)


@for_each(
    "url",
    [
        "http://localhost:8000/v1",
        "http://LOCALHOST:8000/v1",
        "http://127.0.0.1:8000/v1",
        "https://127.200.0.9/v1",
        "http://[::1]:8000/v1",
    ],
)
def test_this_machine_needs_no_permission(url: str) -> None:
    endpoint = check_endpoint(url, allow_remote=False, key=KEY)
    assert endpoint.loopback
    assert endpoint.base_url == url


@for_each(
    "url",
    [
        "http://192.168.1.5:8000/v1",
        "https://api.example.com/v1",
        "http://localhost.example.com/v1",
        "http://127.0.0.1.example.com/v1",
        "http://0.0.0.0:8000/v1",
        "http://[::]:8000/v1",
        "http://127.1/v1",
        "http://2130706433/v1",
    ],
)
def test_any_other_machine_needs_allow_remote(url: str) -> None:
    assert "allow_remote" in _refusal(url)
    assert not check_endpoint(url, allow_remote=True, key=KEY).loopback


@for_each(
    "url",
    [
        "",
        "localhost:8000/v1",
        "ftp://127.0.0.1/v1",
        "file:///etc/passwd",
        "http://",
        "http:///v1",
        "http://127.0.0.1:99999/v1",
        "http://127.0.0.1:port/v1",
        "http://[::1/v1",
        "http://[::1].evil.com/v1",
        "http://[::1]evil.com:80/v1",
        "http://evil.com[::1]/v1",
        "http://[::1%25evil.com]/v1",
        "http://127.0.0.1%2eevil.com/v1",
        "http://127.0.0.1\\@example.com/v1",
        "http://127.0.0.1\t.example.com/v1",
        "http://127.0.0.1 /v1",
        "http://１27.0.0.1/v1",
        "http://127.0.0.1/v1?key=abc",
        "http://127.0.0.1/v1#part",
    ],
)
def test_a_malformed_address_is_refused_even_with_allow_remote(url: str) -> None:
    _refusal(url, allow_remote=True)


def test_credentials_in_the_address_are_refused_without_being_repeated() -> None:
    message = _refusal("http://ana:hunter2@127.0.0.1/v1")
    assert "llm.api_key" in message
    assert "hunter2" not in message


def test_a_trailing_slash_is_removed() -> None:
    url = "http://127.0.0.1:8000/v1/"
    assert check_endpoint(url, allow_remote=False, key=KEY).base_url == url[:-1]
