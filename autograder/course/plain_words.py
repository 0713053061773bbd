"""Finds what a learner should not have to read: hard words, long sentences and long code.

A message names the place and says what to write. The readers learn Kafka in their second language
(B2), so a word has one meaning and a sentence one fact.
"""

from __future__ import annotations

import re
import statistics

from autograder.course.plain_text import (
    PageText,
    markdown_of,
    pieces,
    sentences_of,
    without_code,
    words_of,
)
from autograder.course.plainer import PLAINER
from autograder.course.sources import author_notebook

MEDIAN_WORDS, MOST_WORDS, MOST_LINES = 12, 28, 15
FOR_LEARNERS = {
    r"stands? still|stood still|standing still": "stops, or blocks",
    r"stands?|standing|stood": "is, is written, or is established",
    r"rests?|the rest": "remainder, or the others",
    r"going on about": "says",
    r"go(?:es)? on|went on|gone on": "continues",
    r"deals?(?: out)?|dealt|dealer|dealing": "assign",
    r"comes? of|came of": "is the result of",
    r"promises? made good|made good": "finished",
    r"so long may": "for at most this long",
    r"a good (?:two|three|four|five|ten|\d+)": "a little more than",
    r"in no order": "in arbitrary order",
    r"in the order of (?:writing|time)": "in time order",
    r"last word": "result",
    r"worth doing once more": "to repeat",
    r"once more": "again",
    r"addresses and no broker": "only addresses, no broker yet",
    r"a int": "an int",
}
"""What learners stumbled over -> what to write instead."""
A_WORD_OF_LEARNERS = "colleague"
"""The house does not write it of its own parts; of people a learner may read it."""
PLAIN = {
    **FOR_LEARNERS,
    **{word: plain for word, plain in PLAINER.items() if A_WORD_OF_LEARNERS not in word},
}
CWIKI = "https://cwiki.apache.org/confluence/display/KAFKA/Kafka+Improvement+Proposals"
KIP_IN_WORDS = "Kafka Improvement Proposal"
REACH = 40
"""How many characters after a bold term its Chinese may be."""
SOLUTION = re.compile(r"(?s)### BEGIN SOLUTION.*?### END SOLUTION")
CHINESE = re.compile(r"[一-鿿]")


def hard_words(piece: PageText) -> list[str]:
    """The words of a piece that have a plainer one."""
    text = " ".join(without_code(piece.text).split())
    said, seen = [], set()
    for pattern, instead in PLAIN.items():
        for found in re.finditer(rf"\b(?:{pattern})\b", text, re.IGNORECASE):
            if seen.isdisjoint(place := range(*found.span())):
                around = text[max(0, found.start() - 30) : found.end() + 30]
                said.append(f"{piece.where}: «{found.group()}», write «{instead}»: …{around}…")
            seen.update(place)
    return said


def long_sentences(said: list[PageText]) -> list[str]:
    """The sentences that are too long, and the median where it is."""
    found = [(piece.where, each) for piece in said for each in sentences_of(piece.text)]
    problems = [
        f"{where}: a sentence of {words_of(each)} words, at most {MOST_WORDS}: «{each}»"
        for where, each in found
        if words_of(each) > MOST_WORDS
    ]
    median = statistics.median(words_of(each) for _, each in found)
    if median > MEDIAN_WORDS:
        problems.append(f"the median sentence has {median} words, at most {MEDIAN_WORDS}")
    return problems


def kips_without_words(text: str) -> list[str]:
    """The first KIP of a chapter is expanded and linked in its paragraph, or before it."""
    first = re.search(r"\bKIPs?\b", text)
    if first is None:
        return []
    until = text.find("\n\n", first.end())
    before = " ".join(text[: until if until >= 0 else None].split())
    wanted = f"[{KIP_IN_WORDS}]({CWIKI})"
    return [
        f"the first «KIP» has no «{part}» beside it: write {wanted}"
        for part in (KIP_IN_WORDS, CWIKI)
        if part not in before
    ]


def terms_without_chinese(text: str) -> list[str]:
    """Each term of the list **Words** has its Chinese in brackets at its first bold use."""
    listed = re.search(r"^\*\*Words\*\*:(.*?)(?:\n\n|\Z)", text, re.MULTILINE | re.DOTALL)
    if listed is None:
        return []
    said = []
    for entry in " ".join(listed[1].split()).split(" · "):
        gloss = CHINESE.search(entry)
        term = entry[: gloss.start() if gloss else None].strip()
        bold = rf"\*\*(?:[^*\n]*\n?[^*\n]*\b)??{re.escape(term)}[^*]*\*\*"
        first = re.search(bold.replace(r"\ ", r"[\s-]+"), text[: listed.start()], re.IGNORECASE)
        if first is None:
            said.append(f"«{term}» is in the word list and never bold in the text")
            continue
        beside = text[first.end() : first.end() + REACH].split(". ")[0]
        if not CHINESE.search(first.group() + beside):
            said.append(f"«{term}» has no Chinese at its first bold use: {entry}")
    return said


def numbers_that_look_like_items(text: str) -> list[str]:
    """A line of a paragraph that begins with a number and a full stop: a page shows it as an item
    of a list, and the sentence is broken in two."""
    said, wanted = [], 1
    for line in text.splitlines():
        if found := re.match(r"\s*(\d+)\. ", line):
            number = int(found[1])
            if number not in (1, wanted):
                said.append(f"a line begins with a number that ends a sentence: «{line.strip()}»")
                continue
            wanted = number + 1
        elif line.startswith("#"):
            wanted = 1
    return said


def long_cells(chapter: str) -> list[str]:
    """The code cells that a learner has to read and that are too long."""
    said = []
    for cell in author_notebook(chapter).cells:
        if cell.cell_type == "code" and not cell.metadata.get("jupyter", {}).get("source_hidden"):
            shown = SOLUTION.sub("", cell.source)
            lines = [line for line in shown.splitlines() if line.strip()]
            if len(lines) > MOST_LINES:
                said.append(
                    f"a cell of {len(lines)} lines, at most {MOST_LINES}, begins «{lines[0]}»: "
                    "move what prepares to kafkalab/stories, or fold the cell (# %% fold=true)"
                )
    return said


def problems_of_words(chapter: str) -> list[str]:
    """What is not plain in a chapter and its exercises, each with its place."""
    all_pieces, text = pieces(chapter), markdown_of(chapter)
    return [
        *(each for piece in all_pieces for each in hard_words(piece)),
        *long_sentences([piece for piece in all_pieces if piece.kind in ("text", "sentence")]),
        *kips_without_words(text),
        *terms_without_chinese(text),
        *numbers_that_look_like_items(text),
        *long_cells(chapter),
    ]
