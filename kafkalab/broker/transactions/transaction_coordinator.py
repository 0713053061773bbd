"""TransactionCoordinator: begins, decides and ends the transactions of one broker's ids.

The coordinator of an id is the leader of its partition of `__transaction_state`. It gives the
producer its epoch, adds partitions and groups, writes the decision to its log, and sends the
markers (`transaction_markers`). Once Prepare* is in the log the outcome is fixed: if the
coordinator dies then, the next one reads it and sends the markers.

A step is made when the replicas in sync have its record. Until then other requests get
CONCURRENT_TRANSACTIONS. Left out: authorization, two-phase commit by an outside coordinator
(KIP-939).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import (
    OFFSETS_TOPIC,
    TRANSACTION_TOPIC,
    ClusterState,
    Partition,
)
from kafkalab.broker.effects import Caller, Effect, Note, Respond, SetTimer
from kafkalab.broker.server_log import ServerLog, silent_log
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
        interval_ms = config.transaction_abort_timed_out_transaction_cleanup_interval_ms
        self._scan_interval_ms = (
            profile.aborts_timed_out_every_ms if interval_ms is None else interval_ms
        )

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
        return (
            self._markers.send(record, now_ms)
            if record.partitions
            else self._complete(record, now_ms)
        )

    def on_reply(self, tag: tuple[Any, ...], response: Any, now_ms: int) -> list[Effect]:
        """A leader has answered WRITE_TXN_MARKERS. The log does not record written markers, so a
        new coordinator writes them all again."""
        record = self._mine(tag[2])
        if record is None:
            return self._begin_loading(self._partition(tag[2]), now_ms)
        if not record.is_prepared or tag[2] in self._pending:
            return []
        record, effects = self._markers.answered(record, tag, response, now_ms)
        self._records[self._partition(tag[2])][tag[2]] = record
        return effects + ([] if record.partitions else self._complete(record, now_ms))

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

    def init_producer_id(
        self, request: m.InitProducerIdRequest, caller: Caller, now_ms: int
    ) -> list[Effect]:
        """Give a producer its id and epoch. The next epoch fences the producer that had the
        transactional id before, and its transaction is aborted."""
        transactional_id = request.transactional_id
        error, effects = self._usable(transactional_id, now_ms)
        if (
            error is Errors.NONE
            and not 0 < request.transaction_timeout_ms <= self._config.transaction_max_timeout_ms
        ):
            error = Errors.INVALID_TRANSACTION_TIMEOUT

        def refused(error: Errors) -> list[Effect]:
            return [Respond(caller, m.InitProducerIdResponse(error_code=error.code))]

        def not_written(error: Errors) -> list[Effect]:
            self._say(
                "TRANSACTIONAL_ID_REFUSED", error=error.name, transactional_id=transactional_id
            )
            return refused(error)

        if error is not Errors.NONE:
            return effects + refused(error)
        assert transactional_id is not None, "a request without an id was refused above"
        effects += self._expire(transactional_id, now_ms)
        found = self._find(transactional_id, now_ms)
        if found is None and transactional_id not in self._pending:
            producer_id = self._next_producer_id(caller, now_ms)
            if producer_id is None:
                return effects + refused(Errors.COORDINATOR_LOAD_IN_PROGRESS)
            found = TransactionMetadata(
                transactional_id=transactional_id,
                producer_id=producer_id,
                timeout_ms=request.transaction_timeout_ms,
                updated_ms=now_ms,
            )
        outcome = (
            Errors.CONCURRENT_TRANSACTIONS
            if found is None
            else self._initialize(found, request, caller, now_ms)
        )
        if isinstance(outcome, Errors):
            if outcome is Errors.PRODUCER_FENCED:
                outcome = self._fenced(caller, WireChange.INIT_NAMES_FENCING)
            return effects + refused(outcome)
        if outcome.state is TransactionState.PREPARE_EPOCH_FENCE:
            fence = self._decide(
                outcome,
                False,
                self._profile.transaction_version >= 2,
                caller,
                now_ms,
                lambda decided: refused(Errors.CONCURRENT_TRANSACTIONS),
                refused,
            )
            assert fence is not None, "a fence keeps the producer id, so it waits for no new one"
            return effects + fence

        def initialized() -> list[Effect]:
            self._say(
                "TRANSACTIONAL_ID_INITIALIZED",
                transactional_id=transactional_id,
                producer_id=outcome.producer_id,
                producer_epoch=outcome.epoch,
                index=self._partition(outcome.transactional_id),
            )
            answer = m.InitProducerIdResponse(
                producer_id=outcome.producer_id, producer_epoch=outcome.epoch
            )
            return [Respond(caller, answer)]

        return effects + self._write(outcome, now_ms, initialized, not_written)

    def _initialize(
        self,
        found: TransactionMetadata,
        request: m.InitProducerIdRequest,
        caller: Caller,
        now_ms: int,
    ) -> TransactionMetadata | Errors:
        """The id's next metadata, or an error (prepareInitProducerIdTransit)."""
        expected = None if request.producer_id == NO_PRODUCER_ID else request.producer_epoch
        if expected is not None and not self._knows(found, request.producer_id, expected):
            return Errors.PRODUCER_FENCED
        if found.is_prepared or found.transactional_id in self._pending:
            return Errors.CONCURRENT_TRANSACTIONS
        if found.state is TransactionState.ONGOING:
            return found.fenced()
        if is_exhausted(found.epoch) and expected in (None, found.epoch):
            producer_id = self._next_producer_id(caller, now_ms)
            if producer_id is None:
                return Errors.COORDINATOR_LOAD_IN_PROGRESS
            return found.with_new_id(
                producer_id, request.transaction_timeout_ms, expected is not None, now_ms
            )
        return found.initialized(request.transaction_timeout_ms, expected, now_ms)

    def _knows(self, found: TransactionMetadata, producer_id: int, epoch: int) -> bool:
        """Whether this producer id is the present one, or the previous one whose epochs are used up
        (KIP-360)."""
        return (
            found.epoch == NO_EPOCH
            or producer_id == found.producer_id
            or (producer_id == found.previous_producer_id and is_exhausted(epoch))
        )

    # -- partitions and groups join the transaction

    def add_partitions(
        self, request: m.AddPartitionsToTxnRequest, caller: Caller, now_ms: int
    ) -> list[Effect]:
        """Add partitions to the transaction; a broker's request can also verify that they are in it
        (KIP-890)."""
        if WireChange.ADD_PARTITIONS_OF_SEVERAL.holds_for(caller.header):
            asked, fenced = request.transactions, Errors.PRODUCER_FENCED

            def answer(
                topics: Sequence[tuple[m.AddPartitionsToTxnTopicResult, ...]],
            ) -> m.AddPartitionsToTxnResponse:
                return m.AddPartitionsToTxnResponse(
                    results_by_transaction=tuple(
                        m.AddPartitionsToTxnResult(
                            transactional_id=one.transactional_id, topic_results=found
                        )
                        for one, found in zip(asked, topics, strict=True)
                    )
                )
        else:
            fenced = self._fenced(caller, WireChange.ADD_PARTITIONS_NAMES_FENCING)
            asked = (
                m.AddPartitionsToTxnTransaction(
                    transactional_id=request.v3_and_below_transactional_id,
                    producer_id=request.v3_and_below_producer_id,
                    producer_epoch=request.v3_and_below_producer_epoch,
                    topics=request.v3_and_below_topics,
                ),
            )

            def answer(
                topics: Sequence[tuple[m.AddPartitionsToTxnTopicResult, ...]],
            ) -> m.AddPartitionsToTxnResponse:
                return m.AddPartitionsToTxnResponse(results_by_topic_v3_and_below=topics[0])

        results: dict[int, tuple[m.AddPartitionsToTxnTopicResult, ...]] = {}

        def done(place: int, topics: tuple[m.AddPartitionsToTxnTopicResult, ...]) -> list[Effect]:
            results[place] = topics
            if len(results) < len(asked):
                return []
            return [Respond(caller, answer([results[index] for index in range(len(asked))]))]

        effects: list[Effect] = []
        for place, one in enumerate(asked):
            effects += self._add_or_verify(one, fenced, now_ms, partial(done, place))
        return effects or [Respond(caller, answer(()))]

    def _add_or_verify(
        self,
        asked: m.AddPartitionsToTxnTransaction,
        fenced: Errors,
        now_ms: int,
        done: Callable[[tuple[m.AddPartitionsToTxnTopicResult, ...]], list[Effect]],
    ) -> list[Effect]:
        places = tuple(
            (topic.name, number) for topic in asked.topics for number in topic.partitions
        )
        unknown = [place for place in places if self._cluster.partition(*place) is None]
        if (
            unknown
        ):  # with an unknown partition none is added (KafkaApis.handleAddPartitionsToTxnRequest)
            return done(
                _results(
                    asked.topics,
                    lambda place: (
                        Errors.UNKNOWN_TOPIC_OR_PARTITION
                        if place in unknown
                        else Errors.OPERATION_NOT_ATTEMPTED
                    ),
                )
            )
        error, effects = self._usable(asked.transactional_id, now_ms)
        if error is Errors.NONE and asked.verify_only:
            found = self._find(asked.transactional_id, now_ms)
            error = self._member_error(found, asked.producer_id, asked.producer_epoch, fenced)
            joined = found.partitions if found is not None else ()
            return effects + done(
                _results(
                    asked.topics,
                    lambda place: (
                        error
                        if error is not Errors.NONE or place in joined
                        else Errors.TRANSACTION_ABORTABLE
                    ),
                )
            )

        def answered(error: Errors) -> list[Effect]:
            return done(_results(asked.topics, lambda place: error))

        if error is not Errors.NONE:
            return effects + answered(error)
        return effects + self._join(
            asked.transactional_id,
            asked.producer_id,
            asked.producer_epoch,
            places,
            fenced,
            now_ms,
            answered,
        )

    def add_offsets(
        self, request: m.AddOffsetsToTxnRequest, caller: Caller, now_ms: int
    ) -> list[Effect]:
        """Add a group, which is its partition of the offsets topic, to the transaction."""

        def done(error: Errors) -> list[Effect]:
            return [Respond(caller, m.AddOffsetsToTxnResponse(error_code=error.code))]

        error, effects = self._usable(request.transactional_id, now_ms)
        if error is not Errors.NONE:
            return effects + done(error)
        place = (OFFSETS_TOPIC, self._cluster.offsets_partition_of(request.group_id))
        return effects + self._join(
            request.transactional_id,
            request.producer_id,
            request.producer_epoch,
            (place,),
            self._fenced(caller, WireChange.ADD_OFFSETS_NAMES_FENCING),
            now_ms,
            done,
        )

    def _join(
        self,
        transactional_id: str,
        producer_id: int,
        epoch: int,
        places: tuple[Place, ...],
        fenced: Errors,
        now_ms: int,
        done: Callable[[Errors], list[Effect]],
    ) -> list[Effect]:
        found = self._find(transactional_id, now_ms)
        error = self._member_error(found, producer_id, epoch, fenced)
        if error is not Errors.NONE:
            return done(error)
        assert found is not None, "an id without metadata was refused above"
        if found.state is TransactionState.ONGOING and set(places) <= set(found.partitions):
            return done(Errors.NONE)
        return self._write(
            found.with_partitions(places, now_ms),
            now_ms,
            lambda: [*self._keep_scanning(now_ms), *done(Errors.NONE)],
            done,
        )

    def _member_error(
        self, found: TransactionMetadata | None, producer_id: int, epoch: int, fenced: Errors
    ) -> Errors:
        if found is None or found.producer_id != producer_id:
            return Errors.INVALID_PRODUCER_ID_MAPPING
        if found.epoch != epoch:
            return fenced
        return (
            Errors.CONCURRENT_TRANSACTIONS
            if found.is_prepared or found.transactional_id in self._pending
            else Errors.NONE
        )

    # -- END_TXN

    def end_txn(self, request: m.EndTxnRequest, caller: Caller, now_ms: int) -> list[Effect]:
        """Commit or abort. The answer is sent when the decision is written; the markers follow."""
        raises = (
            WireChange.END_TXN_RAISES_EPOCH.holds_for(caller.header)
            and self._profile.transaction_version >= 2
        )

        def done(error: Errors, after: TransactionMetadata | None = None) -> list[Effect]:
            if error is not Errors.NONE or not raises:
                return [Respond(caller, m.EndTxnResponse(error_code=error.code))]
            assert after is not None, "a transaction that has ended has metadata"
            changes_id = after.next_producer_id != NO_PRODUCER_ID
            return [
                Respond(
                    caller,
                    m.EndTxnResponse(
                        producer_id=after.next_producer_id if changes_id else after.producer_id,
                        producer_epoch=0 if changes_id else after.epoch,
                    ),
                )
            ]

        error, effects = self._usable(request.transactional_id, now_ms)
        if error is not Errors.NONE:
            return effects + done(error)
        found = self._find(request.transactional_id, now_ms)
        outcome = self._end_error(found, request, raises, caller)
        if outcome is not None:
            return effects + done(outcome, found)
        assert found is not None, "an id without metadata was refused above"
        # an abort of a transaction that the coordinator does not have: only the epoch grows
        if found.state is not TransactionState.ONGOING:
            found = found.with_partitions((), now_ms)
        decided = self._decide(
            found, request.committed, raises, caller, now_ms, partial(done, Errors.NONE), done
        )
        return effects + (done(Errors.COORDINATOR_LOAD_IN_PROGRESS) if decided is None else decided)

    def _end_error(
        self,
        found: TransactionMetadata | None,
        request: m.EndTxnRequest,
        raises: bool,
        caller: Caller,
    ) -> Errors | None:
        """The error of an END_TXN; NONE for a retry of a done one; None where the transaction has
        to be ended."""
        if found is None:
            return Errors.INVALID_PRODUCER_ID_MAPPING
        overflown = (
            found.bumps_epoch
            and found.previous_producer_id == request.producer_id
            and is_exhausted(request.producer_epoch)
            and found.epoch == 0
        )
        if found.producer_id != request.producer_id and not overflown:
            return Errors.INVALID_PRODUCER_ID_MAPPING
        # a fence does not keep the epoch before
        is_retry = overflown or (
            found.bumps_epoch
            and found.epoch == request.producer_epoch + 1
            and found.last_epoch == request.producer_epoch
        )
        if (found.epoch != request.producer_epoch and not is_retry) or (
            is_retry and found.state in (_S.EMPTY, _S.ONGOING)
        ):
            return self._fenced(caller, WireChange.END_TXN_NAMES_FENCING)
        # once the decision is written, the move to Complete is pending
        if found.is_prepared or found.transactional_id in self._pending:
            return Errors.CONCURRENT_TRANSACTIONS
        if found.state is TransactionState.ONGOING:
            return None
        if raises and not is_retry and not request.committed and found.state in AT_REST:
            return None
        return (
            Errors.NONE if found.state is COMPLETE[request.committed] else Errors.INVALID_TXN_STATE
        )

    def _decide(
        self,
        found: TransactionMetadata,
        committed: bool,
        bumps_epoch: bool,
        caller: Caller | None,
        now_ms: int,
        then: Callable[[TransactionMetadata], list[Effect]],
        failed: Callable[[Errors], list[Effect]],
    ) -> list[Effect] | None:
        """Write the decision and send the markers; None where it needs a new producer id and has
        none yet. then(the decision) or failed(error) gives the effects that follow."""
        next_id = NO_PRODUCER_ID
        if bumps_epoch and found.state is TransactionState.ONGOING and is_exhausted(found.epoch):
            drawn = self._next_producer_id(caller, now_ms)
            if drawn is None:
                return None
            next_id = drawn
        decided = found.decided(committed, bumps_epoch, next_id, now_ms)
        return self._write(
            decided,
            now_ms,
            lambda: [
                *(
                    self._markers.send(decided, now_ms)
                    if decided.partitions
                    else self._complete(decided, now_ms)
                ),
                *then(decided),
            ],
            failed,
        )

    def _complete(self, record: TransactionMetadata, now_ms: int) -> list[Effect]:
        """Write Complete*, after every marker is written. After an error it is tried again."""
        return self._write(
            record.completed(now_ms),
            now_ms,
            lambda: [],
            lambda error: [
                SetTimer(("transactions", "retry", record.transactional_id), now_ms + RETRY_MS)
            ],
        )

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
                    fence = self._decide(
                        record.fenced(),
                        False,
                        self._profile.transaction_version >= 2,
                        None,
                        now_ms,
                        self._rolled_back,
                        lambda error: [],
                    )
                    assert fence is not None, "a fence keeps the producer id"
                    effects += fence
        return effects + (self._keep_scanning(now_ms) if still_open else [])

    def _rolled_back(self, decided: TransactionMetadata) -> list[Effect]:
        """A transaction that lasted too long is aborted."""
        self._say("TRANSACTION_TIMED_OUT", transactional_id=decided.transactional_id)
        return []

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
                effects += (
                    self._markers.send(record, now_ms)
                    if record.partitions
                    else self._complete(record, now_ms)
                )
            elif record.state is TransactionState.ONGOING:
                effects += self._keep_scanning(now_ms)
        return effects

    # -- helpers

    def _usable(self, transactional_id: str | None, now_ms: int) -> tuple[Errors, list[Effect]]:
        """(NONE or the reason why this broker cannot serve the id now, the effects that follow)."""
        if not transactional_id:
            return Errors.INVALID_REQUEST, []
        index = self._partition(transactional_id)
        partition = self._cluster.partition(TRANSACTION_TOPIC, index)
        if partition is None or partition.leader != self._node_id:
            return Errors.NOT_COORDINATOR, []
        effects = self._begin_loading(index, now_ms)
        return (
            Errors.COORDINATOR_LOAD_IN_PROGRESS if index in self._loading else Errors.NONE,
            effects,
        )

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

    def _write(
        self,
        record: TransactionMetadata,
        now_ms: int,
        then: Callable[[], list[Effect]],
        failed: Callable[[Errors], list[Effect]],
    ) -> list[Effect]:
        """Append the record. then() follows when it is replicated, failed(error) when it could not
        be written or another broker has read the log since."""
        id, index = record.transactional_id, self._partition(record.transactional_id)
        epoch = self._loaded.get(index)
        self._pending[id] = record

        def written(error: Errors) -> list[Effect]:
            if self._pending.get(id) is record:
                del self._pending[id]
            if error is Errors.NONE and (
                self._loaded.get(index) != epoch or not self._is_read(index)
            ):
                error = Errors.NOT_COORDINATOR
            if error is not Errors.NONE:
                return failed(error)
            before = self._records[index].get(id)
            self._records[index][id] = record
            return [_state_note(record, before), *then()]

        return self._log.append(index, record, now_ms, written)

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
