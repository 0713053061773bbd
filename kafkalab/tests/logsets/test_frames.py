"""Rebalances, offsets, lag, producers, transactions: what the frames say of real logs,
next to what the recorded programs did."""

import json
from collections import Counter

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition, logsets
from kafkalab.logsets.line_loader import load_lines


@pytest.fixture(scope="module")
def real(spark, recordings):
    """All recorded lines, parsed once."""
    lines = load_lines(spark, recordings).cache()
    yield lines
    lines.unpersist()


def of(frame, run: str) -> list:
    """The rows of one recorded run, by client and time."""
    return [row for row in frame.collect() if f"/{run}/" in row.file]


@pytest.fixture(scope="module")
def steps(recordings) -> dict[tuple[str, str, str], list[dict]]:
    """(run's folder, client) -> what its program did."""
    found: dict = {}
    for path in recordings.rglob("scenario.json"):
        for event in json.loads(path.read_text(encoding="utf-8"))["events"]:
            found.setdefault((str(path.parent), event["client"]), []).append(event)
    return found


@pytest.fixture(scope="module")
def rebalances(real):
    return logsets.rebalances(real).orderBy("file", "began_at").collect()


def told(rebalances, run: str, client: str) -> list[tuple]:
    return [
        (row.generation, row.cause, row.stopped_ms > 0, row.partitions)
        for row in rebalances
        if f"/{run}/{client}." in row.file
    ]


def test_a_crashed_members_partitions_come_to_the_survivor_who_stands_still_for_it(rebalances):
    assert told(rebalances, "2.3.1/2.1.1/group_member_crash", "inv-1") == [
        (1, "first join", False, "orders-0, orders-1"),
        (2, "another member", True, "orders-0, orders-1, orders-2, orders-3"),
    ]


def test_a_cooperative_owner_gives_up_what_moves_and_never_stands_still(rebalances):
    assert told(rebalances, "4.4.0/2.8.2/group_cooperative", "inv-1") == [
        (1, "first join", False, "orders-0, orders-1, orders-2, orders-3"),
        (2, "another member", False, ""),
        (3, "gives up partitions", False, ""),
    ]
    # Two generations for one newcomer, each waiting for a heartbeat: it reads 5.6 s after it asked.
    waits = [
        row.waited_ms for row in rebalances if "/4.4.0/2.8.2/group_cooperative/inv-2." in row.file
    ]
    assert 2_500 < waits[0] < 2_900 and waits[1] < 100


def test_members_of_the_new_protocol_move_one_by_one(rebalances):
    assert [
        told(rebalances, f"4.4.0/{version}/group_consumer_protocol", "inv-2")
        for version in ("4.0.2", "4.4.0")
    ] == [[(3, "first join", False, ""), (3, "new assignment", False, "orders-2, orders-3")]] * 2


@pytest.mark.corpus
def test_the_members_of_a_group_are_brought_together(real):
    rows = logsets.group_rebalances(real).orderBy("folder", "generation").collect()
    sticky = [
        (row.generation, row.members, row.cause, row.clients)
        for row in rows
        if row.folder.endswith("2.3.0/group_sticky")
    ]
    assert sticky == [
        (1, 1, "first join", ["inv-1"]),
        (2, 2, "first join", ["inv-2"]),
        (3, 1, "another member", []),
    ]
    storms = logsets.storms(real).collect()
    # slow members cost a rebalance after the other; nobody else's group has a storm
    slow = ("group_newcomer_slow_member", "works_too_long")
    assert all(any(name in row.folder for name in slow) for row in storms)


def test_commits_are_those_the_program_asked_for(real):
    rows = of(logsets.commits(real), "4.4.0/3.9.2/group_offsets_manual_commit")
    assert Counter((row.topic, row.partition) for row in rows).keys() == {
        ("orders", partition) for partition in range(4)
    }
    last = {(row.partition): row.offset for row in sorted(rows, key=lambda row: row.committed_at)}
    assert last == dict.fromkeys(range(4), 2)
    assert all(row.gap_ms is None or row.gap_ms >= 0 for row in rows)


