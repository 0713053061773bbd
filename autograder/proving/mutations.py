"""Changes an answer's source in one place at a time, as people who err do.

mutmut, cosmic-ray and mutatest change files and run a suite of tests on them; an answer is a cell
held in memory that a judge hears. So this uses `ast`.

A change is told as `old -> new`: the smallest part of the source that is in it only once.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass

Path = tuple[tuple[str, int | None], ...]
"""Where a node is: a field, and the place in it where it is a list; then on from there."""

COMPARED: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.Gt, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt, ast.GtE, ast.Eq),
    ast.Gt: (ast.GtE, ast.Lt, ast.LtE, ast.NotEq),
    ast.GtE: (ast.Gt, ast.Lt, ast.LtE, ast.Eq),
    ast.Eq: (ast.NotEq, ast.GtE, ast.LtE),
    ast.NotEq: (ast.Eq, ast.Gt, ast.Lt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
COUNTED: dict[type, tuple[type, ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add,),
    ast.FloorDiv: (ast.Div,),
    ast.Div: (ast.FloorDiv,),
    ast.Mod: (ast.FloorDiv,),
    ast.BitAnd: (ast.BitOr,),
}
CALLED = {
    "any": ("all",),
    "all": ("any",),
    "max": ("min",),
    "min": ("max",),
    "sum": ("max", "len"),
    "max_by": ("min_by",),
    "startswith": ("endswith",),
    "rsplit": ("split",),
    "min_of": ("max_of",),
}
NARROW = ("ValueError", "__import__('kafkalab').TimeoutException")
"""What `except Exception` could catch instead."""
WORDS = (
    (r" = ", " <> "),
    (r" is not null", " is null"),
    (r" is null", " is not null"),
    (r"\\d\+", r"\\d"),
)
"""Changes within a text: of a condition of SQL, and of a regular expression."""
MOST_TEXTS = 8
"""Other texts of the answer that are put in a text's place."""


@dataclass(frozen=True)
class Mutation:
    """An answer with one change: what was changed, and the whole source."""

    told: str
    source: str
    is_number: bool = False
    """Whether a student's own number is in the place where the source reads it."""
    inside: tuple[str, ...] = ()
    """The parts of the source that the change is in, from the smallest on."""


def mutations(source: str, numbers: dict[str, object] | None = None) -> tuple[Mutation, ...]:
    """Every single change of a source, none twice and none that changes nothing. `numbers` are a
    student's own; each is put in the place where the source reads it."""
    return tuple(_Changing(source, numbers or {}))


