"""Share consumers on a lab's brokers: what a member gets, and what becomes of it (KIP-932)."""

import pytest

from kafkalab import AcknowledgeType, KafkaConsumer, KafkaProducer, KafkaShareConsumer, Lab
from kafkalab.broker.groups.share.state_writes import WRITING_MS
from kafkalab.errors import (
    ConfigException,
    IllegalArgumentException,
    IllegalStateException,
    InvalidConfigurationException,
    InvalidRecordStateException,
    KafkaException,
)
from kafkalab.records import ProducerRecord, TopicPartition

JOBS = TopicPartition("jobs", 0)


def a_lab(records=6, brokers=1, partitions=1, seed=3, **settings):
    lab = Lab(
        brokers,
        seed,
        "4.4",
        "4.4",
        {"group.share.min.record.lock.duration.ms": 1_000, "offsets.topic.replication.factor": 1},
    )
    lab.create_topic("jobs", partitions, replication_factor=brokers)
    lab.configure_group("workers", {"share.auto.offset.reset": "earliest", **settings})
    producer = KafkaProducer(lab, {"client.id": "feeder"})
    for number in range(records):
        producer.send(ProducerRecord("jobs", value=f"v{number}", partition=number % partitions))
        producer.flush()
    return lab


def a_worker(lab, name="worker-1", mode="explicit", **config):
    consumer = KafkaShareConsumer(
        lab,
        {"group.id": "workers", "client.id": name, "share.acknowledgement.mode": mode, **config},
    )
    consumer.subscribe(["jobs"])
    return consumer


def take(consumer, timeout_ms=2_000, polls=4):
    """The first records that a few polls bring, as [(offset, deliveries)], and the records."""
    for _ in range(polls):
        if records := consumer.poll(timeout_ms):
            return [(r.offset, r.delivery_count) for r in records], records
    return [], ()


def sent(lab, name, api):
    return [e for e in lab.journal.of("request.sent") if e.who == name and e.api == api]


def finish(consumer, records, kind="accept"):
    for record in records:
        consumer.acknowledge(record, kind)
    return consumer.commit_sync()


def test_accept_release_and_reject():
    worker = a_worker(a_lab())
    _, records = take(worker)
    kinds = ("accept", "release", AcknowledgeType.REJECT, "accept", "release", "accept")
    for record, kind in zip(records, kinds):
        worker.acknowledge(record, kind)
    assert worker.commit_sync() == {JOBS: None}
    got, records = take(worker)
    assert got == [(1, 2), (4, 2)]
    finish(worker, records)
    assert take(worker, 500, 2)[0] == []


def test_implicit_acknowledgement_accepts_with_the_next_poll():
    lab = a_lab()
    worker = a_worker(lab, mode="implicit")
    got, records = take(worker)
    assert got == [(n, 1) for n in range(6)]
    assert worker.poll(100) == ()
    moves = [event for event in lab.journal.events if event.kind == "share.records"]
    assert [move.fields["state"] for move in moves] == ["Acquired", "Acknowledged"]
    with pytest.raises(IllegalStateException, match="Implicit acknowledgement"):
        worker.acknowledge(records[0])


def test_explicit_acknowledgement_refuses_a_poll_before_everything_is_said():
    worker = a_worker(a_lab())
    take(worker)
    with pytest.raises(IllegalStateException, match="All records must be acknowledged"):
        worker.poll(100)


def test_two_members_of_one_partition_share_its_records():
    lab = a_lab(records=8)
    one = a_worker(lab, "worker-1", **{"max.poll.records": 3})
    assert take(one)[0] == [(0, 1), (1, 1), (2, 1)]
    two = a_worker(lab, "worker-2", **{"max.poll.records": 3})
    assert take(two)[0] == [(3, 1), (4, 1), (5, 1)]


