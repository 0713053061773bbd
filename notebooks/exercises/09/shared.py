# %% question
THREE = ("A", "B", "C")
READER = {"auto.offset.reset": "earliest", "enable.auto.commit": False, "session.timeout.ms": 6_000}
AT_ONCE = {"group.initial.rebalance.delay.ms": 0}


# %% judge
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord


def _cluster(orders: int, seed: int = 1) -> Lab:
    lab = Lab(brokers=1, seed=seed, broker_config={"group.initial.rebalance.delay.ms": 0})
    lab.create_topic("orders")
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number in range(orders):
        producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"))
    producer.close()
    return lab


def _member(lab: Lab, name: str, **config) -> KafkaConsumer:
    reader = KafkaConsumer(
        lab,
        {
            "group.id": "billing",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "session.timeout.ms": 6_000,
            **config,
        },
        name=name,
    )
    reader.subscribe(["orders"])
    return reader


def _polled(reader: KafkaConsumer) -> list[int]:
    """The offsets of the next poll that brings something."""
    for _ in range(60):
        if found := [record.offset for record in reader.poll(timeout_ms=500)]:
            return found
    return []
