"""Checks the types of kafkalab and bench with mypy, as strictly as pyproject.toml says.

An editor can then follow every value through the rooms.
"""

from __future__ import annotations

import ast
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


def test_what_every_room_is_handed_is_typed_by_its_class():
    """mypy wants a type for each parameter, and takes Any for one."""
    for path in sorted((ROOT / "kafkalab").rglob("*.py")):
        if "tests" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef):
                continue
            for given in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                if given.arg in ("lab", "profile", "journal"):
                    kind = ast.unparse(given.annotation) if given.annotation else "nothing"
                    assert kind not in ("nothing", "Any", "object"), (
                        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}() takes {kind} as "
                        f"{given.arg}: name its class"
                    )
