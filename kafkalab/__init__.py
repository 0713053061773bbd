"""kafkalab: Apache Kafka's clients and brokers in a deterministic simulation, small enough to read.

    from kafkalab import Lab, KafkaProducer, ProducerRecord

    lab = Lab(brokers=3, seed=7)
    lab.create_topic("orders", partitions=3)
    producer = KafkaProducer(lab, {"client.id": "shop"})
    future = producer.send(ProducerRecord("orders", key="alice", value="tea"))
    future.done(), lab.now_ms       # it waits in the accumulator
    future.get()                    # the lab runs until the broker has answered
    lab.lines(client="shop").tail() # what the Java client would have printed
    lab.why(lab.sockets()[0])       # what led to the first connection
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkalab import machine_code

machine_code.use()  # before the first of the others is imported

from kafkalab.clients.consumer.kafka_consumer import KafkaConsumer
from kafkalab.clients.producer.kafka_producer import KafkaProducer
from kafkalab.errors import CommitFailedException, ConcurrentModificationException, KafkaException, TimeoutException
from kafkalab.lab import Lab
from kafkalab.records import ConsumerRecord, ConsumerRecords, OffsetAndMetadata, ProducerRecord, RecordMetadata, TopicPartition
from kafkalab.sockets import Socket
from kafkalab.releases import PROFILES, Profile
from kafkalab.worker_pool import WorkerPool

if TYPE_CHECKING:
    from kafkalab.clients.admin.kafka_admin_client import KafkaAdminClient
    from kafkalab.clients.admin.values import ConfigResource, NewPartitions, NewTopic, OffsetSpec, RecordsToDelete

__all__ = [
    "CommitFailedException", "ConcurrentModificationException", "ConfigResource", "ConsumerRecord", "ConsumerRecords", "KafkaAdminClient", "KafkaConsumer", "KafkaException",
    "KafkaProducer", "Lab", "NewPartitions", "NewTopic", "OffsetAndMetadata", "OffsetSpec", "PROFILES", "ProducerRecord", "Profile",
    "RecordMetadata", "RecordsToDelete", "Socket", "TimeoutException", "TopicPartition", "WorkerPool",
]

LATER = {"KafkaAdminClient": "kafka_admin_client"} | dict.fromkeys(
    ("ConfigResource", "NewPartitions", "NewTopic", "OffsetSpec", "RecordsToDelete"), "values")
"""Names of the admin client -> their file: most labs do without, and a first import should not take long."""


def __getattr__(name: str) -> object:
    if name not in LATER:
        raise AttributeError(f"module 'kafkalab' has no attribute {name!r}")
    from importlib import import_module
    found = globals()[name] = getattr(import_module(f"kafkalab.clients.admin.{LATER[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *LATER})
