"""Lists what the course claims, and says of each claim which story proves it, or why none can.

A claim is a number that a chapter's guess gets from `truth`, a claim of the myth court, or a row of
a table "then and now". The table course_claims.tsv beside this file holds them:

    02 two brokers: opened                      story  02 two brokers
    15 one thread: waiting_in_purgatory         why    inside
    04 row: Without a key: round robin.         story  04 batches

The columns are divided by tabs. Several stories are divided by `; `.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).with_name("course_claims.tsv")
REASONS = {
    "clock": "It is a duration or a count in a time, and a real one depends on the machine.",
    "days": "It takes many minutes, hours or days.",
    "many": "It takes hundreds of clients, or a generated set of logs.",
    "draw": "The lab's seed decides it.",
    "inside": "It is seen inside a client or a broker only, where lines tell nothing.",
    "fault": "A real lab cannot do this on purpose: lose an answer, cut a link, stop the power.",
    "rule": "It needs a rule of the learner's own inside a client or a broker.",
    "program": "It counts what the chapter's own program does with its records.",
    "recorded": "The number comes from a recording of real Kafka.",
    "old": "It needs a client, a broker or a message format that a real lab does not start.",
    "words": "It tells of names, texts or documents; nothing runs.",
    "open": "A real cluster can show it, and nobody has written the story yet.",
}
"""Why a claim has no story."""
LONGEST_ROW = 80


class CourseClaim(NamedTuple):
    """A claim of the course. `chapter` is its number, or `myths`."""

    chapter: str
    name: str


class ClaimProof(NamedTuple):
    """What the table says of a claim: the ids of its stories, or a key of REASONS."""

    stories: tuple[str, ...]
    reason: str


def course_claims(sources: Path) -> list[CourseClaim]:
    """Every claim of the chapters in a folder such as notebooks/source_py, in their order."""
    found: list[CourseClaim] = []
    for path in sorted(sources.glob("*.py")):
        chapter = path.stem.split("_")[0]
        text = path.read_text(encoding="utf-8")
        found += [CourseClaim(chapter, name) for name in [*_guesses(text), *_rows(chapter, text)]]
    return list(dict.fromkeys(found))


def _guesses(text: str) -> Iterator[str]:
    """`02 two brokers: opened`, by the calls of predict and truth; `myth 03` for the court."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("predict", "truth"):
            guess = str(ast.literal_eval(node.args[0]))
            keys = [each.arg for each in node.keywords if each.arg]
            yield from [guess] if guess.startswith("myth") else [f"{guess}: {key}" for key in keys]


def _rows(chapter: str, text: str) -> Iterator[str]:
    """`04 row: Without a key: round robin.`, the first words of each row of a table then and
    now."""
    in_table = False
    for line in text.splitlines():
        in_table = line.startswith("# | Then | Now") or (in_table and line.startswith("# |"))
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line[2:])[1:-1]]
        if in_table and cells[0] != "Then" and not cells[0].startswith("---"):
            words = cells[0] if cells[0] != "—" else cells[1]
            yield f"{chapter} row: {words.replace('`', '')[:LONGEST_ROW].strip()}"


@cache
def claim_proofs() -> dict[str, ClaimProof]:
    """The table: the name of a claim -> what it says."""
    found: dict[str, ClaimProof] = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        name, kind, what = line.split("\t")
        found[name] = (
            ClaimProof(tuple(what.split("; ")), "") if kind == "story" else ClaimProof((), what)
        )
    return found
