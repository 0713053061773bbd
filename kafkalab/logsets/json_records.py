"""Finds the parts of a log line in records of JSON, whatever their keys are called.

Many encoders and collectors have keys of their own. Those that are known are looked up. Where one
part has none of them, its value tells: a time, a level, a class of Kafka's, the longest text.
Documents that hold many records are taken apart, as the exports of OpenTelemetry, Loki and
CloudWatch are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import TypeGuard
from zoneinfo import ZoneInfo

import pyarrow as pa

from kafkalab.logsets import layouts
from kafkalab.logsets.templates import is_kafkas
from kafkalab.logsets.time_forms import time_at, time_within

# The keys of a whole line as text, in the records of collectors.
TEXTS = ("log", "MESSAGE", "@message", "textPayload", "line", "_raw", "logmessage", "logentry")
# The keys of a record's parts, whatever their letters' size. A dot leads into a record within.
TIMES = (
    "@timestamp", "timestamp", "time", "ts", "date", "timeMillis", "instant", "timeUnixNano", "@t",
    "TimeGenerated",
)  # fmt: skip
LEVELS = (
    "_level_name", "log.level", "level", "severity", "severityText", "level_name", "levelname",
    "lvl", "@l", "level_value", "levelno",
)  # fmt: skip
LOGGERS = (
    "log.logger", "logger_name", "logger.name", "logger.fqcn", "logger", "loggerName",
    "_log_logger", "_loggerName", "class", "SourceContext", "scope.name",
)  # fmt: skip
THREADS = (
    "process.thread.name", "thread_name", "thread", "threadName", "_process_thread_name",
    "_threadName", "thread.name",
)  # fmt: skip
# logback's own encoder has a template in `message`.
MESSAGES = (
    "formattedMessage", "message", "msg", "short_message", "textPayload", "body.stringValue",
    "body", "@m",
)  # fmt: skip
TRACES = (
    "error.stack_trace", "stack_trace", "stackTrace", "stacktrace", "exception",
    "thrown.extendedStackTrace", "exception.stacktrace", "@x",
)  # fmt: skip
# What a search engine or a collector puts a record into, and who wrote it.
INSIDE = ("_source", "result", "content", "jsonPayload")
# Likewise, but the record's own keys win. Kibana has each value in a list.
BESIDE = ("properties", "attributes", "fields")
# The keys of a day and of a clock apart, and of a zone that neither names.
DAYS, CLOCKS = ("date", "day", "datum"), ("time", "clock", "uhrzeit")
ZONES = ("tz", "timezone", "zone", "offset")
A_CLOCK = re.compile(r"\d{1,2}:\d\d:\d\d(?:[.,]\d+)?")
SOURCES = (
    "kubernetes.pod_name", "kubernetes.pod.name", "kubernetes.container_name",
    "kubernetes.container.name", "pod", "_HOSTNAME", "hostName", "hostname", "host.name", "host",
    "resource.labels.pod_name", "stream.pod", "stream.instance", "stream.container", "PodName",
)  # fmt: skip
JAVA = {
    300: "TRACE", 400: "TRACE", 500: "DEBUG", 700: "DEBUG", 800: "INFO", 900: "WARN", 1000: "ERROR",
}  # fmt: skip
SYSLOG = ("ERROR", "ERROR", "ERROR", "ERROR", "WARN", "INFO", "INFO", "DEBUG")
# A level as a number, by the key's owner: OpenTelemetry has four of each, Azure counts from 0, pino
# and bunyan from 10, java.util.logging from 300, logback from 5,000. Others have those of syslog.
STEPS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
AZURE = ("DEBUG", "INFO", "WARN", "ERROR", "FATAL")
LOGBACK = {5000: "TRACE", 10000: "DEBUG", 20000: "INFO", 30000: "WARN", 40000: "ERROR"}
HEAD = 60  # Bytes at the begin of a line that may hold a collector's time.
LEAST_RECORDS = 3  # Fewer records do not tell which of their times moves.
DIGITS = re.compile(r"\d\D{0,3}\d\D{0,3}\d\D{0,3}\d\D{0,3}\d\D{0,3}\d")
OFFSET = re.compile(r"Z|[+-]\d\d:?\d\d")
ISO = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d+))?\s*(Z|[+-]\d\d:?\d\d)?")


def line_in(line: bytes) -> str | None:
    """The line that a collector's record holds as a text, or that is a string of JSON itself."""
    if line.startswith(b'"'):
        try:
            text = json.loads(line)
        except ValueError:
            return None
        return text if isinstance(text, str) else None
    record = record_of(line)
    if record is None:
        return None
    text = next((record[key] for key in TEXTS if isinstance(record.get(key), str)), None)
    if text is None and record_in(line) is None and isinstance(record.get("message"), str):
        return str(record["message"])
    return text


