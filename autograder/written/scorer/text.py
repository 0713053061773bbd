"""Reads an answer as a row of tokens, each with its place in the text.

English words, numbers, punctuation and single Chinese characters are all tokens. The row is also
kept as one string, `line`, in which every token is preceded by exactly one blank and a sentence
ends with `¶`. Patterns (see `patterns.py`) search that string, so one pattern can hold both
languages, and a hit can always be shown in the learner's own text.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from autograder.written.scorer import hidden

if TYPE_CHECKING:
    from opencc import OpenCC

SENTENCE_END = "¶"
# A line that was wrapped has so many columns. A shorter one is a note of its own, as in a list
# without marks, and a longer one was never wrapped.
WRAPPED_COLUMNS = range(40, 121)
_ENDS = re.compile(r"[.!?。!?;;::][\"'”’)\])*_`]*\s*$")
# a list's item, a heading, a quotation, a table or a block of code begins
_BEGINS = re.compile(r"\s*([-*+•#>|]|\d+\s*[.)、)]|[(（]\d+[)）]|```)")
_BEGINS_OWN_LINE = re.compile(r"\s*([#|]|```)")
CLAUSE_MARKS = frozenset({SENTENCE_END, ",", ";", ":", "(", ")", "、", "…"})

# One pass over the lower-cased, NFKC-folded text. Order matters: a config name or "2.3" must not
# end a sentence.
_TOKEN = re.compile(
    r"(?P<abbreviation>\b(?:incl|etc|vs|approx|resp|cf|e\.g|i\.e)\.)"
    r"|(?P<call>\(\s*\))"
    r"|(?P<dotted>[a-z]+(?:\.[a-z]+)+)"
    r"|(?P<word>(?:b/c|w/o|w/)(?![a-z])|[a-z]+(?:'[a-z]+)?)"
    r"|(?P<negative>(?<![\w)\-])(?<!\d )-\d+)"
    r"|(?P<number>\d+(?:\.+\d+)*)"
    r"|(?P<arrow>-+>|=+>|[→⇒➜])"
    r"|(?P<end>[.!?。\n]+)"
    r"|(?P<chinese>[\u3400-\u9fff])"
    r"|(?P<mark>[,;:()/+=<>\"…、\[\]&%-])"
)

_CONTRACTIONS = {
    "can't": "can not",
    "cannot": "can not",
    "cant": "can not",
    "won't": "will not",
    "wont": "will not",
    "n't": "not",
    "dont": "do not",
    "doesnt": "does not",
    "isnt": "is not",
    "arent": "are not",
    "wasnt": "was not",
    "didnt": "did not",
    "wouldnt": "would not",
    "couldnt": "could not",
    "shouldnt": "should not",
    "hasnt": "has not",
    "havent": "have not",
    "cuz": "because",
    "coz": "because",
    "bc": "because",
    "b/c": "because",
    "w/o": "without",
    "w/": "with",
    "conn": "connection",
    "conns": "connections",
    "addr": "address",
    "addrs": "addresses",
    "coord": "coordinator",
    "hb": "heartbeat",
    "hbs": "heartbeats",
    "ctor": "constructor",
    "obj": "object",
    "lb": "load balancer",
}

_QUOTES = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "`": " ",
        "“": '"',
        "”": '"',
        "–": "-",
        "—": ",",
        "−": "-",
        "*": " ",
        "_": " ",
        "#": " ",
        "|": ",",
        "•": "\n",
        "·": " ",
        "≤": "<=",
        "≥": ">=",
        "≦": "<=",
        "≧": ">=",
        "×": "x",
    }
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token: its folded text, and the half-open range of
    characters it stands for in the answer."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Reading:
    """An answer as the scorer reads it."""

    answer: str
    tokens: tuple[Token, ...]
    line: str
    starts: tuple[int, ...]  # position of each token's blank in `line`

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens that carry meaning: no punctuation, no sentence ends."""
        return tuple(
            token.text
            for token in self.tokens
            if token.text[0].isalnum() or (token.text[0] == "-" and len(token.text) > 1)
        )

    @property
    def chinese_share(self) -> float:
        """Share of the answer's words that are Chinese characters, 0..1."""
        words = self.words
        return sum(is_chinese(word) for word in words) / len(words) if words else 0.0

    def token_at(self, position: int) -> int:
        """Index of the token that covers a position of `line`."""
        return max(0, bisect_right(self.starts, position) - 1)

    def sentence_of(self, index: int) -> tuple[int, int]:
        """First and one-past-last token index of the sentence around a token."""
        first = index
        while first > 0 and self.tokens[first - 1].text != SENTENCE_END:
            first -= 1
        last = index
        while last < len(self.tokens) and self.tokens[last].text != SENTENCE_END:
            last += 1
        return first, last

    def sentences(self) -> list[tuple[int, int]]:
        """Token ranges of all sentences, in order, without their end marks."""
        found, first = [], 0
        for index, token in enumerate(self.tokens):
            if token.text == SENTENCE_END:
                if index > first:
                    found.append((first, index))
                first = index + 1
        if first < len(self.tokens):
            found.append((first, len(self.tokens)))
        return found

    def clauses(self) -> list[tuple[int, int]]:
        """Token ranges between commas, stops, semicolons, colons and brackets, in order."""
        found, first = [], 0
        for index, token in enumerate((*self.tokens, Token(SENTENCE_END, 0, 0))):
            if token.text in CLAUSE_MARKS:
                if index > first:
                    found.append((first, index))
                first = index + 1
        return found

    def quote(self, first: int, last: int) -> tuple[int, int, str]:
        """Character range and text of the answer from token `first` up to, not including,
        token `last`."""
        if last <= first:
            return 0, 0, ""
        start, end = self.tokens[first].start, self.tokens[last - 1].end
        return start, end, self.answer[start:end]

    def without(self, dropped: set[int]) -> Reading:
        """The same reading with some tokens taken out, as when a copied question is set aside."""
        return _row(
            self.answer, [token for index, token in enumerate(self.tokens) if index not in dropped]
        )


