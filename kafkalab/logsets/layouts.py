"""Turns a log4j or logback layout string into regular expressions that find the parts of a line.

An example is `%d{HH:mm:ss} %-5p [%t] %c{1} - %m%n`.

Known conversions: %d (with a pattern of Java's letters, or ISO8601, ABSOLUTE, DATE, UNIX,
UNIX_MILLIS), %r, %p, %t, %c, %F, %L, %m, %n and their long names; the text of others (%X, %M, …) is
skipped, and %notEmpty{…} may be missing. A record begins at a line that matches everything before
%m, so that part needs a time or a level. The layout of Kafka's own tools, `[%d] %p %m (%c:%L)%n`,
has a faster reader (block.py).
"""

import re
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkalab.logsets.block import days_since_1970

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
# java.util.logging's names of levels in some of its languages, and those of others.
OTHER_LEVELS = {
    "FINEST": "TRACE", "FINER": "TRACE", "FINE": "DEBUG", "CONFIG": "DEBUG", "WARNING": "WARN",
    "SEVERE": "ERROR", "CRITICAL": "FATAL", "NOTICE": "INFO", "EMERGENCY": "FATAL",
    "VERBOSE": "TRACE", "INFORMATION": "INFO", "INFORMATIONAL": "INFO",
    "TRC": "TRACE", "DBG": "DEBUG", "INF": "INFO", "WRN": "WARN", "ERR": "ERROR", "FTL": "FATAL",
    "FEINER": "TRACE", "FEIN": "DEBUG", "WARNUNG": "WARN", "SCHWERWIEGEND": "ERROR",
    "FEHLER": "ERROR", "INFOS": "INFO", "AVERTISSEMENT": "WARN", "GRAVE": "ERROR", "FIN": "DEBUG",
    "PLUS FIN": "TRACE", "ADVERTENCIA": "WARN",
}  # fmt: skip
LEVEL_OF = dict(zip(LEVELS, LEVELS)) | OTHER_LEVELS
LETTERS_OF_LEVELS = "TDIWEF"  # `%p{length=1}`
LEVEL_OF |= {
    written: level
    for name, level in LEVEL_OF.items()
    for written in (name.lower(), name.capitalize())
}
LEVEL_LETTERS = dict(zip(LETTERS_OF_LEVELS, LEVELS))
LEVEL_FORM = "|".join(sorted(LEVEL_OF, reverse=True))  # WARNING before WARN
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# How the names of months begin in English, German, French, Spanish, Italian, Portuguese and Dutch.
MONTH_STEMS = {
    "jan": 1, "ene": 1, "gen": 1, "feb": 2, "fév": 2, "fev": 2, "mar": 3, "mär": 3, "mrt": 3,
    "maa": 3, "apr": 4, "avr": 4, "abr": 4, "mai": 5, "may": 5, "mei": 5, "mag": 5, "jun": 6,
    "juin": 6, "giu": 6, "jul": 7, "juil": 7, "lug": 7, "aug": 8, "aoû": 8, "ago": 8, "sep": 9,
    "set": 9, "okt": 10, "oct": 10, "ott": 10, "out": 10, "nov": 11, "dec": 12, "dez": 12,
    "déc": 12, "dic": 12,
}  # fmt: skip
MONTH_FORM = rf"(?i:{'|'.join(MONTH_STEMS)})[^\s\d.,:/\-]{{0,9}}\.?"
NAMED_TIMES = {
    None: "yyyy-MM-dd HH:mm:ss,SSS",
    "DEFAULT": "yyyy-MM-dd HH:mm:ss,SSS",
    "ABSOLUTE": "HH:mm:ss,SSS",
    "DATE": "dd MMM yyyy HH:mm:ss,SSS",
}
# What is there only where a context is: `%notEmpty{[%X{traceId}] }`. No context begins as Kafka's
# `[Consumer clientId=c] ` does.
NOT_EMPTY = re.compile(r"%(?:notEmpty|varsNotEmpty)\{((?:[^{}]|\{[^{}]*\})*)\}")
OPTIONAL, OF_CONTEXT = "{notEmpty ", r"(?:[^\]\s]*|[^A-Z\]\n][^\]\n]*)"
CONVERSION = re.compile(r"%(-?\d*(?:\.-?\d+)?)([a-zA-Z]+)((?:\{[^}]*\})*)|\$\{[^}]*\}|%%")
LETTERS = re.compile(r"'([^']*)'|([a-zA-Z])\2*|.", re.DOTALL)
WIDTHS = {
    "yyyy": "year", "YYYY": "year", "ww": "week", "e": "day of week", "DDD": "day of year",
    "yy": "short year", "MM": "month", "MMM": "name", "dd": "day", "HH": "hour", "mm": "minute",
    "ss": "second",
}  # fmt: skip
# Parts of a time that have no fixed width, or are words.
LOOSE = {
    "M": ("month", r"\d{1,2}"),
    "d": ("day", r" ?\d{1,2}\.?"),
    "H": ("hour", r"\d{1,2}"),
    "h": ("hour", r"\d{1,2}"),
    "hh": ("hour", r"\d\d"),
    "a": ("half", r"(?:AM|PM|am|pm|[ap]\.m\.)"),
    "LLL": ("local", MONTH_FORM),
    "EEE": ("weekday", "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"),
}
UNIX = r"(?P<epoch_s>\d{10})(?:[.,](?P<fraction>\d{1,9}))?"
# Finer units than milliseconds since 1970, and their digits.
FINER = {"UNIX_MICROS": 16, "UNIX_NANOS": 19}
MICROS = 6
BEGIN = {"year": 1970, "month": 1, "day": 1, "hour": 0, "minute": 0, "second": 0, "fraction": 0}
# A day that is told by the week or within the year has no month.
BY_WEEK, BY_YEAR = ("week", "day_of_week"), ("day_of_year",)
BEGIN |= dict.fromkeys((*BY_WEEK, *BY_YEAR, "epoch_ms", "minutes"), 0)
LIMITS = {
    "year": (1970, 2199), "month": (1, 12), "day": (1, 31), "hour": (0, 23), "minute": (0, 59),
    "second": (0, 60),
}  # fmt: skip
LONG_NAMES = {
    "d": "time", "date": "time", "p": "level", "level": "level", "le": "level", "t": "thread",
    "tn": "thread", "thread": "thread",
    "threadName": "thread", "c": "logger", "logger": "logger", "lo": "logger", "L": "line",
    "F": "file", "file": "file", "line": "line", "r": "time", "relative": "time",
    "m": "message", "msg": "message", "s": "message",
    "message": "message", "n": "end", "ex": "end", "e": "end",
    "throwable": "end", "xEx": "end", "rEx": "end",
    "wEx": "end", "kvp": "any",
}  # fmt: skip
FORMS = {
    "level": LEVEL_FORM, "thread": r"[^\n]*?", "logger": r"[\w.$\-]+", "line": r"\d+|\?",
    "file": r"[\w$]+",
}  # fmt: skip
FORMS_OF_LEVEL = {"{length=1}": f"[{LETTERS_OF_LEVELS}]", "{or none}": f"{LEVEL_FORM}|-"}
SOURCES = r"\.(?:java|scala)"
IN_TAIL = r"[^\[\]\n]*?"  # A thread after the message, which may hold brackets of its own.
# How records begin in whatever layout: a time and soon a level, or the other way round, or in JSON.
_MONTH = f"(?:{'|'.join(MONTHS)})"
_DAY = (
    rf"(?:\d{{4}}[-/._]\d\d[-/._]\d\d|\d\d?[-/. ](?:\d\d|{_MONTH})[-/. ]\d{{2,4}}"
    rf"|{_MONTH} [ \d]?\d(?:, \d{{4}})?|\d{{4}}-(?:W\d\d-\d|\d{{3}})|\d{{8}}"
    rf"|\d\d?\.? {MONTH_FORM} \d{{4}})"
)
ANY_OPENING = (
    rf"^(?:\W?(?:{_DAY}[T :,_\-@]+)?\d\d?:\d\d:\d\d[^\n]{{0,80}}\b(?:{LEVEL_FORM})\b"
    rf"|\W?(?:{LEVEL_FORM})\W[^\n]{{0,40}}\d\d:\d\d:\d\d"
    r'|\{(?:"[^\n]*)?"(?:@?timestamp|time|ts|log\.level|level|severity)")'
)
OPENING = re.compile(ANY_OPENING.encode(), re.MULTILINE)
# What is skipped behind a bracket or another mark goes up to the next one.
UP_TO = {
    "[": r"[^\]\n]*?", "(": r"[^)\n]*?", "{": r"[^}\n]*?", "|": r"[^|\n]*?", ";": r"[^;\n]*?",
    ",": r"[^,\n]*?", "\t": r"[^\t\n]*?", '"': r"[^\"\n]*?",
}  # fmt: skip
# Kafka Connect's %X{connector.context}: `[sink|task-0] `. Other brackets begin messages.
CONNECT = "{connector.context}"
# Names of zones, in minutes. RFC 822 says which EST, EDT, MST and the like are meant. IST and CST
# have several meanings, and are not here.
ZONES = {
    "Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 60, "CET": 60, "CEST": 120, "EET": 120,
    "EEST": 180, "MSK": 180, "JST": 540, "KST": 540, "HKT": 480, "SGT": 480, "AEST": 600,
    "AEDT": 660, "NZST": 720, "NZDT": 780, "EST": -300, "EDT": -240, "CDT": -300, "MST": -420,
    "MDT": -360, "PST": -480, "PDT": -420, "AKST": -540, "AKDT": -480, "BRT": -180, "SAST": 120,
    "TRT": 180, "PKT": 300, "WIB": 420, "WITA": 480, "AWST": 480,
}  # fmt: skip
ZONES_APART = timedelta(hours=26)  # No two zones are further apart.
# `+02:00`, `+0200`, `+02`, `GMT+02:00`, a name; Java adds `[Europe/Berlin]` to an offset.
# Some editors turn the hyphen of an offset into a minus sign.
ZONE_FORM = r"(?:GMT|UTC)?(?:[+-]|−)\d\d(?::?\d\d)?(?:\[\w+/[\w/\-]+\])?|" + "|".join(
    sorted(ZONES, reverse=True)
)
ZONE = f"(?P<zone>{ZONE_FORM})"
# How a part of Kafka names itself in brackets before its message, which no thread does:
# `[Consumer clientId=c, …] `, `[GroupCoordinator id=1 topic=…] `, `[ReplicaFetcherManager on broker
# 1] `, `[group-coordinator-reaper]: `.
IDENTITY = (
    r"\[(?:[A-Z]\w*(?: [\w.\-]+)*? \w+=[^\]\n]*\]"
    r"|[^\]=\n]* on (?:broker|controller) \d+\]"
    r"|[^\[\]\n]+\]: )"
)
PADDING = "\0"
TRACE_START = (
    r"^([\w.$]+(Exception|Error|Throwable)\b|\s+at |at [\w.$]+\(|Caused by: |Suppressed: )"
)


