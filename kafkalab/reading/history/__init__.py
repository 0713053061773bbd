"""What was the state of everything at some moment? Folded from the journal,
machines are not asked."""

from kafkalab.reading.history.history import History

__all__ = ["History"]
