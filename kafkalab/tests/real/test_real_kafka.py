"""Real brokers and clients. Skipped with a sentence where `real setup` was not run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from types import SimpleNamespace

import psutil
import pytest

from kafkalab import ProducerRecord, TopicPartition, real
from kafkalab.clients.admin.values import ConfigResource
from kafkalab.errors import (
    IllegalArgumentException,
    IllegalStateException,
    InvalidConfigurationException,
    NoSuchName,
    RecordTooLargeException,
    UnsupportedVersionException,
)
from kafkalab.real import real_cluster
from kafkalab.real.home import real_home
from kafkalab.real.keeper import kept_folders
from kafkalab.sim.apps import AppEnded
from kafkalab.views import assignment_matrix

MISSING = real.what_is_missing()
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(MISSING), reason=MISSING or "set up")]


@pytest.fixture(scope="module")
def cluster():
    with real.Lab(brokers=1) as lab:
        yield lab


@pytest.fixture
def lab(cluster):
    cluster.clear()
    return cluster


def needs_client(release):
    """Skip a test that plays a client that was not set up here."""
    if missing := real.what_is_missing(release):
        pytest.skip(missing)


class Heard:
    """A listener that uses its consumer, as in Java."""

    def __init__(self, consumer):
        self.consumer, self.assigned, self.positions = consumer, [], []

    def on_partitions_assigned(self, partitions):
        self.assigned = partitions

    def on_partitions_revoked(self, partitions):
        self.positions = [self.consumer.position(one) for one in partitions]


def test_a_cluster_whose_id_begins_with_a_hyphen_starts(monkeypatch):
    system = {**vars(os), "urandom": lambda size: b"\xf8" * size}
    monkeypatch.setattr(real_cluster, "os", SimpleNamespace(**system))
    with real.Lab(brokers=1) as lab:
        lab.create_topic("orders")
        producer = real.KafkaProducer(lab)
        assert producer.send(ProducerRecord("orders", "order 0")).get().offset == 0


def test_records_go_round(lab):
    lab.create_topic("orders", partitions=3)
    producer = real.KafkaProducer(lab, {"client.id": "shop"})
    told = []
    sent = [
        producer.send(ProducerRecord("orders", key=key, value="v"), lambda *got: told.append(got))
        for key in ("alice", "bob", "订单")
    ]
    assert [future.get().partition for future in sent] == [0, 0, 1]
    consumer = real.KafkaConsumer(lab, {"group.id": "g", "auto.offset.reset": "earliest"})
    heard = Heard(consumer)
    consumer.subscribe(["orders"], heard)
    records = []
    assert lab.run_until(lambda: records.extend(consumer.poll(200)) or len(records) == 3, 30_000)
    assert {record.key for record in records} == {"alice", "bob", "订单"}
    assert heard.assigned == [TopicPartition("orders", number) for number in range(3)]
    consumer.commit_sync()
    assert lab.describe_group("g").lag.sum() == 0
    consumer.close()
    assert sorted(heard.positions) == [0, 1, 2]
    assert [error for _, error in told] == [None] * 3
    assert {"PRODUCE", "METADATA"} <= set(lab.table("request.sent").query("who == 'shop'").api)
    assert "Kafka version: 3.9.2" in lab.log_text("shop")
    with pytest.raises(RecordTooLargeException, match="max.request.size"):
        producer.send(ProducerRecord("orders", "x" * 2_000_000)).get()


def test_the_lines_and_the_kernel_tell_the_same_sockets(lab, recwarn):
    lab.create_topic("orders")
    producer = real.KafkaProducer(lab, {"client.id": "shop"})
    producer.send(ProducerRecord("orders", "tea")).get()
    sockets = lab.sockets("shop")
    assert sorted(socket.node_id for socket in sockets) == ["-1", "0"]
    assert sum(lab.kernel_sockets("shop").values()) == 2
    assert not [each for each in recwarn if "kernel" in str(each.message)]
    with pytest.raises(RecordTooLargeException):  # also where Spark runs in this process
        producer.send(ProducerRecord("orders", "x" * 2_000_000)).get()


def test_a_killed_client_says_no_more_and_its_app_ends(lab):
    lab.create_topic("orders")

    def reads(lab):
        consumer = real.KafkaConsumer(lab, {"group.id": "g"}, name="ann")
        consumer.subscribe(["orders"])
        while True:
            consumer.poll(timeout_ms=200)

    app = lab.spawn(reads, name="ann")
    assert lab.run_until(lambda: "Subscribed" in (lab.log_text("ann") if lab._logs else ""), 20_000)
    pid = lab._processes["ann"].pid
    lab.kill("ann")
    assert lab.run_until(lambda: app.done, 10_000) and app.error is None
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    producer = real.KafkaProducer(lab, name="shop")
    lab.kill("shop")
    with pytest.raises(IllegalStateException, match="The process of shop was killed"):
        producer.flush()


def test_an_error_of_an_app_surfaces_in_the_cell(lab):
    def fails(lab):
        raise ValueError("no tea")

    lab.spawn(fails)
    with pytest.raises(ValueError, match="no tea"):
        lab.run_for(1_000)
    assert not isinstance(ValueError(), AppEnded)


def test_a_broker_that_crashed_finds_its_records_again(lab):
    lab.create_topic("orders")
    producer = real.KafkaProducer(lab, {"acks": "all"})
    producer.send(ProducerRecord("orders", "tea")).get()
    lab.broker(0).crash()
    with pytest.raises(Exception, match=r"\w"):
        producer.send(ProducerRecord("orders", "tea")).get(timeout_ms=500)
    with pytest.raises(IllegalStateException, match="runs"):
        lab.broker(0).restart() or lab.broker(0).restart()
    assert lab.run_until(lambda: lab.leader("orders", 0) == 0, 30_000)
    assert int(lab.describe_topic("orders").high_watermark.iloc[0]) >= 1


UP = [sys.executable, "-m", "kafkalab", "real", "up"]


def test_up_and_down(tmp_path, monkeypatch):
    """A home of its own, with the jars of the user's."""
    (tmp_path / "jars").symlink_to(real_home() / "jars")
    monkeypatch.setenv("KAFKALAB_REAL", str(tmp_path))
    up = subprocess.Popen(UP, stdout=subprocess.PIPE, text=True)
    assert "bootstrap.servers=localhost:" in up.stdout.readline()
    below = psutil.Process(up.pid).children(recursive=True)
    assert len(below) >= 4 and len(kept_folders()) == 1
    status = subprocess.run([*UP[:-1], "status"], capture_output=True, text=True, check=True)
    assert "runs: " in status.stdout and "localhost:" in status.stdout
    down = subprocess.run([*UP[:-1], "down"], capture_output=True, text=True, check=True)
    assert "1 labs ended" in down.stdout
    assert up.wait(20) == 0
    up.stdout.close()
    until = time.monotonic() + 600
    while any(each.is_running() for each in below) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(each.is_running() for each in below) and not list((tmp_path / "runs").iterdir())


