"""Copies are found under new names and in another order;
a class that solves one exercise is not accused."""

import itertools
import re
from random import Random

import pytest

from autograder.__main__ import main
from autograder.course.judges.ch03 import JUDGES
from autograder.course.masters import master
from autograder.course.references import references
from autograder.grade import grade_class
from autograder.teacher.similarity import SHOWN_FROM, explained, pairs, runs_by_question
from kafkalab.tests.shares import few

pytestmark = pytest.mark.usefixtures("kept_staff")

STEPS = (
    "    {a} = sorted({b}, key=lambda one: one.offset)",
    (
        "    for {c} in {b}:\n        if {c}.key is None:\n            continue\n"
        "        {a}.append({c})"
    ),
    "    {a} = {{one.partition: one for one in {b}}}",
    "    while {a} and {a}[-1] < {n}:\n        {a}.pop()",
    "    {a} = max({b}, default={n})",
    "    {a} = [one for one in {b} if one.timestamp_ms > {n}]",
    "    try:\n        {a} = {b}[{n}]\n    except IndexError:\n        return None",
    "    {a} = sum(one.size for one in {b}) // len({b})",
    "    {a}, {c} = divmod(len({b}), {n})",
    "    {a} = {b}.get({n}, set()) | {{{n}}}",
    "    {a} = dict(zip({b}, range({n})))",
    "    if not {b}:\n        raise ValueError({n})",
    "    {a} = [x for {c} in {b} for x in {c}.records]",
    "    {a} = any(one.leader == {n} for one in {b}) and all({c}.isr for {c} in {b})",
    "    {a} = {b}[{n}:] + {b}[:{n}]",
    "    with lock({b}) as {c}:\n        {a} = {c}.read({n})",
    "    {a} -= {n} if {b} else -{n}",
    "    del {b}[{n}]",
    "    {a} = f({b}, *{c}, last={n})",
    "    {a} = (one ** 2 % {n} for one in {b} if one not in {c})",
)
TEMPLATE = 'def owners(partitions, members):\n    """Who reads what."""\n    ...'


def program(luck: Random) -> str:
    """Three functions of a dozen steps, no two programs alike."""
    names = "alpha beta gamma delta epsilon".split()
    bodies = [
        "\n".join(
            step.format(**{slot: luck.choice(names) for slot in "abc"}, n=luck.randint(1, 99))
            for step in luck.sample(STEPS, 7)
        )
        for _ in range(3)
    ]
    return "\n\n\n".join(
        f"def {name}(partitions, members):\n{body}"
        for name, body in zip(("owners", "first", "rest"), bodies)
    )


def copy(source: str, luck: Random) -> str:
    """The same under other names, its functions in another order."""
    for name in "alpha beta gamma delta epsilon partitions members".split():
        source = re.sub(rf"\b{name}\b", f"v{luck.randint(0, 9999)}", source)
    functions = source.split("\n\n\n")
    luck.shuffle(functions)
    return "\n\n\n".join(functions)


def test_renamed_and_reordered_copies_are_found_and_others_left_alone():
    luck = Random(3)
    written = {f"s{number:03}": program(luck) for number in range(160)}
    copies = {f"s{number:03}": f"c{number:03}" for number in range(0, 160, 8)}
    written |= {thief: copy(written[victim], luck) for victim, thief in copies.items()}
    found = pairs(
        "90_demo",
        {name: runs_by_question({"90.1": text}) for name, text in written.items()},
        runs_by_question({"90.1": TEMPLATE}),
        0.7,
    )
    accused = {(pair.first, pair.second) for pair in found}
    planted = {tuple(sorted(pair)) for pair in copies.items()}
    assert len(accused & planted) >= 0.95 * len(planted)
    assert len(accused - planted) <= 0.01 * len(written) * (len(written) - 1) / 2
    assert len(accused - planted) <= len(planted) / 2, "a teacher reads these"


