"""The two small laws under everything: what counts as plain data,
and which cells an answer needs."""

import collections
import types
from collections import namedtuple
from enum import StrEnum
from functools import partial

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.cell.course_folder import released
from autograder.cell.data import NotPlain, canonical, plain, same, whole_numbers
from autograder.cell.kinds import Value
from autograder.cell.question import asked_chapters
from autograder.course.masters import master
from autograder.course.references import references
from autograder.handed_in.assignment import steps
from autograder.handed_in.needs import imported_by, needed, tools_apart

CHAPTERS = [chapter for chapter in released() if chapter in asked_chapters()]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False, width=32)  # none is just beside a whole one
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_plain_data_stays_as_it_is(data):
    assert plain(data) == data and canonical(plain(plain(data))) == canonical(plain(data))


def test_counts_from_pandas_are_numbers_and_sets_have_an_order():
    assert plain(numpy.int64(4)) == 4 and type(plain(numpy.int64(4))) is int
    assert plain({"a": (1, {3, 2})}) == {"a": [1, [2, 3]]}
    assert plain({("orders", 1): 2, 0: 3}) == {"orders-1": 2, "0": 3}
    assert plain(float("nan")) == "nan", "and equals no number"


def test_equal_to_python_is_not_the_same_answer():
    assert same([1, "a"], [1, "a"]) and not same(1, True) and not same("4", 4)


def test_a_division_without_a_rest_has_counted():
    assert same(plain({"seconds": 30 / 2}), {"seconds": 15}) and same(
        plain([numpy.float64(3.0), -0.0]), [3, 0]
    )
    assert plain(7 / 2) == 3.5 and type(plain(1e300)) is float, (
        "beyond 2**53 a fraction does not say which whole number it is"
    )


def test_what_floats_round_is_no_wrong_answer():
    """Chapter 13 asks for 12 hours, 1 hour, 5 minutes and 1 minute together, in minutes."""
    assert plain((12 + 1 + 5 / 60 + 1 / 60) * 60) == 786
    assert same(plain(10 * (12 + 8 + 5 / 60 + 1 / 60) * 2), 402)
    assert plain(1_767_607_424_067.25) == 1_767_607_424_067.25 and plain(786.0001) == 786.0001


@pytest.mark.parametrize("kind", [collections.Counter, partial(collections.defaultdict, int)])
def test_a_counter_says_0_of_what_it_never_met(kind):
    """`crossing["A"]` is 0 in the notebook where no fetch of A crossed; so it is here."""
    asked = Value(id="90.8", title="of each", points=1, answers=("a",), draws=("A", "B"), space={})
    counts = kind({"B": 2})
    assert [asked.run_probe({"a": counts}, {"of": of}) for of in "AB"] == [{"a": 0}, {"a": 2}]


