"""Makes the sealed verdicts where judges are withheld, and holds them to the digests in SEALS.

Sealing is deterministic. So git keeps one digest a chapter, and no boxes: `course` and `seal` note
the digest of what they made, and `release` makes the boxes again and compares. Boxes that are there
already are used again as long as their digest is the noted one. Beside it is a digest of the
exercises' text that they were made of. So an exercise that was edited since is found without
sealing.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from autograder.cell import sealed
from autograder.cell.question import find, of_chapter
from autograder.course.fingerprint import fresh_boxes, origin
from autograder.course.sealing import seal_question, write_boxes


def seals_file() -> Path:
    """Where the digests of this course are, a chapter a line."""
    own = os.environ.get("AUTOGRADER_COURSE")
    return Path(own or Path(__file__).parent) / "SEALS"


def noted() -> dict[str, str]:
    """Chapter -> the digest of its sealed file; {} where none was noted."""
    return {chapter: row[0] for chapter, row in _rows().items()}


def edited_since() -> list[str]:
    """The chapters whose exercises say something else than when their digest was noted."""
    return [chapter for chapter, row in _rows().items() if row[1:] != [_text_of(chapter)]]


def note(chapter: str) -> None:
    """Write a chapter's digest into SEALS; LookupError where nothing was sealed."""
    if not (digest := digest_of(chapter)):
        raise LookupError(f"Seal the chapter first: `python -m autograder seal {chapter}`.")
    rows = {**_rows(), chapter: [digest, _text_of(chapter)]}
    text = "".join(f"{name} {' '.join(rows[name])}\n" for name in sorted(rows))
    seals_file().write_text(text, encoding="utf-8", newline="\n")


def digest_of(chapter: str) -> str:
    """The digest of a chapter's sealed file; "" where it is not there."""
    path = sealed.folder() / f"ch{chapter}.json"
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def seal(chapter: str, say: Callable[[str], None], only: Iterable[str] = ()) -> None:
    """Seal a chapter's public cases, each question in a process, and write its file. only: seal
    these questions, keep the others as they are. Unsealable where a judge, the solution and the
    wrong answers contradict each other; then the file stays as it was."""
    ids = [question.id for question in of_chapter(chapter) if question.kind != "open"]
    before = sealed.read(chapter)
    chosen = [id for id in ids if id in set(only or ids) or id not in before]
    made = {}
    with ProcessPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as workers:
        for id, boxes in zip(chosen, workers.map(_sealed, chosen), strict=True):
            made[id] = boxes
            say(f"sealed {id} ({len(made)} of {len(chosen)})")
    write_boxes(chapter, {id: made.get(id) or before[id] for id in ids})


def renew(chapter: str, say: Callable[[str], None]) -> None:
    """Make a chapter's sealed file where it is not there or not of today. `say` hears it where it
    is not the one that SEALS names; sealing itself has tried it."""
    wanted = noted().get(chapter)
    old = [
        question.id
        for question in of_chapter(chapter)
        if question.kind != "open" and fresh_boxes(question.id) is None
    ]
    # boxes that fit their digest are old, too, where an exercise was edited after it was noted
    if wanted and digest_of(chapter) == wanted and not old:
        return
    is_kept = bool(sealed.read(chapter))
    if old:
        seal(chapter, say, old)
    if is_kept and wanted and digest_of(chapter) != wanted:
        seal(chapter, say)  # what was kept may be of another simulator
    if wanted and digest_of(chapter) != wanted:
        say(
            f"Chapter {chapter} gives other verdicts than those noted in {seals_file().name}; they"
            f" are the judges' of today. `python -m autograder course {chapter}` notes them."
        )


def _rows() -> dict[str, list[str]]:
    """Chapter -> the digest of its sealed file, and that of the text it was made of, which the
    SEALS of an older course lacks."""
    path = seals_file()
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return {chapter: row for chapter, *row in map(str.split, lines)}


def _text_of(chapter: str) -> str:
    """A digest of the text that a chapter's verdicts are made of."""
    asked = (question for question in of_chapter(chapter) if question.kind != "open")
    origins = " ".join(f"{question.id} {origin(question.id)}" for question in asked)
    return hashlib.sha256(origins.encode()).hexdigest()[:16]


def _sealed(question_id: str) -> dict:
    return seal_question(find(question_id))
