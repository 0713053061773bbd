"""What Java's compiler would have refused is refused in a sentence with an example, before anything is sent."""

import pytest

from kafkalab import KafkaAdminClient, KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.errors import IllegalArgumentException

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
    "alter_consumer_group_offsets": lambda lab: KafkaAdminClient(lab, {}).alter_consumer_group_offsets("g", {PLACE: 5}),
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
