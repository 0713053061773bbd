"""What a reader of the rendered answer would not see: comments, attributes, link titles, hidden
elements, control characters.

An answer is a Markdown cell. Text that Markdown or HTML hides explains nothing to anybody, so the
scorer does not read it either, and says so when there is enough of it to be meant.
"""

from __future__ import annotations

import re
import unicodedata

_TAGS = (
    "a|abbr|article|b|big|blockquote|body|br|button|center|code|details|div|em|font|footer|form|"
    "h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|li|link|mark|meta|noscript|object|ol|"
    "option|p|pre|s|script|section|select|small|span|strong|style|sub|summary|sup|svg|table|tbody|"
    "td|template|textarea|th|thead|title|tr|u|ul|video"
)
_HIDING = re.compile(
    r"\bhidden\b|display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0"
    r"|opacity\s*:\s*0(?![.\d]*[1-9])|(?<![-\w])(?:height|width)\s*:\s*0",
    re.IGNORECASE,
)
_OPENING = re.compile(rf"<({_TAGS})\b((?:\"[^\"]*\"|'[^']*'|[^<>\"'])*)>", re.IGNORECASE)
_UNSEEN = (
    re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL),
    re.compile(
        r"<(script|style|template|noscript|title|textarea)\b[^>]*>.*?(?:</\1\s*>|\Z)",
        re.DOTALL | re.IGNORECASE,
    ),
    # [//]: # (a comment), [1]: http://... "title"
    re.compile(r"^[ \t]*\[[^\]\n]*\]:[^\n]*$", re.MULTILINE),
    # an image, with the words that stand for it
    re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])"),
    # a link's address and title
    re.compile(r"(?<=\])\([^()\s]*(?:\s+(?:\".*?\"|'.*?')(?=\s*\)))?\s*\)", re.DOTALL),
    re.compile(r"https?://\S+"),
    re.compile(rf"</?(?:{_TAGS})\b(?:\"[^\"]*\"|'[^']*'|[^<>\"'])*>", re.IGNORECASE),
)
_LEAST_WORDS = 4
_WORD = re.compile(r"[A-Za-z]{2,}|[\u3400-\u9fff]{2}")
# come along when text is copied from a page
_INNOCENT = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f")


def unseen(answer: str) -> list[tuple[int, int]]:
    """Character ranges a reader would not see, in order, without overlaps."""
    ranges = (
        [match.span() for pattern in _UNSEEN for match in pattern.finditer(answer)]
        if "<" in answer or "]" in answer or "://" in answer
        else []
    )
    for opening in _OPENING.finditer(answer):
        if _HIDING.search(opening[2]):
            closing = re.compile(rf"</{opening[1]}\s*>", re.IGNORECASE).search(
                answer, opening.end()
            )
            ranges.append((opening.start(), closing.end() if closing else len(answer)))
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def hides(answer: str) -> bool:
    """Whether so many words are out of sight, or so many characters invisible,
    that somebody meant it."""
    words = sum(
        len(_WORD.findall(re.sub(r"https?://\S+|</?\w+|\w+\s*=", " ", answer[start:end])))
        for start, end in unseen(answer)
    )
    invisible = sum(
        unicodedata.category(character) == "Cf" and character not in _INNOCENT
        for character in answer
    )
    return words >= _LEAST_WORDS or invisible > 3
