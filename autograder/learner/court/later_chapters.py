"""Ten claims of the chapters 12 to 16, as one hears them, each with the experiment that decides it.

They are about errors, files, replicas, the threads of a broker, tools and share groups. Some ask
the broker alone. Those play two releases of it, with a client of the same release.
"""

from __future__ import annotations

from autograder.learner.court.claim import Claim
from autograder.learner.court.experiments import FAST, fill, lab_of, poll_for
from kafkalab import (
    AcknowledgeType,
    KafkaConsumer,
    KafkaProducer,
    KafkaShareConsumer,
    ProducerRecord,
    SerializationException,
    TopicPartition,
)
from kafkalab.releases import until
from kafkalab.stories.replicas import RACK_AWARE
from kafkalab.tools import get_offsets

BROKERS = ("2.3", "4.4")
"""The releases of the brokers that the lab plays."""
PLACE = TopicPartition("t", 0)
MINUTE_MS = 60_000


def prices_read(version):
    lab = lab_of(version, brokers=1)
    lab.create_topic("t")
    producer = KafkaProducer(lab, FAST)
    for price in ("10", "1,5", "12"):
        producer.send(ProducerRecord("t", value=price)).get()
    reader = reader_of_numbers(lab)
    end, read = lab.now_ms + 5_000, []
    while lab.now_ms < end:
        try:
            read += [record.value for record in reader.poll(timeout_ms=200)]
        except SerializationException:
            lab.run_for(ms=200)
    return read


def offset_in_the_error(version):
    lab = lab_of(version, brokers=1)
    lab.create_topic("t")
    KafkaProducer(lab, FAST).send(ProducerRecord("t", value="1,5")).get()
    reader = reader_of_numbers(lab)
    while True:
        try:
            reader.poll(timeout_ms=200)
        except SerializationException as error:
            return getattr(error, "offset", None)


def reader_of_numbers(lab) -> KafkaConsumer:
    """A consumer of the one partition whose values are whole numbers."""
    reader = KafkaConsumer(lab, {"auto.offset.reset": "earliest", "value.deserializer": int})
    reader.assign([PLACE])
    return reader


def oldest_age(version):
    lab = lab_of(version, brokers=1)
    lab.create_topic("t", config={"retention.ms": 10 * MINUTE_MS, "segment.ms": 5 * MINUTE_MS})
    producer = KafkaProducer(lab, FAST)
    ages = []
    for minute in range(60):  # the record of a minute has its number as offset
        producer.send(ProducerRecord("t", value="tea")).get()
        lab.run_for(ms=MINUTE_MS)
        ages.append(minute + 1 - lab.at(lab.now_ms)["partitions"]["t-0"]["log_start_offset"])
    return max(ages)


def records_of_the_key(version):
    lab = lab_of(version, brokers=1)
    settings = {"segment.ms": MINUTE_MS, "min.cleanable.dirty.ratio": 0.01}
    lab.create_topic("t", config={"cleanup.policy": "compact", **settings})
    producer = KafkaProducer(lab, FAST)
    for price in range(20):
        producer.send(ProducerRecord("t", key="milk", value=str(price))).get()
        lab.run_for(ms=10_000)
    lab.run_for(ms=60 * MINUTE_MS)
    reader = KafkaConsumer(lab, {"auto.offset.reset": "earliest"})
    reader.assign([PLACE])
    return len(poll_for(reader, lab, 2_000))


def counted_by_offsets(version):
    lab = lab_of(version)
    lab.create_topic("t", leaders=[0])
    till = KafkaProducer(lab, {**FAST, "transactional.id": "till"})
    till.init_transactions()
    till.begin_transaction()
    for _ in range(5):
        till.send(ProducerRecord("t", value="tea"))
    till.commit_transaction()
    first, last = (
        int(get_offsets.told(lab, "t", time).strip().rpartition(":")[2])
        for time in ("earliest", "latest")
    )
    reader = KafkaConsumer(lab, {"auto.offset.reset": "earliest"})
    reader.assign([PLACE])
    return {"by_offsets": last - first, "records": len(poll_for(reader, lab, 2_000))}


