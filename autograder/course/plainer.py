"""Lists words that no docstring, comment or page of the course uses, each with a plainer word."""

from __future__ import annotations

PLAINER = {
    r"anew": "again",
    r"astray": "wrong",
    r"befalls?|befell": "happens to",
    r"reckons?|reckoned|reckoning": "calculate",
    r"goodbye": "LEAVE_GROUP, or close",
    r"whoever": "the one that",
    r"meanwhile": "while, or at the same time",
    r"slack": "margin",
    r"deals?|dealt|dealer|dealing": "assign",
    r"(?<!loglevel )stood": "was",
    r"(?<!loglevel )stands (?!for\b)": "is, is written, or is established",
    r"comes? of it|came of it|comes of|came of": "result",
    r"for good": "until the end",
    r"the rest": "the remainder, or the others",
    r"no more(?= than)?(?= in \d)": "until",
    r"lodging|guests?|colleagues?": "say what it is",
    r"may well|needs must|lest|hence|thus|thereof|therein|whence|whither": "use an ordinary word",
}
"""A pattern that no docstring and no comment holds -> what to write instead."""
