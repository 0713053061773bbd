"""Lists the lines that a transaction coordinator writes into a broker's server.log."""

from __future__ import annotations

from kafkalab.lines.server_entry import JARS, either, kraft, server_line, zk

COORDINATOR = "kafka.coordinator.transaction.TransactionCoordinator"
STORE = "kafka.coordinator.transaction.TransactionStateManager"
T = "[TransactionCoordinator id={broker_id}] "
M = "[Transaction State Manager {broker_id}]: "

ENTRIES = (
    server_line("TRANSACTION_COORDINATOR_STARTING", either(T + "Starting up.", COORDINATOR)),
    server_line("TRANSACTION_COORDINATOR_STARTED", either(T + "Startup complete.", COORDINATOR)),
    server_line(
        "TRANSACTIONAL_ID_INITIALIZED",
        either(T + "Initialized transactionalId {transactional_id} with producerId {producer_id} "
             "and producer epoch {producer_epoch} on partition __transaction_state-{index}",
             COORDINATOR),
    ),
    server_line(
        "TRANSACTIONAL_ID_REFUSED",
        either(T + "Returning {error} error code to client for {transactional_id}'s InitProducerId "
             "request", COORDINATOR),
        source=JARS,
    ),
    server_line(
        "TRANSACTION_TIMED_OUT",
        zk(T + "Completed rollback ongoing transaction of transactionalId: {transactional_id} due "
            "to timeout", COORDINATOR),
        kraft(T + "Completed rollback of ongoing transaction for transactionalId "
            "{transactional_id} due to timeout", COORDINATOR),
    ),
    server_line(
        "TRANSACTION_COORDINATOR_ELECTED",
        kraft(T + "Elected as the txn coordinator for partition {index} at epoch {epoch}",
            COORDINATOR),
    ),
    server_line(
        "TRANSACTION_COORDINATOR_RESIGNED",
        kraft(T + "Resigned as the txn coordinator for partition {index} at epoch Some({epoch})",
            COORDINATOR),
    ),
    server_line(
        "TRANSACTIONS_LOADING",
        zk(M + "Loading transaction metadata from __transaction_state-{index}", STORE),
        kraft(M + "Loading transaction metadata from __transaction_state-{index} at epoch {epoch}",
            STORE),
    ),
    server_line(
        "TRANSACTIONS_READ",
        zk(M + "Finished loading {count} transaction metadata from __transaction_state-{index} in "
            "{elapsed_ms} milliseconds", STORE),
        kraft(M + "Finished loading {count} transaction metadata from __transaction_state-{index} "
            "in {elapsed_ms} milliseconds, of which {scheduler_ms} milliseconds was spent in the "
            "scheduler.", STORE),
    ),
)  # fmt: skip
