"""MemoryScope's arguments in files."""

from pathlib import Path

import pytest

from memory_core.config.memoryscope_arguments import read_arguments
from memory_core.config.memoryscope_files import read_arguments_file
from memory_core.domain.errors import ConfigError

OWN_FORM = """\
global:
  language: en
  enable_ranker: false
memory_chat:
  cli_memory_chat: {class: core.chat.cli_memory_chat, stream: false}
memory_service:
  memoryscope_service:
    human_name: Ana
    assistant_name: Mira
    memory_operations:
      consolidate_memory: {workflow: info_filter, interval_time: 5}
      reflect_and_reconsolidate: {interval_time: 0}
worker:
  dummy: {class: core.worker.dummy_worker}
model:
  generation_model: {module_name: openai_generation, model_name: m, temperature: 0.01}
  embedding_model: {module_name: openai_embedding, model_name: e}
  rank_model: {module_name: dashscope_rank, model_name: r}
memory_store: {class: x, index_name: memory_index, es_url: "http://localhost:9200"}
monitor: {class: x}
"""


def test_file_in_memoryscopes_own_sections_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(OWN_FORM)
    read = read_arguments(read_arguments_file(path))
    read.refuse_unknown()
    assert (read.human_name, read.assistant_name, read.streams) == ("Ana", "Mira", False)
    assert read.settings["llm.model"] == "m"
    assert read.settings["backend.temperature"] == 0.01
    assert read.settings["consolidation.quiet_s"] == 5
    assert "insights" not in str(read.settings["consolidation.workers"])


def test_arguments_file_may_be_flat_or_have_a_global_section(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("global:\n  human_name: Ana\nmodel:\n  x: 1\n")
    assert read_arguments(read_arguments_file(path)).human_name == "Ana"
    path.write_text('{"human_name": "Ben"}')
    assert read_arguments(read_arguments_file(path)).human_name == "Ben"


@pytest.mark.parametrize("text", ["- a\n", "a: [", ""])
def test_arguments_file_without_arguments_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"a\.yaml"):
        read_arguments_file(path)
