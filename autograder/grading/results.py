"""What is kept of each graded submission, written so that a machine may go down at any moment.

OUT/results/ holds one file per submission, written in one move after the gradebook has it;
RESULTS.json is made of them. A file's name says what it was made from (the submission's bytes and
the course's), so a second run knows what is done. A class of ten thousand stays on the disk:
`Results` reads one result when it is asked for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from autograder.cell import questions
from autograder.course import judges
from autograder.course.masters import Master
from autograder.course.secret import derive
from autograder.gradebook.files import write_atomically
from autograder.handed_in.concerns import Concern
from autograder.handed_in.submission import Submission
from autograder.written import rubrics

NOTICED = "worth a look: "
"""How a flag begins that tells what was noticed in the code (sandbox/outside/signs.py)."""


class Results(Mapping):
    """Maps a submission's name to its result, in the order of the folder.

    Each result is read from OUT/results/ when it is asked for.

    `superseded` names, for a submission that no longer counts, the one that does; `borrowed` are
    those that do not because another bears the name they give themselves; `too_late` those that do
    not because the other was in time and is worth no less.
    """

    def __init__(
        self,
        kept: Path,
        keys: dict[str, str],
        superseded: dict[str, str],
        borrowed: frozenset[str] = frozenset(),
        too_late: frozenset[str] = frozenset(),
    ):
        self._kept = kept
        self._keys = keys
        self._superseded = superseded
        self._borrowed = borrowed
        self._too_late = too_late
        # A submission that counts -> those that came later and are worth no more.
        self._stayed: dict[str, list[str]] = {}
        for name in sorted(too_late):
            self._stayed.setdefault(superseded[name], []).append(name)

    def __getitem__(self, name: str) -> dict:
        result = read(self._kept, self._keys[name])
        if result is None:
            raise KeyError(f"the result of {name} is gone from {self._kept}; grade again")
        result["reason_for_student"] = for_student(result)
        later = self._superseded.get(name)
        if later is None:
            result.pop("replaced_by", None)
        # a regraded result says so already
        elif result.get("replaced_by") != later:
            result["replaced_by"] = later
            said = f"{result['student']} handed in {later} later, and that one counts."
            borrowed = name in self._borrowed
            if borrowed:
                said = (
                    f"it says that it is {result['student']}'s, but {later} bears that name, and "
                    "counts."
                )
            if name in self._too_late:
                said = (
                    f"it came late. {later} came before it and counts, for this one is worth no"
                    " more after the penalty."
                )
            add_reason(result, said, for_teacher=borrowed)
            if borrowed:
                result["flags"] = [*result["flags"], said.removesuffix(".")]
                result["concerns"] = sorted({*result["concerns"], str(Concern.NAMES_ANOTHER)})
        for other in self._stayed.get(name, ()):
            if other not in result.get("preferred_to", ()):
                result["preferred_to"] = [*result.get("preferred_to", ()), other]
                add_reason(
                    result,
                    f"{other} came later and late, and is worth no more after the penalty; so this"
                    " one counts.",
                )
        return result

    @property
    def too_late(self) -> frozenset[str]:
        """The names of those that do not count because another was in time and is worth no less."""
        return self._too_late

    def only(self, names: Iterable[str]) -> Results:
        """The results of these names; what is said of them stays."""
        keys = {name: self._keys[name] for name in names}
        return Results(self._kept, keys, self._superseded, self._borrowed, self._too_late)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


def key_of(submission: Submission, master: Master | None) -> str:
    """The name under which a result is kept; it changes when the submission, the notebook,
    its questions or judges do."""
    made_from = [
        submission.name,
        submission.sha256,
        submission.student,
        submission.variant,
        submission.status,
        submission.reason,
        _papers(master.chapter, master.digest) if master else "",
    ]
    return hashlib.sha256("\0".join(made_from).encode()).hexdigest()[:24]


def read(folder: Path, key: str) -> dict | None:
    """A kept result, or None when there is none that is whole, or an older version kept it: then
    the submission is graded again."""
    try:
        result = json.loads((folder / f"{key}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return None if is_old(result) else result


def is_old(result: dict) -> bool:
    """Whether an older version of this package made the result: it has no codes."""
    return "concerns" not in result or any(
        "outcome" not in cell for cell in result["cells"].values()
    )


def add_reason(result: dict, sentence: str, for_teacher: bool = False) -> None:
    """Add a sentence to a result's reason; for the student too, unless it is for the teacher only:
    it names somebody else, or tells what was noticed in the code."""
    result["reason"] = f"{result['reason']} {sentence}".strip()
    if not for_teacher:
        result["reason_for_student"] = f"{result['reason_for_student']} {sentence}".strip()


def for_student(result: Mapping) -> str:
    """The reason as a student may read it. A result of an older version told the student what was
    noticed in the code."""
    reason = result["reason_for_student"]
    odd = "; ".join(flag for flag in result.get("flags", ()) if flag.startswith(NOTICED))
    return " ".join(reason.replace(f"{odd}.", "").split()) if odd else reason


def keep(folder: Path, key: str, result: dict) -> None:
    """Keep a result. After a power cut it is there whole, or not there and made again:
    nobody need wait for the disk."""
    write_atomically(
        folder / f"{key}.json",
        json.dumps(result, ensure_ascii=False, indent=1, sort_keys=True),
        wait=False,
    )


def as_json(results: Iterable[tuple[str, dict]]) -> Iterator[str]:
    """The text of {name: result, ...} as json.dumps(..., indent=1) has it, a piece at a time."""
    opening = "{\n "
    for name, result in results:
        text = json.dumps(result, ensure_ascii=False, indent=1).replace("\n", "\n ")
        yield f"{opening}{json.dumps(name, ensure_ascii=False)}: {text}"
        opening = ",\n "
    yield "{}" if opening == "{\n " else "\n}"


@lru_cache(maxsize=64)
def _papers(chapter: str, master_digest: str) -> str:
    """One digest of all that a chapter is judged by."""
    digest = hashlib.sha256(master_digest.encode())
    for place in (*questions.__path__, *judges.__path__, *rubrics.__path__):
        for path in sorted(Path(place).glob(f"ch{chapter}.py")):
            digest.update(path.read_bytes())
    for path in sorted((Path(rubrics.__file__).parents[1] / "scorer").glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest() + derive("results")[:16]
