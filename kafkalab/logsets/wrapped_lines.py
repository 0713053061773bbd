"""Takes the lines of a log out of what containers and encoders have wrapped them in.

A file may be wrapped more than once: a colored line, in docker's JSON. Each wrapping is
found by the first lines and taken off in turn. Every line keeps the place in the file where it
began.
"""

from __future__ import annotations

import codecs
import csv
import html
import io
import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, groupby, islice, pairwise
from xml.etree import ElementTree

from kafkalab.logsets.json_records import (
    line_in,
    message_of,
    moving_time,
    record_in,
    record_of,
    source_of,
    spread,
    time_around,
)
from kafkalab.logsets.layouts import LEVEL_FORM, MONTH_FORM, OPENING, Clock
from kafkalab.logsets.layouts import layout as layout_of
from kafkalab.logsets.learned_frames import HOW, frame_of, framed

Lines = Iterator[tuple[int, bytes, str]]
"""Lines without their breaks, each with its place in the file's text, in bytes, and its source: the
container, pod or host that wrote it, where the wrapping names one."""

MOST = 0.9  # The share of the first lines that must be wrapped alike.
MOST_FIELDS = 0.7  # Of a journal's records; each may begin with a line of another form.
MOST_OF_JSON = 0.5  # Records of JSON are known for certain; a banner or prints may be among them.
# The layout in which records of JSON are written down.
JSON_LAYOUT = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5p{or none} [%t] %c - %m%n"
# Colors and links of a terminal, also as `cat -v` shows them.
COLOR = re.compile(rb"(?:\x1b|\^\[)\[[0-9;?]*[A-Za-z]|\x1b[()]\w|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
CRI = re.compile(rb"\d{4}-\d\d-\d\dT\S+ (?:stdout|stderr) ([FP]) ?")
# A group is the source.
PREFIXES = {
    # docker compose logs: `shop-1  | `
    "compose": re.compile(rb"([\w.\-]+) +\| "),
    # kubectl logs --prefix: `[pod/shop-6d4f/app] `
    "pod": re.compile(rb"\[pod/([^\]\s]+)\] "),
    # stern: `shop-6d4f8b-x2x7k app `
    "stern": re.compile(rb"([a-z0-9][a-z0-9.\-]*-[a-z0-9]{4,10}) ([a-z0-9\-]+) "),
    # journalctl, syslog: `Nov 20 03:07:51 host shop[4711]: `, or without the number
    "journal": re.compile(
        rb"(?:<\d{1,3}>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (\S+) ([\w@.\-]+)(?:\[\d+\])?"
        rb"|\d{4}-\d\d-\d\dT\S+ (\S+) ([\w@.\-]+)\[\d+\]): ?"
    ),
    # syslog of RFC 5424: `<14>1 2026-11-20T03:07:51Z host shop 4711 - - `
    "syslog": re.compile(rb"<\d{1,3}>1 \S+ (\S+) (\S+) \S+ \S+ (?:-|(?:\[[^\]\n]*\])+) ?"),
    # Heroku: `2026-11-20T03:07:51.825123+00:00 app[web.1]: `
    "heroku": re.compile(rb"\d{4}-\d\d-\d\dT\S+ \w+\[([\w.\-]+)\]: "),
    # Loki's logcli: `2026-11-20T03:07:51Z {app="shop"} `
    "labels": re.compile(rb"\d{4}-\d\d-\d\dT\S+ \{([^}\n]*)\} "),
    # grep -n, cat -n: `17:`, `    17  `, and no hour of a clock
    "numbered": re.compile(rb" *\d+(?::(?!\d\d:\d\d(?!:))|\t|  )"),
    # grep -H: `client.log:17:`; Select-String -Context of PowerShell: `> client.log:17:`
    "named": re.compile(rb"(?:[> ] )?([\w./\-]*\.(?:log|out|txt)[\w.\-]*):(?:\d+:)?"),
    # kubectl logs --timestamps, docker logs -t: nanoseconds before the line's own time
    "nanoseconds": re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}(?:Z|[+-]\d\d:\d\d) "),
}
# grep -C: a colon before what was found, a dash before the lines around it, `--` where lines are
# left out. The file's name, the line's number, or both.
AROUND = {
    "grep -C -n": re.compile(
        rb"(?:([\w./\-]*?\.(?:log|out|txt)[\w.]*)[:\-])?(?P<number>\d+)(?P<mark>[:\-])"
    ),
    "grep -C": re.compile(rb"([\w./\-]*?\.(?:log|out|txt)[\w.]*)(?P<mark>[:\-])"),
}
GAP = b"--"
COUNTED = re.compile(rb" *(?:\d+)(?: |$)")  # vi's numbers: ` 17 `
PADDED = re.compile(rb"\S {4,}$")  # up to the width of a terminal, which longer lines exceed
# What a tool or a mail puts before whole lines of a log.
OUTER = {
    # builds: `03:07:51  `, `2026-11-20T03:07:51.825123Z 00O `
    "jenkins": re.compile(rb"\d\d:\d\d:\d\d +"),
    "gitlab": re.compile(rb"\d{4}-\d\d-\d\dT\S+ \d\d[OE]\+? ?"),
    "a tab": re.compile(rb"\t"),
    "eight blanks": re.compile(rb" {8}"),
    "four blanks": re.compile(rb" {4}"),
    "two blanks": re.compile(rb" {2}"),
}
SOME_TIME = re.compile(rb"(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?")
DUMP_BEGIN = re.compile(rb"\bvalues: ?$")
FALLS = 9  # So often must times fall, and so many times more often than rise.
TAILED = re.compile(rb"==> (\S.*) <==")  # tail -f of several files
CLIENTS = re.compile(rb"\[(?:Consumer|Producer|AdminClient|ShareConsumer) ")
# Kafka's clients end a line with a blank behind these.
BLANK_AFTER = re.compile(rb"values:$|\[(?:Consumer|Producer|AdminClient) [^\]]*\]$")
# `[Consumer clientId=`, `[RaftManager id=`, also where a tool wrote the sign in another way.
NAMED = re.compile(rb"\[[A-Z]\w+ \w+(?:=|\\u003[dD]|&)")
TWICE = 2
# What tools make of marks in a text, and Kafka's clients and brokers never write.
ESCAPED = re.compile(rb"\\u00[0-9a-fA-F]{2}")
DUMPED = re.compile(rb"values: \\n(?:\\t|[\t ])")  # settings on one line
RSYSLOG = re.compile(rb"#(0[0-3][0-7])")  # how rsyslog writes a line break and a tab
ESCAPE = re.compile(r'\\u[0-9a-fA-F]{4}|\\[trn"\\/]')
ESCAPES = {r"\t": "\t", r"\r": "", r"\n": "\n", r"\"": '"', "\\\\": "\\", r"\/": "/"}
ENTITY = re.compile(rb"&(?:lt|gt|quot|amp|apos|#\d+|#x[0-9a-fA-F]+);")
# Marks of an editor, and ligatures of a PDF.
TYPED = str.maketrans({
    "‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "…": "...", "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl",
    "ﬃ": "ffi", "ﬄ": "ffl",
})  # fmt: skip
TYPESET = re.compile("|".join(map(chr, TYPED)).encode())
# What a web page copies for a blank, what Java 20 writes before AM and PM, and letters of no width.
OF_A_PAGE = {
    "\u00a0".encode(): b" ",
    "\u202f".encode(): b" ",
    "\u200b".encode(): b"",
    "\u00ad".encode(): b"",
}
HARD_BLANK = re.compile(b"|".join(OF_A_PAGE))
# A time before the line's own, in milliseconds or seconds: CloudWatch, `docker logs -t` of others.
STAMP = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)? ")
FIRST_RECORDS = 100  # They tell which of several times is that of a record.
STAMPED = 0.05  # The share of lines that have two times; the others go on.
ARRAY, JOINED = re.compile(rb"\[\s*[{\"]"), re.compile(rb"\{[^\n]*\}\s?\{\"")
BULK = re.compile(rb'\{\s*"(?:index|create)"\s*:\s*\{[^{}]*\}\s*\}')
XML_BEGIN = re.compile(rb"\s*<(?:\w+:)?(?:event|Event|record)[\s>]")
XML_END = re.compile(rb"</(?:\w+:)?(?:event|Event|record)>")
XML_TRACES = {"throwable": "exception", "thrown": "exception"}
FIELD = re.compile(rb"\s*(_*[A-Z][A-Z0-9_]*)=(.*)")  # of systemd's journal
BRACKETS, CLOSES = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|$)|[{}\[\]]'), {b"{": b"}", b"[": b"]"}
DOCUMENT = re.compile(rb"\{(?:[^\[]|\[\s*\"){0,2000}\[\s*[\[{](?!\s*\"key\")|\{\s*\"resourceLogs\"")
# Names of a table's column that holds whole lines, or messages.
RAW, RAWS = "log", ("_raw", "@message", "line", "content", "log")
COLUMNS = (*RAWS, "message", "msg")
# A cell that holds a line or a message of Kafka's clients.
OF_CLIENT = re.compile(rb'[,;\t|]"?(?:\[[\d\-: ,.TZ]+\] [A-Z]+ )?' + NAMED.pattern)
SEPARATOR = re.compile(rb"sep=.\s*$")  # what a spreadsheet writes first
SPACED = re.compile(rb'[\w"][,;] [\w"]')  # a blank before each cell
SLASHED = re.compile(rb'\\"(?![,;\t|]|$)')  # how some databases write a quote within a cell
PAIR = re.compile(r'([\w.@\-]+)=("(?:[^"\\]|\\.)*"|[^\s"]*)')
PAIRS = re.compile(rb'(?:[\w.@\-]+=(?:"(?:[^"\\]|\\.)*"|[^\s"]*)(?: +|$)){3,}')
UTIL_PLACE = re.compile(
    (
        rf"({MONTH_FORM} \d{{1,2}}, \d{{4}},? \d{{1,2}}:\d\d:\d\d [AP]M) "
        r"([\w.$]+)(?: [\w<>$]+)?"
    ).encode()
)
UTIL_MESSAGE = re.compile(f"(?:{LEVEL_FORM}): ".encode())


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
    text = whole if not encoding else next(_decoded([whole], encoding))
    found += [name for name, mark in BREAKS.items() if b"\n" not in text and mark in text]
    while True:
        sample = [line for _, line, _ in unwrapped([whole], tuple(found)) if line.strip()]
        name = next(
            (name for name, each in WRAPPINGS.items() if name not in found and each.holds(sample)),
            None,
        )
        if name is None and not any(each.startswith(HOW) for each in found):
            name = frame_of(sample)
        if name is None:
            return tuple(found)
        found.append(name)