class _Changing:
    """The changes of one source."""

    def __init__(self, source: str, numbers: dict[str, object]):
        self.tree = ast.parse(source)
        self.text = ast.unparse(self.tree)
        self.numbers = numbers
        self.above: dict[ast.AST, ast.AST] = {
            below: node for node in ast.walk(self.tree) for below in ast.iter_child_nodes(node)
        }
        self.place_of = {node: path for path, node in _nodes(self.tree)}
        self.attributes: dict[str, list[str]] = {}
        for node in ast.walk(self.tree):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and getattr(self.above[node], "func", None) is not node
            ):
                self.attributes.setdefault(node.value.id, []).append(node.attr)
        self.texts = list(
            dict.fromkeys(node.value for node in ast.walk(self.tree) if self._is_answer(node))
        )

    def __iter__(self) -> Iterator[Mutation]:
        seen = {_normal(self.text)}
        for path, node in _nodes(self.tree):
            for told, changed in self._changed(path, node):
                try:
                    source = ast.unparse(ast.fix_missing_locations(changed))
                    normal = _normal(source)
                except (SyntaxError, ValueError):
                    continue
                if normal not in seen:
                    seen.add(normal)
                    yield Mutation(told, source, self._is_number(node, told), self._inside(node))

    def _inside(self, node: ast.AST) -> tuple[str, ...]:
        parts = []
        at: ast.AST | None = node
        while at is not None and not isinstance(at, ast.Module):
            if isinstance(at, ast.expr):
                parts.append(ast.unparse(at))
            elif isinstance(at, ast.stmt):
                parts.append(_head(at))
            at = self.above.get(at)
        return tuple(parts)

    def _is_number(self, node: ast.AST, told: str) -> bool:
        if not isinstance(node, ast.Attribute) or node.attr not in self.numbers:
            return False
        return told == self._told(
            self.place_of[node], node, _expression(repr(self.numbers[node.attr]))
        )

    def _changed(self, path: Path, node: ast.AST) -> Iterator[tuple[str, ast.Module]]:
        if isinstance(node, ast.expr) and not self._is_passed_over(node):
            for new in self._expressions(node):
                yield self._told(path, node, new), self._with(path, new)
        if isinstance(node, ast.stmt) and not _is_docstring(node):
            for told, news in self._statements(node):
                yield self._told_of(node, told), self._with(path, *news)
        if isinstance(node, ast.comprehension):
            for number, test in enumerate(node.ifs):
                new = copy.deepcopy(node)
                del new.ifs[number]
                yield f"`if {ast.unparse(test)}` left out", self._with(path, new)
        if isinstance(node, ast.ExceptHandler) and node.type is not None:
            for name in NARROW * (ast.unparse(node.type) == "Exception"):
                new = copy.deepcopy(node)
                new.type = _expression(name)
                yield (
                    f"`except Exception` -> `except {name.rpartition('.')[2]}`",
                    self._with(path, new),
                )

    def _expressions(self, node: ast.expr) -> Iterator[ast.expr]:
        """What an expression is changed to."""
        if self._decides(node):
            yield from map(ast.Constant, self._fixed(node))
            if not isinstance(node, ast.Compare) or len(node.ops) > 1:
                yield ast.UnaryOp(ast.Not(), node)
        if getattr(self.above.get(node), "iter", None) is node:
            yield from _iterated(node)
        if isinstance(node, ast.Compare):
            yield from _compared(node)
        elif isinstance(node, ast.BoolOp):
            other = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
            yield ast.BoolOp(other, node.values)
            for number in range(len(node.values)):
                left = node.values[:number] + node.values[number + 1 :]
                yield left[0] if len(left) == 1 else ast.BoolOp(node.op, left)
        elif isinstance(node, ast.UnaryOp):
            yield node.operand
            if (inner := _rounded_up(node)) is not None:
                yield inner
                yield ast.BinOp(inner, ast.Add(), ast.Constant(1))
        elif isinstance(node, ast.BinOp):
            yield from (ast.BinOp(node.left, op(), node.right) for op in _of(COUNTED, node.op))
            yield from (node.left, node.right)
            if isinstance(node.op, ast.FloorDiv):
                yield ast.BinOp(node, ast.Add(), ast.Constant(1))
                up = ast.BinOp(ast.UnaryOp(ast.USub(), node.left), ast.FloorDiv(), node.right)
                yield ast.UnaryOp(ast.USub(), up)
        elif isinstance(node, ast.IfExp):
            yield from (node.body, node.orelse, ast.IfExp(node.test, node.orelse, node.body))
        elif isinstance(node, ast.Constant):
            yield from self._constants(node)
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            yield from self._displays(node)
        elif isinstance(node, ast.Dict):
            for number in range(len(node.keys)):
                new = copy.deepcopy(node)
                del new.keys[number], new.values[number]
                yield new
        elif isinstance(node, ast.Call):
            yield from _calls(node)
        elif isinstance(node, ast.Subscript):
            yield from _slices(node)
        elif isinstance(node, (ast.Attribute, ast.Name)):
            yield from self._names(node)

    def _constants(self, node: ast.Constant) -> Iterator[ast.expr]:
        value = node.value
        if isinstance(value, bool):
            yield ast.Constant(not value)
        elif isinstance(value, (int, float)):
            yield from (ast.Constant(other) for other in (value + 1, value - 1, 0, 1))
        elif isinstance(value, str) and value:
            yield ast.Constant("")
            for joint in (" and ", " or "):
                parts = value.split(joint)
                for number in range(len(parts) if len(parts) > 1 else 0):
                    yield ast.Constant(joint.join(parts[:number] + parts[number + 1 :]))
            for old, new in WORDS:
                for found in re.finditer(old, value) if self._is_condition(node) else ():
                    changed = new.replace("\\\\", "\\")
                    yield ast.Constant(value[: found.start()] + changed + value[found.end() :])
            if self._is_answer(node):
                others = [text for text in self.texts if text != value]
                yield from map(ast.Constant, others[:MOST_TEXTS])

    def _is_condition(self, node: ast.Constant) -> bool:
        """Whether a text is a condition of SQL or a regular expression: a call takes it."""
        return isinstance(self.above.get(node), ast.Call)

    def _is_answer(self, node: ast.AST) -> bool:
        """Whether a text is one that the answer may say: a function returns it, or a dict's entry,
        a branch or a name holds it."""
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value):
            return False
        above = self.above.get(node)
        return (
            isinstance(above, (ast.Return, ast.Assign))
            or (isinstance(above, ast.Dict) and node in above.values)
            or (isinstance(above, ast.IfExp) and node is not above.test)
            or (isinstance(above, ast.Tuple) and isinstance(self.above.get(above), ast.Return))
        )

    def _displays(self, node: ast.List | ast.Tuple | ast.Set) -> Iterator[ast.expr]:
        if isinstance(getattr(node, "ctx", None), ast.Store):
            return
        for number in range(len(node.elts) if len(node.elts) > 1 else 0):
            new = copy.deepcopy(node)
            del new.elts[number]
            yield new
        if len(node.elts) == 2 and not isinstance(self.above.get(node), ast.Compare):
            new = copy.deepcopy(node)
            new.elts.reverse()
            yield new

    def _names(self, node: ast.Attribute | ast.Name) -> Iterator[ast.expr]:
        if not isinstance(node.ctx, ast.Load) or not isinstance(node, ast.Attribute):
            return
        above = self.above.get(node)
        if isinstance(above, ast.Compare) and any(map(_is_text, above.comparators)):
            return  # another field is never this text
        if isinstance(node.value, ast.Name):
            if node.attr in self.attributes.get(node.value.id, ()):
                for other in dict.fromkeys(self.attributes[node.value.id]):
                    if other != node.attr:
                        yield ast.Attribute(node.value, other, ast.Load())
            if node.attr in self.numbers:
                yield _expression(repr(self.numbers[node.attr]))

    def _statements(self, node: ast.stmt) -> Iterator[tuple[str, list[ast.stmt]]]:
        """(what is told, the statements in its place) of each change of a statement."""
        if isinstance(node, (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete)):
            yield "left out", [ast.Pass()]
        if isinstance(node, ast.AugAssign):
            for op in _of(COUNTED, node.op):
                new = ast.AugAssign(node.target, op(), node.value)
                yield f"-> `{ast.unparse(new)}`", [new]
            new_assign = ast.Assign([node.target], node.value)
            ast.fix_missing_locations(new_assign)
            yield f"-> `{ast.unparse(new_assign)}`", [new_assign]
        if isinstance(node, (ast.Break, ast.Continue)):
            yield "left out", [ast.Pass()]
            other = ast.Continue() if isinstance(node, ast.Break) else ast.Break()
            yield f"-> `{ast.unparse(other)}`", [other]
        if isinstance(node, ast.Return):
            yield from ((f"-> `{ast.unparse(new)}`", [new]) for new in self._returns(node))
        if isinstance(node, ast.While):
            yield "-> `if`", [ast.If(node.test, node.body, [])]
        if isinstance(node, (ast.For, ast.While)):
            new_loop = copy.deepcopy(node)
            new_loop.body.append(ast.Break())
            yield "ends after the first turn", [new_loop]
        if isinstance(node, ast.If):
            if node.orelse:
                yield "without its else", [ast.If(node.test, node.body, [])]
            yield "without its test, its body", list(node.body)
        if isinstance(node, ast.Try):
            yield "without its try", [*node.body, *node.orelse, *node.finalbody]

    def _returns(self, node: ast.Return) -> Iterator[ast.Return]:
        yield ast.Return(None)
        if node.value is None:
            return
        function = self.above[node]
        while not isinstance(function, ast.FunctionDef):
            function = self.above[function]
        for other in ast.walk(function):
            if isinstance(other, ast.Return) and other is not node and other.value is not None:
                yield ast.Return(other.value)
        if not _may_be_list(node.value):
            return
        given = ast.unparse(node.value)
        for changed in ("sorted({})", "list(reversed({}))", "{}[1:]", "{}[:-1]"):
            yield ast.Return(_expression(changed.format(f"({given})")))

    def _fixed(self, node: ast.expr) -> tuple[bool, ...]:
        """What a condition could always be, where leaving it out is not the same."""
        above = self.above.get(node)
        if isinstance(above, ast.BoolOp):
            return (isinstance(above.op, ast.Or),)
        return True, False

    def _decides(self, node: ast.expr) -> bool:
        above = self.above.get(node)
        return (
            (isinstance(above, (ast.If, ast.While, ast.IfExp)) and above.test is node)
            or (isinstance(above, ast.comprehension) and node in above.ifs)
            or isinstance(above, ast.BoolOp)
        )

    def _is_passed_over(self, node: ast.expr) -> bool:
        """Whether an expression is no part of what the answer says: an f-string's texts, a
        blank, a docstring."""
        above = self.above.get(node)
        return (
            isinstance(above, (ast.JoinedStr, ast.FormattedValue))
            and isinstance(node, (ast.Constant, ast.JoinedStr))
        ) or (
            (isinstance(above, ast.Expr) and isinstance(node, ast.Constant))
            or _is_blank(node)
            or (above is not None and _is_blank(above))
        )

    def _with(self, path: Path, *new: ast.AST) -> ast.Module:
        """A copy of the tree with these nodes in the place of one."""
        changed = copy.deepcopy(self.tree)
        _put(changed, path, *new)
        return changed

    def _told(self, path: Path, node: ast.expr, new: ast.expr) -> str:
        """The smallest expression round the change that is in the source only once."""
        outer: ast.AST = node
        while self.text.count(ast.unparse(outer)) != 1 or isinstance(
            outer, (ast.Constant, ast.Slice)
        ):
            above = self.above.get(outer)
            if not isinstance(above, (ast.expr, ast.keyword, ast.comprehension)):
                break
            outer = above
        if not isinstance(outer, ast.expr):
            while not isinstance(outer, ast.expr):
                outer = self.above[outer]
        if outer is node:
            return f"`{ast.unparse(node)}` -> `{_unparsed(new)}`"
        changed = copy.deepcopy(outer)
        _put(changed, path[len(self.place_of[outer]) :], new)
        return f"`{ast.unparse(outer)}` -> `{_unparsed(changed)}`"

    def _told_of(self, node: ast.stmt, told: str) -> str:
        return f"`{_head(node)}` {told}"