def disguise(source: str, luck: Random) -> str:
    """A copy whose statements stand in another order, with comments,
    a docstring and other numbers in them."""
    functions = []
    for function in copy(source, luck).split("\n\n\n"):
        head, *lines = function.split("\n")
        statements: list[list[str]] = []
        for line in lines:
            if line.startswith("     ") and statements:
                statements[-1].append(line)
            else:
                statements.append([line])
        luck.shuffle(statements)
        body = "\n".join(
            f"{line}  # {luck.choice('abcde') * 9}"
            for statement in statements
            for line in statement
        )
        functions.append(f'{head}\n    """My own."""\n{body}')
    return re.sub(r"\b\d{1,2}\b", lambda found: str(luck.randint(1, 99)), "\n\n\n".join(functions))


@pytest.mark.corpus
def test_disguised_copies_are_found():
    luck = Random(8)
    written = {f"s{number:03}": program(luck) for number in range(120)}
    copies = {f"s{number:03}": f"c{number:03}" for number in range(0, 120, 6)}
    written |= {thief: disguise(written[victim], luck) for victim, thief in copies.items()}
    accused = {
        (pair.first, pair.second)
        for pair in pairs(
            "90_demo",
            {name: runs_by_question({"90.1": text}) for name, text in written.items()},
            {},
            SHOWN_FROM,
        )
    }
    planted = {tuple(sorted(pair)) for pair in copies.items()}
    assert len(accused & planted) >= 0.95 * len(planted) and len(accused - planted) <= 1


SHORT = (
    "opened = {a} + n.leaders\nkept = opened - 1",
    "kept = 1 + n.leaders\nopened = kept + {a}",
    (
        "def owner(group):\n    {b} = java_string_hash(group)\n"
        "    return 0 if {b} == -2**31 else abs({b}) % 50"
    ),
    (
        "def owner(group):\n    {b} = java_string_hash(group)\n    if {b} == -2147483648:\n"
        "        {b} = 0\n    return abs({b}) % 50"
    ),
)


def test_who_solves_a_short_exercise_as_others_do_is_not_accused():
    """There are few ways to write these; that two people found the same one says nothing."""
    luck = Random(9)
    for size in (12, 300):
        class_ = {
            f"h{number:03}": runs_by_question(
                {
                    "90.1": luck.choice(SHORT[:2]).format(a=2),
                    "90.2": luck.choice(SHORT[2:]).format(b=luck.choice("hxyvk")),
                }
            )
            for number in range(size)
        }
        assert pairs("90_demo", class_, {}, SHOWN_FROM) == []


def test_half_a_program_and_no_program_are_read_too():
    for source in ("def f(:\n  x = (1,", "!ls\n$\n?", "", '"' * 3 + "open", "\tx\n  y"):
        runs_by_question({"90.1": source})


def test_what_the_whole_class_wrote_counts_for_nothing():
    luck = Random(4)
    text = program(luck)
    assert (
        pairs(
            "90_demo",
            {f"s{number}": runs_by_question({"90.1": text}) for number in range(30)},
            {},
            0.7,
        )
        == []
    )


def test_the_template_counts_for_nothing():
    text = program(Random(50))
    class_ = {name: runs_by_question({"90.1": text}) for name in ("a", "b")} | {
        f"s{number}": runs_by_question({"90.1": program(Random(number))}) for number in range(9)
    }
    assert [(pair.first, pair.second) for pair in pairs("90_demo", class_, {}, 0.7)] == [("a", "b")]
    assert pairs("90_demo", class_, runs_by_question({"90.1": text}), 0.7) == []


def test_copied_prose_is_found():
    luck = Random(6)
    words = (
        "the consumer keeps its own offset while other groups read every record again because "
        "retention alone removes what was written"
    ).split()
    class_ = {
        f"s{number}": runs_by_question({"90.open": " ".join(luck.choices(words, k=60))})
        for number in range(12)
    }
    class_["thief"] = class_["s3"]
    assert [(pair.first, pair.second) for pair in pairs("90_demo", class_, {}, 0.7)] == [
        ("s3", "thief")
    ]


