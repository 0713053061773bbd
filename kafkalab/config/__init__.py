"""What clients can be told: keys with their defaults by client version, typed,
checked and printed."""

from kafkalab.config.client_config import (
    AdminClientConfig,
    ClientConfig,
    ConsumerConfig,
    ProducerConfig,
    dump_text,
)

__all__ = ["AdminClientConfig", "ClientConfig", "ConsumerConfig", "ProducerConfig", "dump_text"]
