"""Infers the layout of a log from its first lines, and writes it as a log4j pattern.

Each line is taken apart from its left end: a time, a level, a thread in brackets, a class name, a
process number, marks between them. What most lines have is the layout. The pattern can be
given again as `--layout`. A candidate is tried on the lines before it is taken (guess). Where none
reads the lines of Kafka's clients, anchored_layout.py begins at their messages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from kafkalab.logsets import layouts, recognition, templates
from kafkalab.logsets.anchored_layout import ANCHOR, anchored
from kafkalab.logsets.block import Block
from kafkalab.logsets.layout_block import LaidOutBlock

FIRST_LINES = 400
SHAPES = 6  # So many of the most frequent shapes are tried.
PADDED = ("level", "logger", "pid")
LEVEL = re.compile(rf"({layouts.LEVEL_FORM})\b")
CLIENT = re.compile(r"\[(Consumer|Producer|AdminClient|ShareConsumer) \w+=")
BRACKET = {
    "[": re.compile(r"\[((?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]"),
    "(": re.compile(r"\(([^()\n]*)\)"),
}
CLASS = re.compile(r"((?:[\w$\-]+\.)*[\w$\-]+)(:(?:\d+|\?))?")
NUMBER = re.compile(r"\d+(?=\s)")
# log4j's `%r [%t] %p`: milliseconds since the program began.
RELATIVE = re.compile(rf"\d+(?= +(?:\[[^\]\n]+\] +)?(?:{layouts.LEVEL_FORM})\b)")
MARK = re.compile(r"(-{1,3}|::?)(?=\s|$)|\|")
PLACE = r"([A-Za-z_$][\w$]*(?:\.[\w$]+)*)(:(?:\d+|\?))?"
FILE = r"([A-Za-z_$][\w$]*)\.(?:java|scala)(:(?:\d+|\?))?"
# What may stand after the message, and the pattern's text for it.
TAILS = (
    (re.compile(rf" \[[^\[\]\n]+\] \({FILE}\)$"), " [%t] (%F)"),
    (re.compile(rf" \({FILE}\)$"), " (%F)"),
    (re.compile(rf" \({PLACE}\)$"), " (%c)"),
    (re.compile(rf" \({PLACE}\) \[[^\[\]\n]+\]$"), " (%c) [%t]"),
    (re.compile(rf"   \[{PLACE}\]$"), "   [%c]"),  # Debezium
    (re.compile(rf" \[{PLACE}\]$"), " [%c]"),
)
# Words of an application's context, before the message: `MySQL|shop|streaming`, `traceId=4f2a,`.
CONTEXT = re.compile(r"[^\s|()\[\]]*\|[^\s|]*\|[^\s|]*(?=\s)|[\w.\-]+=[^\s,\[\]]*,?(?=\s)")
JAVA_THREAD = re.compile(r"Thread\[[^\]\n]*\]")
BEFORE_LEVEL = re.compile(rf"[^\s\[\]]+(?= \[(?:{layouts.LEVEL_FORM})\])")
THREAD = re.compile(r"main|thread|exec|pool|nio|worker|task|scheduling|#\d|-\d+$", re.IGNORECASE)
FIELD = re.compile(r"[^|\n]*(?=\|)")
# The forms of a time: what it looks like, and the pattern's letters in place of each group.
DAYS = (
    (r"\d{4}-\d\d-\d\d", "yyyy-MM-dd"),
    (r"\d{4}/\d\d/\d\d", "yyyy/MM/dd"),
    (r"\d{4}\.\d\d\.\d\d", "yyyy.MM.dd"),
    (r"(?:1[3-9]|2\d|3[01])/\d\d/\d{4}", "dd/MM/yyyy"),
    (r"\d\d/(?:1[3-9]|2\d|3[01])/\d{4}", "MM/dd/yyyy"),
    (r"\d{1,2}/(?:1[3-9]|2\d|3[01])/\d\d", "M/d/yy"),
    (r"\d\d/\d\d/\d\d", "yy/MM/dd"),
    (r"\d\d\.\d\d\.\d{4}", "dd.MM.yyyy"),
    (r"\d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4}", "dd MMM yyyy"),
    (r"\d\d-(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-\d{4}", "dd-MMM-yyyy"),
    (r"\d\d/(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/\d{4}", "dd/MMM/yyyy"),
    (r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{1,2}, \d{4}", "MMM d, yyyy"),
    (r"\d{8}", "yyyyMMdd"),
)
CLOCK = r"\d\d:\d\d:\d\d"
KNOWN_ENOUGH = 0.9  # The share of lines with a client's prefix that a layout must make known.
LEAST = 3  # Lines that a shape must have, where there are as many.


@dataclass(frozen=True)
class Part:
    """One part of a line's head: its kind, its pattern, and the blanks before it."""

    kind: str
    pattern: str
    blanks: int


