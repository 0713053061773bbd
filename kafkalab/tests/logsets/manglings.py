"""Makes of one real log what other people's loggers, collectors, tools and accidents make of logs.

Each mangling is a function from the records of a log to the text of a file, and says what it leaves
of a time. The matrix (test_matrix_of_manglings.py) reads each file and holds it against the log.
"""

from __future__ import annotations

import base64
import csv
import difflib
import gzip
import html
import io
import json
import quopri
import random
import re
import tarfile
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from kafkalab.tests.logsets.test_mangled_logs import moment, ms
from kafkalab.tests.logsets.test_production_logs import Said

Records = list[Said]
Clock = Callable[[datetime], object]
NAMES = ("client_id", "event", "message")


def to_the_ms(time: datetime) -> object:
    return time


def to_the_second(time: datetime) -> object:
    return time.replace(microsecond=0)


def to_the_minute(time: datetime) -> object:
    return time.replace(second=0, microsecond=0)


def of_the_day(time: datetime) -> object:
    """A clock without a date."""
    return time.hour, time.minute, time.second, time.microsecond


def of_the_year(time: datetime) -> object:
    """A time without a year."""
    return time.month, time.day, time.hour, time.minute, time.second


def none(time: datetime | None) -> object:
    return None


@dataclass(frozen=True)
class Mangling:
    """A text that was made of a log.

    keeps   what is left of a time
    file    the name of the file
    of      the records that are in the text
    names   the columns that tell whether a row is right
    """

    make: Callable[[Records], str | bytes]
    keeps: Clock = to_the_ms
    file: str = "a.log"
    of: Callable[[Records], Records] = lambda said: said
    names: tuple[str, ...] = NAMES


def with_trace(text: str, s: Said) -> str:
    return f"{text}\n{s.trace}" if s.trace else text


def lines(write: Callable[[Said], str], keeps: Clock = to_the_ms, **more) -> Mangling:
    """Each record by itself, its stack trace behind it."""
    return Mangling(
        lambda said: "".join(f"{with_trace(write(s), s)}\n" for s in said), keeps, **more
    )


def around(write: Callable[[Said, str], str], keeps: Clock = to_the_ms, inner=None) -> Mangling:
    """Something around each line of text, also of those that go on."""
    inner = inner or own
    return Mangling(
        lambda said: "".join(
            f"{write(s, line)}\n" for s in said for line in with_trace(inner(s), s).split("\n")
        ),
        keeps,
    )


def records(write: Callable[[Said], dict], keeps: Clock = to_the_ms) -> Mangling:
    return Mangling(lambda said: "".join(json.dumps(write(s)) + "\n" for s in said), keeps)


def document(write: Callable[[Records], object], indent: int | None = None) -> Mangling:
    return Mangling(lambda said: json.dumps(write(said), indent=indent), file="a.json")


def table(
    header: str,
    row: Callable[[Said], tuple],
    mark: str = ",",
    keeps: Clock = to_the_ms,
    last=False,
    **more,
) -> Mangling:
    def make(said: Records) -> str:
        text = io.StringIO()
        rows = csv.writer(text, delimiter=mark)
        rows.writerow(header.split("|"))
        rows.writerows(map(row, reversed(said) if last else said))
        return text.getvalue()

    return Mangling(make, keeps, "a.csv.log", **more)


def text_of(change: Callable[[str], str | bytes], keeps: Clock = to_the_ms, inner=None) -> Mangling:
    """What happened to the whole text."""
    return Mangling(lambda said: change(plain(said, inner or own)), keeps)


def with_all(change: Callable[[Records], Records], write=None) -> Mangling:
    """Records that are added to a log, or moved."""
    return Mangling(lambda said: plain(change(said), write or own), of=change)


def plain(said: Records, write: Callable[[Said], str]) -> str:
    return "".join(f"{with_trace(write(s), s)}\n" for s in said)


# -- pieces ---------------------------------------------------------------------------------------


def own(s: Said) -> str:
    return f"[{s.time}] {s.level} {s.text} ({s.logger})"


def head(s: Said) -> str:
    return f"{s.level:5} [{s.thread}] {s.logger} - {s.text}"


def logback(s: Said) -> str:
    return f"{s.dotted} {head(s)}"


def logback_to(s: Said) -> str:
    return logback(s).removesuffix(s.text)


def whole(s: Said) -> str:
    return with_trace(own(s), s)


def said_of(s: Said) -> dict:
    return {"level": s.level, "logger": s.logger, "thread": s.thread, "message": s.text}


def local(hours: float) -> Callable[[Said], datetime]:
    return lambda s: moment(s).astimezone(timezone(timedelta(hours=hours)))


def stamp(form: str, hours: float = 0) -> Callable[[Said], str]:
    """A time in a form of strftime, %L for milliseconds."""
    return lambda s: f"{local(hours)(s):{form.replace('%L', s.ms)}}"


def dated(form: str, keeps: Clock = to_the_ms, hours: float = 0) -> Mangling:
    return lines(lambda s: f"{stamp(form, hours)(s)} {head(s)}", keeps)


def moved(form: str, days: int) -> Mangling:
    """The log of another day, with a time in this form."""
    return lines(lambda s: f"{moment(s) + timedelta(days=days):{form}} {head(s)}")


def without_prefix(text: str) -> str:
    return re.sub(r"^\[[^]]*\] ", "", text)


def of_one_in_three(s: Said, context: str) -> str:
    """A context that a third of the lines have."""
    return context if (ms(s) // 7 + len(s.text)) % 3 == 0 else ""


def letters(name: str) -> dict[str, str]:
    return {"TRACE": "T", "DEBUG": "D", "INFO": "I", "WARN": "W", "ERROR": "E"}[name]


def xml_log4j(s: Said) -> str:
    trace = f"<log4j:throwable><![CDATA[{s.trace}]]></log4j:throwable>\n" if s.trace else ""
    return (
        f'<log4j:event logger="{s.logger}" timestamp="{ms(s)}" level="{s.level}" '
        f'thread="{s.thread}">\n<log4j:message><![CDATA[{s.text}]]></log4j:message>\n{trace}'
        "</log4j:event>\n"
    )


JAVAS_NUMBERS = {"TRACE": 400, "DEBUG": 500, "INFO": 800, "WARN": 900, "ERROR": 1000}
JAVAS = {"TRACE": "FINER", "DEBUG": "FINE", "INFO": "INFO", "WARN": "WARNING", "ERROR": "SEVERE"}


def xml_java(said: Records) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
        '<!DOCTYPE log SYSTEM "logger.dtd">\n<log>\n'
        + "".join(
            f"<record>\n  <date>{s.iso}Z</date>\n  <millis>{ms(s)}</millis>\n  <nanos>0</nanos>\n"
            f"  <sequence>{n}</sequence>\n  <logger>{s.logger}</logger>\n"
            f"  <level>{JAVAS[s.level]}</level>\n  <class>{s.logger}</class>\n"
            f"  <method>poll</method>\n  <thread>1</thread>\n"
            f"  <message>{html.escape(s.text, quote=False)}</message>\n</record>\n"
            for n, s in enumerate(said)
        )
        + "</log>\n"
    )


def xml_log4j_2(said: Records) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<Events xmlns="http://logging.apache.org/log4j/2.0/events">\n'
        + "".join(
            f'  <Event timeMillis="{ms(s)}" thread="{s.thread}" level="{s.level}" '
            f'loggerName="{s.logger}">\n    <Message>{html.escape(s.text, quote=False)}</Message>\n'
            "  </Event>\n"
            for s in said
        )
        + "</Events>\n"
    )


def exported(said: Records) -> str:
    """journalctl -o export."""
    return "".join(
        f"__CURSOR=s={n}\n__REALTIME_TIMESTAMP={ms(s)}000\n_HOSTNAME=web-1\nPRIORITY=6\n"
        f"SYSLOG_IDENTIFIER=shop\nMESSAGE={line}\n\n"
        for n, s in enumerate(said)
        for line in whole(s).split("\n")
    )


def verbose(said: Records) -> str:
    """journalctl -o verbose."""
    return "".join(
        f"{stamp('%a %Y-%m-%d %H:%M:%S.%L000 UTC')(s)} [s={n}]\n    _HOSTNAME=web-1\n"
        f"    PRIORITY=6\n    MESSAGE={line}\n"
        for n, s in enumerate(said)
        for line in whole(s).split("\n")
    )


def bulk(said: Records) -> str:
    return "".join(
        f'{{"index":{{"_index":"logs-{s.day}"}}}}\n'
        f"{json.dumps({'@timestamp': f'{s.iso}Z', **said_of(s)})}\n"
        for s in said
    )


