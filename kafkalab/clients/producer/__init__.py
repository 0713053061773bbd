"""The producer: records wait in the accumulator, and the Sender's loop sends them
(org.apache.kafka.clients.producer)."""