@dataclass(frozen=True)
class Head:
    """The text before the message of a line. The message begins at `end` or after a blank there."""

    line: str
    parts: tuple[Part, ...]
    end: int

    @property
    def shape(self) -> tuple[tuple[str, str], ...]:
        """Equal for lines of one layout: the parts without their blanks."""
        return tuple((part.kind, part.pattern) for part in self.parts)


def guess(text: bytes) -> str:
    """The layout of a log's first lines: a usual one, or one that is inferred from them.

    The layout wins under which the catalogue knows the most lines. Kafka's own where none fits.
    """
    lines = [line.rstrip(b"\r") for line in text.split(b"\n")[:FIRST_LINES]]
    best, most = layouts.KAFKA, (0, 0)
    readable = [line.decode(errors="replace") for line in lines]
    tried = dict.fromkeys((*layouts.USUAL, *candidates(readable)))
    sample = b"\n".join(lines) + b"\n"
    best, most = _best(tried, lines, sample, (best, most))
    if most[0] < KNOWN_ENOUGH * sum(1 for line in readable if ANCHOR.search(line)):
        found = dict.fromkeys(anchored(readable, _time_within, _known))
        best, most = _best(found, lines, sample, (best, most))
    return best


def _best(
    tried: Iterable[str], lines: list[bytes], sample: bytes, so_far: tuple[str, tuple[int, int]]
) -> tuple[str, tuple[int, int]]:
    """The candidate under which the most lines are known, and its worth."""
    best, most = so_far
    for candidate in tried:
        begins = _records_begun(candidate, lines)
        if not begins or begins < most[0] // 2:
            continue
        worth = (_known_lines(candidate, sample), begins)
        if worth > most:
            best, most = candidate, worth
            if worth[0] == sum(map(bool, lines)):
                break
    return best, most


def _records_begun(candidate: str, lines: list[bytes]) -> int:
    """How many lines begin a record, less those that only look so; a whole record counts twice."""
    found = layouts.layout(candidate)
    begins, opens = found.begins(), found.opens()
    ends = re.compile((found.tail + "$").encode())
    count = 0
    for line in lines:
        head = begins.match(line)
        # a prefix `[Consumer clientId=…]` is no thread
        if head and not layouts.PREFIX.match(head.groupdict().get("thread") or b""):
            count += 1 + bool(not found.tail or ends.search(line))
        elif opens is not None and opens.match(line):
            count -= 1
    return max(count, 0)


def _known_lines(candidate: str, sample: bytes) -> int:
    """How many lines of the sample the catalogue knows, read with this layout."""
    if candidate in layouts.KAFKAS_OWN:
        block = Block(sample)
    else:
        block = LaidOutBlock(sample, layouts.layout(candidate))
    if not block.rows:
        return 0
    known = recognition.Recognised(block).event
    return len(known) - known.null_count


def candidates(lines: list[str]) -> list[str]:
    """Patterns that these lines may have been written with, the most frequent first."""
    heads = [head for line in lines if (head := _head(line))]
    shapes = Counter(head.shape for head in heads)
    return list(
        dict.fromkeys(
            _pattern([head for head in heads if head.shape == shape])
            for shape, count in shapes.most_common(SHAPES)
            if count >= min(LEAST, len(heads))
        )
    )


