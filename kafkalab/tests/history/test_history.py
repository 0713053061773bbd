"""Time travel: the state folded from the journal is the state of the machines,
at every moment one cares to ask about."""

import json

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.protocol.consumer_protocol import parse_assignment


def of_the_machines(lab, clients):
    """What the machines themselves would say now: the same shape,
    asked of the objects instead of the journal."""
    partitions, groups = {}, {}
    for topic in lab.cluster.topics.values():
        for place in topic.partitions:
            found = {
                "leader": place.leader,
                "leader_epoch": place.leader_epoch,
                "replicas": list(place.replicas),
                "isr": list(place.isr),
            }
            replica = lab.broker(place.leader).machine.replicas._replicas.get(
                (topic.name, place.index)
            )
            log = replica.log if replica else None
            for name in (
                "log_start_offset",
                "log_end_offset",
                "high_watermark",
                "last_stable_offset",
            ):
                found[name] = getattr(log, name) if log else 0
            partitions[f"{topic.name}-{place.index}"] = found
    for id in lab.cluster.brokers:
        for group in lab.broker(id).machine.coordinator.classic.groups.values():
            groups[group.id] = {
                "coordinator": id,
                "state": group.state.value,
                "generation": group.generation,
                "protocol": group.protocol,
                "leader": group.leader,
                "members": {
                    m.id: sorted(
                        f"{t}-{n}" for t, ns in parse_assignment(m.assignment).items() for n in ns
                    )
                    for m in group.members.values()
                },
                "offsets": {
                    f"{topic}-{index}": kept.offset
                    for (topic, index), kept in group.offsets.items()
                },
            }
    consumers = {}
    for client in clients:
        entry = {"open": sorted(client._client.selector.channels)}
        if isinstance(client, KafkaConsumer):
            states = client._subscriptions.partitions
            entry["positions"] = {
                str(tp): state.position.offset if state.position else None
                for tp, state in sorted(states.items())
            }
            entry["paused"] = [str(tp) for tp, state in sorted(states.items()) if state.paused]
        consumers[client.name] = entry
    return {"partitions": partitions, "groups": groups, "clients": consumers}


def told(state):
    """The same of a folded state."""
    ends = (
        "leader",
        "leader_epoch",
        "replicas",
        "isr",
        "log_start_offset",
        "log_end_offset",
        "high_watermark",
        "last_stable_offset",
    )
    clients = {}
    for name, client in state["clients"].items():
        clients[name] = {
            "open": sorted(
                socket["node_id"] for socket in client["sockets"].values() if socket["connected"]
            )
        }
        if client["kind"] == "consumer":
            clients[name] |= {"positions": client["positions"], "paused": sorted(client["paused"])}
    return {
        "partitions": {
            tp: {name: one[name] for name in ends} for tp, one in state["partitions"].items()
        },
        "groups": {
            id: {
                "coordinator": g["coordinator"],
                "state": g["state"],
                "generation": g["generation"],
                "protocol": g["protocol"],
                "leader": g["leader"],
                "members": {m: one["assignment"] for m, one in g["members"].items()},
                "offsets": {tp: kept["offset"] for tp, kept in g["offsets"].items()},
            }
            for id, g in state["groups"].items()
        },
        "clients": clients,
    }


def story(version, broker_version, seed):
    """Two members, one of which comes later and goes again; records, commits, a pause, a seek.
    Yields the lab after each act."""
    lab = Lab(brokers=3, seed=seed, version=version, broker_version=broker_version)
    lab.create_topic("t4", partitions=4)
    producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
    first = KafkaConsumer(
        lab,
        {"group.id": "test", "auto.offset.reset": "earliest", "enable.auto.commit": False},
        name="first",
    )
    clients = [producer, first]
    for n in range(12):
        producer.send(ProducerRecord("t4", key=f"k{n}", value="v"))
    producer.flush()
    yield lab, clients
    first.subscribe(["t4"])
    for _ in range(5):
        first.poll(1_000)
    first.commit_sync()
    yield lab, clients
    second = KafkaConsumer(lab, {"group.id": "test", "session.timeout.ms": 6_000}, name="second")
    clients.append(second)
    second.subscribe(["t4"])
    app = lab.spawn(lambda lab: [second.poll(500) for _ in range(20)], name="second")
    for _ in range(20):
        first.poll(500)
        yield lab, clients
    lab.run_until(lambda: app.done)
    first.pause(first.assignment()[:1])
    first.seek(first.assignment()[0], 1)
    yield lab, clients
    second.close()
    clients.remove(second)
    for _ in range(8):
        first.poll(1_000)
    yield lab, [*clients]
    first.unsubscribe()
    producer.close()
    clients.remove(producer)
    yield lab, clients