def record_of(line: bytes) -> dict | None:
    """A record of JSON; what a search engine holds inside of its hit is part of it."""
    text = line.strip().removesuffix(b",")
    if not text.startswith(b"{"):
        return None
    try:
        record = json.loads(text)
    except ValueError:
        return None
    if not isinstance(record, dict):
        return None
    for name in INSIDE:
        if isinstance(record.get(name), dict):
            record = {**record, **record[name]}
        # Likewise, as a table's column: `jsonPayload.level`.
        prefix = f"{name}."
        inner = {key.removeprefix(prefix): record[key] for key in record if key.startswith(prefix)}
        record = {**record, **inner}
    if _are_bytes(coded := record.get("MESSAGE")):  # systemd's, of a text with colors
        record["MESSAGE"] = bytes(coded).decode(errors="replace")
    for name in BESIDE:
        if isinstance(record.get(name), dict):
            inner = {key: _only(value) for key, value in record[name].items()}
            record = {**inner, **record}
    return {**{key.lower(): value for key, value in record.items()}, **record}


def _only(value: object) -> object:
    """The text in a list of one."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _are_bytes(value: object) -> TypeGuard[list[int]]:
    return isinstance(value, list) and all(isinstance(n, int) and 0 <= n < 256 for n in value)


def source_of(line: bytes, source: str) -> str:
    """The source of a record of JSON, added to that of its wrapping."""
    record = record_of(line) or {}
    found = (_first(record, (name,)) for name in SOURCES)
    named = " ".join(dict.fromkeys(text for text in found if isinstance(text, str) and text))
    return f"{source} {named}".strip() if named else source


def _first(record: dict, names: tuple[str, ...]) -> object:
    """The value of the first of these keys; a dot also leads into a record within."""
    for name in names:
        if name in record:
            return record[name]
        within: object = record
        for step in name.split("."):
            within = within.get(step) if isinstance(within, dict) else None
        if within is not None:
            return within
    return None


def moving_time(lines: list[bytes]) -> str | None:
    """The key of the time that moves from record to record, where the usual choice of a key finds
    one that never moves, as the time of a deployment does, or one of a zone that is not told, and
    another key has a zone; None where the usual choice is right.
    """
    records = [record for line in lines if (record := record_of(line)) is not None]
    if len(records) < LEAST_RECORDS:
        return None
    usual = {_usual_time(record) for record in records}
    named = any(_time_of(record) for record in records)
    found: dict[str, set[str]] = {}
    zoned: set[str] = set()
    for record in records:
        for key, value in _named_values(record):
            if DIGITS.search(str(value)) and (time := _time(value)):
                found.setdefault(key, set()).add(time)
                if isinstance(value, str) and (iso := ISO.match(value)) and iso[4]:
                    zoned.add(key)
    moving = [key for key in found if len(found[key]) > 1]
    if len(usual) > 1:
        with_zone = [key for key in moving if key in zoned]
        has_zone = any(found[key] >= usual for key in with_zone)
        return None if named or has_zone or len(with_zone) != 1 else with_zone[0]
    return max(moving, key=lambda key: len(found[key]), default=None)


def time_around(line: bytes) -> str | None:
    """The time that a collector put around a line's text, as JSON_LAYOUT has it: that of a record,
    or the first one before the text."""
    record = record_of(line)
    if record is not None:
        return _time_of(record) or next(
            (time for value in _numbers_and_texts(record) if (time := _time(value))), None
        )
    head = line[:HEAD].decode(errors="replace")
    found = time_within(head)
    return _time(head[found[1] : found[2]]) if found else None


def _numbers_and_texts(record: dict) -> Iterator[object]:
    """The values of a record that may be times."""
    for _, value in _named_values(record):
        if isinstance(value, int | float | str) and DIGITS.match(str(value)):
            yield value


def _usual_time(record: dict) -> str | None:
    """The time of a record by the usual keys, else the first that it holds."""
    values = (made for value in _values(record) if (made := _time(value)))
    return _time_of(record) or next(values, None)


def _named_values(record: dict, before: str = "") -> Iterator[tuple[str, object]]:
    """The values of a record with their keys; a dot leads into a record within."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _named_values(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def message_of(line: bytes) -> str | None:
    """The message of a record of JSON that names no level; None for another line."""
    record = record_of(line)
    if record is None or record_in(line) is not None:
        return None
    message = _first(record, MESSAGES)
    return message if isinstance(message, str) and _usual_time(record) else None


