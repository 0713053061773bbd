"""Prepares share groups for chapter 16: a topic of jobs, workers, and what became of each record.

A worker's loop is short and in the chapter. This module makes the labs, starts workers and counts.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from kafkalab import (
    ConsumerRecord,
    KafkaConsumer,
    KafkaProducer,
    KafkaShareConsumer,
    Lab,
    ProducerRecord,
    TopicPartition,
)

if TYPE_CHECKING:
    import pandas

GROUP, TOPIC, PLACE = "workers", "jobs", "jobs-0"

Rule = Callable[[ConsumerRecord], str]
"""A record -> "accept", "release" or "reject"."""

Verdict = Callable[[str, int], str]
"""How a try went, and which delivery it was -> "accept", "release", "reject" or "renew"."""


# -- jobs and workers


def jobs(
    count: int, seed: int = 7, partitions: int = 1, linger_ms: int = 0, **settings: Any
) -> Lab:
    """A lab of release 4.4 with one broker and a topic of jobs, spread over its partitions.

    linger_ms: 0 writes each job as a batch of its own. settings: of the group, with underscores for
    dots: share_record_lock_duration_ms=15_000.
    """
    lab = Lab(1, seed=seed, version="4.4", broker_version="4.4")
    lab.create_topic(TOPIC, partitions=partitions)
    dotted = {name.replace("_", "."): value for name, value in settings.items()}
    lab.configure_group(GROUP, {"share.auto.offset.reset": "earliest", **dotted})
    producer = KafkaProducer(lab, {"client.id": "feeder", "linger.ms": linger_ms}, name="feeder")
    for number in range(count):
        record = ProducerRecord(TOPIC, "work", key=f"job {number}", partition=number % partitions)
        sent = producer.send(record)
        if not linger_ms:
            sent.get()
    producer.close()
    return lab


def worker(lab: Lab, name: str, **config: Any) -> KafkaShareConsumer:
    """A member of the share group that acknowledges each record itself, subscribed to the jobs.

    A poll gives it two records. config: its settings, with underscores for dots.
    """
    dotted = {key.replace("_", "."): value for key, value in config.items()}
    consumer = KafkaShareConsumer(
        lab,
        {
            "client.id": name,
            "group.id": GROUP,
            "share.acknowledgement.mode": "explicit",
            "max.poll.records": 2,
            **dotted,
        },
        name=name,
    )
    consumer.subscribe([TOPIC])
    return consumer


def first_records(consumer: KafkaShareConsumer) -> Sequence[ConsumerRecord]:
    """Poll until records come. The first poll of a member joins the group, and brings none."""
    while not (records := consumer.poll(timeout_ms=2_000)):
        pass
    return records


def start_workers(
    lab: Lab,
    names: str,
    rule: Rule = lambda record: "accept",
    work_ms: int | Callable[[ConsumerRecord], int] = 500,
    leaves_at_ms: float = math.inf,
    **config: Any,
) -> None:
    """Start a worker for each name. It works on a record, says what the rule says, and polls.

    leaves_at_ms: after this moment of the lab's clock it polls no more, and closes.
    """

    def work(lab: Lab, name: str) -> None:
        consumer = worker(lab, name, **config)
        while lab.now_ms < leaves_at_ms:
            for record in consumer.poll(timeout_ms=2_000):
                lab.sleep(work_ms(record) if callable(work_ms) else work_ms)
                answer = rule(record)
                if answer == "accept":
                    _note_work(lab, name, record)
                consumer.acknowledge(record, answer)
        consumer.close()

    for name in names.split():
        lab.spawn(work, name, name=name)


def start_classic_workers(lab: Lab, names: str, work_ms: int = 500, fails_first: str = "") -> None:
    """Start members of a classic group that do the same work, two records a poll.

    fails_first: the key of a job whose first try fails; the worker tries it again at once.
    """

    def work(lab: Lab, name: str) -> None:
        config = {"client.id": name, "group.id": "classic", "auto.offset.reset": "earliest"}
        consumer = KafkaConsumer(lab, {**config, "max.poll.records": 2}, name=name)
        consumer.subscribe([TOPIC])
        while True:
            for record in consumer.poll(timeout_ms=2_000):
                lab.sleep(work_ms * (1 + (record.key == fails_first)))
                _note_work(lab, name, record)

    for name in names.split():
        lab.spawn(work, name, name=name)


def _note_work(lab: Lab, name: str, record: ConsumerRecord) -> None:
    lab.journal.append("work", name, place=f"{record.partition}-{record.offset}", key=record.key)


# -- what became of them


def ends(lab: Lab) -> dict[str, int]:
    """How many records of the share group are in each end: accept, reject, delivery limit."""
    done = Counter(
        {
            why: sum(
                event.last_offset - event.first_offset + 1
                for event in lab.journal.of("share.records")
                if event.why == why and event.fields["state"] in ("Acknowledged", "Archived")
            )
            for why in ("accept", "reject", "delivery limit")
        }
    )
    return dict(+done)


def deliveries(lab: Lab) -> dict[int, int]:
    """Offset -> how often it was delivered."""
    times: Counter[int] = Counter()
    for event in lab.journal.of("share.records"):
        if event.why == "fetched":
            times.update(range(event.first_offset, event.last_offset + 1))
    return dict(sorted(times.items()))


def order_of_work(lab: Lab) -> list[int]:
    """The offsets in the order in which the share group accepted them."""
    return [
        offset
        for event in lab.journal.of("share.records")
        if event.why == "accept"
        for offset in range(event.first_offset, event.last_offset + 1)
    ]


def order_done(lab: Lab) -> list[int]:
    """The offsets of partition 0 in the order in which the work on them ended."""
    return [int(event.place.split("-")[1]) for event in lab.journal.of("work")]


def uneven(record: ConsumerRecord) -> int:
    """Milliseconds of work on a job, where jobs differ: 200, 400, 600 or 800."""
    return 200 * (1 + record.offset * 7 % 4)


def working(lab: Lab, names: str) -> int:
    """How many of these workers have done at least one job."""
    return len({event.who for event in lab.journal.of("work")} & set(names.split()))


def seconds_of_work(lab: Lab, names: str, work_ms: int = 500) -> float:
    """Seconds from the begin of the first job to the end of the last one, of these workers."""
    times = [event.at_ms for event in lab.journal.of("work") if event.who in names.split()]
    return (max(times) - min(times) + work_ms) / 1_000


def requests(lab: Lab, names: str) -> int:
    """How many requests these workers have sent while they worked: from their first job on."""
    first = min(event.at_ms for event in lab.journal.of("work") if event.who in names.split())
    last = max(event.at_ms for event in lab.journal.of("work") if event.who in names.split())
    return sum(
        event.who in names.split() and first <= event.at_ms <= last
        for event in lab.journal.of("request.sent")
    )


def share_state(lab: Lab) -> dict[str, Any]:
    """The window of partition 0 as the lab's history has it: start, end, and its records."""
    found: dict[str, Any] = lab.at(lab.now_ms)["share_groups"][GROUP]["partitions"][PLACE]
    return found