def collected(said: Records) -> str:
    return "".join(
        f"LogRecord #{n}\nObservedTimestamp: 1970-01-01 00:00:00 +0000 UTC\n"
        f"Timestamp: {s.day} {s.clock}.{s.ms} +0000 UTC\nSeverityText: {s.level}\n"
        f"SeverityNumber: Info(9)\nBody: Str({s.text})\n"
        f"Attributes:\n     -> logger: Str({s.logger})\nTrace ID: \nSpan ID: \nFlags: 0\n"
        for n, s in enumerate(said)
    )


def otlp(said: Records) -> dict:
    return {
        "resourceLogs": [
            {
                "resource": {"attributes": []},
                "scopeLogs": [
                    {
                        "scope": {"name": s.logger},
                        "logRecords": [
                            {
                                "timeUnixNano": str(ms(s) * 1_000_000),
                                "severityText": s.level,
                                "body": {"stringValue": s.text},
                            }
                        ],
                    }
                    for s in said
                ],
            }
        ]
    }


def ecs(s: Said) -> dict:
    return {
        "@timestamp": f"{s.iso}Z", "ecs.version": "1.2.0", "log.level": s.level, "message": s.text,
        "process.thread.name": s.thread, "log.logger": s.logger,
    }  # fmt: skip


def partial(said: Records) -> str:
    """CRI cuts long lines."""
    text = ""
    for line in plain(said, own).splitlines():
        parts = [line[at : at + 120] for at in range(0, max(len(line), 1), 120)]
        for n, part in enumerate(parts):
            mark = "F" if n == len(parts) - 1 else "P"
            text += f"2026-11-28T05:52:08.397123456Z stdout {mark} {part}\n"
    return text


def partial_docker(said: Records) -> str:
    text = ""
    for line in plain(said, own).splitlines(True):
        for at in range(0, len(line), 150):
            text += json.dumps({"log": line[at : at + 150], "stream": "stdout"}) + "\n"
    return text


def gelf(s: Said) -> dict:
    return {
        "version": "1.1", "host": "web-1", "short_message": s.text.split("\n")[0],
        "full_message": s.text, "timestamp": ms(s) / 1000, "_logger": s.logger,
        "level": {"ERROR": 3, "WARN": 4, "INFO": 6}.get(s.level, 7), "_thread": s.thread,
    }  # fmt: skip


def turned(said: Records) -> list[tuple[Said, str]]:
    """Each line of the text with its record, from the last to the first."""
    return [(s, line) for s in said for line in whole(s).split("\n")][::-1]


def turned_table(header: str, row: Callable[[Said, str], tuple]) -> Mangling:
    """An export with a row for each line, the newest first."""

    def make(said: Records) -> str:
        text = io.StringIO()
        csv.writer(text).writerows([header.split("|"), *(row(*each) for each in turned(said))])
        return text.getvalue()

    return Mangling(make, file="a.csv.log")


def indented(said: Records) -> str:
    """journalctl: a message of several lines goes on below its begin."""
    text = ""
    for s in said:
        front = f"{stamp('%b %d %H:%M:%S')(s)} web-1 shop[4711]: "
        text += front + whole(s).replace("\n", "\n" + " " * len(front)) + "\n"
    return text


def on_two_days(said: Records) -> list[Said]:
    """The log around midnight."""
    later = datetime(2026, 11, 29, tzinfo=UTC) - moment(said[len(said) // 2])
    return at_another_time(said, timedelta(seconds=int(later.total_seconds())))


def at_another_time(said: Records, later: timedelta) -> Records:
    return [at_another_moment(s, later) for s in said]


def at_another_moment(s: Said, later: timedelta) -> Said:
    """The same record, also where it says when its client started."""
    other = object.__new__(Said)
    other.__dict__.update(s.__dict__)
    day, clock = f"{moment(s) + later:%Y-%m-%d %H:%M:%S}".split()
    other.day, other.clock = day, clock
    other.time, other.dotted = f"{day} {clock},{s.ms}", f"{day} {clock}.{s.ms}"
    other.iso = f"{day}T{clock}.{s.ms}"
    other.text = re.sub(
        r"(?<=startTimeMs: )\d{13}",
        lambda found: str(int(found[0]) + round(later.total_seconds() * 1000)),
        s.text,
    )
    return other


def tarred(said: Records) -> bytes:
    packed, text = io.BytesIO(), plain(said, own).encode()
    with tarfile.open(fileobj=packed, mode="w:xz") as archive:
        member = tarfile.TarInfo("logs/app.log")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    return packed.getvalue()


def paged(text: str) -> str:
    """What `more` leaves on a screen."""
    rows = text.splitlines(True)
    return "".join(row + "--More--(12%)\n" * (n % 24 == 23) for n, row in enumerate(rows))


def shown_by_powershell(text: str) -> str:
    """Select-String -Context."""
    return "".join(
        f"{'>' if 'onsumer' in line else ' '} client.log:{n}:{line}\n"
        for n, line in enumerate(text.splitlines(), 1)
    )


# -- accidents ------------------------------------------------------------------------------------


def both(said: Records) -> Records:
    return [each for s in said for each in (s, changed(s, "bo-7"))]


def torn(said: Records, size: int = 1000, write: Callable[[Said], str] = own) -> str:
    """Two processes write into one file without a lock: pieces of `size` bytes."""
    one, two = plain(said, write), plain(both(said)[1::2], write)
    text = ""
    for at in range(0, max(len(one), len(two)), size):
        text += one[at : at + size] + two[at : at + size]
    return text


def line_by_line(write: Callable[[Said], str]) -> Callable[[Records], str]:
    """Two processes start at once, and write line by line in turn."""

    def make(said: Records) -> str:
        texts = (plain(each, write).splitlines(True) for each in (said, both(said)[1::2]))
        return "".join(line for lines in zip(*texts, strict=True) for line in lines)

    return make


def two_pods(said: Records) -> str:
    lines = line_by_line(own)(said).splitlines()
    return "".join(f"[pod/shop-{n % 2}/app] {line}\n" for n, line in enumerate(lines))


def patch(said: Records) -> str:
    """What `diff -u` tells of a log and of one that lacks every ninth line."""
    new = plain(said, own).splitlines(True)
    old = [line for n, line in enumerate(new) if n % 9]
    return "".join(difflib.unified_diff(old, new, "a/client.log", "b/client.log"))


def aligned(said: Records) -> str:
    """psql's table. A cell of several lines goes on below, behind a plus."""
    rows = [("time", "level", "message"), *((s.dotted, s.level, s.text) for s in said)]
    cells = [[part.split("\n") for part in row] for row in rows]
    wide = [max(len(line) for row in cells for line in row[n]) for n in range(3)]
    text = "-" + "-+-".join("-" * width for width in wide) + "-\n"
    for number, row in enumerate(cells):
        printed = ""
        for n in range(max(map(len, row))):
            parts = [(lines[n : n + 1] or [""])[0].ljust(wide[k]) for k, lines in enumerate(row)]
            printed += " " + " | ".join(parts) + "+" * (n < len(row[2]) - 1) + "\n"
        text = text + printed if number else printed + text
    return f"{text}({len(said)} rows)\n"


def rich(said: Records) -> str:
    """What WordPad saves."""
    text = plain(said, own).replace("\\", r"\\").replace("{", r"\{").replace("}", r"\}")
    head = r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Calibri;}}\viewkind4\uc1 \pard\f0\fs22 "
    return head + text.replace("\n", "\\par\r\n") + "}\r\n\0"


def changed(s: Said, client: str) -> Said:
    """The same record of another client."""
    other = object.__new__(Said)
    other.__dict__.update(s.__dict__)
    other.text = s.text.replace("clientId=", f"clientId={client}-")
    return other


def dice() -> random.Random:
    return random.Random(7)


def shuffled_in_windows(said: Records, size: int = 40) -> Records:
    found: Records = []
    for at in range(0, len(said), size):
        window = said[at : at + size]
        dice().shuffle(window)
        found += window
    return found


def shuffled(said: Records) -> Records:
    found = list(said)
    dice().shuffle(found)
    return found