def record_in(line: bytes, time_key: str | None = None, leveled: bool = True) -> str | None:
    """A record of JSON as a log line in JSON_LAYOUT; None for another line.

    time_key: where its time is, if that is no usual place (moving_time). leveled: whether a record
    must name its level.
    """
    record = record_of(line)
    if record is None:
        return None
    message, level = _first(record, MESSAGES), _level(record)
    time = (time_key and _time(_first(record, (time_key,)))) or _time_of(record)
    logger, thread = _first(record, LOGGERS), _first(record, THREADS) or ""
    if None in (message, time, level, logger):
        values = list(_values(record))
        trace = _first(record, TRACES)
        texts = [v for v in values if " " in v and v != trace and not (v[0].isdigit() and _time(v))]
        message = message or max(texts, key=len, default=None)
        time = time or _usual_time(record)
        level = level or next((v for v in values if v in layouts.LEVEL_OF), None)
        logger = logger or next((v for v in values if "." in v and is_kafkas(v)), "-")
    level = level or (None if leveled else "-")
    if not isinstance(message, str) or time is None or level is None:
        return None
    if message.startswith("{") and (inner := record_in(message.encode())):
        return inner  # a record within a record
    text = f"{time} {level.upper():5} [{thread}] {logger} - {message}"
    whole = record.get("full_message")  # GELF: the message is cut, and here with its trace
    if isinstance(whole, str) and whole.startswith(message):
        return text + whole[len(message) :].rstrip()
    trace = _first(record, TRACES)
    if isinstance(trace, list):
        trace = "\n".join(map(str, trace))
    return f"{text}\n{trace.rstrip()}" if isinstance(trace, str) and trace.strip(" -") else text


