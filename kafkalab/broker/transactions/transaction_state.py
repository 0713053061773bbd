"""TransactionState: the states of a transaction, and the states that each may follow.

Kafka's enum has this name; until 4.0 it was in TransactionMetadata's file. Two of the states are
left at once: PrepareEpochFence, between Ongoing and PrepareAbort, when the coordinator and not the
producer ends the transaction; and Dead, when an idle id is removed.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType


class TransactionState(enum.Enum):
    """The state of a transactional id; the values are Kafka's names."""

    EMPTY = "Empty"
    """A producer has this id, and has written nothing yet.

    action: INIT_PRODUCER_ID raises the epoch; the first partition or group opens a transaction.
    Next: Ongoing, Dead."""
    ONGOING = "Ongoing"
    """Partitions and groups join the transaction, records are written.

    Next: PrepareCommit or PrepareAbort by END_TXN; PrepareEpochFence by another producer's
    INIT_PRODUCER_ID or by the time-out."""
    PREPARE_COMMIT = "PrepareCommit"
    """The decision to commit is in the log, and the markers are sent.
    Next: CompleteCommit."""
    PREPARE_ABORT = "PrepareAbort"
    """The decision to abort is in the log, and the markers are sent. Next: CompleteAbort."""
    COMPLETE_COMMIT = "CompleteCommit"
    """Every partition has its marker. Next: Ongoing with the next transaction,
    Empty with INIT_PRODUCER_ID, Dead."""
    COMPLETE_ABORT = "CompleteAbort"
    """As CompleteCommit."""
    DEAD = "Dead"
    """The id was not used for transactional.id.expiration.ms and is removed."""
    PREPARE_EPOCH_FENCE = "PrepareEpochFence"
    """The epoch is being raised so that the old producer cannot end the transaction itself.
    Next: PrepareAbort."""


_S = TransactionState
PREVIOUS_STATES: Mapping[TransactionState, tuple[TransactionState, ...]] = MappingProxyType(
    {
        _S.EMPTY: (_S.EMPTY, _S.COMPLETE_COMMIT, _S.COMPLETE_ABORT),
        _S.ONGOING: (_S.ONGOING, _S.EMPTY, _S.COMPLETE_COMMIT, _S.COMPLETE_ABORT),
        _S.PREPARE_COMMIT: (_S.ONGOING,),
        _S.PREPARE_ABORT: (_S.ONGOING, _S.PREPARE_EPOCH_FENCE),
        _S.COMPLETE_COMMIT: (_S.PREPARE_COMMIT,),
        _S.COMPLETE_ABORT: (_S.PREPARE_ABORT,),
        _S.DEAD: (_S.EMPTY, _S.COMPLETE_ABORT, _S.COMPLETE_COMMIT),
        _S.PREPARE_EPOCH_FENCE: (_S.ONGOING,),
    }
)
"""State -> the states that it may follow (TransactionMetadata.validPreviousStates)."""

TRANSITIONS: Mapping[TransactionState, tuple[TransactionState, ...]] = MappingProxyType(
    {
        state: tuple(after for after, before in PREVIOUS_STATES.items() if state in before)
        for state in TransactionState
    }
)
"""State -> the states that may follow, for pictures and tables."""


def legal_from(target: TransactionState) -> tuple[TransactionState, ...]:
    """The states from which `target` may be reached."""
    return PREVIOUS_STATES[target]


def illegal_from(target: TransactionState) -> tuple[TransactionState, ...]:
    """The states from which `target` may not be reached."""
    return tuple(state for state in TransactionState if state not in PREVIOUS_STATES[target])
