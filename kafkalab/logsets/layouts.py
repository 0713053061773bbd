"""Turns a log4j or logback layout string into regular expressions that find the parts of a line.

An example is `%d{HH:mm:ss} %-5p [%t] %c{1} - %m%n`.

Known conversions: %d (with a pattern of digits, or ISO8601, ABSOLUTE, DATE, UNIX_MILLIS), %p, %t,
%c, %L, %m, %n and their long names; the text of others (%X, %M, %r, …) is skipped. A record begins
at a line that matches everything before %m, so that part needs a time or a level. The layout of
Kafka's own tools, `[%d] %p %m (%c:%L)%n`, has its own faster reader (block.py).
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

KAFKA = "[%d] %p %m (%c:%L)%n"
KAFKAS_OWN = (KAFKA, "[%d] %p %m (%c)%n")
# Layouts with the logger at the end. infer_layout.py finds the others from their lines.
USUAL = (
    "[%d] %p [%t] %m (%c:%L)%n",
    "[%d] %p [%t] %m (%c)%n",
    KAFKA,
    "[%d] %p %m (%c)%n",
    "[%d] %p %X{connector.context}%m (%c:%L)%n",
    "%d %p %m (%c) [%t]%n",  # Strimzi
    "%d %p %m (%c:%L) [%t]%n",
)
LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
# java.util.logging's names of levels, and those of others.
OTHER_LEVELS = {
    "FINEST": "TRACE", "FINER": "TRACE", "FINE": "DEBUG", "CONFIG": "DEBUG", "WARNING": "WARN",
    "SEVERE": "ERROR", "CRITICAL": "FATAL",
}  # fmt: skip
LEVEL_OF = dict(zip(LEVELS, LEVELS)) | OTHER_LEVELS
LEVEL_OF |= {name.lower(): level for name, level in LEVEL_OF.items()}
LEVEL_FORM = "|".join(sorted(LEVEL_OF, reverse=True))  # WARNING before WARN
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
NAMED_TIMES = {
    None: "yyyy-MM-dd HH:mm:ss,SSS",
    "DEFAULT": "yyyy-MM-dd HH:mm:ss,SSS",
    "ABSOLUTE": "HH:mm:ss,SSS",
    "DATE": "dd MMM yyyy HH:mm:ss,SSS",
}
CONVERSION = re.compile(r"%(-?\d*(?:\.-?\d+)?)([a-zA-Z]+)((?:\{[^}]*\})*)|\$\{[^}]*\}|%%")
LETTERS = re.compile(r"'([^']*)'|([a-zA-Z])\2*|.", re.DOTALL)
WIDTHS = {
    "yyyy": "year",
    "yy": "short year",
    "MM": "month",
    "MMM": "name",
    "dd": "day",
    "HH": "hour",
    "mm": "minute",
    "ss": "second",
}
LONG_NAMES = {
    "d": "time", "date": "time", "p": "level", "level": "level", "le": "level", "t": "thread",
    "tn": "thread", "thread": "thread",
    "threadName": "thread", "c": "logger", "logger": "logger", "lo": "logger", "L": "line",
    "line": "line", "m": "message", "msg": "message", "s": "message",
    "message": "message", "n": "end", "ex": "end", "e": "end",
    "throwable": "end", "xEx": "end", "rEx": "end",
    "wEx": "end", "kvp": "any",
}  # fmt: skip
FORMS = {"level": LEVEL_FORM, "thread": r"[^\n]*?", "logger": r"[\w.$\-]+", "line": r"\d+|\?"}
# Kafka Connect's %X{connector.context}: `[sink|task-0] `, or nothing.
CONNECT = "{connector.context}"
# Names of zones that have one offset only. IST or CST do not.
ZONES = {
    "Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 60, "CET": 60, "CEST": 120, "EET": 120,
    "EEST": 180, "MSK": 180, "JST": 540,
}  # fmt: skip
ZONE_FORM = rf"[+-]\d\d:?\d\d|{'|'.join(sorted(ZONES, reverse=True))}"
ZONE = f"(?P<zone>{ZONE_FORM})"
PREFIX = re.compile(rb"(Consumer|Producer|AdminClient|ShareConsumer) \w+=")
PADDING = "\0"
TRACE_START = r"^([\w.$]+(Exception|Error|Throwable)\b|\s+at |Caused by: |Suppressed: )"


class LayoutError(ValueError):
    """A layout string that cannot be used. The message names the part."""


@dataclass(frozen=True)
class Clock:
    """A layout's format of the time. `spots` has (what, from, to) within its fixed width.

    `form` is a regular expression.
    """

    form: str
    spots: tuple[tuple[str, int, int], ...]
    zoned: bool


@dataclass(frozen=True)
class Layout:
    """Regular expressions for the text before (`head`) and after (`tail`) a message.

    `parts` names their groups.
    """

    text: str
    head: str
    tail: str
    parts: tuple[str, ...]
    clock: Clock | None
    opening: str = ""

    def opens(self) -> re.Pattern[bytes] | None:
        """The expression that matches the head up to its time; None without one.

        A line that opens as a record and is none was written in another layout.
        """
        return _compiled(self.opening) if self.opening else None

    def begins(self) -> re.Pattern[bytes]:
        """The expression that matches the begin of a record."""
        return _compiled(self.head)


@lru_cache(maxsize=256)
def _compiled(head: str) -> re.Pattern[bytes]:
    return re.compile(head.encode())


@lru_cache(maxsize=256)
def layout(text: str) -> Layout:
    """The Layout of a layout string. Raises LayoutError."""
    before, after, opening, parts, clock = "", "", "", [], None
    target, at = before, 0
    for found in CONVERSION.finditer(text):
        target, at = target + re.escape(text[at : found.start()]), found.end()
        if found[0] == "%%":
            target += "%"
            continue
        name = LONG_NAMES.get(found[2], "any") if found[2] else "any"
        if name == "message":
            before, target = target, ""
        elif name == "time":
            clock = _clock(found[3][1:-1].partition("}")[0] if found[3] else None)
            target += f"(?P<time>{clock.form})" + (ZONE if clock.zoned else "")
            opening = _with_blanks(target)
        elif name == "any":
            target += _padded(found[1] or "", _any(found[3], target))
        elif name != "end":
            target += _padded(found[1] or "", f"(?P<{name}>{FORMS[name]})")
        if name in ("end", "any"):
            continue
        if name in parts:
            raise LayoutError(f"The layout {text!r} has %{found[2]} twice.")
        parts.append(name)
    after = target + re.escape(text[at:])
    if "message" not in parts:
        raise LayoutError(f"The layout {text!r} has no %m: where is the message?")
    if not {"time", "level"} & set(re.findall(r"\?P<(\w+)>", before)):
        raise LayoutError(
            f"The layout {text!r} has neither %d nor %p before %m: nothing tells where a record "
            "begins."
        )
    # Blanks after a message are as many as the layout has: one more is the message's.
    after = after.replace("\\ ", " ") if PADDING not in after else _with_blanks(after)
    return Layout(text, _with_blanks(before), after, tuple(parts), clock, opening)


def _any(braces: str | None, before: str) -> str:
    """The form of a part that is skipped. In brackets or between bars it may hold blanks."""
    if braces == CONNECT:
        return r"(?:\[[^\]\n]*\] )?"
    return {"[": r"[^\]\n]*?", "(": r"[^)\n]*?", "|": r"[^|\n]*?"}.get(before[-1:], r"\S*?")


def _padded(width: str, form: str) -> str:
    """The form with padding: blanks after `%-5p`, blanks before `%5p`."""
    digits = width.partition(".")[0]
    if not digits:
        return form
    return f"{form}{PADDING}" if digits.startswith("-") else f"{PADDING}{form}"


def _with_blanks(form: str) -> str:
    """The form with any number of blanks: padding may be next to a blank of the layout itself."""
    return re.sub(
        rf"(?:{PADDING}|\\ )+",
        lambda run: " " if run[0] == "\\ " else " +" if "\\ " in run[0] else " *",
        form,
    )


@lru_cache(maxsize=256)
def _clock(pattern: str | None) -> Clock:
    if pattern in ("ISO8601", "ISO8601_BASIC"):  # log4j 2 puts a T between, log4j 1 a blank.
        return Clock(
            r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[,.]\d{3}",
            _clock("yyyy-MM-dd HH:mm:ss,SSS").spots,
            False,
        )
    if pattern == "UNIX_MILLIS":
        return Clock(r"\d{13}", (("epoch_ms", 0, 13),), False)
    form, spots, at, zoned = "", [], 0, False
    for piece in LETTERS.finditer(NAMED_TIMES.get(pattern, pattern or "")):
        quoted, letter, text = piece[1], piece[2], str(piece[0])
        if quoted is not None or letter is None:
            literal = text if quoted is None else quoted or "'"
            form, at = form + re.escape(literal), at + len(literal)
        elif letter in "XxZz":
            if zoned := piece.end() == len(pattern or ""):
                break
            raise LayoutError(
                f"A time like {pattern!r} has its zone in the middle; that cannot be read."
            )
        elif text in WIDTHS or letter in "Sn":
            form += rf"\d{{{len(text)}}}" if text != "MMM" else f"(?:{'|'.join(MONTHS)})"
            spots.append((WIDTHS.get(text, "fraction"), at, at + len(text)))
            at += len(text)
        else:
            raise LayoutError(
                f"A time like {pattern!r} cannot be read: what is {text!r}? Known are yyyy yy MM "
                "MMM dd HH mm ss SSS and XXX."
            )
    return Clock(form, tuple(spots), zoned)


def micros_of(clock: Clock, times: pa.Array, zones: pa.Array | None) -> np.ndarray:
    """Microseconds since 1970 (UTC) of times that all fit the clock's form.
    A clock without a date counts from 1970-01-01."""
    from kafkalab.logsets.block import days_since_1970

    width = clock.spots[-1][2] if clock.spots else 0
    # a blank before the zone follows the last digit
    digits_of = pc.utf8_slice_codeunits(times, 0, width)
    packed = pc.cast(pc.cast(digits_of, pa.binary()), pa.binary(width)) if len(times) else None
    if packed is None:
        return np.zeros(0, np.int64)
    digits = (
        np.frombuffer(packed.buffers()[1], np.uint8, len(times) * width, packed.offset * width)
        .reshape(-1, width)
        .astype(np.int64)
        - 48
    )
    value: dict[str, Any] = {
        "year": 1970,
        "month": 1,
        "day": 1,
        "hour": 0,
        "minute": 0,
        "second": 0,
        "fraction": 0,
    }
    for name, begin, end in clock.spots:
        if name == "name":
            names = pc.index_in(pc.utf8_slice_codeunits(times, begin, end), pa.array(MONTHS))
            value["month"] = names.to_numpy(zero_copy_only=False) + 1
            continue
        number = digits[:, begin].copy()
        for place in range(begin + 1, end):
            number = number * 10 + digits[:, place]
        if name == "epoch_ms":
            return number * 1000
        if name == "short year":
            value["year"] = 2000 + number
            continue
        value[name] = (
            number * 10 ** (6 - (end - begin))
            if name == "fraction" and end - begin <= 6
            else number // 1000
            if name == "fraction"
            else number
        )
    days = days_since_1970(
        *(
            np.broadcast_to(np.asarray(value[name], np.int64), len(times))
            for name in ("year", "month", "day")
        )
    )
    micros = (
        ((days * 24 + value["hour"]) * 60 + value["minute"]) * 60_000_000
        + value["second"] * 1_000_000
        + value["fraction"]
    )
    return micros if zones is None else micros - _offsets(zones)


def _offsets(zones: pa.Array) -> np.ndarray:
    """Microseconds east of UTC of `Z`, `CET`, `+02:00` or `+0200`."""
    coded = zones.dictionary_encode()
    known = [
        60_000_000 * ZONES[z]
        if z in ZONES
        else int(z[0] + "1") * (int(z[1:3]) * 60 + int(z[-2:])) * 60_000_000
        for z in coded.dictionary.to_pylist()
    ]
    return np.array(known, np.int64)[coded.indices.to_numpy()]