def unwrapped(pieces: Iterable[bytes], wrapping: tuple[str, ...]) -> Lines:
    """The lines of a text that comes in pieces, without their wrapping."""
    names = list(wrapping)
    decode = names.pop(0) if names and names[0] in ENCODINGS else None
    texts = _decoded(pieces, decode) if decode else iter(pieces)
    while names and names[0] in BREAKS:
        texts = _broken(texts, BREAKS[names.pop(0)])
    lines = _lines(texts)
    inner = names.pop().removeprefix(TIMED) if names and names[-1].startswith(TIMED) else None
    timing = max((n for n, name in enumerate(names) if _tells_times(name)), default=None)
    for number, name in enumerate(names):
        if inner is not None and number == timing:
            lines = _with_times(lines, name, inner)
        else:
            lines = _taken_out(lines, name)
    return lines


def inner_text(beginning: bytes, wrapping: tuple[str, ...]) -> bytes:
    """The lines of the first bytes of a file, without their wrapping."""
    return b"\n".join(line for _, line, _ in unwrapped([beginning], wrapping))


def _taken_out(lines: Lines, name: str) -> Lines:
    return _unframed(lines, name) if name.startswith(HOW) else WRAPPINGS[name].take_out(lines)


# -- times that only the wrapping has -------------------------------------------------------------