def window(lab: Lab) -> pandas.DataFrame:
    """The records between the group's start and end offset: state, deliveries, holder."""
    import pandas

    from kafkalab.views.shown_lab import share_members

    names = share_members(lab)
    rows = [
        {
            "offset": offset,
            "state": record["state"],
            "deliveries": record["delivery_count"],
            "held by": names.get(record["member"], ""),
        }
        for offset, record in share_state(lab)["records"].items()
    ]
    return pandas.DataFrame(rows, columns=["offset", "state", "deliveries", "held by"])


def steps(lab: Lab, offset: int) -> pandas.DataFrame:
    """What happened to one record, step by step."""
    import pandas

    rows = [
        {
            "ms": event.at_ms,
            "what": event.why,
            "state": event.fields["state"],
            "delivery": event.delivery_count,
        }
        for event in lab.journal.of("share.records")
        if event.first_offset <= offset <= event.last_offset
    ]
    return pandas.DataFrame(rows)


def acquired_in(lines: pandas.DataFrame) -> pandas.DataFrame:
    """What the share consumers of these lines acquired: second since the first one, client,
    offsets, delivery."""
    told = lines[lines.message.str.contains("returned fetch data")]
    found = told.message.str.extract(
        r"AcquiredRecords\(firstOffset=(\d+), lastOffset=(\d+), deliveryCount=(\d+)\)"
    ).dropna()
    seconds = told.time.str[-6:].str.replace(",", ".").astype(float).loc[found.index]
    offsets = found[0] + " to " + found[1]
    return told.loc[found.index, ["client"]].assign(
        second=(seconds - seconds.iloc[0]).round(1), offsets=offsets, delivery=found[2]
    )[["second", "client", "offsets", "delivery"]]


