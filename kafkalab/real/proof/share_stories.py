"""Stories of chapter 16: what a share group delivers, again and again, and to whom."""

from __future__ import annotations

from typing import Any

from kafkalab.real.proof.claim import EitherLab, Side, kind_raised_by, story
from kafkalab.records import ProducerRecord, TopicPartition

SHARE = ("4.4",)
SHORT_LOCKS = {
    "group.share.record.lock.duration.ms": 3_000,
    "group.share.min.record.lock.duration.ms": 1_000,
}


def workers(side: Side, names: str, **settings: Any) -> tuple[EitherLab, list[Any]]:
    """A lab with the topic jobs and members of the share group workers. They have joined."""
    lab = side.lab()
    lab.create_topic("jobs")
    lab.configure_group("workers", {"share.auto.offset.reset": "earliest"})
    made = []
    for name in names.split():
        given = {"share_acknowledgement_mode": "explicit", **settings}
        made.append(side.share_consumer(lab, name, group_id="workers", **given))
        made[-1].subscribe(["jobs"])
    end_ms = lab.now_ms + 8_000
    while lab.now_ms < end_ms:
        for member in made:
            member.poll(timeout_ms=100)
    return lab, made


def feed(side: Side, lab: EitherLab, count: int) -> None:
    """Write so many jobs, each a batch of its own."""
    producer = side.producer(lab, linger_ms=0)
    for number in range(count):
        producer.send(ProducerRecord("jobs", f"job {number}")).get()


def taken(member: Any, lab: EitherLab, timeout_ms: int = 10_000) -> list[Any]:
    """The records of the first poll that brings some."""
    end_ms = lab.now_ms + timeout_ms
    while lab.now_ms < end_ms:
        if records := list(member.poll(timeout_ms=500)):
            return records
    return []


@story(
    "16 four workers",
    brokers=1,
    releases=SHARE,
    claims={
        "busy": "Four workers take turns, twelve jobs of one partition: so many get jobs.",
        "jobs": "So many jobs are done.",
        "twice": "So many of them were delivered more than once.",
    },
)
def four_workers(side: Side) -> dict[str, Any]:
    lab, members = workers(side, "ada bo cy di", max_poll_records=2)
    feed(side, lab, 12)
    done: list[int] = []
    counts: list[int] = []
    busy: set[int] = set()
    end_ms = lab.now_ms + 30_000
    while len(done) < 12 and lab.now_ms < end_ms:
        for number, member in enumerate(members):
            for record in member.poll(timeout_ms=500):
                member.acknowledge(record)
                done.append(record.offset)
                counts.append(record.delivery_count)
                busy.add(number)
    return {
        "busy": len(busy),
        "jobs": len(set(done)),
        "twice": sum(count > 1 for count in counts),
    }


@story(
    "16 a pill",
    brokers=1,
    releases=SHARE,
    claims={
        "counts": "A worker gives one record back each time: it is delivered with these counts.",
        "others": "The offsets of the others, in the order in which they are done.",
        "after": "A poll after that brings so many records.",
    },
)
def pill(side: Side) -> dict[str, Any]:
    lab, (ada,) = workers(side, "ada")
    feed(side, lab, 4)
    counts: list[int] = []
    others: list[int] = []
    while records := taken(ada, lab, timeout_ms=6_000):
        for record in records:
            is_bad = record.offset == 1
            (counts if is_bad else others).append(
                record.delivery_count if is_bad else record.offset
            )
            ada.acknowledge(record, "release" if is_bad else "accept")
    return {"counts": counts, "others": others, "after": len(taken(ada, lab, timeout_ms=3_000))}


@story(
    "16 dead letters",
    brokers=1,
    releases=SHARE,
    claims={
        "letters": "One record is given back each time and one is rejected: the dead-letter topic "
        "gets so many letters.",
        "told": "Their headers name these offsets, deliveries and reasons.",
        "values": "These are the values where the group does not copy its records.",
        "copied": "And these where it does.",
    },
)
def dead_letters(side: Side) -> dict[str, Any]:
    plain, copied = (_letters_of(side, copies) for copies in (False, True))
    return {
        "letters": len(plain),
        "told": [
            [dict(one.headers)[f"__dlq.errors.{name}"].decode() for name in LETTER_HEADERS]
            for one in plain
        ],
        "values": [one.value for one in plain],
        "copied": [one.value for one in copied],
    }


