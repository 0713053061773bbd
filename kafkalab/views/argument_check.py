"""Checks the arguments of a view: a lab or labs by name. Anything else gets one sentence."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import ParamSpec, TypeVar, cast

from kafkalab.errors import IllegalArgumentException

from .shown_lab import ShownLab, has_journal

ONE, NAMED, EITHER, TWO = "one", "named", "either", "two"
DRAW_REAL = tuple(
    "timeline compare ownership assignment_matrix readers bookmarks cluster_map".split()
)
"""The views that draw a real lab, too. Of it only the clients' lines are known, and what an admin
client is told."""
NEED_A_JOURNAL = {
    "sequence": "no line tells when a message came to a broker, or when its answer left",
    "group_timeline": "no line of a client tells the state of its group",
}
"""Why a view that one may expect draws no real lab."""

Arguments = ParamSpec("Arguments")
Drawn = TypeVar("Drawn")


def draws(what: str) -> Callable[[Callable[Arguments, Drawn]], Callable[Arguments, Drawn]]:
    """Mark a view of ONE lab, of labs that are NAMED, of EITHER, or of TWO labs.

    The view then checks its arguments. A named client has to be one of the lab's. A view that is
    not in DRAW_REAL draws no real lab. It raises IllegalArgumentException.
    """
    return functools.partial(_checked, what)


def _checked(what: str, view: Callable[Arguments, Drawn]) -> Callable[Arguments, Drawn]:
    signature = inspect.signature(view)

    @functools.wraps(view)
    def checked(*args: Arguments.args, **named: Arguments.kwargs) -> Drawn:
        given = list(signature.bind(*args, **named).arguments.values())
        labs = cast(list[ShownLab], _check(view.__name__, what, given))
        if view.__name__ not in DRAW_REAL and not all(map(has_journal, labs)):
            why = NEED_A_JOURNAL.get(view.__name__)
            raise IllegalArgumentException(
                f"{view.__name__}() draws what only the simulator's journal tells"
                f"{f': {why}' if why else ''}; a real lab is drawn by {', '.join(DRAW_REAL)}"
            )
        client = signature.bind(*args, **named).arguments.get("client")
        if client is not None:
            for lab in given[: 2 if what is TWO else 1]:
                lab.check_client(client)
        return view(*args, **named)

    return checked


def _check(view: str, what: str, given: list[object]) -> list[object]:
    """The labs that were given. Raises IllegalArgumentException where something else was."""
    if what is TWO:
        if not all(map(_is_lab, given[:2])):
            raise IllegalArgumentException(
                f'{view}() draws two labs, {view}(left, right, ("2.2", "2.3")), not {given[0]!r} '
                f"and {given[1]!r}"
            )
        return given[:2]
    by_name = isinstance(given[0], Mapping) and all(map(_is_lab, given[0].values()))
    if not ((what is not ONE and by_name) or (what is not NAMED and _is_lab(given[0]))):
        example = {
            ONE: "a lab comes first, as in {}(lab)",
            NAMED: 'labs come first, each by its name, as in {}({{"client 2.3": lab}})',
            EITHER: 'a lab comes first, as in {}(lab), or several by name, {{"client 2.3": lab}}',
        }[what].format(view)
        raise IllegalArgumentException(f"{view}() draws a Lab: {example}, not {given[0]!r}")
    return list(given[0].values()) if isinstance(given[0], Mapping) else given[:1]


def _is_lab(given: object) -> bool:
    return all(hasattr(given, name) for name in ("table", "sockets", "now_ms"))
