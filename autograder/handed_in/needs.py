"""Which of the notebook's cells an answer needs.

A chapter's notebook draws pictures and plays long experiments; an answer seldom reads any of that.
Running only what an answer reads makes grading fast without asking authors to mark cells. The names
are taken from the compiled cell, so a loop's own variable is not mistaken for one of the
notebook's.

The rule: going upward from the answer, a cell is needed when it binds a name that is needed, or
when it only mentions one that it may have changed in place (`lab.run_for(ms=500)`), itself or by
calling a function that does; names of imports and functions cannot be changed by being mentioned,
only by an attribute (`home.calls = 0`). `mine = n` gives one object two names: a cell that mentions
one may have changed the other.
What a needed cell reads is needed too, and what the functions that it calls look up by then.
"""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import re
import warnings
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType

# a learner's "\d" is no news to a teacher
warnings.filterwarnings("ignore", category=SyntaxWarning, module="<cell>")

EVERYTHING = "*"
LONGEST_CELL = 40_000  # characters; a long answer has two thousand
CHANGING = frozenset(
    "add append clear discard extend insert pop popitem remove reverse setdefault sort update".split()  # noqa: E501
)
MEASURING_CELL = re.compile(r"\A(?:\s*%%(?:time|capture|prun|memit)\b[^\n]*\n)+")
MAGIC_LINE = re.compile(r"(?m)^[ \t]*[!%?,;/]|=[ \t]*[!%]|^(?![ \t]*#)[^\n]*\?[ \t\r\f]*$")
STRANGE_START = re.compile(r"(?m)\A\s|^[ \t]*(?:>>>|\.\.\.|In ?\[|Out ?\[)")
WRITING = frozenset(("exec", "globals", "locals", "vars"))  # their calls may bind any name
COMPREHENSIONS = frozenset(("<dictcomp>", "<genexpr>", "<listcomp>", "<setcomp>"))
WORD, QUERIED = re.compile(r"\b[^\W\d]\w*"), re.compile(r"@([^\W\d]\w*)")
MEASURING_LINE = re.compile(r"(?m)^([ \t]*)%(?:time|prun|memit)[ \t]+(?=[^\s-])")


@dataclass(frozen=True)
class Names:
    """What a cell does with the notebook's names."""

    reads: frozenset[str]  # looked up before the cell itself has bound them
    binds: frozenset[str]
    fixed: frozenset[str]  # those of `binds` that come from an import, a def or a class
    inside: tuple[tuple[str, frozenset[str]], ...] = ()  # what its functions look up when called
    rebinds: frozenset[str] = frozenset()  # those of `binds` whose old value no later cell can see
    changes: frozenset[str] = frozenset()  # whose object it fills, or gives an attribute
    shares: frozenset[tuple[str, str, bool]] = frozenset()  # two names that may be of one object,
    # as in `mine = n`; the third says that a call lies between: `shop = KafkaProducer(lab)`


@lru_cache(maxsize=256)
def as_python(source: str) -> str:
    """A cell as plain Python: magics become calls of get_ipython(). Those that only measure are
    taken off, for what they measure is the answer: `%%time` above a cell, `%time` before a
    statement.

    SyntaxError for a cell longer than anybody writes: reading it could take this process minutes,
    and it is the teacher's."""
    if len(source) > LONGEST_CELL or source.count("\n") > LONGEST_CELL // 20:
        raise SyntaxError(f"a cell longer than {LONGEST_CELL:,} characters is not read")
    # nothing that IPython would change
    if not MAGIC_LINE.search(source) and not STRANGE_START.search(source):
        return source if source.endswith("\n") else source + "\n"
    from IPython.core.inputtransformer2 import TransformerManager  # most cells have no magic

    # lines keep their numbers
    source = MEASURING_CELL.sub(lambda found: "pass\n" * found[0].count("\n"), source)
    return TransformerManager().transform_cell(MEASURING_LINE.sub(r"\1", source))


@lru_cache(maxsize=4096)  # a class hands in the same given cells again and again
def _compiled(source: str) -> CodeType:
    """The code of a cell, which may await as cells of JupyterLab may. Names in its annotations are
    looked up, for this file's own future does not hold there."""
    return _code_of(as_python(source))


def _code_of(source: str | ast.Module) -> CodeType:
    return compile(source, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)


