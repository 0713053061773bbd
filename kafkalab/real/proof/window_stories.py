"""Stories of chapter 16: where the window of a share group begins, and what holds it."""

from __future__ import annotations

from typing import Any

from kafkalab.real.proof.claim import EitherLab, Side, story
from kafkalab.real.proof.share_stories import SHARE, SHORT_LOCKS, feed, taken, workers
from kafkalab.real.real_lab import RealLab
from kafkalab.records import ProducerRecord

WORDS = ("accept", "release", "reject", "accept", "release", "accept")
LOCKS = 100


def start_offset(lab: EitherLab, before_ms: int) -> int:
    """Where the window of the group workers began when its last acknowledgement was written.

    Real brokers tell the start offset that this write carried, and it carries that of the moment
    before (Admin.listShareGroupOffsets). The simulator is asked for that moment: before_ms.
    """
    state = lab.state() if isinstance(lab, RealLab) else lab.at(before_ms)
    return int(state["share_groups"]["workers"]["partitions"]["jobs-0"]["start_offset"])


def joining(side: Side, lab: EitherLab, name: str, **settings: Any) -> Any:
    """A worker who comes when there are jobs. So no fetch of hers waits at the broker before."""
    given = {"share_acknowledgement_mode": "explicit", **settings}
    made = side.share_consumer(lab, name, group_id="workers", **given)
    made.subscribe(["jobs"])
    return made


@story(
    "16 the window",
    brokers=1,
    releases=SHARE,
    claims={
        "start_offset": "Of six jobs a worker accepts 0, 3 and 5, releases 1 and 4, rejects 2: the "
        "group's start offset.",
        "next_poll": "Her next poll brings these.",
        "counts": "They come with these delivery counts.",
    },
)
def window_of_six(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("jobs")
    lab.configure_group("workers", {"share.auto.offset.reset": "earliest"})
    producer = side.producer(lab, linger_ms=2_000)
    for number in range(6):
        producer.send(ProducerRecord("jobs", f"job {number}"))
    producer.flush()
    ada = joining(side, lab, "ada", max_poll_records=6)
    for record, word in zip(taken(ada, lab), WORDS):
        ada.acknowledge(record, word)
    ada.commit_sync()
    again = taken(ada, lab)
    for record in again:
        ada.acknowledge(record)
    before_ms = lab.now_ms
    ada.commit_sync()
    lab.run_for(1_000)
    return {
        "start_offset": start_offset(lab, before_ms),
        "next_poll": [record.offset for record in again],
        "counts": [record.delivery_count for record in again],
    }


@story(
    "16 renew",
    brokers=1,
    releases=SHARE,
    broker_config=SHORT_LOCKS,
    claims={
        "bo_gets": "The lock is three seconds. ada says renew each second, for eight seconds: bo "
        "gets so many of her jobs.",
        "ada_hears": "She accepts then: her commit tells this.",
    },
)
def renewed(side: Side) -> dict[str, Any]:
    lab, (ada,) = workers(side, "ada")
    feed(side, lab, 1)
    held = taken(ada, lab)
    bo = joining(side, lab, "bo")
    bo_gets = 0
    for _ in range(8):
        ada.acknowledge(held[0], "renew")
        held = taken(ada, lab)
        bo_gets += len(bo.poll(timeout_ms=1_000))
    ada.acknowledge(held[0])
    told = [None if error is None else type(error).__name__ for error in ada.commit_sync().values()]
    return {"bo_gets": bo_gets, "ada_hears": told}


@story(
    "16 the first one",
    brokers=1,
    releases=SHARE,
    broker_config={"group.share.partition.max.record.locks": LOCKS},
    claims={
        "held": f"The window has room for {LOCKS} records. ada holds job 0 of 300: so many others "
        "are done, and bo gets no more.",
        "done": "ada accepts job 0: so many are done in the end.",
    },
)
def the_first_one(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("jobs")
    lab.configure_group("workers", {"share.auto.offset.reset": "earliest"})
    producer = side.producer(lab, linger_ms=0, batch_size=1)
    for number in range(300):
        producer.send(ProducerRecord("jobs", f"job {number}"))
    producer.flush()
    ada = joining(side, lab, "ada", max_poll_records=1)
    first, *others = taken(ada, lab)
    for record in others:  # a poll may bring more than it is asked for
        ada.acknowledge(record)
    ada.commit_sync()
    done = {record.offset for record in others}
    bo = joining(side, lab, "bo")

    def works() -> int:
        while records := taken(bo, lab, timeout_ms=8_000):
            for record in records:
                bo.acknowledge(record)
                done.add(record.offset)
        return len(done)

    found = {"held": works()}
    ada.acknowledge(first)
    ada.commit_sync()
    done.add(first.offset)
    return {**found, "done": works()}
