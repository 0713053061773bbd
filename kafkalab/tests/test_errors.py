"""Errors have the numbers, names and sentences of Java's table,
and their class says whether to try again."""

import re

import pytest

from kafkalab import PROFILES, KafkaConsumer, Lab, OffsetAndMetadata, TopicPartition, errors
from kafkalab.errors import (
    Errors,
    IllegalArgumentException,
    KafkaException,
    RetriableException,
    error_for,
)


@pytest.mark.parametrize(
    ("code", "name", "retriable"),
    [
        (3, "UNKNOWN_TOPIC_OR_PARTITION", True),
        (5, "LEADER_NOT_AVAILABLE", True),
        (6, "NOT_LEADER_OR_FOLLOWER", True),
        (10, "MESSAGE_TOO_LARGE", False),
        (14, "COORDINATOR_LOAD_IN_PROGRESS", True),
        (16, "NOT_COORDINATOR", True),
        (22, "ILLEGAL_GENERATION", False),
        (25, "UNKNOWN_MEMBER_ID", False),
        (27, "REBALANCE_IN_PROGRESS", False),
        (47, "INVALID_PRODUCER_EPOCH", False),
        (70, "FETCH_SESSION_ID_NOT_FOUND", True),
        (79, "MEMBER_ID_REQUIRED", False),
        (90, "PRODUCER_FENCED", False),
        (100, "UNKNOWN_TOPIC_ID", True),
    ],
)
def test_the_table(code, name, retriable):
    assert (error_for(code).name, error_for(code).retriable) == (name, retriable)


def test_codes_are_unique_and_an_unknown_one_is_an_unknown_error():
    codes = [error.code for error in Errors]
    assert len(set(codes)) == len(codes)
    assert error_for(9999) is Errors.UNKNOWN_SERVER_ERROR


def test_success_is_no_error():
    assert not Errors.NONE.retriable
    with pytest.raises(ValueError, match="NONE is no error"):
        Errors.NONE.exception()


def test_every_error_raises_its_exception_with_its_sentence():
    for error in Errors:
        if error is not Errors.NONE:
            raised = error.exception()
            assert isinstance(raised, KafkaException) and str(raised) == error.message
            assert raised.java_name.rpartition(".")[2] == type(raised).__name__


def test_java_names_stand_in_texts():
    """As in the stack traces of transaction_zombie_fenced."""
    assert Errors.INVALID_PRODUCER_EPOCH.exception().java_text() == (
        "org.apache.kafka.common.errors.InvalidProducerEpochException: Producer attempted to "
        "produce with an old epoch."
    )
    assert (
        errors.DisconnectException().java_text()
        == "org.apache.kafka.common.errors.DisconnectException"
    )


def test_two_classes_share_a_name_and_keep_apart():
    """Java has an OffsetOutOfRangeException for the wire and one for the consumer's application."""
    assert (
        errors.OffsetOutOfRangeException.java_name
        == "org.apache.kafka.common.errors.OffsetOutOfRangeException"
    )
    assert (
        errors.ConsumerOffsetOutOfRangeException.java_name
        == "org.apache.kafka.clients.consumer.OffsetOutOfRangeException"
    )


@pytest.mark.parametrize(
    ("version", "begins"),
    [
        ("2.3", "Commit cannot be completed since the group has already rebalanced"),
        ("3.9", "Offset commit cannot be completed since the consumer is not part"),
    ],
)
def test_a_commit_that_came_too_late(version, begins):
    assert PROFILES[version].group.commit_failed_text.startswith(begins)
    assert not issubclass(errors.CommitFailedException, RetriableException)


def test_old_clients_know_some_codes_by_other_names():
    """As in the OFFSET_FOR_LEADER_EPOCH answers of 2.3.0 (group_offsets_auto_commit) and the
    sends of its fenced zombie."""
    assert (
        PROFILES["2.3"].connecting.known(Errors.NOT_LEADER_OR_FOLLOWER).name
        == "NOT_LEADER_FOR_PARTITION"
    )
    assert (
        PROFILES["3.9"].connecting.known(Errors.NOT_LEADER_OR_FOLLOWER).name
        == "NOT_LEADER_OR_FOLLOWER"
    )
    assert (
        PROFILES["2.3"].connecting.known(Errors.INVALID_PRODUCER_EPOCH).raises
        is errors.ProducerFencedException
    )
    assert (
        PROFILES["2.8"].connecting.known(Errors.INVALID_PRODUCER_EPOCH).raises
        is errors.InvalidProducerEpochException
    )


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        (lambda c: c.assign(["t-0"]), IllegalArgumentException, "assign([TopicPartition('t', 0)])"),
        (
            lambda c: c.assign([TopicPartition("t", "0")]),
            IllegalArgumentException,
            "a list of partitions",
        ),
        (
            lambda c: c.assign([TopicPartition("", 0)]),
            IllegalArgumentException,
            "null or empty topic",
        ),
        (
            lambda c: c.commit_sync({TopicPartition("t", 0): 5}),
            IllegalArgumentException,
            "OffsetAndMetadata(5)",
        ),
        (
            lambda c: c.commit_sync({TopicPartition("t", 0): OffsetAndMetadata(-1)}),
            IllegalArgumentException,
            "Invalid negative offset",
        ),
        (
            lambda c: KafkaConsumer(
                c.lab,
                {"group.id": "g", "heartbeat.interval.ms": 9_000, "session.timeout.ms": 9_000},
            ),
            KafkaException,
            "Heartbeat must be set lower than the session timeout",
        ),
    ],
)
def test_a_wrong_call_hears_what_is_wrong_and_what_to_do(wrong, error, said):
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("t")
    consumer = KafkaConsumer(lab, {"group.id": "g"})
    consumer.lab = lab
    with pytest.raises(error, match=re.escape(said)):
        wrong(consumer)
