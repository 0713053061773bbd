"""Checks the arguments of calls, and refuses wrong ones with a sentence and an example. Java's
compiler does this for Java clients."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kafkalab.errors import IllegalArgumentException
from kafkalab.records import OffsetAndMetadata, ProducerRecord, TopicPartition


def lab(client: str, given: object) -> None:
    """Checks that the first argument is a lab. Raises IllegalArgumentException."""
    if not hasattr(given, "next_number"):
        meant = " Its settings come second." if isinstance(given, Mapping) else ""
        raise IllegalArgumentException(
            f"A {client} needs the lab it lives in: lab = Lab(), then {client}(lab, {{...}}). "
            f"It got {given!r} instead.{meant}"
        )


def config_mapping(client: str, given: object) -> None:
    """Checks that the settings of a client are a mapping. Raises IllegalArgumentException."""
    if given is not None and not isinstance(given, Mapping):
        raise IllegalArgumentException(
            f'A {client} takes its settings as a dict, {client}(lab, {{"client.id": "shop"}}), not '
            f"{given!r}."
        )


_RULES = {
    "least_loaded": "function(nodes) -> node, such as lambda nodes: nodes[0]",
    "idle_closer": "function(connections, now_ms, limit_ms) -> connection or None",
    "next_request": "function(waiting, in_flight, limits) -> list of partitions",
}


def rule(name: str, given: object) -> None:
    """Checks that a learner's rule is a function. Raises IllegalArgumentException."""
    if given is not None and not callable(given):
        raise IllegalArgumentException(f"{name} is a {_RULES[name]}; {given!r} cannot be called.")


def sent(record: object, callback: object) -> None:
    """Checks what send() received: a record, and a function or None. Raises
    IllegalArgumentException."""
    if not isinstance(record, ProducerRecord):
        raise IllegalArgumentException(
            f'send() takes a ProducerRecord, not {record!r}: ProducerRecord("topic", "value")'
        )
    if callback is not None and not callable(callback):
        raise IllegalArgumentException(
            "the callback is called with (metadata, error) when the record's last word is in; "
            f"{callback!r} cannot be called"
        )


def topic_list(topics: object) -> None:
    """Checks that subscribe() received no single name, whose letters Python would take for topics.
    Raises IllegalArgumentException."""
    if isinstance(topics, str):
        raise IllegalArgumentException(
            f"subscribe() takes a list of topics: subscribe([{topics!r}])"
        )


def partitions(call: str, given: Iterable[TopicPartition]) -> list[TopicPartition]:
    """The partitions a call received, as a list. Raises IllegalArgumentException."""
    found = listed(
        call, given, TopicPartition, f"partitions, such as {call}([TopicPartition('t', 0)])"
    )
    for one in found:
        if not isinstance(one.partition, int):
            raise IllegalArgumentException(
                f"{call}() takes a list of partitions, such as {call}([TopicPartition('t', 0)]), "
                f"not {given!r}"
            )
        if not isinstance(one.topic, str) or not one.topic.strip():
            raise IllegalArgumentException(
                "Topic partitions to assign to cannot have null or empty topic"
            )
    return found


def offsets(
    call: str, given: Mapping[TopicPartition, OffsetAndMetadata]
) -> dict[TopicPartition, OffsetAndMetadata]:
    """The offsets a commit received. Raises IllegalArgumentException."""
    return mapped(
        call,
        given,
        OffsetAndMetadata,
        "an OffsetAndMetadata for each TopicPartition, such as {TopicPartition('t', 0): "
        "OffsetAndMetadata(5)}",
        keys=TopicPartition,
    )


def listed(call: str, given: Iterable[Any], kind: type, what: str) -> list[Any]:
    """Several things of one kind, as a list; a single thing without a list is refused, too. `what`
    names them with an example."""
    found = (
        [given]
        if isinstance(given, (str, kind)) or not isinstance(given, Iterable)
        else list(given)
    )
    if any(one is given or not isinstance(one, kind) for one in found):
        raise IllegalArgumentException(f"{call}() takes a list of {what}, not {given!r}")
    return found


def mapped(
    call: str, given: Mapping[Any, Any], kind: type, what: str, *, keys: type = object
) -> dict[Any, Any]:
    """A mapping to things of one kind, as a dict. `what` says what it maps, with an example."""
    if not isinstance(given, Mapping) or not all(
        isinstance(key, keys) and isinstance(value, kind) for key, value in given.items()
    ):
        raise IllegalArgumentException(f"{call}() takes {what}, not {given!r}")
    return dict(given)
