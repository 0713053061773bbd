# %% question
THREE = ("A", "B", "C")


# %% judge
from functools import cache

from kafkalab import KafkaProducer, Lab, ProducerRecord


@cache
def _homes(keys: tuple[str, ...], partitions: int) -> tuple[int, ...]:
    """Where a producer puts records with these keys."""
    lab = Lab(brokers=1, seed=2)
    lab.create_topic("t", partitions=partitions)
    producer = KafkaProducer(lab, {"client.id": "writer"})
    futures = [producer.send(ProducerRecord("t", key=key, value="v")) for key in keys]
    producer.close()
    return tuple(future.get().partition for future in futures)
