"""Turns a played story into scripts: fixed bytes with gaps for names and times, which copies fill
in.

All scripts of a set are in two Arrow files that workers map into memory: `lines.arrow`, one row a
line (its text with zero bytes in the gaps), and `gaps.arrow`, one row a gap. The width of a gap is
fixed, so filling it moves no bytes.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from kafkalab.logsets.generate import names

# The content of a gap: a client id, the group id, a UUID, a time in epoch milliseconds.
CLIENT, GROUP, IDENTITY, MOMENT = range(4)
IDENTITY_WIDTH, MOMENT_WIDTH = 36, 13
TIME_AT, TIME_WIDTH = 1, 23  # `[2026-01-05 09:00:00,000] ` begins every line.
OWN = re.compile(
    rf"([{names.CLIENT_MARKS}])|({names.GROUP})|([0-9a-f]{{8}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{12}})|(\b\d{{13}}\b)"
)
# Most lines have names only. A search for OWN costs seven times as much as one for MARK.
MARK = re.compile(rf"([{names.CLIENT_MARKS}])|({names.GROUP})")
MIDDLE_OF_IDENTITY = re.compile("-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-")


@dataclass(frozen=True)
class Script:
    """One client's lines as arrays: times, texts and gaps.

    The times are milliseconds after the story's start and never decrease. A gap is (its line, its
    place in the line, its content, its owner). The owner is the client's number in the story, the
    identity's number, or the time in milliseconds after the start. Arrays save memory: the driver
    holds millions of these lines until all stories are played.
    """

    at_ms: np.ndarray
    texts: pa.LargeBinaryArray
    gaps: np.ndarray


def script(
    spots: Iterable[tuple[int, str]],
    epoch_ms: int,
    last_ms: int,
    clients: int,
    identities: dict[str, int],
) -> Script:
    """The script of lines given as (at_ms, whole text with its line break).

    epoch_ms    the clock at the start
    last_ms     times up to this time after the start become gaps
    clients     the number of clients in the set
    identities  UUID -> number; it grows here, and a story's clients share it, because they write
                each other's member ids
    """
    widths = {
        CLIENT: len(names.client_id("consumer", 0, clients)),
        GROUP: len(names.group_id(0, clients)),
        IDENTITY: IDENTITY_WIDTH,
        MOMENT: MOMENT_WIDTH,
    }
    moment = _shared_begin(str(epoch_ms), str(epoch_ms + last_ms))  # of every MOMENT
    times: list[int] = []
    texts: list[bytes] = []
    gaps: list[tuple[int, int, int, int]] = []
    for at_ms, text in spots:
        pieces, begin, size = [], 0, 0
        more = moment in text or MIDDLE_OF_IDENTITY.search(text)
        for found in (OWN if more else MARK).finditer(text):
            sort, whose = _sort(found, epoch_ms, last_ms, identities)
            if sort is None:
                continue
            piece = text[begin : found.start()].encode()
            gaps.append((len(texts), size + len(piece), sort, whose))
            pieces += [piece, bytes(widths[sort])]
            size += len(piece) + widths[sort]
            begin = found.end()
        pieces.append(text[begin:].encode())
        times.append(at_ms)
        texts.append(b"".join(pieces))
    return Script(
        np.array(times, np.int64),
        pa.array(texts, pa.large_binary()),
        np.array(gaps, np.int64).reshape(-1, 4),
    )


def _shared_begin(one: str, other: str) -> str:
    pairs = enumerate(zip(one, other))
    return one[: next((place for place, (a, b) in pairs if a != b), len(one))]


def _sort(
    found: re.Match, epoch_ms: int, last_ms: int, identities: dict[str, int]
) -> tuple[int | None, int]:
    if found[1]:
        return CLIENT, names.number_of(found[1])
    if found[2]:
        return GROUP, 0
    if found[3]:
        return IDENTITY, identities.setdefault(found[3], len(identities))
    since_ms = int(found[4]) - epoch_ms
    return (MOMENT, since_ms) if 0 <= since_ms <= last_ms else (None, 0)


def tables(scripts: Sequence[Script]) -> tuple[pa.Table, pa.Table, np.ndarray]:
    """lines.arrow, gaps.arrow, and the begin of each script in them, with the end of the last
    one.
    """
    begins = np.concatenate([[0], np.cumsum([len(told.texts) for told in scripts])]).astype(
        np.int64
    )
    moved = [told.gaps + np.array([begin, 0, 0, 0]) for told, begin in zip(scripts, begins)]
    gaps = np.concatenate(moved) if moved else np.empty((0, 4), np.int64)
    first_gap = np.searchsorted(gaps[:, 0], np.arange(begins[-1] + 1))
    lines = pa.table(
        {
            "at_ms": np.concatenate([np.empty(0, np.int64), *(told.at_ms for told in scripts)]),
            "text": pa.chunked_array([told.texts for told in scripts], pa.large_binary()),
            "first_gap": pa.array(first_gap[:-1], pa.int64()),
            "gaps": pa.array(np.diff(first_gap), pa.int64()),
        }
    ).combine_chunks()
    return lines, pa.table({"at": gaps[:, 1], "sort": gaps[:, 2], "whose": gaps[:, 3]}), begins
