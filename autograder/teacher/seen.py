"""Marks what needed a person as seen, so that `grade` and `report` do not show it as new again.

    python -m autograder seen OUT s107.ipynb s112      # these files, or these students'
    python -m autograder seen OUT --all                # everything that needs you now

OUT/seen.json holds digests only: of a file's name, its bytes and what was said of it. A file that
is handed in again, or of which something else is said, is new.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from autograder.grading.results import write_atomically
from autograder.written.answers import read_results

FILE = "seen.json"


def seen_of(out: Path) -> frozenset[str]:
    """The digests of what was seen; empty where the file is not there or is broken."""
    try:
        kept = json.loads((out / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()
    return frozenset(map(str, kept)) if isinstance(kept, list) else frozenset()


def is_seen(kept: frozenset[str], name: str, result: Mapping) -> bool:
    """Whether this file, with this said of it, was seen."""
    return _digest(name, result) in kept


def mark_seen(
    out: Path, needing: Callable[[Mapping], list[str]], wanted: Iterable[str] = ()
) -> list[str]:
    """Mark files, or all files of students, as seen; without any name all that needs a person.
    Returns their names. `needing` finds what needs a person. LookupError, with a sentence, for a
    name that is none."""
    results = read_results(out)
    open_yet = needing(results)
    found = []
    for each in wanted:
        own = [name for name in open_yet if each in (name, results[name]["student"])]
        if not own:
            raise LookupError(
                f"Nothing of {each!r} needs you; `report` lists the files and students that do."
            )
        found += own
    names = list(dict.fromkeys(found)) if wanted else open_yet
    kept = seen_of(out) | {_digest(name, results[name]) for name in names}
    write_atomically(out / FILE, json.dumps(sorted(kept), indent=0) + "\n")
    return names


def _digest(name: str, result: Mapping) -> str:
    said = [name, result["sha256"], result["status"], result["reason"]]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]
