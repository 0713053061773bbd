"""Draws what of a corpus is run when: by `make test`, by CI as well, or by `make test-all` alone.

Tests of one corpus begin at different places, so together they touch nearly all of it.
"""

import pytest


def share(items, one_in: int, first: int = 0, id=str) -> list:
    """Each item as a parameter set; all but every `one_in`-th, counted from `first`, are marked
    slow. A tuple gives several arguments."""
    return [
        pytest.param(
            *(item if isinstance(item, tuple) else (item,)),
            marks=() if (place - first) % one_in == 0 else pytest.mark.slow,
            id=id(item),
        )
        for place, item in enumerate(items)
    ]


def few(items, keep: int = 1, first: int = 0) -> list:
    """Each item as a parameter set. Of those that are not slow, at most `keep` stay in `make test`,
    spread evenly from the one at `first` on; the others are marked corpus.

    A tuple gives several arguments. A parameter set keeps its own marks.
    """
    sets = [
        item
        if hasattr(item, "marks")
        else pytest.param(*(item if isinstance(item, tuple) else (item,)))
        for item in items
    ]
    of_ci = [each for each in sets if all(mark.name != "slow" for mark in each.marks)]
    kept = of_ci[first :: -(-(len(of_ci) - first) // keep)]
    return [
        each._replace(marks=(*each.marks, pytest.mark.corpus))
        if any(each is other for other in of_ci) and all(each is not other for other in kept)
        else each
        for each in sets
    ]
