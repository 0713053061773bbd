"""Infers the layout of a log from its first lines, and writes it as a log4j pattern.

Each line is taken apart from its left end: a time, a level, a thread in brackets, a class name, a
process number, marks between them. What most lines have is the layout. The pattern can be
given again as `--layout`. A candidate is tried on the lines before it is taken (guess). Where none
reads the lines of Kafka's clients, anchored_layout.py begins at their messages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kafkalab.logsets import layouts, recognition
from kafkalab.logsets.anchored_layout import ANCHOR, THREAD, anchored
from kafkalab.logsets.block import GOES_ON, Block
from kafkalab.logsets.layout_block import LaidOutBlock
from kafkalab.logsets.templates import is_kafkas, is_known
from kafkalab.logsets.time_forms import time_at, time_within

FIRST_LINES = 400
SHAPES = 6  # So many of the most frequent shapes are tried.
PADDED = ("level", "logger", "pid")
LEVEL = re.compile(rf"({layouts.LEVEL_FORM})\b")
IDENTITY = re.compile(layouts.IDENTITY, re.IGNORECASE)
BRACKET = {
    "[": re.compile(r"\[((?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]"),
    "(": re.compile(r"\(([^()\n]*)\)"),
}
CLASS = re.compile(r"((?:[\w$\-]+\.)*[\w$\-]+)(:(?:\d+|\?))?")
NUMBER = re.compile(r"\d+(?=\s)")
# log4j's `%r [%t] %p`: milliseconds since the program began.
RELATIVE = re.compile(rf"\d{{1,10}}(?= +(?:\[[^\]\n]+\] +)?(?:{layouts.LEVEL_FORM})\b)")
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
# An application's context behind the message: ` {traceId=4f2a, user=ada}`, ` [user=ada]`.
BEHIND = (
    (re.compile(r" \{()[^{}\n]*[=:][^{}\n]*\}$"), " {%X{}}"),
    (re.compile(r" \[([\w.\-]+=)[^\[\]\s]*\]$"), " [KEY%X{}]"),  # a setting may be in brackets
)
# Words of an application's context, before the message: `MySQL|shop|streaming`, `traceId=4f2a,`.
CONTEXT = re.compile(r"[^\s|()\[\]]*\|[^\s|]*\|[^\s|]*(?=\s)|[\w.\-]+=[^\s,\[\]]*,?(?=\s)")
JAVA_THREAD = re.compile(r"Thread\[[^\]\n]*\]")
BEFORE_LEVEL = re.compile(rf"[^\s\[\]]+(?= \[(?:{layouts.LEVEL_FORM})\])")
FIELD = re.compile(r"[^|\n]*(?=\|)")
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
    all_lines = [line.rstrip(b"\r") for line in text.split(b"\n")]
    texts = [line.decode(errors="replace") for line in all_lines]
    begin = _first_of_a_record(texts)
    sampled = slice(begin, begin + FIRST_LINES)
    lines, readable = all_lines[sampled], texts[sampled]
    tried = dict.fromkeys((*layouts.USUAL, *candidates(readable)))
    sample = b"\n".join(lines) + b"\n"
    best, most = _best(tried, lines, sample, (layouts.KAFKA, (0, 0)))
    if most[0] < KNOWN_ENOUGH * sum(1 for line in readable if ANCHOR.search(line)):
        patterns = anchored(readable, time_within, is_known)
        found = dict.fromkeys(each for pattern in patterns for each in _with_classes(pattern))
        best, most = _best(found, lines, sample, (best, most))
    return best


def _first_of_a_record(lines: list[str]) -> int:
    """How many lines go on with a record that began in an older file; 0 where all do."""
    begin = 0
    if len(lines) > 1 and GOES_ON.match(lines[1]) and _head(lines[0]) is None:
        begin = 1  # cut amid the line
    while begin < len(lines) and GOES_ON.match(lines[begin]):
        begin += 1
    return begin if begin < len(lines) else 0


def _with_classes(pattern: str) -> tuple[str, ...]:
    """A pattern, before it those with a class behind the message where it has none."""
    if "logger" in layouts.layout(pattern).parts:
        return (pattern,)
    return tuple(pattern.replace("%m", f"%m{tail}") for tail in (" (%c)", " (%c:%L)", ""))


def _best(
    tried: Iterable[str], lines: list[bytes], sample: bytes, so_far: tuple[str, tuple[int, int]]
) -> tuple[str, tuple[int, int]]:
    """The candidate under which the most lines are known, and its worth."""
    best, most = so_far
    for candidate in tried:
        begins = _records_begun(candidate, lines)
        if not begins or begins < most[0] // 2:
            continue
        worth = (known_lines(candidate, sample), begins)
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
    begun = ended = others = 0
    is_open = False
    for line in lines:
        head = begins.match(line)
        if head and not _names_a_part_of_kafka(head, line):
            begun, is_open = begun + 1, True
        elif opens is not None and opens.match(line):
            others, is_open = others + 1, False
        if is_open and (not found.tail or ends.search(line)):  # perhaps some lines later
            ended, is_open = ended + 1, False
    # the last record may go on behind these lines
    return max(begun + ended - others + bool(ended and is_open), 0)


def _names_a_part_of_kafka(head: re.Match[bytes], line: bytes) -> bool:
    """Whether what a layout takes for the thread or a context begins a message of Kafka's."""
    if ANCHOR.search(head[0].decode(errors="replace")):
        return True
    if "thread" not in head.groupdict() or head.start("thread") < 1:
        return False
    return bool(IDENTITY.match(line[head.start("thread") - 1 :].decode(errors="replace")))


