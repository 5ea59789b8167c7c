"""Keys, users, hosts, origins and sizes: what is refused, and how."""

import json
import stat
import urllib.error
import urllib.request

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from memory_core.config.server_settings import KEYS_FILE
from memory_core.domain.errors import ConfigError
from memory_core.server.app import create_app, get_router
from memory_core.server.security.keys import ANY_USER, KeyFile
from tests.conftest import MakeRuntime
from tests.server.conftest import Served, ServeWith
from tests.server.live_server import chat, live, stored


def test_key_file_holds_hashes_and_is_private(make_runtime: MakeRuntime) -> None:
    root = make_runtime().memory.root
    key = KeyFile(root).add("bot", ["ana"])
    path = root / KEYS_FILE
    assert key not in path.read_text(encoding="utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    found = KeyFile(root).find(key)
    assert found is not None
    assert (found.name, found.users) == ("bot", ("ana",))
    assert KeyFile(root).find(key + "x") is None


def test_damaged_key_file_refuses_everybody(serve_with: ServeWith) -> None:
    served = serve_with()
    (served.runtime.memory.root).mkdir(parents=True, exist_ok=True)
    (served.runtime.memory.root / KEYS_FILE).write_text("{}", encoding="utf-8")
    answer = chat(served.client, "Hi")
    assert (answer.status_code, served.asked) == (400, [])
    with pytest.raises(ConfigError, match="damaged"):
        KeyFile(served.runtime.memory.root).keys()


@pytest.mark.parametrize("users", [[], "*", None], ids=str)
def test_key_without_a_list_of_users_acts_for_nobody(serve_with: ServeWith, users: object) -> None:
    served = serve_with()
    file = KeyFile(served.runtime.memory.root)
    key = file.add("bot", ["ana"])
    written = json.loads(file.path.read_bytes())
    written["keys"][0]["users"] = users
    file.path.write_text(json.dumps(written), encoding="utf-8")
    served.client.headers["x-api-key"] = key
    assert chat(served.client, "Hi").status_code == 400
    assert served.asked == []


def test_call_without_or_with_a_wrong_key_is_refused_once_there_is_one(
    serve_with: ServeWith,
) -> None:
    served = serve_with()
    key = KeyFile(served.runtime.memory.root).add("bot", [ANY_USER])
    assert chat(served.client, "Hi").status_code == 401
    for wrong in ("", "Bearer", "Bearer ltm-x", "Basic x", "Bearer \xff"):
        headers = {"authorization": wrong.encode("latin-1")}
        assert served.client.get("/v1/models", headers=headers).status_code == 401
    for right in ({"authorization": f"Bearer {key}"}, {"x-api-key": key}):
        assert served.client.get("/v1/models", headers=right).status_code == 200


def test_openapi_document_declares_the_key(plain_server: Served) -> None:
    document = plain_server.client.get("/openapi.json").json()
    schemes = document["components"]["securitySchemes"]
    assert {(scheme["type"], scheme.get("name")) for scheme in schemes.values()} == {
        ("http", None),
        ("apiKey", "X-API-Key"),
    }
    either = [{name: []} for name in sorted(schemes, reverse=True)]
    for path, operations in document["paths"].items():
        for operation in operations.values():
            assert operation.get("security", []) == ([] if path == "/health" else either), path


@pytest.mark.parametrize("path", ["/openapi.json", "/docs"])
def test_document_needs_a_key_once_others_may_call(serve_with: ServeWith, path: str) -> None:
    served = serve_with(server={"allowed_hosts": "chat.example.org"})
    assert served.client.get(path).status_code == 200
    key = KeyFile(served.runtime.memory.root).add("bot", ["ana"])
    refused = served.client.get(path)
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, 401)
    assert served.client.get(path, headers={"x-api-key": key}).status_code == 200


def test_document_stays_open_to_programs_on_this_machine(serve_with: ServeWith) -> None:
    served = serve_with()
    KeyFile(served.runtime.memory.root).add("bot", ["ana"])
    assert "/v1/models" in served.client.get("/openapi.json").json()["paths"]
    assert "/openapi.json" in served.client.get("/docs").text


