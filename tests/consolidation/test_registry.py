"""Every prompt has a contract that is checked when the models are built."""

from pathlib import Path

import pytest

import memory_core
from memory_core.bootstrap import PROMPTS, build_models
from memory_core.config.schema import Settings
from memory_core.text.prompt_files import LANGUAGES, PromptBook, PromptContract
from tests.cases import for_each

PACKAGE = Path(memory_core.__file__).parent


def test_every_prompt_file_has_a_contract() -> None:
    files = {path for path in PACKAGE.glob("*/prompts/*/*.txt")}
    known = {
        contract.folder / language / f"{contract.name}.txt"
        for contract in PROMPTS
        for language in LANGUAGES
    }
    assert files == known


@for_each("contract", PROMPTS)
def test_every_built_in_prompt_fits_its_contract(contract: PromptContract) -> None:
    prompts = PromptBook()
    assert set(prompts.load(contract).templates) == set(LANGUAGES)
    assert prompts.problems == []


@pytest.mark.parametrize("contract", PROMPTS)
def test_wrong_prompt_of_the_user_is_named_when_the_models_are_built(
    tmp_path: Path, contract: PromptContract
) -> None:
    path = tmp_path / "prompts" / "en" / f"{contract.name}.txt"
    path.parent.mkdir(parents=True)
    path.write_text("### user\nnothing to fill in\n", encoding="utf-8")
    none = Settings.model_validate({"embedder": {"kind": "none"}})
    (problem,) = build_models(none, tmp_path / "models").problems
    assert str(path) in problem