def test_a_share_consumer_acquires_gives_back_and_acknowledges(lab):
    lab.create_topic("jobs")
    lab.configure_group("workers", {"share.auto.offset.reset": "earliest"})
    producer = real.KafkaProducer(lab, {"linger.ms": 0})
    for number in range(3):
        producer.send(ProducerRecord("jobs", f"job {number}")).get()
    settings = {"group.id": "workers", "share.acknowledgement.mode": "explicit"}
    ada = real.KafkaShareConsumer(lab, settings, version="4.4", name="ada")
    told = []
    ada.set_acknowledgement_commit_callback(told.append)
    ada.subscribe(["jobs"])
    assert ada.subscription() == ["jobs"]
    held = []
    assert lab.run_until(lambda: held.extend(ada.poll(500)) or bool(held), 30_000)
    assert ada.acquisition_lock_timeout_ms() == 30_000
    assert (held[0].offset, held[0].delivery_count) == (0, 1)
    with pytest.raises(IllegalStateException):
        ada.poll(100)
    with pytest.raises(IllegalArgumentException, match="accept, release"):
        ada.acknowledge(held[0], "maybe")
    for record in held:
        ada.acknowledge(record, "release" if record.offset == 0 else "accept")
    assert ada.commit_sync() == {TopicPartition("jobs", 0): None}
    again = []
    assert lab.run_until(lambda: again.extend(ada.poll(500)) or bool(again), 30_000)
    assert (again[0].offset, again[0].delivery_count) == (0, 2)
    for record in again:
        ada.acknowledge(record)
    ada.commit_async()
    ada.close()
    assert all(result == {TopicPartition("jobs", 0): None} for result in told) and told


