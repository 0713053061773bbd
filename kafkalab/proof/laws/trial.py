"""Plays one seed, checks every law on it, and reports what it broke."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kafkalab.lab import Lab
from kafkalab.proof.laws.laws import Breach, breaches
from kafkalab.proof.laws.reading import Reading
from kafkalab.proof.laws.shrink import shrink
from kafkalab.proof.laws.stories import Run, StoryKind, play_run, run_of

AROUND = 6
"""So many events of the journal are shown before and after the one that shows a breach."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one run. fell: an exception of a machine that no client should see, "" where
    there was none."""

    run: Run
    lab: Lab | None
    found: tuple[Breach, ...]
    fell: str = ""

    @property
    def held(self) -> bool:
        return not self.found and not self.fell

    @property
    def digest(self) -> str:
        """The whole journal in one number; "" where the run fell."""
        return self.lab.journal.digest() if self.lab else ""


def try_run(run: Run) -> Trial:
    """Play a run and hold it against the laws."""
    try:
        lab = play_run(run)
    except Exception as error:  # An assertion inside a machine is a broken law, too.
        return Trial(run, None, (), f"{type(error).__name__}: {error}")
    return Trial(run, lab, tuple(breaches(Reading(lab.journal), run.story.scope)))


def try_seed(seed: int, stories: Sequence[StoryKind] | None = None) -> Trial:
    return try_run(run_of(seed, stories))


def report(trial: Trial) -> str:
    """A broken seed, told: its number, the law, the shortest list of faults that still breaks it,
    and the journal around it."""
    law = trial.found[0].law if trial.found else ""
    shortest = try_run(shrink(trial.run, lambda run: _breaks(run, law)))
    lines = [f"seed {trial.run.seed}, a story of {trial.run.story.name}: {law or 'a machine fell'}"]
    breach = next((one for one in shortest.found if one.law == law), None)
    lines.append(f"  {breach.sentence if breach else shortest.fell}")
    lines.append(
        "  the shortest list of faults that still does it:"
        if shortest.run.faults
        else "  it takes no fault at all"
    )
    lines += [f"    {fault}" for fault in shortest.run.faults]
    if breach and shortest.lab:
        lines.append("  around it:")
        events = shortest.lab.journal.events
        shown = [
            id
            for id in range(len(events))
            if events[id].kind not in ("line", "request.received", "response.sent")
        ]
        place = next((index for index, id in enumerate(shown) if id >= breach.event_id), 0)
        lines += [
            f"  {'>' if id == breach.event_id else ' '} {events[id]!r}"[:220]
            for id in shown[max(0, place - AROUND) : place + AROUND]
        ]
        lines += ["  lines of that moment:"] + [
            f"    {line}" for line in _lines_around(shortest.lab, breach.event_id)
        ]
    return "\n".join(lines)


def _breaks(run: Run, law: str) -> bool:
    trial = try_run(run)
    return any(breach.law == law for breach in trial.found) if law else bool(trial.fell)


def _lines_around(lab: Lab, event_id: int) -> list[str]:
    events = lab.journal.events
    before = [id for id in range(event_id, -1, -1) if events[id].kind == "line"][:AROUND]
    return [lab.line_text(events[id]).rstrip("\n")[:200] for id in reversed(before)]
