"""Sensors and the metrics a client keeps about itself (org.apache.kafka.common.metrics, KIP-11).

A sensor records single events. Its metrics are an average, a maximum, a rate or a total. All but
totals cover metrics.num.samples windows of metrics.sample.window.ms each: 30 to 60 seconds with the
defaults. Before its first event a metric has no value: an average is NaN, as in Java.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


class Time(Protocol):
    """The clock of a sensor; a scheduler is one."""

    now_ms: int


@dataclass(frozen=True, slots=True, order=True)
class MetricName:
    """The name of a metric. `group` is its subject ("producer-metrics"); `tags` say which one of
    several it is: ("topic", "orders")."""

    name: str
    group: str
    tags: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        tags = "".join(f", {tag}={value}" for tag, value in self.tags)
        return f"{self.group}: {self.name}{tags}"


class MetricValues(Mapping[Any, float]):
    """All metrics of a client at one moment: MetricName -> number.

    A plain name is accepted where it means one metric of the whole client:
    `values["batch-size-avg"]`; `values.of("producer-topic-metrics", topic="orders")` gives one
    topic's by name.
    """

    def __init__(self, values: Mapping[MetricName, float]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: MetricName | str) -> float:
        if isinstance(name, MetricName):
            return self._values[name]
        for known, value in self._values.items():
            if known.name == name and all(tag == "client-id" for tag, _ in known.tags):
                return value
        raise KeyError(
            f"there is no metric {name!r}; there are "
            f"{', '.join(sorted({known.name for known in self._values}))}"
        )

    def of(self, group: str, **tags: str) -> dict[str, float]:
        """The metrics of a group that have these tags, by name."""
        wanted = {(tag.replace("_", "-"), value) for tag, value in tags.items()}
        return {
            known.name: value
            for known, value in self._values.items()
            if known.group == group and wanted <= set(known.tags)
        }

    def __iter__(self) -> Iterator[MetricName]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return "\n".join(f"{name} = {value:g}" for name, value in sorted(self._values.items()))


class Sample:
    """One window: the count, the sum and the maximum of its events."""

    __slots__ = ("count", "most", "start_ms", "total")

    def __init__(self, start_ms: int) -> None:
        self.start_ms, self.count, self.total, self.most = start_ms, 0, 0.0, -math.inf


class Sensor:
    """The recorded events: the windows that a metric covers, and totals since the beginning
    (SampledStat)."""

    def __init__(self, clock: Time, window_ms: int, window_count: int) -> None:
        self.count, self.total = 0, 0.0
        self._clock, self._window_ms, self._window_count = clock, window_ms, window_count
        self._windows = [Sample(clock.now_ms)]

    def record(self, value: float = 1) -> None:
        now_ms = self._clock.now_ms
        window = self._windows[-1]
        if now_ms - window.start_ms >= self._window_ms:
            window = Sample(now_ms)
            self._windows.append(window)
            del self._windows[: -self._window_count]
        window.count += 1
        window.total += value
        if value > window.most:
            window.most = value
        self.count += 1
        self.total += value

    def average(self) -> float:
        """The average over the windows; NaN where nothing was recorded."""
        windows = self._fresh()
        count = sum(window.count for window in windows)
        return sum(window.total for window in windows) / count if count else math.nan

    def maximum(self) -> float:
        most = max((window.most for window in self._fresh()), default=-math.inf)
        return most if most > -math.inf else math.nan

    def rate(self) -> float:
        """The sum of the windows a second. All but the last window count as complete, so a client
        that has just begun does not seem faster than it is (Rate.windowSize)."""
        windows = self._fresh()
        oldest_ms = windows[0].start_ms if windows else self._clock.now_ms
        elapsed_ms = self._clock.now_ms - oldest_ms
        missing = self._window_count - 1 - elapsed_ms // self._window_ms
        elapsed_ms += max(0, missing) * self._window_ms
        return sum(window.total for window in windows) / (max(elapsed_ms, 1) / 1000)

    def _fresh(self) -> list[Sample]:
        """The windows that are not too old."""
        since_ms = self._clock.now_ms - self._window_ms * self._window_count
        return [window for window in self._windows if window.start_ms > since_ms]


Measure = Callable[[], float]