LETTER_HEADERS = ("offset", "delivery.count", "message")


def _letters_of(side: Side, copies: bool) -> list[Any]:
    """What is in the dead-letter topic of four jobs: number 1 fails, number 3 is rejected."""
    lab, (ada,) = workers(side, "ada")
    lab.create_topic("dlq.jobs", config={"errors.deadletterqueue.group.enable": "true"})
    settings = {"topic.name": "dlq.jobs", "copy.record.enable": str(copies).lower()}
    lab.configure_group(
        "workers",
        {f"errors.deadletterqueue.{name}": value for name, value in settings.items()},
    )
    feed(side, lab, 4)
    while records := taken(ada, lab, timeout_ms=6_000):
        for record in records:
            ada.acknowledge(record, {1: "release", 3: "reject"}.get(record.offset, "accept"))
    reader = side.consumer(lab, auto_offset_reset="earliest")
    reader.assign([TopicPartition("dlq.jobs", 0)])
    found: list[Any] = []
    end_ms = lab.now_ms + 10_000
    while len(found) < 2 and lab.now_ms < end_ms:
        found += reader.poll(timeout_ms=500)
    return sorted(found, key=lambda record: dict(record.headers)["__dlq.errors.offset"])


@story(
    "16 a bad batch",
    brokers=1,
    releases=SHARE,
    claims={
        "polls": "Eight records are one batch, and a worker gives all back each time: its polls "
        "bring these offsets."
    },
)
def bad_batch(side: Side) -> dict[str, Any]:
    lab, (ada,) = workers(side, "ada")
    producer = side.producer(lab, linger_ms=500)
    for number in range(8):
        producer.send(ProducerRecord("jobs", f"job {number}"))
    producer.flush()
    polls: list[list[int]] = []
    while records := taken(ada, lab, timeout_ms=6_000):
        polls.append([record.offset for record in records])
        for record in records:
            ada.acknowledge(record, "release")
    return {"polls": polls}


@story(
    "16 order",
    brokers=1,
    releases=SHARE,
    claims={
        "order": "Polls of one record, and offset 1 is given back once: they are done in this "
        "order."
    },
)
def order_of_work(side: Side) -> dict[str, Any]:
    lab, (ada,) = workers(side, "ada", max_poll_records=1)
    feed(side, lab, 4)
    done: list[int] = []
    while len(done) < 4 and (records := taken(ada, lab)):
        for record in records:
            gives_back = record.offset == 1 and record.delivery_count == 1
            ada.acknowledge(record, "release" if gives_back else "accept")
            done += [] if gives_back else [record.offset]
    return {"order": done}


@story(
    "16 a waiting fetch",
    brokers=1,
    releases=SHARE,
    claims={
        "while_it_waits": "bo's fetch may wait five seconds at the broker. ada closes and frees "
        "a job: bo gets so many jobs in the next second.",
        "at_its_end": "He gets so many when his fetch ends.",
    },
)
def waiting_fetch(side: Side) -> dict[str, Any]:
    lab, (ada,) = workers(side, "ada")
    feed(side, lab, 1)
    taken(ada, lab)
    settings = {"group_id": "workers", "share_acknowledgement_mode": "explicit"}
    bo = side.share_consumer(lab, "bo", fetch_max_wait_ms=5_000, **settings)
    bo.subscribe(["jobs"])
    taken(bo, lab, timeout_ms=6_000)
    feed(side, lab, 1)  # ends the fetch that waits, so that the next one begins now
    for record in taken(bo, lab):
        bo.acknowledge(record)
    bo.commit_sync()
    bo.poll(timeout_ms=100)
    ada.close()
    early = len(bo.poll(timeout_ms=1_000))
    return {"while_it_waits": early, "at_its_end": len(taken(bo, lab))}


