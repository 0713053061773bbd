# %% question
THREE = ("A", "B", "C")


# %% judge
from functools import cache

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord


def _filled(records: int, partitions: int) -> Lab:
    lab = Lab(brokers=1, seed=11)
    lab.create_topic("t", partitions=partitions)
    producer = KafkaProducer(lab, {"client.id": "writer"})
    for number in range(records):
        producer.send(ProducerRecord("t", partition=number % partitions, value=str(number)))
    producer.close()
    return lab


@cache
def _shares(partitions: tuple[int, ...], members: int, assignor: str) -> dict[str, list[str]]:
    """member -> the partitions it owns, in a group over topics with so many partitions."""
    lab = Lab(brokers=1, seed=12)
    topics = [f"t{number}" for number in range(len(partitions))]
    for topic, count in zip(topics, partitions):
        lab.create_topic(topic, partitions=count)

    def read(lab, name):
        consumer = KafkaConsumer(
            lab,
            {
                "group.id": "g",
                "client.id": name,
                "fetch.max.wait.ms": 5_000,
                "partition.assignment.strategy": (
                    f"org.apache.kafka.clients.consumer.{assignor}Assignor"
                ),
            },
            name=name,
        )
        consumer.subscribe(topics)
        consumer.poll(timeout_ms=60_000)

    names = [f"m{number:02}" for number in range(1, members + 1)]
    for name in names:
        lab.spawn(read, name, name=name)
    # the group waits 3 s for more members, and 3 s more when some came
    lab.run_for(ms=7_000)
    clients = lab.at(lab.now_ms)["clients"]
    lab.close()
    return {name: sorted(clients[name]["assignment"]) for name in names}
