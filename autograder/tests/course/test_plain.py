"""Holds what a learner reads to plain words, short sentences and short code.

A message names the place and says what to write. The readers learn Kafka in their second language
(B2), so a word has one meaning and a sentence one fact.
"""

import re
import statistics

import pytest

from autograder.course.sources import author_notebook, chapters
from autograder.tests.course.plain_text import (
    Piece,
    markdown_of,
    pieces,
    sentences,
    without_code,
    words_of,
)
from kafkalab.tests.house.plainer import PLAINER

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
"""The house does not write it of its own parts; a learner's colleague may have written a loop."""
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


def hard_words(piece: Piece) -> list[str]:
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


def long_sentences(said: list[Piece]) -> list[str]:
    """The sentences that are too long, and the median where it is."""
    found = [(piece.where, each) for piece in said for each in sentences(piece.text)]
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


@pytest.mark.parametrize("chapter", chapters())
def test_a_chapter_is_plain(chapter):
    all_pieces, text = pieces(chapter), markdown_of(chapter)
    problems = [
        *(each for piece in all_pieces for each in hard_words(piece)),
        *long_sentences([piece for piece in all_pieces if piece.kind in ("text", "sentence")]),
        *kips_without_words(text),
        *terms_without_chinese(text),
        *numbers_that_look_like_items(text),
        *long_cells(chapter),
    ]
    assert not problems, f"{chapter}, {len(problems)} places:\n" + "\n".join(problems)


def test_hard_words_are_found_with_their_places():
    piece = Piece("01.py:3", "text", "The rest goes\non; `rest` stands for good.")
    assert [each.split(": …")[0] for each in hard_words(piece)] == [
        "01.py:3: «stands», write «is, is written, or is established»",
        "01.py:3: «The rest», write «remainder, or the others»",
        "01.py:3: «goes on», write «continues»",
        "01.py:3: «for good», write «until the end»",
    ]


def test_sentences_are_cut_where_they_end():
    text = "# A heading\n\nOne `x.y` is two. It has\nfour words: yes!\n\n- an item\n- *two.*\n\n"
    text += "| a | A cell. Two. |\n|---|---|\n\n```\ncode here.\n```\n"
    assert [words_of(each) for each in sentences(text)] == [4, 5, 2, 1, 2, 1]
    long = Piece("01.py:3", "text", " ".join(["word"] * 29) + ".")
    assert len(long_sentences([long])) == 2


def test_a_kip_is_expanded_and_linked_once():
    assert kips_without_words("Nothing.") == []
    assert len(kips_without_words("It came with KIP-98.")) == 2
    good = f"A [{KIP_IN_WORDS}]({CWIKI}) (KIP) changed it: KIP-98.\n\nLater KIP-99."
    assert kips_without_words(good) == []


def test_a_term_has_its_chinese_where_it_is_bold_first():
    words = "\n\n**Words**: long poll 长轮询 · node id 节点编号\n"
    good = "A **long\npoll** (长轮询) and **node ids (节点编号)**."
    assert terms_without_chinese(good + words) == []
    bad = "A **long poll** waits. Then a **long poll** (长轮询)."
    assert [each[:12] for each in terms_without_chinese(bad + words)] == [
        "«long poll» ",
        "«node id» is",
    ]


def test_a_sentence_that_ends_with_a_number_is_no_item_of_a_list():
    assert numbers_that_look_like_items("Do this:\n\n1. One.\n2. Two.\n\n## Next\n\n1. One.") == []
    assert len(numbers_that_look_like_items("She hears of it at second\n51. That is late.")) == 1