def test_a_release_without_share_consumers_is_told_which_has_them(lab):
    needs_client("2.8")
    with pytest.raises(UnsupportedVersionException, match="4.4"):
        real.KafkaShareConsumer(lab, {"group.id": "workers"}, version="2.8")


def test_a_group_setting_that_is_not_there_is_refused(lab):
    with pytest.raises(InvalidConfigurationException):
        lab.configure_group("workers", {"share.no.such": 1})


@pytest.mark.parametrize("release", ["3.9", "4.0"])
def test_a_share_consumer_of_an_older_client_is_there_and_cannot_poll(lab, release):
    """The jars of 3.9 and 4.0 have the class, for brokers of an early access."""
    needs_client(release)
    lab.create_topic("jobs")
    ada = real.KafkaShareConsumer(lab, {"group.id": "workers"}, version=release, name="ada")
    ada.subscribe(["jobs"])
    with pytest.raises(UnsupportedVersionException):
        for _ in range(20):
            ada.poll(500)
    with pytest.raises(NoSuchName, match="acquisition_lock_timeout_ms"):
        ada.acquisition_lock_timeout_ms()


def test_settings_are_described_and_altered(lab):
    lab.create_topic("orders", config={"retention.ms": 60_000})
    admin = real.KafkaAdminClient(lab, {})
    topic, broker = ConfigResource("topic", "orders"), ConfigResource("broker", "0")

    def told(resource, key):
        return admin.describe_configs([resource]).values()[resource].get()[key]

    assert told(topic, "retention.ms").value == "60000"
    assert told(broker, "replica.lag.time.max.ms").is_default
    assert told(broker, "broker.id").value == "0"
    lab.alter_topic("orders", {"retention.ms": 70_000})
    assert lab.run_until(lambda: told(topic, "retention.ms").value == "70000", 10_000)
    lab.alter_topic("orders", {"retention.ms": None})
    assert lab.run_until(lambda: told(topic, "retention.ms").is_default, 10_000)
    with pytest.raises(InvalidConfigurationException):
        lab.alter_topic("orders", {"retention.ms": "tea"})
    with pytest.raises(IllegalArgumentException, match='"topic" or a "broker"'):
        admin.describe_configs([ConfigResource("group", "g")])


def test_the_owners_by_generation_are_drawn_from_the_leaders_lines(lab):
    lab.create_topic("orders", partitions=2)
    ada = real.KafkaConsumer(lab, {"group.id": "g", "client.id": "ada"}, name="ada")
    ada.subscribe(["orders"])
    assert lab.run_until(lambda: ada.poll(200) is not None and len(ada.assignment()) == 2, 30_000)
    text = assignment_matrix(lab, "g").text
    assert [line.split() for line in text.splitlines()[1:3]] == [
        ["orders-0", "ada"],
        ["orders-1", "ada"],
    ]


def test_a_lab_may_have_another_number_of_partitions_for_offsets():
    with real.Lab(brokers=1, broker_config={"offsets.topic.num.partitions": 3}) as lab:
        assert lab.coordinator_of("billing") == 0
        assert lab.leader("__consumer_offsets", 2) == 0
        with pytest.raises(IndexError):
            lab.leader("__consumer_offsets", 3)
