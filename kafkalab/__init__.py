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

from kafkalab.clients.admin.kafka_admin_client import KafkaAdminClient
from kafkalab.clients.admin.values import ConfigResource, NewPartitions, NewTopic, OffsetSpec, RecordsToDelete
from kafkalab.clients.consumer.kafka_consumer import KafkaConsumer
from kafkalab.clients.producer.kafka_producer import KafkaProducer
from kafkalab.errors import CommitFailedException, KafkaException, TimeoutException
from kafkalab.lab import Lab
from kafkalab.records import ConsumerRecord, ConsumerRecords, OffsetAndMetadata, ProducerRecord, RecordMetadata, TopicPartition
from kafkalab.sockets import Socket
from kafkalab.versions import PROFILES, Profile

__all__ = [
    "CommitFailedException", "ConfigResource", "ConsumerRecord", "ConsumerRecords", "KafkaAdminClient", "KafkaConsumer", "KafkaException",
    "KafkaProducer", "Lab", "NewPartitions", "NewTopic", "OffsetAndMetadata", "OffsetSpec", "PROFILES", "ProducerRecord", "Profile",
    "RecordMetadata", "RecordsToDelete", "Socket", "TimeoutException", "TopicPartition",
]
