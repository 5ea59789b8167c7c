"""The page of endpoints is readable where the scripts of Swagger UI cannot be loaded."""

from html import unescape

from memory_core.server.api_docs import endpoint_list
from tests.server.conftest import Served


def test_page_lists_every_endpoint_with_an_example_without_scripts(plain_server: Served) -> None:
    client = plain_server.client
    page = unescape(client.get("/docs").text)
    for path, operations in client.get("/openapi.json").json()["paths"].items():
        for method in operations:
            assert f"<code>{method.upper()} {path}</code>" in page
    assert '"query": "What is Ana allergic to?"' in page
    assert "{user_id, session_id, messages, channel}" in page
    assert "Parameters: user_id, session_id, channel, within_seconds, since, until" in page


def test_words_of_a_description_cannot_add_to_the_page() -> None:
    operation = {"description": "<script>alert(1)</script>", "parameters": [{"name": "<b>"}]}
    page = endpoint_list({"info": {"title": "<i>"}, "paths": {"/<x>": {"get": operation}}})
    assert "<script>" not in page
    assert "<b>" not in page
    assert "/&lt;x&gt;" in page
