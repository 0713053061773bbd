"""What the sandbox heard of each submission, kept so that one question can be judged again without
running anything.

OUT/heard/KEY.json.gz beside OUT/results/KEY.json: for each question the cases that were asked and
what the learner's answer said to each. It holds hidden cases, so it stays with the teacher like the
gradebook. A submission that says very much is not kept; it is run again when it is needed.
"""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from pathlib import Path

MOST_BYTES = 400_000  # before it is packed
HEARD = ("replies", "ended", "broken")  # what a question is marked by


def keep(out: Path, key: str, asked: dict, heard: dict) -> None:
    """Keep what was heard under a result's key. `asked` and `heard` are those of grade.hear."""
    cases = {
        question: [[case, hidden] for case, hidden in known] for question, known in asked.items()
    }
    text = json.dumps(
        {"asked": cases, **{name: heard[name] for name in HEARD}}, ensure_ascii=False
    ).encode()
    folder = out / "heard"
    folder.mkdir(exist_ok=True)
    path = folder / f"{key}.json.gz"
    if len(text) > MOST_BYTES:
        path.unlink(missing_ok=True)
        return
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".draft", delete=False) as draft:
        draft.write(gzip.compress(text, 3, mtime=0))
    os.replace(draft.name, path)


def read(out: Path, key: str) -> tuple[dict, dict] | None:
    """(asked, heard) as `keep` was given them; None where nothing whole was kept."""
    try:
        kept = json.loads(gzip.decompress((out / "heard" / f"{key}.json.gz").read_bytes()))
        asked = {
            question: [(case, hidden) for case, hidden in cases]
            for question, cases in kept["asked"].items()
        }
        return asked, {name: kept[name] for name in HEARD}
    except (OSError, EOFError, ValueError, KeyError, TypeError):
        return None
