"""A log on disk: where it is cut, what retention takes away, what compaction leaves, and that
nothing happens when nothing is due."""

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.broker.log.log_cleaner import clean
from kafkalab.broker.log.log_settings import LogSettings
from kafkalab.broker.log.offset_lookup import look_up
from kafkalab.broker.log.partition_log import PartitionLog
from kafkalab.errors import (
    InvalidConfigurationException,
    InvalidTimestampException,
    KafkaException,
)
from kafkalab.protocol.messages import (
    ControlRecordType,
    RecordBatch,
    WireRecord,
    marker_batch,
)

DAY_MS = 86_400_000


def a_log(*timestamps_ms, size_bytes=100, **settings):
    log = PartitionLog("orders", 0, LogSettings(**settings))
    for at_ms in timestamps_ms:
        log.append(
            RecordBatch(records=(WireRecord("k", "v", at_ms),), size_bytes=size_bytes), 0, at_ms
        )
    log.high_watermark = log.log_end_offset
    return log


def names(log):
    return [segment.base_offset for segment in log.segments]


def test_a_batch_that_does_not_fit_begins_the_next_segment_and_exactly_full_is_full():
    assert names(a_log(*range(7), segment_bytes=300)) == [0, 3, 6]
    assert names(a_log(*range(6), segment_bytes=299)) == [0, 2, 4]


def test_a_segment_rolls_when_its_first_record_is_too_old_by_the_records_own_clock():
    assert names(a_log(0, 1_000, 1_001, 1_500, segment_ms=1_000)) == [0, 2]


def test_an_index_has_an_entry_after_each_interval_of_bytes():
    log = a_log(*range(100), size_bytes=1_000)
    # before each batch that more than 4096 bytes have gone before
    assert len(log.segments.active.index) == 19
    assert log.segments.active.file_name == "00000000000000000000.log"


def test_a_look_up_takes_the_segment_then_the_nearest_index_entry_and_scans_from_there():
    log = a_log(*range(100), size_bytes=1_000, segment_bytes=50_000)
    steps = look_up(log, 38)
    # entries after more than 4096 bytes: batch 5 at 5000, batch 10 at 10000, ...
    assert steps.file == "00000000000000000000.log" and steps.entry == (35, 35_000)
    assert (steps.scanned, steps.position) == ((35, 36, 37, 38), 38_000)
    assert look_up(log, 3).scanned == (0, 1, 2, 3), "before the first entry: from the beginning"
    assert look_up(log, 50).file == "00000000000000000050.log"
    assert look_up(log, 100) is None


def test_an_offset_that_compaction_took_is_looked_up_as_the_next_one_also_in_a_later_file():
    log = a_log(*range(6), segment_bytes=300)
    log.replace_between(0, 3, log.between(0, 1), 0)
    steps = look_up(log, 1)
    assert (steps.file, steps.scanned) == ("00000000000000000003.log", (3,))


def test_jitter_rolls_earlier_than_segment_ms_and_each_segment_draws_anew():
    drawn = iter((0, 400, 999))
    log = PartitionLog(
        "orders",
        0,
        LogSettings(segment_ms=1_000, segment_jitter_ms=5_000),
        draw=lambda limit: next(drawn) if limit == 1_000 else 1 / 0,
    )
    for at_ms in (0, 1_000, 1_001, 1_601, 1_602):
        log.append(RecordBatch(records=(WireRecord("k", "v", at_ms),), size_bytes=100), 0, at_ms)
    # the first waits 1000 ms, the second 600
    assert names(log) == [0, 2, 4]


def test_a_compacted_log_rolls_in_time_for_its_largest_lag():
    limits = {"segment_ms": 9_000, "max_compaction_lag_ms": 1_000}
    assert names(a_log(0, 1_000, 1_001, is_compacted=True, **limits)) == [0, 2]
    assert names(a_log(0, 1_000, 1_001, **limits)) == [0]