@pytest.mark.parametrize(
    ("version", "broker_version"), [("2.1", "2.3"), ("2.8", "4.4"), ("4.4", "4.4")]
)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_state_read_from_the_journal_is_the_state_of_the_machines(
    version, broker_version, seed
):
    for lab, clients in story(version, broker_version, seed):
        now = told(lab.at(lab.now_ms))
        machines = of_the_machines(lab, clients)
        names = {client.name for client in clients}
        assert now["partitions"] == machines["partitions"]
        assert now["groups"] == machines["groups"]
        assert {
            name: client for name, client in now["clients"].items() if name in names
        } == machines["clients"]


def test_a_moment_looks_the_same_then_and_later():
    """What was the last millisecond once is long past now;
    and going back and forth changes nothing."""
    moments = {
        lab.now_ms - 1: lab.at(lab.now_ms - 1) for lab, _ in story("3.9", "4.4", 3) if lab.now_ms
    }
    *_, (lab, _) = story("3.9", "4.4", 3)
    for ms in sorted(moments, reverse=True):
        assert lab.at(ms) == moments[ms], ms
    for ms in sorted(moments):
        assert lab.at(ms) == moments[ms], ms


def test_the_state_is_plain_data_and_a_copy():
    *_, (lab, _) = story("3.9", "4.4", 3)
    state = lab.at(lab.now_ms)
    json.dumps(state)
    state["groups"].clear()
    assert lab.at(lab.now_ms)["groups"]


def test_nothing_was_there_before_anything_happened():
    lab = Lab(brokers=2)
    lab.run_for(100)
    lab.create_topic("orders", partitions=2)
    assert lab.at(99)["topics"] == {} and lab.at(100)["topics"]["orders"]["partitions"] == 2
    assert lab.at(0)["brokers"][1] == {"address": "localhost:9093", "alive": True}
    with pytest.raises(ValueError, match="whole number of milliseconds"):
        lab.at(-1)


def test_a_broker_that_dies_and_comes_back_brings_its_groups_along():
    lab = Lab(brokers=1, seed=5, version="3.9")
    lab.create_topic("t4", partitions=2)
    consumer = KafkaConsumer(lab, {"group.id": "g"}, name="c")
    consumer.subscribe(["t4"])
    consumer.poll(5_000)
    consumer.commit_sync()
    before = lab.at(lab.now_ms)
    lab.broker(0).crash()
    assert lab.at(lab.now_ms)["brokers"][0]["alive"] is False
    lab.broker(0).restart()
    assert lab.run_until(lambda: lab.broker(0).is_up)
    lab.run_for(1_000)
    after = lab.at(lab.now_ms)
    assert after["brokers"][0]["alive"] is True
    assert after["groups"] == before["groups"]
    assert of_the_machines(lab, [])["groups"] == told(after)["groups"]


def test_requests_without_an_answer_are_in_flight():
    lab = Lab(brokers=1, seed=5, version="3.9")
    lab.create_topic("t4")
    consumer = KafkaConsumer(lab, {}, name="c")
    consumer.assign([TopicPartition("t4", 0)])
    consumer.poll(1_000)
    waiting = [request["api"] for request in lab.at(lab.now_ms)["clients"]["c"]["in_flight"]]
    assert waiting == ["FETCH"] and consumer._client.in_flight_count() == 1


def test_every_copy_of_a_log_is_told_as_it_is_on_its_broker():
    lab = Lab(brokers=3, seed=7)
    lab.create_topic("orders", partitions=1, replication_factor=3)
    producer = KafkaProducer(lab, {"acks": "all", "bootstrap.servers": "localhost:9093"})
    leader = lab.leader("orders", 0)
    producer.send(ProducerRecord("orders", value="tea")).get()
    lab.broker(leader).crash()
    producer.send(ProducerRecord("orders", value="milk")).get()
    lab.broker(leader).restart()
    lab.run_for(ms=20_000)
    copies = lab.at(lab.now_ms)["partitions"]["orders-0"]["logs"]
    for id in lab.cluster.brokers:
        log = next(
            replica.log
            for replica in lab.broker(id).machine.replicas.all
            if replica.log.topic == "orders"
        )
        assert (
            (copies[id]["log_end_offset"], copies[id]["high_watermark"])
            == (log.log_end_offset, log.high_watermark)
            == (2, 2)
        )