def _as_far_as_it_runs(source: str) -> CodeType:
    """The code of a cell up to the first statement that does not compile, such as a `return`
    outside of a function: JupyterLab compiles one statement after the other."""
    try:
        return _compiled(source)
    except SyntaxError:
        runs: list[ast.stmt] = []
        for statement in ast.parse(as_python(source)).body:
            try:
                _code_of(ast.Module([statement], []))
            except SyntaxError:
                break
            runs.append(statement)
        return _code_of(ast.Module(runs, []))


def work_of_magic(source: str) -> int:
    """About how many characters IPython reads to translate a cell:
    with each line of magic it begins again."""
    return len(source) * len(MAGIC_LINE.findall(source))


@lru_cache(maxsize=4096)
def names_of(source: str) -> Names:
    """The names of a cell; none when it is not Python."""
    try:
        code = _as_far_as_it_runs(source)
    except Exception:
        return Names(frozenset(), frozenset(), frozenset())
    functions = [each for each in code.co_consts if isinstance(each, CodeType)]
    inside = {each.co_name: _looked_up(each) for each in functions}
    reads, binds, fixed, before, made = set(), set(), set(), "", code
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
            # a function of the cell may be called here, before the cell binds what it looks up
            reads |= {step.argval, *inside.get(step.argval, ())} - binds
        elif step.opname in ("STORE_NAME", "STORE_GLOBAL"):
            binds.add(step.argval)
            if before in ("IMPORT_NAME", "IMPORT_FROM", "MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE"):
                fixed.add(step.argval)
            if before in ("MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE"):
                inside[step.argval] = _looked_up(made) | inside.get(step.argval, frozenset())
        elif step.opname == "IMPORT_STAR" or step.argrepr == "INTRINSIC_IMPORT_STAR":
            binds.add(EVERYTHING)
        elif step.opname == "IMPORT_NAME" and step.argval == "__future__":
            binds.add(EVERYTHING)  # it holds for all cells below
        elif step.opname == "LOAD_CONST" and isinstance(step.argval, CodeType):
            made = step.argval
            reads |= _looked_up(made) - binds if _runs_at_once(made) else set()
        if step.opname not in ("CACHE", "EXTENDED_ARG"):
            before = step.opname
    if any(WRITING & {*each.co_names} for each in (code, *_inside(code))):
        binds.add(EVERYTHING)
    reads |= _named_in_texts(code) - binds
    reads |= frozenset().union(*map(_looked_up, functions)) - binds
    fixed |= binds & {each.co_name for each in functions if each.co_flags & inspect.CO_NEWLOCALS}
    inside = {name: looked_up for name, looked_up in inside.items() if name in binds}
    tree = _parsed(source)
    return Names(
        frozenset(reads), frozenset(binds), frozenset(fixed), tuple(inside.items()),
        _assigned(tree) - reads, frozenset(_changed_in(tree)), frozenset(_shared(tree)),
    )  # fmt: skip


def _runs_at_once(code: CodeType) -> bool:
    """Whether a cell runs this code where it stands: a comprehension, or the body of a class."""
    return code.co_name in COMPREHENSIONS or not code.co_flags & inspect.CO_NEWLOCALS


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(as_python(source))
    except SyntaxError:
        return ast.Module([], [])


def _assigned(tree: ast.Module) -> frozenset[str]:
    """The names that `name = value` binds whatever happens: outside of all branches and loops."""
    targets = [node.targets for node in tree.body if isinstance(node, ast.Assign)]
    return frozenset(
        target.id for each in targets for target in each if isinstance(target, ast.Name)
    )