def in_sync_far_behind(version):
    lab = lab_of(version)
    lab.create_topic("t", replication_factor=2, leaders=[0])
    producer = KafkaProducer(lab, {**FAST, "acks": "1", "enable.idempotence": False})
    producer.send(ProducerRecord("t", value="tea")).get()
    lab.run_for(ms=1_000)
    lab.broker(1).pause(4_000)
    for _ in range(5_000):
        producer.send(ProducerRecord("t", value="tea"))
    producer.flush()
    written_at = lab.now_ms
    lab.run_for(ms=10_000)
    states = [lab.at(written_at + ms)["partitions"]["t-0"] for ms in range(0, 10_001, 500)]
    leader, follower = (states[0]["logs"][broker]["log_end_offset"] for broker in (0, 1))
    return {"lacks": leader - follower, "in_sync": min(len(state["isr"]) for state in states)}


def fetched_from(version):
    # KIP-392 came with 2.4
    near = {} if version in until("2.3") else {"replica.selector.class": RACK_AWARE}
    lab = lab_of(version, racks={0: "a", 1: "b", 2: "c"}, broker_config=near)
    lab.create_topic("t", replication_factor=3, leaders=[0])
    fill(lab, "t", 3)
    rack = {"client.rack": "b"} if near else {}
    reader = KafkaConsumer(lab, {"auto.offset.reset": "earliest", **rack}, name="reader")
    reader.assign([PLACE])
    poll_for(reader, lab, 3_000)
    return sorted(
        {
            int(event.node_id)
            for event in lab.journal.of("request.sent")
            if event.who == "reader" and event.api == "FETCH"
        }
    )


def answered_beside_a_waiting_one(version):
    lab = lab_of(version, broker_config={"num.io.threads": 1})
    lab.create_topic("t", replication_factor=3, leaders=[0])
    lab.create_topic("alone", leaders=[0])
    shop = KafkaProducer(lab, {**FAST, "acks": "all"})
    other = KafkaProducer(lab, {**FAST, "acks": "1", "enable.idempotence": False})
    shop.send(ProducerRecord("t", value="the first one opens the connection")).get()
    other.send(ProducerRecord("alone", value="the first one opens the connection")).get()
    lab.run_for(ms=1_000)
    for follower in (1, 2):
        lab.broker(follower).pause(4_000)
    waits = shop.send(ProducerRecord("t", value="tea"))
    lab.run_for(ms=100)
    asked_at = lab.now_ms
    other.send(ProducerRecord("alone", value="tea")).get()
    other_ms = lab.now_ms - asked_at
    waits.get()
    return {"other_ms": other_ms, "waiting_ms": lab.now_ms - asked_at + 100}


def queue_of_four(version):
    """A lab with a topic of four records; the share group g begins at the first one."""
    lab = lab_of(version, brokers=1)
    lab.create_topic("t")
    lab.configure_group("g", {"share.auto.offset.reset": "earliest"})
    fill(lab, "t", 4)
    return lab


def worker(lab, name):
    """A member of the share group that says itself what became of a record."""
    settings = {"group.id": "g", "share.acknowledgement.mode": "explicit", "max.poll.records": 1}
    consumer = KafkaShareConsumer(lab, settings, name=name)
    consumer.subscribe(["t"])
    return consumer


def order_of_the_work(version):
    lab = queue_of_four(version)
    ada, done, failed = worker(lab, "ada"), [], False
    while len(done) < 4:
        for record in ada.poll(timeout_ms=500):
            if record.offset == 1 and not failed:
                failed = True
                ada.acknowledge(record, AcknowledgeType.RELEASE)
            else:
                done.append(record.offset)
                ada.acknowledge(record, AcknowledgeType.ACCEPT)
    return done


def until_another_worker_has_them(version):
    lab = queue_of_four(version)
    ada, bo = worker(lab, "ada"), worker(lab, "bo")
    while not ada.poll(timeout_ms=200):
        pass
    poll_for(bo, lab, 5_000)
    lab.kill("ada")
    killed_at = lab.now_ms
    while not bo.poll(timeout_ms=100):
        pass
    return lab.now_ms - killed_at


