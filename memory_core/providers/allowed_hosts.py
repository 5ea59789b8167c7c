"""Refuses addresses of other machines unless the owner allows them."""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from ..domain.errors import ConfigError

_HOST = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|[A-Za-z0-9._-]+)(?::[0-9]*)?")
_BRACKETED = 6  # URLs write addresses of this IP version in brackets


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A checked base URL, without a trailing slash; it holds no credentials and may be shown."""

    base_url: str
    loopback: bool


def check_endpoint(base_url: str, *, allow_remote: bool, key: str) -> Endpoint:
    """Returns the checked address. Raises ConfigError that names the setting `key` for others."""
    parts = _split(base_url, key)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"{key} must look like http://127.0.0.1:8000/v1", key=key)
    if parts.username is not None or parts.query or parts.fragment:
        raise ConfigError(f"{key} must hold no credentials and no ? or #; keys go into "
                          f"{key.replace('base_url', 'api_key')}", key=key)  # fmt: skip
    if not _is_plain(parts):
        raise ConfigError(f"{key} names no host: write it like http://127.0.0.1:8000/v1 or "
                          "http://[::1]:8000/v1", key=key)  # fmt: skip
    loopback = is_loopback(parts.hostname)
    if not (loopback or allow_remote):
        raise ConfigError(f"{key}: {parts.hostname} is not this machine; switch on allow_remote "
                          "if your conversations may be sent there", key=key)  # fmt: skip
    return Endpoint(f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/"), loopback)


def is_loopback(host: str) -> bool:
    """Returns True if the name itself means this machine. Nothing is resolved."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_plain(parts: SplitResult) -> bool:
    """Returns True if the address holds nothing but host and port.

    urlsplit ignores text after a bracket, which other parsers may take for the host.
    """
    match = _HOST.fullmatch(parts.netloc)
    if match is None or match["address"] is None:
        return match is not None
    try:
        return ipaddress.ip_address(match["address"]).version == _BRACKETED
    except ValueError:
        return False


def _split(base_url: str, key: str) -> SplitResult:
    # Other parsers read backslashes, blanks and odd hosts differently, so refuse them all.
    if not base_url.isascii() or any(char <= " " or char in "\\\x7f" for char in base_url):
        raise ConfigError(f"{key} holds a blank, a backslash or a non-ASCII character", key=key)
    try:
        parts = urlsplit(base_url)
        _ = parts.port
    except ValueError as exc:
        raise ConfigError(f"{key} is not an address: {exc}", key=key) from exc
    return parts
