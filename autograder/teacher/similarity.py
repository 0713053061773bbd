"""Finds pairs of submissions whose answers share more than chance and the template explain.

    python -m autograder similar OUT           # pairs, likest first, with the questions they share

Code is read as statements: names become one word, so that renaming hides nothing, and comments and
docstrings are left out. Compared are runs of five tokens within a statement, and *links*: two
places, each a statement's form and a position in it, that hold one and the same name. A link says
how a variable is used, whatever its name and wherever its statements are, so reordering hides
nothing either. What the exercise itself explains counts for nothing: the template, the
reference, the named wrong answers, and what a tenth of the class or more wrote too. What is left is
weighed by how rare it is. Prose is compared by runs of five words, each open question for itself;
the chapter's own words count for nothing there. The idea of fingerprints is that of winnowing
(Schleimer, Wilkerson and Aiken 2003), over sets small enough to keep whole.

A tenth is two students of a small class, and three may share one answer. So a *bloc* counts even
where it is larger: the same students wrote the same to one question, or much of it that nobody else
has. Where half of the class is in such blocs, the question leaves no choice, and none of its
blocs counts.

Two who solve a short exercise alike cannot be told from two who copied: where an answer leaves no
choice nothing rare is in it, and it is not compared at all.

A high figure is a reason to read both, and no verdict.
"""

from __future__ import annotations

import builtins
import io
import keyword
import math
import re
import tokenize
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from autograder.cell.question import by_number
from autograder.course.judge import judge_of
from autograder.course.masters import master
from autograder.course.references import references
from autograder.written.answers import answers_in, is_model_answer

RUN = 5
LONGEST_ANSWER = 40_000  # characters that are looked at
# of one statement; a longer one is read as several, for each place of a name carries the whole
MOST_WORDS = 300
MOST_PLACES = 40  # of one name; more of them tell nothing new
BUILTINS = frozenset(dir(builtins))
COMMON_SHARE = 0.10
# The largest bloc that counts: a share of the class, or so many students.
LEAST_BLOC, BLOC_SHARE, PROSE_BLOC_SHARE = 4, 0.20, 0.50
# so much of what is rare in its students' answers a bloc has in common, and nobody else has it
BLOC_PIECES = 0.30
# in a class of thousands, what so many wrote is no sign of copying either
MOST_HOLDERS = 100
LEAST_RUNS = 15  # shorter answers are alike because there is one way to write them
SHOWN_FROM = 0.5
WORDS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|[\u4e00-\u9fff]", re.UNICODE)


@dataclass(frozen=True)
class Pair:
    """Two students' answers to one assignment. `likeness` is 0..1:
    the share of what is rare in the smaller that is in both."""

    assignment: str
    first: str
    second: str
    likeness: float
    shared_runs: int
    questions: tuple[str, ...]


def similar(out: Path, shown_from: float = SHOWN_FROM) -> list[Pair]:
    """The pairs of an OUT folder at or above `shown_from`, likest first. LookupError, with a
    sentence, when nothing was graded."""
    if not (out / "autograded").is_dir():
        raise LookupError(
            f"There are no graded notebooks in {out}; `python -m autograder grade DIR --out {out}` "
            "makes them."
        )
    by_assignment: dict[str, dict[str, dict[str, Counter]]] = defaultdict(dict)
    for path in sorted(out.glob("autograded/*/*/*.ipynb")):
        answers = {name: text[:LONGEST_ANSWER] for name, text in answers_in(path).items()}
        by_assignment[path.stem][path.parent.parent.name] = runs_by_question(answers)
    found = []
    for assignment, class_ in by_assignment.items():
        found += pairs(assignment, class_, explained(assignment[:2]), shown_from)
    return sorted(
        found, key=lambda pair: (-pair.likeness, -pair.shared_runs, pair.first, pair.second)
    )


def explained(chapter: str) -> dict[str, Counter]:
    """What the exercise itself explains: the starter code, the reference and the named wrong
    answers; for prose all that the chapter says."""
    cells, right = master(chapter).cells, references(chapter)
    found = runs_by_question(
        {
            cell.question: cell.source
            for cell in cells
            if cell.question and cell.kind in ("answer", "open")
        }
    )
    said = Counter(run for cell in cells for run in _runs(_words(cell.source)))
    for question in found:
        if "open" in question:
            found[question].update(said)
            continue
        for source in (
            right.get(question, ""),
            *(wrong.source for wrong in judge_of(question).wrong_answers),
        ):
            found[question].update(_of_code(source))
    return found


