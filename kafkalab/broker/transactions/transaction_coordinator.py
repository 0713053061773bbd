"""TransactionCoordinator: begins, decides and ends the transactions of one broker's ids, and
aborts those that take too long.

The coordinator of an id is the leader of its partition of `__transaction_state`. It gives the
producer its epoch, adds partitions and groups, writes the decision to its log, and sends the
markers (`transaction_markers`). Once Prepare* is in the log the outcome is fixed: if the
coordinator dies then, the next one reads it and sends the markers.

A step is made when the replicas in sync have its record. Until then other requests get
CONCURRENT_TRANSACTIONS. Left out: authorization, two-phase commit by an outside coordinator
(KIP-939).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import (
    OFFSETS_TOPIC,
    TRANSACTION_TOPIC,
    ClusterState,
    Partition,
)
from kafkalab.broker.effects import Caller, Effect, Note, SetTimer
from kafkalab.broker.server_log import ServerLog, silent_log
from kafkalab.broker.steps import Refusal, Step, answers, run, together, unheard
from kafkalab.broker.transactions.transaction_log import TransactionLog
from kafkalab.broker.transactions.transaction_markers import RETRY_MS, TransactionMarkers
from kafkalab.broker.transactions.transaction_metadata import (
    NO_EPOCH,
    NO_PRODUCER_ID,
    Place,
    TransactionMetadata,
    is_exhausted,
)
from kafkalab.broker.transactions.transaction_state import TransactionState
from kafkalab.broker.wire_changes import WireChange
from kafkalab.errors import Errors
from kafkalab.protocol import messages as m
from kafkalab.releases import BrokerProfile

LOADING_MS = 20
"""How long a new coordinator reads a partition of the transaction log with records. Until then it
answers COORDINATOR_LOAD_IN_PROGRESS (14)."""

SCAN = ("transactions", "scan")
_S = TransactionState
AT_REST = (_S.EMPTY, _S.COMPLETE_COMMIT, _S.COMPLETE_ABORT)
COMPLETE = {True: _S.COMPLETE_COMMIT, False: _S.COMPLETE_ABORT}


class TransactionCoordinator:
    """The transactional ids whose partitions this broker leads.

    server_log: the broker's log, into which the lines of the coordinator go; None keeps none.
    next_producer_id: gives a new producer id, or None while a block of them is on its way
    (`producer_ids`).
    """

    def __init__(
        self,
        node_id: int,
        profile: BrokerProfile,
        cluster: ClusterState,
        config: BrokerConfig,
        next_producer_id: Callable[[Caller | None, int], int | None],
        log: TransactionLog,
        server_log: ServerLog | None = None,
    ) -> None:
        self._say = silent_log(profile.name) if server_log is None else server_log
        self._node_id = node_id
        self._profile = profile
        self._cluster = cluster
        self._config = config
        self._next_producer_id = next_producer_id
        self._log = log
        self._markers = TransactionMarkers(cluster, self._epoch_of)
        self._records: dict[int, dict[str, TransactionMetadata]] = {}
        self._pending: dict[str, TransactionMetadata] = {}
        self._loaded: dict[int, int] = {}
        self._loading: dict[int, None] = {}
        self._scans = False
        self._scan_interval_ms = config.transaction_abort_timed_out_transaction_cleanup_interval_ms

    # -- called by the shell

    def on_timer(self, key: tuple[Any, ...], now_ms: int) -> list[Effect]:
        if key == SCAN:
            return self._scan(now_ms)
        if key[1] == "loaded":
            return self._resume(key[2], now_ms)
        record = self._mine(key[2])
        # if this broker leads in a newer epoch now, it reads the log again and sends the markers of
        # decided transactions
        if record is None:
            return self._begin_loading(self._partition(key[2]), now_ms)
        if not record.is_prepared or key[2] in self._pending:
            return []
        return self._mark(record, now_ms)

    def on_reply(self, tag: tuple[Any, ...], response: Any, now_ms: int) -> list[Effect]:
        """A leader has answered WRITE_TXN_MARKERS. The log does not record written markers, so a
        new coordinator writes them all again."""
        record = self._mine(tag[2])
        if record is None:
            return self._begin_loading(self._partition(tag[2]), now_ms)
        if not record.is_prepared or tag[2] in self._pending:
            return []
        return run(self._marked(record, tag, response, now_ms))

    def _marked(
        self, record: TransactionMetadata, tag: tuple[Any, ...], response: Any, now_ms: int
    ) -> Step[None]:
        after = yield from self._markers.answered(record, tag, response, now_ms)
        self._records[self._partition(tag[2])][tag[2]] = after
        if not after.partitions:
            yield from self._complete(after, now_ms)

    def load(self, now_ms: int) -> list[Effect]:
        """The process has started: read the partitions that this broker leads."""
        effects: list[Effect] = []
        for partition in self._log.partitions():
            effects += self._begin_loading(partition, now_ms)
        return effects

    def process_started(self) -> None:
        """The process has started (TransactionCoordinator.startup)."""
        self._say("TRANSACTION_COORDINATOR_STARTING")
        self._say("TRANSACTION_COORDINATOR_STARTED")

    def leader_changed(self, partition: int, now_ms: int) -> list[Effect]:
        """A partition of the transaction log has another leader, this broker or another one
        (onElection)."""
        found = self._cluster.partition(TRANSACTION_TOPIC, partition)
        if found is not None and self._node_id in found.replicas:
            self.says_its_role(found)
        return self._begin_loading(partition, now_ms)

    def says_its_role(self, partition: Partition) -> None:
        """Write whether this broker coordinates the ids of a partition."""
        leads = partition.leader == self._node_id
        self._say(
            "TRANSACTION_COORDINATOR_ELECTED" if leads else "TRANSACTION_COORDINATOR_RESIGNED",
            index=partition.index,
            epoch=partition.leader_epoch,
        )

    def forget(self) -> None:
        """Drop the state in memory: the process has died."""
        for memory in (self._records, self._pending, self._loaded, self._loading):
            memory.clear()
        self._scans = False

    def record_of(self, transactional_id: str) -> TransactionMetadata | None:
        """The id's metadata; None where another broker coordinates it, or it is unknown."""
        return self._mine(transactional_id)

    # -- INIT_PRODUCER_ID

    @answers(m.InitProducerIdResponse)
    def init_producer_id(
        self, request: m.InitProducerIdRequest, caller: Caller, now_ms: int
    ) -> Step[m.InitProducerIdResponse]:
        """Give a producer its id and epoch. The next epoch fences the producer that had the
        transactional id before, and its transaction is aborted."""
        id = yield from self._usable(request.transactional_id, now_ms)
        if not 0 < request.transaction_timeout_ms <= self._config.transaction_max_timeout_ms:
            raise Refusal(Errors.INVALID_TRANSACTION_TIMEOUT)
        yield from self._expire(id, now_ms)
        found = self._find(id, now_ms)
        if found is None and id in self._pending:
            raise Refusal(Errors.CONCURRENT_TRANSACTIONS)
        if found is None:
            found = TransactionMetadata(
                transactional_id=id,
                producer_id=self._draw_id(caller, now_ms),
                timeout_ms=request.transaction_timeout_ms,
                updated_ms=now_ms,
            )
        after = self._initialized(found, request, caller, now_ms)
        if after.state is TransactionState.PREPARE_EPOCH_FENCE:
            yield from self._decide(after, False, self._raises_epochs, caller, now_ms)
            raise Refusal(Errors.CONCURRENT_TRANSACTIONS)
        try:
            yield from self._write(after, now_ms)
        except Refusal as refusal:
            self._say("TRANSACTIONAL_ID_REFUSED", error=refusal.error.name, transactional_id=id)
            raise
        self._say(
            "TRANSACTIONAL_ID_INITIALIZED",
            transactional_id=id,
            producer_id=after.producer_id,
            producer_epoch=after.epoch,
            index=self._partition(id),
        )
        return m.InitProducerIdResponse(producer_id=after.producer_id, producer_epoch=after.epoch)

    def _draw_id(self, caller: Caller | None, now_ms: int) -> int:
        producer_id = self._next_producer_id(caller, now_ms)
        if producer_id is None:
            raise Refusal(Errors.COORDINATOR_LOAD_IN_PROGRESS)
        return producer_id

    def _initialized(
        self,
        found: TransactionMetadata,
        request: m.InitProducerIdRequest,
        caller: Caller,
        now_ms: int,
    ) -> TransactionMetadata:
        """The id's next metadata (prepareInitProducerIdTransit)."""
        expected = None if request.producer_id == NO_PRODUCER_ID else request.producer_epoch
        if expected is not None and not self._knows(found, request.producer_id, expected):
            raise Refusal(self._fenced(caller, WireChange.INIT_NAMES_FENCING))
        if found.is_prepared or found.transactional_id in self._pending:
            raise Refusal(Errors.CONCURRENT_TRANSACTIONS)
        if found.state is TransactionState.ONGOING:
            return found.fenced()
        if is_exhausted(found.epoch) and expected in (None, found.epoch):
            return found.with_new_id(
                self._draw_id(caller, now_ms),
                request.transaction_timeout_ms,
                expected is not None,
                now_ms,
            )
        after = found.initialized(request.transaction_timeout_ms, expected, now_ms)
        if after is None:
            raise Refusal(self._fenced(caller, WireChange.INIT_NAMES_FENCING))
        return after

    def _knows(self, found: TransactionMetadata, producer_id: int, epoch: int) -> bool:
        """Whether this producer id is the present one, or the previous one whose epochs are used up
        (KIP-360)."""
        return (
            found.epoch == NO_EPOCH
            or producer_id == found.producer_id
            or (producer_id == found.previous_producer_id and is_exhausted(epoch))
        )

    # -- partitions and groups join the transaction

    @answers(m.AddPartitionsToTxnResponse)
    def add_partitions(
        self, request: m.AddPartitionsToTxnRequest, caller: Caller, now_ms: int
    ) -> Step[m.AddPartitionsToTxnResponse]:
        """Add partitions to the transaction; a broker's request can also verify that they are in it
        (KIP-890)."""
        if WireChange.ADD_PARTITIONS_OF_SEVERAL.holds_for(caller.header):
            found = yield from together(
                [
                    self._add_or_verify(one, Errors.PRODUCER_FENCED, now_ms)
                    for one in request.transactions
                ]
            )
            return m.AddPartitionsToTxnResponse(
                results_by_transaction=tuple(
                    m.AddPartitionsToTxnResult(
                        transactional_id=one.transactional_id, topic_results=topics
                    )
                    for one, topics in zip(request.transactions, found, strict=True)
                )
            )
        asked = m.AddPartitionsToTxnTransaction(
            transactional_id=request.v3_and_below_transactional_id,
            producer_id=request.v3_and_below_producer_id,
            producer_epoch=request.v3_and_below_producer_epoch,
            topics=request.v3_and_below_topics,
        )
        fenced = self._fenced(caller, WireChange.ADD_PARTITIONS_NAMES_FENCING)
        topics = yield from self._add_or_verify(asked, fenced, now_ms)
        return m.AddPartitionsToTxnResponse(results_by_topic_v3_and_below=topics)

    def _add_or_verify(
        self, asked: m.AddPartitionsToTxnTransaction, fenced: Errors, now_ms: int
    ) -> Step[tuple[m.AddPartitionsToTxnTopicResult, ...]]:
        places = tuple(
            (topic.name, number) for topic in asked.topics for number in topic.partitions
        )
        unknown = [place for place in places if self._cluster.partition(*place) is None]
        # with an unknown partition none is added (KafkaApis.handleAddPartitionsToTxnRequest)
        if unknown:
            return _results(
                asked.topics,
                lambda place: (
                    Errors.UNKNOWN_TOPIC_OR_PARTITION
                    if place in unknown
                    else Errors.OPERATION_NOT_ATTEMPTED
                ),
            )
        producer = asked.producer_id, asked.producer_epoch
        try:
            id = yield from self._usable(asked.transactional_id, now_ms)
            if not asked.verify_only:
                yield from self._join(id, producer, places, fenced, now_ms)
                return _results(asked.topics, lambda place: Errors.NONE)
            joined = self._owned(id, producer, fenced, now_ms).partitions
        except Refusal as refusal:
            error = refusal.error
            return _results(asked.topics, lambda place: error)
        return _results(
            asked.topics,
            lambda place: Errors.NONE if place in joined else Errors.TRANSACTION_ABORTABLE,
        )

    @answers(m.AddOffsetsToTxnResponse)
    def add_offsets(
        self, request: m.AddOffsetsToTxnRequest, caller: Caller, now_ms: int
    ) -> Step[m.AddOffsetsToTxnResponse]:
        """Add a group, which is its partition of the offsets topic, to the transaction."""
        id = yield from self._usable(request.transactional_id, now_ms)
        place = (OFFSETS_TOPIC, self._cluster.offsets_partition_of(request.group_id))
        producer = request.producer_id, request.producer_epoch
        fenced = self._fenced(caller, WireChange.ADD_OFFSETS_NAMES_FENCING)
        yield from self._join(id, producer, (place,), fenced, now_ms)
        return m.AddOffsetsToTxnResponse()

    def _join(
        self,
        transactional_id: str,
        producer: tuple[int, int],
        places: tuple[Place, ...],
        fenced: Errors,
        now_ms: int,
    ) -> Step[None]:
        found = self._owned(transactional_id, producer, fenced, now_ms)
        if found.state is TransactionState.ONGOING and set(places) <= set(found.partitions):
            return
        yield from self._write(found.with_partitions(places, now_ms), now_ms)
        yield from self._keep_scanning(now_ms)

    def _owned(
        self, transactional_id: str, producer: tuple[int, int], fenced: Errors, now_ms: int
    ) -> TransactionMetadata:
        """The id's metadata, where it is this producer's and no decision is under way."""
        found = self._find(transactional_id, now_ms)
        if found is None or found.producer_id != producer[0]:
            raise Refusal(Errors.INVALID_PRODUCER_ID_MAPPING)
        if found.epoch != producer[1]:
            raise Refusal(fenced)
        if found.is_prepared or transactional_id in self._pending:
            raise Refusal(Errors.CONCURRENT_TRANSACTIONS)
        return found

    # -- END_TXN

    @property
    def _raises_epochs(self) -> bool:
        return self._profile.transaction_version >= 2

    @answers(m.EndTxnResponse)
    def end_txn(
        self, request: m.EndTxnRequest, caller: Caller, now_ms: int
    ) -> Step[m.EndTxnResponse]:
        """Commit or abort. The answer is sent when the decision is written; the markers follow."""
        raises = WireChange.END_TXN_RAISES_EPOCH.holds_for(caller.header) and self._raises_epochs
        id = yield from self._usable(request.transactional_id, now_ms)
        found = self._find(id, now_ms)
        if found is None:
            raise Refusal(Errors.INVALID_PRODUCER_ID_MAPPING)
        if self._is_to_end(found, request, raises, caller):
            # an abort of a transaction that the coordinator does not have: only the epoch grows
            if found.state is not TransactionState.ONGOING:
                found = found.with_partitions((), now_ms)
            found = yield from self._decide(found, request.committed, raises, caller, now_ms)
        if not raises:
            return m.EndTxnResponse()
        if found.next_producer_id != NO_PRODUCER_ID:
            return m.EndTxnResponse(producer_id=found.next_producer_id, producer_epoch=0)
        return m.EndTxnResponse(producer_id=found.producer_id, producer_epoch=found.epoch)

    def _is_to_end(
        self, found: TransactionMetadata, request: m.EndTxnRequest, raises: bool, caller: Caller
    ) -> bool:
        """Whether the transaction has to be ended; a retry of an END_TXN that is done has not."""
        overflown = (
            found.bumps_epoch
            and found.previous_producer_id == request.producer_id
            and is_exhausted(request.producer_epoch)
            and found.epoch == 0
        )
        if found.producer_id != request.producer_id and not overflown:
            raise Refusal(Errors.INVALID_PRODUCER_ID_MAPPING)
        # an abort for its age looks so, too: who aborts it late gets the new epoch
        is_retry = overflown or (found.bumps_epoch and found.epoch == request.producer_epoch + 1)
        if (found.epoch != request.producer_epoch and not is_retry) or (
            is_retry and found.state in (_S.EMPTY, _S.ONGOING)
        ):
            raise Refusal(self._fenced(caller, WireChange.END_TXN_NAMES_FENCING))
        # once the decision is written, the move to Complete is pending
        if found.is_prepared or found.transactional_id in self._pending:
            raise Refusal(Errors.CONCURRENT_TRANSACTIONS)
        if found.state is TransactionState.ONGOING:
            return True
        if raises and not is_retry and not request.committed and found.state in AT_REST:
            return True
        if found.state is not COMPLETE[request.committed]:
            raise Refusal(Errors.INVALID_TXN_STATE)
        return False

    def _decide(
        self,
        found: TransactionMetadata,
        committed: bool,
        bumps_epoch: bool,
        caller: Caller | None,
        now_ms: int,
    ) -> Step[TransactionMetadata]:
        """Write the decision, send the markers, and return the decision."""
        next_id = NO_PRODUCER_ID
        if bumps_epoch and found.state is TransactionState.ONGOING and is_exhausted(found.epoch):
            next_id = self._draw_id(caller, now_ms)
        decided = found.decided(committed, bumps_epoch, next_id, now_ms)
        yield from self._write(decided, now_ms)
        yield from self._mark(decided, now_ms)
        return decided

    def _mark(self, decided: TransactionMetadata, now_ms: int) -> list[Effect]:
        """Send the markers of a decided transaction; nobody waits for them."""
        if decided.partitions:
            return self._markers.send(decided, now_ms)
        return run(self._complete(decided, now_ms))

    def _complete(self, record: TransactionMetadata, now_ms: int) -> Step[None]:
        """Write Complete*, after every marker is written. After an error it is tried again."""
        try:
            yield from self._write(record.completed(now_ms), now_ms)
        except Refusal:
            yield SetTimer(("transactions", "retry", record.transactional_id), now_ms + RETRY_MS)

    # -- transaction time-outs

    def _keep_scanning(self, now_ms: int) -> list[Effect]:
        """Set the timer of the check for timed-out transactions, at the next multiple of the
        interval (transaction-abort)."""
        if self._scans:
            return []
        self._scans = True
        return [SetTimer(SCAN, (now_ms // self._scan_interval_ms + 1) * self._scan_interval_ms)]

    def _scan(self, now_ms: int) -> list[Effect]:
        self._scans = False
        effects: list[Effect] = []
        still_open = False
        # the leader epoch may have grown under the same leader: a replica that leaves the ISR
        # raises it
        for partition in list(self._loaded):
            effects += self._begin_loading(partition, now_ms)
        for partition in self._led():
            for record in list(self._records[partition].values()):
                if record.state is not TransactionState.ONGOING:
                    continue
                still_open = True
                if (
                    record.started_ms + record.timeout_ms < now_ms
                    and record.transactional_id not in self._pending
                ):
                    effects += unheard(self._roll_back(record, now_ms))
        return effects + (self._keep_scanning(now_ms) if still_open else [])

    def _roll_back(self, record: TransactionMetadata, now_ms: int) -> Step[None]:
        """Abort a transaction that lasted too long."""
        yield from self._decide(record.fenced(), False, self._raises_epochs, None, now_ms)
        self._say("TRANSACTION_TIMED_OUT", transactional_id=record.transactional_id)

    # -- loading

    def _begin_loading(self, index: int, now_ms: int) -> list[Effect]:
        """Read the partition if this broker leads it in a new epoch; forget it if another broker
        leads it."""
        partition = self._cluster.partition(TRANSACTION_TOPIC, index)
        if partition is None or partition.leader != self._node_id:
            for memory in (self._loaded, self._records, self._loading):
                memory.pop(index, None)
            return []
        if self._loaded.get(index) == partition.leader_epoch:
            return []
        self._loaded[index], self._records[index] = partition.leader_epoch, {}
        if not self._log.has_records(index):
            return []
        self._loading[index] = None
        self._say("TRANSACTIONS_LOADING", index=index, epoch=partition.leader_epoch)
        return [SetTimer(("transactions", "loaded", index), now_ms + LOADING_MS)]

    def _resume(self, index: int, now_ms: int) -> list[Effect]:
        """The log has been read: send the markers of decided transactions, and watch the open
        ones."""
        if index not in self._loading:
            return []
        del self._loading[index]
        self._records[index] = self._log.read(index)
        self._say(
            "TRANSACTIONS_READ",
            count=len(self._records[index]),
            index=index,
            elapsed_ms=LOADING_MS,
            scheduler_ms=0,
        )
        effects: list[Effect] = []
        for record in list(self._records[index].values()):
            effects.append(
                Note.of(
                    "transaction.loaded",
                    of=record.transactional_id,
                    state=record.state.value,
                    **_details(record),
                )
            )
            if record.is_prepared:
                effects += self._mark(record, now_ms)
            elif record.state is TransactionState.ONGOING:
                effects += self._keep_scanning(now_ms)
        return effects

    # -- helpers

    def _usable(self, transactional_id: str | None, now_ms: int) -> Step[str]:
        """The id, where this broker can serve it now."""
        if not transactional_id:
            raise Refusal(Errors.INVALID_REQUEST)
        index = self._partition(transactional_id)
        partition = self._cluster.partition(TRANSACTION_TOPIC, index)
        if partition is None or partition.leader != self._node_id:
            raise Refusal(Errors.NOT_COORDINATOR)
        yield from self._begin_loading(index, now_ms)
        if index in self._loading:
            raise Refusal(Errors.COORDINATOR_LOAD_IN_PROGRESS)
        return transactional_id

    def _fenced(self, caller: Caller, named: WireChange) -> Errors:
        """The error for a fenced producer; older brokers and requests do not have
        PRODUCER_FENCED."""
        by_name = self._profile.fences_by_name and named.holds_for(caller.header)
        return Errors.PRODUCER_FENCED if by_name else Errors.INVALID_PRODUCER_EPOCH

    def _find(self, transactional_id: str, now_ms: int) -> TransactionMetadata | None:
        """The id's metadata; None for a new id, or one not used for
        transactional.id.expiration.ms."""
        found = self._records[self._partition(transactional_id)].get(transactional_id)
        return None if found is not None and self._is_expired(found, now_ms) else found

    def _is_expired(self, record: TransactionMetadata, now_ms: int) -> bool:
        return (
            record.state in AT_REST
            and now_ms - record.updated_ms >= self._config.transactional_id_expiration_ms
        )

    def _expire(self, transactional_id: str, now_ms: int) -> list[Effect]:
        """Remove an expired id (removeExpiredTransactionalIds). Kafka checks every hour; here it is
        checked when the id is used."""
        index = self._partition(transactional_id)
        found = self._records[index].get(transactional_id)
        if (
            found is None
            or transactional_id in self._pending
            or not self._is_expired(found, now_ms)
        ):
            return []
        found.dead()  # checks that the table of states has this move; the record is gone after it
        del self._records[index][transactional_id]
        return self._log.delete(index, transactional_id, now_ms)

    def _mine(self, transactional_id: str) -> TransactionMetadata | None:
        """The id's metadata, while this broker is its coordinator and has read its partition."""
        index = self._partition(transactional_id)
        return self._records[index].get(transactional_id) if self._is_read(index) else None

    def _is_read(self, index: int) -> bool:
        partition = self._cluster.partition(TRANSACTION_TOPIC, index)
        return (
            partition is not None
            and partition.leader == self._node_id
            and self._loaded.get(index) == partition.leader_epoch
            and index not in self._loading
        )

    def _led(self) -> list[int]:
        return [index for index in self._loaded if self._is_read(index)]

    def _write(self, record: TransactionMetadata, now_ms: int) -> Step[None]:
        """Append the record and wait until it is replicated. It is refused where it could not be
        written, or another broker has read the log since."""
        id, index = record.transactional_id, self._partition(record.transactional_id)
        epoch = self._loaded.get(index)
        self._pending[id] = record
        try:
            yield from self._log.append(index, record, now_ms)
        finally:
            if self._pending.get(id) is record:
                del self._pending[id]
        if self._loaded.get(index) != epoch or not self._is_read(index):
            raise Refusal(Errors.NOT_COORDINATOR)
        before = self._records[index].get(id)
        self._records[index][id] = record
        yield _state_note(record, before)

    def _partition(self, transactional_id: str) -> int:
        return self._cluster.transaction_partition(transactional_id).index

    def _epoch_of(self, transactional_id: str) -> int:
        """The coordinator epoch: the leader epoch of the id's partition."""
        return self._cluster.transaction_partition(transactional_id).leader_epoch


def _state_note(record: TransactionMetadata, before: TransactionMetadata | None) -> Note:
    return Note.of(
        "state",
        machine="transaction",
        of=record.transactional_id,
        before=None if before is None else before.state.value,
        after=record.state.value,
        **_details(record),
    )


def _details(record: TransactionMetadata) -> dict[str, Any]:
    """The other fields of a step's journal event."""
    return {
        "producer_id": record.producer_id,
        "epoch": record.epoch,
        "timeout_ms": record.timeout_ms,
        "started_at_ms": record.started_ms,
        "partitions": tuple(f"{topic}-{number}" for topic, number in record.partitions),
    }


def _results(
    topics: tuple[m.AddPartitionsToTxnTopic, ...], error_of: Callable[[Place], Errors]
) -> tuple[m.AddPartitionsToTxnTopicResult, ...]:
    return tuple(
        m.AddPartitionsToTxnTopicResult(
            name=topic.name,
            results_by_partition=tuple(
                m.AddPartitionsToTxnPartitionResult(
                    partition_index=number, partition_error_code=error_of((topic.name, number)).code
                )
                for number in topic.partitions
            ),
        )
        for topic in topics
    )
