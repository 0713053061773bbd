"""The configuration keys of clients and brokers: their types, defaults by release, checks and
printed form."""

from kafkalab.config.client_config import (
    AdminClientConfig,
    ClientConfig,
    ConsumerConfig,
    ProducerConfig,
    ShareConsumerConfig,
    dump_text,
)

__all__ = [
    "AdminClientConfig",
    "ClientConfig",
    "ConsumerConfig",
    "ProducerConfig",
    "ShareConsumerConfig",
    "dump_text",
]
