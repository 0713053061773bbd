"""Moving pictures of work and commits: the moment of death, the poll interval, a pool's commits.

Each function returns a `kafkalab.views.Moving`. The last line of a cell shows it. The stories are
those of the chapters 09 and 10.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from kafkalab import KafkaConsumer, Lab
from kafkalab.stories.offsets import cluster, committed_offset, member, sell
from kafkalab.views import Moving, Picture, Worked, moving, poll_gap, work_strip, worker_lanes
from kafkalab.views.style import clock
from kafkalab.views.worker_lanes import promises, tasks

ORDERS = 12
ROUND_MS = 90  # of the second round, on which the slider moves
LOOP = {
    "work, commit": ("poll", "work", "commit"),
    "commit, work": ("poll", "commit", "work"),
}


def _loop(lab: Lab, name: str, order: str, done: list[int], told: list[tuple[int, str]]) -> None:
    """The loop of chapter 09: poll, then work and commit in an order. `told` hears each step."""
    reader = member(lab, name, **{"max.poll.records": 4})
    while True:
        told.append((lab.now_ms, "poll"))
        records = list(reader.poll(timeout_ms=500))
        for step in LOOP[order][1:] if records else ():
            told.append((lab.now_ms, step))
            if step == "commit":
                reader.commit_sync()
                continue
            for record in records:
                lab.sleep(20)
                done.append(record.offset)


def _one_reader(order: str, done: list[int], told: list[tuple[int, str]]) -> Lab:
    """A lab with twelve orders and Ada, who begins to read."""
    lab = cluster(ORDERS)
    lab.spawn(_loop, "ada", order, done, told, name="ada")
    return lab


@lru_cache(maxsize=4)
def _second_round_ms(order: str) -> int:
    """When Ada's second round begins, if she lives: at the first poll() after a whole round."""
    told: list[tuple[int, str]] = []
    lab = _one_reader(order, [], told)
    lab.run_for(ms=5_000)
    lab.close()
    return next(
        at_ms
        for (_, before), (at_ms, step) in pairwise(told)
        if step == "poll" and before != "poll"
    )


@lru_cache(maxsize=256)
def _death(order: str, after_ms: int) -> tuple[Worked, str]:
    """Ada dies so long after the beginning of her second round, and Bo goes on.

    Returns what was worked on, and where in the loop she died.
    """
    done: list[int] = []
    told: list[tuple[int, str]] = []
    lab = _one_reader(order, done, told)
    lab.run_for(ms=_second_round_ms(order) + after_ms - lab.now_ms)
    step, polls = told[-1][1], sum(step == "work" for _, step in told)
    worked = len(done) - 4 * (polls - 1)
    lab.kill("ada")
    lab.run_for(ms=10)
    committed = committed_offset(lab)
    place = f"in {step}()" if step != "work" else f"at work, {worked} of 4 done"
    lab.spawn(_loop, "bo", order, done, [], name="bo")
    lab.run_for(ms=20_000)
    lab.close()
    return Worked(tuple(done.count(offset) for offset in range(ORDERS)), committed), place


def moment_of_death() -> Moving:
    """Ada dies at any moment of her second round, in both orders of the loop (chapter 09)."""

    def draw(after_ms: int) -> Picture:
        runs = {}
        for order in LOOP:
            worked, place = _death(order, after_ms)
            runs[f"{order}: dies {place}"] = worked
        words = f"ada dies {after_ms} ms after her second poll() begins; the bar: committed offset"
        return work_strip(runs, title=words)

    return moving(
        draw, at={ms: f"{ms} ms" for ms in range(0, ROUND_MS, 2)}, still=40, called="after"
    )


@lru_cache(maxsize=64)
def _batches(records: int, record_ms: int) -> Lab:
    """One member, 16 minutes, with the default of max.poll.interval.ms: 300 s."""
    lab = Lab(seed=2)
    lab.create_topic("orders")
    sell(lab, 2_000)

    def program(lab: Lab) -> None:
        config = {
            "client.id": "ada",
            "group.id": "stock",
            "auto.offset.reset": "earliest",
            "max.poll.records": records,
        }
        reader = KafkaConsumer(lab, config, name="ada")
        reader.subscribe(["orders"])
        while True:
            for _ in reader.poll(timeout_ms=500):
                lab.sleep(record_ms)

    lab.spawn(program, name="ada")
    lab.run_for(ms=16 * 60_000)
    return lab


def batch_and_pace() -> Moving:
    """The time between two polls by max.poll.records and the time for a record (chapter 10)."""

    def draw(records: int, per_record: int) -> Picture:
        product = f"{records} records of {clock(per_record)} are {clock(records * per_record)}"
        return poll_gap(_batches(records, per_record), "ada", title=product, limit=True)

    return moving(
        draw,
        at={count: f"{count} records" for count in (10, 50, 100, 140, 149, 150, 151, 200, 500)},
        still=150,
        called="max.poll.records",
        per_record={ms: clock(ms) for ms in (2_000, 500, 1_000, 3_000)},
    )


def fate(lab: Lab, name: str, offset: int, at_ms: int) -> str:
    """What an order's work and the commits say about it at a time, in words."""
    own = [task for task in tasks(lab, name) if task.offset == offset and task.from_ms <= at_ms]
    covered = [mark for mark in promises(lab, name) if mark.at_ms <= at_ms and mark.offset > offset]
    said = f"commit {covered[-1].offset} says done" if covered else "not committed"
    if not own:
        return f"order {offset}: no worker has it yet; {said}"
    task = own[0]
    if task.to_ms is not None and task.to_ms <= at_ms:
        return f"order {offset}: done at {clock(task.to_ms)}; {said}"
    now = f"worker {task.worker} has it"
    if task.to_ms is None:
        now += ", never done"
        said += ": lost" if covered else ": the next owner does it"
    return f"order {offset}: {now}; {said}"


def commits_of_a_pool(
    lab: Lab, name: str = "ada", *, from_ms: int = 0, to_ms: int | None = None
) -> Moving:
    """The commits of a worker pool, one after the other, and an order's fate (chapter 10)."""
    end_ms = lab.now_ms if to_ms is None else to_ms
    times = [mark.at_ms for mark in promises(lab, name) if from_ms < mark.at_ms <= end_ms]
    offsets = sorted(
        {task.offset for task in tasks(lab, name) if from_ms <= task.from_ms <= end_ms}
    )
    moments = sorted({*times, end_ms})

    def draw(at_ms: int, order: int) -> Picture:
        words = fate(lab, name, order, at_ms)
        return worker_lanes(lab, name, from_ms=from_ms, to_ms=at_ms, title=words, room_to_ms=end_ms)

    last = [task.offset for task in tasks(lab, name) if task.to_ms is None]
    order = sorted(offsets, key=lambda offset: (offset not in last, offset))
    return moving(draw, at=moments, order={each: f"order {each}" for each in order})
