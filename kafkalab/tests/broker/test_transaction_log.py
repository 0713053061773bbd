"""`__transaction_state`: what a coordinator has decided survives it, because it stands in a
replicated log that its successor reads."""

import json

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.broker.cluster.cluster_state import TRANSACTION_TOPIC
from kafkalab.broker.transactions.transaction_log import latest
from kafkalab.broker.transactions.transaction_metadata import TransactionMetadata
from kafkalab.broker.transactions.transaction_state import TransactionState
from kafkalab.tests.broker.wire import NEW, Wire


def lab_with_transactions(**config):
    lab = Lab(brokers=3, seed=4, version="4.4", broker_version="4.4", broker_config=config)
    lab.create_topic("orders", partitions=2, replication_factor=3)
    lab.place_transaction_coordinator("tx", 1)
    producer = KafkaProducer(lab, {"transactional.id": "tx", "client.id": "shop"})
    producer.init_transactions()
    return lab, producer


def written(lab, broker):
    """What one broker's copy of the id's partition says."""
    return latest(
        lab.broker(broker)
        .machine.replicas.found((TRANSACTION_TOPIC, lab.cluster.transaction_partition("tx").index))
        .log.batches()
    )


def test_the_next_leader_of_the_partition_reads_what_the_last_had_decided():
    lab, producer = lab_with_transactions()
    producer.begin_transaction()
    producer.send(ProducerRecord("orders", key="a", value="tea", partition=0)).get()
    lab.broker(1).crash()
    producer.commit_transaction()  # is told who coordinates now, which has loaded the log
    coordinator = lab.transaction_coordinator_of("tx")
    assert coordinator != 1
    lab.run_for(2_000)
    assert (
        lab.broker(coordinator).machine.transactions.record_of("tx").state
        is TransactionState.COMPLETE_COMMIT
    )
    assert [event.fields["state"] for event in lab.journal.of("transaction.loaded")][:1] == [
        "Ongoing"
    ]
    reader = KafkaConsumer(
        lab, {"isolation.level": "read_committed", "auto.offset.reset": "earliest"}
    )
    reader.assign([TopicPartition("orders", 0)])
    assert [record.value for record in reader.poll(timeout_ms=3_000)] == ["tea"]


def test_every_copy_has_every_step_and_a_consumer_can_read_them():
    lab, producer = lab_with_transactions()
    producer.begin_transaction()
    producer.send(ProducerRecord("orders", key="a", value="tea", partition=0)).get()
    producer.abort_transaction()
    lab.run_for(2_000)
    assert {broker: written(lab, broker)["tx"].state for broker in range(3)} == dict.fromkeys(
        range(3), TransactionState.COMPLETE_ABORT
    )
    reader = KafkaConsumer(lab, {"exclude.internal.topics": False, "auto.offset.reset": "earliest"})
    reader.assign(
        [TopicPartition(TRANSACTION_TOPIC, lab.cluster.transaction_partition("tx").index)]
    )
    seen = [
        json.loads(record.value)["data"]["transactionStatus"]
        for record in reader.poll(timeout_ms=2_000)
    ]
    assert seen == [0, 1, 3, 5]  # Empty, Ongoing, PrepareAbort, CompleteAbort


def test_a_coordinator_that_lacks_replicas_decides_nothing():
    wire = Wire(
        "4.4",
        NEW,
        brokers=3,
        **{"transaction.state.log.replication.factor": 3, "replica.lag.time.max.ms": 1_000},
    )
    wire.lab.place_transaction_coordinator("tx", 1)
    producer = wire.init()
    wire.produce(producer, 0)
    wire.lab.broker(0).crash()
    wire.lab.broker(2).crash()
    wire.lab.run_for(15_000)
    assert wire.end(producer) == "COORDINATOR_NOT_AVAILABLE"
    assert wire.state()[0] == "Ongoing"


def test_while_a_step_is_on_its_way_to_the_replicas_the_id_is_busy():
    wire = Wire("4.4", NEW, brokers=3, **{"transaction.state.log.replication.factor": 3})
    wire.lab.place_transaction_coordinator("tx", 1)
    producer = wire.init()
    wire.produce(producer, 0)
    wire.lab.link(1, "broker-0").set_latency(ms=300)
    wire.lab.link(1, "broker-2").set_latency(ms=300)
    wire.post(1, wire.end_request(producer))
    wire.lab.run_for(20)
    assert wire.state()[0] == "Ongoing"
    assert wire.end(producer) == "CONCURRENT_TRANSACTIONS"
    wire.lab.run_for(5_000)
    assert wire.state()[0] == "CompleteCommit"


def test_the_latest_record_of_an_id_counts_and_a_null_forgets_it():
    record = TransactionMetadata(
        transactional_id="tx",
        producer_id=5,
        epoch=3,
        last_epoch=2,
        timeout_ms=1_000,
        state=TransactionState.ONGOING,
        partitions=(("orders", 1), ("orders", 0), ("t", 0)),
        started_ms=10,
        updated_ms=20,
        bumps_epoch=True,
    )
    wire = Wire("4.4", NEW)
    wire.given(record)
    index = wire.lab.cluster.transaction_partition("tx").index
    log = wire.lab.broker(wire.coordinator).machine.replicas.found((TRANSACTION_TOPIC, index)).log
    assert latest(log.batches()) == {"tx": record}
    wire.lab.broker(wire.coordinator).machine.transactions._log.delete(index, "tx", 0)
    assert latest(log.batches()) == {}