def test_start_page_names_the_documents_to_everybody_and_no_users(
    serve_with: ServeWith,
) -> None:
    served = serve_with(server={"allowed_hosts": "memory.example"})
    key = KeyFile(served.runtime.memory.root).add("anas-bot", ["ana"])
    with live(served.runtime) as client:
        told = client.get("/").json()
        assert told.keys() == {"about", "docs", "openapi", "health", "openai_api"}
        known = {"authorization": f"Bearer {key}"}
        for name in ("docs", "openapi", "health"):
            assert client.get(told[name], headers=known).status_code == 200


def test_document_of_a_mounted_application_names_its_own_address(
    make_runtime: MakeRuntime,
) -> None:
    outer = FastAPI()
    outer.mount("/memory", create_app(make_runtime(), checks_host=False))
    client = TestClient(outer)
    assert client.get("/memory/openapi.json").json()["servers"] == [{"url": "/memory"}]
    assert "/memory/openapi.json" in client.get("/memory/docs").text


def test_key_never_reaches_the_backend(serve_with: ServeWith) -> None:
    served = serve_with(server={"backend_api_key": "backend-secret"})
    key = KeyFile(served.runtime.memory.root).add("bot", [ANY_USER])
    with live(served.runtime, key=key) as client:
        chat(client, "Hi")
    sent = served.asked[-1]
    assert key not in json.dumps([sent.headers, sent.body])
    assert sent.headers["authorization"] == "Bearer backend-secret"


def test_key_acts_for_its_own_users_alone(serve_with: ServeWith) -> None:
    served = serve_with()
    keys = KeyFile(served.runtime.memory.root)
    with live(served.runtime, key=keys.add("bot", ["ana"])) as client:
        assert chat(client, "I am Ana.").status_code == 200
        foreign = chat(client, "I am Bob.", user="bob")
        assert (foreign.status_code, foreign.json()["error"]["param"]) == (403, "user")
        foreign = client.get("/memories", params={"user_id": "bob"})
        assert (foreign.status_code, foreign.json()["error"]["param"]) == (403, "user_id")
        assert chat(client, "I am still Ana.", user="").status_code == 200
    with live(served.runtime, key=keys.add("two", ["ana", "bob"])) as client:
        assert chat(client, "Who am I?", user="").status_code == 422
    assert len(stored(served.runtime)) == 2


def test_limited_key_does_not_get_the_default_user(serve_with: ServeWith) -> None:
    served = serve_with(api={"default_user": "default"})
    keys = KeyFile(served.runtime.memory.root)
    with live(served.runtime, key=keys.add("bot", ["default"])) as client:
        chat(client, "Hi")
        chat(client, "I am here.", user="default")
    assert {space.user for space in served.runtime.memory.namespaces()} == {"api:default"}


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("127.0.0.1:8010", 200),
        ("[::1]:8010", 200),
        ("chat.example.org", 200),
        ("evil.example.org", 403),
        ("127.0.0.1.evil.org", 403),
        ("localhost@evil.org", 403),
        ("", 403),
    ],
)
def test_server_is_addressed_by_its_own_names_only(
    serve_with: ServeWith, host: str, status: int
) -> None:
    served = serve_with(server={"allowed_hosts": "chat.example.org"})
    assert served.client.get("/v1/models", headers={"host": host}).status_code == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("https://good.example.org", 200),
        ("https://evil.example.org", 403),
        ("null", 403),
        ("http://localhost:1", 403),
        ("http://[", 403),
    ],
)
def test_pages_of_other_sites_may_not_call(serve_with: ServeWith, origin: str, status: int) -> None:
    served = serve_with(server={"allowed_origins": "https://good.example.org"})
    answer = served.client.get("/v1/models", headers={"origin": origin})
    assert answer.status_code == status
    allowed = answer.headers.get("access-control-allow-origin")
    assert allowed == (origin if status == 200 else None)


def test_browser_gets_no_leave_by_default(serve_with: ServeWith) -> None:
    served = serve_with()
    own = str(served.client.base_url).rstrip("/")
    assert served.client.get("/v1/models", headers={"origin": own}).status_code == 200
    headers = {"origin": "https://a.example", "access-control-request-method": "POST"}
    answer = served.client.options("/v1/chat/completions", headers=headers)
    assert answer.status_code == 403


