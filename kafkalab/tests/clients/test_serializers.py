"""Records as bytes: what serializers make, what deserializers cannot read, and what poll() then
does. The recordings say what the real clients did with the same program."""

import json
from pathlib import Path

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.errors import (
    ConfigException,
    RecordDeserializationException,
    SerializationException,
)

RECORDINGS = Path(__file__).parents[3] / "data" / "recordings" / "4.4.0"
PRICES = TopicPartition("prices", 0)
JAVA = "org.apache.kafka.common.serialization."
VERSIONS = ("2.1", "2.3", "2.8", "3.6", "3.9", "4.0", "4.4")


def lab_with(values, version="3.9", partitions=2, **settings):
    """A topic with these values in partition 0, and one value in partition 1."""
    lab = Lab(brokers=2, seed=1, version=version)
    lab.create_topic("prices", partitions=partitions)
    producer = KafkaProducer(lab, {"linger.ms": 0, **settings})
    for value in values:
        producer.send(ProducerRecord("prices", value, key="k", partition=0)).get()
    return lab


def reader_of(lab, deserializer, **settings):
    config = {"group.id": "g", "auto.offset.reset": "earliest", "value.deserializer": deserializer}
    consumer = KafkaConsumer(lab, {**config, **settings})
    consumer.subscribe(["prices"])
    return consumer


def polled(consumer, times=12):
    """Values of some polls; the first error ends them."""
    got = []
    for _ in range(times):
        try:
            got += [record.value for record in consumer.poll(500)]
        except SerializationException as error:
            return got, error
    return got, None


@pytest.mark.parametrize("version", VERSIONS)
def test_the_records_before_it_are_returned_and_then_each_poll_raises(version):
    lab = lab_with(["7", "8", "x", "10"], version)
    consumer = reader_of(lab, int)
    got, error = polled(consumer)
    assert got == [7, 8]
    assert "partition prices-0 at offset 2. If needed, please seek past" in str(error)
    for _ in range(3):
        with pytest.raises(SerializationException):
            consumer.poll(500)
    assert consumer.position(PRICES) == 2
    consumer.seek(PRICES, 3)
    assert polled(consumer) == ([10], None)


def test_what_the_error_tells_is_the_releases():
    told = {}
    for version in VERSIONS:
        _, error = polled(reader_of(lab_with(["x"], version), int))
        told[version] = (type(error).__name__, sorted(vars(error)))
    old, place = "SerializationException", ["offset", "topic_partition"]
    new = "RecordDeserializationException"
    everything = sorted([*place, "origin", "key_buffer", "value_buffer", "timestamp_ms"])
    assert told["2.1"] == told["2.3"] == told["2.8"] == (old, [])
    assert told["3.6"] == (new, place)
    assert told["3.9"] == told["4.0"] == told["4.4"] == (new, everything)


def test_the_bytes_of_the_record_and_what_failed():
    lab = lab_with(["x"])
    _, error = polled(reader_of(lab, str, **{"key.deserializer": int}))
    assert isinstance(error, RecordDeserializationException)
    assert (error.origin, error.key_buffer, error.value_buffer) == ("KEY", b"k", b"x")
    assert isinstance(error.__cause__, ValueError)


def test_an_attribute_that_the_release_has_not_is_named():
    _, error = polled(reader_of(lab_with(["x"], "2.8"), int))
    with pytest.raises(AttributeError, match=r"'offset': .* from 3.0 \(KIP-334\)"):
        error.offset
    _, error = polled(reader_of(lab_with(["x"], "3.6"), int))
    with pytest.raises(AttributeError, match=r"'value_buffer': .* from 3.8 \(KIP-1036\)"):
        error.value_buffer


def test_the_other_partition_has_no_turn_until_the_reader_seeks():
    lab = lab_with(["x"])
    consumer = reader_of(lab, int)
    polled(consumer)
    other = KafkaProducer(lab)
    other.send(ProducerRecord("prices", "1", partition=1)).get()
    for _ in range(20):
        with pytest.raises(SerializationException):
            consumer.poll(500)
    consumer.pause([PRICES])
    assert polled(consumer) == ([1], None)


def test_a_loop_that_only_catches_does_not_stop_time():
    lab = lab_with(["x"])
    consumer = reader_of(lab, int)
    polled(consumer)
    began_ms = lab.now_ms
    for _ in range(100):
        with pytest.raises(SerializationException):
            consumer.poll(500)
    assert lab.now_ms == began_ms + 100


