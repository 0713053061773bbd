"""What does a lab not do? No test looks at a clock (`make bench` does);
these count what is made and what is scheduled."""

from __future__ import annotations

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord
from kafkalab.clients.network.log_context import LogContext, Statement
from kafkalab.records import TopicPartition

MINUTE_MS = 60_000


def a_shop(version: str = "3.9", seed: int = 7) -> Lab:
    """Two readers of one group, a till, and a broker that goes and comes back:
    nine virtual seconds."""
    lab = Lab(brokers=3, seed=seed, version=version)
    lab.create_topic("orders", partitions=4)

    def read(lab: Lab, name: str) -> None:
        consumer = KafkaConsumer(lab, {"group.id": "shop"}, name=name)
        consumer.subscribe(["orders"])
        while True:
            consumer.poll(timeout_ms=500)

    def sell(lab: Lab) -> None:
        producer = KafkaProducer(lab, {"linger.ms": 5}, name="till")
        for number in range(60):
            producer.send(ProducerRecord("orders", key=str(number), value="tea"))
            lab.sleep(40)
        producer.close()

    lab.spawn(read, "inv-1")
    lab.spawn(read, "inv-2")
    lab.run_for(ms=4_500)
    lab.spawn(sell)
    lab.run_for(ms=1_500)
    lab.broker(1).crash()
    lab.run_for(ms=1_000)
    lab.broker(1).restart()
    lab.run_for(ms=2_000)
    return lab


@pytest.mark.slow
def test_no_line_is_made_text_before_somebody_reads_it(monkeypatch):
    made = []
    fields = Statement.fields
    monkeypatch.setattr(
        Statement, "fields", lambda self, values: made.append(self.name) or fields(self, values)
    )
    lab = a_shop()
    lines = [event for event in lab.journal.events if event.kind == "line"]
    assert len(lines) > 1_000 and made == []
    text = lines[0].message
    assert made == [lines[0].name], "reading one line makes the text of one"
    assert lines[0].message == text and len(made) == 1, "and makes it once"


@pytest.mark.parametrize("version", ["2.1", "2.3", "2.8", "3.6", "4.4"])
def test_a_line_read_late_says_what_it_would_have_said_at_once(monkeypatch, version):
    """What a machine says is frozen, or made text at once:
    nothing that happens later gets into a line."""
    at_once = []
    write = LogContext.__call__

    def write_and_read(self, name, /, **values):
        before = len(self.journal.kept)
        write(self, name, **values)
        if len(self.journal.kept) > before:
            at_once.append(self.journal.events[-1].message)

    monkeypatch.setattr(LogContext, "__call__", write_and_read)
    lab = a_shop(version)
    assert [event.message for event in lab.journal.of("line")] == at_once


def scheduled_in_a_minute(lab: Lab) -> int:
    lab.run_for(ms=15_000)
    before = lab.clock.scheduled
    lab.run_for(ms=MINUTE_MS)
    return lab.clock.scheduled - before


def test_an_empty_lab_has_nothing_to_do():
    assert scheduled_in_a_minute(Lab(brokers=3)) <= 10


def test_a_client_that_waits_is_one_timer():
    """Two fetches a second wait at the broker, each as one timer;
    on the way of each there are five events more."""
    lab = Lab(brokers=1)
    lab.create_topic("orders")

    def read(lab: Lab) -> None:
        consumer = KafkaConsumer(lab, name="reader")
        consumer.assign([TopicPartition("orders", 0)])
        while True:
            consumer.poll(timeout_ms=MINUTE_MS)

    lab.spawn(read)
    assert scheduled_in_a_minute(lab) < 120 * 7


def test_an_idle_member_looks_ten_times_a_second_whether_to_beat():
    """As Java's heartbeat thread does, every retry.backoff.ms;
    its beats and fetches are what else there is."""
    lab = Lab(brokers=1)
    lab.create_topic("orders")

    def read(lab: Lab) -> None:
        consumer = KafkaConsumer(lab, {"group.id": "shop"}, name="member")
        consumer.subscribe(["orders"])
        while True:
            consumer.poll(timeout_ms=MINUTE_MS)

    lab.spawn(read)
    assert scheduled_in_a_minute(lab) < 600 + 120 * 9 + 32 * 9


def test_a_producer_with_nothing_to_send_costs_nothing():
    lab = Lab(brokers=1, version="2.8")
    lab.create_topic("orders")
    producer = KafkaProducer(lab, name="till")
    producer.send(ProducerRecord("orders", value="tea")).get(5_000)
    assert scheduled_in_a_minute(lab) <= 20