@story(
    "16 a lock ends",
    brokers=1,
    releases=SHARE,
    broker_config=SHORT_LOCKS,
    claims={
        "lock": "acquisition_lock_timeout_ms() tells this, after a fetch.",
        "late": "ada acknowledges after the lock has ended: her commit tells this.",
        "again": "bo gets her record then, and its delivery count is above 1.",
    },
)
def lock_ends(side: Side) -> dict[str, Any]:
    lab, (ada,) = workers(side, "ada")
    feed(side, lab, 1)
    records = taken(ada, lab)
    lock_ms = ada.acquisition_lock_timeout_ms()
    lab.run_for(6_000)
    bo = side.share_consumer(lab, "bo", group_id="workers", share_acknowledgement_mode="explicit")
    bo.subscribe(["jobs"])
    again = [record.delivery_count > 1 for record in taken(bo, lab)]
    for record in records:
        ada.acknowledge(record, "accept")
    told = [type(error).__name__ for error in ada.commit_sync().values()]
    return {"lock": lock_ms, "late": told, "again": again}


@story(
    "16 a killed worker",
    brokers=1,
    releases=SHARE,
    claims={
        "soon": "ada is killed with a job in her hands: bo has it within ten seconds. The lock is "
        "30 seconds.",
        "count": "It comes with this delivery count.",
    },
)
def killed_share_worker(side: Side) -> dict[str, Any]:
    lab, (ada,) = workers(side, "ada")
    feed(side, lab, 1)
    taken(ada, lab)
    bo = side.share_consumer(lab, "bo", group_id="workers", share_acknowledgement_mode="explicit")
    bo.subscribe(["jobs"])
    taken(bo, lab, timeout_ms=6_000)
    lab.kill("ada")
    records = taken(bo, lab)
    return {"soon": len(records) == 1, "count": [record.delivery_count for record in records]}


@story(
    "16 more than asked",
    brokers=1,
    releases=SHARE,
    claims={
        "batch_optimized": "Ten jobs in one batch, max.poll.records=2: a poll brings so many.",
        "record_limit": "With share.acquire.mode=record_limit it brings so many.",
    },
)
def more_than_asked(side: Side) -> dict[str, Any]:
    found = {}
    for mode in ("batch_optimized", "record_limit"):
        lab, (ada,) = workers(side, "ada", max_poll_records=2, share_acquire_mode=mode)
        producer = side.producer(lab, linger_ms=2_000)
        futures = [producer.send(ProducerRecord("jobs", f"job {n}")) for n in range(10)]
        producer.flush()
        assert all(future.done() for future in futures)
        found[mode] = len(taken(ada, lab))
    return found


@story(
    "16 wrong calls",
    brokers=1,
    releases=SHARE,
    claims={
        "poll": "poll() with a record that was not acknowledged raises this.",
        "implicit": "acknowledge() with implicit acknowledgement raises this.",
    },
)
def wrong_share_calls(side: Side) -> dict[str, Any]:
    lab, (ada,) = workers(side, "ada")
    feed(side, lab, 2)
    taken(ada, lab)
    found = {"poll": kind_raised_by(lambda: ada.poll(timeout_ms=100))}
    lab, (bo,) = workers(side, "bo", share_acknowledgement_mode="implicit")
    feed(side, lab, 2)
    records = taken(bo, lab)
    found["implicit"] = kind_raised_by(lambda: bo.acknowledge(records[0]))
    return found


@story(
    "16 order in one batch",
    brokers=1,
    releases=SHARE,
    claims={
        "order": "Four jobs of one batch wait. A worker polls one at a time and gives offset 1 "
        "back once: they are done in this order."
    },
)
def order_in_one_batch(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("jobs")
    lab.configure_group("workers", {"share.auto.offset.reset": "earliest"})
    producer = side.producer(lab, linger_ms=2_000)
    for number in range(4):
        producer.send(ProducerRecord("jobs", f"job {number}"))
    producer.flush()
    settings = {"share_acknowledgement_mode": "explicit", "max_poll_records": 1}
    ada = side.share_consumer(lab, "ada", group_id="workers", **settings)
    ada.subscribe(["jobs"])
    done: list[int] = []
    while len(done) < 4 and (records := taken(ada, lab)):
        for record in records:
            gives_back = record.offset == 1 and record.delivery_count == 1
            ada.acknowledge(record, "release" if gives_back else "accept")
            done += [] if gives_back else [record.offset]
    return {"order": done}
