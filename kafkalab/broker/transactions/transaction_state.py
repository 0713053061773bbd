"""TransactionState: the states of a transaction, and the states that each may follow.

Kafka's enum has this name; until 4.0 it was in TransactionMetadata's file. Two of the states are
left at once: PrepareEpochFence, between Ongoing and PrepareAbort, when the coordinator and not the
producer ends the transaction; and Dead, when an idle id is removed.
"""

from __future__ import annotations

import enum

from kafkalab.moves import moves_of


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


PREVIOUS_STATES = {
    TransactionState[state]: tuple(TransactionState[name] for name in before.split())
    for state, before in {
        "EMPTY": "EMPTY COMPLETE_COMMIT COMPLETE_ABORT",
        "ONGOING": "ONGOING EMPTY COMPLETE_COMMIT COMPLETE_ABORT",
        "PREPARE_COMMIT": "ONGOING",
        "PREPARE_ABORT": "ONGOING PREPARE_EPOCH_FENCE",
        "COMPLETE_COMMIT": "PREPARE_COMMIT",
        "COMPLETE_ABORT": "PREPARE_ABORT",
        "DEAD": "EMPTY COMPLETE_ABORT COMPLETE_COMMIT",
        "PREPARE_EPOCH_FENCE": "ONGOING",
    }.items()
}
"""State -> the states that it may follow (TransactionMetadata.validPreviousStates)."""

MOVES = moves_of(
    TransactionState,
    *(
        f"{state.name} -> "
        + " ".join(after.name for after, before in PREVIOUS_STATES.items() if state in before)
        for state in TransactionState
    ),
)
"""State -> the states that may follow."""


def legal_from(target: TransactionState) -> tuple[TransactionState, ...]:
    """The states from which `target` may be reached."""
    return PREVIOUS_STATES[target]


def illegal_from(target: TransactionState) -> tuple[TransactionState, ...]:
    """The states from which `target` may not be reached."""
    return tuple(state for state in TransactionState if target not in MOVES[state])