def test_the_command_reads_graded_notebooks(hand_in, tmp_path, capsys):
    folder = tmp_path / "class"
    for name in ("ada", "bo"):
        hand_in(
            name,
            {
                "90.2": (
                    "def chosen(nodes):\n"
                    f"{program(Random(1))[len('def owners(partitions, members):') :]}"
                )
            },
            student=name,
            folder=folder,
        )
    for number in range(3):
        hand_in(f"x{number}", student=f"x{number}", folder=folder)
    grade_class(folder, tmp_path / "out", say=lambda text: None)
    assert main(["similar", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "ada and bo (90.2)" in out and "no verdict" in out
    assert "The model answer of 90.open, word for word: ada, bo, x0, x1, x2." in out
    assert main(["similar", str(tmp_path)]) == 2


def test_an_answer_without_end_keeps_nobody_waiting():
    """One statement of ten thousand names: each of them would carry the whole, again and again."""
    short, long = (
        len(
            repr(runs_by_question({"02.1": f"x = [{','.join(f'a{n},a{n}' for n in range(size))}]"}))
        )
        for size in (500, 5_000)
    )
    assert long < 20 * short


PROSE = (
    "While a fetch waits at the leader for a megabyte nothing else is answered on that connection,"
    " and so the group's heartbeats travel on one of their own, which the consumer opens to the"
    " coordinator under another id as soon as it has learnt who that is."
)


def essay(luck):
    """Sixty words that nobody else writes in this order."""
    words = (
        "heartbeat fetch socket leader broker answer wait poll group node because while another"
        " first then opens keeps reads never always".split()
    )
    return " ".join(luck.choices(words, k=60))


@pytest.mark.parametrize("size, sharing", few([(16, 3), (16, 4), (24, 3), (120, 3), (120, 13)]))
def test_a_group_that_shares_is_shown_whatever_its_size_in_the_class(size, sharing):
    """Each of them under names of their own; everybody else writes alone."""
    luck = Random(size + sharing)
    class_ = {f"s{number:03}": program(luck) for number in range(size)}
    group = [f"s{number:03}" for number in range(0, 3 * sharing, 3)]
    class_ |= {student: copy(class_["s000"], luck) for student in group[1:]}
    found = pairs(
        "90_demo",
        {name: runs_by_question({"90.1": text}) for name, text in class_.items()},
        runs_by_question({"90.1": TEMPLATE}),
        SHOWN_FROM,
    )
    assert {(pair.first, pair.second) for pair in found} == set(itertools.combinations(group, 2))


@pytest.mark.parametrize("size, sharing", few([(16, 3), (16, 6), (120, 13)]))
def test_copied_prose_is_shown_also_beside_code_of_ones_own(size, sharing):
    luck = Random(size)
    class_ = {
        f"s{number:03}": {"90.1": program(luck), "90.open": essay(luck)} for number in range(size)
    }
    group = sorted(class_)[:sharing]
    for student in group:
        class_[student]["90.open"] = PROSE
    found = pairs(
        "90_demo",
        {name: runs_by_question(answers) for name, answers in class_.items()},
        {},
        SHOWN_FROM,
    )
    assert {(pair.first, pair.second): pair.questions for pair in found} == dict.fromkeys(
        itertools.combinations(group, 2), ("90.open",)
    )


@pytest.mark.corpus
def test_the_ways_in_which_a_question_is_solved_are_no_groups():
    """Five sensible programs, and everybody has one of them."""
    luck = Random(11)
    ways = [program(luck) for _ in range(5)]
    for size in (16, 60, 120):
        class_ = {
            f"h{number:03}": runs_by_question({"90.1": copy(ways[number % 5], luck)})
            for number in range(size)
        }
        assert pairs("90_demo", class_, {}, SHOWN_FROM) == []


def test_who_writes_the_reference_a_named_mistake_or_the_chapters_words_shares_nothing():
    known = explained("03")
    right, wrong = (
        references("03"),
        {judge.id: judge.wrong_answers[0].source for judge in JUDGES if judge.wrong_answers},
    )
    said = next(
        cell.source for cell in master("03").cells if cell.kind == "text" and len(cell.source) > 400
    )
    for answers in (right, wrong, {"03.open": said}):
        answers = {
            question: text
            for question, text in answers.items()
            if question != "03.open" or text is said
        }
        class_ = {name: runs_by_question(answers) for name in ("a", "b", "c")} | {
            f"s{number}": runs_by_question(
                {"03.2": program(Random(number)), "03.open": essay(Random(number))}
            )
            for number in range(13)
        }
        assert pairs("03_consumer_connections", class_, known, SHOWN_FROM) == []
