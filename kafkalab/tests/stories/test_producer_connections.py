"""Tests of the stories of chapter 02: the states of one connection beside a learner's table."""

import re

import pytest

from kafkalab import KafkaProducer, Lab, ProducerRecord
from kafkalab.course_folder import course_folder
from kafkalab.lines.layout import read, rows_of
from kafkalab.stories.producer_connections import connection_steps, wrong_address

TABLE = {
    "DISCONNECTED": {"connect": "CONNECTING"},
    "CONNECTING": {"accepted": "CHECKING_API_VERSIONS", "refused": "DISCONNECTED"},
    "CHECKING_API_VERSIONS": {"versions": "READY"},
}


def test_steps_are_compared_with_a_table():
    lab = Lab(brokers=1, seed=1, version="2.3", broker_version="2.3")
    lab.create_topic("orders", partitions=1)
    producer = KafkaProducer(lab, {})
    producer.send(ProducerRecord("orders", value="tea")).get()
    lab.broker(0).crash()
    lab.run_for(ms=100)
    steps = connection_steps(lab, 0, TABLE)
    assert list(steps["after"][:3]) == ["CONNECTING", "CHECKING_API_VERSIONS", "READY"]
    assert list(steps["in your table"][:4]) == ["yes", "yes", "yes", "no"]
    assert connection_steps(lab, 7, TABLE).empty


def test_a_client_goes_where_a_broker_advertises_though_nobody_listens():
    told = wrong_address().splitlines()
    assert told[:2] == ["broker 0: written", "broker 1: TimeoutException"]
    assert "Connection to node 1 (localhost/127.0.0.1:29092) could not be established" in told[2]
    assert told[3:] == ["broker 2: written"]


RUNS = course_folder() / "data/recordings/programs/wrong_address_4.4.0_3.9.2"


def kinds_of_lines(rows):
    """What NetworkClient says at DEBUG and above, without the numbers."""
    return {
        (row.level, re.sub(r"\d+", "N", row.text)[:60])
        for row in rows
        if row.logger_name == "NetworkClient" and row.level != "TRACE"
    }


def test_the_lab_writes_each_kind_of_line_that_a_real_producer_wrote_at_a_wrong_address():
    """The program of run 00: broker 0 advertises 9192, broker 1 is killed and comes back. With this
    seed the lab begins at the same address of the list as the real client did: broker 1's."""
    brokers = {0: "localhost:9093", 1: "localhost:9094", 2: "localhost:9092"}
    quick = {"broker.session.timeout.ms": 2_000, "broker.heartbeat.interval.ms": 500}
    lab = Lab(brokers, seed=2, version="3.9", broker_version="4.4", broker_config=quick)
    lab.create_topic("orders", partitions=3, leaders=[0, 1, 2])
    lab.broker(0).advertise(9192)
    settings = {"enable.idempotence": False, "enable.metrics.push": False, "linger.ms": 0}
    settings |= {"bootstrap.servers": ",".join(sorted(brokers.values())), "client.id": "shop"}
    settings |= {"reconnect.backoff.ms": 1_500, "reconnect.backoff.max.ms": 1_500}
    shop = KafkaProducer(lab, settings, name="shop")
    for partition in (1, 0, 2):
        shop.send(ProducerRecord("orders", value="tea", partition=partition))
        lab.run_for(ms=300)
    lab.broker(1).crash()
    lab.run_for(ms=2_500)
    lab.broker(1).restart()
    lab.run_for(ms=3_500)
    real = list(read(RUNS / "00.log.gz"))
    played = list(rows_of(lab.log_text("shop").splitlines()))
    assert kinds_of_lines(real) == kinds_of_lines(played)
    for rows in (real, played):
        refused = {
            re.search(r":(\d+)\)", row.text)[1]
            for row in rows
            if "node 0 (" in row.text and "could not be established" in row.text
        }
        assert refused == {"9192"}


def test_brokers_reach_a_broker_that_gives_clients_a_wrong_address():
    lab = Lab(brokers=2, seed=3, version="3.9", broker_version="4.4")
    lab.create_topic("orders", leaders=[1])
    lab.place_transaction_coordinator("till", 0)
    till = KafkaProducer(lab, {"transactional.id": "till", "linger.ms": 0}, name="till")
    till.init_transactions()
    till.begin_transaction()
    till.send(ProducerRecord("orders", value="tea")).get()
    lab.broker(1).advertise(29092)
    till.commit_transaction()
    lab.run_for(ms=2_000)
    assert lab.at(lab.now_ms)["partitions"]["orders-0"]["last_stable_offset"] == 2


@pytest.mark.parametrize("port", [0, 65_536, "9093", True, None, 9093.0])
def test_a_broker_advertises_whole_ports_only(port):
    with pytest.raises(ValueError, match="whole number from 1 to 65535"):
        Lab(brokers=1).broker(0).advertise(port)
