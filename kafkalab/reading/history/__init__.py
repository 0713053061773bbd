"""Rebuilds the state of a lab's cluster and clients at any moment, from the journal alone."""

from kafkalab.reading.history.history import History

__all__ = ["History"]