def half_lines(text: str) -> str:
    rolled = dice()
    return "".join(
        line[: len(line) // 2] + "\n" if rolled.random() < 0.1 else line
        for line in text.splitlines(True)
    )


def half_lines_joined(text: str) -> str:
    rolled = dice()
    return "".join(
        line[: len(line) // 2] if rolled.random() < 0.1 else line for line in text.splitlines(True)
    )


def dropped(text: str) -> str:
    """One letter in five hundred is lost."""
    rolled = dice()
    return "".join(letter for letter in text if rolled.random() > 0.002)


def flipped(text: str) -> bytes:
    rolled = dice()
    data = bytearray(text.encode())
    for at in range(len(data)):
        if rolled.random() < 0.0005:
            data[at] ^= 1 << rolled.randrange(8)
    return bytes(data)


def holes(text: str) -> bytes:
    data = bytearray(text.encode())
    for at in range(4000, len(data) - 600, 6000):
        data[at : at + 512] = bytes(512)
    return bytes(data)


def wrapped_at(width: int) -> Callable[[str], str]:
    def wrap(text: str) -> str:
        return "".join(
            "\n".join(line[at : at + width] for at in range(0, max(len(line), 1), width)) + "\n"
            for line in text.splitlines()
        )

    return wrap


def cut_at(width: int) -> Callable[[str], str]:
    return lambda text: "".join(f"{line[:width]}\n" for line in text.splitlines())


def between(other: str, every: int = 10) -> Callable[[Records], str]:
    def make(said: Records) -> str:
        return "".join(
            f"{whole(s)}\n" + (f"{other}\n" if n % every == every - 1 else "")
            for n, s in enumerate(said)
        )

    return make


def shipped_twice(said: Records) -> Records:
    cut = len(said) // 3
    return said[: 2 * cut] + said[cut : 2 * cut] + said[2 * cut :]


def copied_and_cut(said: Records) -> Records:
    """copytruncate: the copy has lines that the log has, too."""
    cut = len(said) // 2
    return said[:cut] + said[cut - 15 : cut] + said[cut:]


def two_layouts(said: Records) -> str:
    return "".join(
        f"{with_trace(own(s) if n % 2 else logback(s), s)}\n" for n, s in enumerate(said)
    )


def of_two(said: Records) -> str:
    """The lines of two clients in one file, in the order of time."""
    return "".join(f"{whole(s)}\n{whole(changed(s, 'bo-7'))}\n" for s in said)


def by_days(said: Records) -> str:
    return f"=== {said[0].day} ===\n" + plain(said, lambda s: f"{s.clock}.{s.ms} {head(s)}")


def ocr(text: str) -> str:
    return text.translate(str.maketrans({"l": "1", "o": "0", "S": "5"}))


def followed(said: Records) -> str:
    third = len(said) // 3
    return (
        f"==> a.log <==\n{plain(said[:third], own)}\n==> b.log <==\n"
        f"{plain(said[third : 2 * third], own)}\n==> a.log <==\n{plain(said[2 * third :], own)}"
    )


def quoted_mail(text: str) -> str:
    body = "".join(f"> {line}\n" for line in text.splitlines())
    return f"Hi Ada,\n\ncan you look at this?\n\nOn Sat, Bo wrote:\n{body}\nThanks\nBo\n"


def excel(s: Said) -> str:
    return f"{moment(s):%d.%m.%Y %H:%M}"


LAYOUTS = {
    "Kafka's own": lines(own),
    "Kafka's own with a thread": lines(
        lambda s: f"[{s.time}] {s.level} [{s.thread}] {s.text} ({s.logger})"
    ),
    "logback": lines(logback),
    "MDC before the class": lines(
        lambda s: f"{s.dotted} {s.level:5} [{s.thread}] [traceId=4f2a,user=] {s.logger} - {s.text}"
    ),
    "MDC in front": lines(lambda s: f"[req-{s.ms}] [ada] {s.dotted} {head(s)}"),
    "MDC before the message": lines(
        lambda s: f"{s.dotted} {s.level} [{s.thread}] {s.logger} [trace=4f{s.ms}] - {s.text}"
    ),
    "MDC before some messages": lines(
        lambda s: f"{logback_to(s)}{of_one_in_three(s, f'[4f{s.ms}] ')}{s.text}"
    ),
    "MDC with keys before some messages": lines(
        lambda s: f"{logback_to(s)}{of_one_in_three(s, f'[trace=4f{s.ms}, span=12] ')}{s.text}"
    ),
    "MDC like a thread before some messages": lines(
        lambda s: (
            f"[{s.time}] {s.level} {of_one_in_three(s, f'[req-{s.ms}] ')}{s.text} ({s.logger})"
        )
    ),
    "the class with its method": lines(
        lambda s: f"{s.dotted} {s.level:5} [{s.thread}] {s.logger}.poll:944 - {s.text}",
        names=("level", "logger", *NAMES),
    ),
    "Flume": lines(
        lambda s: (
            f"{stamp('%d %b %Y %H:%M:%S,%L')(s)} {s.level:5} [{s.thread}] ({s.logger}.poll:944)  - "
            f"{s.text}"
        ),
        names=("level", "logger", *NAMES),
    ),
    "MDC behind the message": lines(lambda s: f"{logback(s)} {{traceId={s.ms}, user=ada}}"),
    "MDC behind, in brackets": lines(lambda s: f"{logback(s)} [user=ada]"),
    "the class alone": lines(lambda s: f"{s.dotted} {s.level:5} {s.simple} - {s.text}"),
    "the class with its line": lines(
        lambda s: f"{s.dotted} {s.level:5} [{s.thread}] {s.simple}:4711 - {s.text}"
    ),
    "one letter for each package": lines(
        lambda s: f"{s.dotted} {s.level:5} {s.packages(1)} - {s.text}"
    ),
    "no class": lines(lambda s: f"{s.dotted} {s.level:5} [{s.thread}] {s.text}"),
    "no class and no thread": lines(lambda s: f"{s.dotted} {s.level} {s.text}"),
    "no class and no level": lines(lambda s: f"{s.dotted} {s.text}"),
    "no class, a dash": lines(lambda s: f"{s.dotted} {s.level:5} - {s.text}"),
    "one letter for a level": lines(
        lambda s: f"{s.dotted} {letters(s.level)} {s.logger}: {s.text}"
    ),
    "one letter in brackets": lines(
        lambda s: f"{s.dotted} [{letters(s.level)}] [{s.thread}] {s.logger} - {s.text}"
    ),
    "one letter and a stroke": lines(
        lambda s: f"{stamp('%m-%d %H:%M:%S.%L')(s)} {letters(s.level)}/{s.simple}: {s.text}",
        of_the_year,
    ),
    "one letter, no class": lines(lambda s: f"{s.dotted} {letters(s.level)} {s.text}"),
    "logcat": lines(
        lambda s: (
            f"{stamp('%m-%d %H:%M:%S.%L')(s)}  4711  4712 {letters(s.level)} {s.simple}: {s.text}"
        ),
        of_the_year,
    ),
    "klog": lines(
        lambda s: (
            f"{letters(s.level)}{stamp('%m%d %H:%M:%S.%L')(s)}000    4711 "
            f"{s.simple}.java:12] {s.text}"
        ),
        of_the_year,
    ),
    "a thread with brackets": lines(
        lambda s: f"{s.dotted} {s.level:5} [pool-1[shop]] {s.logger} - {s.text}"
    ),
    "a thread that ends with a number": lines(
        lambda s: f"{s.dotted} [kafka-poll-{s.ms}] {s.level:5} {s.logger} - {s.text}"
    ),
    "a thread with blanks": lines(
        lambda s: f"{s.dotted} [poll of orders 7] {s.level:5} {s.logger} - {s.text}"
    ),
    "a thread with a dash and no brackets": lines(
        lambda s: f"{s.dotted} {s.level:5} kafka-thread - {s.logger} - {s.text}"
    ),
    "a service in brackets": lines(lambda s: f"[shop-7] {s.level} {s.time} {s.logger} - {s.text}"),
    "a service, no class": lines(lambda s: f"[shop-7] {s.level} {s.time} {s.text}"),
    "a relative time": lines(
        lambda s: f"{ms(s) % 10_000_000} [{s.thread}] {s.level} {s.logger} - {s.text}",
        none,
    ),
    "the clock alone": lines(lambda s: f"{s.clock}.{s.ms} {head(s)}", of_the_day),
    "the clock alone, with a comma": lines(lambda s: f"{s.clock},{s.ms} {head(s)}", of_the_day),
    "the clock in brackets": lines(
        lambda s: f"[{s.clock}] {head(s)}", lambda t: of_the_day(to_the_second(t))
    ),
    "the time last": lines(lambda s: f"{head(s)} ({s.time})"),
    "the level first": lines(lambda s: f"{s.level} {s.dotted} {s.logger} - {s.text}"),
    "no time": lines(head, none),
    "Spring Boot 3": lines(
        lambda s: f"{s.iso}Z {s.level:>5} 4711 --- [shop] [{s.thread:>15}] {s.boots} : {s.text}"
    ),
    "Spring Boot 2": lines(
        lambda s: f"{s.dotted} {s.level:>5} 4711 --- [{s.thread:>15}] {s.boots} : {s.text}"
    ),
    "Quarkus": lines(lambda s: f"{s.time} {s.level:5} [{s.packages(3)}] ({s.thread}) {s.text}"),
    "WildFly": lines(
        lambda s: f"{s.time} {s.level:5} [{s.logger}] (MSC service thread 1-2) {s.text}"
    ),
    "Strimzi": lines(lambda s: f"{s.time} {s.level} {s.text} ({s.logger}) [{s.thread}]"),
    "Debezium": lines(
        lambda s: f"{s.time} {s.level:6} MySQL|shop|streaming  {s.text}   [{s.logger}]"
    ),
    "Python": lines(lambda s: f"{s.time} - {s.logger} - {s.level} - {s.text}"),
    "Rust": lines(lambda s: f"{s.iso}Z {s.level:>5} {s.logger}: {s.text}"),
    "Tomcat": lines(
        lambda s: f"{stamp('%d-%b-%Y %H:%M:%S.%L')(s)} {s.level} [{s.thread}] {s.logger} {s.text}"
    ),
    "Serilog": lines(
        lambda s: f"[{s.clock} {s.level[:3]}] {s.logger}: {s.text}",
        lambda t: of_the_day(to_the_second(t)),
    ),
    "a message below its head": lines(
        lambda s: f"{s.dotted} {s.level} [{s.thread}] {s.logger}\n{s.text}"
    ),
    "java.util.logging, two lines": lines(
        lambda s: f"{moment(s):%b %d, %Y %I:%M:%S %p} {s.logger} poll\n{JAVAS[s.level]}: {s.text}",
        to_the_second,
    ),
    "java.util.logging of Java 20": lines(
        lambda s: (
            f"{moment(s):%b %d, %Y %I:%M:%S}\u202f{moment(s):%p} {s.logger} poll\n"
            f"{JAVAS[s.level]}: {s.text}"
        ),
        to_the_second,
    ),
    "java.util.logging, one line": lines(
        lambda s: f"[{s.dotted}] [{JAVAS[s.level]:7}] {s.logger}: {s.text}"
    ),
    "bars": lines(lambda s: f"{s.dotted}|{s.level}|{s.thread}|{s.logger}|{s.text}"),
    "tabs": lines(lambda s: f"{s.dotted}\t{s.level}\t{s.thread}\t{s.logger}\t{s.text}"),
    "semicolons": lines(lambda s: f"{s.dotted};{s.level};{s.thread};{s.logger};{s.text}"),
    "in angles": lines(lambda s: f"<{s.dotted}> <{s.level}> <{s.logger}> <{s.thread}> {s.text}"),
    "WebLogic": lines(
        lambda s: (
            f"<{moment(s):%b %d, %Y, %I:%M:%S},{s.ms} {moment(s):%p} UTC> <{s.level.title()}> "
            f"<{s.logger}> <BEA-000000> <{s.text}>"
        )
    ),
    "small letters": lines(lambda s: f"{s.dotted} {s.level.lower()} {s.logger}: {s.text}"),
    "a wrapper's message": lines(
        lambda s: f"{s.dotted} INFO  [main] com.shop.Relay - kafka says: {own(s)}"
    ),
    "a message in quotes": lines(lambda s: f'{s.dotted} {s.level} {s.logger} - "{s.text}"'),
    "a field for each": lines(
        lambda s: (
            f"time={s.iso}Z level={s.level.lower()} logger={s.logger} msg={json.dumps(s.text)}"
        )
    ),
    "a field for each, no class": lines(
        lambda s: f"ts={s.iso}Z lvl={s.level.lower()} msg={json.dumps(s.text)}"
    ),
}

NANOS = "2026-11-28T05:52:08.397123456Z"


def stamped(s: Said, line: str) -> str:
    return f"{s.iso}Z {line}"


WRAPPERS = {
    "docker": around(
        lambda s, line: json.dumps({"log": line + "\n", "stream": "stdout", "time": NANOS})
    ),
    "docker, no time within": around(
        lambda s, line: json.dumps({"log": line + "\n", "stream": "stdout", "time": f"{s.iso}Z"}),
        inner=head,
    ),
    "docker, cut lines": Mangling(partial_docker),
    "CRI": around(lambda s, line: f"{NANOS} stdout F {line}"),
    "CRI, cut lines": Mangling(partial),
    "CRI, no time within": around(lambda s, line: f"{s.iso}Z stdout F {line}", inner=head),
    "journald short": around(
        lambda s, line: f"{stamp('%b %d %H:%M:%S')(s)} web-1 shop[4711]: {line}"
    ),
    "journald short, no time within": around(
        lambda s, line: f"{stamp('%b %d %H:%M:%S')(s)} web-1 shop[4711]: {line}",
        of_the_year,
        inner=head,
    ),
    "journald short-iso": around(
        lambda s, line: f"{stamp('%Y-%m-%dT%H:%M:%S+0000')(s)} web-1 shop[4711]: {line}"
    ),
    "journald short-iso, no time within": around(
        lambda s, line: f"{stamp('%Y-%m-%dT%H:%M:%S+0000')(s)} web-1 shop[4711]: {line}",
        to_the_second,
        inner=head,
    ),
    "journald export": Mangling(exported),
    "journald verbose": Mangling(verbose),
    "journald JSON": around(
        lambda s, line: json.dumps({"__REALTIME_TIMESTAMP": f"{ms(s)}000", "MESSAGE": line})
    ),
    "journald JSON, no time within": around(
        lambda s, line: json.dumps({"__REALTIME_TIMESTAMP": f"{ms(s)}000", "MESSAGE": line}),
        inner=head,
    ),
    "journald JSON, colours as bytes": around(
        lambda s, line: json.dumps(
            {
                "__REALTIME_TIMESTAMP": f"{ms(s)}000",
                "MESSAGE": [*line.replace("] WARN ", "] \x1b[33mWARN\x1b[0m ").encode()]
                if "WARN" in line
                else line,
            }
        )
    ),
    "syslog 3164": around(
        lambda s, line: f"<14>{stamp('%b %d %H:%M:%S')(s)} web-1 shop[4711]: {line}"
    ),
    "syslog 5424": around(lambda s, line: f"<14>1 {s.iso}Z web-1 shop 4711 - - {line}"),
    "syslog 5424 with data": around(
        lambda s, line: f'<14>1 {s.iso}Z web-1 shop 4711 ID47 [a@1 k="v"][b@2 k="w"] {line}'
    ),
    "syslog 5424, no time within": around(
        lambda s, line: f"<14>1 {s.iso}Z web-1 shop 4711 - - {line}", inner=head
    ),
    "rsyslog": around(lambda s, line: f"{s.iso}000+00:00 web-1 shop[4711]: {line}"),
    "CloudWatch table": table("timestamp|message", lambda s: (ms(s), whole(s))),
    "CloudWatch table, no time within": table(
        "timestamp|message", lambda s: (ms(s), with_trace(head(s), s))
    ),
    "CloudWatch insights": table("@timestamp|@message", lambda s: (s.dotted, whole(s)), last=True),
    "CloudWatch events": document(
        lambda said: {"events": [{"timestamp": ms(s), "message": whole(s)} for s in said]}, 2
    ),
    "CloudWatch events, no time within": document(
        lambda said: {
            "events": [{"timestamp": ms(s), "message": with_trace(head(s), s)} for s in said]
        }
    ),
    "CloudWatch's answer": document(
        lambda said: {
            "results": [
                [
                    {"field": "@timestamp", "value": s.dotted},
                    {"field": "@message", "value": whole(s)},
                ]
                for s in reversed(said)
            ],
            "status": "Complete",
        },
        2,
    ),
    "CloudWatch's subscription": document(
        lambda said: {
            "messageType": "DATA_MESSAGE",
            "subscriptionFilters": ["all"],
            "logEvents": [{"id": "1", "timestamp": ms(s), "message": whole(s)} for s in said],
        }
    ),
    "aws logs tail": around(lambda s, line: f"{s.iso}000+00:00 shop/app/0123abc {line}"),
    "Datadog table": table(
        "Date|Host|Service|Message", lambda s: (f"{s.iso}Z", "web-1", "shop", s.text)
    ),
    "Datadog table, whole lines": table(
        "Date|Host|Service|Message", lambda s: (f"{s.iso}Z", "web-1", "shop", whole(s)), last=True
    ),
    "Datadog JSON": records(
        lambda s: {"id": "A", "content": {"timestamp": f"{s.iso}Z", "message": s.text, "host": "h"}}
    ),
    "Datadog JSON with attributes": records(
        lambda s: {
            "attributes": {
                "timestamp": f"{s.iso}Z",
                "message": s.text,
                "status": s.level.lower(),
                "attributes": {"logger": {"name": s.logger, "thread_name": s.thread}},
            },
            "type": "log",
            "id": "A",
        }
    ),
    "Azure table": table(
        "TimeGenerated [UTC]|Computer|LogMessage",
        lambda s: (f"{moment(s):%m/%d/%Y, %I:%M:%S}.{s.ms} {moment(s):%p}", "h", s.text),
    ),
    "Azure JSON": records(
        lambda s: {
            "time": f"{s.iso}0000Z",
            "resourceId": "/s",
            "operationName": "log",
            "level": "Informational",
            "properties": {"log": whole(s) + "\n", "stream": "stdout", "pod": "shop-1"},
        }
    ),
    "Azure container table": table(
        "TenantId|TimeGenerated|ContainerID|LogEntry",
        lambda s: ("t", f"{s.iso}Z", "c", whole(s)),
    ),
    "Splunk table": table(
        "_time|host|_raw", lambda s: (f"{s.iso}+0000", "web-1", whole(s)), last=True
    ),
    "Splunk table, no time within": table(
        "_time|host|_raw", lambda s: (f"{s.iso}+0000", "web-1", with_trace(head(s), s)), last=True
    ),
    "Splunk table, another zone": table(
        "_time|host|_raw",
        lambda s: (f"{s.iso}+0000", "web-1", f"{local(-1)(s):%H:%M:%S}.{s.ms} {head(s)}"),
    ),
    "Splunk JSON": records(
        lambda s: {"preview": False, "result": {"_raw": whole(s), "_time": s.iso}}
    ),
    "Loki": document(
        lambda said: {
            "status": "success",
            "data": {
                "resultType": "streams",
                "result": [
                    {
                        "stream": {"app": "shop"},
                        "values": [[f"{ms(s)}000000", whole(s)] for s in reversed(said)],
                    }
                ],
            },
        }
    ),
    "Loki, no time within": document(
        lambda said: {
            "data": {
                "result": [
                    {
                        "stream": {"app": "shop"},
                        "values": [[f"{ms(s)}000000", with_trace(head(s), s)] for s in said],
                    }
                ],
            },
        }
    ),
    "logcli": around(lambda s, line: f'{s.iso}Z {{app="shop"}} {line}'),
    "logcli raw": lines(own),
    "logcli JSON lines": records(
        lambda s: {"labels": {"app": "shop"}, "line": whole(s), "timestamp": f"{s.iso}Z"}
    ),
    "Grafana text": around(lambda s, line: f"{ms(s)}\t{s.iso}Z\t{line}"),
    "Grafana text, messages": lines(lambda s: f"{ms(s)}\t{s.iso}Z\t{s.text}"),
    "Grafana table": table(
        "Time|Line|tsNs", lambda s: (f"{s.iso}Z", whole(s), f"{ms(s)}000000"), last=True
    ),
    "Grafana JSON": document(
        lambda said: [
            {"timestamp": f"{ms(s)}000000", "date": f"{s.iso}Z", "line": whole(s), "fields": {}}
            for s in said
        ]
    ),
    "Fluent Bit": records(lambda s: {"date": ms(s) / 1000, "log": whole(s)}),
    "Fluent Bit, no time within": records(
        lambda s: {"date": ms(s) / 1000, "log": with_trace(head(s), s)}
    ),
    "Fluent Bit on stdout": around(
        lambda s, line: (
            f'[0] kube.shop: [[{ms(s) / 1000:.3f}, {{}}], {{"log"=>{json.dumps(line)}}}]'
        )
    ),
    "Fluentd": around(lambda s, line: f"{s.iso}+00:00\tkube.shop\t{json.dumps({'log': line})}"),
    "Vector": around(
        lambda s, line: json.dumps(
            {
                "file": "/var/log/a.log",
                "host": "web-1",
                "message": line,
                "source_type": "file",
                "timestamp": NANOS,
            }
        )
    ),
    "OpenTelemetry text": Mangling(collected),
    "OpenTelemetry JSON": document(otlp),
    "OpenTelemetry JSON, spread": document(otlp, 2),
    "an Elasticsearch answer": document(
        lambda said: {
            "took": 1,
            "hits": {"hits": [{"_index": "l", "_source": ecs(s)} for s in reversed(said)]},
        }
    ),
    "an Elasticsearch bulk": Mangling(bulk, file="a.ndjson"),
    "Kibana table": table(
        "@timestamp|log.level|log.logger|message",
        lambda s: (f"{stamp('%b %d, %Y @ %H:%M:%S.%L')(s)}", s.level, s.logger, s.text),
        last=True,
    ),
    "OpenSearch table of originals": table(
        "@timestamp|agent.name|event.original",
        lambda s: (f"{stamp('%b %d, %Y @ %H:%M:%S.%L')(s)}", "web-1", whole(s)),
        last=True,
    ),
    "Kibana table, whole lines": table(
        "@timestamp|host.name|message",
        lambda s: (f"{stamp('%b %d, %Y @ %H:%M:%S.%L')(s)}", "web-1", whole(s)),
        last=True,
    ),
    "GELF": records(gelf),
    "Google Cloud": document(
        lambda said: [
            {
                "insertId": f"{n}",
                "timestamp": f"{s.iso}Z",
                "severity": s.level,
                "textPayload": whole(s),
            }
            for n, s in enumerate(said)
        ],
        2,
    ),
    "Google Cloud table": table(
        "insertId|jsonPayload.level|jsonPayload.logger|jsonPayload.message|severity|timestamp",
        lambda s: ("a", s.level, s.logger, s.text, "INFO", f"{s.iso}Z"),
        last=True,
        names=("level", "logger", *NAMES),
    ),
    "Google Cloud table, whole lines": table(
        "insertId|severity|textPayload|timestamp",
        lambda s: ("a", "INFO", whole(s), f"{s.iso}Z"),
        last=True,
    ),
    "Google Cloud, payloads": document(
        lambda said: [
            {
                "insertId": f"{n}",
                "timestamp": f"{s.iso}Z",
                "severity": {"WARN": "WARNING"}.get(s.level, s.level),
                "jsonPayload": {"message": s.text, "logger": s.logger, "thread": s.thread},
            }
            for n, s in enumerate(reversed(said))
        ]
    ),
    "logstash": records(
        lambda s: {
            "@timestamp": f"{s.iso}+00:00",
            "@version": "1",
            "message": s.text,
            "level": s.level,
            "logger_name": s.logger,
            "thread_name": s.thread,
            "level_value": 20000,
        }
    ),
    "log4j's XML": Mangling(lambda said: "".join(map(xml_log4j, said)), file="a.xml.log"),
    "log4j 2's XML": Mangling(xml_log4j_2, file="a.xml.log"),
    "java.util.logging's XML": Mangling(xml_java, file="a.xml.log"),
    "log4j 2's JSON": records(
        lambda s: {
            "instant": {"epochSecond": ms(s) // 1000, "nanoOfSecond": ms(s) % 1000 * 1_000_000},
            "thread": s.thread,
            "level": s.level,
            "loggerName": s.logger,
            "message": s.text,
            "endOfBatch": False,
            "loggerFqcn": "org.apache.logging.slf4j.Log4jLogger",
        }
    ),
    "log4j 2's JSON, complete": document(
        lambda said: [
            {
                "timeMillis": ms(s),
                "thread": s.thread,
                "level": s.level,
                "loggerName": s.logger,
                "message": s.text,
            }
            for s in said
        ],
        2,
    ),
    "ECS": records(ecs),
    "ECS, nested": records(
        lambda s: {
            "@timestamp": f"{s.iso}Z",
            "log": {"level": s.level, "logger": s.logger},
            "message": s.text,
            "process": {"thread": {"name": s.thread}},
        }
    ),
    "logback's JSON": records(
        lambda s: {
            "sequenceNumber": 0,
            "timestamp": ms(s),
            "nanoseconds": 0,
            "level": s.level,
            "threadName": s.thread,
            "loggerName": s.logger,
            "message": "{} {}",
            "formattedMessage": s.text,
            "throwable": None,
        }
    ),
    "pino": records(
        lambda s: {
            "level": {"TRACE": 10, "DEBUG": 20, "INFO": 30, "WARN": 40, "ERROR": 50}[s.level],
            "time": ms(s),
            "pid": 1,
            "hostname": "h",
            "name": s.logger,
            "msg": s.text,
        }
    ),
    "zap": records(
        lambda s: {"level": s.level.lower(), "ts": ms(s) / 1000, "logger": s.logger, "msg": s.text}
    ),
    "JSON without a class": records(
        lambda s: {"time": f"{s.iso}Z", "level": s.level, "message": s.text}
    ),
    "JSON with a fixed time first": records(
        lambda s: {"built": "2026-11-01T00:00:00Z", "when": f"{s.iso}Z", **said_of(s)}
    ),
    "JSON with two times": records(
        lambda s: {
            "ingested": f"{moment(s) + timedelta(seconds=1800):%Y-%m-%dT%H:%M:%S}Z",
            "@timestamp": f"{s.iso}Z",
            **said_of(s),
        }
    ),
    "JSON with a local time first": records(
        lambda s: {
            "local": f"{local(9)(s):%Y-%m-%d %H:%M:%S}.{s.ms}",
            "utc": f"{s.iso}Z",
            **said_of(s),
        }
    ),
    "JSON with Java's numbers": records(
        lambda s: {"ts": f"{s.iso}Z", **said_of(s), "level": JAVAS_NUMBERS[s.level]}
    ),
    "JSON without breaks": Mangling(
        lambda said: "".join(json.dumps(ecs(s)) for s in said), file="a.json"
    ),
    "a day as Excel has it": table(
        "Date;Level;Logger;Message".replace(";", "|"),
        lambda s: (excel(s), s.level, s.logger, s.text),
        ";",
        to_the_minute,
    ),
    "a table with semicolons": table(
        "time|level|logger|message", lambda s: (s.dotted, s.level, s.logger, s.text), ";"
    ),
    "a table with tabs": table(
        "time|level|logger|message", lambda s: (s.dotted, s.level, s.logger, s.text), "\t"
    ),
    "a table with bars": table(
        "time|level|logger|message", lambda s: (s.dotted, s.level, s.logger, s.text), "|"
    ),
    "a table without a header": Mangling(
        lambda said: (
            table("x", lambda s: (s.dotted, s.level, s.logger, s.text))
            .make(said)
            .partition("\n")[2]
        )
    ),
    "a table with escapes": lines(
        lambda s: "\t".join((s.dotted, s.level, s.logger, s.text.replace("\n\t", r"\n\t")))
    ),
    "compose": around(lambda s, line: f"shop-1  | {line}"),
    "compose in colours": around(lambda s, line: f"\x1b[36mshop-1  | \x1b[0m{line}"),
    "kubectl": around(lambda s, line: f"[pod/shop-6d4f/app] {line}"),
    "kubectl, two pods in turn": Mangling(two_pods, of=both),
    "stern": around(lambda s, line: f"shop-6d4f8b7c9-x2x7k app {line}"),
    "Heroku": around(lambda s, line: f"{s.iso}123+00:00 app[web.1]: {line}"),
    "GitHub": around(lambda s, line: f"{s.iso}1234Z {line}"),
    "GitLab": around(lambda s, line: f"{s.iso}123Z 00O {line}"),
    "Jenkins": around(lambda s, line: f"[{s.iso}Z] {line}"),
    "ts, no time within": around(
        lambda s, line: f"{stamp('%b %d %H:%M:%S')(s)} {line}", of_the_year, inner=head
    ),
    "Cloud Foundry, no time within": around(
        lambda s, line: f"   {s.iso}+0000 [APP/PROC/WEB/0] OUT {line}", inner=head
    ),
    "WildFly's stdout": around(
        lambda s, line: f"{s.time} INFO  [stdout] (ServerService Thread Pool -- 12) {line}",
        inner=lambda s: f"{s.clock}.{s.ms} {head(s)}",
    ),
    "script": text_of(
        lambda text: (
            'Script started on 2026-11-28 05:52:08+00:00 [TERM="xterm"]\r\n'
            + "\x1b[?2004h$ cat a.log\r\n\x1b[?2004l"
            + text.replace("\n", "\r\n")
            + "\x1b[?2004h$ exit\r\n"
        )
    ),
    "supervisor": around(lambda s, line: f"shop stdout | {line}"),
    "systemd-cat": around(lambda s, line: f"{stamp('%b %d %H:%M:%S')(s)} web-1 shop: {line}"),
    "two relays": around(
        lambda s, line: (
            f"{stamp('%b %d %H:%M:%S')(s)} relay {stamp('%b %d %H:%M:%S')(s)} web-1 shop[1]: {line}"
        )
    ),
    "a relay half an hour late": around(
        lambda s, line: f"{stamp('%Y-%m-%dT%H:%M:%SZ', 0.5)(s)} relay {stamped(s, line)}"
    ),
    "a Slack paste": text_of(lambda text: f"Ada  9:14 AM\n```\n{text}```\n"),
    "Markdown": text_of(lambda text: "".join(f"    {line}\n" for line in text.splitlines())),
    "Jira": text_of(lambda text: "{noformat}\n" + text + "{noformat}\n"),
    "a mail": text_of(quoted_mail),
    "quotes of quotes": around(lambda s, line: f">> {line}"),
    "HTML": text_of(lambda text: f"<html><body><pre>\n{html.escape(text)}</pre></body></html>\n"),
    "entities": text_of(html.escape),
    "grep -n": text_of(
        lambda text: "".join(f"{n}:{line}\n" for n, line in enumerate(text.splitlines(), 1))
    ),
    "grep -H": around(lambda s, line: f"logs/client.log:{line}"),
    "cat -A": around(lambda s, line: line.replace("\t", "^I") + "$"),
    "nl": text_of(
        lambda text: "".join(f"{n:6}\t{line}\n" for n, line in enumerate(text.splitlines(), 1))
    ),
    "tail -f of two files": Mangling(followed),
    "a diff": around(lambda s, line: f"+{line}"),
    "a patch with context": Mangling(patch),
    "a table of psql": Mangling(aligned),
    "rich text": Mangling(rich),
    "PowerShell": text_of(lambda text: text.replace("\n", "\r\n").encode("utf-16")),
    "one text of JSON": text_of(json.dumps),
    "a list of texts": Mangling(lambda said: json.dumps([whole(s) for s in said])),
    "base64": text_of(lambda text: base64.encodebytes(text.encode())),
    "percent signs": text_of(urllib.parse.quote),
    "kubectl --prefix --timestamps": around(
        lambda s, line: f"[pod/shop-6d4f/app] {s.iso}123456Z {line}"
    ),
    "stern's arrow": around(lambda s, line: f"shop-6d4f8b7c9-x2x7k › app | {line}"),
    "stern's JSON": around(
        lambda s, line: json.dumps({"message": line, "podName": "shop-1", "containerName": "app"})
    ),
    "a service of docker": around(lambda s, line: f"shop.1.x0k2jd8s@node-1    | {line}"),
    "records of ECS in docker's": around(
        lambda s, line: json.dumps({"log": line + "\n", "stream": "stdout", "time": NANOS}),
        inner=lambda s: json.dumps(ecs(s)),
    ),
    "records of ECS in syslog": around(
        lambda s, line: f"<14>1 {s.iso}Z web-1 shop 4711 - - {line}",
        inner=lambda s: json.dumps(ecs(s)),
    ),
    "journalctl, indented": Mangling(indented),
    "journalctl -o short-unix": around(
        lambda s, line: f"{ms(s) / 1000:.3f}123 web-1 shop[4711]: {line}"
    ),
    "syslog 5424, a mark in each line": around(
        lambda s, line: f"<14>1 {s.iso}Z web-1 shop 4711 - - \ufeff{line}"
    ),
    "Airflow": around(lambda s, line: f"[{s.iso}+0000] {{subprocess.py:93}} INFO - {line}"),
    "Airflow, no time within": around(
        lambda s, line: f"[{s.iso}+0000] {{subprocess.py:93}} INFO - {line}", inner=head
    ),
    "Testcontainers": around(
        lambda s, line: (
            f"{s.clock}.{s.ms} [docker-java-stream--1] INFO  tc.cp-kafka:7.4 - STDOUT: {line}"
        )
    ),
    "Maven": around(lambda s, line: f"[INFO] {line}"),
    "Papertrail": around(
        lambda s, line: "\t".join(("771", "2026-11-28T05:52:08Z", f"{s.iso}Z", "web-1", line))
    ),
    "Sumo Logic": table(
        "_messagetimems|_messagetime|_raw|_sourcehost",
        lambda s: (ms(s), f"{moment(s):%m/%d/%Y %I:%M:%S}.{s.ms} +0000", whole(s), "h"),
        last=True,
    ),
    "Splunk table, a row a line": turned_table(
        "_time|host|_raw", lambda s, line: (f"{s.iso}+0000", "web-1", line)
    ),
    "Grafana table, a row a line": turned_table(
        "Time|Line|tsNs", lambda s, line: (f"{s.iso}Z", line, f"{ms(s)}000000")
    ),
    "logcli, the newest line first": Mangling(
        lambda said: "".join(f'{s.iso}Z {{app="shop"}} {line}\n' for s, line in turned(said))
    ),
    "Google Cloud, the newest line first": document(
        lambda said: [{"timestamp": f"{s.iso}Z", "textPayload": each} for s, each in turned(said)]
    ),
    "Kibana's lists": document(
        lambda said: {
            "hits": {
                "hits": [
                    {"fields": {name: [value] for name, value in ecs(s).items()}} for s in said
                ]
            }
        }
    ),
    "JSON with the day and the clock apart": records(
        lambda s: {"date": s.day, "time": f"{s.clock}.{s.ms}", **said_of(s)}
    ),
    "JSON with the zone apart": records(
        lambda s: {"time": f"{stamp('%Y-%m-%d %H:%M:%S.%L', 2)(s)}", "tz": "+02:00", **said_of(s)}
    ),
    "JSON with a place apart": records(
        lambda s: {
            "time": stamp("%Y-%m-%dT%H:%M:%S.%L", 1)(s),
            "timezone": "Europe/Berlin",
            **said_of(s),
        }
    ),
    "JSON with a clock alone": records(lambda s: {"time": f"{s.clock}.{s.ms}", **said_of(s)}),
    "a table with the day and the clock apart": table(
        "Datum|Uhrzeit|Stufe|Klasse|Meldung",
        lambda s: (f"{moment(s):%d.%m.%Y}", f"{s.clock},{s.ms}", s.level, s.logger, s.text),
        ";",
    ),
    "a table with blanks between": Mangling(
        lambda said: (
            "time, level, logger, message\n"
            + "".join(f'{s.dotted}, {s.level}, {s.logger}, "{s.text}"\n' for s in said)
        )
    ),
    "a table with a clock alone": table(
        "time|level|logger|message",
        lambda s: (f"{s.clock[3:]}.{s.ms[:1]}", s.level, s.logger, s.text),
    ),
    "Select-String -Context": text_of(shown_by_powershell),
    "vi's numbers": text_of(
        lambda text: "".join(f"{n:3} {line}\n" for n, line in enumerate(text.splitlines(), 1))
    ),
    "quoted-printable": text_of(lambda text: quopri.encodestring(text.encode())),
    "YAML": Mangling(
        lambda said: "".join(
            f"- time: {s.iso}Z\n  level: {s.level}\n  logger: {s.logger}\n"
            f"  message: {json.dumps(s.text)}\n"
            for s in said
        )
    ),
}

DAMAGES = {
    "CRLF": text_of(lambda text: text.replace("\n", "\r\n")),
    "CR": text_of(lambda text: text.replace("\n", "\r")),
    "a byte order mark": text_of(lambda text: text.encode("utf-8-sig")),
    "UTF-16": text_of(lambda text: text.encode("utf-16")),
    "UTF-16 BE without a mark": text_of(lambda text: text.encode("utf-16-be")),
    "UTF-32": text_of(lambda text: text.encode("utf-32")),
    "CP1252": text_of(
        lambda text: text.replace("orders-1", "bücher-1").encode("cp1252"), inner=logback
    ),
    "Latin-1, CRLF and a mark": text_of(
        lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode("cp1252")
    ),
    "UTF-16, then UTF-8": Mangling(
        lambda said: plain(said[:60], own).encode("utf-16") + plain(said[60:], own).encode()
    ),
    "zeros first": text_of(lambda text: bytes(3000) + text.encode()),
    "zeros amid": text_of(holes),
    "zeros at line ends": text_of(lambda text: text.replace("\n", "\0\n").encode()),
    "a packed file that is cut": Mangling(
        lambda said: gzip.compress(plain(said, own).encode())[:-200], file="a.log.gz"
    ),
    "a packed file of several members": Mangling(
        lambda said: b"".join(gzip.compress(f"{whole(s)}\n".encode()) for s in said),
        file="a.log.gz",
    ),
    "a text that is cut amid a record": Mangling(
        lambda said: plain(said[:-9], own)[:-20], of=lambda said: said[:-10]
    ),
    "a text that begins amid a record": Mangling(
        lambda said: plain(said[20:], own)[20:], of=lambda said: said[21:]
    ),
    "torn writes": Mangling(torn, of=both),
    "torn writes of small pieces": Mangling(lambda said: torn(said, 97), of=both),
    "torn writes of large pieces": Mangling(lambda said: torn(said, 4096), of=both),
    "torn writes, logback": Mangling(lambda said: torn(said, 1000, logback), of=both),
    "half lines": text_of(half_lines),
    "half lines without a break": text_of(half_lines_joined),
    "half lines, logback": text_of(half_lines, inner=logback),
    "half lines without a break, logback": text_of(half_lines_joined, inner=logback),
    "lines cut at 80": text_of(cut_at(80)),
    "lines cut at 200": text_of(cut_at(200)),
    "lines cut at 120, logback": text_of(cut_at(120), inner=logback),
    "lines wrapped at 80": text_of(wrapped_at(80)),
    "lines wrapped at 132, logback": text_of(wrapped_at(132), inner=logback),
    "letters that are lost": text_of(dropped),
    "letters that are lost, logback": text_of(dropped, inner=logback),
    "bits that fell over": text_of(flipped),
    "bits that fell over, logback": text_of(flipped, inner=logback),
    "one blank for several": text_of(
        lambda text: "".join(
            " ".join(line.split(" ")).replace("\t", " ") + "\n" for line in text.splitlines()
        )
    ),
    "padded lines": text_of(lambda text: "".join(f"{line:200}\n" for line in text.splitlines())),
    "wrapped and padded at 120": text_of(
        lambda text: "".join(
            f"{line:120}\n" for line in wrapped_at(120)(text.expandtabs()).splitlines()
        )
    ),
    "no blanks at the begin": text_of(
        lambda text: "".join(line.lstrip() + "\n" for line in text.splitlines()), inner=logback
    ),
    "pages": text_of(paged),
    "settings on one line": lines(lambda s: own(s).replace("\n", r"\n")),
    "settings on one line, logback": lines(lambda s: logback(s).replace("\n", r"\n")),
    "messages cut at 250 in a table": table(
        "time|level|logger|message", lambda s: (s.dotted, s.level, s.logger, s.text[:250])
    ),
    "a mark of the byte order in each line": around(lambda s, line: f"\ufeff{line}"),
    "an archive": Mangling(tarred, file="a.tar.xz"),
    "ports struck out": text_of(lambda text: re.sub(r"(localhost):\d+", r"\1:****", text)),
    "digits struck out": Mangling(
        lambda said: plain(
            said, lambda s: f"[{s.time}] {s.level} {re.sub('[0-9]', '#', s.text)} ({s.logger})"
        )
    ),
    "no breaks": text_of(lambda text: text.replace("\n", " ")),
    "blank lines between": text_of(lambda text: text.replace("\n", "\n\n")),
    "blanks at line ends": text_of(lambda text: text.replace("\n", "   \n")),
    "small letters of all": text_of(str.lower),
    "capitals of all": text_of(str.upper),
    "a photograph": text_of(ocr),
    "a photograph, logback": text_of(ocr, inner=logback),
    "shuffled": with_all(shuffled),
    "shuffled in windows": with_all(shuffled_in_windows),
    "sorted by text": text_of(lambda text: "".join(sorted(text.splitlines(True)))),
    "the newest record first": with_all(lambda said: said[::-1]),
    "tac": text_of(lambda text: "".join(reversed(text.splitlines(True)))),
    "shipped twice": with_all(shipped_twice),
    "shipped twice at once": with_all(lambda said: said + said),
    "each line twice": with_all(lambda said: [s for each in said for s in (each, each)]),
    "copied and cut": with_all(copied_and_cut),
    "a print amid settings": text_of(
        lambda text: text.replace("\tclient.id", "order 7\n\tclient.id")
    ),
    "a print amid settings, logback": text_of(
        lambda text: text.replace("\tclient.id", "order 7\n\tclient.id"), inner=logback
    ),
    "settings of two processes": Mangling(line_by_line(own), of=both),
    "settings of two processes, logback": Mangling(line_by_line(logback), of=both),
    "a mark for the rest": text_of(
        lambda text: "".join(
            f"{line[:150]} [truncated]\n" if len(line) > 150 else f"{line}\n"
            for line in text.splitlines()
        ),
        inner=logback,
    ),
    "dots for the rest": lines(
        lambda s: f"[{s.time}] {s.level} {s.text[:117] + '...' * (len(s.text) > 117)} ({s.logger})"
    ),
    "a notebook": document(
        lambda said: {"cells": [{"outputs": [{"text": plain(said, own).splitlines(True)}]}]}, 1
    ),
    "prints between": Mangling(between("processing order 7")),
    "access lines between": Mangling(
        between('10.0.0.7 - - [28/Nov/2026:05:52:09 +0000] "GET / HTTP/1.1" 200 12', 3)
    ),
    "foreign lines first": Mangling(
        lambda said: (
            "".join(f"[{s.time}] INFO Item {n} (com.shop.Cart)\n" for n, s in enumerate(said * 40))
            + plain(said, own)
        )
    ),
    "foreign lines of another layout first": Mangling(
        lambda said: (
            "".join(
                f"{s.dotted} INFO  [main] com.shop.Cart - Item {n}\n"
                for n, s in enumerate(said * 9)
            )
            + plain(said, own)
        )
    ),
    "two layouts by turns": Mangling(two_layouts),
    "two clients": Mangling(of_two, of=both),
    "colours": text_of(lambda text: text.replace("] INFO ", "] \x1b[32mINFO\x1b[0m ")),
    "colours, cat -v": text_of(lambda text: text.replace("] INFO ", "] ^[[32mINFO^[[0m ")),
    "typographic marks": text_of(
        lambda text: text.replace("'", "’").replace(" - ", " – ").replace("...", "…"), inner=logback
    ),
    "ligatures of a PDF": text_of(
        lambda text: text.replace("ff", "ﬀ").replace("fi", "ﬁ").replace("fl", "ﬂ"), inner=logback
    ),
    "letters of no width": text_of(lambda text: text.replace(".apache", ".\u200bapache")),
    "soft hyphens": text_of(
        lambda text: text.replace("[Consumer ", "[Con\u00adsumer "), inner=logback
    ),
    "hard blanks": text_of(lambda text: text.replace("  ", "\u00a0\u00a0"), inner=logback),
    "names struck out": Mangling(
        lambda said: plain(said, own).replace("localhost", "***").replace("127.0.0.1", "***"),
        names=("client_id", "event"),
    ),
    "the clients' prefixes struck out": Mangling(
        lambda said: plain(
            said,
            lambda s: f"[{s.time}] {s.level} {without_prefix(s.text)} ({s.logger})",
        ),
        names=("event",),
    ),
    "empty": Mangling(lambda said: ""),
    "blanks alone": Mangling(lambda said: "\n \n\t\n"),
    "another program's log": Mangling(
        lambda said: plain(said, lambda s: f"{s.dotted} INFO [main] com.shop.Cart - Item {s.ms}")
    ),
}

DATES = {
    "seconds since 1970": lines(lambda s: f"{ms(s) / 1000:.3f} {head(s)}"),
    "seconds with a comma": lines(lambda s: f"{ms(s) // 1000},{ms(s) % 1000:03d} {head(s)}"),
    "whole seconds": lines(lambda s: f"{ms(s) // 1000} {head(s)}", to_the_second),
    "milliseconds since 1970": lines(lambda s: f"{ms(s)} {head(s)}"),
    "microseconds since 1970": lines(lambda s: f"{ms(s)}000 {head(s)}"),
    "nanoseconds since 1970": lines(lambda s: f"{ms(s)}000000 {head(s)}"),
    "a month's name": dated("%d %b %Y %H:%M:%S.%L"),
    "a month's name first": dated("%b %d, %Y %H:%M:%S.%L"),
    "a long month's name": dated("%d %B %Y %H:%M:%S,%L"),
    "the month in capitals": lines(
        lambda s: f"{stamp('%d-%b-%Y %H:%M:%S.%L')(s).upper()} {head(s)}"
    ),
    "a German day": dated("%d.%m.%Y %H:%M:%S,%L"),
    "a short German day": dated("%d.%m.%y %H:%M:%S,%L"),
    "a British day": dated("%d/%m/%Y %H:%M:%S.%L"),
    "an American day": dated("%m/%d/%Y %H:%M:%S.%L"),
    "an American clock": dated("%m/%d/%Y %I:%M:%S.%L %p"),
    "an American clock, small letters": lines(
        lambda s: f"{stamp('%m/%d/%Y %I:%M:%S %p')(s).lower()} {head(s)}", to_the_second
    ),
    "a day or a month": moved("%d/%m/%Y %H:%M:%S", -25),
    "a day or a month, American": moved("%m/%d/%Y %I:%M:%S %p", -20),
    "a day or a month, in two digits": moved("%d/%m/%y %H:%M:%S", -25),
    "a day or a month, with dashes": moved("%d-%m-%Y %H:%M:%S", -25),
    "one day in three numbers": moved("%d/%m/%y %H:%M:%S", -17),
    "marks and no marks": dated("%Y%m%dT%H%M%S.%LZ"),
    "no marks at all": dated("%Y%m%d%H%M%S%L"),
    "a day of six digits": dated("%y%m%d %H:%M:%S.%L"),
    "a T and Z": dated("%Y-%m-%dT%H:%M:%S.%LZ"),
    "half an hour's zone": dated("%Y-%m-%dT%H:%M:%S.%L+05:30", hours=5.5),
    "a zone without a colon": dated("%Y-%m-%d %H:%M:%S,%L -0330", hours=-3.5),
    "a zone of two digits": dated("%Y-%m-%d %H:%M:%S.%L+02", hours=2),
    "CET": dated("%Y-%m-%d %H:%M:%S.%L CET", hours=1),
    "PST": dated("%Y-%m-%d %H:%M:%S.%L PST", hours=-8),
    "IST, which is three zones": dated("%Y-%m-%d %H:%M:%S.%L IST", hours=5.5),
    "a zone by its place": dated("%Y-%m-%dT%H:%M:%S.%L+01:00[Europe/Berlin]", hours=1),
    "a zone by its place alone": dated("%Y-%m-%d %H:%M:%S.%L Europe/Berlin", hours=1),
    "a zone in brackets": dated("%Y-%m-%d %H:%M:%S.%L (UTC)"),
    "no year": dated("%m-%d %H:%M:%S.%L", of_the_year),
    "no year, a name": dated("%b %d %H:%M:%S", of_the_year),
    "no year, a stroke": dated("%d/%m %H:%M:%S", of_the_year),
    "no seconds": dated("%Y-%m-%d %H:%M", to_the_minute),
    "a mail's day": dated("%a, %d %b %Y %H:%M:%S GMT", to_the_second),
    "ctime with milliseconds": dated("%a %b %d %H:%M:%S.%L %Y"),
    "the year last": dated("%b %d %H:%M:%S.%L %Y"),
    "ctime": dated("%a %b %d %H:%M:%S %Y", to_the_second),
    "Apache": lines(lambda s: f"[{stamp('%d/%b/%Y:%H:%M:%S +0000')(s)}] {head(s)}", to_the_second),
    "letters in the clock": dated("%Y-%m-%d %Hh%Mm%Ss%L"),
    "dots in the clock": dated("%Y-%m-%d %H.%M.%S.%L"),
    "milliseconds without zeros": lines(
        lambda s: f"[{s.day} {s.clock},{int(s.ms)}] {s.level} {s.text} ({s.logger})"
    ),
    "a colon before the milliseconds": dated("%Y-%m-%d %H:%M:%S:%L"),
    "a blank before the milliseconds": dated("%Y-%m-%d %H:%M:%S %L"),
    "the day and the clock apart": lines(
        lambda s: f"[{s.day}] [{s.level}] [{s.clock}.{s.ms}] {s.logger} - {s.text}"
    ),
    "the clock before the day": dated("%H:%M:%S.%L %d.%m.%Y"),
    "the day on a line of its own": Mangling(by_days, of_the_day),
    "two clocks": lines(lambda s: f"{stamp('%H:%M:%S', 1)(s)} {logback(s)}"),
    "seconds since the begin": lines(
        lambda s: f"[{ms(s) % 10_000_000 / 1000:9.3f}s] {head(s)}", none
    ),
    "ISO weeks": dated("%G-W%V-%u %H:%M:%S.%L"),
    "days of the year": dated("%Y-%jT%H:%M:%S.%L"),
    "Japanese": dated("%Y年%m月%d日 %H:%M:%S.%L"),
    "Thai years": lines(lambda s: f"{int(s.day[:4]) + 543}{s.day[4:]} {s.clock}.{s.ms} {head(s)}"),
    "a clock without zeros": lines(
        lambda s: f"{s.day} {moment(s).hour}:{moment(s).minute}:{moment(s).second}.{s.ms} {head(s)}"
    ),
    "a zone in brackets, of another place": dated("%Y-%m-%d %H:%M:%S.%L (CEST)", hours=2),
    "an offset in brackets": dated("%Y-%m-%d %H:%M:%S.%L [+0500]", hours=5),
    "an offset first": dated("+02:00 %Y-%m-%d %H:%M:%S.%L", hours=2),
    "WIB": dated("%Y-%m-%d %H:%M:%S,%L WIB", hours=7),
    "CAT, which is a word": dated("%Y-%m-%d %H:%M:%S,%L CAT", hours=2),
    "a clock over midnight": Mangling(
        lambda said: plain(on_two_days(said), lambda s: f"{s.clock}.{s.ms} {head(s)}"),
        of_the_day,
        of=on_two_days,
    ),
    "Go": dated("%Y-%m-%d %H:%M:%S.%L +0200 CEST", hours=2),
    "summer and winter": lines(
        lambda s: f"{s.dotted} {'CEST' if ms(s) % 2 else 'CET'} {head(s)}", none
    ),
}

MANGLINGS = {
    f"{kind}: {name}": mangling
    for kind, group in (
        ("layout", LAYOUTS), ("wrapper", WRAPPERS), ("damage", DAMAGES), ("date", DATES)
    )
    for name, mangling in group.items()
}  # fmt: skip
