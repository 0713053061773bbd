"""Offsets by partition, as a commit carries them and as Java prints them (OffsetAndMetadata)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kafkalab.lines.java_values import value_text
from kafkalab.records import OffsetAndMetadata, TopicPartition

Offsets = Mapping[TopicPartition, OffsetAndMetadata]
CommitCallback = Callable[[Offsets, BaseException | None], object]
"""callback(offsets, error); the error is None for a commit that the coordinator has accepted."""


def offsets_text(offsets: Offsets) -> str:
    """A map of offsets as Java prints it."""
    shown = (f"{tp}=OffsetAndMetadata{{offset={o.offset}, leaderEpoch={value_text(o.leader_epoch)}, metadata='{o.metadata}'}}"
             for tp, o in offsets.items())
    return f"{{{', '.join(shown)}}}"
