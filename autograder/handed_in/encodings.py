"""Which letters a file's bytes mean. Notebooks are UTF-8; what comes back from editors and mail
programs is not always.

A byte order mark or the zeros of UTF-16 and UTF-32 are believed. UTF-8 with a few damaged bytes is
still UTF-8. What is left is told by what it would say: GB 18030 or Big5 if that gives common
Chinese characters, Windows-1252 if the foreign letters stand alone among the English ones, as in
déjà, else of the Russian ways the one that gives small letters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

SAMPLE = 1 << 20  # bytes from which the encoding of the whole text is guessed
COMMON_CHINESE = 0.6  # share of two-byte characters that are frequent or punctuation
# and the first bytes of frequent ones
CHINESE = (("gb18030", "GB 18030", range(0xB0, 0xD8)), ("big5", "Big5", range(0xA4, 0xC7)))
RUSSIAN = (("cp1251", "Windows-1251"), ("koi8-r", "KOI8-R"), ("cp866", "DOS 866"))


def decoded(raw: bytes) -> tuple[str, tuple[str, ...]]:
    """The text, and how it was written if not in UTF-8."""
    wide = json.detect_encoding(raw[:4096]) if not raw.startswith(b"\0\0\0\0") else "utf-8"
    if wide.startswith(("utf-16", "utf-32")) and (
        raw[:2] in (b"\xff\xfe", b"\xfe\xff") or raw[:64].count(0) >= len(raw[:64]) // 4
    ):
        return raw.decode(wide, errors="replace").lstrip("\ufeff"), (
            f"it was written in {wide[:6].upper()}",
        )
    try:
        return raw.decode("utf-8-sig"), ()
    except UnicodeDecodeError:
        pass
    rest = raw.decode("utf-8", errors="ignore")
    good, bad = sum(map(len, re.findall(r"[^\x00-\x7f]+", rest))), len(raw) - len(rest.encode())
    if good > 2 * bad or (bad <= 3 and not good):
        return raw.decode("utf-8-sig", errors="replace"), (
            f"{bad} byte{'s were' if bad > 1 else ' was'} damaged",
        )
    for encoding, named in _likely(raw[:SAMPLE]):
        try:
            return raw.decode(encoding), (f"it was not written in UTF-8 but in {named}",)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1"), ("it was not written in UTF-8",)


def _likely(sample: bytes) -> Iterator[tuple[str, str]]:
    """The encodings these bytes may be in, and what people call them, the likeliest first."""
    pairs = re.findall(rb"[\x81-\xfe][\x40-\xfe]", sample)
    shares = [
        (sum(pair[0] in common or 0xA1 <= pair[0] <= 0xA3 for pair in pairs), encoding, named)
        for encoding, named, common in CHINESE
    ]
    for count, encoding, named in sorted(shares, reverse=True):
        if pairs and count >= COMMON_CHINESE * len(pairs):
            yield encoding, named
    runs = re.findall(rb"[\x80-\xff]+", sample)
    if 2 * sum(len(run) == 1 for run in runs) > len(runs):
        yield "cp1252", "Windows-1252"
    yield from sorted(
        RUSSIAN, key=lambda way: -len(re.findall("[а-яё]", sample.decode(way[0], "ignore")))
    )