def _put(tree: ast.AST, path: Path, *new: ast.AST) -> None:
    """These nodes in the place of the one at the end of the path."""
    for field, number in path[:-1]:
        found = getattr(tree, field)
        tree = found if number is None else found[number]
    field, number = path[-1]
    news = [copy.deepcopy(each) for each in new]
    if number is None:
        setattr(tree, field, news[0])
    else:
        getattr(tree, field)[number : number + 1] = news


def _compared(node: ast.Compare) -> Iterator[ast.expr]:
    for number, op in enumerate(node.ops):
        right = node.comparators[number]
        for other in _of(COMPARED, op):
            if other in (ast.GtE, ast.LtE, ast.Gt, ast.Lt) and not _has_order(right):
                continue
            ops = [*node.ops[:number], other(), *node.ops[number + 1 :]]
            yield ast.Compare(node.left, ops, node.comparators)
    if len(node.ops) > 1:
        for number in range(len(node.ops)):
            sides = [node.left, *node.comparators]
            if number == 0:
                yield ast.Compare(sides[1], node.ops[1:], sides[2:])
            elif number == len(node.ops) - 1:
                yield ast.Compare(sides[0], node.ops[:-1], sides[1:-1])
    none = isinstance(node.comparators[-1], ast.Constant) and node.comparators[-1].value is None
    if len(node.ops) == 1 and none:
        is_not = isinstance(node.ops[0], (ast.IsNot, ast.NotEq))
        yield node.left if is_not else ast.UnaryOp(ast.Not(), node.left)


