# %% question
THREE = ("A", "B", "C")
FIVE = (*THREE, "D", "E")


# %% judge
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord


def _shop(lab: Lab, count: int) -> None:
    """`count` orders in one partition."""
    lab.create_topic("orders", partitions=1)
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number in range(count):
        producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"))
    producer.close()


def _member(lab: Lab, name: str, **config) -> KafkaConsumer:
    consumer = KafkaConsumer(
        lab,
        {
            "client.id": name,
            "group.id": "stock",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            **config,
        },
        name=name,
    )
    consumer.subscribe(["orders"])
    return consumer


def _expired(lab: Lab) -> int | None:
    """When the first member gave up by its own clock."""
    return next(
        (
            event.at_ms
            for event in lab.journal.of("line")
            if event.fields["level"] == "WARN"
            and "consumer poll timeout has expired" in event.fields["message"]
        ),
        None,
    )
