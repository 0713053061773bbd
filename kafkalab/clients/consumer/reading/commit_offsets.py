"""Names the types of a commit: offsets by partition, and the callback that receives its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kafkalab.records import OffsetAndMetadata, TopicPartition

Offsets = Mapping[TopicPartition, OffsetAndMetadata]
CommitCallback = Callable[[Offsets, BaseException | None], object]
"""callback(offsets, error); the error is None for a commit that the coordinator has accepted."""
