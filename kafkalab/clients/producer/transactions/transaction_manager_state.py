"""The states of a producer's id and transaction, with the ways between them
(TransactionManager.State).

One table is enough for all versions. Until 2.3 no way led back from READY to UNINITIALIZED nor from
the end of a transaction to INITIALIZING: the client could not raise the epoch (KIP-360). Left out:
PREPARED_TRANSACTION, for two-phase commit (KIP-939).
"""

from __future__ import annotations

import enum


class State(enum.Enum):
    UNINITIALIZED = "UNINITIALIZED"
    """No producer id. Next: INITIALIZING, when initTransactions is called or an idempotent
    producer's Sender makes its first pass."""
    INITIALIZING = "INITIALIZING"
    """INIT_PRODUCER_ID is queued or under way. Next: READY with an id."""
    READY = "READY"
    """There is an id and no transaction. An idempotent producer stays here.
    Next: IN_TRANSACTION by beginTransaction."""
    IN_TRANSACTION = "IN_TRANSACTION"
    """Records are sent, offsets are added. Next: COMMITTING_TRANSACTION, ABORTING_TRANSACTION,
    or ABORTABLE_ERROR."""
    COMMITTING_TRANSACTION = "COMMITTING_TRANSACTION"
    """END_TXN follows as soon as every batch has its answer. Next: READY."""
    ABORTING_TRANSACTION = "ABORTING_TRANSACTION"
    """As committing, but batches that were not sent are dropped. Next: READY, or INITIALIZING for a
    new epoch."""
    ABORTABLE_ERROR = "ABORTABLE_ERROR"
    """The transaction cannot be committed. Next: ABORTING_TRANSACTION by abortTransaction."""
    FATAL_ERROR = "FATAL_ERROR"
    """Fenced, or another fatal error. Only close() is possible."""


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
