"""What becomes of an idempotent producer when something was lost:
a batch, or the broker's memory of it."""

import pytest

from kafkalab import KafkaProducer, Lab, ProducerRecord
from kafkalab.errors import TimeoutException, UnknownProducerIdException


def a_lab(version, broker_version, **broker_config):
    lab = Lab(
        1, seed=3, version=version, broker_version=broker_version, broker_config=broker_config
    )
    lab.create_topic("orders", 1)
    return lab


def sent(lab):
    """Of each batch in the log: producer id, epoch, offset."""
    return [
        (event.fields["producer_id"], event.fields["producer_epoch"], event.fields["base_offset"])
        for event in lab.journal.of("record.appended")
    ]


@pytest.mark.parametrize(
    ("version", "broker_version"), [("2.1", "2.3"), ("2.3", "4.4"), ("2.8", "4.4"), ("4.4", "4.4")]
)
def test_an_answer_that_was_lost_makes_no_second_record(version, broker_version):
    lab = a_lab(version, broker_version)
    producer = KafkaProducer(
        lab, {"enable.idempotence": True, "acks": "all", "request.timeout.ms": 1_000}, name="shop"
    )
    offsets = [producer.send(ProducerRecord("orders", value="a")).get().offset]
    lab.link(0, "shop").cut_before_reply("PRODUCE")
    offsets += [producer.send(ProducerRecord("orders", value=value)).get().offset for value in "bc"]
    assert offsets == [0, 1, 2]
    assert len(sent(lab)) == 3


@pytest.mark.parametrize(
    ("version", "broker_version", "afterwards"),
    [
        ("2.1", "2.3", (1, 0)),
        ("2.3", "4.4", (1, 0)),  # another producer id: all sequences begin anew
        # the next epoch of the same id (KIP-360)
        ("2.8", "4.4", (0, 1)),
        ("3.9", "4.4", (0, 1)),
        ("4.4", "4.4", (0, 1)),
    ],
)
def test_who_gives_up_a_batch_that_may_have_arrived_begins_its_sequences_anew(
    version, broker_version, afterwards
):
    lab = a_lab(version, broker_version)
    producer = KafkaProducer(
        lab,
        {
            "enable.idempotence": True,
            "acks": "all",
            "linger.ms": 0,
            "request.timeout.ms": 1_000,
            "delivery.timeout.ms": 3_000,
        },
        name="shop",
    )
    producer.send(ProducerRecord("orders", value="a")).get()
    lab.link(0, "shop").cut_before_reply("PRODUCE")
    given_up = producer.send(ProducerRecord("orders", value="b"))
    lab.run_for(10)
    lab.link(0, "shop").cut()
    lab.run_for(5_000)
    lab.link(0, "shop").heal()
    with pytest.raises(TimeoutException):
        given_up.get()
    # b had arrived: the log has it at 1
    assert producer.send(ProducerRecord("orders", value="c")).get().offset == 2
    assert [(id, epoch) for id, epoch, _ in sent(lab)] == [(0, 0), (0, 0), afterwards]


@pytest.mark.parametrize(
    ("version", "broker_version", "is_lost", "epochs"),
    [
        ("2.1", "2.3", True, [(0, 0), (1, 0)]),
        ("2.3", "2.3", True, [(0, 0), (1, 0)]),
        ("2.8", "2.3", False, [(0, 0), (0, 1), (0, 1)]),
        ("2.3", "4.4", False, [(0, 0), (0, 0), (0, 0)]),
        ("4.4", "4.4", False, [(0, 0), (0, 0), (0, 0)]),
    ],
)
def test_a_broker_that_forgot_an_idle_producer(version, broker_version, is_lost, epochs):
    """UNKNOWN_PRODUCER_ID costs an old client a record and its id; KIP-360 taught clients to go on
    with the next epoch, and brokers not to ask at all."""
    old, new = {"transactional.id.expiration.ms": 60_000}, {"producer.id.expiration.ms": 60_000}
    lab = a_lab(version, broker_version, **(old if broker_version == "2.3" else new))
    producer = KafkaProducer(lab, {"enable.idempotence": True, "acks": "all"}, name="shop")
    producer.send(ProducerRecord("orders", value="a")).get()
    lab.run_for(700_000)
    second = producer.send(ProducerRecord("orders", value="b"))
    if is_lost:
        with pytest.raises(UnknownProducerIdException):
            second.get()
    else:
        assert second.get().offset == 1
    producer.send(ProducerRecord("orders", value="c")).get()
    assert [(id, epoch) for id, epoch, _ in sent(lab)] == epochs
    renumbered = [said for said in lab.lines("shop").message if "Resetting sequence" in said]
    assert renumbered == (
        ["Resetting sequence number of batch with current sequence 1 for partition orders-0 to 0"]
        if (0, 1) in epochs
        else []
    )


@pytest.mark.parametrize(
    ("rule", "log"),
    [
        (lambda known, batch: "append", ["a", "b", "b"]),
        (
            lambda known, batch: (
                "duplicate" if known and (batch.first, batch.last) in known.batches else "append"
            ),
            ["a", "b"],
        ),
    ],
)
def test_a_broker_judges_by_a_rule_of_ones_own(rule, log):
    lab = a_lab("3.9", "4.4")
    lab.broker(0).judge_batches(rule)
    producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
    producer.send(ProducerRecord("orders", key="a", value="tea")).get()
    lab.link(0, "shop").cut_before_reply("PRODUCE")
    assert producer.send(ProducerRecord("orders", key="b", value="tea")).get().offset == (
        2 if len(log) == 3 else 1
    )
    assert [
        record.key for event in lab.journal.of("record.appended") for record in event.records
    ] == log
    assert [event.why for event in lab.journal.of("batch.not.appended")] == ["DUPLICATE"] * (
        3 - len(log)
    )


def test_a_rule_that_says_nothing_useful_is_told_what_it_may_say():
    lab = a_lab("3.9", "4.4")
    lab.broker(0).judge_batches(lambda known, batch: None)
    with pytest.raises(
        ValueError, match="one of append, duplicate, out of order, fenced, not None"
    ):
        KafkaProducer(lab, name="shop").send(ProducerRecord("orders", value="tea")).get()