def _has_order(right: ast.expr) -> bool:
    return not (
        isinstance(right, ast.Constant) and not isinstance(right.value, (int, float))
    ) and not isinstance(right, (ast.Tuple, ast.List))


def _rounded_up(node: ast.UnaryOp) -> ast.expr | None:
    """`a // b` of `-(-a // b)`; None for what is not rounded up."""
    inner = node.operand
    if (
        isinstance(node.op, ast.USub)
        and isinstance(inner, ast.BinOp)
        and isinstance(inner.op, ast.FloorDiv)
        and isinstance(inner.left, ast.UnaryOp)
        and isinstance(inner.left.op, ast.USub)
    ):
        return ast.BinOp(inner.left.operand, ast.FloorDiv(), inner.right)
    return None


def _calls(node: ast.Call) -> Iterator[ast.expr]:
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    for other in CALLED.get(name, ()):
        new = copy.deepcopy(node)
        if isinstance(new.func, ast.Name):
            new.func.id = other
            if other != "len":
                yield new
            elif isinstance(node.args[0], (ast.GeneratorExp, ast.Name)):
                yield _expression(f"len(list({ast.unparse(node.args[0])}))")
        elif isinstance(new.func, ast.Attribute):
            new.func.attr = other
            yield new
    if name in ("max", "min") and len(node.args) > 1:
        yield from node.args
    for number in range(len(node.args)):
        new = copy.deepcopy(node)
        del new.args[number]
        yield new
    for number in range(len(node.keywords)):
        new = copy.deepcopy(node)
        del new.keywords[number]
        yield new
    if len(node.args) == 1 and not isinstance(node.args[0], ast.GeneratorExp):
        yield node.args[0]
    if (
        len(node.args) > 1
        and name not in ("max", "min")
        and not any(isinstance(each, ast.Starred) for each in node.args[:2])
    ):
        new = copy.deepcopy(node)
        new.args[:2] = reversed(new.args[:2])
        yield new
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
        yield node.func.value
    if name == "sorted":
        new = copy.deepcopy(node)
        yield ast.Call(ast.Name("list", ast.Load()), new.args[:1], [])
        new.keywords = [each for each in new.keywords if each.arg != "reverse"]
        new.keywords.append(ast.keyword("reverse", ast.Constant(True)))
        yield new
    if name == "range" and not isinstance(node.args[-1], ast.Constant):
        for op in (ast.Add(), ast.Sub()):
            new = copy.deepcopy(node)
            place = min(1, len(new.args) - 1)
            new.args[place] = ast.BinOp(new.args[place], op, ast.Constant(1))
            yield new
    if name == "next" and len(node.args) == 1:
        yield _expression(f"list({ast.unparse(node.args[0])})[-1]")


