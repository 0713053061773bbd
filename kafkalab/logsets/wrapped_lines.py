"""Takes the lines of a log out of what containers and encoders have wrapped them in.

A file may be wrapped more than once: a colored line, in docker's JSON. Each wrapping is
found by the first lines and taken off in turn. Every line keeps the place in the file where it
began.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

Lines = Iterator[tuple[int, bytes]]
"""Lines without their breaks, each with its place in the file's text, in bytes."""

MOST = 0.9  # The share of the first lines that must be wrapped alike.
# The layout in which records of JSON are written down.
JSON_LAYOUT = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5p [%t] %c - %m%n"
COLOR = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
CRI = re.compile(rb"\d{4}-\d\d-\d\dT\S+ (?:stdout|stderr) ([FP]) ?")
PREFIXES = {
    # docker compose logs: `shop-1  | `
    "compose": re.compile(rb"[\w.\-]+ +\| "),
    # kubectl logs --prefix: `[pod/shop-6d4f/app] `
    "pod": re.compile(rb"\[pod/[^\]\s]+\] "),
    # stern: `shop-6d4f8b-x2x7k app `
    "stern": re.compile(rb"[a-z0-9][a-z0-9.\-]*-[a-z0-9]{4,10} [a-z0-9\-]+ "),
    # journalctl, syslog: `Nov 20 03:07:51 host shop[4711]: `, or without the number
    "journal": re.compile(
        rb"(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [\w@.\-]+(?:\[\d+\])?"
        rb"|\d{4}-\d\d-\d\dT\S+ \S+ [\w@.\-]+\[\d+\]): ?"
    ),
    # syslog of RFC 5424: `<14>1 2026-11-20T03:07:51Z host shop 4711 - - `
    "syslog": re.compile(rb"<\d{1,3}>1 \S+ \S+ \S+ \S+ \S+ (?:-|\[[^\]\n]*\]) ?"),
    # Heroku: `2026-11-20T03:07:51.825123+00:00 app[web.1]: `
    "heroku": re.compile(rb"\d{4}-\d\d-\d\dT\S+ \w+\[[\w.\-]+\]: "),
    # Loki's logcli: `2026-11-20T03:07:51Z {app="shop"} `
    "labels": re.compile(rb"\d{4}-\d\d-\d\dT\S+ \{[^}\n]*\} "),
    # grep -n, cat -n, grep -H: `17:`, `    17  `, `client.log:17:`
    "numbered": re.compile(rb" *\d+(?::|\t|  )|[\w./\-]*\.(?:log|out|txt)[\w.\-]*:(?:\d+:)?"),
    # a mail that cites
    "cited": re.compile(rb"(?:> ?)+"),
    # kubectl logs --timestamps, docker logs -t: nanoseconds before the line's own time
    "nanoseconds": re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}(?:Z|[+-]\d\d:\d\d) "),
}
# A time before the line's own, in milliseconds or seconds: CloudWatch, `docker logs -t` of others.
STAMP = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)? ")
STAMPED = 0.2  # The share of lines that have two times; the others go on.
# The keys of a whole line as text, in the records of collectors.
TEXTS = ("log", "MESSAGE", "textPayload", "line")
TIMES = ("@timestamp", "timestamp", "time", "ts", "timeMillis", "instant")
LEVELS = ("log.level", "level", "severity", "level_name", "levelname")
LOGGERS = ("log.logger", "logger_name", "logger", "loggerName", "class")
THREADS = ("process.thread.name", "thread_name", "thread", "threadName")
MESSAGES = ("message", "msg", "textPayload")
TRACES = (
    "error.stack_trace",
    "stack_trace",
    "stackTrace",
    "exception",
    "thrown.extendedStackTrace",
)
ISO = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d+))?\s*(Z|[+-]\d\d:?\d\d)?")


@dataclass(frozen=True)
class Wrapping:
    """One kind of wrapping: whether lines are in it, and how they are taken out."""

    holds: Callable[[list[bytes]], bool]
    take_out: Callable[[Lines], Lines]