def _head(line: str) -> Head | None:
    """The head of a line; None where nothing tells that a record begins."""
    parts: list[Part] = []
    at = 0
    seen: set[str] = set()
    while at < len(line):
        blanks = _blanks(line, at)
        here = at + blanks
        found = None if CLIENT.match(line, here) else _part(line, here, seen, bool(parts))
        if found is None:
            break
        kind, pattern, at = found
        parts.append(Part(kind, pattern, blanks))
        seen.add(kind)
        if kind in ("logger", "thread") and line.startswith(": ", at):
            parts.append(Part("mark", ":", 0))
            at += 1
    return Head(line, tuple(parts), at) if {"time", "level"} & seen else None


def _part(line: str, at: int, seen: set[str], begun: bool) -> tuple[str, str, int] | None:
    """The part at this place: its kind, its pattern, where it ends. None: the message begins."""
    if "time" not in seen and (time := _time(line, at)):
        return "time", f"%d{{{time[0]}}}", time[1]
    if "level" not in seen and (level := LEVEL.match(line, at)):
        end = level.end()
        return ("level", "%p:", end + 1) if line.startswith(":", end) else ("level", "%p", end)
    for opening, closing in (("[", "]"), ("(", ")")):
        if line.startswith(opening, at) and (found := BRACKET[opening].match(line, at)):
            inner = _bracketed(found[1], seen)
            return (inner[0], f"{opening}{inner[1]}{closing}", found.end()) if inner else None
    if not begun:
        since = RELATIVE.match(line, at)
        return ("time", "%r", since.end()) if since and at == 0 else None
    if "thread" not in seen and (thread := JAVA_THREAD.match(line, at)):
        return "thread", "Thread[%t]", thread.end()
    if line[at - 1] == " " and (context := CONTEXT.match(line, at)):
        return "any", "%X{}", context.end()
    if mark := MARK.match(line, at):
        return "mark", mark[0], mark.end()
    if line[at - 1] == "|" and (field := FIELD.match(line, at)):
        inner = _bracketed(field[0], seen)
        return (inner[0], inner[1], field.end()) if inner else None
    if "pid" not in seen and (number := NUMBER.match(line, at)):
        return "pid", "%pid", number.end()
    if (
        "logger" not in seen
        and (name := CLASS.match(line, at))
        and _is_class(name[1], line[name.end() :])
    ):
        return "logger", "%c:%L" if name[2] else "%c", name.end()
    if not {"thread", "level"} & seen and (word := BEFORE_LEVEL.match(line, at)):
        return "thread", "%t", word.end()
    return None


def _bracketed(inner: str, seen: set[str]) -> tuple[str, str] | None:
    """The kind and pattern of the text in brackets."""
    text = inner.strip()
    if "time" not in seen and (time := _time(text, 0)) and time[1] == len(text):
        return "time", f"%d{{{time[0]}}}"
    if "level" not in seen and LEVEL.fullmatch(text):
        return "level", "%p"
    if "logger" not in seen and text and (name := CLASS.fullmatch(text)) and _known(name[1]):
        return "logger", "%c:%L" if name[2] else "%c"
    if "thread" in seen or (not THREAD.search(text) and ("logger" in seen or len(text) > 100)):
        return "any", "%X{}"
    return ("thread", "%t") if THREAD.search(text) else ("any", "%X{}")


def _time(line: str, at: int) -> tuple[str, int] | None:
    """The pattern of the time at this place, and where it ends."""
    for form, letters in _times():
        if found := form.match(line, at):
            return _letters(found, letters), found.end()
    return None


def _time_within(line: str) -> tuple[str, int, int] | None:
    """The pattern of the first time in a text, where it begins and where it ends."""
    for form, letters in _times():
        if found := form.search(line):
            return _letters(found, letters), found.start(), found.end()
    return None


