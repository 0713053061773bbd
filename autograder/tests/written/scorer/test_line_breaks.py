"""A break that only wraps a line is a space, as Markdown shows it; a list's lines stay apart."""

import textwrap

import pytest

from autograder.course.references import reference
from autograder.written import rubrics
from autograder.written.scorer.text import SENTENCE_END, read


@pytest.mark.parametrize("question", sorted(rubrics.by_question()))
@pytest.mark.parametrize("columns", [60, 80, 100])
def test_a_wrapped_answer_gets_what_it_gets_on_one_line(question, columns):
    answer = " ".join(reference(question).split())
    flat, wrapped = (
        rubrics.suggest(question, text) for text in (answer, textwrap.fill(answer, columns))
    )
    assert (wrapped.mark, wrapped.flags) == (flat.mark, flat.flags)


@pytest.mark.parametrize(
    "lines",
    [
        "one connection to bootstrap\none to the coordinator",
        "- one connection goes to the bootstrap address, to ask\n- one goes to the coordinator",
        "The first of them goes to the bootstrap address.\nThe second one to the coordinator",
        "This is how many connections it opens in all:\nthree, and one of them is idle",
        "第一个连接到引导地址\n第二个连接到协调者",
    ],
)
def test_lines_that_are_no_wrapped_text_stay_apart(lines):
    assert SENTENCE_END in read(lines).line.strip().strip(SENTENCE_END)
