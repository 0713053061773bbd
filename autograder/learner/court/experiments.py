"""Twenty claims about producers, consumers and groups, as one hears them, each with the experiment
that decides it.

An experiment takes a client version and returns one plain value. Brokers are of version 2.3 for
clients before 2.8 and of 4.4 for the others, so that both sides are of one time. Nothing here knows
a verdict: `court` calculates it from what the experiments measure. The claims of the chapters 12 to
16 are in `later_chapters.py`.
"""

from __future__ import annotations

from autograder.learner.court.claim import Claim
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.releases import until

FAST = {"linger.ms": 0}


def lab_of(version: str, brokers: int = 3, seed: int = 4, **settings) -> Lab:
    """A cluster whose brokers are of the client's time."""
    return Lab(
        brokers=brokers,
        seed=seed,
        version=version,
        broker_version="2.3" if version in until("2.3") else "4.4",
        **settings,
    )


def poll_for(consumer, lab: Lab, ms: int) -> list:
    """Poll again and again for so long; the records."""
    end, records = lab.now_ms + ms, []
    while lab.now_ms < end:
        records += consumer.poll(timeout_ms=min(200, end - lab.now_ms))
    return records


def fill(lab: Lab, topic: str, count: int, partition: int | None = 0) -> None:
    """Write so many records without a key, and wait until they are there."""
    producer = KafkaProducer(lab, FAST, name="filler")
    for number in range(count):
        producer.send(ProducerRecord(topic, value=f"record {number}", partition=partition))
    producer.close()


def connected_before_send(version):
    lab = lab_of(version)
    KafkaProducer(lab, {"enable.idempotence": False})
    lab.run_for(ms=2_000)
    return len(lab.sockets())


def first_partitions(version):
    lab = lab_of(version)
    lab.create_topic("t", partitions=3)
    producer = KafkaProducer(lab, {"linger.ms": 20})
    producer.partitions_for("t")
    futures = [producer.send(ProducerRecord("t", value="tea")) for _ in range(6)]
    producer.close()
    return [future.get().partition for future in futures]


def moved_keys(version):
    homes = []
    for partitions in (5, 6):
        lab = lab_of(version)
        lab.create_topic("t", partitions=partitions)
        producer = KafkaProducer(lab, FAST)
        futures = [
            producer.send(ProducerRecord("t", key=f"customer {number}", value="tea"))
            for number in range(60)
        ]
        homes.append([future.get().partition for future in futures])
    return sum(before != after for before, after in zip(*homes))


def waits_before_sending(version):
    lab = lab_of(version)
    lab.create_topic("t")
    producer = KafkaProducer(lab, {})
    producer.send(ProducerRecord("t", value="the first one opens the connection")).get()
    lab.run_for(ms=100)
    asked_at = lab.now_ms
    producer.send(ProducerRecord("t", value="tea")).get()
    return (
        next(
            event.at_ms
            for event in lab.journal.of("request.sent")
            if event.api == "PRODUCE" and event.at_ms >= asked_at
        )
        - asked_at
    )


def answered_while_followers_sleep(version):
    lab = lab_of(version)
    lab.create_topic("t", replication_factor=3, leaders=[0])
    producer = KafkaProducer(lab, {**FAST})
    producer.send(ProducerRecord("t", value="the first one opens the connection")).get()
    lab.broker(1).pause(3_000)
    lab.broker(2).pause(3_000)
    asked_at = lab.now_ms
    producer.send(ProducerRecord("t", value="tea")).get()
    return lab.now_ms - asked_at < 1_000


def producer_ids_asked(version):
    lab = lab_of(version)
    lab.create_topic("t")
    KafkaProducer(lab, {}).send(ProducerRecord("t", value="tea")).get()
    return sum(event.api == "INIT_PRODUCER_ID" for event in lab.journal.of("request.sent"))


def lost_in_a_hiccup(version):
    lab = lab_of(version, brokers=1)
    lab.create_topic("t")
    producer = KafkaProducer(lab, {})
    producer.send(ProducerRecord("t", value="the first one opens the connection")).get()
    lab.broker(0).crash()
    future = producer.send(ProducerRecord("t", value="tea"))
    lab.run_for(ms=5_000)
    lab.broker(0).restart()
    try:
        future.get()
    except Exception as error:
        return type(error).__name__
    return "written"


def there_after_send(version):
    lab = lab_of(version)
    lab.create_topic("t", leaders=[0])
    producer = KafkaProducer(lab, {"linger.ms": 50}, name="shop")
    producer.partitions_for("t")
    producer.send(ProducerRecord("t", value="tea"))
    lab.kill("shop")
    lab.run_for(ms=1_000)
    return lab.at(lab.now_ms)["partitions"]["t-0"]["log_end_offset"]


def copies_after_a_restart(version):
    lab = lab_of(version)
    lab.create_topic("t", leaders=[0])
    # the program starts again, and sends what it is not sure of
    for _ in range(2):
        producer = KafkaProducer(lab, {**FAST, "enable.idempotence": True, "acks": "all"})
        producer.send(ProducerRecord("t", key="order 7", value="tea")).get()
        producer.close()
    return lab.at(lab.now_ms)["partitions"]["t-0"]["log_end_offset"]


def sockets_of_a_new_consumer(version):
    lab = lab_of(version)
    KafkaConsumer(lab, {"group.id": "g"}).subscribe(["t"])
    lab.run_for(ms=2_000)
    return len(lab.sockets())


def brokers_found_by_one_address(version):
    lab = lab_of(version)
    lab.create_topic("t", partitions=3, leaders=[0, 1, 2])
    consumer = KafkaConsumer(lab, {"bootstrap.servers": "localhost:9093"})
    consumer.assign([TopicPartition("t", partition) for partition in range(3)])
    poll_for(consumer, lab, 2_000)
    return len({socket.node_id for socket in lab.sockets() if socket.role == "data"})


def lost_with_the_leader(version):
    lab = lab_of(
        version,
        brokers=4,
        broker_config={"min.insync.replicas": 2, "unclean.leader.election.enable": False},
    )
    lab.create_topic("t", replication_factor=3, leaders=[0])
    producer = KafkaProducer(lab, {**FAST, "acks": "all", "bootstrap.servers": "localhost:9095"})
    producer.partitions_for("t")
    acknowledged = []
    for number in range(20):
        if number == 12:
            lab.broker(1).pause(1_500)
        producer.send(
            ProducerRecord("t", key=f"order {number}", value="tea"),
            lambda metadata, error, key=f"order {number}": error or acknowledged.append(key),
        )
        lab.sleep(20)
    lab.broker(0).crash()
    before = set(acknowledged)
    lab.run_for(ms=60_000)
    reader = KafkaConsumer(
        lab, {"auto.offset.reset": "earliest", "bootstrap.servers": "localhost:9095"}, name="reader"
    )
    reader.assign([TopicPartition("t", 0)])
    return {
        "acknowledged": len(before),
        "gone": len(before - {record.key for record in poll_for(reader, lab, 5_000)}),
    }


def left_for_the_second_group(version):
    lab = lab_of(version)
    lab.create_topic("t", leaders=[0])
    fill(lab, "t", 10)
    counts = []
    for group in ("first", "second"):
        consumer = KafkaConsumer(lab, {"group.id": group, "auto.offset.reset": "earliest"})
        consumer.subscribe(["t"])
        counts.append(len(poll_for(consumer, lab, 8_000)))
        consumer.close()
    return counts[1]


def seconds_until_a_crash_is_noticed(version):
    lab = lab_of(version)
    lab.create_topic("t")
    consumer = KafkaConsumer(lab, {"group.id": "g"}, name="member")
    consumer.subscribe(["t"])
    poll_for(consumer, lab, 10_000)
    lab.kill("member")
    died_at = lab.now_ms
    lab.run_until(lambda: not lab.at(lab.now_ms)["groups"]["g"]["members"], timeout_ms=120_000)
    return round((lab.now_ms - died_at) / 5_000) * 5


def rebalances_of_a_restart(version):
    # KIP-345 came with 2.3
    named = {} if version in until("2.2") else {"group.instance.id": "desk-1"}
    lab = lab_of(version)
    lab.create_topic("t")

    def run(ms):
        consumer = KafkaConsumer(lab, {"group.id": "g", **named})
        consumer.subscribe(["t"])
        poll_for(consumer, lab, ms)
        consumer.close()
        return lab.at(lab.now_ms)["groups"]["g"]["generation"]

    first = run(6_000)
    return run(6_000) - first


def given_up_by_the_one_who_stays(version):
    # KIP-429 came with 2.4
    settings = (
        {}
        if version in until("2.3")
        else {"partition.assignment.strategy": "CooperativeStickyAssignor"}
    )
    lab = lab_of(version)
    lab.create_topic("t", partitions=4)
    revoked = []

    class Listener:
        def on_partitions_revoked(self, partitions):
            revoked.extend(partitions)

        def on_partitions_assigned(self, partitions):
            pass

    stays = KafkaConsumer(lab, {"group.id": "g", **settings}, name="stays")
    stays.subscribe(["t"], Listener())
    poll_for(stays, lab, 6_000)
    comes = KafkaConsumer(lab, {"group.id": "g", **settings}, name="comes")
    comes.subscribe(["t"])
    end = lab.now_ms + 12_000
    while lab.now_ms < end:
        for consumer in (stays, comes):
            consumer.poll(timeout_ms=100)
    return len(revoked)


def busy_members(version):
    lab = lab_of(version)
    lab.create_topic("t", partitions=3)
    members = [KafkaConsumer(lab, {"group.id": "g"}) for _ in range(5)]
    for member in members:
        member.subscribe(["t"])
    end = lab.now_ms + 15_000
    while lab.now_ms < end:
        for member in members:
            member.poll(timeout_ms=20)
    return sum(bool(member.assignment()) for member in members)


def heartbeats_of_a_slow_one(version):
    lab = lab_of(version)
    lab.create_topic("t")
    consumer = KafkaConsumer(
        lab, {"group.id": "g", "max.poll.interval.ms": 30_000, "session.timeout.ms": 10_000}
    )
    consumer.subscribe(["t"])
    poll_for(consumer, lab, 6_000)
    stopped_at = lab.now_ms
    lab.run_for(ms=29_000)
    beats = [
        event.at_ms
        for event in lab.journal.of("request.sent")
        if event.api == "HEARTBEAT" and event.at_ms > stopped_at
    ]
    pauses = [after - before for before, after in zip([stopped_at, *beats], beats)]
    lab.run_for(ms=10_000)
    left = any(event.api == "LEAVE_GROUP" for event in lab.journal.of("request.sent"))
    return {"longest_pause_s": round(max(pauses) / 1000), "left_the_group": left}


def commits_without_a_poll(version):
    lab = lab_of(version)
    lab.create_topic("t", leaders=[0])
    fill(lab, "t", 5)
    consumer = KafkaConsumer(lab, {"group.id": "g", "auto.offset.reset": "earliest"})
    consumer.subscribe(["t"])
    while not consumer.poll(timeout_ms=200):
        pass
    lab.run_for(ms=30_000)
    return sum(event.api == "OFFSET_COMMIT" for event in lab.journal.of("request.sent"))


def committed_after_five(version):
    lab = lab_of(version)
    lab.create_topic("t", leaders=[0])
    fill(lab, "t", 5)
    consumer = KafkaConsumer(
        lab, {"group.id": "g", "auto.offset.reset": "earliest", "enable.auto.commit": False}
    )
    consumer.subscribe(["t"])
    records = poll_for(consumer, lab, 6_000)
    consumer.commit_sync()
    partition = TopicPartition("t", 0)
    return {
        "last_read": records[-1].offset,
        "committed": consumer.committed([partition])[partition].offset,
    }


EARLIER_CLAIMS = (
    Claim(
        1,
        "A producer is connected to nobody until it sends.",
        "connections two seconds after the constructor",
        connected_before_send,
        lambda value: value == 0,
        "From 2.2 on the Sender asks for metadata at once (chapter 02).",
        "Did you send a record? Idempotence asks for a producer id, which needs a connection: "
        "is it off?",
    ),
    Claim(
        2,
        "One address in bootstrap.servers is enough to find every broker.",
        "data connections of a consumer that was given one of three brokers",
        brokers_found_by_one_address,
        lambda value: value == 3,
        "METADATA from any broker names them all. A second address helps when the first one is "
        "down (chapter 02).",
        "Did you poll? A consumer connects to a leader when it reads from it.",
    ),
    Claim(
        3,
        "Records without a key go to the partitions in turn.",
        "the partitions of six records sent at once, three partitions",
        first_partitions,
        lambda value: set(value[:3]) == {0, 1, 2} and value[:3] == value[3:],
        "Sticky since 2.4, KIP-480: a batch is filled before the next partition gets one (chapter "
        "04).",
        "Were the six records sent without a pause, and not awaited one by one? Awaited, each "
        "is a batch of its own.",
    ),
    Claim(
        4,
        "A key stays in its partition for ever.",
        "how many of 60 keys live elsewhere when 5 partitions become 6",
        moved_keys,
        lambda value: value == 0,
        "The partition is a hash modulo their number (chapter 04).",
        "Did you compare the same keys, in two topics of 5 and 6 partitions? One key that moves "
        "is enough.",
    ),
    Claim(
        5,
        "By default a producer sends a record without waiting for more.",
        "milliseconds between send() and PRODUCE, default settings",
        waits_before_sending,
        lambda value: value <= 1,
        "linger.ms is 5 since 4.0, KIP-1030 (chapter 04).",
        "Was the connection there before? Otherwise you measured connecting too.",
    ),
    Claim(
        6,
        "By default the leader alone answers for a record.",
        "is a record acknowledged within a second while both followers sleep?",
        answered_while_followers_sleep,
        lambda value: value is True,
        "acks is all since 3.0, KIP-679 (chapter 05).",
        "Did both followers sleep, and was the connection there before you took the time?",
    ),
    Claim(
        7,
        "Idempotence is off unless one switches it on.",
        "INIT_PRODUCER_ID requests of a producer with default settings",
        producer_ids_asked,
        lambda value: value == 0,
        "On by default since 3.0, in effect since 3.0.1 and 3.2, KIP-679 and KAFKA-13598 (chapter "
        "06).",
        "Did you leave enable.idempotence and acks at their defaults, and send one record?",
    ),
    Claim(
        8,
        "With default settings five seconds without a broker lose the record.",
        "what the future says: written, or the error's name",
        lost_in_a_hiccup,
        lambda value: value != "written",
        "retries is a huge number since 2.1, and two minutes of delivery.timeout.ms end the trying "
        "(chapter 05).",
        "Is it the default delivery.timeout.ms, and did you wait until the future was done?",
    ),
    Claim(
        9,
        "When send() has returned, the record is safe.",
        "records in the log when the process is killed right after send(), linger.ms=50",
        there_after_send,
        lambda value: value == 1,
        "It is in the accumulator, in the memory of the process (chapter 05).",
        "Did you kill the process at once, before linger.ms was over? get() and flush() would "
        "wait.",
    ),
    Claim(
        10,
        "With acks=all and min.insync.replicas=2 no acknowledged record is lost when the leader's "
        "process dies.",
        "of 20 records, how many are acknowledged when the leader crashes, and how many of these "
        "are gone",
        lost_with_the_leader,
        lambda value: value["gone"] == 0,
        "Each of them was on a second replica that was in sync, and only such a replica may lead "
        "(chapter 05). A disk that loses its data is another case: lab.broker(0).power_loss().",
        "Can your reader and your producer still reach a broker? One address of a crashed "
        "broker finds nobody. Name another address in bootstrap.servers.",
    ),
    Claim(
        11,
        "With idempotence a record is in the log once.",
        "copies of a record that the program sends again after its restart",
        copies_after_a_restart,
        lambda value: value == 1,
        "A producer that starts again has a new producer id, and the broker cannot see that it is "
        "the same record (chapter 06).",
        "Did the second record come from a new KafkaProducer? The same one would remember its "
        "number.",
    ),
    Claim(
        12,
        "A new consumer connects at once.",
        "connections two seconds after the constructor and subscribe(), no poll",
        sockets_of_a_new_consumer,
        lambda value: value > 0,
        "poll() connects. Only with group.protocol=consumer, KIP-848, a thread does it (chapter "
        "03).",
        "Did you call poll, or choose group.protocol=consumer?",
    ),
    Claim(
        13,
        "What one group has read is gone for the others.",
        "records the second group gets of 10",
        left_for_the_second_group,
        lambda value: value == 0,
        "Reading moves a bookmark and removes nothing (chapter 01).",
        "Has the second group its own group.id, and auto.offset.reset=earliest?",
    ),
    Claim(
        14,
        "More members always read faster.",
        "how many of 5 members own something of 3 partitions",
        busy_members,
        lambda value: value == 5,
        "A partition has one owner in a group (chapter 01).",
        "Did you wait until the group was stable? Then count the members whose assignment() is "
        "not empty.",
    ),
    Claim(
        15,
        "A member cannot restart without a rebalance.",
        "generations that a restart adds, with a group.instance.id where the version has it",
        rebalances_of_a_restart,
        lambda value: value > 0,
        "From 2.3 a static member that is back within its session keeps what it had, KIP-345 "
        "(chapter 07). Without group.instance.id a restart adds two generations in every version.",
        "Did the member come back before its session was over, with the same group.instance.id?",
    ),
    Claim(
        16,
        "No member keeps a partition in a rebalance.",
        "of 4 partitions, how many the first member gives up when a second one comes, with the "
        "version's gentlest strategy",
        given_up_by_the_one_who_stays,
        lambda value: value == 4,
        "From 2.4 one may choose a cooperative strategy, KIP-429: only what another member gets is "
        "given up (chapter 07). With the default strategy the first member gives up all 4 in every "
        "version.",
        "Did you choose the cooperative strategy in both members, from 2.4 on, and count what "
        "the first one lost?",
    ),
    Claim(
        17,
        "A dead member is noticed after ten seconds.",
        "seconds until the group is empty, to the nearest five, default settings",
        seconds_until_a_crash_is_noticed,
        lambda value: value == 10,
        "session.timeout.ms is 45 seconds since 3.0, KIP-735 (chapter 08).",
        "Did you kill the member? close() would say LEAVE_GROUP. And is it the default "
        "session.timeout.ms?",
    ),
    Claim(
        18,
        "Slow work loses the partitions because heartbeats stop.",
        "the longest pause between heartbeats in seconds during slow work, and whether the member "
        "left the group",
        heartbeats_of_a_slow_one,
        lambda value: value["longest_pause_s"] > 10,
        "The heartbeats continued. max.poll.interval.ms is another clock, and the client itself "
        "leaves (chapter 10).",
        "Which clock ended it? Compare the longest pause between two HEARTBEAT with "
        "session.timeout.ms.",
    ),
    Claim(
        19,
        "Auto commit works in the background, whatever the program does.",
        "OFFSET_COMMIT requests in 30 seconds after one poll, default settings",
        commits_without_a_poll,
        lambda value: value > 0,
        "The classic consumer commits inside poll() (chapter 09).",
        "Did the program call poll or close in the thirty seconds? Each of them commits.",
    ),
    Claim(
        20,
        "What is committed is the last record read.",
        "the last offset read, and the committed one",
        committed_after_five,
        lambda value: value["committed"] == value["last_read"],
        "It is the next one to read (chapter 09).",
        "Did you commit after the last poll, and ask for the partition that you read?",
    ),
)