def _shared(tree: ast.Module) -> Iterator[tuple[str, str, bool]]:
    """The pairs of names that one object may have: `mine = n`, `for run in runs`, `box["a"] = n`,
    `lab, shop = ...`. With True those that a call or a sum lies between."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                pass
            case (
                ast.For(target=target, iter=value)
                | ast.comprehension(target=target, iter=value)
                | ast.NamedExpr(target=target, value=value)
                | ast.withitem(context_expr=value, optional_vars=ast.expr() as target)
            ):
                targets = [target]
            case _:
                continue
        first, *others = [name for target in targets for name, _ in _handed_on(target)] or [""]
        yield from ((first, other, False) for other in others)
        yield from ((first, name, called) for name, called in _handed_on(value) if first)


def _handed_on(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """The names whose objects may be in what an expression gives, and whether a call made it."""
    left = [(node, False)]
    while left:
        node, called = left.pop()
        match node:
            case ast.Name(id=name):
                yield name, called
            case ast.Subscript(value=value):
                left.append((value, called))
            case ast.Compare() | ast.Lambda() | ast.JoinedStr():
                pass
            case _:
                called = called or isinstance(node, (ast.Call, ast.BinOp))
                left += [(child, called) for child in ast.iter_child_nodes(node)]


def is_python(source: str) -> bool:
    """Whether a cell can be compiled at all."""
    try:
        _compiled(source)
    except Exception:
        # whatever the compiler stumbles over: nested too deep, a line without end
        return False
    return True


def needed(sources: list[str], target: int, given: Container[int] = ()) -> set[int]:
    """The indices of the cells above `target` that must run before it. Where one of the `given`
    binds a name again, the cells above it are not asked for that name: given cells do not break."""
    *above, own = [names_of(source) for source in sources[: target + 1]]
    # a name that is bound in another way, too, can be changed
    fixed = frozenset(dir(builtins)).union(*(names.fixed for names in above))
    fixed = fixed.difference(*(names.binds - names.fixed for names in above))
    *mentioned, wanted = _mentioned([*above, own])
    bound, objects = _objects(above, given, fixed)
    found = set()
    for index in range(target - 1, -1, -1):
        names = above[index]
        watched = {objects[number] for name, number in bound[index].items() if name in wanted}
        around = bound[max(index - 1, 0) : index + 1]  # before the cell and after it
        meant = {objects[of[name]] for of in around for name in of.keys() & mentioned[index]}
        touched = mentioned[index] & wanted - fixed | names.changes & wanted or meant & watched
        if names.binds & wanted or touched or (EVERYTHING in names.binds and wanted):
            found.add(index)
            if index in given:
                wanted -= names.rebinds
            wanted |= mentioned[index]
    return found


def _objects(
    above: list[Names], given: Container[int], fixed: frozenset[str]
) -> tuple[list[dict[str, int]], list[int]]:
    """For each cell the names after it that ever share an object, each with the number of its
    binding; and for each number the object, which is one for bindings that may share it. What a
    call makes of its arguments counts in a learner's cells only: given cells would ask for each
    other without end."""
    pairs = [
        [
            (one, other)
            for one, other, called in names.shares
            if not (called and index in given) and not fixed & {one, other}
        ]
        for index, names in enumerate(above)
    ]
    paired = {name for each in pairs for pair in each for name in pair}
    same: list[int] = []  # for each number one that is the same, itself at the end of the way
    bound: list[dict[str, int]] = []

    def of_object(number: int) -> int:
        while same[number] != number:
            same[number] = number = same[same[number]]
        return number

    before: dict[str, int] = {}
    for names, shared in zip(above, pairs, strict=True):
        new = names.binds & paired | {name for pair in shared for name in pair} - before.keys()
        after = before | {name: len(same) + place for place, name in enumerate(new)}
        same += range(len(same), len(same) + len(new))
        for one, other in shared:
            same[of_object(after[one])] = of_object(after[other])
            if other in names.reads and other in before:
                same[of_object(after[one])] = of_object(before[other])
        bound.append(after)
        before = after
    return bound, [of_object(number) for number in range(len(same))]


def _mentioned(above: list[Names]) -> list[frozenset[str]]:
    """For each cell the names that it mentions, and those that the functions it mentions look up,
    and the functions that these call."""
    inside: dict[str, frozenset[str]] = {}
    found = []
    for names in above:
        inside.update(names.inside)
        mentioned, left = set(names.reads), list(names.reads)
        while left:
            more = inside.get(left.pop(), frozenset()) - mentioned
            mentioned |= more
            left += more
        found.append(frozenset(mentioned))
    return found


@lru_cache(maxsize=512)  # a class has the same cells again and again
def tools_apart(source: str) -> tuple[str, ...]:
    """A given cell as the two that it could be: its imports and functions, then all else, each with
    its lines where they were. An answer that needs a function does not wait for what the cell plays
    with it. Functions that look up what its other statements bind stay with them."""
    try:
        text = as_python(source)
        body = ast.parse(text).body
    except SyntaxError:
        return (source,)
    imports = [node for node in body if isinstance(node, (ast.Import, ast.ImportFrom))]
    functions = [node for node in body if isinstance(node, ast.FunctionDef)]
    for tools in (imports + functions, imports):
        own = {line for node in tools for line in range(_first_line(node), node.end_lineno + 1)}
        apart, rest = (_lines(text, own, True).rstrip(), _lines(text, own, False))
        mixed = any(node.lineno in own for node in body if node not in tools)
        its, theirs = names_of(apart), names_of(rest)
        if apart and rest.strip() and not mixed and not (its.reads | its.binds) & theirs.binds:
            return apart, rest
    return (source,)


def _lines(text: str, numbers: Container[int], wanted: bool) -> str:
    numbered = enumerate(text.splitlines(), 1)
    return "\n".join(line if (number in numbers) == wanted else "" for number, line in numbered)


def _first_line(node: ast.stmt) -> int:
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])


def fills(source: str, above: str = "") -> frozenset[str]:
    """The names whose object a cell fills or changes in place: `opened["A"] = 3`, `seen.add(x)`,
    and `fill(opened)` where `fill` is a function of this cell, or of the text above it, that
    changes what it is given."""
    try:
        tree = ast.parse(as_python(source))
    except Exception:
        return frozenset()
    trees = [ast.parse(as_python(above)), tree] if is_python(above) else [tree]
    functions = {
        node.name: node
        for each in trees
        for node in ast.walk(each)
        if isinstance(node, ast.FunctionDef)
    }
    found = _changed_in(tree)
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and getattr(call.func, "id", None) in functions:
            function = functions[call.func.id]
            changed = _changed_in(function)
            inside = {
                node.id
                for node in ast.walk(function)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            } - _declared_global(function)
            named = [argument.arg for argument in function.args.posonlyargs + function.args.args]
            given = [*zip(named, call.args, strict=False)]
            given += [(each.arg, each.value) for each in call.keywords]
            found |= changed - inside - set(named)
            found |= {
                value.id for name, value in given if name in changed and isinstance(value, ast.Name)
            }
    return frozenset(found)


def _changed_in(tree: ast.AST) -> set[str]:
    """The names whose object the code itself changes in place."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Subscript, ast.Attribute)) and (
            not isinstance(node.ctx, ast.Load)
            or (isinstance(node, ast.Attribute) and node.attr in CHANGING)
        ):
            while isinstance(node, (ast.Subscript, ast.Attribute)):
                node = node.value
            found.update([node.id] if isinstance(node, ast.Name) else [])
    return found | _declared_global(tree)