class LayoutError(ValueError):
    """A layout string that cannot be used. The message names the part."""


@dataclass(frozen=True)
class Clock:
    """A layout's format of the time. `spots` has (what, from, to) within its fixed width.

    `form` is a regular expression. reading: a form with named groups, for a time of no fixed width;
    each different text is then read once.
    """

    form: str
    spots: tuple[tuple[str, int, int], ...]
    zoned: bool
    reading: re.Pattern[str] | None = None

    @property
    def _names(self) -> set[str]:
        of_reading = self.reading.groupindex if self.reading else ()
        return {name for name, _, _ in self.spots} | set(of_reading)

    @property
    def since(self) -> bool:
        """Whether it counts from 1970, or from the begin of a program."""
        return bool(self._names & {"epoch_ms", "epoch_s"})

    @property
    def dated(self) -> bool:
        """Whether it tells the day."""
        return self.since or bool(self._names & {"day", "day of year", "day_of_year", "week"})


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
    before, target, opening, parts, clock, at = "", "", "", [], None, 0
    named = text
    text = NOT_EMPTY.sub(lambda found: f"%X{OPTIONAL}{re.sub(r'{[^{}]*}', '', found[1])}}}", text)
    for found in CONVERSION.finditer(text):
        target, at = target + re.escape(text[at : found.start()]), found.end()
        if found[0] == "%%":
            target += "%"
            continue
        name = LONG_NAMES.get(found[2], "any")
        if name == "end":
            continue
        if name == "message":
            before, target = target, ""
        elif name == "any":
            target += _padded(found[1] or "", _any(found[3], target))
            continue
        elif name == "time":
            asked = found[3][1:-1].partition("}")[0] if found[3] else None
            clock = _clock("RELATIVE" if found[2] in ("r", "relative") else asked)
            form = f"(?P<time>{clock.form})" + (ZONE if clock.zoned else "")
            target += _padded(found[1] or "", form)
            opening = _with_blanks(target)
        else:
            form = IN_TAIL if name == "thread" and "message" in parts else FORMS[name]
            form = FORMS_OF_LEVEL.get(found[3], form) if name == "level" else form
            name, ending = ("logger", SOURCES) if name == "file" else (name, "")
            target += _padded(found[1] or "", f"(?P<{name}>{form}){ending}")
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
    return Layout(named, _with_blanks(before), after, tuple(parts), clock, opening)


