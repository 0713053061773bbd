"""Takes out of a rubric what decides nothing on marked answers (`calibrate --prune`).

The marked answers are those of the scorer's tests. Those that were read while the rubrics were
written are read here, too; those that were kept back then are only measured, before and after. A
piece is a phrase of a list, a pattern, or one choice in a pattern's bracket. The rarest go first,
so that what is general stays. A piece goes where no answer is judged worse without it, and no more
go once the rubric is short. Every pattern of a false claim stays: few answers show what it is for.
"""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log2
from types import CodeType

from autograder.course.exercises import Exercise, find
from autograder.written import rubrics, score_table
from autograder.written.agreement import quadratic_weighted_kappa
from autograder.written.score_table import HELD, SEEN, MarkedAnswer
from autograder.written.scorer import PASS_MARK, Rubric, phrase_places, read, rule_mark, score

MOST_LINES = 230
"""Measured: at 200 lines the answers that were kept back lose .06 of kappa, here .02."""
TRIED_TOGETHER = 4
SEVERAL = 3  # answers
UNSEEN = 0.3  # answers that a piece may explain although nobody has seen one
LONG_PATTERN = 160  # characters; in a shorter one each choice stays, for it costs no line
LEAST_PATTERNS = 3  # of an idea
FLIPPED = 4
_COLUMNS = 100  # of a list; a pattern is one line
_LIST = re.compile(r"^(\w+):((?:.*\n)(?:[ \t].*\n)*)", re.MULTILINE)
_AT_BLANKS = {"break_long_words": False, "break_on_hyphens": False}
_BRACKET = re.compile(r"\(([^()]*\|[^()]*)\)")
_NO_CHOICE = re.compile(r"(?<!\S)\(([^()|\s]+)\)(?! ?\?)")


@dataclass(frozen=True)
class PrunedRow:
    """A list of phrases, or patterns of which one is enough, with its place in the source."""

    name: str  # of the list; "" for patterns
    start: int
    end: int
    stays: bool = False  # nothing of it is taken out


@dataclass(frozen=True)
class Piece:
    """What may go: an item of a row, or one choice of a bracket in it."""

    row: int
    item: int
    bracket: int = -1
    choice: str = ""


@dataclass(frozen=True)
class Draft:
    """A rubric's source, and what is left of its rows: an item that was taken out is "" there."""

    source: str
    rows: tuple[PrunedRow, ...]
    code: CodeType  # makes RUBRIC from ROWS
    items: tuple[tuple[str, ...], ...]

    @cached_property
    def rubric(self) -> Rubric:
        """The rubric with what is left."""
        left = [[item for item in items if item] for items in self.items]
        rows = [
            ", ".join(items) if row.name else tuple(items)
            for row, items in zip(self.rows, left, strict=True)
        ]
        room: dict[str, object] = {"ROWS": rows}
        exec(self.code, room)
        rubric = room["RUBRIC"]
        assert isinstance(rubric, Rubric)
        return rubric

    @property
    def text(self) -> str:
        """The source with what is left, in the house's form."""
        told, at = "", 0
        for row, items in zip(self.rows, self.items, strict=True):
            told += self.source[at : row.start]
            line = told.rpartition("\n")[2]
            indent = " " * (len(line) - len(line.lstrip()))
            left = [item for item in items if item]
            told += _list(row.name, left) if row.name else _tuple(left, line, indent)
            at = row.end
        return told + self.source[at:]

    @property
    def lines(self) -> int:
        """The lines of the rubric's cell."""
        return self.text.count("\n") + 2

    def pieces(self) -> Iterator[Piece]:
        """All that may go."""
        for row, items in enumerate(self.items):
            for item, words in enumerate(() if self.rows[row].stays else items):
                yield Piece(row, item)
                long = not self.rows[row].name and len(words) > LONG_PATTERN
                for bracket, found in enumerate(_BRACKET.finditer(words) if long else ()):
                    for choice in found[1].split("|"):
                        yield Piece(row, item, bracket, choice)

    def words(self, piece: Piece) -> str:
        """What the piece says; "" where it is gone."""
        words = self.items[piece.row][piece.item]
        return piece.choice if piece.choice and words else words

    def without(self, pieces: Sequence[Piece]) -> Draft:
        """The draft without these pieces."""
        items = [list(row) for row in self.items]
        for piece in pieces:
            words = items[piece.row][piece.item]
            items[piece.row][piece.item] = _fewer(words, piece) if piece.choice else ""
        return replace(self, items=tuple(tuple(row) for row in items))


