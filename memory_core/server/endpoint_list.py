"""Lists all endpoints as plain HTML, for browsers that cannot load the interactive page."""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

_METHODS = ("get", "post", "put", "patch", "delete")

Document = Mapping[str, Any]


def endpoint_list(document: Document) -> str:
    """Returns the endpoints of an OpenAPI document, each with its parameters and an example."""
    found = "\n".join(
        _endpoint(document, method.upper(), path, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if method in _METHODS
    )
    return f"<h1>{escape(document['info']['title'])}</h1>\n<dl>\n{found}\n</dl>"


def _endpoint(document: Document, method: str, path: str, operation: Document) -> str:
    texts = [str(operation.get("description") or operation.get("summary") or "")]
    names = [str(parameter["name"]) for parameter in operation.get("parameters", ())]
    if names:
        texts.append(f"Parameters: {', '.join(names)}")
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in texts if text)
    bodies = "".join(f"<pre>{escape(body)}</pre>" for body in _bodies(document, operation))
    return f"<dt><code>{method} {escape(path)}</code></dt><dd>{paragraphs}{bodies}</dd>"


def _bodies(document: Document, operation: Document) -> Iterator[str]:
    """Yields the JSON body as an example, else as the names of its fields."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return
    schema = _resolved(document, content.get("schema", {}))
    example = content.get("example") or schema.get("example")
    if example is not None:
        yield json.dumps(example, ensure_ascii=False, indent=1)
    elif fields := schema.get("properties"):
        yield f"{{{', '.join(fields)}}}"


def _resolved(document: Document, schema: Document) -> Document:
    reference = str(schema.get("$ref", ""))
    name = reference.rpartition("/")[2]
    return document["components"]["schemas"][name] if name else schema