TIMED = "timed "  # The name of such a wrapping goes on with the layout of the lines within.
CLOCK = "%d{HH:mm:ss"
HALF_A_DAY, QUARTER = timedelta(hours=12), timedelta(minutes=15)
LATE = timedelta(minutes=2)  # A collector notes a line at most so much later.


def timed(wrapping: tuple[str, ...], layout: str) -> tuple[str, tuple[str, ...]] | None:
    """The layout and the wrapping with which lines get the time or the day of what is around them.

    layout: of the lines within, which have no time, or begin with a clock alone. None where they
    have a day, or where nothing around them tells one.
    """
    clock: Clock | None = layout_of(layout).clock
    if not any(map(_tells_times, wrapping)) or (clock and clock.dated):
        return None
    if clock is None:
        return f"%d{{yyyy-MM-dd'T'HH:mm:ss.SSSXXX}} {layout}", (*wrapping, f"{TIMED}{layout}")
    if not layout.startswith(CLOCK):
        return None
    return f"%d{{yyyy-MM-dd'T'{layout[3:]}", (*wrapping, f"{TIMED}{layout}")


def _tells_times(name: str) -> bool:
    return name.startswith(HOW) or name in OF_TIMES


def _with_times(lines: Lines, name: str, layout: str) -> Lines:
    """The lines within a wrapping. A line that begins a record gets the time around it, or only the
    day where it has a clock."""
    begins, has_clock = layout_of(layout).begins(), layout.startswith(CLOCK)
    times: deque[tuple[int, str | None]] = deque()

    def noted() -> Lines:
        for at, line, source in lines:
            times.append((at, time_around(line)))
            yield at, line, source

    for at, text, source in _taken_out(noted(), name):
        while len(times) > 1 and times[1][0] <= at:
            times.popleft()
        time = times[0][1] if times else None
        if time and begins.match(text):
            text = _on_its_day(time, text) if has_clock else f"{time} ".encode() + text
        yield at, text, source


def _on_its_day(time: str, text: bytes) -> bytes:
    """A text that begins with a clock, with the day on which that is nearest to a time.

    Where the two are whole quarters of an hour apart, the clock has a zone of its own.
    """
    moment = datetime.fromisoformat(time)
    clock = moment.replace(hour=int(text[:2]), minute=int(text[3:5]), second=int(text[6:8]))
    apart = (clock - moment + HALF_A_DAY) % (2 * HALF_A_DAY) - HALF_A_DAY
    zone = QUARTER * round(apart / QUARTER)
    if abs(apart - zone) > LATE:
        zone = timedelta(0)
    return f"{moment + apart - zone:%Y-%m-%dT%H:%M:%S}".encode() + text[8:]


def _unframed(lines: Lines, name: str) -> Lines:
    take = framed(name)
    for at, line, source in lines:
        text, named = take(line)
        yield at, line if text is None else text, f"{source} {named}".strip()


# -- bytes to lines -------------------------------------------------------------------------------