@pytest.mark.corpus
def test_what_was_read_twice_is_what_the_program_sought(real, steps):
    found = logsets.reprocessed(real).collect()
    rows = [row for row in found if row.client_id == "consumer-inventory-1"]
    assert {row.how for row in rows} == {"seek"}
    assert sorted(
        (row.partition, row.from_offset, row.until_offset, row.client_id) for row in rows
    ) == [(partition, 0, 2, "consumer-inventory-1") for partition in range(4)]
    sought = {
        folder
        for (folder, _), events in steps.items()
        for event in events
        if event["do"] in ("seek", "seekToBeginning")
    }
    assert {row.file.rsplit("/", 1)[0] for row in rows} <= sought


@pytest.mark.corpus
def test_records_are_counted_where_they_were_sent(real, steps):
    """Every producer that a program drove alone: the records of each
    partition are those the program was told of."""
    rows, compared = logsets.producers(real).collect(), 0
    for (folder, client), events in steps.items():
        answers = [event.get("result") for event in events if event["do"] == "send"]
        mine = {
            row.partition: row.records for row in rows if row.file == f"{folder}/{client}.log.gz"
        }
        if mine and all(answers):
            assert mine == Counter(answer["partition"] for answer in answers), (folder, client)
            compared += 1
    assert compared >= 15


@pytest.mark.corpus
def test_lingering_makes_larger_batches(real):
    packed = {
        row.file.split("/")[-2]: row
        for row in logsets.producers(real).collect()
        if row.partition == 1 and "/3.9.2/" in row.file
    }
    assert packed["producer_linger_batches"].records_per_batch == pytest.approx(10 / 3)
    assert packed["producer_one_partition"].records_per_batch == 1
    answered = (
        logsets.batches(real)
        .where("answered_at is not null and file like '%producer_all_partitions%'")
        .collect()
    )
    assert answered and all(row.took_ms >= 0 and row.error == 0 for row in answered)


@pytest.mark.corpus
def test_transactions_end_as_the_program_was_told(real, steps):
    rows = logsets.transactions(real).orderBy("file", "began_at").collect()
    wanted = {"commitTransaction": "committed", "abortTransaction": "aborted"}
    for (folder, client), events in steps.items():
        ends = [
            "failed" if "error" in event else wanted[event["do"]]
            for event in events
            if event["do"] in wanted
        ]
        # One transaction, of which commit and abort both failed.
        ends = ["failed"] if "failed" in ends else ends
        assert [row.how for row in rows if row.file == f"{folder}/{client}.log.gz"] == ends
    assert {row.transactional_id for row in rows} == {"tx-orders", "copier"}
    assert [row.groups for row in rows if row.transactional_id == "copier"] == [["copier"]]


def test_lag_and_lead_are_the_labs(spark, tmp_path):
    """Fifty records lie there, a consumer is handed ten at a time and stops early:
    its last fetch says how far behind it is."""
    lab = Lab(brokers=1, seed=2, version="3.9")
    lab.create_topic("orders", partitions=1)
    producer = KafkaProducer(lab, {"client.id": "shop", "linger.ms": 0})
    for number in range(50):
        producer.send(ProducerRecord("orders", value=f"order {number}")).get()
    consumer = KafkaConsumer(lab,
                             {"client.id": "slow", "group.id": "billing", "max.poll.records": 10,
                              "auto.offset.reset": "earliest",
                                   "fetch.max.bytes": 700,
                              "max.partition.fetch.bytes": 700})  # fmt: skip
    consumer.subscribe(["orders"])
    read = 0
    while read < 20:
        read += consumer.poll(timeout_ms=1_000).count()
    (tmp_path / "slow.log").write_text(lab.log_text("slow"), encoding="utf-8")
    rows = logsets.lag(load_lines(spark, tmp_path)).orderBy("time", "position").collect()
    assert (
        rows[0].position == 0
        and rows[0].lag == 50
        and rows[0].lead == 0
        and rows[0].group_id == "billing"
    )
    assert all(
        row.high_watermark == 50 and row.lag == 50 - row.position and row.lead == row.position
        for row in rows
    )
    assert consumer.position(TopicPartition("orders", 0)) >= rows[-1].position > 0
    minutes = logsets.lag_per_minute(load_lines(spark, tmp_path)).collect()
    assert [(row.lag, row.lead, row.last_lag) for row in minutes] == [(50, 0, rows[-1].lag)]
