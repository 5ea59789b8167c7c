"""Writes a tiny Llama with random weights; run by the host's python: make_model.py FOLDER CORPUS.

What it generates is noise, which the scripted model replaces. The host needs it for its tokenizer
(trained on CORPUS, so that a token is about four letters) and because it refuses to chat without.
"""

import sys
from pathlib import Path

import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

VOCABULARY = 1500
CONTEXT = 2048
MARKS = ["<s>", "</s>", "<|im_start|>", "<|im_end|>"]
CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tokenizer(corpus: Path) -> PreTrainedTokenizerFast:
    trained = ByteLevelBPETokenizer()
    trained.train([str(corpus)], vocab_size=VOCABULARY, special_tokens=MARKS, show_progress=False)
    begin, end = MARKS[:2]
    return PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer,
        bos_token=begin,
        eos_token=end,
        chat_template=CHATML,
    )


def model(vocabulary: int) -> LlamaForCausalLM:
    torch.manual_seed(1)
    size = 32
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=size,
        intermediate_size=2 * size,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=CONTEXT,
        bos_token_id=0,
        eos_token_id=1,
    )
    return LlamaForCausalLM(config)


def main(folder: Path, corpus: Path) -> None:
    words = tokenizer(corpus)
    words.save_pretrained(folder)
    model(len(words)).save_pretrained(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
