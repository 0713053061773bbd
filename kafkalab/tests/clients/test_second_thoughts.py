"""Programs change their mind, ask about what they do not read, and make mistakes;
brokers are older than their clients."""

import warnings

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.errors import IllegalArgumentException, InvalidTopicException, SerializationException

every_version = pytest.mark.parametrize(
    "version", ["2.1", "2.2", "2.3", "2.8", "3.6", "3.9", "4.0", "4.4"]
)


def lab_of(version, **more):
    lab = Lab(seed=1, version=version, **more)
    lab.create_topic("t", 3)
    lab.create_topic("u", 2)
    return lab


def polled(consumer, times=2):
    for _ in range(times):
        consumer.poll(5_000)
    return [str(tp) for tp in consumer.assignment()]


@every_version
def test_other_topics_are_read_after_another_subscribe(version):
    consumer = KafkaConsumer(lab_of(version), {"group.id": "g"})
    consumer.subscribe(["t"])
    assert polled(consumer) == ["t-0", "t-1", "t-2"]
    consumer.subscribe(["u"])
    assert polled(consumer) == ["u-0", "u-1"]


@every_version
def test_a_topic_that_comes_later_is_read(version):
    lab = lab_of(version, broker_config={"auto.create.topics.enable": False})
    consumer = KafkaConsumer(lab, {"group.id": "g"})
    consumer.subscribe(["later"])
    assert polled(consumer) == []
    lab.create_topic("later", 2)
    assert polled(consumer) == ["later-0", "later-1"]


@every_version
def test_the_leader_watches_topics_only_others_read(version):
    lab = lab_of(version)
    readers = {topic: KafkaConsumer(lab, {"group.id": "g"}) for topic in ("t", "u")}
    for topic, reader in readers.items():
        reader.subscribe([topic])
    for _ in range(8):
        for reader in readers.values():
            reader.poll(1_000)
    assert {
        topic: [str(tp) for tp in reader.assignment()] for topic, reader in readers.items()
    } == {"t": ["t-0", "t-1", "t-2"], "u": ["u-0", "u-1"]}


@every_version
def test_the_end_of_a_topic_nobody_reads_can_be_asked_for(version):
    lab = lab_of(version)
    KafkaProducer(lab).send(ProducerRecord("u", "one", partition=1)).get()
    consumer = KafkaConsumer(lab)
    assert consumer.end_offsets([TopicPartition("u", 0), TopicPartition("u", 1)]) == {
        TopicPartition("u", 0): 0,
        TopicPartition("u", 1): 1,
    }
    assert lab.now_ms < 2_000


def test_an_unknown_topic_has_no_partitions_and_nobody_waits_for_them():
    lab = lab_of("3.9", broker_config={"auto.create.topics.enable": False})
    assert KafkaConsumer(lab).partitions_for("nope") == []
    assert lab.now_ms < 2_000


def test_the_sender_outlives_a_callback_that_raises():
    producer = KafkaProducer(lab_of("3.9"))
    with pytest.warns(UserWarning, match="ZeroDivisionError"):
        producer.send(ProducerRecord("t", "one", partition=0), lambda metadata, error: 1 / 0).get()
    assert producer.send(ProducerRecord("t", "two", partition=0)).get().offset == 1


def test_topics_that_cannot_be_called_so_are_refused_at_once():
    lab = lab_of("3.9")
    with warnings.catch_warnings(action="error"), pytest.raises(InvalidTopicException, match="a b"):
        KafkaProducer(lab).send(ProducerRecord("a b", "x")).get()
    consumer = KafkaConsumer(lab, {"group.id": "g"})
    consumer.subscribe(["a b"])
    with pytest.raises(InvalidTopicException, match="a b"):
        consumer.poll(3_000)
    assert lab.now_ms < 2_000


def test_records_are_text_on_a_partition_that_can_be():
    lab = lab_of("3.9")
    producer = KafkaProducer(lab)
    with pytest.raises(SerializationException, match="give b'tea' as text, 'tea'"):
        producer.send(ProducerRecord("t", value=b"tea"))
    with pytest.raises(SerializationException, match="'42'"):
        producer.send(ProducerRecord("t", 42))
    with pytest.raises(IllegalArgumentException, match="Invalid partition: -1"):
        ProducerRecord("t", "x", partition=-1)


@every_version
def test_any_client_talks_to_an_old_broker(version):
    """KIP-511: a question in a version the broker has not is asked again; a broker before 2.4
    does not say which it has, so in version 0."""
    lab = lab_of(version, broker_version="2.3")
    consumer = KafkaConsumer(lab, {"group.id": "g"})
    consumer.subscribe(["t"])
    assert polled(consumer) == ["t-0", "t-1", "t-2"]
    asked = [
        e.version
        for e in lab.journal.of("request.sent")
        if e.api == "API_VERSIONS" and e.node_id == "-1"
    ]
    assert asked == (
        [2] if version in ("2.1", "2.2", "2.3") else [consumer.profile.api_versions_version, 0]
    )


def test_a_chain_goes_through_the_wire_and_the_broker():
    lab = lab_of("3.9")
    consumer = KafkaConsumer(lab, {"group.id": "g"})
    consumer.subscribe(["t"])
    consumer.poll(5_000)
    answer = next(e for e in lab.journal.of("response.received") if e.api == "METADATA")
    assert [e.kind for e in lab.why(answer)] == [
        "call",
        "socket.opening",
        "socket.connected",
        "request.sent",
        "request.received",
        "response.sent",
        "response.received",
        "request.sent",
        "request.received",
        "response.sent",
        "response.received",
    ]
