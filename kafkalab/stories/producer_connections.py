"""Follows one connection of a client through its states, and compares it with a learner's table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kafkalab.clients.producer.kafka_producer import KafkaProducer
from kafkalab.errors import KafkaException
from kafkalab.lab import Lab
from kafkalab.records import ProducerRecord

if TYPE_CHECKING:
    import pandas


def connection_steps(
    lab: Lab, node: int, table: Mapping[str, Mapping[str, str | None]]
) -> pandas.DataFrame:
    """Each change of state of the connection to `node`, and whether `table` has such a step.

    table: {state: {event: next state}}. The states are those of Kafka's ClusterConnectionStates.
    """
    import pandas

    known = {(state, after) for state, row in table.items() for after in row.values()}
    steps = [
        {
            "ms": event.at_ms,
            "before": event.before or "DISCONNECTED",
            "after": event.after,
            "in your table": "yes"
            if (event.before or "DISCONNECTED", event.after) in known
            else "no",
        }
        for event in lab.journal.of("state")
        if event.machine == f"connection {node}"
    ]
    return pandas.DataFrame(steps, columns=["ms", "before", "after", "in your table"])


def wrong_address(seed: int = 2) -> str:
    """What became of an order to each of three brokers, and what the client's log says of it.

    Broker 1 advertises a port at which nobody listens; its own works for those who know it.
    """
    lab = Lab(3, seed, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=3, leaders=[0, 1, 2])
    lab.broker(1).advertise(29092)
    limits = {"request.timeout.ms": 5_000, "delivery.timeout.ms": 10_000, "linger.ms": 0}
    shop = KafkaProducer(lab, {"client.id": "shop", **limits}, name="shop")
    told = []
    for partition in range(3):
        try:
            shop.send(ProducerRecord("orders", value="tea", partition=partition)).get()
            told.append(f"broker {partition}: written")
        except KafkaException as error:
            told.append(f"broker {partition}: {type(error).__name__}")
        warned = lab.lines("shop").query("level == 'WARN'").message
        here = warned[warned.str.contains(f"to node {partition} ")]
        if len(here):
            told.append(f"  {len(here)} times: {here.iloc[0].split('] ', 1)[1]}")
    return "\n".join(told)