def _level(record: dict) -> str | None:
    """The name of a record's level. GELF has the numbers of syslog."""
    level = _first(record, LEVELS)
    if isinstance(level, str) and not level.isdigit():
        return level
    number = next(
        (
            int(found)
            for name in ("severitynumber", "severitylevel", *LEVELS)
            if isinstance(found := record.get(name), int | str) and str(found).isdigit()
        ),
        None,
    )
    if number is None:
        return None
    if "severitynumber" in record:
        return STEPS[min(max(number - 1, 0) // 4, len(STEPS) - 1)]
    if "severitylevel" in record:
        return AZURE[min(number, len(AZURE) - 1)]
    if number < len(SYSLOG):
        return SYSLOG[number]
    if "levelno" in record:  # Python's
        number += 10
    return (LOGBACK | JAVA).get(number) or (STEPS[number // 10 - 1] if 10 <= number <= 60 else None)


def _time_of(record: dict) -> str | None:
    """The time of a record as JSON_LAYOUT has it."""
    if isinstance(record.get("timestampSeconds"), int | str):  # Google Cloud's
        seconds, nanos = record["timestampSeconds"], record.get("timestampNanos") or 0
        return _time({"seconds": seconds, "nanos": nanos})
    day, clock, zone = (_first(record, keys) for keys in (DAYS, CLOCKS, ZONES))
    found = _first(record, TIMES)
    if isinstance(day, str) and isinstance(clock, str) and A_CLOCK.fullmatch(clock):
        found = f"{day} {clock}"
    if isinstance(found, str) and isinstance(zone, str) and (iso := ISO.fullmatch(found)):
        found += "" if iso[4] else _offset(found, zone)
    return _time(found)


def _offset(time: str, zone: str) -> str:
    """The offset of a time in a zone: `+02:00`, or of a place."""
    if OFFSET.fullmatch(zone):
        return zone
    try:
        moment = datetime.fromisoformat(time.replace(",", ".")).replace(tzinfo=ZoneInfo(zone))
    except (ValueError, OSError):
        return ""
    return f"{moment:%z}"


def _time(value: object) -> str | None:
    """A time as JSON_LAYOUT has it: from ISO 8601, from numbers since 1970, or log4j's instant."""
    if isinstance(value, dict):
        seconds = str(value.get("epochSecond", value.get("seconds")))
        nanos = str(value.get("nanoOfSecond", value.get("nanos", 0)))
        if not seconds.isdigit() or not nanos.isdigit():
            return None
        value = int(seconds) * 1000 + int(nanos) // 1_000_000
    if isinstance(value, str) and re.fullmatch(r"\d{10}(?:\.\d+)?|\d{13}|\d{16}|\d{19}", value):
        value = float(value) if len(value) < 13 or "." in value else int(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not 0 <= value < 1e20:
            return None
        ms = int(value) // (1_000_000 if value > 1e17 else 1000 if value > 1e14 else 1)
        ms = ms if value > 1e11 else round(value * 1000)
        moment = datetime.fromtimestamp(ms // 1000, UTC)
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{ms % 1000:03d}Z"
    found = ISO.match(value) if isinstance(value, str) else None
    if not found:
        return _other_time(value) if isinstance(value, str) else None
    day, clock, fraction, zone = found.groups()
    zone = zone or "Z"
    zone = zone if zone == "Z" or ":" in zone else f"{zone[:3]}:{zone[3:]}"
    return f"{day}T{clock}.{(fraction or '0')[:6]:<03}{zone}"


@lru_cache(maxsize=1 << 12)  # it costs most of reading a record, whose values are asked again
def _other_time(text: str) -> str | None:
    """A time in one of the other forms that lines have: `Nov 21, 2026 @ 02:07:58.816`."""
    found = time_at(text, 0)
    if found is None or found[1] != len(text):
        return None
    pattern = layouts.layout(f"%d{{{found[0]}}} %m")
    parts = pattern.begins().match(text.encode() + b" ")
    if parts is None or not pattern.clock or not pattern.clock.dated:
        return None
    time, zone = parts["time"].decode(), (parts.groupdict().get("zone") or b"").decode()
    zones = pa.array([zone]) if pattern.clock.zoned else None
    micros, exists = layouts.micros_of(pattern.clock, pa.array([time]), zones)
    moment = datetime.fromtimestamp(int(micros[0]) // 1_000_000, UTC)
    fraction = int(micros[0]) % 1_000_000 // 1000
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{fraction:03d}Z" if exists[0] else None


def _values(record: dict) -> Iterator[str]:
    """All texts of a record, those of records within it too, also where one is written as text."""
    for value in record.values():
        if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
            try:
                value = json.loads(value)
            except ValueError:
                pass
        if isinstance(value, dict):
            yield from _values(value)
        elif isinstance(value, str):
            yield value


# -- documents ------------------------------------------------------------------------------------


def spread(document: object) -> list[dict]:
    """The records of a document, from the oldest on. What is said around a record is part of it."""
    found = list(_spread(document, {}))
    times = [_first(record, TIMES) for record in found]
    if len({type(time) for time in times}) != 1 or not isinstance(times[0], str | int | float):
        return found
    if times[0] > times[-1]:  # type: ignore[operator]
        found, times = found[::-1], times[::-1]
    order = sorted(range(len(found)), key=lambda place: times[place])  # type: ignore[arg-type, return-value]
    return [found[place] for place in order]


def _spread(value: object, around: dict) -> Iterator[dict]:
    if isinstance(value, list):
        for each in value:
            if isinstance(each, list) and len(each) > 1 and isinstance(each[1], str):
                yield {**around, "time": each[0], "line": each[1]}  # Loki
            elif isinstance(each, list) and each and each[0].keys() >= {"field", "value"}:
                yield {**around, **{cell["field"]: cell.get("value") for cell in each}}  # Insights
            else:
                yield from _spread(each, around)
        return
    if not isinstance(value, dict):
        return
    own = {**around, **{name: _plain(part) for name, part in value.items() if not _is_many(part)}}
    own |= _attributes(value)
    if _first(value, MESSAGES) is not None or line_in(json.dumps(value).encode()) is not None:
        yield own
        return
    many = [part for part in value.values() if _is_many(part)]
    if not many:  # perhaps deeper
        many = [part for part in value.values() if isinstance(part, dict) and _holds_many(part)]
    for part in many:
        yield from _spread(part, own)
    if not many:
        yield own


def _is_many(part: object) -> bool:
    """Whether it is a list of records, and none of OpenTelemetry's attributes."""
    if not isinstance(part, list) or not part:
        return False
    return (isinstance(part[0], dict) and "key" not in part[0]) or isinstance(part[0], list)


def _holds_many(part: dict) -> bool:
    return any(
        _is_many(each) or (isinstance(each, dict) and _holds_many(each)) for each in part.values()
    )


def _plain(part: object) -> object:
    """A record within without its lists of records."""
    if not isinstance(part, dict):
        return part
    return {name: each for name, each in part.items() if not _is_many(each)}


def _attributes(record: dict) -> dict:
    """OpenTelemetry's attributes as names and values: `{"thread.name": "main"}`."""
    listed = record.get("attributes")
    if not isinstance(listed, list):
        return {}
    return {
        each["key"]: next(iter(each["value"].values()), None)
        for each in listed
        if isinstance(each, dict) and isinstance(each.get("value"), dict) and "key" in each
    }