def _any(braces: str | None, before: str) -> str:
    """The form of a part that is skipped. In brackets or between bars it may hold blanks."""
    if braces and braces.startswith(OPTIONAL):
        inner = re.escape(braces.removeprefix(OPTIONAL)[:-1])
        return f"(?:{re.sub(r'%[a-zA-Z]+', lambda _: OF_CONTEXT, inner)})?"
    if braces == CONNECT:
        return r"(?:\[[^\]|\n]+\|[^\]\n]*\] )?"
    return UP_TO.get(before[-1:], r"\S*?")


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
        form = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[,.]\d{1,9})?"
        return Clock(form, _clock("yyyy-MM-dd HH:mm:ss,SSS").spots, False)
    if pattern in FINER:
        form = rf"\d{{{FINER[pattern]}}}"
        more = FINER[pattern] - 16
        return Clock(
            form, (), False, re.compile(rf"(?P<epoch_s>\d{{10}})(?P<fraction>\d{{6}})\d{{{more}}}")
        )
    if pattern == "UNIX_MILLIS":
        return Clock(r"\d{13}", (("epoch_ms", 0, 13),), False)
    if pattern == "UNIX":
        return Clock(r"\d{10}(?:[.,]\d{1,9})?", (), False, re.compile(UNIX))
    if pattern == "RELATIVE":  # milliseconds since the program began
        return Clock(r"\d+", (), False, re.compile(r"(?P<epoch_ms>\d+)"))
    form, reading, spots, at, zoned = "", "", [], 0, False
    fixed = True
    for piece in LETTERS.finditer(NAMED_TIMES.get(pattern, pattern or "")):
        quoted, letter, text = piece[1], piece[2], str(piece[0])
        if quoted is not None or letter is None:
            literal = text if quoted is None else quoted or "'"
            form, reading = form + re.escape(literal), reading + re.escape(literal)
            at += len(literal)
        elif letter in "XxZz":
            if zoned := piece.end() == len(pattern or ""):
                break
            form, fixed = f"{form}(?:{ZONE_FORM})", False
            reading = f"{reading}(?P<offset>{ZONE_FORM})"
        elif text in WIDTHS or letter in "Sn":
            name = WIDTHS.get(text, "fraction")
            digits = rf"\d{{{len(text)}}}" if text != "MMM" else f"(?:{'|'.join(MONTHS)})"
            if name == "fraction" and form.endswith((r"\.", ",", ":")):
                # Java leaves digits out that are zero, and may write down to nanoseconds.
                mark = 2 if form.endswith(r"\.") else 1
                form = f"{form[:-mark]}(?:{form[-mark:]}\\d{{1,9}})?"
                reading = rf"{reading[:-mark]}(?:{reading[-mark:]}(?P<fraction>\d{{1,9}}))?"
                spots.append((name, at, at + MICROS))
            else:
                form, reading = form + digits, f"{reading}(?P<{name.replace(' ', '_')}>{digits})"
                spots.append((name, at, at + len(text)))
            at += len(text)
        elif text in LOOSE:
            name, loose = LOOSE[text]
            form, reading, fixed = form + loose, f"{reading}(?P<{name}>{loose})", False
        else:
            raise LayoutError(
                f"A time like {pattern!r} cannot be read: what is {text!r}? Known are yyyy yy MM "
                "MMM LLL dd DDD HH mm ss SSS, M d H h hh a EEE, YYYY ww e, and XXX."
            )
    return Clock(form, tuple(spots), zoned, None if fixed else re.compile(reading + " *"))