LATER_CLAIMS = (
    Claim(
        21,
        "A consumer skips a record that it cannot read.",
        "the values read in five seconds, when the second of three cannot be read",
        prices_read,
        lambda value: value == [10, 12],
        "The position stays, so each poll meets the same bytes again. Your program seeks past "
        "them (chapter 12).",
        "Did you poll again after the error, and without a seek? A seek is your skip, not the "
        "consumer's.",
    ),
    Claim(
        22,
        "The error of a record that cannot be read has its offset.",
        "the attribute offset of the error, or None where it has none",
        offset_in_the_error,
        lambda value: value == 0,
        "A RecordDeserializationException with partition and offset comes with 3.0, KIP-334. "
        "Before, they are in the text only (chapter 12).",
        "Did you ask the error for its attribute offset, and not read its text? Is the record at "
        "offset 0?",
    ),
    Claim(
        23,
        "Retention deletes a record when its time has come.",
        "the highest age in minutes of the oldest record, with retention.ms of ten minutes and "
        "segment.ms of five",
        oldest_age,
        lambda value: value <= 11,
        "Whole segments go, when their newest record is too old, and at the next check "
        "(chapter 13).",
        "Is there a record each minute, for half an hour or longer? Look at each of them, not "
        "only at the end.",
        BROKERS,
    ),
    Claim(
        24,
        "Compaction leaves one record for each key.",
        "records of a key that a reader gets an hour after the last write, of twenty",
        records_of_the_key,
        lambda value: value == 1,
        "The cleaner does not touch the active segment, and nobody rolls it where nobody writes "
        "(chapter 13).",
        "Is the topic compacted, and did the writes last for some minutes with segment.ms of one "
        "minute?",
        BROKERS,
    ),
    Claim(
        25,
        "The last offset minus the first one is the number of records.",
        "both numbers after one transaction of five records",
        counted_by_offsets,
        lambda value: value["by_offsets"] == value["records"],
        "A transaction's marker takes an offset (chapter 06), and compaction leaves gaps "
        "(chapter 13).",
        "Was the transaction committed before you asked for the offsets?",
    ),
    Claim(
        26,
        "A follower that lacks thousands of records leaves the ISR.",
        "how many records it lacks after four seconds of sleep, and the fewest replicas in sync "
        "of two",
        in_sync_far_behind,
        lambda value: value["in_sync"] == 1,
        "Only time counts, replica.lag.time.max.ms. The setting with a number of records, 4,000, "
        "went in 0.9 (chapter 14).",
        "Did the follower sleep for less than ten seconds? Then time is no reason. And do you "
        "write with acks=1?",
        BROKERS,
    ),
    Claim(
        27,
        "A consumer never reads from a follower.",
        "the brokers that get a FETCH from a consumer in rack b; broker 0 leads",
        fetched_from,
        lambda value: value == [0],
        "From 2.4 on a consumer may read in its own rack, KIP-392 (chapter 14). By default it "
        "reads from the leader in every version.",
        "Three settings belong together: the brokers' racks, replica.selector.class and "
        "client.rack. Are all three there?",
    ),
    Claim(
        28,
        "A request that waits for followers keeps no I/O thread.",
        "milliseconds until another record is answered, with num.io.threads=1, and until the "
        "waiting one is",
        answered_beside_a_waiting_one,
        lambda value: value["other_ms"] < 100,
        "It waits in the purgatory, and a follower's fetch completes it (chapter 15).",
        "Does the other record go to the same broker, to a topic without followers, with acks=1? "
        "Was its connection there before?",
        BROKERS,
    ),
    Claim(
        29,
        "A share group keeps the order of a partition.",
        "the offsets in the order in which one worker accepts them, when it releases offset 1 once",
        order_of_the_work,
        lambda value: value == [0, 1, 2, 3],
        "A record that is released comes back after later ones, KIP-932 (chapter 16).",
        "Did you release the record and not reject it? With max.poll.records=1 you see each "
        "delivery.",
        ("4.4",),
    ),
    Claim(
        30,
        "The records of a killed worker wait until their lock of 30 seconds is over.",
        "milliseconds from the death until another worker of the share group gets them",
        until_another_worker_has_them,
        lambda value: value >= 25_000,
        "The broker frees them when the connection of the worker closes. The lock is for a "
        "worker that lives and says nothing (chapter 16).",
        "Did the first worker have the records when it was killed? And was the second one a "
        "member before?",
        ("4.4",),
    ),
)
