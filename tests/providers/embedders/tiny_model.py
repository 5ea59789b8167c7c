"""Writes a static model of a few words in the files that fastembed reads."""

import json
import struct
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

DIM = 256


def write_tiny_model(folder: Path, *, words: list[str]) -> None:
    vocabulary = {word: index for index, word in enumerate(["[UNK]", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    rows = np.random.default_rng(7).normal(size=(len(vocabulary), DIM)).astype(np.float32)
    _write_safetensors(folder / "model.safetensors", rows)


def _write_safetensors(path: Path, rows: np.ndarray) -> None:
    # The format: eight bytes of header length, a JSON header, the bytes of the tensors.
    shape = {"dtype": "F32", "shape": rows.shape, "data_offsets": [0, rows.nbytes]}
    header = json.dumps({"embeddings": shape}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + rows.tobytes())
