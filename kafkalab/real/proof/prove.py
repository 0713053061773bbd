"""Runs every story on both labs and writes the page notebooks/PROOF.md.

The simulator plays all of them each time, because that is cheap. What real Kafka gave is kept:
a story runs there again only when its source or that of its helpers has changed. A story whose
values are a matter of chance runs ten times on either side. A story that has not run on this
machine keeps the rows that the page had.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module

from kafkalab.course_folder import course_folder
from kafkalab.errors import IllegalArgumentException
from kafkalab.real.jar_sets import NotSetUp, broker_set, client_set
from kafkalab.real.proof.claim import RealStory
from kafkalab.real.proof.course_claims import claim_proofs
from kafkalab.real.proof.proof_page import Proof, proof_rows, proof_text, rows_text
from kafkalab.real.proof.real_run import (
    RealRun,
    keep_only,
    keep_run,
    kept_runs,
    read_runs,
    runs_of,
    shown_runs,
    write_runs,
)
from kafkalab.real.proof.sides import RealSide
from kafkalab.real.proof.simulated_play import (
    RUNS_OF_CHANCE,
    SimulatedPlay,
    plain,
    play_simulated,
)

ROOMS = tuple(
    import_module(f"kafkalab.real.proof.{subject}_stories")
    for subject in (
        "connection batch replica group offset error lag log reader share court line ending "
        "old_broker program waiting window"
    ).split()
)
RUNS_OF_PAGE = "proof_runs.jsonl"
"""The file beside the page that holds what real Kafka gave for each of its rows."""
Key = tuple[str, str]
"""A story's id and a client release."""
Show = Callable[[str], None]


def all_stories() -> list[RealStory]:
    """Every story, by chapter."""
    found = {  # a room that imports a story of another one has it, too
        id(each): each
        for room in ROOMS
        for each in vars(room).values()
        if isinstance(each, RealStory)
    }
    return sorted(found.values(), key=lambda each: each.id)


def prove(chapters: Sequence[str], again: bool, show: Show) -> int:
    """Run the stories of these chapters, of all where none is named, and write the page.

    Returns 0 where all agree. Raises NotSetUp, IllegalArgumentException for a chapter without
    stories.
    """
    stories = all_stories()
    strangers = set(chapters) - {each.chapter for each in stories}
    if strangers:
        known = ", ".join(sorted({each.chapter for each in stories}))
        raise IllegalArgumentException(
            f"no story proves chapter {sorted(strangers)[0]!r}; there are stories for {known}"
        )
    wanted = [each for each in stories if not chapters or each.chapter in chapters]
    for version in {each.broker_version for each in wanted}:
        broker_set(version).class_path()
    for release in {release for each in wanted for release in each.releases}:
        client_set(release).class_path()
    kept = kept_runs()
    if again:
        ids = {each.id for each in wanted}
        kept = [each for each in kept if each.story not in ids]
        keep_only(kept)
    simulated = _play_all(stories, show)
    number = 0
    try:
        for run in _run_missing(wanted, simulated, kept, show):
            kept.append(run)
            keep_run(run)
            number += 1
    finally:
        page = course_folder() / "notebooks" / "PROOF.md"
        beside = page.with_name(RUNS_OF_PAGE)
        shown = shown_runs(stories, kept, read_runs(beside))
        proof = Proof(stories, simulated, shown)
        page.write_text(proof_text(proof, claim_proofs()), encoding="utf-8", newline="\n")
        write_runs(shown, beside)
    show("")
    rows = proof_rows(proof)
    differ = sum(not row.agrees for row in rows)
    print(f"{number} real runs; {len(rows)} rows, {differ} of them differ: {page}")
    return 0 if not differ else 1


def committed_proof(show: Show) -> Proof:
    """What real Kafka gave by the runs beside the page, and what the simulator gives today. All
    stories are played, which takes a minute."""
    stories = all_stories()
    runs = read_runs(course_folder() / "notebooks" / RUNS_OF_PAGE)
    return Proof(stories, _play_all(stories, show), shown_runs(stories, [], runs))


def book_page(show: Show) -> str:
    """The table of the book: a row for each claim and release."""
    return rows_text(committed_proof(show), claim_proofs())


def _play_all(stories: Sequence[RealStory], show: Show) -> dict[Key, SimulatedPlay]:
    pairs = [(each, release) for each in stories for release in each.releases]
    played: dict[Key, SimulatedPlay] = {}
    for number, (each, release) in enumerate(pairs, 1):
        show(f"the simulator plays {number} of {len(pairs)}: {each.id}, {release}")
        played[each.id, release] = play_simulated(each, release)
    return played


def _run_missing(
    stories: Sequence[RealStory],
    simulated: dict[Key, SimulatedPlay],
    kept: Sequence[RealRun],
    show: Show,
) -> Iterator[RealRun]:
    """The runs on real Kafka that are not kept yet. Stories with the same brokers follow one
    another."""
    missing: list[tuple[RealStory, str]] = []
    for each in sorted(stories, key=lambda each: (str(each.shape), each.id)):
        for release in each.releases:
            often = RUNS_OF_CHANCE if simulated[each.id, release].differs else 1
            had = sum(not run.problem for run in runs_of(each, release, kept))
            missing += [(each, release)] * max(0, often - had)
    real = RealSide()
    began = time.monotonic()
    try:
        for number, (each, release) in enumerate(missing, 1):
            took = time.monotonic() - began
            show(f"{number} of {len(missing)}: {each.id}, {release}; {took:.0f} s so far")
            yield run_story(each, release, real)
    finally:
        real.close()


def run_story(story: RealStory, release: str, real: RealSide) -> RealRun:
    """Run a story on real Kafka with one client release. Raises NotSetUp."""
    date = time.strftime("%Y-%m-%d")
    try:
        values = plain(story.play(real.serve(story, release)))
    except NotSetUp:
        raise
    except Exception as error:
        problem = f"real Kafka: {type(error).__name__}: {error}"
        return RealRun(story.id, release, story.digest, date, problem=problem)
    return RealRun(story.id, release, story.digest, date, values)
