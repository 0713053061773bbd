"""The consumer: membership, positions, fetching (org.apache.kafka.clients.consumer)."""