def micros_of(
    clock: Clock, times: pa.Array, zones: pa.Array | None
) -> tuple[np.ndarray, np.ndarray]:
    """Microseconds since 1970 (UTC) of times that all fit the clock's form, and whether there is
    such a time. A clock without a date counts from 1970-01-01."""
    times = _with_zeros(times)
    value = _read_texts(clock.reading, times) if clock.reading else _read_digits(clock, times)
    if clock.since:
        ms = value["epoch_s"] * 1000 if "epoch_s" in value else value["epoch_ms"]
        return ms * 1000 + value["fraction"], np.ones(len(times), bool)
    exists = np.ones(len(times), bool)
    for name, (least, most) in LIMITS.items():
        exists &= (value[name] >= least) & (value[name] <= most)
    days = days_since_1970(*(value[name] for name in ("year", "month", "day")))
    if value["week"].any():  # ISO 8601: the week with January 4 is the first, and begins on Monday
        fourth = days_since_1970(value["year"], value["month"], np.full(len(days), 4))
        days = fourth - (fourth + 3) % 7 + 7 * (value["week"] - 1) + value["day_of_week"] - 1
    if value["day_of_year"].any():
        days = days + value["day_of_year"] - 1
    micros = (
        ((days * 24 + value["hour"]) * 60 + value["minute"]) * 60_000_000
        + value["second"] * 1_000_000
        + value["fraction"]
        - value["minutes"] * 60_000_000
    )
    return micros if zones is None else micros - _offsets(zones), exists


