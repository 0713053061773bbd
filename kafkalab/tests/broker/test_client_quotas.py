"""A producer above its quota: what the broker tells it, and who waits (KIP-219)."""

import gzip
import re
from datetime import datetime

import pytest

from kafkalab import KafkaProducer, Lab, ProducerRecord
from kafkalab.broker.shell.client_quotas import ClientQuotas
from kafkalab.errors import InvalidConfigurationException
from kafkalab.proof.conformance.table import RECORDINGS

RECORDED = RECORDINGS / "4.4.0" / "4.4.0" / "producer_quota"


def a_shop(lab, client_id="shop", **config):
    return KafkaProducer(lab, {"client.id": client_id, "linger.ms": 0, **config}, name=client_id)


def a_lab(rate=1_000, version="4.4"):
    lab = Lab(1, 1, version, "4.4")
    lab.create_topic("orders")
    lab.limit_client("shop", rate)
    return lab


def send(producer, count):
    for number in range(count):
        producer.send(ProducerRecord("orders", "x" * 900, key=f"k{number}")).get()


def log_end(lab):
    return lab.at(lab.now_ms)["partitions"]["orders-0"]["log_end_offset"]


def sizes_of(monkeypatch, count):
    """The bytes of the requests that a lab's producer 4.4 sends, as the broker counts them."""
    found, count_request = [], ClientQuotas.throttle_ms

    def noted(quotas, client_id, size_bytes, now_ms):
        found.append(size_bytes)
        return count_request(quotas, client_id, size_bytes, now_ms)

    monkeypatch.setattr(ClientQuotas, "throttle_ms", noted)
    send(a_shop(a_lab(rate=1_000_000)), count)
    monkeypatch.undo()
    return found


def test_a_producer_is_told_what_a_real_one_was_told(monkeypatch):
    log = gzip.decompress((RECORDED / "shop.log.gz").read_bytes()).decode()
    told = [
        (datetime.strptime(time, "%H:%M:%S,%f"), int(ms))
        for time, ms in re.findall(
            r"^\[\S+ (\S+)\] DEBUG .*Received PRODUCE response.*throttleTimeMs=(\d+)", log, re.M
        )
    ]
    sizes = sizes_of(monkeypatch, len(told))
    assert len(told) == 24 and set(sizes) == {1_021, 1_022}
    quotas = ClientQuotas({"shop": 1_000})
    for size_bytes, (at, real_ms) in zip(sizes, told):
        at_ms = round((at - told[0][0]).total_seconds() * 1_000)
        # the client's clock, some milliseconds after the broker's
        assert abs(quotas.throttle_ms("shop", size_bytes, at_ms) - real_ms) <= 20
    assert sum(ms > 0 for _, ms in told) == 8


def test_ten_seconds_are_counted_together():
    quotas = ClientQuotas({"shop": 1_000})
    assert [quotas.throttle_ms("shop", 2_000, at_ms) for at_ms in (0, 0, 0, 0, 0)] == [0] * 5
    assert quotas.throttle_ms("shop", 2_000, 0) == 2_000
    assert quotas.throttle_ms("free", 1_000_000, 0) == 0
    # the bytes of second 0 count for eleven seconds
    assert quotas.throttle_ms("shop", 2_000, 10_900) == 14_000 - 10_900
    assert quotas.throttle_ms("shop", 2_000, 11_100) == 0


def test_nobody_else_waits_and_nothing_fails():
    lab = a_lab()
    shop, free = a_shop(lab), a_shop(lab, "free")
    begin_ms = lab.now_ms
    send(free, 14)
    assert lab.now_ms - begin_ms < 1_000
    send(shop, 14)
    assert lab.now_ms - begin_ms > 5_000
    assert {event.client for event in lab.journal.of("request.throttled")} == {"shop"}
    lab.limit_client("shop", None)
    lab.run_for(ms=10_000)
    begin_ms = lab.now_ms
    send(shop, 14)
    assert lab.now_ms - begin_ms < 1_000


def test_with_acks_0_the_broker_reads_the_next_request_late():
    lab = a_lab()
    shop = a_shop(lab, acks=0)
    for number in range(14):
        shop.send(ProducerRecord("orders", "x" * 900, key=f"k{number}"))
        lab.run_for(ms=20)
    assert "throttled" not in lab.log_text("shop")
    assert 9 < log_end(lab) < 14
    lab.run_for(ms=20_000)
    assert log_end(lab) == 14


@pytest.mark.parametrize(
    ("version", "level"), [("2.3", "TRACE"), ("3.9", "TRACE"), ("4.4", "WARN")]
)
def test_the_level_of_the_line_is_the_releases(version, level):
    lab = a_lab(version=version)
    send(a_shop(lab), 12)
    lines = lab.lines("shop")
    assert set(lines[lines.message.str.contains("is throttled")].level) == {level}


def test_the_request_log_has_the_throttle_time():
    lab = a_lab()
    lab.broker(0).time_requests()
    send(a_shop(lab), 12)
    told = [row["throttle_ms"] for row in lab.broker(0).request_times() if row["throttle_ms"]]
    assert told == [event.throttle_ms for event in lab.journal.of("request.throttled")]


@pytest.mark.parametrize("rate", [0, -1, 1.5, "much", True])
def test_a_rate_is_a_whole_number(rate):
    with pytest.raises(InvalidConfigurationException, match="at least 1, or None"):
        a_lab(rate=rate)