def pairs(
    assignment: str,
    class_: dict[str, dict[str, Counter]],
    template: dict[str, Counter],
    shown_from: float,
) -> list[Pair]:
    """Compare a class: {student: {question: runs}}. All code is compared together, and each open
    question for itself."""
    found: dict[tuple[str, str], Pair] = {}
    prose = sorted(
        {question for answers in class_.values() for question in answers if "open" in question}
    )
    for part in (None, *prose):
        own = {
            student: {
                (question, run)
                for question, runs in answers.items()
                if (question if "open" in question else None) == part
                for run in runs
                if run not in template.get(question, ())
            }
            for student, answers in class_.items()
        }
        for pair in _pairs_of(
            assignment, own, shown_from, PROSE_BLOC_SHARE if part else BLOC_SHARE
        ):
            before = found.get(
                (pair.first, pair.second), Pair(assignment, pair.first, pair.second, 0.0, 0, ())
            )
            found[pair.first, pair.second] = Pair(
                assignment,
                pair.first,
                pair.second,
                max(before.likeness, pair.likeness),
                before.shared_runs + pair.shared_runs,
                tuple(sorted({*before.questions, *pair.questions}, key=by_number)),
            )
    return list(found.values())


def _pairs_of(
    assignment: str, own: dict[str, set[tuple]], shown_from: float, bloc_share: float
) -> list[Pair]:
    holders: dict[tuple, list[str]] = defaultdict(list)
    for student in sorted(own):
        for run in own[student]:
            holders[run].append(student)
    most = max(2, min(MOST_HOLDERS, math.floor(COMMON_SHARE * len(own))))
    largest = max(LEAST_BLOC, min(MOST_HOLDERS, math.floor(bloc_share * len(own))))
    blocs = _blocs(holders, largest)
    weight = {
        run: math.log(len(own) / len(students))
        for run, students in holders.items()
        if len(students) <= most
        or (
            len(students) <= largest
            and any(bloc.issubset(students) for bloc in blocs.get(run[0], ()))
        )
    }
    heft = {student: sum(weight.get(run, 0.0) for run in runs) for student, runs in own.items()}
    rare = {student: sum(run in weight for run in runs) for student, runs in own.items()}
    shared: dict[tuple[str, str], list[tuple]] = defaultdict(list)
    for run in weight:
        students = holders[run]
        for place, first in enumerate(students):
            for second in students[place + 1 :]:
                shared[first, second].append(run)
    found = []
    for (first, second), runs in shared.items():
        if min(rare[first], rare[second]) < LEAST_RUNS or not min(heft[first], heft[second]):
            continue
        likeness = sum(weight[run] for run in runs) / min(heft[first], heft[second])
        if likeness >= shown_from:
            found.append(
                Pair(
                    assignment,
                    first,
                    second,
                    round(likeness, 3),
                    len(runs),
                    tuple(sorted({question for question, _ in runs}, key=by_number)),
                )
            )
    return found


def _blocs(holders: dict[tuple, list[str]], most: int) -> dict[str, list[frozenset[str]]]:
    """The blocs that count, by question: of at most `most` students, and at most half of those who
    wrote something of their own to the question stand in any bloc. A bloc has all its pieces in
    common, or many that nobody else has.
    """
    pieces = Counter((question, tuple(students)) for (question, _), students in holders.items())
    written: dict[str, Counter] = defaultdict(Counter)
    rare: dict[str, Counter] = defaultdict(Counter)
    having: dict[tuple[str, str], set[int]] = defaultdict(set)
    for number, ((question, students), count) in enumerate(pieces.items()):
        for student in students:
            written[question][student] += count
            rare[question][student] += count if len(students) <= most else 0
            having[question, student].add(number)
    alike: dict[tuple, list[str]] = defaultdict(list)
    for (question, student), numbers in having.items():
        alike[question, frozenset(numbers)].append(student)
    blocs = {
        (question, frozenset(students))
        for (question, students), count in pieces.items()
        if len(students) > 1
        and count >= LEAST_RUNS
        and count
        >= BLOC_PIECES * max(max(rare[question][student], LEAST_RUNS) for student in students)
    }
    blocs |= {
        (question, frozenset(students))
        for (question, _), students in alike.items()
        if len(students) > 1 and written[question][students[0]] >= LEAST_RUNS
    }
    inside: dict[str, set[str]] = defaultdict(set)
    for question, students in blocs:
        inside[question].update(students)
    found: dict[str, list[frozenset[str]]] = defaultdict(list)
    for question, students in blocs:
        if len(students) <= most and 2 * len(inside[question]) <= sum(
            count >= LEAST_RUNS for count in written[question].values()
        ):
            found[question].append(students)
    return found