def _with_zeros(times: pa.Array) -> pa.Array:
    """The times with three digits of milliseconds, where they are written as numbers: `,8` is 8.

    Else it is 800: who leaves zeros at the end out writes none there.
    """
    lengths = pc.min_max(pc.binary_length(times)).as_py()
    if lengths["min"] == lengths["max"]:
        return times
    fractions = pc.extract_regex(times, r"[.,](?P<digits>\d+) *$")
    digits = pc.drop_null(pc.struct_field(pc.drop_null(fractions), "digits"))
    sizes = pc.unique(pc.binary_length(digits)).to_pylist()
    if not 1 <= min(sizes, default=0) < 3 or max(sizes) > 3:
        return times
    if not pc.any(pc.match_substring_regex(digits, "0$")).as_py():
        return times
    for form in (r"([.,])(\d)( *)$", r"([.,])(\d\d)( *)$"):  # one zero more each
        times = pc.replace_substring_regex(times, form, r"\10\2\3")
    return times


def _read_digits(clock: Clock, times: pa.Array) -> dict[str, np.ndarray]:
    """The numbers of times of a fixed width, all rows at once."""
    count, width = len(times), clock.spots[-1][2] if clock.spots else 0
    value = {name: np.full(count, number, np.int64) for name, number in BEGIN.items()}
    if not count or not width:
        return value
    # A blank before the zone follows the last digit. Digits of a fraction that are not there are 0.
    texts = pc.utf8_rpad(pc.utf8_rtrim(times, " "), width, padding="0")
    packed = pc.cast(
        pc.cast(pc.utf8_slice_codeunits(texts, 0, width), pa.binary()), pa.binary(width)
    )
    digits = (
        np.frombuffer(packed.buffers()[1], np.uint8, count * width, packed.offset * width)
        .reshape(-1, width)
        .astype(np.int64)
        - 48
    )
    for name, begin, end in clock.spots:
        if name == "name":
            names = pc.index_in(pc.utf8_slice_codeunits(texts, begin, end), pa.array(MONTHS))
            value["month"] = names.to_numpy(zero_copy_only=False) + 1
            continue
        number = digits[:, begin].copy()
        for place in range(begin + 1, end):
            number = number * 10 + digits[:, place]
        name = name.replace(" ", "_")
        if name == "short_year":
            name, number = "year", 2000 + number
        if name == "fraction":
            number = (
                number * 10 ** max(MICROS - end + begin, 0) // 10 ** max(end - begin - MICROS, 0)
            )
        value[name] = number
    return value


