"""TransactionState: the states of a transaction, and from where each may be reached.

The enum stood inside TransactionMetadata until 4.0. Two of the states are never at rest:
PrepareEpochFence is passed on the way from Ongoing to PrepareAbort, when somebody else than the
producer ends the transaction; Dead is passed when an idle id is forgotten.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType


class TransactionState(enum.Enum):
    """The values are Kafka's names."""

    EMPTY = "Empty"
    """A producer has this id, and has written nothing yet.

    action: INIT_PRODUCER_ID raises the epoch; the first partition or group opens a transaction.
    Next: Ongoing, Dead."""
    ONGOING = "Ongoing"
    """Partitions and groups join the transaction, records are written.

    Next: PrepareCommit or PrepareAbort by END_TXN; PrepareEpochFence by another producer's
    INIT_PRODUCER_ID or by the time-out."""
    PREPARE_COMMIT = "PrepareCommit"
    """Decided, and the decision stands in the log: markers are on their way.
    Next: CompleteCommit."""
    PREPARE_ABORT = "PrepareAbort"
    """Decided likewise. Next: CompleteAbort."""
    COMPLETE_COMMIT = "CompleteCommit"
    """Every partition has its marker. Next: Ongoing with the next transaction,
    Empty with INIT_PRODUCER_ID, Dead."""
    COMPLETE_ABORT = "CompleteAbort"
    """As CompleteCommit."""
    DEAD = "Dead"
    """Unused for transactional.id.expiration.ms, and forgotten."""
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
"""State -> from where it may be reached (TransactionMetadata.validPreviousStates)."""

TRANSITIONS: Mapping[TransactionState, tuple[TransactionState, ...]] = MappingProxyType(
    {
        state: tuple(after for after, before in PREVIOUS_STATES.items() if state in before)
        for state in TransactionState
    }
)
"""The same the other way round: state -> where it may go. For pictures and tables."""


def legal_from(target: TransactionState) -> tuple[TransactionState, ...]:
    """The states from which `target` may be reached."""
    return PREVIOUS_STATES[target]


def illegal_from(target: TransactionState) -> tuple[TransactionState, ...]:
    """The states from which it may not."""
    return tuple(state for state in TransactionState if state not in PREVIOUS_STATES[target])