OF_BYTES = re.compile("[\u0900-\u7fff]{30,}")  # Letters of ASCII, two of them taken for one.
ENCODINGS = ("utf-8-sig", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
# What ends lines where no line break does: of old Macs, and of texts that a web page gave.
BREAKS = {"carriage returns": b"\r", "line separators": "\u2028".encode()}


def _broken(texts: Iterable[bytes], mark: bytes) -> Iterator[bytes]:
    """The text with line breaks. A mark may be cut by the end of a piece."""
    kept = b""
    for text in texts:
        text = kept + text
        cut = len(text) - (len(mark) - 1)
        yield (
            text[:cut].replace(mark, b"\n")
            if mark not in text[cut - 1 :]
            else text.replace(mark, b"\n")
        )
        kept = text[cut:] if mark not in text[cut - 1 :] else b""
    if kept:
        yield kept


def _encoding_of(text: bytes) -> str | None:
    if text.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if text.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32-le" if text.startswith(codecs.BOM_UTF32_LE) else "utf-32-be"
    if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16-le" if text.startswith(codecs.BOM_UTF16_LE) else "utf-16-be"
    # A file that was cut while it was written begins with zeros.
    zeros = len(text) - len(text.lstrip(b"\0"))
    head = text[zeros // 2 * 2 :][:400]
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
        if encoding.startswith("utf-16"):
            text = OF_BYTES.sub(lambda found: _as_bytes(found[0], encoding), text)
        yield text.encode()


def _as_bytes(text: str, encoding: str) -> str:
    """What somebody added to the file in UTF-8; the text itself where it is of another script."""
    plain = text.encode(encoding)
    return plain.decode() if plain.isascii() and b"\n" in plain else text


def _lines(pieces: Iterable[bytes]) -> Lines:
    at, kept = 0, b""
    for piece in pieces:
        *whole, kept = (kept + piece).split(b"\n")
        for line in whole:
            yield at, line, ""
            at += len(line) + 1
    if kept:
        yield at, kept, ""


# -- the kinds ------------------------------------------------------------------------------------


def _mostly(sample: list[bytes], fits: Callable[[bytes], object], most: float = MOST) -> bool:
    return bool(sample) and sum(1 for line in sample if fits(line)) >= most * len(sample)


def _without(pattern: re.Pattern[bytes]) -> Wrapping:
    """A prefix of every line that goes. Its groups, if it has any, name the source."""

    def take_out(lines: Lines) -> Lines:
        for at, line, source in lines:
            found = pattern.match(line)
            if not found:
                yield at, line, source
                continue
            named = b" ".join(filter(None, found.groups())).decode(errors="replace")
            yield at, line[found.end() :], f"{source} {named}".strip() if named else source

    return Wrapping(lambda sample: _mostly(sample, pattern.match), take_out)


def _is_counted(sample: list[bytes]) -> bool:
    """Whether each line begins with a number, one more than that of the line before."""
    found = [each for line in sample if (each := COUNTED.match(line))]
    steps = {int(two[0]) - int(one[0]) for one, two in pairwise(found)}
    return len(found) == len(sample) and steps == {1}


def _is_outer(pattern: re.Pattern[bytes]) -> Callable[[list[bytes]], bool]:
    """Whether most lines have this before them, and a record begins behind it, and nowhere else."""

    def holds(sample: list[bytes]) -> bool:
        if not _mostly(sample, pattern.match):
            return False
        begun = [line for line in sample if OPENING.match(line) and not pattern.match(line)]
        inner = [line[found.end() :] for line in sample if (found := pattern.match(line))]
        return not begun and len([*filter(OPENING.match, inner)]) >= STAMPED * len(sample)

    return holds


def _of_grep(pattern: re.Pattern[bytes]) -> Wrapping:
    """What grep shows of a log. Behind a gap, lines whose record began in it are nobody's."""
    numbered = "number" in pattern.groupindex

    def holds(sample: list[bytes]) -> bool:
        found = [each for line in sample if line != GAP and (each := pattern.match(line))]
        numbers = [int(each["number"]) for each in found] if numbered else []
        return (
            len(found) >= MOST * sum(line != GAP for line in sample)
            and {each["mark"] for each in found} == {b":", b"-"}
            and all(one < two for one, two in pairwise(numbers))
        )

    def take_out(lines: Lines) -> Lines:
        is_amid = True
        for at, line, source in lines:
            found = pattern.match(line)
            if line == GAP or not found:
                is_amid = is_amid and line != GAP
                continue
            text = line[found.end() :]
            is_amid = is_amid or bool(OPENING.match(text))
            if is_amid:
                yield at, text, f"{source} {(found[1] or b'').decode(errors='replace')}".strip()

    return Wrapping(holds, take_out)


def _each(change: Callable[[bytes], bytes]) -> Callable[[Lines], Lines]:
    """Takes each line out by itself."""
    return lambda lines: ((at, change(line), source) for at, line, source in lines)


def _stripped(line: bytes) -> bytes:
    text = line.rstrip(b" \t")
    return text + b" " * (text != line and bool(BLANK_AFTER.search(text)))


def _in_kafkas_lines(sample: list[bytes], mark: re.Pattern[bytes]) -> bool:
    """Whether lines of Kafka's parts hold what these never write."""
    return sum(1 for line in sample if NAMED.search(line) and mark.search(line)) >= TWICE


def _is_escaped(sample: list[bytes]) -> bool:
    """Whether lines were written as a text of JSON has them, perhaps all of them in one."""
    sample = [line for line in sample if b'{"' not in line]  # a record of JSON has its own reader
    joined = sum(1 for line in sample for part in line.split(rb"\n")[1:] if OPENING.match(part))
    dumped = any(DUMPED.search(line) and OPENING.match(line) for line in sample)
    return dumped or _in_kafkas_lines(sample, ESCAPED) or joined > len(sample) > 0


def _unescaped(lines: Lines) -> Lines:
    for at, line, source in lines:
        text = line.decode(errors="replace").strip('"')
        begins = OPENING.search(line)
        for number, part in enumerate(text.split(r"\n") if begins else [text]):
            plain = ESCAPE.sub(
                lambda found: ESCAPES.get(found[0]) or chr(int(found[0][2:], 16)), part
            )
            yield at + number, plain.encode(errors="replace"), source


def _of_rsyslog(lines: Lines) -> Lines:
    for at, line, source in lines:
        text = RSYSLOG.sub(lambda found: bytes([int(found[1], 8)]), line)
        for number, part in enumerate(text.split(b"\n")):
            yield at + number, part, source


def _of_tailed(lines: Lines) -> Lines:
    """`==> a.log <==` says whose lines follow."""
    now = ""
    for at, line, source in lines:
        if found := TAILED.fullmatch(line):
            now = found[1].decode(errors="replace")
        else:
            yield at, line, f"{source} {now}".strip()


def _joined(part_of: Callable[[bytes], tuple[bytes, bool] | None]) -> Callable[[Lines], Lines]:
    """Puts texts together that a container cut. part_of: the text in a line, and whether it goes on
    in the next one of its source."""

    def take_out(lines: Lines) -> Lines:
        begun: dict[str, tuple[int, bytes]] = {}
        for at, line, source in lines:
            part = part_of(line)
            if part is None:
                yield at, line, source
                continue
            source = source_of(line, source)
            first, text = begun.pop(source, (at, b""))
            text += part[0]
            if part[1]:
                begun[source] = first, text
                continue
            for each in text.removesuffix(b"\n").split(b"\n"):
                yield first, each, source
        for source, (first, text) in begun.items():
            yield first, text, source

    return take_out


def _part_of_cri(line: bytes) -> tuple[bytes, bool] | None:
    found = CRI.match(line)
    return (line[found.end() :], found[1] == b"P") if found else None


def _part_of_docker(line: bytes) -> tuple[bytes, bool] | None:
    text = _docker(line)
    return None if text is None else (text.encode(), not text.endswith("\n"))


def _part_of_text(line: bytes) -> tuple[bytes, bool] | None:
    text, record = line_in(line), record_of(line) or {}
    is_open = record.get("partial_message") == "true" and record.get("partial_last") != "true"
    return None if text is None else (text.encode(), is_open)


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
    record = record_of(line)
    return record["log"] if record and isinstance(record.get("log"), str) else None


def _is_docker(sample: list[bytes]) -> bool:
    """Whether docker wrote this: there a text keeps its line break, if it is not a long one."""
    texts = [text for line in sample if (text := _docker(line)) is not None]
    whole = sum(1 for text in texts if text.endswith("\n"))
    return len(texts) >= MOST * len(sample) and 2 * whole > len(texts)


def _of_json(lines: Lines) -> Lines:
    first = list(islice(lines, FIRST_RECORDS))
    sample = [line for _, line, _ in first]
    time_key = moving_time(sample)
    for at, line, source in chain(first, lines):
        text = record_in(line, time_key, leveled=False)
        if text is None:
            yield at, line, source
            continue
        source = source_of(line, source)
        for part in text.encode().split(b"\n"):
            yield at, part, source


def _are_messages(sample: list[bytes]) -> bool:
    """Whether records of JSON hold messages of Kafka's clients, and no levels."""
    texts = [text for line in sample if (text := message_of(line))]
    return sum(1 for text in texts if CLIENTS.match(text.encode())) >= TWICE


def _of_bulk(lines: Lines) -> Lines:
    """The records that a search engine is to store, without the lines that say where."""
    return ((at, line, source) for at, line, source in lines if not BULK.fullmatch(line))


def _is_xml(sample: list[bytes]) -> bool:
    return sum(1 for line in sample if XML_BEGIN.match(line)) >= TWICE


def _of_xml(lines: Lines) -> Lines:
    """Each record of XML as one of JSON: its attributes and the texts within are its values."""
    held: list[bytes] = []
    first = 0
    for at, line, source in lines:
        if not held and not XML_BEGIN.match(line):
            continue
        first = first if held else at
        held.append(line)
        if XML_END.search(line):
            yield first, _json_of_xml(b"\n".join(held)), source
            held = []
    for line in held:
        yield first, line, ""


def _json_of_xml(text: bytes) -> bytes:
    """A record of XML as one of JSON; the text where it is none."""
    try:
        record = ElementTree.fromstring(re.sub(rb"(</?)\w+:", rb"\1", text))
    except ElementTree.ParseError:
        return text
    found = dict(record.attrib)
    for part in record:
        inner = "\n".join(filter(None, map(str.strip, part.itertext()))) if len(part) else part.text
        found[XML_TRACES.get(part.tag.lower(), part.tag)] = inner or ""
    return json.dumps(found).encode()


def _of_fields(lines: Lines) -> Lines:
    """The records of `journalctl -o export` and `-o verbose`, each as one of JSON."""
    held: dict[str, str] = {}
    first = 0
    for at, line, source in lines:
        field = FIELD.fullmatch(line)
        name = field[1].decode() if field else ""
        if held and (not field or name in held):
            if "MESSAGE" in held:
                yield first, json.dumps(held).encode(), source
            held = {}
        first = first if held else at
        if field:
            held[name] = field[2].decode(errors="replace")
        elif time := SOME_TIME.search(line):
            held["time"] = time[0].decode()
    if "MESSAGE" in held:
        yield first, json.dumps(held).encode(), ""


# -- the order ------------------------------------------------------------------------------------


def _is_newest_first(sample: list[bytes]) -> bool:
    """Whether times fall from record to record, as search tools export them."""
    begun = [line for line in sample if OPENING.match(line)]
    times = [found[0] for line in begun if (found := SOME_TIME.search(line))]
    falls = sum(1 for one, two in pairwise(times) if two < one)
    rises = sum(1 for one, two in pairwise(times) if two > one)
    return falls >= FALLS and falls > FALLS * rises


def _oldest_first(lines: Lines) -> Lines:
    """The records from the last to the first. Their places are counted from the end of the text, so
    that they rise. The lines of one record stay in their order, if that is not turned as well."""
    records: list[list[tuple[int, bytes, str]]] = []
    end = 0
    every = list(lines)
    turned = _are_turned([line for _, line, _ in every])
    for at, line, source in every:
        if turned or not records or OPENING.match(line):
            records.append([])
        records[-1].append((at, line, source))
        end = at + len(line) + 1
    for record in reversed(records):
        for number, (_, line, source) in enumerate(record):
            yield end - record[0][0] + number, line, source


def _are_turned(lines: list[bytes]) -> bool:
    """Whether the lines of a record stand before the one that begins it: settings, the calls of a
    stack trace, or else what is in front of all records."""
    signs = 0
    for before, line, after in zip([b"", *lines], lines, [*lines[1:], b""]):
        if DUMP_BEGIN.search(line) and OPENING.match(line):
            signs += before.startswith(b"\t") - after.startswith(b"\t")
    begins = list(map(bool, map(OPENING.match, lines)))
    for is_call, run in groupby(range(len(lines)), lambda n: lines[n].startswith(b"\tat ")):
        places = list(run) if is_call else []
        if places and places[0] > 0 and places[-1] + 1 < len(lines):
            signs += begins[places[0] - 1] - begins[places[-1] + 1]
    return signs > 0 or (not signs and bool(lines) and not OPENING.match(lines[0]))


# -- records that are not one line ----------------------------------------------------------------


def _is_array(sample: list[bytes]) -> bool:
    """Whether records of JSON stand in an array, or over several lines."""
    text = b"\n".join(sample).lstrip()
    spread = text.startswith(b"{\n") and text.find(b'"') > 0
    return spread or bool(ARRAY.match(text) or (len(sample) == 1 and JOINED.match(text)))


def _of_array(lines: Lines) -> Lines:
    """Each record of an array on a line of its own. What is no JSON stays as it is."""
    decoder = json.JSONDecoder()
    held, first, source = "", 0, ""
    # The empty line behind the last one takes out what a text that was cut has of whole records.
    for at, line, source in chain(lines, [(-1, b"", "")]):
        # Latin-1 keeps each byte a letter, and JSON's marks are the same in it.
        held, first = (
            (held + "\n" if held else held) + line.decode("latin-1"),
            first if held else at,
        )
        if at >= 0 and not held.endswith(("}", "]", "},")):
            continue
        begin = 0
        while begin < len(held):
            if held[begin] in "[], \t\r\n":
                begin += 1
                continue
            try:
                _, end = decoder.raw_decode(held, begin)
            except ValueError:
                break
            yield first + begin, held[begin:end].replace("\n", " ").encode("latin-1"), source
            begin = end
        held, first = held[begin:], first + begin
    if held.strip():  # what is no whole record
        yield first, held.encode("latin-1"), source


def _is_document(sample: list[bytes]) -> bool:
    """Whether a record of JSON holds a list of records before it holds a text."""
    return bool(DOCUMENT.match(b"\n".join(sample).lstrip()))


def _of_document(lines: Lines) -> Lines:
    """The records of documents, each on a line. A document over many lines is read in memory."""
    held: list[bytes] = []
    first, last = 0, ""
    for at, line, source in lines:
        if not held:
            first = at
        held.append(line)
        last = source
        # The end of one that is spread over lines has no blank before it.
        ends = line.endswith(b"}") if len(held) == 1 else line in (b"}", b"]")
        if ends and (found := _parsed(held)) is not None:
            yield from ((first + n, text, source) for n, text in enumerate(found))
            held = []
    if held:
        found = _parsed(held) or _parsed(_closed(held)) or held
        yield from ((first + n, text, last) for n, text in enumerate(found))


def _closed(held: list[bytes]) -> list[bytes]:
    """A document that was cut, up to its last whole record, with the brackets closed."""
    text = b"\n".join(held)
    open_now: list[tuple[bytes, bool]] = []
    end, closing = 0, b""
    for found in BRACKETS.finditer(text):
        if found[0] in CLOSES:
            # A list that begins with a text is a record of Loki's.
            is_record = found[0] == b"{" or text[found.end() : found.end() + 1] == b'"'
            open_now.append((CLOSES[found[0]], is_record))
        elif open_now and found[0] == open_now[-1][0] and open_now.pop()[1]:
            end, closing = found.end(), b"".join(mark for mark, _ in reversed(open_now))
    return [text[:end] + closing]


def _parsed(held: list[bytes]) -> list[bytes] | None:
    """The records of one document; None where it is not whole."""
    try:
        document = json.loads(b"\n".join(held))
    except ValueError:
        return None
    return [json.dumps(record).encode() for record in spread(document)]


def _is_table(sample: list[bytes]) -> bool:
    """Whether the first line names columns, one of them the message."""
    header = next((line for line in sample if not SEPARATOR.match(line)), b"")
    names = _cells(header, _delimiter(header), bool(SPACED.search(header)))
    if len(names) < 2 or {name.lower() for name in names} & set(COLUMNS):
        return len(names) > 1
    # Another name, of a column that holds what Kafka's clients write.
    # A cell with a line break goes on in the next line.
    held = [line for line in sample if OF_CLIENT.search(line) and not line.count(b'"') % 2]
    alike = [line for line in held if len(_cells(line, _delimiter(header))) == len(names)]
    return not SOME_TIME.search(header) and len(alike) >= max(TWICE, MOST * len(held))


def _of_table(lines: Lines) -> Lines:
    """Each row of a table as a record of JSON."""
    rows = _rows(lines)
    _, header, _ = next(rows, (0, [], ""))
    names = [RAW if name.lower() in RAWS else name for name in header]
    first = list(islice(rows, 10 * FIRST_RECORDS))
    if not {name.lower() for name in names} & set(COLUMNS):
        for place, cell in (each for _, cells, _ in first for each in enumerate(cells)):
            if NAMED.search(cell.encode()):
                names[place] = RAW if OPENING.match(cell.encode()) else "message"
                break
    for at, cells, source in chain(first, rows):
        yield at, json.dumps(dict(zip(names, cells))).encode(), source


def _rows(lines: Lines) -> Iterator[tuple[int, list[str], str]]:
    """The rows of a table, its header the first. A text in quotes may hold line breaks."""
    delimiter, held, first, slashed, spaced = "", b"", 0, False, False
    for at, line, source in lines:
        slashed = slashed or (b'""' not in line and bool(SLASHED.search(line)))
        line = line.replace(b'\\"', b'""') if slashed else line
        held, first = (held + b"\n" + line, first) if held else (line, at)
        if held.count(b'"') % 2:
            continue
        row, held = held, b""
        if not delimiter and SEPARATOR.match(row):
            continue
        spaced = bool(SPACED.search(row)) if not delimiter else spaced
        delimiter = delimiter or _delimiter(row)
        if cells := _cells(row, delimiter, spaced):
            yield first, cells, source


def _cells(line: bytes, delimiter: str, spaced: bool = False) -> list[str]:
    text = line.decode(errors="replace")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=spaced)
    return next(rows, [])


def _delimiter(header: bytes) -> str:
    """What is most often between the names of a table's columns."""
    return max(",;\t|", key=lambda mark: header.count(mark.encode()))


def _of_pairs(lines: Lines) -> Lines:
    """`time=… level=info msg="…"` as records of JSON."""
    for at, line, source in lines:
        pairs = _pairs(line)
        yield at, json.dumps(pairs).encode() if pairs else line, source


def _pairs(line: bytes) -> dict[str, str] | None:
    if not PAIRS.fullmatch(line):
        return None
    found: dict[str, str] = {}
    for name, text in PAIR.findall(line.decode(errors="replace")):
        if text.startswith('"'):
            try:
                text = json.loads(text, strict=False)
            except ValueError:
                return None
        found[name] = text
    return found if len(found) >= 3 else None


def _is_in_twos(sample: list[bytes]) -> bool:
    """Whether java.util.logging wrote each record on two lines: the place, then the message."""
    firsts = sum(
        1 for one, two in pairwise(sample) if UTIL_PLACE.fullmatch(one) and UTIL_MESSAGE.match(two)
    )
    return firsts >= 3


def _of_twos(lines: Lines) -> Lines:
    place: dict[str, tuple[int, bytes]] = {}
    for at, line, source in lines:
        first, before = place.pop(source, (at, b""))
        if before and UTIL_MESSAGE.match(line):
            time, logger = UTIL_PLACE.fullmatch(before).groups()  # type: ignore[union-attr]
            level, _, message = line.partition(b": ")
            yield first, b"%s %s %s - %s" % (time, level, logger, message), source
            continue
        if before:
            yield first, before, source
        if UTIL_PLACE.fullmatch(line):
            place[source] = at, line
        else:
            yield at, line, source
    for source, (first, before) in place.items():
        yield first, before, source


JSON = "json"
# Wrappings that tell the time of each line.
OF_TIMES = (
    "text in JSON", "docker", "cri", "journal", "syslog", "heroku", "labels", "stamped",
    "nanoseconds", "gitlab",
)  # fmt: skip
# Wrappings whose lines are made of fields, which no pattern describes.
RECORDS = {JSON: "records of JSON", "table": "rows of a table", "pairs": "pairs of name and value"}
WRAPPINGS = {
    "color": Wrapping(
        lambda sample: any(COLOR.search(line) for line in sample),
        _each(lambda line: COLOR.sub(b"", line)),
    ),
    # Zeros amid a line stay: they stand for text that is lost.
    "zeros": Wrapping(
        lambda sample: any(b"\0" in line for line in sample), _each(lambda line: line.strip(b"\0"))
    ),
    "cat -A": Wrapping(
        lambda sample: _mostly(sample, lambda line: line.endswith(b"$")),
        _each(lambda line: line.removesuffix(b"$").replace(b"^I", b"\t")),
    ),
    "crlf": Wrapping(
        lambda sample: any(line.endswith(b"\r") for line in sample),
        _each(lambda line: line.rstrip(b"\r")),
    ),
    "blanks of a page": Wrapping(
        lambda sample: len([*filter(HARD_BLANK.search, sample)]) >= STAMPED * len(sample) > 0,
        _each(lambda line: HARD_BLANK.sub(lambda found: OF_A_PAGE[found[0]], line)),
    ),
    "escapes": Wrapping(_is_escaped, _unescaped),
    "entities": Wrapping(
        lambda sample: _in_kafkas_lines(sample, ENTITY),
        _each(lambda line: html.unescape(line.decode(errors="replace")).encode()),
    ),
    "typography": Wrapping(
        lambda sample: _in_kafkas_lines(sample, TYPESET),
        _each(lambda line: line.decode(errors="replace").translate(TYPED).encode()),
    ),
    "tailed": Wrapping(lambda sample: any(map(TAILED.fullmatch, sample)), _of_tailed),
    "bulk": Wrapping(lambda sample: any(map(BULK.fullmatch, sample)), _of_bulk),
    "xml": Wrapping(_is_xml, _of_xml),
    "fields": Wrapping(
        lambda sample: (
            _mostly(sample, FIELD.fullmatch, MOST_FIELDS)
            and any(b"MESSAGE=" in line for line in sample)
        ),
        _of_fields,
    ),
    "document": Wrapping(_is_document, _of_document),
    "array": Wrapping(_is_array, _of_array),
    "table": Wrapping(_is_table, _of_table),
    "pairs": Wrapping(lambda sample: _mostly(sample, _pairs, MOST_OF_JSON), _of_pairs),
    "two lines": Wrapping(_is_in_twos, _of_twos),
    "docker": Wrapping(_is_docker, _joined(_part_of_docker)),
    "text in JSON": Wrapping(
        lambda sample: _mostly(sample, line_in) and not _are_messages(sample),
        _joined(_part_of_text),
    ),
    "cri": Wrapping(lambda sample: _mostly(sample, CRI.match), _joined(_part_of_cri)),
    **{
        name: Wrapping(_is_outer(pattern), _without(pattern).take_out)
        for name, pattern in OUTER.items()
    },
    **{name: _of_grep(pattern) for name, pattern in AROUND.items()},
    **{name: _without(pattern) for name, pattern in PREFIXES.items()},
    "counted": Wrapping(_is_counted, _without(COUNTED).take_out),
    "rsyslog": Wrapping(
        lambda sample: any(b"#012" in line and OPENING.match(line) for line in sample), _of_rsyslog
    ),
    "stamped": Wrapping(_is_stamped, _without(STAMP).take_out),
    "blanks": Wrapping(
        lambda sample: (
            _mostly(sample, lambda line: line.endswith((b" ", b"\t")))
            or len([*filter(PADDED.search, sample)]) >= STAMPED * len(sample) > 0
        ),
        _each(_stripped),
    ),
    JSON: Wrapping(
        lambda sample: _mostly(sample, record_in, MOST_OF_JSON) or _are_messages(sample), _of_json
    ),
    "newest first": Wrapping(_is_newest_first, _oldest_first),
}