def test_a_lock_that_ends_passes_the_record_on():
    lab = a_lab(records=3, **{"share.record.lock.duration.ms": 3_000})
    one, two = a_worker(lab, "worker-1"), a_worker(lab, "worker-2")
    _, held = take(one)
    got, records = take(two)
    assert got == [(0, 2), (1, 2), (2, 2)]
    (error,) = finish(one, held).values()
    assert isinstance(error, InvalidRecordStateException)
    finish(two, records)


def test_a_late_acknowledgement_of_a_record_that_is_done_succeeds():
    lab = a_lab(records=3, **{"share.record.lock.duration.ms": 3_000})
    one, two = a_worker(lab, "worker-1"), a_worker(lab, "worker-2")
    _, held = take(one)
    _, records = take(two)
    finish(two, records)
    assert finish(one, held) == {JOBS: None}


def test_a_renewed_lock_lasts_longer_and_the_records_come_again():
    lab = a_lab(records=3, **{"share.record.lock.duration.ms": 3_000})
    worker, other = a_worker(lab), a_worker(lab, "worker-2")
    _, held = take(worker)
    lab.sleep(2_000)
    finish(worker, held, "renew")
    with pytest.raises(IllegalStateException, match="cannot be acknowledged"):
        worker.acknowledge(held[0])
    again = worker.poll(0)
    assert [(r.offset, r.delivery_count) for r in again] == [(0, 1), (1, 1), (2, 1)]
    assert other.poll(2_000) == ()
    assert finish(worker, again) == {JOBS: None}


def test_a_fetch_that_renews_asks_for_no_records():
    lab = a_lab(records=6)
    worker = a_worker(lab, **{"max.poll.records": 2})
    _, held = take(worker)
    for record in held:
        worker.acknowledge(record, "renew")
    worker.poll(100)
    (sent,) = [text for text in lab.lines("worker-1").message if "isRenewAck=true" in text]
    assert "maxWaitMs=0, minBytes=0, maxBytes=0, maxRecords=0, batchSize=0" in sent


def test_the_fifth_delivery_is_the_last():
    worker = a_worker(a_lab(records=1))
    counts = []
    while True:
        got, records = take(worker)
        if not got:
            break
        counts.append(got[0][1])
        finish(worker, records, "release")
    assert counts == [1, 2, 3, 4, 5]


def test_a_member_that_dies_frees_its_records_at_once():
    lab = a_lab(records=4)
    one, two = a_worker(lab, "worker-1"), a_worker(lab, "worker-2")
    take(one)
    lab.sleep(1_000)  # the group assigns at most once a second
    assert take(two, 2_000, 2)[0] == []
    lab.kill("worker-1")
    died_ms = lab.now_ms
    assert take(two)[0] == [(n, 2) for n in range(4)]
    waited_ms = lab.now_ms - died_ms
    assert waited_ms <= 550, "the connection told the broker, not the lock of 30 s"


def test_a_record_that_is_given_back_comes_after_the_next_one():
    """Real brokers deliver 0, 2, 1, 3: see "16 order" in proof_runs.jsonl."""
    worker = a_worker(a_lab(records=4), **{"max.poll.records": 1})
    done = []
    while len(done) < 4:
        for record in take(worker)[1]:
            gives_back = (record.offset, record.delivery_count) == (1, 1)
            worker.acknowledge(record, "release" if gives_back else "accept")
            done += [] if gives_back else [record.offset]
    assert done == [0, 2, 1, 3]


def test_a_waiting_fetch_gets_a_released_record_only_when_its_time_is_over():
    """As recorded in share_member_crash: the fetch left 281 ms before the crash, and its answer
    came after the whole 510 ms."""
    lab = a_lab(records=1)
    one, two = a_worker(lab, "worker-1"), a_worker(lab, "worker-2")
    _, held = take(one)
    lab.sleep(1_000)
    assert take(two, 2_000, 2)[0] == []
    asked_ms = max(e.at_ms for e in sent(lab, "worker-2", "SHARE_FETCH"))
    finish(one, held, "release")
    assert take(two)[0] == [(0, 2)]
    assert 495 <= lab.now_ms - asked_ms <= 520


