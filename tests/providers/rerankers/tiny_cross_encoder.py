"""Writes a cross-encoder without weights, in the files that fastembed reads.

Its score is the number of pairs of equal tokens, one of the query and one of the text.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

_LONGEST = 128
_FLOAT, _INT64, _BOOL = 1, 7, 9
_INT, _TEXT, _INTS = 2, 3, 7


def write_tiny_cross_encoder(folder: Path, *, words: Sequence[str]) -> None:
    _write_tokenizer(folder, words)
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").write_bytes(_model())


def _write_tokenizer(folder: Path, words: Sequence[str]) -> None:
    vocabulary = {
        word: index for index, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words])
    }
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A", pair="[CLS] $A $B:1", special_tokens=[("[CLS]", vocabulary["[CLS]"])]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"model_max_length": _LONGEST, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}))
    (folder / "special_tokens_map.json").write_text(json.dumps({"pad_token": "[PAD]"}))


# ONNX is protobuf: below, messages are put together by the field numbers of onnx.proto.


def _model() -> bytes:
    version = _field(1, b"") + _field(2, 12)
    return _field(1, 7) + _field(7, _graph()) + _field(8, version)


def _graph() -> bytes:
    nodes = [
        _node("Unsqueeze", ["input_ids"], "down", _attribute("axes", _INTS, [2])),
        _node("Unsqueeze", ["input_ids"], "across", _attribute("axes", _INTS, [1])),
        _node("Equal", ["down", "across"], "equal"),
        _node("Cast", ["equal"], "pairs", _attribute("to", _INT, _FLOAT)),
        _node("Cast", ["token_type_ids"], "of_text", _attribute("to", _INT, _FLOAT)),
        _node("Cast", ["token_type_ids"], "is_text", _attribute("to", _INT, _BOOL)),
        _node("Not", ["is_text"], "is_query"),
        _node("Cast", ["is_query"], "of_query", _attribute("to", _INT, _FLOAT)),
        _node("Einsum", ["of_query", "pairs", "of_text"], "sums",
              _attribute("equation", _TEXT, "bi,bij,bj->b")),
        _node("Unsqueeze", ["sums"], "scores", _attribute("axes", _INTS, [1])),
    ]  # fmt: skip
    inputs = [_tensor(name, _INT64, ["b", "s"]) for name in ("input_ids", "token_type_ids")]
    return (
        b"".join(_field(1, node) for node in nodes)
        + _field(2, "tiny")
        + b"".join(_field(11, text) for text in inputs)
        + _field(12, _tensor("scores", _FLOAT, ["b", "one"]))
    )


def _node(kind: str, inputs: list[str], output: str, attribute: bytes = b"") -> bytes:
    named = b"".join(_field(1, name) for name in inputs) + _field(2, output)
    return named + _field(4, kind) + (_field(5, attribute) if attribute else b"")


def _attribute(name: str, kind: int, value: object) -> bytes:
    number = {_INT: 3, _TEXT: 4, _INTS: 8}[kind]
    values = value if isinstance(value, list) else [value]
    return _field(1, name) + b"".join(_field(number, value) for value in values) + _field(20, kind)


def _tensor(name: str, kind: int, shape: list[str]) -> bytes:
    sizes = b"".join(_field(1, _field(2, size)) for size in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, sizes)))


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(raw)) + raw


def _varint(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])
