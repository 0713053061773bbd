"""Every source file is formatted and clean, by the rules and exceptions of pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def ruff(*words: str, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ruff", *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True)


@pytest.mark.parametrize(
    "words",
    [("format", "--check", "."), ("check", "--output-format", "concise", ".")],
    ids=["format", "check"],
)
def test_every_source_file_is_formatted_and_clean(words):
    done = ruff(*words, "--no-cache")
    assert done.returncode == 0, (
        "run `make format`; what it leaves is mended by hand, a long text is split at a blank:\n"
        + (done.stdout + done.stderr)[-3_000:]
    )


@pytest.mark.parametrize(
    ("words", "text", "complaint"),
    [
        (("format", "--check"), "first = {'a':1}\n", "would be reformatted"),
        (("check",), f"SAID = '{'word ' * 25}'\n", "E501"),
        (("check",), "def twice():\n    pass\n\n\ndef twice():\n    pass\n", "F811"),
    ],
    ids=["format", "long line", "defined twice"],
)
def test_a_file_that_is_not_is_named(tmp_path, words, text, complaint):
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text("utf-8"), "utf-8")
    (tmp_path / "wrong.py").write_text(text, encoding="utf-8")
    done = ruff(*words, "--no-cache", ".", root=tmp_path)
    assert done.returncode and complaint in done.stdout and "wrong.py" in done.stdout
