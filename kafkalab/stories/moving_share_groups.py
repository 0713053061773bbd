"""A moving picture of a share group's window (chapter 16).

The function returns a `kafkalab.views.Moving`. The last line of a cell shows it.
"""

from __future__ import annotations

from functools import lru_cache

from kafkalab import ConsumerRecord, Lab
from kafkalab.stories.share_groups import GROUP, TOPIC, jobs, start_workers
from kafkalab.views import Moving, Picture, moving, share_window
from kafkalab.views.share_window import states_at
from kafkalab.views.style import clock

JOBS = 12
BEGIN_MS, END_MS, STEP_MS = 2_000, 8_200, 100
KILL_MS = 2_800
STORIES = {
    "release": "job 2 is released each time",
    "reject": "job 2 is rejected",
    "killed": "bo is killed at 2.8 s",
    "accept": "each job is accepted",
}


@lru_cache(maxsize=8)
def _day(story: str) -> Lab:
    """Twelve jobs of half a second, ada and bo, two jobs a poll."""

    def rule(record: ConsumerRecord) -> str:
        return story if record.offset == 2 and story in ("release", "reject") else "accept"

    lab = jobs(JOBS)
    start_workers(lab, "ada bo", rule)
    lab.run_for(ms=KILL_MS - lab.now_ms)
    if story == "killed":
        lab.kill("bo")
    lab.run_for(ms=20_000)
    return lab


def window_over_time() -> Moving:
    """The window of a share group, each tenth of a second, in four stories of one job."""

    def draw(at_ms: int, story: str) -> Picture:
        lab = _day(story)
        states = states_at(lab, GROUP, at_ms, TOPIC).values()
        done = sum(one.state == "Acknowledged" for one in states)
        gone = sum(one.state == "Archived" for one in states)
        words = f"{clock(at_ms)}: accepted {done} of {JOBS} jobs, archived {gone}"
        return share_window(lab, GROUP, TOPIC, at_ms=at_ms, title=words)

    return moving(
        draw,
        at=range(BEGIN_MS, END_MS + 1, STEP_MS),
        still=4_300,
        called="time",
        story=STORIES,
    )
