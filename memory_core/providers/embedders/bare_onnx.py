"""Runs the default model with onnxruntime and tokenizers only, with fastembed's vectors.

On Python 3.13 fastembed needs Pillow 11 (for images), which the host's Gradio refuses. The model
files are fastembed's own, in fastembed's cache folder.
"""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .base import Vectors
from .local_model import DEFAULT_MODEL, LoadedModel

REPOSITORY = "Qdrant/paraphrase-multilingual-MiniLM-L12-v2-onnx-Q"
_MODEL, _TOKENIZER = FILES = ("model_optimized.onnx", "tokenizer.json")
_LONGEST_TOKENS = 128
_PAD = "<pad>"
_BATCH = 64


def can_load() -> bool:
    """Returns True if the libraries are installed."""
    return all(map(importlib.util.find_spec, ("onnxruntime", "tokenizers", "huggingface_hub")))


def user_placed_model(models: Path) -> Path | None:
    """Returns the folder in `models` that holds a complete default model, put there by hand."""
    folder = models / DEFAULT_MODEL.rpartition("/")[2]
    return folder if all((folder / name).is_file() for name in FILES) else None


def load(*, cache_dir: Path, allow_download: bool, model_dir: Path | None) -> LoadedModel:
    """Loads the model, after a download if one is needed and allowed. May raise anything."""
    import onnxruntime
    from tokenizers import Tokenizer

    folder = model_dir or _fetched(cache_dir, allow_download)
    tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
    tokenizer.enable_truncation(max_length=_LONGEST_TOKENS)
    pad_id = tokenizer.token_to_id(_PAD)
    if pad_id is None:
        raise ValueError(f"{folder / _TOKENIZER} has no {_PAD} token")
    tokenizer.enable_padding(pad_id=pad_id, pad_token=_PAD)
    session = onnxruntime.InferenceSession(str(folder / _MODEL), providers=["CPUExecutionProvider"])
    names = {node.name for node in session.get_inputs()}

    def encode(texts: list[str]) -> list[Vectors]:
        batches = (texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH))
        return [row for batch in batches for row in _rows(session, names, tokenizer, batch)]

    return LoadedModel(encode_documents=encode, encode_query=encode)


def _fetched(cache_dir: Path, allow_download: bool) -> Path:
    from huggingface_hub import snapshot_download

    folder = snapshot_download(
        repo_id=REPOSITORY,
        cache_dir=str(cache_dir),
        allow_patterns=list(FILES),
        local_files_only=not allow_download,
    )
    return Path(folder)


def _rows(session: Any, names: set[str], tokenizer: Any, texts: Sequence[str]) -> Vectors:  # noqa: ANN401
    """Returns the mean vector of each text's tokens, shape (texts, width), not yet normalised."""
    encodings = tokenizer.encode_batch(list(texts))
    ids = np.array([encoding.ids for encoding in encodings], dtype=np.int64)
    mask = np.array([encoding.attention_mask for encoding in encodings], dtype=np.int64)
    arrays = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    inputs = {name: array for name, array in arrays.items() if name in names}
    tokens = session.run(None, inputs)[0]
    weights = mask[:, :, np.newaxis].astype(np.float64)
    sums = (tokens * weights).sum(axis=1)
    means: Vectors = (sums / np.maximum(weights.sum(axis=1), 1.0)).astype(np.float32)
    return means
