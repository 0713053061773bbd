"""HastyWriter: a transactional producer that ends a transaction while its PRODUCE may still arrive.
KafkaProducer does not do so.

KafkaProducer on a 2.3 broker can send nothing more when a batch is given up, because a number is
missing in its sequence. So it rarely shows the case of KIP-890: the network delays a message, its
transaction is aborted, the message arrives late, and it becomes part of the next transaction if
that has begun. This writer causes the case and breaks no rule of the old protocol: each record has
its sequence number once, a partition is added before it is written to, and what has no answer is
aborted, never committed.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from kafkalab.errors import Errors, error_for
from kafkalab.lab import Lab
from kafkalab.proof.laws.faults import TOPIC
from kafkalab.proof.laws.reading import note
from kafkalab.proof.laws.stories import FAULTS_END_MS, StoryKind, read_committed
from kafkalab.protocol import messages as m
from kafkalab.protocol.api_keys import api_of
from kafkalab.protocol.header import RequestHeader
from kafkalab.sim.apps import Signal
from kafkalab.sim.network import Connection

HASTY = "hasty"
"""The writer's name, and its transactional.id."""
GIVES_UP_MS = 600
"""How long a request may take, from the first attempt to connect; then, or when its connection
breaks, nobody waits for its answer."""
BACKOFF_MS = 30


class Refused(Exception):
    """A broker refused a request for a reason that only a new epoch removes."""


class HastyWriter:
    """A transactional producer with a connection for each request, in the lab's client version.
    name: its transactional.id."""

    def __init__(self, lab: Lab, name: str) -> None:
        self._lab, self._name = lab, name
        self._profile = lab.profile(None)
        self._producer_id = self._epoch = -1
        self._sequences: dict[int, int] = {}
        self._added: set[int] = set()

    def init(self) -> None:
        """A producer id and a new epoch; what was open is aborted."""
        answer = self._ask_coordinator(
            m.InitProducerIdRequest(transactional_id=self._name, transaction_timeout_ms=2_000),
            _error_of_answer,
        )
        self._enter(answer.producer_id, answer.producer_epoch)

    def produce(self, partition: int, key: str) -> bool:
        """Write one record; False where no answer came and it was given up. Raises Refused."""
        if partition not in self._added and not self._profile.transacting.speaks_transaction_v2:
            self._add(partition)
        sequence = self._sequences.get(partition, 0)
        self._sequences[partition] = sequence + 1
        record = m.WireRecord(key, "tea", self._lab.epoch_ms + self._lab.now_ms)
        batch = m.RecordBatch(
            records=(record,),
            size_bytes=70,
            producer_id=self._producer_id,
            producer_epoch=self._epoch,
            base_sequence=sequence,
            is_transactional=True,
        )
        request = m.ProduceRequest(
            transactional_id=self._name,
            topic_data=(
                m.TopicProduceData(
                    name=TOPIC,
                    topic_id=self._lab.cluster.topics[TOPIC].topic_id,
                    partition_data=(m.ProducePartitionData(index=partition, records=(batch,)),),
                ),
            ),
        )
        answer = self._ask(
            self._lab.leader(TOPIC, partition),
            request,
            lambda answer: answer.responses[0].partition_responses[0].error_code,
        )
        return answer is not None

    def end(self, committed: bool) -> None:
        """Commit or abort, on a connection of its own, whatever is still on its way to the leaders.
        Raises Refused."""
        answer = self._ask_coordinator(
            m.EndTxnRequest(
                transactional_id=self._name,
                producer_id=self._producer_id,
                producer_epoch=self._epoch,
                committed=committed,
            ),
            _error_of_answer,
        )
        self._added.clear()
        # each transaction has an epoch of its own (KIP-890)
        if self._profile.transacting.speaks_transaction_v2:
            self._enter(answer.producer_id, answer.producer_epoch)

    def _add(self, partition: int) -> None:
        self._ask_coordinator(
            m.AddPartitionsToTxnRequest(
                v3_and_below_transactional_id=self._name,
                v3_and_below_producer_id=self._producer_id,
                v3_and_below_producer_epoch=self._epoch,
                v3_and_below_topics=(
                    m.AddPartitionsToTxnTopic(name=TOPIC, partitions=(partition,)),
                ),
            ),
            lambda answer: (
                answer.results_by_topic_v3_and_below[0].results_by_partition[0].partition_error_code
            ),
        )
        self._added.add(partition)

    def _enter(self, producer_id: int, epoch: int) -> None:
        self._producer_id, self._epoch = producer_id, epoch
        self._sequences.clear()
        self._added.clear()

    def _ask_coordinator(self, request: Any, error_of: Callable[[Any], int]) -> Any:
        """Ask until there is an answer; a coordinator repeats its decision."""
        while (
            answer := self._ask(self._lab.transaction_coordinator_of(self._name), request, error_of)
        ) is None:
            self._lab.sleep(BACKOFF_MS)
        return answer

    def _ask(self, broker: int, request: Any, error_of: Callable[[Any], int]) -> Any:
        """The answer, None where the request was given up. It is sent again
        only where it cannot have been carried out."""
        lab, deadline_ms = self._lab, self._lab.now_ms + GIVES_UP_MS
        while lab.now_ms < deadline_ms:
            call = _Call(lab, self._name, broker, request)
            if not lab.stage.wait(call.over, deadline_ms) or call.lost:
                call.hang_up()
                return None
            if call.answer is not None:
                call.hang_up()
                error = error_for(error_of(call.answer))
                if error is Errors.NONE:
                    return call.answer
                if not error.retriable:
                    raise Refused(error.name)
            lab.sleep(BACKOFF_MS)
        return None