def _declared_global(tree: ast.AST) -> set[str]:
    return {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}


def imported_by(source: str) -> list[str]:
    """The modules a cell imports, by their full names."""
    if "import" not in source:  # most cells; parsing each of a whole course takes half a second
        return []
    try:
        tree = ast.parse(as_python(source))
    except Exception:
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.append(node.module)
    return found


@lru_cache(maxsize=4096)
def looked_up_later(source: str) -> frozenset[str]:
    """The names that the functions of a cell look up when they are called."""
    try:
        code = _compiled(source)
    except Exception:
        return frozenset()
    return frozenset().union(*(_looked_up(outer) for outer in _inside(code)))


def _looked_up(code: CodeType) -> frozenset[str]:
    """The notebook's names in a function's code, and in that of the functions in it."""
    return frozenset(
        step.argval
        for each in (code, *_inside(code))
        for step in dis.get_instructions(each)
        if step.opname in ("LOAD_GLOBAL", "STORE_GLOBAL", "LOAD_NAME")
    )


def _named_in_texts(code: CodeType) -> set[str]:
    """The names that a cell's texts speak of: pandas looks up `@name` of a query, and `exec` runs
    the whole text, as `eval` does."""
    all_codes = (code, *_inside(code))
    called = {name for each in all_codes for name in each.co_names}
    pattern = WORD if {*WRITING, "eval"} & called else QUERIED if "query" in called else None
    return {
        name
        for each in all_codes
        for text in each.co_consts
        if pattern and type(text) is str
        for name in pattern.findall(text)
    }


@lru_cache(maxsize=4096)
def starts_spark(source: str) -> bool:
    """Whether a cell makes a Spark session of its own: `logsets.session()`, Spark's builder."""
    try:
        code = _compiled(source)
    except Exception:
        return False
    named = {
        part
        for each in (code, *_inside(code))
        for name in each.co_names
        for part in name.split(".")
    }
    return bool({"SparkSession", "SparkContext"} & named or {"logsets", "session"} <= named)


def _inside(code: CodeType):
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inside(constant)
