"""What check calls right, grade calls right, and the other way round, however it is written."""

import ast
import textwrap

import pytest

from autograder.cell.course_folder import released
from autograder.cell.outcome import Outcome
from autograder.cell.question import asked_chapters, of_chapter
from autograder.course.judge import judge_of
from autograder.course.references import references
from autograder.sandbox.outside.parent import Sandbox
from autograder.tests.agreement import at_home, when_graded
from autograder.tests.honest.styles import STYLES, Written

CHAPTERS = [chapter for chapter in released() if chapter in asked_chapters()]


@pytest.fixture(scope="module")
def sandbox(demo_folder):
    with Sandbox() as opened:
        yield opened


def each_name(line: str, above: tuple[str, ...] = (), below: tuple[str, ...] = ()):
    """The answer, and a line about each of its names."""

    def write(source, names):
        lines = [line.replace("NAME", name) for name in names]
        return Written("\n".join([source, *lines]), above, below)

    return write


def changed(does: str):
    """The plain values in the answer changed by `does`, a function of one value, all the way
    down."""
    body = (
        "def through(it):\n"
        "    if type(it) is dict:\n"
        "        return {key: through(value) for key, value in it.items()}\n"
        "    if type(it) in (list, tuple):\n"
        "        it = type(it)(through(each) for each in it)\n"
        f"    return {does}\n"
    )
    return each_name("NAME = NAME if callable(NAME) else through(NAME)", (body,))


def by_rows(source, names):
    """A cell for each statement above the last one, which stays in the answer's cell."""
    *first, last = [ast.unparse(each) for each in ast.parse(source).body]
    return Written(last, tuple(first)) if first else Written(source)


def rows_below(source, names):
    """The first statement stays in the answer's cell, and the others follow in cells below."""
    first, *rest = [ast.unparse(each) for each in ast.parse(source).body]
    return Written(first, (), tuple(rest))


def bound_above(source, names):
    """The answer is worked out in a cell of the learner's own, under other names."""
    kept = "\n".join(f"my_{name} = {name}" for name in names)
    return Written("\n".join(f"{name} = my_{name}" for name in names), (f"{source}\n{kept}",))


def in_given_names(source, names):
    """A cell of the learner's own binds names that given cells bind, too."""
    return Written(
        "\n".join(f"{name} = n[{place}]" for place, name in enumerate(names)),
        (
            f"def mine():\n{textwrap.indent(source, '    ')}\n    return [{', '.join(names)}]",
            "n = mine()",
        ),
    )


WAYS = {
    "tuples for lists": changed("tuple(it) if type(it) is list else it"),
    "sets for lists": changed(
        "set(it) if type(it) is list and len(set(map(str, it))) == len(it) "
        "and all(type(e) in (int, str) for e in it) else it"
    ),
    "floats for ints": changed("float(it) if type(it) is int else it"),
    "numpy numbers": changed("__import__('numpy').int64(it) if type(it) is int else it"),
    "numpy arrays": changed("__import__('numpy').array(it) if type(it) is list else it"),
    "a numpy bool": changed("__import__('numpy').bool_(it) if type(it) is bool else it"),
    "a series": changed("__import__('pandas').Series(it) if type(it) is list else it"),
    "an index": changed("__import__('pandas').Index(it) if type(it) is list else it"),
    "a series of a dict": each_name(
        "NAME = __import__('pandas').Series(NAME, dtype=object) if type(NAME) is dict else NAME"
    ),
    "fractions": changed("__import__('fractions').Fraction(it) if type(it) is int else it"),
    "decimals": changed("__import__('decimal').Decimal(it) if type(it) is int else it"),
    "blanks round words": changed("f' {it} ' if type(it) is str else it"),
    "capitals": changed("it.upper() if type(it) is str else it"),
    "texts for numbers": changed("str(it) if type(it) is int else it"),
    "an iterator": changed("iter(it) if type(it) is list else it"),
    "keys of a dict": changed(
        "dict.fromkeys(it).keys() if type(it) is list and all(type(e) in (int, str) for e in it)"
        " and len(set(it)) == len(it) else it"
    ),
    "a deque": changed("__import__('collections').deque(it) if type(it) is list else it"),
    "a defaultdict": each_name(
        "NAME = __import__('collections').defaultdict(int, NAME) if type(NAME) is dict else NAME"
    ),
    "other dicts of the library": changed(
        "__import__('types').MappingProxyType(it) if type(it) is dict else it"
    ),
    "filled in a cell below": lambda source, names: Written(
        "\n".join(f"{name} = ..." for name in names), (), (source,)
    ),
    "a counter": each_name(
        "NAME = __import__('collections').Counter(NAME) if type(NAME) is dict "
        "and all(type(v) is int for v in NAME.values()) else NAME"
    ),
    "small letters as keys": each_name(
        "NAME = {k.lower(): v for k, v in NAME.items()} if type(NAME) is dict else NAME"
    ),
    "a list of the draws": each_name("NAME = list(NAME.values()) if type(NAME) is dict else NAME"),
    "split above": by_rows,
    "split below": rows_below,
    "worked out above": bound_above,
    "names of given cells": in_given_names,
    "a text cell between": lambda source, names: Written(source, ("# My notes",), ("# more",)),
}
# another order, other letters or another kind of thing than was asked for
MAY_LOSE = {
    "sets for lists",
    "blanks round words",
    "capitals",
    "texts for numbers",
    "an iterator",
    "small letters as keys",
    "a list of the draws",
}
WAYS |= {style.name: style.write for style in STYLES}


def ways_of(question, chosen) -> dict[str, Written]:
    """The right answer and one wrong one, in each of the chosen ways."""
    right = references(question.chapter)[question.id]
    found = {name: WAYS[name](right, question.answers) for name in chosen}
    for wrong in judge_of(question.id).wrong_answers[:1]:
        found["wrong"] = Written(wrong.source)
    return found


def disagreements(chapter: str, chosen, sandbox, folder) -> list[str]:
    """Where check and grade differ, and where both refuse a right answer in a way that is none of
    its own."""
    tried = {
        question.id: ways_of(question, chosen(place))
        for place, question in enumerate(of_chapter(chapter))
        if question.kind not in ("open", "spark")
    }
    plain = {question: list(ways.values()) for question, ways in tried.items()}
    here, there = at_home(chapter, plain), when_graded(chapter, plain, sandbox, folder)
    return [
        f"{question}, {way}: check {one}, grade {other.outcome}: {other.sentence}"
        for question, ways in tried.items()
        for way, one, other in zip(ways, here[question], there[question], strict=True)
        if one[0] != (other.outcome in (Outcome.RIGHT, Outcome.HIDDEN))
        or not (one[0] or way == "wrong" or way in MAY_LOSE)
    ]


@pytest.mark.parametrize("one_in", [15, pytest.param(3, marks=pytest.mark.corpus)])
def test_a_share_of_what_check_calls_right_grade_calls_right(demo, sandbox, tmp_path, one_in):
    """One in three: the three questions of the demo chapter take every way between them."""
    names = list(WAYS)
    assert disagreements("90", lambda place: names[place::one_in], sandbox, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_check_calls_right_grade_calls_right(chapter, sandbox, tmp_path):
    assert disagreements(chapter, lambda place: list(WAYS), sandbox, tmp_path) == []
