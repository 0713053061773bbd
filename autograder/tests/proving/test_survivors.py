"""Each single change of a right answer fails, or its exercise says why it is right, too. What a
change is, and what becomes of it, is tried on a small exercise first."""

from types import SimpleNamespace

import pytest

from autograder.cell.kinds import Function, Value
from autograder.cell.numbers import Numbers
from autograder.cell.question import asked_chapters, of_chapter
from autograder.course import exercises
from autograder.course.judge import Judge
from autograder.proving import survivors as tool
from autograder.proving.mutations import Mutation, mutations

LARGER = "def larger(left, right):\n    if left >= right:\n        return left\n    return right\n"
COUNTED = (
    "def rest(of_all):\n    while of_all >= 3:\n        of_all = of_all - 3\n    return of_all\n"
)


def told(source: str, **options) -> set[str]:
    return {change.told for change in mutations(source, **options)}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a = b < c", "`b < c` -> `b <= c`"),
        ("a = b == 3", "`b == 3` -> `b >= 3`"),
        ("a = b if c is not None else d", "`c is not None` -> `c`"),
        ("a = b and c", "`b and c` -> `c`"),
        ("a = b and c", "`b and c` -> `b or c`"),
        ("if a:\n    b()\nelse:\n    c()", "`if a:` without its else"),
        ("if a:\n    b()", "`a` -> `False`"),
        ("a = any(b)", "`any(b)` -> `all(b)`"),
        ("a = max(b)", "`max(b)` -> `min(b)`"),
        ("a = min(b, c)", "`min(b, c)` -> `b`"),
        ("for a in b:\n    c()", "`b` -> `list(b)[:-1]`"),
        ("a = [b for b in c]", "`c` -> `list(c)[1:]`"),
        ("a = sum(b)", "`sum(b)` -> `max(b)`"),
        ("a = b(20)", "`b(20)` -> `b(21)`"),
        ("a = b - c", "`b - c` -> `b`"),
        ("a = b // c", "`b // c` -> `-(-b // c)`"),
        ("a = -(-b // c)", "`-(-b // c)` -> `b // c + 1`"),
        ("a()\nb()", "`b()` left out"),
        ("a(b, c)", "`a(b, c)` -> `a(c)`"),
        ("a(b, c=1)", "`a(b, c=1)` -> `a(b)`"),
        ("for a in b:\n    break", "`break` left out"),
        ("while a:\n    b()", "`while a:` -> `if`"),
        ("a = sorted(b)", "`sorted(b)` -> `list(b)`"),
        ("a = b[1:]", "`b[1:]` -> `b[:]`"),
        ("a = [b for b in c if d]", "`if d` left out"),
        ("a.setdefault(b, 0)", "`a.setdefault(b, 0)` -> `a.setdefault(b, 1)`"),
        ("def f(a):\n    if a:\n        return 1\n    return 2", "`return 1` -> `return 2`"),
        ("def f(a):\n    return a", "`return a` -> `return a[1:]`"),
        ("a = {'b': 'c', 'd': 'e'}", "`{'b': 'c', 'd': 'e'}` -> `{'b': 'e', 'd': 'e'}`"),
        ("a = b.where('c = 1 and d')", "`b.where('c = 1 and d')` -> `b.where('d')`"),
        ("try:\n    a()\nexcept Exception:\n    b()", "`except Exception` -> `except ValueError`"),
    ],
)
def test_an_answer_is_changed_as_people_err(source, expected):
    assert expected in told(source)


def test_a_student_s_number_is_put_where_the_source_reads_it():
    (change,) = (each for each in mutations("a = n.b + 1", {"b": 7}) if each.is_number)
    assert change.source == "a = 7 + 1"


def test_no_change_comes_twice_and_none_says_the_same():
    for source in (LARGER, COUNTED, "a = {'A': ..., 'B': ...}\na = b or c or c"):
        sources = [change.source for change in mutations(source)]
        assert len(set(sources)) == len(sources) and source.strip() not in sources
        for each in sources:
            compile(each, "<change>", "exec")


@pytest.fixture
def asked(monkeypatch):
    """asked(question, judge, its right answer, what its file says is equivalent) -> what became of
    all changes."""

    def ask(question, judge, source, equivalent=""):
        cell = SimpleNamespace(body=equivalent)
        written = SimpleNamespace(of=lambda role: (cell,) if equivalent else ())
        monkeypatch.setattr(tool, "question_of", lambda id: question)
        monkeypatch.setattr(tool, "judge_of", lambda id: judge)
        monkeypatch.setattr("autograder.grading.verdict.judge_of", lambda id: judge)
        monkeypatch.setattr(tool, "reference", lambda id: source)
        monkeypatch.setattr(tool.exercises, "find", lambda id: written)
        monkeypatch.setattr(tool._Ground, "_steps_above", [])
        return tool.survivors(question.id)

    return ask


