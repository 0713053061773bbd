"""Plays auto.offset.reset=by_duration (KIP-1106): a reader begins at a record that is young enough.

A Java consumer 4.4.0 was asked for a position where no record was so young. It had none for a
minute: it asked again each 30.1 seconds, each time for a later moment. So does this one.
"""

from itertools import pairwise

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord

MINUTE = 60_000


def read(policy: str, protocol: str) -> tuple[list[int], list[float]]:
    """The offsets that a new group reads in 70 s, and the seconds of its LIST_OFFSETS.

    Twelve records, one each two minutes; another comes ten seconds after the reader.
    """
    lab = Lab(brokers=1, seed=3, version="4.4", broker_version="4.4")
    lab.create_topic("orders")
    shop = KafkaProducer(lab, {}, name="shop")
    for _ in range(12):
        shop.send(ProducerRecord("orders", value="tea")).get()
        lab.run_for(ms=2 * MINUTE)
    settings = {"group.id": "g", "auto.offset.reset": policy, "group.protocol": protocol}
    consumer = KafkaConsumer(lab, settings, name="new")
    consumer.subscribe(["orders"])
    begun_ms, got = lab.now_ms, []
    lab.clock.at(begun_ms + 10_000, lambda: shop.send(ProducerRecord("orders", value="cake")))
    while lab.now_ms < begun_ms + 70_000:
        got += [record.offset for record in consumer.poll(timeout_ms=500)]
    asked = [
        (event.at_ms - begun_ms) / 1000
        for event in lab.journal.of("request.sent")
        if event.who == "new" and event.fields["api"] == "LIST_OFFSETS"
    ]
    return got, asked


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
@pytest.mark.parametrize(
    ("policy", "first"), [("by_duration:PT10M", 8), ("by_duration:PT1H", 0), ("latest", 12)]
)
def test_a_new_group_begins_at_the_first_record_that_is_young_enough(policy, first, protocol):
    got, asked = read(policy, protocol)
    assert got == list(range(first, 13)) and len(asked) == 1


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_without_such_a_record_it_asks_again_after_the_request_timeout(protocol):
    got, asked = read("by_duration:PT1S", protocol)
    assert got == []  # the new record is older than a second, each time
    waits = [round(later - sooner) for sooner, later in pairwise(asked)]
    assert waits == [30] * len(waits)
    assert len(asked) >= 2
    assert read("by_duration:PT1M", protocol)[0] == [12]