def test_a_waiting_fetch_gets_a_record_at_once_when_its_lock_ends():
    """As recorded in share_lock_passes_on: the answer came after 319 ms."""
    lab = a_lab(records=1, **{"share.record.lock.duration.ms": 3_000})
    one, two = a_worker(lab, "worker-1"), a_worker(lab, "worker-2")
    take(one)
    lab.sleep(1_000)
    (ends_ms,) = [e.at_ms + 3_000 for e in lab.journal.of("share.records")]
    assert take(two)[0] == [(0, 2)]
    assert 0 <= lab.now_ms - ends_ms <= 10


def test_the_answer_to_an_acknowledgement_waits_for_the_write():
    lab = a_lab(records=1)
    worker = a_worker(lab)
    _, records = take(worker)
    before_ms = lab.now_ms
    finish(worker, records)
    assert lab.now_ms - before_ms >= WRITING_MS
    *_, done = lab.journal.of("share.records")
    assert done.at_ms >= before_ms + WRITING_MS


def test_a_member_that_closes_gives_its_records_back():
    lab = a_lab(records=4)
    one = a_worker(lab, "worker-1")
    take(one)
    one.close()
    assert take(a_worker(lab, "worker-2"))[0] == [(n, 2) for n in range(4)]


@pytest.mark.parametrize(("mode", "first"), [("BATCH_OPTIMIZED", 8), ("record_limit", 3)], ids=str)
def test_a_poll_returns_a_batch_of_the_log_whole_unless_told_otherwise(mode, first):
    lab = a_lab(records=0)
    producer = KafkaProducer(lab, {"client.id": "batcher", "linger.ms": 500})
    for number in range(8):
        producer.send(ProducerRecord("jobs", value=f"v{number}"))
    producer.flush()
    worker = a_worker(lab, **{"max.poll.records": 3, "share.acquire.mode": mode})
    assert len(take(worker)[0]) == first


def test_a_group_without_a_setting_begins_at_the_latest_record():
    lab = a_lab()
    lab.cluster.group_settings.clear()
    worker = a_worker(lab)
    assert take(worker)[0] == []
    KafkaProducer(lab, {"client.id": "late"}).send(ProducerRecord("jobs", value="new")).get()
    assert take(worker)[0] == [(6, 1)]


def test_a_new_leader_knows_what_is_done():
    lab = a_lab(brokers=3)
    worker = a_worker(lab, **{"max.poll.records": 3})
    _, records = take(worker)
    finish(worker, records)
    _, held = take(worker)
    lab.broker(lab.leader("jobs", 0)).crash()
    lab.run_for(20_000)
    for record in held:
        worker.acknowledge(record)
    try:
        worker.commit_sync()
    except KafkaException:
        pass
    got, _ = take(worker, 3_000, 8)
    assert [offset for offset, _ in got] == [3, 4, 5]


def test_more_members_than_partitions_share_and_fewer_divide():
    lab = a_lab(partitions=4)
    workers = [a_worker(lab, f"worker-{n}", "implicit") for n in range(2)]
    for _ in range(6):
        for worker in workers:
            worker.poll(2_000)
    owned = [set(worker._impl.subscriptions.assigned()) for worker in workers]
    assert [len(places) for places in owned] == [2, 2]
    assert owned[0].isdisjoint(owned[1])


def test_every_record_is_accepted_once_over_many_seeds():
    for seed in range(6):
        lab = a_lab(records=12, seed=seed)
        workers = [
            a_worker(lab, f"worker-{n}", "implicit", **{"max.poll.records": 2}) for n in range(3)
        ]
        seen = []

        def work(lab, worker, seen=seen):
            for _ in range(8):
                seen += [record.offset for record in worker.poll(1_000)]

        apps = [lab.spawn(work, worker) for worker in workers]
        lab.run_until(lambda apps=apps: all(app.done for app in apps))
        assert sorted(seen) == list(range(12)), seed


