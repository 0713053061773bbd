"""Reads the lines around a cited line from its file, for the page."""

from __future__ import annotations

import os
import shlex

import pyarrow as pa

from kafkalab.logsets.files import INSIDE, PACKED, UNPACKERS, URL, open_unpacked
from kafkalab.logsets.ranges import OF_SOURCE

BEFORE, AFTER = 3, 4  # Lines of text around the cited one, which comes first of AFTER.
NEAR = 4_000  # The bytes in which they are looked for.
MOST_UNPACKED = 64 << 20  # A packed text is unpacked up to there.
LINE = 300  # The letters of a line that are shown.


def around(file: str, offset: int, words: str) -> tuple[list[str], list[str], str] | None:
    """The lines before this byte, those from it on, and a command that prints these.

    None where that place of the file does not hold these words: a rotated log is several files, and
    what containers wrap has other bytes.
    """
    if not os.path.isfile(file):
        file = file.rpartition(OF_SOURCE)[0]
    if URL in file or INSIDE in file or not os.path.isfile(file):
        return None
    begin = max(0, offset - NEAR)
    try:
        text = _bytes_of(file, begin, offset + NEAR)
    except (OSError, EOFError, pa.ArrowInvalid):
        return None
    before = text[: offset - begin].decode(errors="replace").splitlines()[-BEFORE:]
    after = text[offset - begin :].decode(errors="replace").splitlines()[:AFTER]
    if not after or words not in "\n".join(after):
        return None
    unpacker = UNPACKERS.get(os.path.splitext(file)[1])
    path = shlex.quote(file)
    command = f"tail -c +{offset + 1} {path} | head"
    if unpacker:
        command = f"{unpacker} -dc {path} | tail -c +{offset + 1} | head"
    return [line[:LINE] for line in before], [line[:LINE] for line in after], command


def _bytes_of(file: str, begin: int, end: int) -> bytes:
    if not file.endswith(PACKED):
        with open(file, "rb") as stream:
            stream.seek(begin)
            return stream.read(end - begin)
    if end > MOST_UNPACKED:
        return b""
    with open_unpacked(file) as stream:
        return bytes(stream.read(end))[begin:]