class _Call:
    """One request on one connection. over: it was answered, refused,
    or (lost) its connection broke after it was sent."""

    def __init__(self, lab: Lab, name: str, broker: int, request: Any) -> None:
        api = api_of(request)
        self._message = (
            None,
            RequestHeader(
                api_key=api,
                api_version=lab.profile(None).latest(api),
                client_id=name,
                correlation_id=0,
            ),
            request,
        )
        self.over, self.lost, self.answer = Signal(), False, None
        node = lab.cluster.brokers[broker]
        self._given_up = False
        self._connection = lab.network.connect(name, node.host, node.port, self)

    def hang_up(self) -> None:
        self._given_up = True
        self._connection.close()

    def connected(self, connection: Connection) -> None:
        if self._given_up:
            connection.close()
        else:
            connection.send(self._message)

    def received(self, connection: Connection, message: Any) -> None:
        self.answer = message
        self.over.set()

    def refused(self, connection: Connection) -> None:
        self.over.set()

    def broken(self, connection: Connection) -> None:
        self.lost = self.answer is None
        self.over.set()


def _error_of_answer(answer: Any) -> int:
    code: int = answer.error_code
    return code


def write_in_haste(lab: Lab, name: str, rounds: int) -> None:
    """Transaction after transaction: committed where every record was acknowledged,
    aborted where one was given up."""
    rng = lab.streams.stream(f"{name}/habits")
    partitions = len(lab.cluster.topics[TOPIC].partitions)
    writer = HastyWriter(lab, name)
    note(lab.journal, name, "idempotent")
    writer.init()
    for number in range(rounds):
        if lab.now_ms > FAULTS_END_MS - 2 * GIVES_UP_MS:
            return
        keys: list[str] = []
        try:
            acknowledged, wanted = True, rng.randint(1, 2)
            while acknowledged and len(keys) < wanted:
                keys.append(f"{name}:{number}.{len(keys)}")
                note(lab.journal, name, "sends", key=keys[-1], transaction=number)
                acknowledged = writer.produce(rng.randrange(partitions), keys[-1])
            if acknowledged:
                note(lab.journal, name, "asks for commit", transaction=number)
            writer.end(committed=acknowledged)
            if acknowledged:
                note(lab.journal, name, "committed", keys=keys)
        except Refused as error:
            note(lab.journal, name, "aborted", transaction=number, error=str(error))
            writer.init()
        lab.sleep(rng.randint(1, 500))


def hasty_writers(lab: Lab, rng: random.Random, story: StoryKind) -> None:
    """One HastyWriter, and a reader of what is committed."""
    lab.place_transaction_coordinator(HASTY, rng.randrange(3))
    lab.spawn(write_in_haste, HASTY, rng.randint(6, 12), name=HASTY)
    lab.spawn(read_committed, "auditor", name="auditor")
