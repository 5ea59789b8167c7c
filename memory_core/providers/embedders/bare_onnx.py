"""Runs the default model by onnxruntime and tokenizers alone, with the same vectors as fastembed.

On Python 3.13 fastembed needs Pillow 11, for pictures only, and the host's Gradio refuses it. The
files are the ones that fastembed fetches, kept in the same place.
"""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .base import Vectors
from .local_model import LoadedModel

_REPOSITORY = "Qdrant/paraphrase-multilingual-MiniLM-L12-v2-onnx-Q"
_MODEL, _TOKENIZER = "model_optimized.onnx", "tokenizer.json"
_LONGEST_TOKENS = 128
_PAD = "<pad>"
_BATCH = 64


def can_load() -> bool:
    """Returns whether the libraries are there."""
    return all(map(importlib.util.find_spec, ("onnxruntime", "tokenizers", "huggingface_hub")))


def load(*, cache_dir: Path, allow_download: bool, model_dir: Path | None) -> LoadedModel:
    """Fetches the model first where that is allowed; may raise anything."""
    import onnxruntime
    from tokenizers import Tokenizer

    folder = model_dir or _fetched(cache_dir, allow_download)
    tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
    tokenizer.enable_truncation(max_length=_LONGEST_TOKENS)
    pad_id = tokenizer.token_to_id(_PAD)
    if pad_id is None:
        raise ValueError(f"{folder / _TOKENIZER} knows no {_PAD}")
    tokenizer.enable_padding(pad_id=pad_id, pad_token=_PAD)
    session = onnxruntime.InferenceSession(str(folder / _MODEL), providers=["CPUExecutionProvider"])
    names = {node.name for node in session.get_inputs()}

    def encode(texts: list[str]) -> list[Vectors]:
        batches = (texts[at : at + _BATCH] for at in range(0, len(texts), _BATCH))
        return [row for batch in batches for row in _rows(session, names, tokenizer, batch)]

    return LoadedModel(encode_documents=encode, encode_query=encode)


def _fetched(cache_dir: Path, allow_download: bool) -> Path:
    from huggingface_hub import snapshot_download

    found = snapshot_download(
        repo_id=_REPOSITORY,
        cache_dir=str(cache_dir),
        allow_patterns=[_MODEL, _TOKENIZER],
        local_files_only=not allow_download,
    )
    return Path(found)


def _rows(session: Any, names: set[str], tokenizer: Any, texts: Sequence[str]) -> Vectors:  # noqa: ANN401
    """The mean of each text's tokens, shape (texts, width); not of unit length yet."""
    encoded = tokenizer.encode_batch(list(texts))
    ids = np.array([it.ids for it in encoded], dtype=np.int64)
    mask = np.array([it.attention_mask for it in encoded], dtype=np.int64)
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    tokens = session.run(None, {name: it for name, it in given.items() if name in names})[0]
    weights = mask[:, :, np.newaxis].astype(np.float64)
    sums = (tokens * weights).sum(axis=1)
    means: Vectors = (sums / np.maximum(weights.sum(axis=1), 1.0)).astype(np.float32)
    return means