def wrapping_of(beginning: bytes) -> tuple[str, ...]:
    """The names of what the first bytes of a file are wrapped in, the outermost first."""
    found: list[str] = []
    if encoding := _encoding_of(beginning):
        found.append(encoding)
    whole = beginning if encoding else beginning[: beginning.rfind(b"\n") + 1] or beginning
    while True:
        sample = [line for _, line in unwrapped([whole], tuple(found)) if line.strip()]
        name = next(
            (name for name, each in WRAPPINGS.items() if name not in found and each.holds(sample)),
            None,
        )
        if name is None:
            return tuple(found)
        found.append(name)


def unwrapped(pieces: Iterable[bytes], wrapping: tuple[str, ...]) -> Lines:
    """The lines of a text that comes in pieces, without their wrapping."""
    names = list(wrapping)
    decode = names.pop(0) if names and names[0] in ENCODINGS else None
    lines = _lines(_decoded(pieces, decode) if decode else pieces)
    for name in names:
        lines = WRAPPINGS[name].take_out(lines)
    return lines


# -- bytes to lines -------------------------------------------------------------------------------

ENCODINGS = ("utf-8-sig", "utf-16-le", "utf-16-be")


def _encoding_of(text: bytes) -> str | None:
    if text.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16-le" if text.startswith(codecs.BOM_UTF16_LE) else "utf-16-be"
    head = text[:400].lstrip(b"\0")  # a file that was cut while it was written begins with zeros
    if len(head) > 8 and head.count(0) * 3 > len(head):  # every other byte of Latin letters
        return "utf-16-le" if head[1::2].count(0) >= head[::2].count(0) else "utf-16-be"
    return None


