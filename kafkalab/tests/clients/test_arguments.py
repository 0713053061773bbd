"""What Java's compiler would have refused is refused in a sentence with an example,
before anything is sent."""

import re

import pytest

from kafkalab import (
    KafkaAdminClient,
    KafkaConsumer,
    KafkaProducer,
    Lab,
    ProducerRecord,
    TopicPartition,
)
from kafkalab.errors import IllegalArgumentException, IllegalStateException, InvalidGroupIdException

PLACE = TopicPartition("t", 0)
WRONG = {
    "commit_sync": lambda lab: reader(lab).commit_sync({PLACE: 5}),
    "commit_async": lambda lab: reader(lab).commit_async({"t-0": 5}),
    "seek": lambda lab: reader(lab).seek(PLACE, "3"),
    "committed": lambda lab: reader(lab).committed(["t-0"]),
    "end_offsets": lambda lab: reader(lab).end_offsets("t-0"),
    "offsets_for_times": lambda lab: reader(lab).offsets_for_times({PLACE: "now"}),
    "create_topics": lambda lab: KafkaAdminClient(lab, {}).create_topics(["t2"]),
    "create_partitions": lambda lab: KafkaAdminClient(lab, {}).create_partitions({"t": 3}),
    "alter_consumer_group_offsets": lambda lab: KafkaAdminClient(
        lab, {}
    ).alter_consumer_group_offsets("g", {PLACE: 5}),
    "list_offsets": lambda lab: KafkaAdminClient(lab, {}).list_offsets([PLACE]),
    "delete_records": lambda lab: KafkaAdminClient(lab, {}).delete_records({PLACE: 5}),
    "describe_configs": lambda lab: KafkaAdminClient(lab, {}).describe_configs(["t"]),
    "callback": lambda lab: KafkaProducer(lab, {}).send(ProducerRecord("t", value="tea"), "me"),
}


def reader(lab) -> KafkaConsumer:
    consumer = KafkaConsumer(lab, {"group.id": "g"})
    consumer.assign([PLACE])
    return consumer


@pytest.mark.parametrize("call", WRONG)
def test_a_wrong_type_gets_a_sentence(call):
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("t")
    with pytest.raises(IllegalArgumentException, match=call):
        WRONG[call](lab)
    assert not list(lab.journal.of("request.sent"))


REFUSED = {
    "subscribe to one name": lambda consumer: consumer.subscribe("t"),
    "subscribe to an empty name": lambda consumer: consumer.subscribe(["t", " "]),
    "subscribe to an empty pattern": lambda consumer: consumer.subscribe(re.compile("")),
    "assign a name": lambda consumer: consumer.assign(["t-0"]),
    "assign no topic": lambda consumer: consumer.assign([TopicPartition("", 0)]),
    "pause a name": lambda consumer: consumer.pause(["t-0"]),
    "resume a name": lambda consumer: consumer.resume(["t-0"]),
    "seek to a text": lambda consumer: consumer.seek(PLACE, "3"),
    "seek below zero": lambda consumer: consumer.seek(PLACE, -1),
    "poll for less than nothing": lambda consumer: consumer.poll(timeout_ms=-1),
    "poll for a text": lambda consumer: consumer.poll(timeout_ms="1"),
    "commit a number": lambda consumer: consumer.commit_sync({PLACE: 5}),
    "commit a number later": lambda consumer: consumer.commit_async({PLACE: 5}),
    "committed of a name": lambda consumer: consumer.committed(["t-0"]),
    "beginning of a name": lambda consumer: consumer.beginning_offsets("t-0"),
    "end of a name": lambda consumer: consumer.end_offsets("t-0"),
    "offset at a text": lambda consumer: consumer.offsets_for_times({PLACE: "now"}),
    "offset before time": lambda consumer: consumer.offsets_for_times({PLACE: -1}),
    "close in less than nothing": lambda consumer: consumer.close(timeout_ms=-1),
    "close in a text": lambda consumer: consumer.close(timeout_ms="1"),
}
UNREAD = TopicPartition("u", 0)
NOT_NOW = {
    "poll without a subscription": lambda consumer: consumer.poll(timeout_ms=0),
    "pause what is not read": lambda consumer: consumer.pause([UNREAD]),
    "resume what is not read": lambda consumer: consumer.resume([UNREAD]),
    "seek in what is not read": lambda consumer: consumer.seek(UNREAD, 3),
    "position in what is not read": lambda consumer: consumer.position(UNREAD),
    "lag of what is not read": lambda consumer: consumer.current_lag(UNREAD),
    "subscribe after assign": lambda consumer: (
        consumer.assign([PLACE]),
        consumer.subscribe(["t"]),
    ),
    "assign after subscribe": lambda consumer: (
        consumer.subscribe(["t"]),
        consumer.assign([PLACE]),
    ),
    "poll after close": lambda consumer: (consumer.close(), consumer.poll(timeout_ms=0)),
}
ALONE = {
    "subscribe": lambda consumer: consumer.subscribe(["t"]),
    "commit_sync": lambda consumer: consumer.commit_sync(),
    "commit_async": lambda consumer: consumer.commit_async(),
    "committed": lambda consumer: consumer.committed([PLACE]),
    "group_metadata": lambda consumer: consumer.group_metadata(),
}
BOTH = pytest.mark.parametrize("protocol", ["classic", "consumer"])


def sentence(protocol, call, error, **config) -> str:
    """What a consumer of this protocol says to a wrong call."""
    lab = Lab(brokers=1, seed=1, version="4.4")
    lab.create_topic("t")
    consumer = KafkaConsumer(lab, {"group.protocol": protocol, **config})
    with pytest.raises(error) as refused:
        call(consumer)
    return str(refused.value)


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_both_protocols_refuse_a_wrong_argument_alike(call):
    said = {
        sentence(protocol, call, IllegalArgumentException, **{"group.id": "g"})
        for protocol in ("classic", "consumer")
    }
    assert len(said) == 1


@pytest.mark.parametrize("call", NOT_NOW.values(), ids=NOT_NOW)
def test_both_protocols_refuse_alike_what_cannot_be_done_now(call):
    said = {
        sentence(protocol, call, IllegalStateException, **{"group.id": "g"})
        for protocol in ("classic", "consumer")
    }
    assert len(said) == 1


@BOTH
@pytest.mark.parametrize("call", ALONE)
def test_a_consumer_without_a_group_has_no_group_calls(protocol, call):
    assert "group.id" in sentence(protocol, ALONE[call], InvalidGroupIdException)


@BOTH
def test_a_refused_close_leaves_the_consumer_open(protocol):
    lab = Lab(brokers=1, seed=1, version="4.4")
    lab.create_topic("t")
    consumer = KafkaConsumer(lab, {"group.id": "g", "group.protocol": protocol})
    with pytest.raises(IllegalArgumentException, match="cannot be negative"):
        consumer.close(timeout_ms=-1)
    consumer.subscribe(["t"])
    consumer.close()
    assert len(list(lab.journal.of("closed"))) == 1


@BOTH
def test_a_consumer_of_either_protocol_is_a_kafka_consumer(protocol):
    consumer = KafkaConsumer(Lab(brokers=1, seed=1, version="4.4"), {"group.protocol": protocol})
    assert type(consumer) is KafkaConsumer