def draft(exercise: Exercise) -> Draft:
    """The rubric of an open exercise as its file has it."""
    source = exercise.one("rubric").body
    tree = ast.parse(source)
    asked = {"question_id": exercise.id, "question": exercise.asked()}
    rubric = tree.body[-1]
    assert isinstance(rubric, ast.Expr) and isinstance(rubric.value, ast.Call)
    rubric.value.keywords += [ast.keyword(name, ast.Constant(text)) for name, text in asked.items()]
    tree.body[-1] = ast.Assign([ast.Name("RUBRIC", ast.Store())], rubric.value)
    found = _Rows(source)
    tree = ast.fix_missing_locations(found.visit(tree))
    rows = sorted(found.rows, key=lambda one: one[0].start)
    for number, (_, _, index) in enumerate(rows):
        index.value = number
    return Draft(
        source,
        tuple(row for row, _, _ in rows),
        compile(tree, exercise.path, "exec"),
        tuple(items for _, items, _ in rows),
    )


class _Rows(ast.NodeTransformer):
    """Finds the rows of a rubric's source, and puts `ROWS[number]` in their place."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines = source.splitlines(keepends=True)
        self.rows: list[tuple[PrunedRow, tuple[str, ...], ast.Constant]] = []
        self.stays = False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not (isinstance(node.func, ast.Name) and node.func.id == "lists"):
            return self.generic_visit(node)
        text = node.args[0]
        at = self._at(text.lineno, text.col_offset) + len('"""\n')
        names: list[ast.expr | None] = []
        values: list[ast.expr] = []
        for found in _LIST.finditer(self.source, at, self._end(text) - len('"""')):
            items = tuple(" ".join(one.split()) for one in found[2].split(",") if one.strip())
            names.append(ast.Constant(found[1]))
            values.append(self._row(PrunedRow(found[1], *found.span()), items))
        return ast.Dict(names, values)

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        patterns = tuple(map(_text, node.elts))
        if not all(patterns):
            return self.generic_visit(node)
        start = self._at(node.lineno, node.col_offset)
        return self._row(PrunedRow("", start, self._end(node), self.stays), patterns)

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        if node.arg == "scopes":
            return node
        before = self.stays
        self.stays = before or node.arg not in ("concepts", "ways", "lexicon")
        told = self.generic_visit(node)
        self.stays = before
        return told

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.stays = isinstance(node.value, ast.Tuple)
        told = self.generic_visit(node)
        self.stays = False
        return told

    def _row(self, row: PrunedRow, items: tuple[str, ...]) -> ast.expr:
        index = ast.Constant(0)
        self.rows.append((row, items, index))
        return ast.Subscript(ast.Name("ROWS", ast.Load()), index, ast.Load())

    def _at(self, line: int, column: int) -> int:
        before = self.lines[line - 1].encode()[:column].decode()
        return sum(map(len, self.lines[: line - 1])) + len(before)

    def _end(self, node: ast.expr) -> int:
        return self._at(node.end_lineno or 0, node.end_col_offset or 0)


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _fewer(pattern: str, piece: Piece) -> str:
    """A pattern without one choice; the last choice of a bracket stays."""
    for number, found in enumerate(_BRACKET.finditer(pattern)):
        if number == piece.bracket:
            left = [one for one in found[1].split("|") if one != piece.choice] or [piece.choice]
            # a bracket of one choice is no bracket any more, and the others keep their numbers
            told = "|".join(left) if len(left) > 1 else f"{left[0]}|{left[0]}"
            return pattern[: found.start(1)] + told + pattern[found.end(1) :]
    return pattern


def _list(name: str, phrases: Sequence[str]) -> str:
    told = textwrap.fill(
        f"{name}: {', '.join(phrases)}", _COLUMNS, subsequent_indent="    ", **_AT_BLANKS
    )
    return told + "\n"


def _tuple(patterns: Sequence[str], line: str, indent: str) -> str:
    plain = [_NO_CHOICE.sub(r"\1", _once(one)) for one in patterns]
    short = f"({', '.join(map(_quoted, plain))}{',' * (len(plain) == 1)})"
    if len(line) + len(short) < _COLUMNS:
        return short
    return "(\n" + "".join(f"{indent}    {_quoted(one)},\n" for one in plain) + f"{indent})"


def _once(pattern: str) -> str:
    return _BRACKET.sub(lambda one: f"({'|'.join(dict.fromkeys(one[1].split('|')))})", pattern)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def cost(given: int, said: int) -> int:
    """How wrong a mark is: its distance squared, and FLIPPED for a wrong pass or fail."""
    return (given - said) ** 2 + FLIPPED * ((given >= PASS_MARK) != (said >= PASS_MARK))


