"""Estimates the size and the CPU time of compressed batches (CompressionType,
CompressionRatioEstimator).

No data is compressed here: sizes and times are estimates for compression.type. A batch's text is
cut greedily into pieces seen before and the bytes between them, as all four codecs do. A codec's
size is a weighted sum over both. The weights were fitted to the output of Kafka 3.9.2's own streams
for orders in JSON, log lines, words, random and equal text in batches of 1 to 64 KB. The estimate
differs from those measures by 3 % (lz4), 5 % (snappy), 9 % (gzip) and 17 % (zstd) on average. CPU
times are from the same runs, on Java 17 and one core of a small cloud machine. Use their ratios,
not their absolute values.

Left out: dictionaries, and the down-conversion of old message formats (gone in 4.0, KIP-724).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from kafkalab.protocol.frozen import record
from kafkalab.protocol.records_wire import WireRecord, record_bytes

SHORTEST_MATCH_BYTES = 4


@record
class Codec:
    """The numbers of one compression.type (CompressionType).

    literal_bytes  size of a byte that was not seen before; with huffman, of each byte of its
                   entropy
    match_bytes    size of a piece that was seen before; a piece longer than longest_match takes
                   more
    start_bytes    header and trailer
    compress_us, decompress_us                microseconds for each batch, however small
    compress_us_per_kb, decompress_us_per_kb  the same for each 1000 bytes of uncompressed records,
    at
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
"""compression.type -> its numbers.

lz4's level 9 is its fast compressor, all other levels are the slow one (KafkaLZ4BlockOutputStream).
"""

TYPES = ("none", *CODECS)


@record
class Compression:
    """A codec at a level; `level` None is the codec's default (KIP-390)."""

    type: str = "none"
    level: int | None = None

    @property
    def is_none(self) -> bool:
        return self.type == "none"

    def compressed_bytes(self, records: Iterable[WireRecord]) -> int:
        """Estimated size of these records without the batch's header.

        The same records always give the same size.
        """
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
        """CPU time of reading a batch, in microseconds. It does not depend on the level."""
        codec = CODECS[self.type]
        return int(codec.decompress_us + codec.decompress_us_per_kb * uncompressed_bytes / 1000)

    def _at_level(self) -> tuple[float, float]:
        """(size, time) relative to the default level, interpolated between two measured levels."""
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
    """Estimates the compression ratio of a topic's next batch from the batches so far.

    The first estimate is 1.0. A better ratio lowers the estimate by 0.005. A worse one raises it by
    0.05, or to the measured ratio if that is more. Java keeps one estimator for the whole JVM. Here
    each producer has its own.
    """

    IMPROVING_STEP = 0.005
    DETERIORATE_STEP = 0.05

    def __init__(self) -> None:
        self._ratios: dict[tuple[str, str], float] = {}

    def estimation(self, topic: str, type: str) -> float:
        return self._ratios.get((topic, type), 1.0)

    def observe(self, topic: str, type: str, ratio: float) -> None:
        """Update the estimate: a batch was compressed to this share of its size."""
        known = self.estimation(topic, type)
        if ratio > known:
            self._ratios[topic, type] = max(known + self.DETERIORATE_STEP, ratio)
        elif ratio < known:
            self._ratios[topic, type] = max(known - self.IMPROVING_STEP, ratio)

    def reset(self, topic: str, type: str, ratio: float) -> None:
        """Set the estimate because a batch was too large for the broker."""
        self._ratios[topic, type] = ratio


def _payload(records: Iterable[WireRecord]) -> bytes:
    first_ms, parts = None, []
    for delta, each in enumerate(records):
        first_ms = each.timestamp_ms if first_ms is None else first_ms
        parts.append(
            record_bytes(each, offset_delta=delta, timestamp_delta_ms=each.timestamp_ms - first_ms)
        )
    return b"".join(parts)


def _pieces(data: bytes, longest: int) -> tuple[bytes, float]:
    """(bytes that are in no earlier piece, number of pieces seen before).

    The search is greedy, as a fast LZ77 that remembers one place for each piece.
    """
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
    """The size of these bytes in an ideal code of order 0."""
    size = len(data)
    return (
        -sum(count * math.log2(count / size) for count in Counter(data).values()) / 8
        if size
        else 0.0
    )