def model_answers(out: Path) -> dict[str, list[str]]:
    """Open question -> who handed in its model answer word for word. In no list of pairs is it:
    what the course itself says counts for nothing there."""
    found = defaultdict(list)
    for path in sorted(out.glob("autograded/*/*/*.ipynb")):
        for question, text in answers_in(path).items():
            if "open" in question and is_model_answer(question, text):
                found[question].append(path.parent.parent.name)
    return dict(sorted(found.items()))


def runs_by_question(answers: dict[str, str]) -> dict[str, Counter]:
    """The features of each answer: of prose runs of RUN words, of code runs and links."""
    return {
        question: Counter(_runs(_words(text))) if "open" in question else _of_code(text)
        for question, text in answers.items()
    }


def as_text(found: list[Pair]) -> str:
    """The pairs as text, for the terminal."""
    if not found:
        return "No two submissions share more than the exercise explains."
    lines = [f"{'likeness':>8}  {'pieces':>6}  assignment, students, questions"]
    lines += [
        f"{pair.likeness:8.0%}  {pair.shared_runs:6}  {pair.assignment}: {pair.first} and"
        f" {pair.second} ({', '.join(pair.questions)})"
        for pair in found
    ]
    return "\n".join(
        [
            *lines,
            (
                "Likeness: the share of the rare pieces of the shorter answers that both have."
                " Pieces: the short runs of words that both have."
            ),
            "A high figure is a reason to read both, and no verdict.",
        ]
    )


def _of_code(source: str) -> Counter:
    """Runs within each statement, the links between two places of a name,
    and its whole profile once for each place."""
    found: Counter = Counter()
    places: dict[tuple, set[tuple]] = defaultdict(set)
    for part, statement in _statements(source):
        form = tuple(word for word, _ in statement)
        values = tuple(said for word, said in statement if word == "value")
        found.update(_runs(form) if len(form) >= RUN else [form])
        found.update([(form, values)] if values else [])
        for position, (word, name) in enumerate(statement):
            if word == "name":
                places[part, name].add((form, position))
    for own in places.values():
        profile = tuple(sorted(own)[:MOST_PLACES])
        found.update(
            (first, second)
            for index, first in enumerate(profile)
            for second in profile[index + 1 :]
        )
        found.update((profile, place) for place in profile if len(profile) > 1)
    return found


def _statements(source: str) -> list[tuple[int, list[tuple[str, str | None]]]]:
    """(part, statement) for each statement: (word, the learner's own name or value) a
    token. Each function at the left edge is a part of its own, and so is what is outside of
    them. A text standing alone, a docstring, is no statement."""
    found: list[tuple[int, list[tuple[str, str | None]]]] = []
    words: list[tuple[str, str | None]] = []
    part, functions, depth = 0, 0, 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.INDENT:
                depth += 1
            elif token.type == tokenize.DEDENT:
                depth -= 1
            elif token.type == tokenize.NAME:
                given = (
                    keyword.iskeyword(token.string)
                    or token.string in BUILTINS
                    or (words and words[-1][0] == ".")
                )
                words.append((token.string, None) if given else ("name", token.string))
            elif token.type in (tokenize.NUMBER, tokenize.STRING):
                words.append(("value", token.string))
            elif token.type == tokenize.OP:
                words.append((token.string, None))
            if len(words) >= MOST_WORDS:
                found.append((part, words))
                words = []
            elif token.type == tokenize.NEWLINE and words:
                if depth == 0:
                    functions += words[0][0] in ("def", "class", "async")
                    part = functions if words[0][0] in ("def", "class", "async") else 0
                found += [(part, words)] if [word for word, _ in words] != ["value"] else []
                words = []
    except (tokenize.TokenError, SyntaxError):
        # half a program is compared by its beginning
        pass
    return found + ([(part, words)] if words else [])


def _runs(words) -> list[tuple]:
    return list(zip(*(words[start:] for start in range(RUN))))


def _words(text: str) -> list[str]:
    return [word.lower() for word in WORDS.findall(text)]
