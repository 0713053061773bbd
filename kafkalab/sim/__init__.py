"""The kernel: a clock, a heap of events, a network, a journal. It knows nothing of Kafka."""
