"""Who compresses, who decompresses, how small does it get, and who pays?"""

import random

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, ProducerRecord
from kafkalab.errors import ConfigException
from kafkalab.protocol.compression import CODECS, Compression, CompressionRatioEstimator
from kafkalab.protocol.records_wire import (
    WireRecord,
    batch_size_bytes,
    record_bytes,
    record_size_bytes,
)
from kafkalab.tests.clients.stories import cluster, poll_for

ORDERS = [
    f'{{"order": {1000 + n}, "item": "{item}", "paid": {str(n % 3 == 0).lower()}}}'
    for n, item in enumerate(["tea", "coffee", "milk", "bread"] * 50)
]


def wire(values):
    return [WireRecord(None, value, 0) for value in values]


def lab_with(topic_config=None, version="3.9", **config):
    lab = cluster(version)
    lab.create_topic("t", 1, leaders=[0], config=topic_config)
    return lab, KafkaProducer(lab, {"linger.ms": 50, **config}, name="shop")


def send_orders(lab, producer):
    for order in ORDERS:
        producer.send(ProducerRecord("t", order))
    producer.flush()


def spent(lab):
    """[(who, work, codec)] in order, each once."""
    return list(
        dict.fromkeys((event.who, event.work, event.codec) for event in lab.journal.of("cpu"))
    )


# sizes


def test_a_record_is_as_long_as_it_is_counted():
    for value in (None, "", "x", "y" * 70, "z" * 20_000, "ä€"):
        record = WireRecord("key", value, 12_345)
        sizes = {"offset_delta": 300, "timestamp_delta_ms": -5}
        assert len(record_bytes(record, **sizes)) == record_size_bytes(record, **sizes)


@pytest.mark.parametrize("codec", CODECS)
def test_alike_records_shrink_and_random_ones_do_not(codec):
    rng = random.Random(1)
    noise = ["".join(chr(rng.randrange(33, 127)) for _ in range(80)) for _ in range(100)]
    ratios = [
        Compression(codec).compressed_bytes(wire(values)) / batch_size_bytes(tuple(wire(values)))
        for values in (ORDERS, noise)
    ]
    assert ratios[0] < 0.4 and ratios[1] > 0.75


def test_zstd_and_gzip_make_smaller_batches_than_lz4_and_snappy_at_a_higher_price():
    sizes = {codec: Compression(codec).compressed_bytes(wire(ORDERS)) for codec in CODECS}
    prices = {codec: Compression(codec).compress_us(10_000) for codec in CODECS}
    assert max(sizes["zstd"], sizes["gzip"]) < min(sizes["lz4"], sizes["snappy"])
    assert prices["snappy"] < prices["lz4"] < prices["zstd"] and prices["lz4"] < prices["gzip"]


@pytest.mark.parametrize(
    ("codec", "real"), [("gzip", 2_223), ("snappy", 4_418), ("lz4", 4_774), ("zstd", 2_332)]
)
def test_the_estimate_against_kafkas_own_streams(codec, real):
    """16 312 bytes of orders, as Kafka 3.9.2 compressed the same text."""
    rng = random.Random(1)
    names, goods = (
        "alice bob carol dave erin frank grace heidi ivan judy".split(),
        "tea coffee milk bread apples pears cheese".split(),
    )
    values = [
        (
            f'{{"order_id": {100_000 + n}, "customer": "{rng.choice(names)}", "item": '
            f'"{rng.choice(goods)}", "quantity": {rng.randint(1, 9)}, "price_cents": '
            f'{rng.randint(99, 9_999)}, "paid": {rng.choice(["true", "false"])}}}'
        )
        for n in range(145)
    ]
    assert Compression(codec).compressed_bytes(wire(values)) == pytest.approx(real, rel=0.25)


def test_good_news_is_believed_slowly_and_bad_news_at_once():
    """CompressionRatioEstimator: 0.005 down, 0.05 up or all the way."""
    estimator = CompressionRatioEstimator()
    estimator.observe("t", "gzip", 0.2)
    assert estimator.estimation("t", "gzip") == pytest.approx(0.995)
    estimator.observe("t", "gzip", 2.0)
    assert estimator.estimation("t", "gzip") == 2.0
    assert estimator.estimation("t", "lz4") == estimator.estimation("u", "gzip") == 1.0


# who does it


def test_the_producer_compresses_the_broker_keeps_the_consumer_reads():
    lab, producer = lab_with(**{"compression.type": "lz4"})
    send_orders(lab, producer)
    consumer = KafkaConsumer(lab, {"group.id": "g", "auto.offset.reset": "earliest"}, name="reader")
    consumer.subscribe(["t"])
    assert [record.value for record in poll_for(lab, consumer, 8_000)] == ORDERS
    assert spent(lab) == [
        ("shop", "compress", "lz4"),
        ("broker-0", "validate", "lz4"),
        ("reader", "decompress", "lz4"),
    ]
    assert producer.metrics()["compression-rate-avg"] < 0.6


def test_a_topic_of_another_codec_makes_the_broker_do_it_again():
    lab, producer = lab_with({"compression.type": "zstd"}, **{"compression.type": "gzip"})
    send_orders(lab, producer)
    assert spent(lab) == [
        ("shop", "compress", "gzip"),
        ("broker-0", "validate", "gzip"),
        ("broker-0", "recompress", "zstd"),
    ]


def test_an_uncompressed_topic_keeps_plain_batches():
    lab, producer = lab_with({"compression.type": "uncompressed"}, **{"compression.type": "gzip"})
    send_orders(lab, producer)
    kept = [event.size_bytes for event in lab.journal.of("record.appended") if event.topic == "t"]
    plain = [event.bytes_out for event in lab.journal.of("cpu") if event.work == "validate"]
    assert [size - 61 for size in kept] == plain


def test_more_records_fit_into_a_batch_once_the_ratio_is_known():
    lab, producer = lab_with(**{"compression.type": "gzip", "batch.size": 2_000})
    for _ in range(30):
        send_orders(lab, producer)
    counts = [
        len(event.records) for event in lab.journal.of("record.appended") if event.topic == "t"
    ]
    assert counts[-2] > counts[0] * 1.15


def test_an_expensive_level_costs_the_producers_time():
    latencies = []
    for level in (1, 19):
        lab, producer = lab_with(
            version="4.4", **{"compression.type": "zstd", "compression.zstd.level": level}
        )
        send_orders(lab, producer)
        latencies.append(
            max(event.cpu_us for event in lab.journal.of("cpu") if event.who == "shop")
        )
    assert latencies[1] > 100 * latencies[0]
    with pytest.raises(ConfigException, match="compression.zstd.level"):
        lab_with(version="3.6", **{"compression.type": "zstd", "compression.zstd.level": 5})