def _iterated(node: ast.expr) -> Iterator[ast.expr]:
    """What a loop goes through, without the first or the last; of a log's lines the ends say
    nothing."""
    given = ast.unparse(node)
    if re.search("line|split|shown", given):
        return
    yield _expression(f"list({given})[1:]")
    if not given.startswith("range("):
        yield _expression(f"list({given})[:-1]")


def _slices(node: ast.Subscript) -> Iterator[ast.expr]:
    place = node.slice
    if isinstance(place, ast.Slice):
        for end in ("lower", "upper", "step"):
            at = getattr(place, end)
            if at is None:
                continue
            for other in (None, ast.BinOp(at, ast.Add(), ast.Constant(1))):
                new = copy.deepcopy(node)
                setattr(new.slice, end, other)
                yield new
    elif isinstance(place, ast.Constant) and place.value == 0:
        yield ast.Subscript(node.value, ast.UnaryOp(ast.USub(), ast.Constant(1)), node.ctx)
    elif isinstance(place, ast.UnaryOp):
        yield ast.Subscript(node.value, ast.Constant(0), node.ctx)


def _nodes(tree: ast.AST, path: Path = ()) -> Iterator[tuple[Path, ast.AST]]:
    """(path, node) of each node below, from the top."""
    for field, value in ast.iter_fields(tree):
        if isinstance(value, ast.AST):
            below = (*path, (field, None))
            yield below, value
            yield from _nodes(value, below)
        elif isinstance(value, list):
            for number, each in enumerate(value):
                if isinstance(each, ast.AST):
                    below = (*path, (field, number))
                    yield below, each
                    yield from _nodes(each, below)


def _of(table: dict[type, tuple[type, ...]], op: ast.AST) -> tuple[type, ...]:
    return table.get(type(op), ())


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _unparsed(node: ast.expr) -> str:
    return ast.unparse(ast.fix_missing_locations(copy.deepcopy(node)))


def _normal(source: str) -> str:
    """The same text for sources that say the same."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Return) and getattr(node.value, "value", ...) is None:
            node.value = None
        body = getattr(node, "body", None)
        if isinstance(body, list) and len(body) > 1:
            node.body = [each for each in body if not isinstance(each, ast.Pass)] or body[:1]
    return ast.dump(tree)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _may_be_list(node: ast.expr) -> bool:
    """Whether an expression may be a list whose order somebody chose."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id not in ("max", "min", "sum", "len", "int", "next", "all", "any")
    return isinstance(node, (ast.Name, ast.ListComp, ast.Call))


def _is_blank(node: ast.AST) -> bool:
    """Whether it is a place that an exercise leaves empty: `...`, or a dict full of it."""
    return (isinstance(node, ast.Constant) and node.value is ...) or (
        isinstance(node, ast.Dict) and bool(node.values) and all(map(_is_blank, node.values))
    )


def _head(node: ast.stmt) -> str:
    """A statement's first line."""
    return ast.unparse(node).splitlines()[0]