def is_chinese(text: str) -> bool:
    """Whether a token is a Chinese character."""
    return "\u3400" <= text[0] <= "\u9fff"


@lru_cache(maxsize=4096)
def read(answer: str, respell: Callable[[str], str] = lambda word: word) -> Reading:
    """Read an answer. `respell` maps a misspelt word to the word
    of the rubric it most likely meant."""
    folded, origin = _fold(_without_soft_breaks(answer))
    tokens: list[Token] = []
    for match in _TOKEN.finditer(folded):
        start, end = origin[match.start()], origin[match.end() - 1] + 1
        for text in _texts_of(match, respell):
            tokens.append(Token(text, start, end))
    return _row(answer, tokens)


def _without_soft_breaks(answer: str) -> str:
    """The answer with a space for each line break that only wraps a long line. Markdown shows such
    a break as a space, too. Every character keeps its place."""
    lines = answer.split("\n")
    widest = max(_columns(line) for line in lines)
    text = lines[0]
    for line, following in pairwise(lines):
        first_word = following.split()[:1]
        wraps = (
            first_word
            and _columns(line) in WRAPPED_COLUMNS
            # else the wrapping would have put it into the line before
            and _columns(line) + 1 + _columns(first_word[0]) > widest
            and not line.endswith("  ")
            and not _ENDS.search(line)
            and not _BEGINS.match(following)
            and not _BEGINS_OWN_LINE.match(line)
        )
        text += (" " if wraps else "\n") + following
    return text


def _columns(line: str) -> int:
    return sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in line.strip())


def _fold(answer: str) -> tuple[str, list[int]]:
    """Lower case, NFKC, plain quotes and dashes, invisible characters dropped;
    with each character's old position."""
    characters, origin = [], []
    skip_to = 0
    unseen = dict(hidden.unseen(answer))
    for position, character in enumerate(answer):
        if position in unseen and position >= skip_to:
            skip_to = unseen[position]
            characters.append(" ")
            origin.append(position)
        if position < skip_to:
            continue
        plain = _plain(character)
        characters.append(plain)
        origin.extend([position] * len(plain))
    return "".join(characters), origin


@lru_cache(maxsize=10_000)
def _plain(character: str) -> str:
    if unicodedata.category(character) in ("Cf", "Cc") and character not in "\n\t\r":
        return ""
    plain = unicodedata.normalize("NFKC", character.translate(_QUOTES)).lower()
    if plain and is_chinese(plain):
        return _simplifier().convert(plain)
    return "".join(c for c in unicodedata.normalize("NFD", plain) if not unicodedata.combining(c))


@cache
def _simplifier() -> OpenCC:
    """Turns traditional characters into simplified ones. It is made for the first Chinese text."""
    from opencc import OpenCC

    return OpenCC("t2s")


def _texts_of(match: re.Match[str], respell: Callable[[str], str]) -> list[str]:
    text = match.group()
    if match.lastgroup == "end":
        return [SENTENCE_END]
    if match.lastgroup in ("abbreviation", "call"):
        return []  # the dot of "e.g." ends no sentence, and start() is start
    if text == ";":
        return [","]  # "assign the fields; leave the constructor; start the thread" is one thought
    if match.lastgroup == "arrow":
        return ["->"]
    if match.lastgroup == "word":
        if text in _CONTRACTIONS:
            return _CONTRACTIONS[text].split()
        if text.endswith("n't"):
            return [text[:-3], "not"]
        text = text.split("'")[0]
        return [respell(text)]
    if (
        match.lastgroup == "mark"
        and text == "-"
        and match.string[match.end() : match.end() + 1].isalpha()
    ):
        return []  # half-built and half built are the same words
    return [text]


def _row(answer: str, tokens: list[Token]) -> Reading:
    starts, pieces, position = [], [], 0
    for token in tokens:
        starts.append(position)
        pieces.append(" " + token.text)
        position += len(token.text) + 1
    return Reading(answer, tuple(tokens), "".join(pieces) + " ", tuple(starts))
