"""What producers and consumers can be told: keys with their defaults by client version, typed, checked and printed."""
from kafkalab.config.client_config import ClientConfig, ConsumerConfig, ProducerConfig, dump_text

__all__ = ["ClientConfig", "ConsumerConfig", "ProducerConfig", "dump_text"]
