"""Checks the types of kafkalab and bench with mypy, as strictly as pyproject.toml says.

An editor can then follow every value through the rooms.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.corpus  # mypy reads a fresh clone for half a minute
def test_every_value_of_the_simulator_has_its_type():
    """The first time mypy reads everything; then .mypy_cache has what did not change."""
    command = [sys.executable, "-m", "mypy", "--no-error-summary"]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, (
        "give what mypy names its type, or an assert that says why it cannot be None; "
        f"`.venv/bin/python -m mypy` shows the same:\n{checked.stdout}{checked.stderr}"
    )
