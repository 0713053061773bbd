"""Where does a producer stand with its id and its transactions? (TransactionManager.State)

One table for all versions. Until 2.3 there was no way back from READY to UNINITIALIZED nor from the
end of a transaction to INITIALIZING: the epoch could not be raised by the client (KIP-360). Left
out: PREPARED_TRANSACTION, for two-phase commit (KIP-939).
"""

from __future__ import annotations

import enum


class State(enum.Enum):
    UNINITIALIZED = "UNINITIALIZED"
    """No producer id. Next: INITIALIZING, when initTransactions is called or an idempotent
    producer's Sender first looks."""
    INITIALIZING = "INITIALIZING"
    """INIT_PRODUCER_ID is wanted or under way. Next: READY with an id."""
    READY = "READY"
    """There is an id and no transaction. An idempotent producer stays here.
    Next: IN_TRANSACTION by beginTransaction."""
    IN_TRANSACTION = "IN_TRANSACTION"
    """Records are sent, offsets are added. Next: COMMITTING_TRANSACTION, ABORTING_TRANSACTION,
    or ABORTABLE_ERROR."""
    COMMITTING_TRANSACTION = "COMMITTING_TRANSACTION"
    """END_TXN follows as soon as every batch has its answer. Next: READY."""
    ABORTING_TRANSACTION = "ABORTING_TRANSACTION"
    """As committing, but batches that have not left are dropped.
    Next: READY, or INITIALIZING for a new epoch."""
    ABORTABLE_ERROR = "ABORTABLE_ERROR"
    """The transaction cannot be committed. Next: ABORTING_TRANSACTION by abortTransaction."""
    FATAL_ERROR = "FATAL_ERROR"
    """Fenced, or otherwise at an end. Only close() is left."""


_S = State
TRANSITIONS = {
    _S.UNINITIALIZED: {_S.INITIALIZING, _S.FATAL_ERROR},
    _S.INITIALIZING: {_S.READY, _S.ABORTABLE_ERROR, _S.FATAL_ERROR},
    _S.READY: {_S.UNINITIALIZED, _S.IN_TRANSACTION, _S.FATAL_ERROR},
    _S.IN_TRANSACTION: {
        _S.COMMITTING_TRANSACTION,
        _S.ABORTING_TRANSACTION,
        _S.ABORTABLE_ERROR,
        _S.FATAL_ERROR,
    },
    _S.COMMITTING_TRANSACTION: {_S.INITIALIZING, _S.READY, _S.ABORTABLE_ERROR, _S.FATAL_ERROR},
    _S.ABORTING_TRANSACTION: {_S.INITIALIZING, _S.READY, _S.FATAL_ERROR},
    _S.ABORTABLE_ERROR: {
        _S.UNINITIALIZED,
        _S.ABORTING_TRANSACTION,
        _S.ABORTABLE_ERROR,
        _S.FATAL_ERROR,
    },
    _S.FATAL_ERROR: {_S.FATAL_ERROR},
}
