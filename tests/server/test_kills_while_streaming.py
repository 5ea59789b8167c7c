"""What the server acknowledged is there after kill -9 in the midst of other streams, once."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
KILLS = 10  # `python -m benchmarks.serve_kills` does 200


@pytest.mark.slow
def test_no_acknowledged_exchange_is_lost_or_doubled_by_kills() -> None:
    command = [sys.executable, "-m", "benchmarks.serve_kills", "--kills", str(KILLS), "--json"]
    ended = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
    counted = json.loads(ended.stdout)
    assert (counted["lost"], counted["twice"]) == (0, 0)
    assert counted["asked"] > counted["acknowledged"] > KILLS