def cases(*pairs):
    return tuple({"left": left, "right": right} for left, right in pairs)


def function(name, public):
    probe = lambda names, case: names[name](**{k: v for k, v in case.items() if k != "case"})
    return Function("00.1", "t", 1, answers=(name,), public_cases=public, probe=probe)


def test_what_no_case_tells_from_the_right_answer_survives(asked):
    question = function("larger", cases((1, 2), (2, 1)))
    judge = Judge("00.1", truth=lambda case: max(case["left"], case["right"]))
    found = asked(question, judge, LARGER)
    left = [each.told for each in found.survivors]
    assert "`left >= right` -> `left > right`" in left
    assert "`left >= right` -> `left <= right`" not in left
    why = "# `left >= right` -> `left > right`: of two that are\n# equal either is the larger.\n"
    stale = "# `left >= right` -> `left < right`: nobody knows."
    known = asked(question, judge, LARGER, why + stale)
    assert known.answered == ("`left >= right` -> `left > right`",)
    assert known.stale == ("`left >= right` -> `left < right`",)
    assert len(known.survivors) == len(found.survivors) - 1
    wide = asked(question, judge, LARGER, "# `left >= right` changed: it is the same.")
    assert set(wide.answered) == {each for each in left if each.startswith("`left >= right`")}
    assert not wide.stale
    two = "# `left >= right` -> `left > right`, `left < right`: it is the same.\n"
    assert asked(question, judge, LARGER, two).stale == ("`left >= right` -> `left < right`",)


@pytest.mark.corpus
def test_a_change_that_never_ends_is_stopped_and_one_that_stops_has_failed(asked, monkeypatch):
    endless = Mutation("endless", COUNTED.replace("of_all - 3", "of_all"))
    stops = Mutation("stops", COUNTED.replace("- 3", "- None"))
    monkeypatch.setattr(tool, "mutations", lambda source, numbers: (endless, stops))
    question = function("rest", ({"of_all": 7},))
    found = asked(question, Judge("00.1", truth=lambda case: case["of_all"] % 3), COUNTED)
    assert found.changes == 2 and not found.survivors and not found.unseen


@pytest.mark.corpus
def test_a_change_that_only_a_hidden_case_tells_is_counted(asked):
    largest = lambda case: max(case["left"], case["right"])
    judge = Judge("00.1", truth=largest, hidden_cases=lambda rng: list(cases((2, 1))))
    found = asked(function("larger", cases((1, 2))), judge, LARGER)
    assert "`return left` -> `return right`" in found.unseen
    assert "`left >= right` -> `left <= right`" not in found.unseen


@pytest.mark.corpus
def test_a_change_that_is_right_with_some_students_numbers_survives(asked, monkeypatch):
    monkeypatch.setattr(tool._Ground, "_before", lambda self, each: {"n": Numbers(each.numbers)})
    question = Value("00.1", "t", 1, answers=("full",), space={"orders": (1, 2, 3, 4, 5, 6)})
    judge = Judge("00.1", truth=lambda case: {"full": case["orders"] >= 4})
    found = {each.told: each for each in asked(question, judge, "full = n.orders >= 4").survivors}
    edge = found["`n.orders >= 4` -> `n.orders > 4`"]
    assert 0 < edge.right < edge.asked and f"for {edge.right} of {edge.asked} ids" in str(edge)
    # who has the same number as the first student may write it
    assert not any("-> `" in each and each.startswith("`n.orders` ->") for each in found)


WITH_CODE = [
    question.id
    for chapter in asked_chapters()
    for question in of_chapter(chapter)
    if question.kind != "open"
]
QUICK = ("01.4",)


@pytest.mark.corpus
@pytest.mark.parametrize("id", QUICK)
def test_no_wrong_change_of_a_right_answer_gets_all_points(id):
    found = tool.survivors(id)
    assert not found.lines(), "\n".join(found.lines())


@pytest.mark.slow
@pytest.mark.parametrize("id", [id for id in WITH_CODE if id not in QUICK])
def test_no_wrong_change_of_any_right_answer_gets_all_points(id):
    found = tool.survivors(id)
    assert not found.lines(), "\n".join(found.lines())


@pytest.mark.parametrize("id", WITH_CODE)
def test_what_is_called_equivalent_is_told_as_a_change_and_why(id):
    """Nothing in such a cell is left over when its lines are read."""
    cells = exercises.find(id).of("equivalent")
    whole = " ".join(" ".join(cell.told().split()) for cell in cells)
    assert bool(tool.equivalent(id)) == bool(cells)
    assert not tool.ENTRY.sub("", whole).strip(), whole
