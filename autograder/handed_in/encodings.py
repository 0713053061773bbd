"""Which letters a file's bytes mean. Notebooks are UTF-8; what comes back from editors and mail programs is not always.

A byte order mark or the zeros of UTF-16 and UTF-32 are believed. UTF-8 with a few damaged bytes is still UTF-8. What is left is
told by what it would say: GB 18030 if that gives common Chinese characters, else Windows-1251, which reads any Russian text.
"""
from __future__ import annotations

import json
import re

SAMPLE = 1 << 20                   # bytes that tell what the rest is
COMMON_CHINESE = 0.6               # share of two-byte characters in GB 2312's first level or its punctuation


def decoded(raw: bytes) -> tuple[str, tuple[str, ...]]:
    """The text, and how it was written if not in UTF-8."""
    wide = json.detect_encoding(raw[:4096]) if not raw.startswith(b"\0\0\0\0") else "utf-8"
    if wide.startswith(("utf-16", "utf-32")) and (raw[:2] in (b"\xff\xfe", b"\xfe\xff") or raw[:64].count(0) >= len(raw[:64]) // 4):
        return raw.decode(wide, errors="replace").lstrip("\ufeff"), (f"it was written in {wide[:6].upper()}",)
    try:
        return raw.decode("utf-8-sig"), ()
    except UnicodeDecodeError:
        pass
    rest = raw.decode("utf-8", errors="ignore")
    good, bad = sum(map(len, re.findall(r"[^\x00-\x7f]+", rest))), len(raw) - len(rest.encode())
    if good > 2 * bad or (bad <= 3 and not good):
        return raw.decode("utf-8-sig", errors="replace"), (f"{bad} byte{'s were' if bad > 1 else ' was'} damaged",)
    for encoding, named in (("gb18030", "GB 18030"), ("cp1251", "Windows-1251")):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding != "gb18030" or _is_chinese(raw):
            return text, (f"it was not written in UTF-8 but in {named}",)
    return raw.decode("latin-1"), ("it was not written in UTF-8",)


def _is_chinese(raw: bytes) -> bool:
    pairs = re.findall(rb"[\x81-\xfe][\x40-\xfe]", raw[:SAMPLE])
    common = sum(0xB0 <= pair[0] <= 0xD7 or 0xA1 <= pair[0] <= 0xA3 for pair in pairs)
    return bool(pairs) and common >= COMMON_CHINESE * len(pairs)
