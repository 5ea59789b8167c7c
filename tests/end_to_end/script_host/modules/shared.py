"""The part of the host's shared state that script.py reads while loading."""

import argparse
from pathlib import Path

args = argparse.Namespace(multi_user=False, extensions=[])
settings: dict = {}
user_data_dir = Path("user_data")
tokenizer = None
generation_lock = None
