"""kafkalab: Apache Kafka's clients and brokers in a deterministic simulation.

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

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkalab.clients.admin.kafka_admin_client import KafkaAdminClient
    from kafkalab.clients.admin.values import (
        ConfigResource,
        NewPartitions,
        NewTopic,
        OffsetSpec,
        RecordsToDelete,
    )
    from kafkalab.clients.consumer.kafka_consumer import KafkaConsumer
    from kafkalab.clients.consumer.kafka_share_consumer import KafkaShareConsumer
    from kafkalab.clients.consumer.share.acknowledgements import AcknowledgeType
    from kafkalab.clients.producer.kafka_producer import KafkaProducer
    from kafkalab.errors import (
        CommitFailedException,
        ConcurrentModificationException,
        KafkaException,
        RecordDeserializationException,
        SerializationException,
        TimeoutException,
        WakeupException,
        traceback,
    )
    from kafkalab.lab import Lab
    from kafkalab.reading.sockets import Socket
    from kafkalab.records import (
        ConsumerRecord,
        ConsumerRecords,
        OffsetAndMetadata,
        ProducerRecord,
        RecordMetadata,
        TopicPartition,
    )
    from kafkalab.release_notes import changes
    from kafkalab.releases import PROFILES, Profile
    from kafkalab.sim.worker_pool import WorkerPool

__version__ = "0.2.0"

HOMES = {
    "clients.admin.kafka_admin_client": "KafkaAdminClient",
    "clients.admin.values": "ConfigResource NewPartitions NewTopic OffsetSpec RecordsToDelete",
    "clients.consumer.kafka_consumer": "KafkaConsumer",
    "clients.consumer.kafka_share_consumer": "KafkaShareConsumer",
    "clients.consumer.share.acknowledgements": "AcknowledgeType",
    "clients.producer.kafka_producer": "KafkaProducer",
    "errors": (
        "CommitFailedException ConcurrentModificationException KafkaException "
        "RecordDeserializationException SerializationException TimeoutException WakeupException "
        "traceback"
    ),
    "lab": "Lab",
    "records": (
        "ConsumerRecord ConsumerRecords OffsetAndMetadata ProducerRecord RecordMetadata "
        "TopicPartition"
    ),
    "reading.sockets": "Socket",
    "release_notes": "changes",
    "releases": "PROFILES Profile",
    "sim.worker_pool": "WorkerPool",
}
"""Module -> the public names it holds. A name is loaded when it is first asked for, so that the
import itself is quick (PEP 562)."""
MODULE_OF = {name: module for module, names in HOMES.items() for name in names.split()}

__all__ = [
    "PROFILES",
    "AcknowledgeType",
    "CommitFailedException",
    "ConcurrentModificationException",
    "ConfigResource",
    "ConsumerRecord",
    "ConsumerRecords",
    "KafkaAdminClient",
    "KafkaConsumer",
    "KafkaException",
    "KafkaProducer",
    "KafkaShareConsumer",
    "Lab",
    "NewPartitions",
    "NewTopic",
    "OffsetAndMetadata",
    "OffsetSpec",
    "ProducerRecord",
    "Profile",
    "RecordDeserializationException",
    "RecordMetadata",
    "RecordsToDelete",
    "SerializationException",
    "Socket",
    "TimeoutException",
    "TopicPartition",
    "WakeupException",
    "WorkerPool",
    "changes",
    "traceback",
]


def __getattr__(name: str) -> object:
    if name not in MODULE_OF:
        raise AttributeError(
            f"module 'kafkalab' has no attribute {name!r}; it has {', '.join(__all__)}"
        )
    found = globals()[name] = getattr(import_module(f"kafkalab.{MODULE_OF[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
