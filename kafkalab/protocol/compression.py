"""How small does a batch become, and what does that cost? (compression.type; CompressionType,
CompressionRatioEstimator)

Nothing is really compressed here: sizes and times are estimates. A batch's text is cut greedily
into pieces seen before and the bytes between them, as all four codecs do it; a codec's size is then
a sum over both, its weights fitted to what Kafka 3.9.2's own streams made of orders in JSON, log
lines, words, random and equal text in batches of 1 to 64 KB. Against those measures the estimate is
off by 3 % (lz4), 5 % (snappy), 9 % (gzip) and 17 % (zstd) on average. CPU times are from the same
runs, on Java 17 and one core of a small cloud machine: their ratios teach, their absolute values do
not.

Left out: dictionaries, and the down-conversion of old message formats (gone in 4.0, KIP-724).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kafkalab.protocol.records_wire import WireRecord, record_bytes

SHORTEST_MATCH_BYTES = 4


@dataclass(frozen=True, slots=True)
class Codec:
    """One compression.type.

    literal_bytes  what a byte that was not seen before takes; with huffman, what each byte of its
                   entropy takes
    match_bytes    what a piece that was seen before takes; one longer than longest_match takes more
    start_bytes    header and trailer
    compress_us, decompress_us                microseconds for each batch, however small
    compress_us_per_kb, decompress_us_per_kb  and for each 1000 bytes of uncompressed records, at
                                              the default level
    levels         level -> (size, compression time), relative to the default level
    """

    name: str
    huffman: bool
    literal_bytes: float
    match_bytes: float
    longest_match: int
    start_bytes: int
    compress_us: int
    decompress_us: int
    compress_us_per_kb: float
    decompress_us_per_kb: float
    default_level: int | None = None
    levels: Mapping[int, tuple[float, float]] | None = None


CODECS: Mapping[str, Codec] = {
    codec.name: codec
    for codec in (
        Codec(
            "gzip",
            True,
            1.09,
            1.46,
            258,
            32,
            22,
            5,
            5.0,
            0.9,
            -1,
            {1: (1.2, 0.45), 6: (1.0, 1.0), 9: (0.92, 2.8)},
        ),
        Codec("snappy", False, 1.04, 2.68, 64, 18, 3, 1, 0.6, 0.5),
        Codec(
            "lz4",
            False,
            1.01,
            3.14,
            765,
            26,
            16,
            4,
            1.1,
            0.3,
            9,
            {1: (0.77, 2.5), 8: (0.7, 12.0), 9: (1.0, 1.0), 10: (0.7, 16.0), 17: (0.68, 24.0)},
        ),
        Codec(
            "zstd",
            True,
            1.15,
            1.03,
            1_000_000,
            35,
            45,
            30,
            2.5,
            1.4,
            3,
            {1: (0.96, 0.85), 3: (1.0, 1.0), 10: (0.88, 21.0), 19: (0.83, 2000.0)},
        ),
    )
}
"""compression.type -> its numbers. lz4's level 9 is its fast compressor, all others are the slow
one (KafkaLZ4BlockOutputStream)."""

TYPES = ("none", *CODECS)


@dataclass(frozen=True, slots=True)
class Compression:
    """A codec at a level; `level` None is the codec's default (KIP-390)."""

    type: str = "none"
    level: int | None = None

    @property
    def is_none(self) -> bool:
        return self.type == "none"

    def compressed_bytes(self, records: Iterable[WireRecord]) -> int:
        """Estimated size of these records, the batch's own header not counted.
        The same records always give the same size."""
        codec = CODECS[self.type]
        literals, matches = _pieces(_payload(records), codec.longest_match)
        weight = _entropy_bytes(literals) if codec.huffman else len(literals)
        return codec.start_bytes + int(
            (codec.literal_bytes * weight + codec.match_bytes * matches) * self._at_level()[0]
        )

    def compress_us(self, uncompressed_bytes: int) -> int:
        """CPU time of compressing a batch, in microseconds."""
        codec = CODECS[self.type]
        return int(
            (codec.compress_us + codec.compress_us_per_kb * uncompressed_bytes / 1000)
            * self._at_level()[1]
        )

    def decompress_us(self, uncompressed_bytes: int) -> int:
        """CPU time of reading a batch, in microseconds;
        the level it was written with makes no difference."""
        codec = CODECS[self.type]
        return int(codec.decompress_us + codec.decompress_us_per_kb * uncompressed_bytes / 1000)

    def _at_level(self) -> tuple[float, float]:
        """(size, time) relative to the default; between two measured levels in proportion."""
        levels, level = CODECS[self.type].levels, self.level
        if levels is None or level is None or level == CODECS[self.type].default_level:
            return 1.0, 1.0
        below = max((known for known in levels if known <= level), default=min(levels))
        above = min((known for known in levels if known >= level), default=max(levels))
        if below == above:
            return levels[below]
        share = (level - below) / (above - below)
        (size, time), (size_above, time_above) = levels[below], levels[above]
        return size + share * (size_above - size), time + share * (time_above - time)


class CompressionRatioEstimator:
    """How well a topic's batches have compressed so far: good news is believed slowly, bad news at
    once.

    A ratio of 1.0 is the first guess. One better than expected lowers it by 0.005; a worse one
    raises it by 0.05, or to where it was seen if that is more. Java keeps one for the whole JVM;
    here each producer has its own.
    """

    IMPROVING_STEP = 0.005
    DETERIORATE_STEP = 0.05

    def __init__(self) -> None:
        self._ratios: dict[tuple[str, str], float] = {}

    def estimation(self, topic: str, type: str) -> float:
        return self._ratios.get((topic, type), 1.0)

    def observe(self, topic: str, type: str, ratio: float) -> None:
        """A batch came out at this share of its uncompressed size."""
        known = self.estimation(topic, type)
        if ratio > known:
            self._ratios[topic, type] = max(known + self.DETERIORATE_STEP, ratio)
        elif ratio < known:
            self._ratios[topic, type] = max(known - self.IMPROVING_STEP, ratio)

    def reset(self, topic: str, type: str, ratio: float) -> None:
        """A batch was too large for the broker: begin again from here."""
        self._ratios[topic, type] = ratio


def _payload(records: Iterable[WireRecord]) -> bytes:
    first_ms, parts = None, []
    for delta, record in enumerate(records):
        first_ms = record.timestamp_ms if first_ms is None else first_ms
        parts.append(
            record_bytes(
                record, offset_delta=delta, timestamp_delta_ms=record.timestamp_ms - first_ms
            )
        )
    return b"".join(parts)


def _pieces(data: bytes, longest: int) -> tuple[bytes, float]:
    """(the bytes no earlier piece gave, how many pieces were seen before): greedy, as a fast
    LZ77 with one remembered place each."""
    seen: dict[bytes, int] = {}
    literals, matches, here, end = bytearray(), 0.0, 0, len(data)
    while here + SHORTEST_MATCH_BYTES <= end:
        four = data[here : here + SHORTEST_MATCH_BYTES]
        there = seen.get(four)
        seen[four] = here
        if there is None:
            literals.append(data[here])
            here += 1
            continue
        length = SHORTEST_MATCH_BYTES
        while here + length < end and data[there + length] == data[here + length]:
            length += 1
        matches += 1 + length / longest
        here += length
    return bytes(literals + data[here:]), matches


def _entropy_bytes(data: bytes) -> float:
    """What an ideal code of order 0 would need for these bytes."""
    size = len(data)
    return (
        -sum(count * math.log2(count / size) for count in Counter(data).values()) / 8
        if size
        else 0.0
    )