@pytest.mark.parametrize("tells_length", [True, False])
def test_too_large_request_is_refused(serve_with: ServeWith, tells_length: bool) -> None:
    served = serve_with(server={"max_request_mb": 0.01})
    body = json.dumps({"messages": [{"role": "user", "content": "x" * 20_000}]}).encode()
    content = body if tells_length else iter([body[:9000], body[9000:]])
    answer = served.client.post("/v1/chat/completions", content=content)
    assert answer.status_code == 413
    assert "max_request_mb" in answer.json()["error"]["message"]


@pytest.mark.parametrize(("key", "status"), [("", 413), ("wrong", 401)])
def test_client_that_sends_everything_first_reads_why_it_was_refused(
    serve_with: ServeWith, key: str, status: int
) -> None:
    """A closed connection would be all that urllib sees, as it reads no answer before."""
    served = serve_with(server={"max_request_mb": 64.0 if key else 0.01})
    if key:
        KeyFile(served.runtime.memory.root).add("bot", ["ana"])
    url = str(served.client.base_url.join("/import"))
    headers = {"authorization": f"Bearer {key}"}
    request = urllib.request.Request(url, data=b"x" * (32 << 20), headers=headers)  # noqa: S310
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=30)  # noqa: S310
    assert refused.value.code == status
    assert "error" in json.load(refused.value)


def test_requests_above_the_rate_are_refused(serve_with: ServeWith) -> None:
    served = serve_with(server={"requests_per_minute": 2})
    answers = [served.client.get("/v1/models") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
    assert "retry-after" not in answers[0].headers


@pytest.mark.parametrize("path", ["/v1/models", "/memories", "/docs", "/mcp/"])
def test_call_without_a_key_is_told_how_to_authenticate(serve_with: ServeWith, path: str) -> None:
    served = serve_with(server={"allowed_hosts": "memory.example.org"})
    KeyFile(served.runtime.memory.root).add("bot", [ANY_USER])
    answer = served.client.get(path)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")


def test_bug_reaches_the_client_without_traceback(
    serve_with: ServeWith, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = serve_with()
    monkeypatch.setattr(type(served.runtime.memory), "aliases", property(lambda _: 1 / 0))
    answer = chat(served.client, "my secret")
    assert answer.status_code == 500
    assert "Traceback" not in answer.text
    assert "division" not in answer.text
    assert any("please report it" in problem for problem in served.runtime.problems())


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b'"x"', b"NaN"])
def test_body_that_is_no_json_object_is_refused(plain_server: Served, body: bytes) -> None:
    answer = plain_server.client.post("/v1/chat/completions", content=body)
    assert answer.status_code == 400


def test_router_in_another_application_keeps_its_errors_and_keys(
    make_runtime: MakeRuntime,
) -> None:
    runtime = make_runtime()
    KeyFile(runtime.memory.root).add("bot", [ANY_USER])
    app = FastAPI()
    app.include_router(get_router(runtime, "/memory"))
    with TestClient(app) as client:
        assert client.get("/memory/health").json() == {"ok": True}
        refused = client.get("/memory/memories", params={"user_id": "ana"})
    assert (refused.status_code, refused.json()["error"]["type"]) == (401, "authentication_error")


def test_server_stays_shut_when_its_last_key_is_removed(serve_with: ServeWith) -> None:
    served = serve_with()
    keys = KeyFile(served.runtime.memory.root)
    key = keys.add("bot", [ANY_USER])
    with live(served.runtime) as client:
        keys.remove("bot")
        for headers in ({}, {"authorization": f"Bearer {key}"}):
            answer = client.get("/memories", params={"user_id": "ana"}, headers=headers)
            assert answer.status_code == 401
        keys.path.unlink()
        assert client.get("/memories", params={"user_id": "ana"}).status_code == 401


def test_calls_with_wrong_keys_are_limited_and_noted(
    serve_with: ServeWith, caplog: pytest.LogCaptureFixture
) -> None:
    served = serve_with(server={"requests_per_minute": 2})
    KeyFile(served.runtime.memory.root).add("bot", [ANY_USER])
    with caplog.at_level("WARNING", "long_term_memory.audit"):
        statuses = [
            served.client.get(
                "/memories/a%0Ab", headers={"x-api-key": f"guess-{number}"}
            ).status_code
            for number in range(3)
        ]
    assert statuses == [401, 401, 429]
    notes = [record.getMessage() for record in caplog.records]
    assert [note.count("refused") for note in notes] == [1, 1, 1]
    assert not any("guess" in note or "\n" in note for note in notes)
