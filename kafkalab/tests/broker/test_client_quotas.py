"""A client above its quota: what the broker tells it, and who waits (KIP-219)."""

import gzip
import re
from datetime import datetime

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.broker.client_quotas import ClientQuotas
from kafkalab.errors import InvalidConfigurationException
from kafkalab.proof.conformance.table import RECORDINGS
from kafkalab.protocol.buffer_sizes import fetch_response_bytes
from kafkalab.protocol.messages import (
    FetchableTopicResponse,
    FetchPartitionData,
    FetchResponse,
    RecordBatch,
    WireRecord,
)

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


READER_WAS_TOLD = (
    (0, 0), (41, 0), (51, 0), (61, 2222), (2290, 1988), (4283, 1995), (6289, 1992), (8285, 1993),
    (10282, 1995), (12281, 0), (12402, 0), (12503, 0), (12528, 2061), (14592, 1977), (16574, 1999),
    (18576, 1996), (20576, 1994), (22578, 1996), (24578, 0), (24591, 0), (24605, 0), (24620, 2268),
    (26897, 1965), (28867, 1998), (30876, 1992), (32875, 1986), (34865, 2002), (36874, 0),
    (36886, 0), (36898, 0), (36913, 2280), (39196, 1958), (41157, 2003), (43163, 2000),
    (45166, 1986), (47156, 2006), (49172, 0), (49181, 0),
)  # fmt: skip
"""(milliseconds, throttle time) of the answers to a real consumer 4.4.0 at a real broker 4.4.0. Its
quota is 1,000 bytes a second. Each answer would have had 3,000 bytes of records."""


def fetched(size_bytes):
    """An answer with so many bytes of one partition's records."""
    batch = RecordBatch(base_offset=0, records=(WireRecord("k", "v", 0),), size_bytes=size_bytes)
    part = FetchPartitionData(partition_index=0, records=(batch,))
    topic = FetchableTopicResponse(topic_id="C1Ib7m5ES_a0lFHw9u7Xbg", partitions=(part,))
    return FetchResponse(responses=(topic,))


def test_a_reader_is_told_what_a_real_one_was_told():
    quotas, size_bytes = ClientQuotas({"reader": 1_000}), fetch_response_bytes(fetched(3_000))
    for at_ms, real_ms in READER_WAS_TOLD:
        told_ms = quotas.throttle_ms("reader", size_bytes, at_ms)
        if told_ms:
            quotas.take_back("reader", size_bytes)
        # the client's clock, some milliseconds after the broker's
        assert abs(told_ms - real_ms) <= 25


def read(lab, count, client_id="reader", **config):
    """Read so many records; returns how many milliseconds that took."""
    settings = {"group.id": client_id, "auto.offset.reset": "earliest", **config}
    reader = KafkaConsumer(lab, {"client.id": client_id, **settings}, name=client_id)
    reader.subscribe(["orders"])
    found, begin_ms = [], lab.now_ms
    while len(found) < count:
        found += [record.offset for record in reader.poll(500)]
    reader.close()
    assert found == list(range(count)), "each record once, in its order"
    return lab.now_ms - begin_ms


@pytest.mark.parametrize("version", ["2.3", "3.9", "4.4"])
def test_a_reader_above_its_quota_waits_and_loses_nothing(version):
    lab = Lab(1, 1, version, "4.4")
    lab.create_topic("orders")
    send(a_shop(lab), 30)
    lab.limit_client("reader", consumer_byte_rate=1_000)
    small = {"fetch.max.bytes": 3_000, "max.partition.fetch.bytes": 3_000}
    assert read(lab, 30, "free", **small) < 6_000
    assert read(lab, 30, **small) > 20_000
    assert {event.client for event in lab.journal.of("request.throttled")} == {"reader"}


@pytest.mark.parametrize("version", ["2.3", "2.8", "4.4"])
def test_a_first_fetch_above_the_quota_opens_no_session(version):
    lab = Lab(1, 1, version, "2.3")
    lab.create_topic("orders")
    send(a_shop(lab), 12)
    lab.limit_client("reader", consumer_byte_rate=500)
    begin_ms = lab.now_ms
    reader = KafkaConsumer(
        lab, {"client.id": "reader", "auto.offset.reset": "earliest"}, name="reader"
    )
    reader.assign([TopicPartition("orders", 0)])
    for _ in range(8):
        reader.poll(500)
    (told, *_) = lab.journal.of("request.throttled")
    assert told.at_ms - begin_ms < 2_000 and told.throttle_ms > 10_000
    text = "invalid full fetch response with extra=(orders-0, response=("
    if version != "2.3":
        text = f"should be throttled for {told.throttle_ms} ms"
    assert text in lab.log_text("reader")


def test_a_broker_of_today_gives_a_reader_no_more_than_ten_seconds_of_its_quota():
    lab = Lab(1, 1, "4.4", "4.4")
    lab.create_topic("orders")
    send(a_shop(lab), 12)
    lab.limit_client("reader", consumer_byte_rate=500)
    read(lab, 12)
    first = next(lab.journal.of("request.throttled"))
    assert first.throttle_ms < 10_000


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
    with pytest.raises(InvalidConfigurationException, match="consumer_byte_rate is a whole"):
        Lab(1).limit_client("reader", consumer_byte_rate=rate)