def shown(lab):
    """The group's window as the lab's history tells it, and as its leader's machine has it."""
    told = lab.at(lab.now_ms)["share_groups"]["workers"]["partitions"]["jobs-0"]
    machine = lab.broker(lab.leader("jobs", 0)).machine.share_fetches
    partition = machine.partition("workers", "jobs", 0)
    window = {
        "start_offset": partition.start_offset,
        "end_offset": partition.end_offset,
        "records": {
            offset: {
                "state": record.state.value,
                "delivery_count": record.delivery_count,
                "member": record.member_id or None,
            }
            for offset, record in partition.states().items()
            if offset >= partition.start_offset
        },
    }
    return told, window


def test_the_history_tells_what_the_leader_knows():
    lab = a_lab(**{"share.record.lock.duration.ms": 3_000})
    worker = a_worker(lab)
    _, records = take(worker)
    for kinds in (("accept", "release", "reject"), ("release",), ("accept",)):
        told, window = shown(lab)
        assert told == window
        for record, kind in zip(records, (*kinds, *["release"] * 6)):
            worker.acknowledge(record, kind)
        worker.commit_sync()
        told, window = shown(lab)
        assert told == window
        _, records = take(worker)
    lab.sleep(4_000)
    told, window = shown(lab)
    assert told == window
    assert lab.at(1)["at_ms"] == 1 and "share_groups" not in lab.at(1)


def test_what_a_share_consumer_refuses():
    lab = a_lab(records=0)
    with pytest.raises(KafkaException, match="Failed .*: You must provide a valid group.id"):
        KafkaShareConsumer(lab, {})
    with pytest.raises(ConfigException, match="enable.auto.commit cannot be set"):
        KafkaShareConsumer(lab, {"group.id": "g", "enable.auto.commit": "false"})
    with pytest.raises(ConfigException, match=r"poll\(\) ends in an UnsupportedVersionException"):
        KafkaShareConsumer(Lab(1, version="3.9"), {"group.id": "g"})
    with pytest.raises(ConfigException, match="its class came with 3.9"):
        KafkaShareConsumer(Lab(1, version="3.6"), {"group.id": "g"})
    with pytest.raises(ConfigException, match=r"share\.acquire\.mode"):
        KafkaConsumer(lab, {"group.id": "g", "share.acquire.mode": "record_limit"})
    with pytest.raises(IllegalStateException, match="not subscribed"):
        KafkaShareConsumer(lab, {"group.id": "g"}).poll(0)
    with pytest.raises(InvalidConfigurationException, match="1000 to 60000"):
        lab.configure_group("g", {"share.record.lock.duration.ms": 10})
    with pytest.raises(InvalidConfigurationException, match="nearest"):
        lab.configure_group("g", {"share.record.lock.ms": 10})


@pytest.mark.parametrize("word", ["maybe", None])
def test_only_the_four_words_say_what_became_of_a_record(word):
    worker = a_worker(a_lab())
    _, records = take(worker)
    with pytest.raises(IllegalArgumentException, match=f"accept, release, .*, not {word!r}"):
        worker.acknowledge(records[0], word)


def test_a_group_id_of_another_protocol_is_refused():
    lab = a_lab(records=0)
    other = KafkaConsumer(lab, {"group.id": "workers"})
    other.subscribe(["jobs"])
    other.poll(5_000)
    with pytest.raises(KafkaException, match="not a share group"):
        a_worker(lab).poll(5_000)


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_share_group_refuses_members_of_the_other_protocols(protocol):
    lab = a_lab()
    take(a_worker(lab))
    other = KafkaConsumer(lab, {"group.id": "workers", "group.protocol": protocol})
    other.subscribe(["jobs"])
    with pytest.raises(KafkaException):
        other.poll(5_000)
