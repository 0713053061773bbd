"""Finds times in lines: what they look like, and log4j's letters for them.

A form is a day, a text between, a clock, and what may follow it: digits of a second, AM or PM, and
a zone. layouts.py reads the letters back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from kafkalab.logsets import layouts

MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
NAME = layouts.MONTH_FORM  # in any language of layouts.MONTH_STEMS
WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
# The forms of a day, and the letters for them. Two days of a form that could be both are not here.
DAYS = (
    (r"\d{4}-\d\d-\d\d", "yyyy-MM-dd"),
    (r"\d{4}/\d\d/\d\d", "yyyy/MM/dd"),
    (r"\d{4}\.\d\d\.\d\d", "yyyy.MM.dd"),
    (r"\d{4}_\d\d_\d\d", "yyyy_MM_dd"),
    (r"\d{4}-W\d\d-\d", "YYYY-'W'ww-e"),
    (r"\d{4}-\d{3}", "yyyy-DDD"),
    (r"(?:1[3-9]|2\d|3[01])/\d\d/\d{4}", "dd/MM/yyyy"),
    (r"\d\d/(?:1[3-9]|2\d|3[01])/\d{4}", "MM/dd/yyyy"),
    (r"(?:1[3-9]|2\d|3[01])-\d\d-\d{4}", "dd-MM-yyyy"),
    (r"\d\d-(?:1[3-9]|2\d|3[01])-\d{4}", "MM-dd-yyyy"),
    (r"\d{1,2}/(?:1[3-9]|2\d|3[01])/\d{4}", "M/d/yyyy"),
    (r"\d{1,2}/(?:1[3-9]|2\d|3[01])/\d\d", "M/d/yy"),
    # Kafka's clients print these lines since 2018: an earlier year is a day or a month.
    (r"(?:1[89]|[2-9]\d)/\d\d/\d\d", "yy/MM/dd"),
    (r"\d\d\.\d\d\.\d{4}", "dd.MM.yyyy"),
    (rf"\d\d {MONTH} \d{{4}}", "dd MMM yyyy"),
    (rf"\d\d-{MONTH}-\d{{4}}", "dd-MMM-yyyy"),
    (rf"\d\d/{MONTH}/\d{{4}}", "dd/MMM/yyyy"),
    (rf"{MONTH} \d{{1,2}}, \d{{4}}", "MMM d, yyyy"),
    (rf"\d{{1,2}}\.? {NAME} \d{{4}}", "d LLL yyyy"),
    (rf"{NAME} \d{{1,2}},? \d{{4}}", "LLL d, yyyy"),
    (r"\d{8}", "yyyyMMdd"),
    (rf"{MONTH} [ \d]\d", "MMM d"),
    (r"(?<!\d-)(?:0\d|1[0-2])-(?:1[3-9]|2\d|3[01])", "MM-dd"),
    (r"(?<=[TDIWEF])\d{4}", "MMdd"),  # glog
)
BETWEEN = ("T", " ", ", ", ":", "_", "-", " - ", "\t", " @ ", "] [", "][")
CLOCKS = ((r"\d\d:\d\d:\d\d", "HH:mm:ss"), (r"\d\d-\d\d-\d\d", "HH-mm-ss"))
FRACTION = r"(?P<fraction>[.,]\d{1,9}|:\d{3})?"
ZONE = rf"(?:(?P<gap> ?)(?P<zone>{layouts.ZONE_FORM})(?![\w:]))?"
HALF = r"(?P<half> ?(?:AM|PM|am|pm|[ap]\.m\.))"
# `Sat Nov 21 02:07:58 UTC 2026`, as Date.toString() and date(1) print it, ctime() without the zone,
# and others with a fraction or without the weekday.
YEAR_LAST = [
    (
        rf"{weekday}{MONTH} [ \d]\d \d\d:\d\d:\d\d{FRACTION}{zone} \d{{4}}(?![\d:.\-])",
        f"{day}MMM d HH:mm:ss{letters} yyyy",
    )
    for weekday, day in ((f"{WEEKDAY} ", "EEE "), ("", ""))
    for zone, letters in ((f" (?:{layouts.ZONE_FORM})", " Z"), ("", ""))
]

# Every form begins so. It is asked at many places, and there are hundreds of forms.
BEGIN = re.compile(rf"(?<!\d)\d|{WEEKDAY} |{NAME}")
# Every form holds one of these, within so many letters.
CLOCK = re.compile(r"\d:\d\d|\d\d-\d\d-\d\d|\d{8}")
LONGEST = 48


def time_at(line: str, at: int) -> tuple[str, int] | None:
    """The letters of the time at this place, and where it ends."""
    if not BEGIN.match(line, at) or not CLOCK.search(line, at, at + LONGEST):
        return None
    for form, letters in _forms():
        if found := form.match(line, at):
            return _letters(found, letters), found.end()
    return None


def time_within(line: str) -> tuple[str, int, int] | None:
    """The letters of the first time in a text, where it begins and where it ends."""
    if not CLOCK.search(line):
        return None
    for form, letters in _forms():
        if found := form.search(line):
            return _letters(found, letters), found.start(), found.end()
    return None


def _letters(found: re.Match[str], letters: str) -> str:
    """The letters of a time, with its fraction and its zone."""
    parts = found.groupdict()
    if fraction := parts.get("fraction"):
        letters = letters.replace("ss", f"ss{fraction[0]}SSS")  # of any length
    if half := parts.get("half"):
        letters = (
            letters.replace("HH", "h") + " a"
            if half[0] == " "
            else letters.replace("HH", "h") + "a"
        )
    if parts.get("zone"):
        letters += parts["gap"] + ("XXX" if not parts["gap"] else "Z")
    return letters


def _forms() -> Iterator[tuple[re.Pattern[str], str]]:
    """The forms, and the letters for them. A form is compiled when it is tried first: mostly one of
    the first fits, and to compile all takes half a second."""
    return ((_compiled(form), letters) for form, letters in _texts_of_forms())


_compiled = lru_cache(maxsize=None)(re.compile)


@lru_cache(maxsize=1)
def _texts_of_forms() -> tuple[tuple[str, str], ...]:
    made = [*YEAR_LAST]
    for day, letters in DAYS:
        for between in BETWEEN:
            quoted = "'T'" if between == "T" else between
            half = rf"\d{{1,2}}:\d\d:\d\d{FRACTION}{HALF}{ZONE}"
            for clock, hours in ((half, "HH:mm:ss"), *CLOCKS):
                rest = clock if clock is half else f"{clock}{FRACTION}{ZONE}"
                found = rf"(?<!\d){day}{re.escape(between)}{rest}(?!\d)"
                made.append((found, f"{letters}{quoted}{hours}"))
    # a spreadsheet, whose cells have no seconds
    for day, letters in DAYS[:-1]:
        made.append((rf"(?<!\d){day} \d\d?:\d\d(?![:\d])", f"{letters} H:mm"))
    # WebSphere
    date = r"(?<!\d)\d{1,2}/(?:1[3-9]|2\d|3[01])/\d\d"
    for between in (" ", ", "):
        found = rf"{date}{between}\d{{1,2}}:\d\d:\d\d:\d{{3}}{ZONE}(?!\d)"
        made.append((found, f"M/d/yy{between}H:mm:ss:SSS"))
    made.append((rf"(?<!\d)\d{{8}}T\d{{6}}{FRACTION}{ZONE}(?!\d)", "yyyyMMdd'T'HHmmss"))
    made.append((r"(?<!\d)20\d\d[01]\d[0-3]\d[0-2]\d[0-5]\d[0-5]\d\d{3}(?!\d)",
                 "yyyyMMddHHmmssSSS"))  # fmt: skip
    made.append((r"(?<!\d)20\d\d[01]\d[0-3]\d[0-2]\d[0-5]\d[0-5]\d(?!\d)",
                 "yyyyMMddHHmmss"))  # fmt: skip
    # A clock alone is a time if there is no day before it that is not understood.
    made.append((rf"(?<![\w.,:/\-])\d\d:\d\d:\d\d{FRACTION}{ZONE}(?!\d)", "HH:mm:ss"))
    for digits, name in ((18, "UNIX_NANOS"), (15, "UNIX_MICROS"), (12, "UNIX_MILLIS")):
        made.append((rf"(?<!\d)1[5-9]\d{{{digits - 1}}}(?!\d)", name))
    made.append((r"(?<![\d.])1[5-9]\d{8}(?:[.,]\d{1,9})?(?![\d.])", "UNIX"))
    return tuple(made)
