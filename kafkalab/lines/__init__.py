"""The lines that Kafka's clients log: their layout (layout), their wordings (catalog) and their
payloads (payload)."""
