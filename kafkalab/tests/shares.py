"""What `make test` takes of a corpus: one in so many; the others are `slow`. Tests of one
corpus begin at different places, so together they touch nearly all of it."""

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