def test_jitter_spreads_the_rolls_of_partitions_that_began_together():
    def rolls(jitter_ms):
        lab = Lab(seed=5)
        config = {"segment.ms": 60_000, "segment.jitter.ms": jitter_ms}
        lab.create_topic("orders", partitions=8, config=config)
        producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
        for _ in range(70):
            for partition in range(8):
                producer.send(ProducerRecord("orders", partition=partition, value="tea"))
            lab.run_for(1_000)
        return sorted({event.at_ms // 1_000 for event in lab.journal.of("log.rolled")})

    assert rolls(0)[-1] - rolls(0)[0] <= 1 and len(rolls(30_000)) >= 6


def test_which_segment_holds_an_offset():
    log = a_log(*range(7), segment_bytes=300)
    assert [log.segments.of(offset).base_offset for offset in (0, 2, 3, 5, 6, 99)] == [
        0,
        0,
        3,
        3,
        6,
        6,
    ]


def test_retention_by_time_goes_by_the_newest_record_and_stops_at_the_first_segment_that_stays():
    log = a_log(0, 10, 5_000, 20, 30, 40, 6_000, segment_bytes=200, retention_ms=1_000)
    assert [segment.base_offset for segment in log.segments.expired(1_011, 7, 7)] == [0]
    assert log.segments.expired(1_010, 7, 7) == []
    # the second one holds a record of 5000
    assert [segment.base_offset for segment in log.segments.expired(5_900, 7, 7)] == [0]
    assert len(log.segments.expired(9_000, 7, 7)) == 4, "even the active one: then a new one begins"


def test_retention_by_size_takes_whole_segments_only_while_the_rest_is_still_large_enough():
    log = a_log(*range(7), segment_bytes=200, retention_bytes=350)
    assert [segment.base_offset for segment in log.segments.beyond_size(log.size_bytes, 7, 7)] == [
        0
    ]
    assert log.segments.beyond_size(log.size_bytes, high_watermark=1, log_end=7) == [], (
        "nothing that is not safe yet"
    )
    log.delete(log.segments.all[:1], 0)
    assert (log.log_start_offset, log.size_bytes, names(log)) == (2, 500, [2, 4, 6])
    assert log.read(2, 1_000)[0].base_offset == 2


def test_deleting_everything_begins_an_empty_segment_at_the_log_end():
    log = a_log(0, 1, 2, segment_bytes=200)
    log.delete(list(log.segments), 5)
    assert (log.log_start_offset, log.log_end_offset, names(log), log.size_bytes) == (3, 3, [3], 0)


class Shop:
    def __init__(self, config=None, partitions=1, replicas=1, brokers=1, **broker_config):
        self.lab = Lab(
            brokers,
            seed=5,
            version="3.9",
            broker_config={key.replace("_", "."): value for key, value in broker_config.items()},
        )
        self.lab.create_topic("orders", partitions, replicas, config=config)
        self.producer = KafkaProducer(
            self.lab, {"linger.ms": 0, "metadata.max.age.ms": 10 * DAY_MS}, name="shop"
        )

    def send(self, key, value, times=1):
        for _ in range(times):
            self.producer.send(ProducerRecord("orders", key=key, value=value)).get()

    def log(self, broker=0):
        return self.lab.broker(broker).machine.replicas.replica(("orders", 0)).log

    def left(self, broker=0):
        return [
            (batch.offset_of(place), record.key, record.value)
            for batch in self.log(broker).batches()
            for place, record in enumerate(batch.records)
        ]


def test_a_notebook_can_look_at_the_files():
    shop = Shop({"internal.segment.bytes": 200})
    shop.send("k", "v", times=5)
    rows = shop.lab.broker(0).segments("orders", 0)
    assert [row["file"] for row in rows] == [
        "00000000000000000000.log",
        "00000000000000000002.log",
        "00000000000000000004.log",
    ]
    assert [row["is_active"] for row in rows] == [False, False, True] and sum(
        row["size_bytes"] for row in rows
    ) == shop.log().size_bytes


def test_retention_looks_every_five_minutes_and_a_reader_who_is_too_late_begins_anew():
    shop = Shop({"retention.ms": 60_000, "segment.ms": 10_000})
    shop.send("k", "old", times=3)
    shop.lab.run_for(300_000)
    shop.send("k", "new")
    assert shop.log().log_start_offset == 0, "expired, and nobody has looked yet"
    assert shop.lab.run_until(lambda: shop.log().log_start_offset == 3)
    assert shop.lab.now_ms == 330_000
    reader = KafkaConsumer(shop.lab, {"auto.offset.reset": "earliest"}, name="late")
    reader.assign([TopicPartition("orders", 0)])
    reader.seek(TopicPartition("orders", 0), 1)
    assert [record.value for _ in range(3) for record in reader.poll(1_000)] == ["new"]


def test_deleted_records_are_out_of_reach_at_once_and_their_segments_go_at_the_next_look():
    from kafkalab import KafkaAdminClient, RecordsToDelete

    shop = Shop({"internal.segment.bytes": 200, "retention.ms": -1}, replicas=3, brokers=3)
    shop.send("k", "old", times=5)
    KafkaAdminClient(shop.lab, {}).delete_records(
        {TopicPartition("orders", 0): RecordsToDelete(4)}
    ).all().get()
    assert shop.log().log_start_offset == 4 and len(shop.log().batches()) == 5
    assert shop.lab.run_until(lambda: len(shop.log().batches()) == 1)
    assert shop.lab.now_ms == 30_000 and {
        shop.log(broker).log_start_offset for broker in (0, 1, 2)
    } == {4}


def test_a_compacted_log_keeps_the_last_value_of_each_key_at_its_old_offset():
    shop = Shop(
        {
            "cleanup.policy": "compact",
            "internal.segment.bytes": 200,
            "min.cleanable.dirty.ratio": 0.1,
        }
    )
    for n in range(4):
        shop.send("tea", f"t{n}")
        shop.send("milk", f"m{n}")
    assert shop.lab.run_until(lambda: any(shop.lab.journal.of("log.cleaned")), timeout_ms=40_000)
    cleaned = next(shop.lab.journal.of("log.cleaned"))
    assert cleaned.at_ms % 15_000 == 0 and cleaned.messages_read > cleaned.messages_written
    offsets = [offset for offset, _, _ in shop.left()]
    assert offsets == sorted(offsets) and offsets[-1] == 7 and len(offsets) < 8
    assert {key: value for _, key, value in shop.left()} == {"tea": "t3", "milk": "m3"}
    reader = KafkaConsumer(shop.lab, {"auto.offset.reset": "earliest"}, name="reader")
    reader.assign([TopicPartition("orders", 0)])
    assert [
        (record.offset, record.key, record.value) for _ in range(4) for record in reader.poll(1_000)
    ] == shop.left()
    assert reader.position(TopicPartition("orders", 0)) == 8


def test_a_tombstone_goes_in_a_later_pass_when_delete_retention_is_over():
    shop = Shop(
        {
            "cleanup.policy": "compact",
            "internal.segment.bytes": 100,
            "min.cleanable.dirty.ratio": 0.0,
            "delete.retention.ms": 60_000,
        }
    )
    shop.send("tea", "t0")
    shop.send("tea", None)
    shop.send("milk", "m0")
    shop.lab.run_for(16_000)
    assert ("tea", None) in [(key, value) for _, key, value in shop.left()]
    shop.lab.run_for(70_000)
    shop.send("bread", "b0", times=3)
    shop.lab.run_for(31_000)
    assert "tea" not in [key for _, key, _ in shop.left()]


def test_a_marker_and_a_tombstone_get_their_horizon_and_grow_by_it():
    """deleteHorizonMs takes the place of the batch's first timestamp; recorded for a tombstone."""
    clock_ms, horizon_ms = 1_795_219_240_000, 1_795_484_001_882
    tombstone = RecordBatch(records=(WireRecord("milk", None, clock_ms),), size_bytes=72)
    marker = marker_batch(7, 0, ControlRecordType.COMMIT, 0, clock_ms)
    kept = {"retains_deletes": lambda batch: True, "is_last": lambda batch: True}
    for batch in (tombstone, marker):
        for horizon, grows in ((None, 0), (horizon_ms, 4)):
            left = clean([batch], 0, 9, horizon_ms=horizon, **kept).batches
            assert [each.size_bytes for each in left] == [batch.size_bytes + grows]
            assert left[0].delete_horizon_ms == horizon


def test_followers_cut_and_compact_for_themselves():
    shop = Shop(
        {
            "cleanup.policy": "compact",
            "internal.segment.bytes": 200,
            "min.cleanable.dirty.ratio": 0.1,
        },
        replicas=3,
        brokers=3,
    )
    for n in range(6):
        shop.send("tea", f"t{n}")
    shop.lab.run_for(31_000)
    assert len({tuple(shop.left(broker)) for broker in range(3)}) == 1 and len(shop.left()) < 6


def test_a_record_without_a_key_is_refused_where_the_log_is_compacted():
    shop = Shop({"cleanup.policy": "compact"})
    with pytest.raises(KafkaException):
        shop.send(None, "no key")


def test_no_task_is_on_the_clock_while_nothing_can_be_due():
    shop = Shop({"cleanup.policy": "compact"})
    shop.send("tea", "t0")
    shop.lab.run_for(1_000)
    shop.producer.close()
    before = shop.lab.clock.scheduled
    shop.lab.run_for(500_000)
    assert shop.lab.clock.scheduled - before <= 2


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"retention.minutes": 5}, "Unknown topic config name: retention.minutes"),
        (
            {"segment.bytes": 1_000},
            "Invalid value 1000 for configuration segment.bytes: Value must be at least 1048576",
        ),
        (
            {"min.cleanable.dirty.ratio": 1.5},
            (
                "Invalid value 1.5 for configuration min.cleanable.dirty.ratio: Value must be no "
                "more than"
            ),
        ),
        ({"cleanup.policy": "shred"}, "Invalid value shred for configuration cleanup.policy"),
        ({"flush.ms": 5}, "not simulated"),
    ],
)
def test_a_topic_config_that_cannot_be_is_refused_with_javas_sentence(config, message):
    with pytest.raises(InvalidConfigurationException, match=message):
        Lab().create_topic("orders", config=config)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"log.dirs": "/tmp/logs"}, "disk.fill"),
        ({"num.replica.fetchers": 4}, "one fetcher for each leader's broker"),
        ({"min.insync.replicas": 0}, "min.insync.replicas"),
    ],
)
def test_a_broker_setting_that_cannot_be_is_refused_with_the_reason(config, message):
    with pytest.raises(ValueError, match=message):
        Lab(broker_config=config)


