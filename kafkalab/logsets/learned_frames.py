"""Learns what a tool has put around every line of a log, from the lines themselves.

Stack traces and settings tell: their lines begin in many ways, so what they have in common with the
lines that begin records is not the log's own. `[shop-6d4f] `, `│ `, `Nov 21 02:08:00.123456 web-1
shop[471]: ` are found this way, whatever tool wrote them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import zip_longest

from kafkalab.logsets.layouts import LEVEL_FORM, OPENING

FEW = 2  # So many lines must begin no record.
# The share of lines that must begin one behind the frame: a broker lists its settings first.
BEGUN = 0.05
ODD = 0.05  # The share of lines that may be without the frame: a banner, a prompt.
LOOKED_AT = 160  # Bytes at the begin of a line.
MOST_SOURCES = 20
PIECE = re.compile(rb"\d+(?![\w])|\w[\w.\-/@]*|[ ]+|[^\w ]")
LEVEL = re.compile(rf"\b(?:{LEVEL_FORM})\b".encode())
LEVELED = re.compile(rf"\W?(?:{LEVEL_FORM})\b".encode())
CLOCK = re.compile(rb"\d\d:\d\d:\d\d|\d{10}")
# The last time before a level: what is before it is no part of a record.
OWN_TIME = re.compile(
    rf".{{0,{LOOKED_AT}}}?(\[?\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?!.{{0,80}}"
    rf"\d\d:\d\d:\d\d.{{0,40}}\b(?:{LEVEL_FORM})\b).{{0,80}}?\b(?:{LEVEL_FORM})\b)".encode()
)
STREAMS = {b"stdout", b"stderr", b"OUT", b"ERR", b"O", b"E", b"F", b"P"}
HOW = "framed "  # The name of such a wrapping goes on with its two regular expressions.
BETWEEN = "\x00"


def frame_of(sample: list[bytes]) -> str | None:
    """The name of a wrapping with what is around these lines; None where nothing is."""
    prefix, suffix = _prefix(sample), _suffix(sample)
    if not prefix and suffix in ("", ")"):  # Kafka's own records end so, and lines of a stack trace
        return None
    name = f"{HOW}{prefix}{BETWEEN}{suffix}"
    take = framed(name)
    inner = [text for line in sample if (text := take(line)[0]) is not None]
    opening = LEVELED if _tells_time(sample, inner) else OPENING
    begun = sum(1 for line in inner if opening.match(line))
    if inner and all(text.startswith(b'{"') for text in inner):
        return name  # JSON, whose own keys tell more
    if begun < BEGUN * len(sample) or begun > len(inner) - FEW:
        return None
    # A frame that holds the records' own times or levels is none.
    return (
        name if begun >= sum(1 for line in inner if LEVEL.search(line[:LOOKED_AT])) // 2 else None
    )


def frame_before_times(sample: list[bytes]) -> str | None:
    """The name of a wrapping with what is before the records' own times, where each line of a
    sample is a record; None where nothing is."""
    fronts = [line[: found.start(1)] for line in sample if (found := OWN_TIME.match(line))]
    if len(fronts) < max(FEW, (1 - ODD) * len(sample)):
        return None
    prefix, suffix = _prefix(fronts), _suffix(sample)
    suffix = suffix if suffix[:1] in (" ", "<") else ""
    name = f"{HOW}{prefix}{BETWEEN}{suffix}"
    take = framed(name)
    taken = [line for line in sample if (text := take(line)[0]) and OPENING.match(text)]
    return name if prefix.strip() and len(taken) >= (1 - ODD) * len(sample) else None


def _tells_time(sample: list[bytes], inner: list[bytes]) -> bool:
    """Whether the frame of these lines has a time, and the lines within have none."""
    if len(inner) < len(sample) or any(OWN_TIME.match(t) or OPENING.match(t) for t in inner):
        return False
    outer = [line.removesuffix(text) for line, text in zip(sample, inner)]
    return all(map(CLOCK.search, outer))


def framed(name: str) -> Callable[[bytes], tuple[bytes | None, str]]:
    """A function that takes a line out of this wrapping, and tells its source."""
    prefix, suffix = name.removeprefix(HOW).split(BETWEEN)
    begins, ends = re.compile(prefix.encode("latin-1")), suffix.encode("latin-1")

    def take(line: bytes) -> tuple[bytes | None, str]:
        found = begins.match(line)
        if not found:
            # The blanks at the end of a frame are lost where its line is empty.
            return (b"" if begins.match(line + b" ") else None), ""
        source = b" ".join(filter(None, found.groups())).decode(errors="replace")
        text = line[found.end() :]
        # A table's cell is padded up to its end.
        padded = ends.startswith(b" ")
        text = text.removesuffix(ends)
        if ends == b'"':  # a cell of a table
            text = text.replace(b'""', b'"')
        return text.rstrip(b" ") if padded else text, source

    return take


def _prefix(sample: list[bytes]) -> str:
    """A regular expression for what lines have in common at their begin, as Latin-1."""
    split = [PIECE.findall(line[:LOOKED_AT]) for line in sample]
    kinds = Counter(_kind(pieces[0]) for pieces in split if pieces)
    if not kinds or kinds.most_common(1)[0][1] < (1 - ODD) * len(sample):
        return ""
    usual = kinds.most_common(1)[0][0]
    split = [pieces for pieces in split if pieces and _kind(pieces[0]) == usual]
    is_json = all(b'{"' in line or b"{ " in line for line in sample)
    places = []
    for place in zip_longest(*split):
        different = set(place)
        if different == {b"{"} and is_json:
            break
        if None in different or len({_kind(piece) for piece in different}) > 1:
            break
        places.append(different)
    forms = list(map(_form, places))
    if places and all(piece.isspace() for piece in places[-1]):
        forms[-1] = min(places[-1], key=len)  # more blanks are the line's own
    return b"".join(forms).decode("latin-1")


def _kind(piece: bytes) -> bytes:
    """Pieces of one kind may stand for each other: numbers, words, blanks, and each mark itself."""
    if piece.isdigit():
        return b"0"
    return b"a" if piece[:1].isalnum() or piece[:1] == b"_" else piece[:1]


def _form(different: set[bytes]) -> bytes:
    """The regular expression for pieces of one kind. Words of few sorts name the source."""
    one = next(iter(different))
    if one.isdigit():
        return rb"\d+"
    if one[:1] == b" ":
        return b" " if different == {b" "} else b" +"
    if len(different) == 1:
        return re.escape(one)
    form = rb"\w[\w.\-/@]*"
    return b"(%s)" % form if len(different) <= MOST_SOURCES and not different & STREAMS else form


def _suffix(sample: list[bytes]) -> str:
    """What all lines have in common at their end."""
    shortest = min(sample, key=len, default=b"")
    common = next(
        (
            shortest[at:]
            for at in range(len(shortest))
            if sum(1 for line in sample if line.endswith(shortest[at:])) >= (1 - ODD) * len(sample)
        ),
        b"",
    )
    # what is after a record of JSON, but not its own end
    common = common[common.rfind(b"}") + 1 :]
    return common.decode("latin-1") if common.strip() and not common[:1].isalnum() else ""
