"""What is kept of each graded submission, written so that a machine may go down at any moment.

OUT/results/ holds one file per submission, written in one move after the gradebook has it; RESULTS.json is made of them. A
file's name says what it was made from (the submission's bytes and the course's), so a second run knows what is done.
"""
from __future__ import annotations

import hashlib
import json
import os
import tempfile
from functools import lru_cache
from pathlib import Path

from autograder import judges, questions
from autograder.masters import Master
from autograder.judges.secret import derive
from autograder.submission import Submission


def key_of(submission: Submission, master: Master | None) -> str:
    """The name under which a result is kept; it changes when the submission, the notebook, its questions or judges do."""
    made_from = [submission.name, submission.sha256, submission.student, submission.variant, submission.status, submission.reason,
                 _papers(master.chapter, master.digest) if master else ""]
    return hashlib.sha256("\0".join(made_from).encode()).hexdigest()[:24]


def read(folder: Path, key: str) -> dict | None:
    """A kept result, or None when there is none that is whole."""
    try:
        return json.loads((folder / f"{key}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def keep(folder: Path, key: str, result: dict) -> None:
    """Keep a result."""
    write_atomically(folder / f"{key}.json", json.dumps(result, ensure_ascii=False, indent=1, sort_keys=True))


def write_atomically(path: Path, text: str) -> None:
    """Write a whole file or none of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix=".draft", delete=False) as draft:
        draft.write(text)
        draft.flush()
        os.fsync(draft.fileno())
    os.chmod(draft.name, 0o644)
    os.replace(draft.name, path)


@lru_cache(maxsize=64)
def _papers(chapter: str, master_digest: str) -> str:
    """One digest of all that a chapter is judged by."""
    digest = hashlib.sha256(master_digest.encode())
    for place in (*questions.__path__, *judges.__path__):
        for path in sorted(Path(place).glob(f"*ch{chapter}.py")):
            digest.update(path.read_bytes())
    for path in sorted(Path(__file__).with_name("rubric").glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest() + derive("results")[:16]
