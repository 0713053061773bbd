"""Writes the page notebooks/PROOF.md: a row for each claim and release that was run on both
labs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from kafkalab.real.proof.claim import RealStory
    from kafkalab.real.proof.outcome import RealOutcome

LONGEST_CELL = 160
HEAD = """# What real Kafka says to the course

Each row is a claim of a chapter. A small story ran twice: on the simulator, and on real brokers
with a released Java client. The row shows what came out. `python -m kafkalab real prove` runs the
stories again and writes this page; nobody edits it.

The simulator plays each story with five seeds. Where their values differ, the row shows all of
them: the claim is a matter of chance, and the real value must be one of them. The brokers are
4.4.0. Settings such as idle limits are shorter than in the chapters, because real time passes.
"""


class ProofRow(NamedTuple):
    """One claim with one release."""

    chapter: str
    claim: str
    simulated: list[Any]
    real: Any
    release: str
    agrees: bool
    date: str
    problem: str


def proof_rows(stories: Sequence[RealStory], outcomes: Iterable[RealOutcome]) -> list[ProofRow]:
    """A row for each claim that was run with the story as it is now."""
    known = {each.id: each for each in stories}
    rows = []
    for outcome in sorted(outcomes, key=lambda each: (each.story, each.release)):
        story = known.get(outcome.story)
        if story is None or outcome.digest != story.digest:
            continue
        if outcome.release not in story.releases:
            continue
        for claim, text in story.claims.items():
            has_real = claim in outcome.real
            simulated = outcome.simulated.get(claim, [])
            real = outcome.real.get(claim)
            agrees = has_real and real in simulated
            rows.append(
                ProofRow(
                    story.chapter,
                    text,
                    simulated,
                    real,
                    outcome.release,
                    agrees,
                    outcome.date,
                    outcome.problem if not has_real or not simulated else "",
                )
            )
    return rows


def proof_text(stories: Sequence[RealStory], outcomes: Iterable[RealOutcome]) -> str:
    """The whole page."""
    rows = proof_rows(stories, outcomes)
    agreed = sum(row.agrees for row in rows)
    chance = sum(row.agrees and len(row.simulated) > 1 for row in rows)
    dates = sorted({row.date for row in rows})
    releases = sorted(
        {row.release for row in rows}, key=lambda name: [int(n) for n in name.split(".")]
    )
    parts = [
        HEAD,
        f"{len(rows)} rows, {agreed} agree ({chance} of them by chance), "
        f"{len(rows) - agreed} do not. Clients: {', '.join(releases) or 'none'}. "
        f"Run: {' to '.join(sorted({*dates[:1], *dates[-1:]})) or 'never'}.\n",
    ]
    for chapter in sorted({row.chapter for row in rows}):
        parts.append(f"## Chapter {chapter}\n")
        parts.append("| claim | release | simulated | real | |\n|---|---|---|---|---|")
        parts += [_line(row) for row in rows if row.chapter == chapter]
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def _line(row: ProofRow) -> str:
    simulated = " or ".join(map(_cell, row.simulated)) or "not run"
    real = "not run" if row.problem else _cell(row.real)
    if row.agrees:
        verdict = "agreed" if len(row.simulated) == 1 else "agreed, by chance"
    else:
        verdict = f"**open**: {_short(row.problem)}" if row.problem else "**open**: they differ"
    return f"| {row.claim} | {row.release} | {simulated} | {real} | {verdict} |"


def _cell(value: Any) -> str:
    if isinstance(value, list):
        text = ", ".join(map(str, value)) or "none"
    elif isinstance(value, bool):
        text = "yes" if value else "no"
    else:
        text = str(value)
    return _short(text)


def _short(text: str) -> str:
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"
