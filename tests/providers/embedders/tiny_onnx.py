"""Writes an ONNX model of a few words in the files of the default model, in ONNX's proto format.

It gives each token a row of a table: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

import json
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

DIM = 384
_FLOAT, _INT64 = 1, 7


def write_tiny_onnx(folder: Path, *, words: list[str]) -> None:
    vocabulary = {word: index for index, word in enumerate(["[UNK]", "<pad>", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {"model_max_length": 128, "pad_token": "<pad>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    rows = np.random.default_rng(7).normal(size=(len(vocabulary), DIM)).astype(np.float32)
    (folder / "model_optimized.onnx").write_bytes(_model(rows))


def _model(rows: np.ndarray) -> bytes:
    table = b"".join(_number(1, size) for size in rows.shape)
    table += _number(2, _FLOAT) + _bytes(8, b"table") + _bytes(9, rows.tobytes())
    look_up = _bytes(1, b"table") + _bytes(1, b"input_ids") + _bytes(2, b"hidden")
    graph = _bytes(1, look_up + _bytes(4, b"Gather")) + _bytes(2, b"tiny") + _bytes(5, table)
    graph += _bytes(11, _value("input_ids", _INT64, ["batch", "length"]))
    graph += _bytes(12, _value("hidden", _FLOAT, ["batch", "length", DIM]))
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, b"") + _number(2, 17))


def _value(name: str, kind: int, shape: list[str | int]) -> bytes:
    sizes = [
        _number(1, size) if isinstance(size, int) else _bytes(2, size.encode()) for size in shape
    ]
    tensor = _number(1, kind) + _bytes(2, b"".join(_bytes(1, size) for size in sizes))
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, tensor))


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _bytes(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])