@pytest.mark.parametrize(
    ("kind", "value", "size"),
    [("Integer", 7, 4), ("Long", 7, 8), ("Double", 1.5, 8), ("ByteArray", b"\xff\x00", 2)],
)
def test_kafkas_own_classes(kind, value, size):
    lab = lab_with([value], **{"value.serializer": f"{JAVA}{kind}Serializer"})
    consumer = reader_of(lab, f"{JAVA}{kind}Deserializer")
    assert polled(consumer) == ([value], None)
    raw = reader_of(lab, bytes, **{"group.id": "raw"})
    assert len(polled(raw)[0][0]) == size


def test_a_string_deserializer_reads_all_bytes():
    lab = lab_with([b"caf\xe9"], **{"value.serializer": bytes})
    assert polled(reader_of(lab, f"{JAVA}StringDeserializer")) == (
        ["caf\N{REPLACEMENT CHARACTER}"],
        None,
    )


def test_integer_deserializer_wants_four_bytes():
    _, error = polled(reader_of(lab_with(["five5"]), f"{JAVA}IntegerDeserializer"))
    assert str(error.__cause__) == "Size of data received by IntegerDeserializer is not 4"


def test_a_null_is_not_given_to_a_function():
    assert polled(reader_of(lab_with([None]), int)) == ([None], None)


def test_a_serializer_returns_bytes_and_kafkas_take_their_type():
    with pytest.raises(SerializationException, match="a serializer returns bytes"):
        lab_with(["x"], **{"value.serializer": str})
    with pytest.raises(SerializationException, match="Can't convert value of class str"):
        lab_with(["x"], **{"value.serializer": f"{JAVA}LongSerializer"})
    with pytest.raises(ZeroDivisionError):
        lab_with(["x"], **{"value.serializer": lambda value: 1 / 0})


def test_a_long_value_of_another_type_is_refused_with_advice_and_without_the_value():
    with pytest.raises(SerializationException, match="give a text, not bytes$") as refused:
        lab_with([b"x" * 500])
    assert len(str(refused.value)) < 300


def test_other_settings_are_refused_with_a_sentence():
    lab = lab_with([])
    for given in (f"{JAVA}VoidDeserializer", 7):
        with pytest.raises(ConfigException, match="give a Python function that takes bytes"):
            reader_of(lab, given)


@pytest.mark.parametrize("version", ["2.3.0", "3.9.2", "4.4.0"])
def test_the_real_polls_raised_the_same(version):
    """The program of the recording, step by step, and what each step of the real client gave."""
    scenario = json.loads((RECORDINGS / version / "consumer_poison_pill/scenario.json").read_text())
    sent = [e for e in scenario["events"] if e["do"] == "send"]
    lab = Lab(brokers=2, seed=1, version=version[:3])
    lab.create_topic("prices", partitions=2, leaders=[0, 1])
    producer = KafkaProducer(lab)
    for event in sent:
        tp = event["to_partition"]
        producer.send(
            ProducerRecord("prices", event["value"], key=event["key"], partition=tp)
        ).get()
    consumer = reader_of(lab, f"{JAVA}IntegerDeserializer", **{"enable.auto.commit": False})
    _, error = polled(consumer)
    raised = [e["error"] for e in scenario["events"] if e["do"] == "poll" and "error" in e]
    assert len(raised) == 5
    for real in raised:
        assert real == {"class": error.java_name, "message": str(error)}
        with pytest.raises(type(error), match="at offset 2"):
            consumer.poll(300)
    consumer.seek(PRICES, 3)
    assert polled(consumer)[1] is None
    real = [e["result"] for e in scenario["events"] if e["do"] == "position"][-2:]
    assert [consumer.position(TopicPartition("prices", p)) for p in (0, 1)] == real


@pytest.mark.parametrize("version", VERSIONS)
def test_every_client_can_seek_to_the_end(version):
    lab = lab_with(["1", "2", "3"], version)
    consumer = reader_of(lab, int)
    polled(consumer)
    consumer.seek_to_end([PRICES])
    assert consumer.position(PRICES) == 3
    told = "Seeking to end of partition prices-0" in "".join(lab.lines().message)
    assert told == (version == "2.1")
