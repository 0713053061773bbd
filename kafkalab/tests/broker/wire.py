"""Asks brokers of a lab without any client: one request in a version of one's choice, its answer,
and what the logs hold then."""

from kafkalab import Lab
from kafkalab.broker.steps import unheard
from kafkalab.broker.transactions.transaction_log import TransactionLog
from kafkalab.errors import error_for
from kafkalab.protocol import messages as m
from kafkalab.protocol.api_keys import api_of
from kafkalab.protocol.header import RequestHeader

NEW = {
    "INIT_PRODUCER_ID": 5,
    "ADD_PARTITIONS_TO_TXN": 3,
    "ADD_OFFSETS_TO_TXN": 4,
    "END_TXN": 5,
    "TXN_OFFSET_COMMIT": 5,
    "PRODUCE": 12,
    "OFFSET_FETCH": 7,
}
"""As a producer of 4.4 speaks: transaction.version 2."""
BEFORE_KIP_890 = {
    "INIT_PRODUCER_ID": 4,
    "ADD_PARTITIONS_TO_TXN": 3,
    "ADD_OFFSETS_TO_TXN": 3,
    "END_TXN": 3,
    "TXN_OFFSET_COMMIT": 3,
    "PRODUCE": 9,
    "OFFSET_FETCH": 7,
}
"""As one of 2.8 does."""
OLD = {
    "INIT_PRODUCER_ID": 1,
    "ADD_PARTITIONS_TO_TXN": 1,
    "ADD_OFFSETS_TO_TXN": 1,
    "END_TXN": 1,
    "TXN_OFFSET_COMMIT": 2,
    "PRODUCE": 7,
    "OFFSET_FETCH": 5,
}
"""As one of 2.3 does."""


class Wire:
    """A producer's questions, one at a time. `ask` waits for the answer; `post` does not."""

    def __init__(self, release="4.4", versions=NEW, brokers=2, **config):
        # Decisions are written at once, whatever befalls the links that markers take.
        self.lab = Lab(
            brokers,
            seed=7,
            broker_version=release,
            broker_config={"transaction.state.log.replication.factor": 1, **config},
        )
        # the records here are of 1970
        self.lab.create_topic("orders", 2, leaders=[0, brokers - 1], config={"retention.ms": -1})
        self.versions = versions
        self.answers = []

    @property
    def coordinator(self):
        return self.lab.transaction_coordinator_of("tx")

    def post(self, broker, request, version=None):
        node = self.lab.cluster.brokers[broker]
        api = api_of(request)
        header = RequestHeader(
            api_key=api,
            api_version=self.versions[api.name] if version is None else version,
            client_id="tx",
            correlation_id=0,
        )
        self._message = (None, header, request)
        return self.lab.network.connect("tx", node.host, node.port, self)

    def ask(self, broker, request, version=None):
        self.answers.clear()
        self.post(broker, request, version)
        assert self.lab.run_until(lambda: bool(self.answers), timeout_ms=30_000)
        return self.answers[0]

    def connected(self, connection):
        connection.send(self._message)

    def received(self, connection, message):
        self.answers.append(message)

    def refused(self, connection):
        self.answers.append(None)

    broken = refused

    # in words

    def init(self, expected=(-1, -1), timeout_ms=60_000):
        answer = self.ask(
            self.coordinator,
            m.InitProducerIdRequest(
                transactional_id="tx",
                transaction_timeout_ms=timeout_ms,
                producer_id=expected[0],
                producer_epoch=expected[1],
            ),
        )
        return self.said(answer.error_code) or (answer.producer_id, answer.producer_epoch)

    def add(self, producer, partition=0, topic="orders"):
        answer = self.ask(
            self.coordinator,
            m.AddPartitionsToTxnRequest(
                v3_and_below_transactional_id="tx",
                v3_and_below_producer_id=producer[0],
                v3_and_below_producer_epoch=producer[1],
                v3_and_below_topics=(
                    m.AddPartitionsToTxnTopic(name=topic, partitions=(partition,)),
                ),
            ),
        )
        return self.said(
            answer.results_by_topic_v3_and_below[0].results_by_partition[0].partition_error_code
        )

    def end(self, producer, committed=True):
        answer = self.ask(self.coordinator, self.end_request(producer, committed))
        return self.said(answer.error_code) or (answer.producer_id, answer.producer_epoch)

    def end_request(self, producer, committed=True):
        return m.EndTxnRequest(
            transactional_id="tx",
            producer_id=producer[0],
            producer_epoch=producer[1],
            committed=committed,
        )

    def produce(self, producer, sequence, partition=0, value="v"):
        answer = self.ask(
            self.lab.leader("orders", partition), self.batch(producer, sequence, partition, value)
        )
        return self.said(answer.responses[0].partition_responses[0].error_code)

    def batch(self, producer, sequence, partition=0, value="v"):
        batch = m.RecordBatch(
            records=(m.WireRecord("k", value, 0),),
            size_bytes=70,
            producer_id=producer[0],
            producer_epoch=producer[1],
            base_sequence=sequence,
            is_transactional=True,
        )
        return m.ProduceRequest(
            transactional_id="tx",
            topic_data=(
                m.TopicProduceData(
                    name="orders",
                    partition_data=(m.ProducePartitionData(index=partition, records=(batch,)),),
                ),
            ),
        )

    def said(self, code):
        return error_for(code).name if code else None

    def settle(self):
        self.lab.run_for(500)

    def log(self, partition=0):
        replica, _ = self.lab.broker(
            self.lab.leader("orders", partition)
        ).machine.replicas.led_replica("orders", partition)
        return replica.log

    def seen(self, partition=0):
        """The log in short: values of records, names of markers."""
        log = self.log(partition)
        return [
            batch.control.name if batch.control else batch.records[0].value
            for batch in log.read(0, 10**9)
        ]

    def given(self, record):
        """The coordinator's log begins with this record of an id."""
        machine = self.lab.broker(self.coordinator).machine
        partition = self.lab.cluster.transaction_partition(record.transactional_id).index
        log = TransactionLog(machine.replicas)
        machine.do(unheard(log.append(partition, record, self.lab.now_ms)))

    def state(self):
        record = self.lab.broker(self.coordinator).machine.transactions.record_of("tx")
        return record.state.value, record.epoch