def _decoded(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """The text as UTF-8, without its byte order mark."""
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    first = True
    for piece in pieces:
        text = decoder.decode(piece)
        if first and text:
            text, first = text.removeprefix("\ufeff"), False
        yield text.encode()


def _lines(pieces: Iterable[bytes]) -> Lines:
    at, kept = 0, b""
    for piece in pieces:
        *whole, kept = (kept + piece).split(b"\n")
        for line in whole:
            yield at, line
            at += len(line) + 1
    if kept:
        yield at, kept


# -- the kinds ------------------------------------------------------------------------------------


def _mostly(sample: list[bytes], fits: Callable[[bytes], object]) -> bool:
    return bool(sample) and sum(1 for line in sample if fits(line)) >= MOST * len(sample)


def _without(pattern: re.Pattern[bytes]) -> Wrapping:
    """A prefix of every line that goes."""

    def take_out(lines: Lines) -> Lines:
        for at, line in lines:
            found = pattern.match(line)
            yield at, line[found.end() :] if found else line

    return Wrapping(lambda sample: _mostly(sample, pattern.match), take_out)


def _uncolored(lines: Lines) -> Lines:
    for at, line in lines:
        yield at, COLOR.sub(b"", line)


def _without_returns(lines: Lines) -> Lines:
    for at, line in lines:
        yield at, line.removesuffix(b"\r")


def _of_cri(lines: Lines) -> Lines:
    begun: tuple[int, bytes] | None = None
    for at, line in lines:
        found = CRI.match(line)
        text = line[found.end() :] if found else line
        begun = (begun[0], begun[1] + text) if begun else (at, text)
        if not found or found[1] == b"F":  # P: the line goes on in the next
            yield begun
            begun = None
    if begun:
        yield begun


def _stripped(lines: Lines) -> Lines:
    for at, line in lines:
        yield at, line.rstrip(b" ")


def _is_stamped(sample: list[bytes]) -> bool:
    """Whether each line begins with a time, and many have one of their own after it."""
    twice = sum(1 for line in sample if _own_time(line))
    return _mostly(sample, STAMP.match) and twice >= STAMPED * len(sample)


def _own_time(line: bytes) -> object:
    found = STAMP.match(line)
    return found and re.match(
        rb"\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d[.,]\d", line[found.end() :]
    )


def _docker(line: bytes) -> str | None:
    record = _record(line)
    return record["log"] if record and isinstance(record.get("log"), str) else None


def _is_docker(sample: list[bytes]) -> bool:
    """Whether docker wrote this: there the text keeps its line break."""
    return _mostly(sample, _docker) and any((_docker(line) or "").endswith("\n") for line in sample)


def _text(line: bytes) -> str | None:
    """The line that a collector's record holds as a text."""
    record = _record(line)
    if record is None:
        return None
    text = next((record[key] for key in TEXTS if isinstance(record.get(key), str)), None)
    if text is None and _written(line) is None and isinstance(record.get("message"), str):
        return str(record["message"])
    return text


def _of_texts(lines: Lines) -> Lines:
    for at, line in lines:
        text = _text(line)
        if text is None:
            yield at, line
            continue
        for part in text.removesuffix("\n").split("\n"):
            yield at, part.encode()


def _of_docker(lines: Lines) -> Lines:
    begun: tuple[int, str] | None = None
    for at, line in lines:
        text = _docker(line)
        if text is None:
            yield at, line
            continue
        begun = (begun[0], begun[1] + text) if begun else (at, text)
        if text.endswith("\n"):  # a long line comes in parts
            for part in begun[1][:-1].split("\n"):
                yield begun[0], part.encode()
            begun = None
    if begun:
        yield begun[0], begun[1].encode()


def _record(line: bytes) -> dict | None:
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


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


def _written(line: bytes) -> str | None:
    """A record of JSON as a log line in JSON_LAYOUT; None for another line."""
    record = _record(line)
    if record is None:
        return None
    message, time = _first(record, MESSAGES), _time(_first(record, TIMES))
    level = _first(record, LEVELS)
    if not isinstance(message, str) or time is None or not isinstance(level, str):
        return None
    logger, thread = _first(record, LOGGERS) or "-", _first(record, THREADS) or ""
    text = f"{time} {level.upper():5} [{thread}] {logger} - {message}"
    trace = _first(record, TRACES)
    if isinstance(trace, list):
        trace = "\n".join(map(str, trace))
    return f"{text}\n{trace.rstrip()}" if isinstance(trace, str) and trace else text


def _time(value: object) -> str | None:
    """A time as JSON_LAYOUT has it: from ISO 8601, milliseconds since 1970, or log4j's instant."""
    if isinstance(value, dict) and "epochSecond" in value:
        value = value["epochSecond"] * 1000 + value.get("nanoOfSecond", 0) // 1_000_000
    if isinstance(value, int | float) and not isinstance(value, bool):
        ms = int(value if value > 1e11 else value * 1000)
        moment = datetime.fromtimestamp(ms // 1000, UTC)
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{ms % 1000:03d}Z"
    found = ISO.match(value) if isinstance(value, str) else None
    if not found:
        return None
    day, clock, fraction, zone = found.groups()
    zone = zone or "Z"
    zone = zone if zone == "Z" or ":" in zone else f"{zone[:3]}:{zone[3:]}"
    return f"{day}T{clock}.{(fraction or '0')[:3]:<03}{zone}"


def _of_json(lines: Lines) -> Lines:
    for at, line in lines:
        text = _written(line)
        for part in line.split(b"\n") if text is None else text.encode().split(b"\n"):
            yield at, part


JSON = "json"
WRAPPINGS = {
    "color": Wrapping(lambda sample: any(COLOR.search(line) for line in sample), _uncolored),
    "crlf": Wrapping(lambda sample: any(line.endswith(b"\r") for line in sample), _without_returns),
    "docker": Wrapping(_is_docker, _of_docker),
    "text in JSON": Wrapping(lambda sample: _mostly(sample, _text), _of_texts),
    "cri": Wrapping(lambda sample: _mostly(sample, CRI.match), _of_cri),
    **{name: _without(pattern) for name, pattern in PREFIXES.items()},
    "stamped": Wrapping(_is_stamped, _without(STAMP).take_out),
    "blanks": Wrapping(lambda sample: _mostly(sample, lambda line: line.endswith(b" ")), _stripped),
    JSON: Wrapping(lambda sample: _mostly(sample, _written), _of_json),
}
