"""The parts of KafkaShareConsumer, the consumer of share groups (KIP-932)."""
