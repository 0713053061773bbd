"""Checks the types of the simulator's rooms with mypy, as strictly as it can.

The rooms are those that pyproject.toml names: an editor can then follow every value through them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_every_value_of_the_simulator_has_its_type(tmp_path):
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), "--no-error-summary"]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, (
        "give what mypy names its type, or an assert that says why it cannot be None; "
        f"`.venv/bin/python -m mypy` shows the same:\n{checked.stdout}{checked.stderr}"
    )
