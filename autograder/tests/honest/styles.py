"""Ways to write an answer that do not change what it says."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Written:
    """An answer cell's source, cells added above and below it,
    and lines added to the notebook's import cell."""

    source: str
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        """All of it as one cell."""
        return "\n".join((*self.imports, *self.above, self.source, *self.below))


@dataclass(frozen=True)
class Style:
    """A name, and how it writes: (source, names the answer binds) -> Written."""

    name: str
    write: Callable[[str, tuple[str, ...]], Written]


def _inside(frame: str):
    """The source as the body of a statement; the names it binds are bound there."""
    return lambda source, names: Written(f"{frame}\n{textwrap.indent(source, '    ')}")


def _returned(called: str):
    """The source as a function's body, its names returned."""

    def write(source, names):
        back = ", ".join(names)
        return Written(
            f"def {called}():\n{textwrap.indent(source, '    ')}\n    return {back},\n\n"
            f"{back}, = {called}()"
        )

    return write


def _through(above: tuple[str, ...], passed: str, imports: tuple[str, ...] = ()):
    """Each name passed through something that gives it back: `passed` speaks of it as NAME."""

    def write(source, names):
        lines = [passed.replace("NAME", name) for name in names]
        return Written("\n".join([source, *lines]), above, (), imports)

    return write


def _around(before: str = "", after: str = "", each: str = ""):
    """Lines before, after, and one for each name."""

    def write(source, names):
        return Written(
            "\n".join(
                filter(
                    None,
                    [
                        before,
                        source,
                        *(each.replace("NAME", name) for name in names if each),
                        after,
                    ],
                )
            )
        )

    return write


def _in_a_class(source, names):
    body = textwrap.indent(source, "        ")
    kept = "\n".join(f"        self.{name} = {name}" for name in names)
    out = "\n".join(f"{name} = work.{name}" for name in names)
    return Written(f"class Work:\n    def __init__(self):\n{body}\n{kept}\n\nwork = Work()\n{out}")


def _tried_first(source, names):
    """First tries in the same cell, then the answer; and the same again below it."""
    return Written(
        "\n".join([*(f"{name} = None" for name in names), source]),
        (),
        ("print('looks good')", f"print({names[0]})"),
    )


STYLES = (
    Style("as the teacher", _around()),
    Style("comments in Chinese", _around("# 第一步：先数一数连接", "# 完成了，答案在上面")),
    Style(
        "prints everywhere", _around("print('start')", "print('done')", "print('NAME', '=', NAME)")
    ),
    Style("a helper in the cell", _returned("work_it_out")),
    Style("odd names", _returned("结果_l1O0")),
    Style(
        "a helper in a cell of its own",
        _through(("def keep(value):\n    return value",), "NAME = keep(NAME)"),
    ),
    Style(
        "a helper that needs a helper",
        _through(
            ("def same(value):\n    return value", "def keep(value):\n    return same(value)"),
            "NAME = keep(NAME)",
        ),
    ),
    Style(
        "an import in a cell of its own",
        _through(("import copy as c\nimport math, os",), "NAME = c.copy(NAME)"),
    ),
    Style(
        "an import in the given cell",
        _through((), "NAME = copy_module.copy(NAME)", ("import copy as copy_module",)),
    ),
    Style("a constant in a cell of its own", _through(("FIRST = 0",), "NAME = [NAME][FIRST]")),
    Style(
        "a list filled in a cell of its own",
        _through(("kept_here = []", "kept_here.append(0)"), "NAME = [NAME][kept_here[0]]"),
    ),
    Style("if True", _inside("if True:")),
    Style("a loop of one", _inside("for once in range(1):")),
    Style("with", _inside("import contextlib\nwith contextlib.nullcontext():")),
    Style("a class", _in_a_class),
    Style("annotations", _around(each="NAME: object = NAME")),
    Style("a walrus", _around(each="NAME = (tmp := NAME)")),
    Style("asserts", _around(each="assert NAME == NAME, 'odd'")),
    Style("tried first", _tried_first),
    Style("%%time", _around("%%time")),
    Style("magics", _around("%matplotlib inline\n!true", "%time pass")),
    Style(
        "a plot",
        _around(
            "import matplotlib.pyplot as plt\nfigure, axes = plt.subplots()\n"
            "axes.bar([1, 2], [3, 4])",
            "plt.show()",
        ),
    ),
    Style("display", _around(each="display(NAME)")),
    Style(
        "numpy",
        _around("import numpy as np", each="NAME = np.int64(NAME) if type(NAME) is int else NAME"),
    ),
    Style(
        "pandas", _through(("import pandas as pd",), "NAME = pd.Series([NAME], dtype=object)[0]")
    ),
    Style("empty lines and blanks", _around("\n\n   \n", "\n\n\t\n   ")),
    Style(
        "an error left in a cell above",
        lambda source, names: Written(source, ("1 / 0",), ("this_name_is_not_there",)),
    ),
    Style(
        "a warning",
        _around(
            "import warnings, sys\nwarnings.warn('mind the step')\n"
            "print('to stderr', file=sys.stderr)"
        ),
    ),
    Style("a generator", _around(each="NAME = next(iter((NAME,)))")),
    Style("a lambda", _around(each="NAME = (lambda it: it)(NAME)")),
)