def test_hours_of_retention_are_minutes_are_milliseconds_and_the_finest_holds():
    assert (
        Lab(broker_config={"log.retention.hours": 2}).broker(0).machine.config.log_retention_ms
        == 7_200_000
    )
    assert (
        Lab(broker_config={"log.retention.hours": 2, "log.retention.ms": 5})
        .broker(0)
        .machine.config.log_retention_ms
        == 5
    )


@pytest.mark.parametrize(
    ("broker", "ahead_min", "kept"),
    [
        ("2.3", 120, True),
        ("4.4", 120, False),
        ("4.4", 50, True),
    ],
)
def test_a_record_more_than_an_hour_ahead_is_refused_since_4_0(broker, ahead_min, kept):
    lab = Lab(brokers=1, version="2.3", broker_version=broker)
    lab.create_topic("t")
    lab.create_topic("stamped", config={"message.timestamp.type": "LogAppendTime"})
    producer = KafkaProducer(lab)
    at_ms = lab.epoch_ms + lab.now_ms + ahead_min * 60_000
    future = producer.send(ProducerRecord("t", "v", timestamp_ms=at_ms))
    if kept:
        assert future.get().offset == 0
    else:
        with pytest.raises(InvalidTimestampException, match="acceptable range"):
            future.get()
        newer = KafkaProducer(lab, version="3.9").send(ProducerRecord("t", "v", timestamp_ms=at_ms))
        with pytest.raises(InvalidTimestampException, match=f"Timestamp {at_ms} of message with"):
            newer.get()
    stamped = producer.send(ProducerRecord("stamped", "v", timestamp_ms=at_ms))
    assert stamped.get().offset == 0, "the broker's own time counts"