class Four(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__
    __index__ = __int__ = lambda self: 4


class Short(list):
    def __iter__(self):
        return iter(())


def test_a_value_of_a_subclass_counts_as_what_it_is_below():
    place = namedtuple("place", "topic partition")("orders", numpy.int64(3))
    word = StrEnum("word", {"alive": "alive"}).alive
    assert same(plain([Four(9), Short([1]), place, word]), [9, [1], ["orders", 3], "alive"])
    assert same(plain({Four(1): Four(2), place: word}), {"1": 2, "orders-3": "alive"})
    assert same(plain({numpy.int64(5): 1}), {"5": 1})


@pytest.mark.parametrize("value", [object(), {1: object()}, lambda: 4, {frozenset(): 1}, b"4"])
def test_anything_else_is_refused(value):
    with pytest.raises(NotPlain):
        plain(value)


def test_a_list_that_holds_itself_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(NotPlain, match="deep"):
        plain(loop)


CELLS = [
    "from kafka import Lab, draw",  # 0
    "lab = Lab(seed=7)",  # 1
    "def opened_of(sockets):\n    return [s for s in sockets if s.how is None]",  # 2
    "lab.run_for(ms=500)",  # 3
    "draw(42)",  # 4
    "other = Lab(seed=8)\nother.run()",  # 5
    "%matplotlib inline\nfor lab_ in []:\n    pass",  # 6
]


@pytest.mark.parametrize(
    "answer, cells",
    [
        ("opened = 4", []),
        ("opened = len(lab.sockets())", [0, 1, 3]),
        ("opened = len(opened_of(lab.sockets()))", [0, 1, 2, 3]),
        ("opened = [lab for lab in range(3)]", []),
        ("def f(seed):\n    return Lab(seed=seed)", [0]),
        ("lab = 3\nopened = lab", []),
        ("opened = other.n", [0, 5]),
        ("this is no python", []),
    ],
)
def test_a_cell_is_needed_when_it_makes_or_may_change_what_the_answer_reads(answer, cells):
    assert sorted(needed([*CELLS, answer], len(CELLS))) == cells


@pytest.mark.parametrize(
    "cells, run",
    [
        (["n = {}", "mine = n", "mine['A'] = 1", "left = n['A']"], {0, 1, 2}),
        (["n = {}", "mine = n", "mine['A'] = 1", "n = {}", "left = n"], {0, 1, 2, 3}),
        (["box = {}", "inner = box['a'] = []", "inner.append(1)", "left = box"], {0, 1, 2}),
        (["runs = make()", "last = runs[-1]", "last.update(a=1)", "left = len(runs)"], {0, 1, 2}),
        (["runs = make()", "mine = [run for run in runs]", "fill(mine)", "left = runs"], {0, 1, 2}),
        (["runs = make()", "for run in runs:\n    pass", "run.a = 1", "left = runs"], {0, 1, 2}),
        (["lab, shop = start()", "shop.close()", "left = lab.sockets()"], {0, 1}),
        (
            ["lab = Lab()", "shop = Producer(lab)", "shop.close()", "left = lab.sockets()"],
            {0, 1, 2},
        ),
        (["n = {}", "mine = n", "mine = {}", "mine['A'] = 1", "left = n"], {0, 1}),
        (["n = {}", "most = max(n) > 4", "print(most)", "left = n"], {0, 1}),
    ],
)
def test_a_cell_that_changes_an_object_by_its_other_name_is_needed(cells, run):
    assert needed(cells, len(cells) - 1) == run


def test_a_call_in_a_given_cell_joins_no_names():
    """The chapter's own cells make labs of `n`, and an answer that reads `n` waits for none."""
    cells = ["n = {}", "lab = play(n)", "picture(lab)", "left = n"]
    assert needed(cells, 3, given={0, 1, 2}) == {0, 1} and needed(cells, 3) == {0, 1, 2}


def test_a_given_cell_that_binds_a_name_anew_hides_what_was_there():
    """`n` is each exercise's own numbers; an answer above, which reads its own, is not run."""
    cells = ["n = {1: 4}", "early = n[1]", "n = {2: 5}", "late = n[2]"]
    assert needed(cells, 3, given={0, 2}) == {2}
    assert needed(["n = 1", "n = n + 1", "late = n"], 2, given={0, 1}) == {0, 1}
    assert needed(["n = 1", "if dark():\n    n = 2", "late = n"], 2, given={0, 1}) == {0, 1}
    learners = needed(["n = 1", "n = 1 / 0", "late = n"], 2, given={0})
    assert learners == {0, 1}, "a learner's cell may break before it binds"


@pytest.mark.parametrize(
    "cells, answer, wanted",
    [
        (["n = 1", "def f():\n    return n", "n = 2"], "late = f()", {1, 2}),
        (["rate = 1", "f = lambda k: rate * k", "rate = 5"], "late = f(3)", {1, 2}),
        (["k = 1", "class A:\n    def f(self):\n        return k", "k = 5"], "x = A().f()", {1, 2}),
        (["d = {}", "def f(k):\n    return d[k]", "d['a'] = 3"], "late = f('a')", {0, 1, 2}),
        (["def seen():\n    return 0", "seen = {}", "seen['a'] = 3"], "late = seen", {1, 2}),
    ],
)  # fmt: skip
def test_a_function_reads_what_is_there_when_it_is_called(cells, answer, wanted):
    """A helper of an exercise above looks up `n`; here `n` is this exercise's numbers."""
    assert wanted <= needed([*cells, answer], 3, given={0, 2})


@pytest.mark.parametrize(
    "cells",
    [
        ["n = {'a': 1}", "n = {k: n[k] + 1 for k in 'a'}", "late = n"],
        ["n = 1", "def more():\n    return n + 1\nn = more()", "late = n"],
        ["def more():\n    return n + 1\nn = 1", "n = more()", "late = n"],
        ["max = {}", "max['a'] = 3", "late = max"],
        ["n = {'a': 1}", "globals().update(n)", "late = a"],
        ["n = 1", "kept = globals()['n']", "late = kept"],
        ["n = 1", "kept = eval('n + 1')", "late = kept"],
        ["def f():\n    return f.calls", "f.calls = 3", "late = f()"],
        ["from kafkalab import Lab", "Lab.mine = lambda lab: 4", "late = Lab().mine()"],
    ],
)
def test_a_cell_above_that_is_easily_overlooked_is_needed(cells):
    assert needed(cells, 2, given={0, 1}) == {0, 1}


def test_cells_that_call_a_cached_function_do_not_change_it():
    cells = [
        "from functools import cache\n@cache\ndef story(n):\n    return [n]",
        "runs = story(1)",
    ]
    assert needed([*cells, "found = story(2)"], 2) == {0}
    assert needed([*cells, "found = runs"], 2) == {0, 1}


@pytest.mark.parametrize(
    "cell, tools, rest",
    [
        ("import re\nlab = Lab()\nlab.run()", "import re", "\nlab = Lab()\nlab.run()"),
        ("n = 1\n@cache\ndef f():\n    return 2", "\n@cache\ndef f():\n    return 2", "n = 1"),
        (
            "import re\nspark = session()\ndef f():\n    return spark",
            "import re",
            "\nspark = session()\ndef f():\n    return spark",
        ),
        ("import re", None, None),
        ("lab = Lab()", None, None),
        ("n = 3\ndef f(x=n):\n    return x", None, None),  # reads n when it is defined
        ("seen = []\ndef f(x):\n    seen.append(x)", None, None),  # and when it is called
        ("import re; lab = Lab()", None, None),
        ("re = 3\nimport re", None, None),
        ("no python", None, None),
    ],
)
def test_a_given_cells_imports_and_functions_are_apart(cell, tools, rest):
    found = tools_apart(cell)
    if tools is None:
        assert found == (cell,)
    else:
        assert [each.rstrip() for each in found] == [tools, rest]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_exercise_waits_for_another_answer(chapter):
    """Each exercise stands alone: an answer above that breaks or loops costs nothing below it."""
    own = master(chapter)
    for question in [cell.question for cell in own.cells if cell.kind == "answer"]:
        cells = steps(own, references(chapter), only={question})
        others = [step for step in cells if step.given is None and step.question is None]
        assert not others, f"{question} runs {others[0].source}; bind what it reads in a given cell"


def test_what_a_cell_imports():
    assert imported_by(
        "%matplotlib inline\nimport os.path, json as j\nfrom kafkalab.views import timeline"
    ) == ["os.path", "json", "kafkalab.views"]
    assert imported_by("from . import x\nnot python") == []


def test_experiments_nobody_reads_are_not_run(demo):
    answers = {
        "90.1": "opened = 4\nkept = 3",
        "90.2": "def node_id(broker):\n    return 1",
        "90.3": "total = 6",
    }
    assert [step.source for step in steps(master("90"), answers)] == list(answers.values())
    reading = steps(master("90"), {**answers, "90.3": "total = sum(seen)"})
    assert "seen = []" in [step.source for step in reading] and not any(
        "picture" in step.source for step in reading
    )


def test_a_refused_type_has_its_article():
    with pytest.raises(NotPlain, match="^an object, where a number"):
        plain(object())
    with pytest.raises(NotPlain, match="^a dict with a frozenset as a key"):
        plain({frozenset(): 1})


def test_whole_numbers_of_a_generator_are_asked_for_as_a_list():
    assert whole_numbers((3, 0)) == [3, 0]
    assert whole_numbers({"partition": 3}) is None
    with pytest.raises(NotPlain, match="no list yet"):
        whole_numbers(number for number in (3, 0))


def test_a_set_of_numbers_is_a_list_by_their_size():
    assert plain({12, 7, -1, 100, 2.5}) == [-1, 2.5, 7, 12, 100]
    assert plain(frozenset({"b", "a", 3, True, None})) == [3, "a", "b", None, True]


@pytest.mark.parametrize(
    "value",
    [
        collections.ChainMap({"A": 1}, {"A": 2, "B": 3}),
        collections.UserDict(B=3, A=1),
        types.MappingProxyType({"A": 1, "B": 3}),
    ],
)
def test_a_dict_of_the_standard_library_is_a_dict(value):
    assert plain(value) == {"A": 1, "B": 3}
    assert plain(collections.UserList([3, 1])) == [3, 1]


@pytest.mark.parametrize(
    "source, wanted",
    [
        ("late = table.query('at_ms > @begun')", {0, 2}),
        ("late = table.eval('at_ms - @begun')", {0, 2}),
        ("exec('late = twice(begun)')", {1, 2}),
        ("late = 'begun @begun'", set()),
    ],
)
def test_a_cell_needs_what_its_texts_look_up(source, wanted):
    cells = ["table = read()", "def twice(n):\n    return 2 * n", "begun = 3", source]
    assert needed(cells, 3) == wanted