# -- the experiments


def ada_and_bo(how: str, seconds: int, lock_s: int = 30, count: int = 1, seed: int = 7) -> Lab:
    """ada gets the jobs. bo waits for some, and needs five seconds when he gets them.

    how: "works", ada works so many seconds and then accepts; "killed", her process is killed after
    so many seconds; "renews", she renews after so many seconds, works as long again, and accepts.
    The journal's "heard" tells what she heard, and "got" when bo got the jobs, in whole seconds.
    """
    lab = jobs(count, seed, share_record_lock_duration_ms=lock_s * 1_000)
    records = first_records(ada := worker(lab, "ada", max_poll_records=count))
    begin_ms = lab.now_ms

    def wait_for_jobs(lab: Lab) -> None:
        consumer = worker(lab, "bo", max_poll_records=count)
        while True:
            if found := consumer.poll(timeout_ms=2_000):
                # ada's poll ends some milliseconds after her lock begins
                lab.journal.append("got", "bo", after_s=(lab.now_ms - begin_ms + 100) // 1_000)
                lab.sleep(5_000)
                for record in found:
                    consumer.acknowledge(record)
                consumer.commit_sync()

    lab.spawn(wait_for_jobs, name="bo")
    lab.sleep(seconds * 1_000)
    if how == "killed":
        lab.kill("ada")
    else:
        if how == "renews":
            for record in records:
                ada.acknowledge(record, "renew")
            ada.commit_sync()
            records = ada.poll(timeout_ms=0)
            lab.sleep(seconds * 1_000)
        for record in records:
            ada.acknowledge(record)
        results = ada.commit_sync().values()
        heard = "ok" if not any(results) else "refused"
        lab.journal.append("heard", "ada", answer=heard, error=str(next(iter(results)) or ""))
    lab.run_for(70_000)
    return lab


def bo_got(lab: Lab) -> int:
    """After how many whole seconds bo got the jobs of `ada_and_bo`; 0 where he never got them."""
    return next((int(event.after_s) for event in lab.journal.of("got")), 0)


def ada_heard(lab: Lab) -> str:
    """What ada heard when she accepted, in `ada_and_bo`: ok, refused, or nothing."""
    return next((str(event.answer) for event in lab.journal.of("heard")), "nothing")


def said_of_six(says: Sequence[str], seed: int = 7) -> Lab:
    """ada gets six jobs and says this of each, in one request. "hold" says nothing of a job."""
    lab = jobs(len(says), seed)
    records = first_records(ada := worker(lab, "ada", max_poll_records=len(says)))
    for record, word in zip(records, says):
        if word != "hold":
            ada.acknowledge(record, word)
    ada.commit_sync()
    return lab


def stuck_at_the_start(locks: int = 100, seed: int = 7) -> Lab:
    """300 jobs. ada needs 25 seconds for the first one; bo and cy are quick."""
    lab = jobs(300, seed, share_partition_max_record_locks=locks)

    def slow(record: ConsumerRecord) -> str:
        lab.sleep(25_000 if record.offset == 0 else 0)
        return "accept"

    start_workers(lab, "ada", slow, work_ms=10, max_poll_records=1)
    lab.sleep(3_000)
    start_workers(lab, "bo cy", work_ms=10, max_poll_records=10)
    return lab


def records_of_one_poll(batch: int, limit: int, mode: str) -> int:
    """How many records a first poll returns, where a producer wrote `batch` records together.

    limit: max.poll.records. mode: share.acquire.mode.
    """
    lab = jobs(batch, linger_ms=500)
    return len(first_records(worker(lab, "ada", max_poll_records=limit, share_acquire_mode=mode)))


def polls_of_a_bad_batch(bad: int, batch: int = 8) -> pandas.DataFrame:
    """Each poll of a worker that fails at record `bad` of a batch, and gives back all of it."""
    import pandas

    lab = jobs(batch, linger_ms=500)
    consumer, polls = worker(lab, "ada"), []
    while lab.now_ms < 30_000:
        records = consumer.poll(timeout_ms=500)
        if records:
            deliveries_told = sorted({record.delivery_count or 0 for record in records})
            offsets = [record.offset for record in records]
            polls.append((", ".join(map(str, offsets)), *deliveries_told))
        fails = any(record.offset == bad for record in records)
        for record in records:
            consumer.acknowledge(record, "release" if fails else "accept")
    return pandas.DataFrame(polls, columns=["records", "delivery"])


DEAD_LETTERS = "dlq.jobs"


def with_dead_letters(rule: Rule, allowed: bool = True, copies: bool = False) -> Lab:
    """Six jobs for two workers, fifteen seconds, in a group with a dead-letter topic.

    allowed: errors.deadletterqueue.group.enable of the topic. copies: whether letters have the job.
    """
    lab = jobs(6)
    lab.create_topic(DEAD_LETTERS, config={"errors.deadletterqueue.group.enable": allowed})
    lab.configure_group(
        GROUP,
        {
            "errors.deadletterqueue.topic.name": DEAD_LETTERS,
            "errors.deadletterqueue.copy.record.enable": copies,
        },
    )
    start_workers(lab, "ada bo", rule)
    lab.run_for(ms=15_000)
    return lab


def letters(lab: Lab) -> pandas.DataFrame:
    """What a reader finds in the dead-letter topic: the headers without their long prefix, and the
    value."""
    import pandas

    reader = KafkaConsumer(lab, {"client.id": "people", "auto.offset.reset": "earliest"})
    reader.assign([TopicPartition(DEAD_LETTERS, 0)])
    rows = []
    for _ in range(6):
        for record in reader.poll(timeout_ms=500):
            told = {
                key.removeprefix("__dlq.errors."): said.decode() for key, said in record.headers
            }
            rows.append({**told, "value": record.value})
    return pandas.DataFrame(rows)


def race(kind: str, partitions: int, count: int = 64, work_ms: int = 20, seed: int = 7) -> Lab:
    """Four workers of a classic or a share group, until all jobs are done."""
    lab = jobs(count, seed, partitions=partitions)
    start = start_workers if kind == "share" else start_classic_workers
    start(lab, "ada bo cy di", work_ms=work_ms)
    _until_done(lab, count)
    return lab


def _until_done(lab: Lab, count: int) -> None:
    while sum(1 for _ in lab.journal.of("work")) < count:
        lab.run_for(1_000)


# -- jobs of customers: does a group keep their order, and is it in time?

CUSTOMERS = 8


def customers_day(kind: str, partitions: int, seed: int = 7, workers: int = 4) -> Lab:
    """Up to four workers and three changes for each of eight customers, half a second each.

    kind: "classic" or "share". A customer's changes are in one partition, in their order. The
    first change of customer 0 fails once: a share worker releases it, a classic one tries again.
    """
    lab = Lab(1, seed=seed, version="4.4", broker_version="4.4")
    lab.create_topic(TOPIC, partitions=partitions)
    lab.configure_group(GROUP, {"share.auto.offset.reset": "earliest"})
    producer = KafkaProducer(lab, {"client.id": "feeder"}, name="feeder")
    for customer in range(CUSTOMERS):
        for change in range(3):
            key, place = f"{customer}-{change}", customer % partitions
            producer.send(ProducerRecord(TOPIC, "work", key=key, partition=place)).get()

    def fails_once(record: ConsumerRecord) -> str:
        return "release" if record.key == "0-0" and record.delivery_count == 1 else "accept"

    names = " ".join("ada bo cy di".split()[:workers])
    if kind == "share":
        start_workers(lab, names, fails_once)
    else:
        start_classic_workers(lab, names, fails_first="0-0")
    _until_done(lab, 3 * CUSTOMERS)
    return lab


def keeps_order(lab: Lab) -> bool:
    """Whether each customer's changes of `customers_day` were done in their order."""
    seen: dict[str, list[str]] = {}
    for event in lab.journal.of("work"):
        seen.setdefault(event.key.split("-")[0], []).append(event.key)
    return all(changes == sorted(changes) for changes in seen.values())


# -- the learner's verdicts

OUTAGE_KINDS = ("calm", "broken", "busy", "failed", "killed", "all")
"""The kinds of days: nothing happens; jobs that are broken; the bank is away; tries that fail; a
worker is killed; all of it."""

DAY_JOBS = 16


def plan(kind: str, seed: int) -> dict[str, Any]:
    """What will happen on a day: broken jobs, jobs that fail at first, when the bank is away.

    fails: job -> how many tries fail before it is done; 99 for a job that always fails. Where only
    tries fail, a job is done at its last delivery, and for the first three tries of each delivery
    the bank is away (first_busy). Who is killed on a day of "all" dies while the bank is away.
    """
    rng = Random(seed)
    numbers = rng.sample(range(DAY_JOBS), 4)
    return {
        "broken": numbers[:2] if kind in ("broken", "all") else [],
        "fails": {numbers[2]: 4 if kind == "failed" else rng.choice((1, 2)), numbers[3]: 99}
        if kind in ("failed", "all")
        else {},
        "first_busy": {numbers[2]: 3} if kind == "failed" else {},
        "away_ms": (3_000, rng.randrange(20_000, 90_000)) if kind in ("busy", "all") else (0, 0),
        "kill_ms": {
            "killed": rng.randrange(2_500, 5_000),
            "all": rng.randrange(12_000, 18_000),
        }.get(kind, 0),
    }


def day(verdict: Verdict, kind: str, seed: int) -> Lab:
    """Two workers, sixteen jobs that need a bank, and trouble. Each try tells the journal "tried".

    verdict(went, delivery) is asked after each try: went is "done", "busy" (the bank is away),
    "broken" (this job can never be done) or "failed" (nobody knows why). After "renew" a worker
    commits, waits two seconds, and its next poll brings the record again.
    """
    lab = jobs(DAY_JOBS, seed, share_record_lock_duration_ms=15_000)
    trouble = plan(kind, seed)
    failed: Counter[int] = Counter()
    busy: Counter[int] = Counter()

    def attempt(offset: int) -> str:
        if offset in trouble["broken"]:
            return "broken"
        if trouble["away_ms"][0] <= lab.now_ms < trouble["away_ms"][1]:
            return "busy"
        if busy[offset] < trouble["first_busy"].get(offset, 0) * (failed[offset] + 1):
            busy[offset] += 1
            return "busy"
        if failed[offset] < trouble["fails"].get(offset, 0):
            failed[offset] += 1
            return "failed"
        return "done"

    def work(lab: Lab, name: str) -> None:
        consumer = worker(lab, name)
        while True:
            for record in consumer.poll(timeout_ms=2_000):
                lab.sleep(200)
                went = attempt(record.offset)
                lab.journal.append("tried", name, offset=record.offset, went=went)
                said = verdict(went, record.delivery_count or 1)
                consumer.acknowledge(record, said)
                if said == "renew":
                    consumer.commit_sync()
                    lab.sleep(2_000)

    for name in ("ada", "bo"):
        lab.spawn(work, name, name=name)
    if trouble["kill_ms"]:
        lab.run_for(trouble["kill_ms"])
        lab.kill("ada")
    lab.run_for(150_000 - trouble["kill_ms"])
    return lab


def wrong_on_a_day(lab: Lab, kind: str, seed: int) -> tuple[str, list[int]] | None:
    """The first promise that was broken on a day, and the jobs: "lost", "waits", "called done",
    "not accepted", "tried again", "done twice"; None where all were kept."""
    trouble = plan(kind, seed)
    tried = [(event.offset, event.went) for event in lab.journal.of("tried")]
    done = Counter(offset for offset, went in tried if went == "done")
    never = [*trouble["broken"], *(job for job, times in trouble["fails"].items() if times == 99)]
    start = share_state(lab)["start_offset"]
    accepted = order_of_work(lab)
    found = {
        "waits": [*range(start, DAY_JOBS)],
        "lost": [job for job in range(DAY_JOBS) if job not in never and not done[job]],
        "called done": [job for job in accepted if not done[job]],
        "not accepted": [job for job in done if job not in accepted],
        "tried again": [job for job in trouble["broken"] if tried.count((job, "broken")) > 1],
        "done twice": []
        if trouble["kill_ms"]
        else [job for job, times in done.items() if times > 1],
    }
    return next(((name, numbers) for name, numbers in found.items() if numbers), None)


def survive(verdict: Verdict, seeds: int = 20) -> pandas.DataFrame:
    """Play each kind of day with so many seeds: on how many a promise was broken, and which."""
    import pandas

    rows = []
    for kind in OUTAGE_KINDS:
        wrong = [wrong_on_a_day(day(verdict, kind, seed), kind, seed) for seed in range(seeds)]
        names = sorted({each[0] for each in wrong if each})
        rows.append(
            {
                "day": kind,
                "days": seeds,
                "promise broken": sum(each is not None for each in wrong),
                "how": ", ".join(names),
            }
        )
    return pandas.DataFrame(rows)


# -- the Spark lab

TOLD = r"firstOffset=(\d+), lastOffset=(\d+), (?:deliveryCount=|acknowledgeTypes=\[)(\d+(?:, \d+)*)"
"""What a line of a share consumer tells of neighbouring records."""


def night_of_the_workers(slow: str, poll: int, bad: int, seed: int) -> Lab:
    """Four workers, 40 jobs. One worker needs nine seconds for a job; the lock is 30 s.

    poll: max.poll.records. bad: how many jobs are rejected: the first one of the slow worker, who
    says it too late, and others. Six more are released by a quick worker at their first delivery.
    Which ones, follows the seed. Two of the quick workers go home after 25 seconds, so one is left
    for the slow worker's jobs.
    """
    lab = jobs(40, seed)
    rng = Random(seed)
    # none of the first jobs that the four workers get
    rejected, to_release = set(rng.sample(range(4 * poll, 40), bad - 1)), 6

    def rule(name: str) -> Rule:
        def answer(record: ConsumerRecord) -> str:
            nonlocal to_release
            if name == slow:
                lab.sleep(8_500)
                if len(rejected) < bad:
                    rejected.add(record.offset)
                return "reject" if record.offset in rejected else "accept"
            if record.offset in rejected:
                return "reject"
            if record.delivery_count == 1 and to_release and rng.random() < 0.5:
                to_release -= 1
                return "release"
            return "accept"

        return answer

    quick = [name for name in ("ada", "bo", "cy", "di") if name != slow]
    stays = quick[(poll + bad) % len(quick)]
    for name in ("ada", "bo", "cy", "di"):
        ends_ms = math.inf if name in (slow, stays) else 25_000
        start_workers(lab, name, rule(name), leaves_at_ms=ends_ms, max_poll_records=poll)
    lab.run_for(50_000)
    lab.close()
    return lab


def records_told(log: str) -> list[tuple[float, str, int, int]]:
    """What a worker's log tells of each record: (second, "given" or "said", offset, number).

    The number of a given record is its delivery, of a said one its type: 1 accept, 2 release, 3
    reject, 4 renew.
    """
    rows = []
    for line in log.splitlines():
        what = "given" if "returned fetch data" in line else "said"
        clock = re.match(r"\S+ (\d+):(\d+):(\d+),(\d+)", line.lstrip("["))
        if clock is None or (what == "said" and "Sending SHARE_" not in line):
            continue
        hours, minutes, seconds, ms = map(int, clock.groups())
        second = hours * 3_600 + minutes * 60 + seconds + ms / 1_000
        for first, last, numbers in re.findall(TOLD, line):
            each = [int(number) for number in numbers.split(", ")]
            for place, offset in enumerate(range(int(first), int(last) + 1)):
                rows.append((second, what, offset, each[min(place, len(each) - 1)]))
    return rows
