"""Bugs planted where transactions end and where they are read."""

from __future__ import annotations

from dataclasses import replace

from kafkalab.broker.log.partition_log import PartitionLog
from kafkalab.broker.replication.replica_manager import ReplicaManager
from kafkalab.broker.transactions.transaction_coordinator import TransactionCoordinator
from kafkalab.broker.transactions.transaction_markers import TransactionMarkers
from kafkalab.broker.transactions.transaction_metadata import TransactionMetadata
from kafkalab.clients.consumer.reading.completed_fetch import CompletedFetch
from kafkalab.protocol.messages import ControlRecordType
from kafkalab.tests.mutants.catchers import Law
from kafkalab.tests.mutants.mutant import Mutant

OLD, NEW = "transactions", "transactions, version 2"


def markers_not_written(patch):
    """A leader says that the marker stands in its log; it does not."""
    patch.setattr(
        ReplicaManager,
        "append_marker",
        lambda self, topic, index, marker, now_ms: (),
    )


def marker_in_the_next_partition(patch):
    honest = ReplicaManager.append_marker

    def append_marker(self, topic, index, marker, now_ms):
        there = (index + 1) % len(self._cluster.topics[topic].partitions)
        return honest(self, topic, there, marker, now_ms)

    patch.setattr(ReplicaManager, "append_marker", append_marker)


def every_marker_commits(patch):
    honest = ReplicaManager.append_marker
    patch.setattr(
        ReplicaManager,
        "append_marker",
        lambda self, topic, index, marker, now_ms: honest(
            self, topic, index, replace(marker, control=ControlRecordType.COMMIT), now_ms
        ),
    )


def first_partition_only(patch):
    """The transaction counts as ended when one of its partitions has its marker."""
    honest = TransactionMarkers.answered

    def answered(self, record, tag, response, now_ms):
        after = yield from honest(self, record, tag, response, now_ms)
        return after.without_partitions(after.partitions)

    patch.setattr(TransactionMarkers, "answered", answered)


def stable_is_the_watermark(patch):
    patch.setattr(PartitionLog, "last_stable_offset", property(lambda self: self.high_watermark))


def aborted_not_handed_out(patch):
    patch.setattr(PartitionLog, "aborted_between", lambda self, fetch_offset, upper_offset: ())


def aborted_not_left_out(patch):
    """The consumer has the list and hands out everything."""
    patch.setattr(CompletedFetch, "_is_aborted", lambda self, batch: False)


def aborted_for_ever(patch):
    """The marker that ends an aborted transaction does not end the leaving out."""

    def is_aborted(self, batch):
        while self._aborted_to_come and self._aborted_to_come[0].first_offset <= batch.last_offset:
            self._aborted.add(self._aborted_to_come.popleft().producer_id)
        return (
            batch.control is None and batch.is_transactional and batch.producer_id in self._aborted
        )

    patch.setattr(CompletedFetch, "_is_aborted", is_aborted)


def decided_and_forgotten(patch):
    """A coordinator that has read the log knows what was decided, and leaves it at that."""
    honest = TransactionCoordinator._resume

    def resume(self, index, now_ms):
        honest(self, index, now_ms)
        return []

    patch.setattr(TransactionCoordinator, "_resume", resume)


def same_epoch_again(patch):
    """Who comes second with a transactional id is given the epoch of the first,
    and fences nobody."""
    honest = TransactionMetadata.initialized

    def initialized(self, timeout_ms, expected_epoch, now_ms):
        after = honest(self, timeout_ms, expected_epoch, now_ms)
        return None if after is None else replace(after, epoch=max(0, self.epoch))

    patch.setattr(TransactionMetadata, "initialized", initialized)


MUTANTS = (
    Mutant(
        "markers not written",
        "a leader acknowledges a transaction marker that it has not appended",
        markers_not_written,
        Law(NEW, "a committed transaction is whole"),
    ),
    Mutant(
        "marker in the next partition",
        "a transaction marker is appended to another partition than it was meant for",
        marker_in_the_next_partition,
        Law(NEW, "a committed transaction is whole"),
    ),
    Mutant(
        "every marker commits",
        "an aborted transaction is ended by a COMMIT marker",
        every_marker_commits,
        Law(NEW, "no aborted data"),
    ),
    Mutant(
        "first partition only",
        "the coordinator asks for no more markers once one partition has its own",
        first_partition_only,
        Law(NEW, "a committed transaction is whole"),
        quick=False,
    ),
    Mutant(
        "stable is the watermark",
        "the last stable offset is the high watermark",
        stable_is_the_watermark,
        Law(NEW, "no aborted data"),
    ),
    Mutant(
        "aborted not handed out",
        "a FETCH answer has no list of aborted transactions",
        aborted_not_handed_out,
        Law(NEW, "no aborted data"),
    ),
    Mutant(
        "aborted not left out",
        "the consumer does not look at the list of aborted transactions",
        aborted_not_left_out,
        Law(OLD, "no aborted data"),
    ),
    Mutant(
        "aborted for ever",
        "after an aborted transaction all later ones of the producer are left out",
        aborted_for_ever,
        Law(OLD, "a committed transaction is whole"),
    ),
    Mutant(
        "decided and forgotten",
        "a new coordinator does not finish what its predecessor had decided",
        decided_and_forgotten,
        Law(OLD, "a committed transaction is whole", seeds=300),
        quick=False,
    ),
    Mutant(
        "same epoch again",
        "INIT_PRODUCER_ID does not raise the epoch of a transactional id",
        same_epoch_again,
        Law(OLD, "what was acknowledged stays"),
    ),
)
