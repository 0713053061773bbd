"""The lines of Kafka's clients: how they are laid out (layout), what they say (catalog),
how payloads are printed (payload)."""