class Pruning:
    """Takes pieces out of a draft, and looks after each at the answers that hold their words."""

    def __init__(self, whole: Draft, seen: Sequence[MarkedAnswer]) -> None:
        self.draft = whole
        self.given = [one.mark for one in seen]
        self.readings = [read(one.answer, whole.rubric.speller) for one in seen]
        self.costs = [self._cost(whole, place) for place in range(len(seen))]
        self.holds: dict[Piece, set[int]] = {}

    def run(self, most: int) -> Draft:
        """The draft when it has at most so many lines, or nothing more can go."""
        ordered = self._least_useful_first()
        for first in range(0, len(ordered), TRIED_TOGETHER):
            if self.draft.lines <= most:
                break
            self._try(ordered[first : first + TRIED_TOGETHER])
        return self.draft

    def _try(self, pieces: Sequence[Piece]) -> None:
        fewer = self.draft.without(pieces)
        if fewer.items == self.draft.items or (len(pieces) == 1 and self._bare(fewer, pieces[0])):
            return
        holding = set().union(*(self.holds[one] for one in pieces))
        if not any(self._bare(fewer, one) for one in pieces) and all(
            self._cost(fewer, place) <= self.costs[place] for place in sorted(holding)
        ):
            self.draft = fewer
        elif len(pieces) > 1:
            self._try(pieces[: len(pieces) // 2])
            self._try(pieces[len(pieces) // 2 :])

    def _bare(self, fewer: Draft, piece: Piece) -> bool:
        """Whether a row would lose one of its last: no claim is left without words."""
        before, after = (sum(map(bool, one.items[piece.row])) for one in (self.draft, fewer))
        return after < min(before, 1 if self.draft.rows[piece.row].name else LEAST_PATTERNS)

    def _cost(self, draft: Draft, place: int) -> int:
        return cost(self.given[place], rule_mark(draft.rubric, self.readings[place]))

    def _least_useful_first(self) -> list[Piece]:
        """The pieces by the share of answers that only they explain in their row, for their place.
        What alone explains several answers stays."""
        worth: dict[Piece, tuple[int, int, int]] = {}
        for number, row in enumerate(self.draft.rows):
            where = {
                one: phrase_places(
                    self.draft.rubric,
                    self.draft.words(one),
                    self.readings,
                    way=not row.name and not one.choice,
                )
                for one in self.draft.pieces()
                if one.row == number
            }
            shared = Counter(place for one in where if not one.choice for place in where[one][0])
            for one, (exact, self.holds[one]) in where.items():
                alone = {place[0] for place in exact if one.choice or shared[place] == 1}
                size = len(self.draft.words(one)) + 2 if row.name or one.choice else _COLUMNS
                often = len(alone) + 0.2 * len({place[0] for place in exact}) + UNSEEN
                if len(alone) <= SEVERAL or one.choice:
                    # pieces of one row together: trying them compiles the same few expressions
                    worth[one] = (int(4 * log2(1 + 100 * often / size)), number, -size)
        return sorted(worth, key=lambda one: worth[one])


def prune(question: str, most: int = MOST_LINES) -> str:
    """Write the shorter rubric into the exercise's file. The table of before and after. KeyError or
    ValueError, with a sentence, for a question that has no rubric or no marked answers."""
    exercise = find(question)
    answers = score_table.parts()
    if not exercise.of("rubric") or (question, HELD) not in answers:
        raise ValueError(f"{question} has no rubric here, or no marked answers to try it on.")
    whole = draft(exercise)
    seen, kept = answers[question, SEEN], answers[question, HELD]
    short = Pruning(whole, seen).run(most)
    text = exercise.path.read_text(encoding="utf-8")
    exercise.path.write_text(text.replace(whole.source, short.text), encoding="utf-8")
    before = len(whole.source.splitlines()) + 1
    return "\n".join(
        [
            f"{question}: {before} lines before, {short.lines} after, in {exercise.path.name}",
            f"{'answers':<26}{'QWK':>13}{'wrong passed':>15}{'right failed':>15}{'passes':>9}",
            _compared("read while pruning", whole, short, seen),
            _compared("kept back", whole, short, kept),
            "Each figure is before > after; passes: how many changed.",
        ]
    )


def _compared(name: str, whole: Draft, short: Draft, answers: Sequence[MarkedAnswer]) -> str:
    """A line of the table."""
    others = tuple(rubrics.by_question().values())
    marks = [
        [(one.mark, score(draft.rubric, one.answer, others).mark) for one in answers]
        # read afresh: a rubric's words decide what it takes for a slip
        for draft in (replace(whole), replace(short))
    ]
    kappa = [quadratic_weighted_kappa(pairs) or 0.0 for pairs in marks]
    wrong, lost = (
        [
            sum(
                (given >= PASS_MARK) is good and (said >= PASS_MARK) is not good
                for given, said in p
            )
            for p in marks
        ]
        for good in (False, True)
    )
    passes = sum((a[1] >= PASS_MARK) != (b[1] >= PASS_MARK) for a, b in zip(*marks, strict=True))
    return (
        f"{f'{name} ({len(answers)})':<26}{f'{kappa[0]:.2f} > {kappa[1]:.2f}':>13}"
        f"{f'{wrong[0]} > {wrong[1]}':>15}{f'{lost[0]} > {lost[1]}':>15}{passes:>9}"
    )