def _read_texts(reading: re.Pattern[str], times: pa.Array) -> dict[str, np.ndarray]:
    """The numbers of times of any width, each different text once."""
    coded = times.dictionary_encode()
    found = []
    for text in coded.dictionary.to_pylist():
        match = reading.match(text)
        found.append(_numbers(match.groupdict() if match else {}))
    columns = {name: [one[name] for one in found] for name in (found[0] if found else BEGIN)}
    return {
        name: np.array(column, np.int64)[coded.indices.to_numpy(zero_copy_only=False)]
        for name, column in columns.items()
    }


def _numbers(texts: dict[str, str | None]) -> dict[str, int]:
    """The numbers of one time's parts."""
    value = dict(BEGIN)
    half = (texts.pop("half", None) or "").lower()
    for name, text in texts.items():
        if not text or name == "weekday":
            continue
        if name == "name":
            value["month"] = MONTHS.index(text) + 1
        elif name == "local":
            value["month"] = _month(text)
        elif name == "offset":
            value["minutes"] = _minutes(text)
        elif name == "day":
            value["day"] = int(text.strip(" ."))
        elif name == "short_year":
            value["year"] = 2000 + int(text)
        elif name == "fraction":
            value["fraction"] = int(text[:MICROS].ljust(MICROS, "0"))
        else:
            value[name] = int(text)
    if half:
        value["hour"] = value["hour"] % 12 + 12 * half.startswith("p")
    return value


def _month(name: str) -> int:
    """The number of a month with this name; 0 where no language has such."""
    stems = sorted(MONTH_STEMS, key=len, reverse=True)
    return next((MONTH_STEMS[stem] for stem in stems if name.lower().startswith(stem)), 0)


def _offsets(zones: pa.Array) -> np.ndarray:
    """Microseconds east of UTC of `Z`, `CET`, `+02:00` or `+0200`."""
    coded = zones.dictionary_encode()
    known = [60_000_000 * _minutes(zone) for zone in coded.dictionary.to_pylist()]
    return np.array(known, np.int64)[coded.indices.to_numpy()]


def _minutes(zone: str) -> int:
    """Minutes east of UTC: of `CET`, `+02:00`, `GMT+0200`, `+02`, `+01:00[Europe/Berlin]`."""
    if zone in ZONES:
        return ZONES[zone]
    offset = (
        zone.partition("[")[0]
        .replace(":", "")
        .replace("\u2212", "-")
        .removeprefix("GMT")
        .removeprefix("UTC")
    )
    return int(offset[0] + "1") * (int(offset[1:3]) * 60 + int(offset[3:] or 0))
