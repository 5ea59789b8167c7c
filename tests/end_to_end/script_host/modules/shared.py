"""As much of the host's shared state as script.py's loading reads."""

import argparse
from pathlib import Path

args = argparse.Namespace(multi_user=False, extensions=[])
settings: dict = {}
user_data_dir = Path("user_data")
tokenizer = None
generation_lock = None
