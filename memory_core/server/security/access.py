"""Checks the key of each call, and the users for whom its caller may act."""

import logging
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from ...domain.namespaces import API_PREFIX, api_user
from ...infra.lru_cache import LRUCache
from ...memory.runtime import Runtime
from ..chat.request import LONGEST_NAME
from ..errors import FORBIDDEN, NOT_SIGNED_IN, TOO_MANY, UNPROCESSABLE, RequestRefused
from .keys import ANY_USER, KeyFile

_BEARER = "bearer "
_MINUTE_S = 60.0
_MAX_COUNTED = 4096
_audit = logging.getLogger("long_term_memory.audit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The holder of a key, or a program on this machine where there are no keys.

    `users` are the users for which it may act; empty means any. `default_user` is the setting
    api.default_user, which a caller limited to some users does not get.
    """

    key_name: str = ""
    users: tuple[str, ...] = ()
    default_user: str = ""

    def memory_user(self, named: str, *, field: str = "user") -> str | None:
        """Returns the owner of the memories; None (memory off) if neither call nor setting names
        one. `field` is where the call names the user. Raises RequestRefused for somebody else's,
        and for a longer name than the REST calls take.
        """
        if len(named) > LONGEST_NAME:
            message = f"{field} must have at most {LONGEST_NAME} letters"
            raise RequestRefused(message, param=field)
        return api_user(self._user(named, field), "" if self.users else self.default_user)

    def may_see(self, owner: str) -> bool:
        """Returns whether memories of this owner may be listed."""
        if not owner.startswith(API_PREFIX):
            return not self.users and owner == self.default_user
        return not self.users or owner.removeprefix(API_PREFIX) in self.users

    def _user(self, named: str, field: str) -> str:
        """Returns the API user for whom to act, "" if none is named. Raises RequestRefused."""
        if not self.users or named in self.users:
            return named
        if named:
            message = f"this API key may not act for the user {named!r}"
            raise RequestRefused(message, status=FORBIDDEN, param=field)
        if len(self.users) == 1:
            return self.users[0]
        message = "this API key acts for several users: name one"
        raise RequestRefused(message, status=UNPROCESSABLE, param=field)


class Access:
    """Checks calls before they reach an endpoint.

    Once there was a key, calls without one are refused: removing the last key must not open the
    server, which may be reachable from other machines.
    """

    def __init__(self, runtime: Runtime, keys: KeyFile) -> None:
        self._runtime = runtime
        self._keys = keys
        self._needs_key = bool(keys.keys())
        self._counts: LRUCache[str, tuple[int, float]] = LRUCache(_MAX_COUNTED)

    async def check(self, request: Request) -> None:
        """Lets a call pass, with its caller in request.state. Raises RequestRefused."""
        address = request.client.host if request.client else ""
        try:
            caller = await run_in_threadpool(self._caller, request.headers)  # may ask a database
        except RequestRefused:
            _audit.warning("%s %r refused: no valid key", request.method, request.url.path)
            self._count(address)  # limits the keys that an attacker can try
            raise
        self._count(caller.key_name or address)
        request.state.caller = caller
        _audit.info("%s %r by key %r", request.method, request.url.path, caller.key_name or "-")

    def _caller(self, headers: Mapping[str, str]) -> Caller:
        default = self._runtime.settings.api.default_user
        self._needs_key = self._needs_key or bool(self._keys.keys())
        if not self._needs_key:
            return Caller(default_user=default)
        given = headers.get("authorization", "")
        token = given[len(_BEARER) :] if given.lower().startswith(_BEARER) else ""
        known = self._keys.find(token.strip() or headers.get("x-api-key", ""))
        if known is None:
            message = "a valid API key is needed: Authorization: Bearer <key>"
            raise RequestRefused(message, status=NOT_SIGNED_IN)
        users = () if ANY_USER in known.users else known.users
        return Caller(key_name=known.name, users=users, default_user=default)

    def _count(self, who: str) -> None:
        """Counts the calls of the current minute. Raises RequestRefused above the limit."""
        limit = self._runtime.settings.server.requests_per_minute
        if not limit:
            return
        now = time.monotonic()
        count, began = self._counts.get(who) or (0, now)
        if now - began >= _MINUTE_S:
            count, began = 0, now
        self._counts.put(who, (count + 1, began))
        if count >= limit:
            message = f"more than {limit} requests a minute (server.requests_per_minute)"
            left_s = math.ceil(began + _MINUTE_S - now)
            raise RequestRefused(message, status=TOO_MANY, retry_after_s=max(1, left_s))


def caller_of(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller
