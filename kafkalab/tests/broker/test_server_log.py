"""Stories of a broker's server.log: what it says of each step, in the words of its release."""

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord
from kafkalab.errors import IllegalArgumentException


def a_lab(release, **how):
    lab = Lab(brokers=3, seed=5, version=release, broker_version=release, **how)
    lab.create_topic("orders", partitions=2, replication_factor=3)
    lab.place_coordinator("shop", 0)
    return lab


def member(lab, name, until_ms, start_ms=0):
    lab.sleep(start_ms)
    config = {"group.id": "shop", "client.id": name, "session.timeout.ms": 6_000}
    consumer = KafkaConsumer(lab, config, name=name)
    consumer.subscribe(["orders"])
    while lab.now_ms < until_ms:
        consumer.poll(timeout_ms=300)
    consumer.close()


def kinds(lab, broker):
    return list(lab.broker_lines(broker)["event"])


@pytest.mark.parametrize("release", ["2.3", "4.4"])
def test_a_member_comes_fails_and_the_group_is_empty(release):
    lab = a_lab(release)
    lab.spawn(member, "steady", 30_000, name="steady")
    lab.spawn(member, "lost", 90_000, 6_000, name="lost")
    lab.run_for(ms=12_000)
    lab.kill("lost")
    lab.run_for(ms=30_000)
    lab.close()
    told = [kind for kind in kinds(lab, 0) if kind not in ("GROUP_MEMBER_ID_GIVEN",)]
    told = [kind for kind in told if kind != "GROUP_PENDING_MEMBER_JOINS"]
    round_of = ["GROUP_PREPARING_REBALANCE", "GROUP_STABILIZED", "GROUP_ASSIGNMENT_RECEIVED"]
    assert told == [
        *round_of,
        *round_of,
        "GROUP_MEMBER_FAILED",
        *round_of,
        "GROUP_MEMBER_LEFT",
        "GROUP_PREPARING_REBALANCE",
        "GROUP_EMPTY",
    ]
    assert kinds(lab, 1) == kinds(lab, 2) == []


def test_the_words_are_the_releases():
    said = {}
    for release in ("2.3", "4.4"):
        lab = a_lab(release)
        lab.spawn(member, "inv", 5_000, name="inv")
        lab.run_for(ms=9_000)
        said[release] = lab.broker_lines(0).query("event == 'GROUP_STABILIZED'").iloc[0]
    assert said["2.3"].message == (
        "[GroupCoordinator 0]: Stabilized group shop generation 1 (__consumer_offsets-12)"
    )
    assert said["2.3"].text.endswith(" (kafka.coordinator.group.GroupCoordinator)\n")
    assert said["4.4"].message == (
        "[GroupCoordinator id=0 topic=__consumer_offsets partition=12] Stabilized group shop "
        "generation 1 with 1 members."
    )
    assert said["4.4"].text.startswith("[2026-01-05 09:00:03,")


def test_a_fenced_producers_heir_is_named_with_its_epoch():
    lab = a_lab("4.4")
    lab.place_transaction_coordinator("till", 2)
    for name in ("zombie", "heir"):
        config = {"transactional.id": "till", "client.id": name}
        producer = KafkaProducer(lab, config, name=name)
        producer.init_transactions()
        producer.begin_transaction()
        producer.send(ProducerRecord("orders", value="1"))
        lab.run_for(ms=500)
    named = lab.broker_lines(2).query("event == 'TRANSACTIONAL_ID_INITIALIZED'")
    epochs = [int(text.split("epoch ")[1].split()[0]) for text in named.message]
    assert len(epochs) == 2 and epochs[0] < epochs[1]


@pytest.mark.parametrize(
    ("release", "kind"), [("2.3", "LOG_SEGMENT_SCHEDULED"), ("4.4", "LOG_SEGMENT_DELETED_BY_TIME")]
)
def test_segments_are_rolled_and_deleted_with_their_limit(release, kind):
    lab = a_lab(release, broker_config={"log.retention.check.interval.ms": 2_000})
    limits = {"segment.bytes": 1_048_576, "retention.ms": 20_000}
    lab.create_topic("big", leaders=[1], config=limits)
    producer = KafkaProducer(lab, {"linger.ms": 0}, name="till")
    for _ in range(5):
        producer.send(ProducerRecord("big", value="x" * 400_000))
        lab.run_for(ms=500)
    lab.run_for(ms=60_000)
    told = kinds(lab, 1)
    rolled = lab.table("log.rolled")
    assert told.count("LOG_ROLLED") == len(rolled) > 0
    deleted = sum(len(names) for names in lab.table("log.deleted").segments)
    assert told.count(kind) == deleted > 0
    assert lab.broker_lines(1).query(f"event == '{kind}'").message.str.contains("big-0").all()


def test_lines_names_a_client_or_a_broker():
    lab = a_lab("4.4")
    assert lab.lines(broker=1).equals(lab.broker_lines(1))
    with pytest.raises(IllegalArgumentException, match="not both"):
        lab.lines("shop", broker=1)
    with pytest.raises(IllegalArgumentException, match="there is no broker 7"):
        lab.broker_lines(7)


def test_a_line_points_at_the_request_that_caused_it():
    lab = a_lab("4.4")
    lab.spawn(member, "inv", 5_000, name="inv")
    lab.run_for(ms=9_000)
    first = lab.broker_lines(0).iloc[0]
    assert first.event == "GROUP_MEMBER_ID_GIVEN"
    assert lab.journal.events[int(first.cause)].api == "JOIN_GROUP"
    assert lab.why(int(first.cause))


def a_slow_follower(release):
    """Broker 1 stands still for longer than the lag limit, and copies again afterwards."""
    lab = a_lab(release, broker_config={"replica.lag.time.max.ms": 2_000})
    producer = KafkaProducer(lab, {"acks": "1", "linger.ms": 0}, name="till")
    producer.send(ProducerRecord("orders", partition=0, value="tea"))
    lab.run_for(ms=1_000)
    lab.broker(1).pause(4_500)
    for _ in range(16):
        producer.send(ProducerRecord("orders", partition=0, value="tea"))
        lab.run_for(ms=500)
    return lab


@pytest.mark.parametrize(("release", "joined"), [("2.3", "ISR_EXPANDS"), ("4.4", "ISR_UPDATED")])
def test_a_follower_leaves_the_isr_and_comes_back(release, joined):
    lab = a_slow_follower(release)
    told = lab.broker_lines(0)
    (shrinks,) = told.query("event == 'ISR_SHRINKS'").message
    assert shrinks.startswith("[Partition orders-0 broker=0] Shrinking ISR from 0,1,2 to 0,2. ")
    assert "Out of sync replicas: (brokerId: 1, endOffset: " in shrinks
    last = told[told.event == joined].message.iloc[-1]
    assert ("to 0,2,1" if release == "2.3" else "ISR updated to 0,2,1 ") in last
    changes = [event.isr for event in lab.journal.of("isr")]
    assert [sorted(isr) for isr in changes] == [[0, 2], [0, 1, 2]]


def test_a_zookeeper_controller_says_who_is_gone_and_the_heir_where_it_leads():
    lab = a_lab("2.3")
    producer = KafkaProducer(lab, {"linger.ms": 0}, name="till")
    for partition in (0, 1):
        producer.send(ProducerRecord("orders", partition=partition, value="tea"))
    lab.run_for(ms=1_000)
    controller = lab.cluster.controller_id
    victim = next(id for id in (0, 1) if id != controller)
    lab.broker(victim).crash()
    lab.run_for(ms=10_000)
    said = [text for text in lab.broker_lines(controller).message if "Controller id" in text]
    live = ",".join(str(id) for id in range(3) if id != victim)
    assert said == [
        f"[Controller id={controller}] Newly added brokers: , deleted brokers: {victim}, bounced "
        f"brokers: , all live brokers: {live}",
        f"[Controller id={controller}] Broker failure callback for {victim}",
    ]
    partition = victim  # `orders` is led by brokers 0 and 1 in turn
    heir = lab.leader("orders", partition)
    led = lab.broker_lines(heir).query("event == 'PARTITION_LEADS'").message
    assert (
        f"[Partition orders-{partition} broker={heir}] orders-{partition} starts at Leader Epoch 1 "
        "from offset 1. Previous Leader Epoch was: 0"
    ) in list(led)


def test_a_kraft_broker_says_every_role_and_its_return():
    lab = a_lab("4.4")
    producer = KafkaProducer(lab, {"linger.ms": 0}, name="till")
    producer.send(ProducerRecord("orders", partition=0, value="tea"))
    lab.run_for(ms=1_000)
    lab.broker(0).crash()
    lab.run_for(ms=15_000)
    heir = lab.leader("orders", 0)
    told = lab.broker_lines(heir).query("event == 'PARTITION_LEADS'").message
    (leads,) = told[told.str.contains("orders-0")]
    assert "Leader orders-0 with topic id Some(" in leads
    assert "starts at leader epoch 1 from offset 1 with partition epoch 1, " in leads
    assert leads.endswith("Previous leader Some(0) and previous leader epoch was 0.")
    lab.broker(0).restart()
    lab.run_for(ms=10_000)
    back = kinds(lab, 0)
    assert back.index("PARTITION_FOLLOWS") < back.index("BROKER_UNFENCED")


def test_an_old_broker_says_why_it_refuses_a_fenced_producer():
    lab = a_lab("2.3")
    zombie, heir = (
        KafkaProducer(lab, {"transactional.id": "till", "client.id": name}, name=name)
        for name in ("zombie", "heir")
    )
    zombie.init_transactions()
    zombie.begin_transaction()
    zombie.send(ProducerRecord("orders", partition=0, value="1"))
    lab.run_for(ms=500)
    heir.init_transactions()
    zombie.send(ProducerRecord("orders", partition=0, value="2"))
    lab.run_for(ms=500)
    (line,) = lab.broker_lines(0).query("event == 'APPEND_FAILED'").text
    assert line.endswith(
        "] ERROR [ReplicaManager broker=0] Error processing append operation on partition orders-0 "
        "(kafka.server.ReplicaManager)\n"
        "org.apache.kafka.common.errors.ProducerFencedException: Producer's epoch at offset 2 is "
        "no longer valid in partition orders-0: 0 (request epoch), 1 (current epoch)\n"
    )
