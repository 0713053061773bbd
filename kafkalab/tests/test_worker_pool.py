"""A pool of workers beside the thread that polls."""

import pytest

from kafkalab import ConcurrentModificationException, KafkaConsumer, Lab, TopicPartition, WorkerPool


def order(offset: int):
    """Something to work on; a pool looks at nothing but where it stands."""

    class Order:
        topic, partition, key = "orders", 0, f"order {offset}"

    Order.offset = offset
    return Order


def started(workers, took_ms, count):
    lab = Lab(brokers=1, seed=1)
    pool = WorkerPool(lab, workers, lambda record: lab.sleep(took_ms[record.offset]), "ada")
    for offset in range(count):
        pool.submit(order(offset))
    return lab, pool


def test_workers_share_the_work_and_finish_in_their_own_order():
    lab, pool = started(2, {0: 100, 1: 30, 2: 30, 3: 30}, 4)
    lab.run_for(ms=65)
    assert [record.offset for record in pool.finished()] == [1, 2] and pool.unfinished == 2
    lab.run_for(ms=100)
    assert [record.offset for record in pool.finished()] == [3, 0]
    assert pool.finished() == [] and pool.unfinished == 0


def test_a_worker_that_was_idle_takes_the_next():
    lab, pool = started(2, dict.fromkeys(range(9), 10), 1)
    lab.run_for(ms=50)
    pool.submit(order(5))
    lab.run_for(ms=50)
    assert [
        event.worker for event in lab.journal.of("work") if event.fields["what"] == "begins"
    ] == [1, 1]


def test_waiting_ends_with_the_last_record():
    lab, pool = started(3, {0: 10, 1: 500, 2: 20}, 3)
    pool.wait()
    assert lab.now_ms == 500 and len(pool.finished()) == 3


def test_killing_the_process_ends_its_workers():
    lab, pool = started(2, dict.fromkeys(range(4), 100), 4)
    lab.run_for(ms=150)
    lab.kill("ada")
    lab.run_for(ms=1_000)
    assert [record.offset for record in pool.finished()] == [0, 1] and pool.unfinished == 2


def test_a_worker_may_not_use_the_consumer_while_its_owner_polls():
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("orders")
    consumer = KafkaConsumer(lab, {"group.id": "stock"}, name="ada")
    consumer.assign([TopicPartition("orders", 0)])
    pool = WorkerPool(lab, 1, lambda record: consumer.commit_sync(), "ada")
    lab.spawn(lambda lab: consumer.poll(timeout_ms=1_000), name="ada")
    lab.run_for(ms=100)
    pool.submit(order(0))
    with pytest.raises(ConcurrentModificationException, match="not safe for multi-threaded access"):
        lab.run_for(ms=100)


def test_a_pool_without_workers_is_refused():
    with pytest.raises(ValueError, match="at least one worker, not 0"):
        WorkerPool(Lab(brokers=1), 0, print, "ada")
