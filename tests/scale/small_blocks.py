"""Blocks of postings so small that a few memories fill several groups of them."""

import pytest

from memory_core.storage.postgres import posting_groups, postings, reads

BLOCK, GROUP = 3, 2


def use_small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes blocks and groups small; to be called before anything is stored."""
    for module in (reads, posting_groups, postings):
        monkeypatch.setattr(module, "BLOCK", BLOCK)
    for module in (posting_groups, postings):
        monkeypatch.setattr(module, "GROUP", GROUP)
    monkeypatch.setattr(posting_groups, "_ROWS_AT_ONCE", 5)