def _letters(found: re.Match[str], letters: str) -> str:
    """The letters of a time, with its fraction and its zone."""
    parts = found.groupdict()
    if fraction := parts.get("fraction"):
        letters = letters.replace("ss", f"ss{fraction[0]}SSS")  # of any length
    if parts.get("half"):
        letters = letters.replace("HH", "h") + " a"
    if parts.get("zone"):
        letters += parts["gap"] + ("XXX" if not parts["gap"] else "Z")
    return letters


@lru_cache(maxsize=1)
def _times() -> tuple[tuple[re.Pattern[str], str], ...]:
    fraction = r"(?P<fraction>[.,]\d{1,9})?"
    zone = rf"(?:(?P<gap> ?)(?P<zone>{layouts.ZONE_FORM})(?![\w:]))?"
    rest = rf"{CLOCK}{fraction}{zone}"
    half = rf"\d{{1,2}}:\d\d:\d\d{fraction} (?P<half>AM|PM|am|pm){zone}"
    made = []
    for form, letters in DAYS:
        for between, quoted in (("T", "'T'"), (" ", " "), (", ", ", "), (":", ":")):
            for clock in (half, rest):
                found = re.compile(rf"(?<!\d){form}{between}{clock}(?!\d)")
                made.append((found, f"{letters}{quoted}HH:mm:ss"))
    # WebSphere
    date = r"(?<!\d)\d{1,2}/(?:1[3-9]|2\d|3[01])/\d\d"
    for between in (" ", ", "):
        found = re.compile(rf"{date}{between}\d{{1,2}}:\d\d:\d\d:\d{{3}}{zone}(?!\d)")
        made.append((found, f"M/d/yy{between}H:mm:ss:SSS"))
    made.append((re.compile(rf"(?<!\d){rest}(?!\d)"), "HH:mm:ss"))
    made.append((re.compile(r"(?<!\d)1[5-9]\d{11}(?!\d)"), "UNIX_MILLIS"))
    made.append((re.compile(r"(?<![\d.])1[5-9]\d{8}(?:\.\d{1,9})?(?![\d.])"), "UNIX"))
    return tuple(made)


def _is_class(name: str, after: str) -> bool:
    """Whether a word is a logger: a class of Kafka's, or one with packages before a mark."""
    if _known(name):
        return True
    last = name.rpartition(".")[2]
    return ("." in name or bool(re.match(r"\s*(-{1,3}|:)\s", after))) and last[:1].isupper()


@lru_cache(maxsize=1 << 14)
def _known(name: str) -> bool:
    """Whether it is the name of a class of the catalogue, shortened or not."""
    return name in templates.by_logger() or templates.in_full(name) != name


def _pattern(heads: list[Head]) -> str:
    """The pattern of heads that have the same parts."""
    text, parts = "", heads[0].parts
    for place, part in enumerate(parts):
        before = max(head.parts[place].blanks for head in heads)
        text += " " * bool(before)
        # A width says on which side a part is padded, to any length. Blanks behind a level are its
        # own: `%-5p`.
        left = before > 1 and not (place and parts[place - 1].kind == "level")
        width = ("%5" if left else "%-5") if part.kind in PADDED else "%"
        text += part.pattern.replace("%", width, 1)
    after = min(_blanks(head.line, head.end) for head in heads)
    kinds = {part.kind for part in parts}
    text += " " * max(after, any(head.line.startswith(" ", head.end) for head in heads)) + "%m"
    return text + ("" if "logger" in kinds else _tail(heads, "thread" in kinds)) + "%n"


def _tail(heads: list[Head], threaded: bool) -> str:
    """The pattern of what most lines have after their message."""
    for form, text in TAILS:
        found = [match for head in heads if (match := form.search(head.line))]
        if 2 * len(found) > len(heads) and any("." in each[1] or _known(each[1]) for each in found):
            text = text.replace("%t", "%X{}") if threaded else text
            if any(match[2] for match in found):
                text = text.replace("%c", "%c:%L").replace("%F", "%F:%L")
            return text
    return ""


def _blanks(line: str, at: int) -> int:
    return len(line) - at - len(line[at:].lstrip(" "))
