"""Infers a layout from lines whose message has a known begin: `[Consumer clientId=…] `.

What is before that is the head. A time, a level, a class of Kafka's and a thread are searched
for anywhere in it; the marks between them are the layout's own, and other words are passed over. So
layouts are read that nobody has named: `2026-11-20 03:07:51,825;INFO;shop 1.4;main;…`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from kafkalab.logsets import layouts

ANCHOR = re.compile(
    r"\[(?:Consumer|Producer|AdminClient|ShareConsumer) \w+=[^\]]*\] "
    r"|\[[A-Z]\w+ (?:\w*[iI]d=|broker=|partition=|\d+\b)[^\]]*\]:? "
)
LONGEST_HEAD = 300
LEVEL = re.compile(rf"(?<![\w.\-])(?:{layouts.LEVEL_FORM})(?![\w.\-])")
# A level of one letter, by itself or before glog's month and day.
LETTER = re.compile(r"(?<![^\s\[(|])[TDIWEF](?=[\s\])|]|\d{4} )")
NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
FILE = (".java", ".scala")
SOURCE_LINE = re.compile(r"([:@])(?:\d+|\?)(?!\d)")
HELD = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}|\"[^\"]*\"|'[^']*'")
WORD = re.compile(r"[\w.@#$/*+\-]*\w[\w.@#$/*+\-]*")
THREAD = re.compile(r"main|thread|exec|pool|nio|worker|task|scheduling|#\d|-\d+$", re.IGNORECASE)
SHAPES, LEAST = 4, 3

Time = Callable[[str], tuple[str, int, int] | None]
"""Finds a time in a text: its letters, where it begins and ends."""


@dataclass(frozen=True)
class Piece:
    """A piece of a head: `mark` as it is there, or a part: time, level, logger, word, …"""

    kind: str
    text: str
    pattern: str = ""


def anchored(lines: list[str], time: Time, is_class: Callable[[str], bool]) -> list[str]:
    """Patterns that these lines may have been written with, the most frequent first."""
    shapes: dict[tuple, list[list[Piece]]] = {}
    for line in lines:
        found = ANCHOR.search(line, 1)
        # A message in quotes has escapes in it: it belongs to a record of JSON or the like.
        if found and found.start() <= LONGEST_HEAD and line[found.start() - 1] not in "\"'":
            pieces = _pieces(line[: found.start()], time, is_class)
            if {"time", "level"} & {piece.kind for piece in pieces}:
                shapes.setdefault(_shape(pieces), []).append(pieces)
    counted = Counter({shape: len(heads) for shape, heads in shapes.items()})
    least = min(LEAST, counted.total())
    return [
        _pattern(shapes[shape]) for shape, count in counted.most_common(SHAPES) if count >= least
    ]


def _pieces(head: str, time: Time, is_class: Callable[[str], bool]) -> list[Piece]:
    """A head taken apart: the parts that are known, and what is between them."""
    spans: list[tuple[int, int, Piece]] = []
    if found := time(head):
        letters, begin, end = found
        pattern = "%r" if letters == "RELATIVE" else f"%d{{{letters}}}"
        spans.append((begin, end, Piece("time", "", pattern)))
    for level in LEVEL.finditer(head):
        if not _taken(spans, level.start()):
            spans.append((level.start(), level.end(), Piece("level", "", "%p")))
            break
    else:
        if letter := LETTER.search(head):
            spans.append((letter.start(), letter.end(), Piece("level", "", "%p{length=1}")))
    for name in NAME.finditer(head):
        plain = next((name[0].removesuffix(end) for end in FILE if name[0].endswith(end)), name[0])
        if not _taken(spans, name.start()) and is_class(plain):
            end, pattern = name.end(), "%c" if plain == name[0] else "%F"
            if number := SOURCE_LINE.match(head, end):
                end, pattern = number.end(), f"{pattern}{number[1]}%L"
            spans.append((name.start(), end, Piece("logger", "", pattern)))
            break
    pieces: list[Piece] = []
    at = 0
    for begin, end, piece in [*sorted(spans, key=lambda span: span[0]), (len(head), 0, None)]:
        pieces += _between(head[at:begin])
        if piece is not None:
            pieces.append(piece)
            at = end
    return _joined(pieces)


def _taken(spans: list[tuple[int, int, Piece]], at: int) -> bool:
    return any(begin <= at < end for begin, end, _ in spans)


def _between(text: str) -> list[Piece]:
    """What is between two known parts: marks, words, and what is in brackets."""
    pieces: list[Piece] = []
    at = 0
    while at < len(text):
        if held := HELD.match(text, at):
            inside = held[0][1:-1]
            kind = "thread" if THREAD.search(inside) else "word"
            pieces += [Piece("mark", held[0][0]), Piece(kind, inside), Piece("mark", held[0][-1])]
            at = held.end()
        elif word := WORD.match(text, at):
            pieces.append(Piece("thread" if THREAD.search(word[0]) else "word", word[0]))
            at = word.end()
        else:
            pieces.append(Piece("mark", text[at]))
            at += 1
    return pieces


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Marks that follow each other as one. Only the first thread is one."""
    found: list[Piece] = []
    threads = 0
    for piece in pieces:
        if piece.kind == "mark" and found and found[-1].kind == "mark":
            found[-1] = Piece("mark", found[-1].text + piece.text)
            continue
        threads += piece.kind == "thread"
        found.append(Piece("word", piece.text) if piece.kind == "thread" and threads > 1 else piece)
    return found


def _shape(pieces: list[Piece]) -> tuple:
    """Equal for heads of one layout: blanks are padding, and a word may be any."""
    return tuple(
        (piece.kind, piece.pattern, piece.text[:1] == " ", piece.text.strip(" "))
        if piece.kind == "mark"
        else (piece.kind, piece.pattern)
        for piece in pieces
    )


def _pattern(heads: list[list[Piece]]) -> str:
    """The pattern of heads of one shape."""
    text = ""
    last = len(heads[0]) - 1
    for place, piece in enumerate(heads[0]):
        texts = {head[place].text for head in heads}
        if piece.kind == "mark":
            core = piece.text.strip(" ")
            after = {len(mark) - len(mark.rstrip(" ")) for mark in texts}
            mark = " " * piece.text.startswith(" ") + core
            if place == last:
                mark += " " * min(after) * bool(core)
            elif core and min(after):
                mark += " "
            text += mark
            continue
        padding = _padding(heads, place)
        if piece.kind == "word" and len(texts) == 1 and piece.text.isalpha() and not padding:
            text += piece.text
        else:
            pattern = piece.pattern or {"thread": "%t", "word": "%X{}"}[piece.kind]
            text += pattern.replace("%", f"%{padding}", 1)
    return text + "%m%n"


def _padding(heads: list[list[Piece]], place: int) -> str:
    """The width of a part: where blanks around it are not always as many, it is padded."""
    before = {_blanks_at_end(head[place - 1].text) for head in heads} if place else {0}
    after = {
        len(head[place + 1].text) - len(head[place + 1].text.lstrip(" "))
        for head in heads
        if place + 1 < len(head)
    }
    if max(before) > 1 or len(before) > 1:
        only = place and not heads[0][place - 1].text.strip(" ")
        if not only or place == 1:
            return "5"
    return "-5" if after and (max(after) > 1 or len(after) > 1) else ""


def _blanks_at_end(text: str) -> int:
    return len(text) - len(text.rstrip(" "))
