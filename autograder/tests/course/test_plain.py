"""Holds what a learner reads to plain words, short sentences and short code."""

import pytest

from autograder.course.plain_text import PageText, sentences_of, words_of
from autograder.course.plain_words import (
    CWIKI,
    KIP_IN_WORDS,
    hard_words,
    kips_without_words,
    long_sentences,
    numbers_that_look_like_items,
    problems_of_words,
    terms_without_chinese,
)
from autograder.course.sources import chapters
from kafkalab.tests.shares import few


@pytest.mark.parametrize("chapter", few(chapters(), 4))
def test_a_chapter_is_plain(chapter):
    problems = problems_of_words(chapter)
    assert not problems, f"{chapter}, {len(problems)} places:\n" + "\n".join(problems)


def test_hard_words_are_found_with_their_places():
    piece = PageText("01.py:3", "text", "The rest goes\non; `rest` stands for good.")
    assert [each.split(": …")[0] for each in hard_words(piece)] == [
        "01.py:3: «stands», write «is, is written, or is established»",
        "01.py:3: «The rest», write «remainder, or the others»",
        "01.py:3: «goes on», write «continues»",
        "01.py:3: «for good», write «until the end»",
    ]


def test_sentences_are_cut_where_they_end():
    text = "# A heading\n\nOne `x.y` is two. It has\nfour words: yes!\n\n- an item\n- *two.*\n\n"
    text += "| a | A cell. Two. |\n|---|---|\n\n```\ncode here.\n```\n"
    assert [words_of(each) for each in sentences_of(text)] == [4, 5, 2, 1, 2, 1]
    long = PageText("01.py:3", "text", " ".join(["word"] * 29) + ".")
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