def known_lines(candidate: str, sample: bytes) -> int:
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
    alike = (
        [head for head in heads if head.shape == shape]
        for shape, count in shapes.most_common(SHAPES)
        if count >= min(LEAST, len(heads))
    )
    return list(dict.fromkeys(each for some in alike for each in _patterns(some)))


def _patterns(heads: list[Head]) -> Iterator[str]:
    """The pattern of heads that have the same parts, before it one with what nearly all of their
    lines end with."""
    pattern = _pattern(heads)
    for form, text in BEHIND:
        keys = Counter(found[1] for head in heads if (found := form.search(head.line)))
        if keys.total() >= KNOWN_ENOUGH * len(heads):
            key = keys.most_common(1)[0][0]
            yield pattern.removesuffix("%n") + text.replace("KEY", key) + "%n"
    yield pattern
    yield re.sub(r"\[%(?:X\{\}|t)\] %m", "%notEmpty{[%X{}] }%m", pattern)


def _head(line: str) -> Head | None:
    """The head of a line; None where nothing tells that a record begins."""
    parts: list[Part] = []
    at = 0
    seen: set[str] = set()
    while at < len(line):
        blanks = _blanks(line, at)
        here = at + blanks
        found = None if IDENTITY.match(line, here) else _part(line, here, seen, bool(parts))
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
    if "time" not in seen and (time := time_at(line, at)):
        return "time", f"%d{{{time[0]}}}", time[1]
    # the day in brackets of its own: `[2026-11-21] [02:07:58.816]`
    time = time_at(line, at + 1) if "time" not in seen and line.startswith("[", at) else None
    if time and line.startswith("]", time[1]):
        return "time", f"[%d{{{time[0]}}}]", time[1] + 1
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
    if "logger" not in seen and (name := CLASS.match(line, at)):
        pattern = _logger(name)
        if pattern or _is_class(name[1], line[name.end() :]):
            return "logger", pattern or ("%c:%L" if name[2] else "%c"), name.end()
    if not {"thread", "level"} & seen and (word := BEFORE_LEVEL.match(line, at)):
        return "thread", "%t", word.end()
    return None


def _bracketed(inner: str, seen: set[str]) -> tuple[str, str] | None:
    """The kind and pattern of the text in brackets."""
    text = inner.strip()
    if "time" not in seen and (time := time_at(text, 0)) and time[1] == len(text):
        return "time", f"%d{{{time[0]}}}"
    if "level" not in seen and LEVEL.fullmatch(text):
        return "level", "%p"
    if "logger" not in seen and (name := CLASS.fullmatch(text)) and (pattern := _logger(name)):
        return "logger", pattern
    if "thread" in seen or (not THREAD.search(text) and ("logger" in seen or len(text) > 100)):
        return "any", "%X{}"
    return ("thread", "%t") if THREAD.search(text) else ("any", "%X{}")


def _logger(name: re.Match[str]) -> str:
    """The pattern of a class of Kafka's, perhaps with its method; none of another word."""
    line = ":%L" if name[2] else ""
    if is_kafkas(name[1]):
        return f"%c{line}"
    return f"%c.%M{line}" if is_kafkas(name[1].rpartition(".")[0]) else ""


def _is_class(name: str, after: str) -> bool:
    """Whether a word is a logger of another program: it has packages, or a mark follows."""
    last = name.rpartition(".")[2]
    return ("." in name or bool(re.match(r"\s*(-{1,3}|:)\s", after))) and last[:1].isupper()


def _pattern(heads: list[Head]) -> str:
    """The pattern of heads that have the same parts."""
    text, parts = "", heads[0].parts
    for place, part in enumerate(parts):
        before = max(head.parts[place].blanks for head in heads)
        one_before = parts[place - 1] if place else part
        # Padding within brackets ends with them.
        padded = part.kind in PADDED or (
            one_before.kind in PADDED and not one_before.pattern.endswith(("]", ")"))
        )
        text += " " * (2 if before > 1 and not padded else bool(before))
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
        if 2 * len(found) > len(heads) and any(
            "." in each[1] or is_known(each[1]) for each in found
        ):
            text = text.replace("%t", "%X{}") if threaded else text
            if any(match[2] for match in found):
                text = text.replace("%c", "%c:%L").replace("%F", "%F:%L")
            return text
    return ""


def _blanks(line: str, at: int) -> int:
    return len(line) - at - len(line[at:].lstrip(" "))
