"""A moving picture of a log on disk: segments roll, go and are compacted (chapter 13).

The function returns a `kafkalab.views.Moving`. The last line of a cell shows it.
"""

from __future__ import annotations

from functools import lru_cache

from kafkalab import KafkaProducer, Lab, ProducerRecord
from kafkalab.stories.segments import (
    DAY_MS,
    MINUTE_MS,
    LogRow,
    in_ms,
    log_rows,
    oldest_minutes,
    price_lab,
    sell,
    shop_lab,
)
from kafkalab.views import Moving, Picture, moving, record_strip, segment_strip

MINUTES = 120
CHANGES = 24
LOGS = {
    "time": "orders, retention.ms of 30 minutes",
    "size": "orders, retention.bytes of 5,000",
    "compact": "prices, compacted",
}


@lru_cache(maxsize=2)
def _orders(policy: str) -> tuple[Lab, list[float], list[int]]:
    """(lab, age of the oldest order, bytes in the log) after each of two hours' minutes."""
    keep_ms, keep_bytes = (in_ms(30), -1) if policy == "time" else (-1, 5_000)
    lab = shop_lab(segment_ms=in_ms(20), retention_ms=keep_ms, retention_bytes=keep_bytes)
    ages, sizes = [0.0], [0]

    def look() -> None:
        ages.append(oldest_minutes(lab))
        sizes.append(
            sum(int(str(row["size_bytes"])) for row in lab.broker(0).segments("orders", 0))
        )

    sell(lab, MINUTES, each=look)
    return lab, ages, sizes


@lru_cache(maxsize=1)
def _prices() -> tuple[list[list[LogRow]], list[int]]:
    """(records in the log, records written) after each of two hours' minutes.

    The price of milk is written once, that of jam now and then, that of tea most often.
    """
    lab = price_lab(segment_ms=in_ms(20), min_cleanable_dirty_ratio=0.5)
    shop = KafkaProducer(lab, {"linger.ms": 0, "metadata.max.age.ms": DAY_MS}, name="shop")
    states: list[list[LogRow]] = [[]]
    written = [0]
    for minute in range(MINUTES):
        if minute % 5 == 0:
            number = minute // 5
            key = "milk" if number == 1 else "jam" if number % 6 == 3 else "tea"
            shop.send(ProducerRecord("prices", key=key, value=str(number))).get()
        lab.run_for(ms=(minute + 1) * MINUTE_MS - lab.now_ms)
        states.append(log_rows(lab))
        written.append(minute // 5 + 1)
    return states, written


def files_over_time() -> Moving:
    """Two hours of a log that retention shortens, by time or by size, or that is compacted."""

    def draw(minute: int, log: str) -> Picture:
        at = f"{minute} min"
        if log == "compact":
            states, written = _prices()
            rows = [(offset, str(key), str(value)) for offset, key, value in states[minute]]
            counts = f"prices written: {written[minute]}, in the log: {len(rows)}"
            words = f"compacted, minute {minute}; {counts}"
            return record_strip({at: rows}, title=words, first=0, up_to=CHANGES)
        lab, ages, sizes = _orders(log)
        words = (
            f"retention.ms 30 min, minute {minute}; the oldest order: {ages[minute]:g} min"
            if log == "time"
            else f"retention.bytes 5,000, minute {minute}; in the log: {sizes[minute]:,} bytes"
        )
        return segment_strip(lab, "orders", at_ms=[in_ms(minute)], title=words, up_to=MINUTES)

    return moving(
        draw,
        at={minute: f"{minute} min" for minute in range(2, MINUTES + 1, 2)},
        still=94,
        called="time",
        log=LOGS,
    )
