"""Plain data: the only thing that passes between a learner's code and a judge.

A judge that compared live objects would ask the learner's `__eq__` for the verdict. So a probe
hands over numbers, texts, lists and dicts of exactly these types, and everything else is refused
here with a sentence that says what came instead.
"""

import json
import math
import re
from collections import ChainMap, UserDict, UserList, deque
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

# one answer; a learner's list of everything is cut off here, not in the judge's memory
MOST_BYTES = 256_000
DEEPEST = 12
# control and direction, half characters
UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]+"
)
LISTS = (deque, range, UserList, type({}.keys()), type({}.values()))
DICTS = (ChainMap, MappingProxyType, UserDict)
BASES = {
    str: str.__str__,
    int: int.__index__,
    float: float.__float__,
    dict: lambda value: dict(dict.items(value)),
    list: lambda value: list(list.__iter__(value)),
    tuple: lambda value: list(tuple.__iter__(value)),
}
EXACT = 2**53  # beyond it a float skips whole numbers
ROUNDED = 16  # steps of a float that a sum may be off: 60 * (12 + 5 / 60 + 1 / 60) is one off 726


class NotPlain(TypeError):
    """The value is not made of numbers, texts, lists and dicts; the message names what it is."""


class Unwritten(NotPlain):
    """The value is `...`, the mark of an answer that is still to be written."""


class NotAsAsked(ValueError):
    """A probe cannot use what the answer holds; the message says what was asked for instead."""


def plain(value, depth: int = 0):
    """Return `value` as plain JSON data; a numpy or pandas number becomes a Python one, a tuple a
    list, a set a sorted list (numbers by their size), a Counter a dict, and a fraction without a
    rest, but for what floats round, a whole number: who writes 30 / 2 has counted 15.

    A member of an enum, a named tuple and any other value of a subclass counts as what it is below:
    the methods of its own class are not asked. Raises NotPlain for anything else.
    """
    if depth > DEEPEST:
        raise NotPlain(f"lists inside lists more than {DEEPEST} deep")
    value = as_builtin(value)
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        if not math.isfinite(value):
            # JSON has no nan; the text "nan" equals no number
            return repr(value)
        slack = min(ROUNDED * math.ulp(value), 1e-6)
        is_whole = abs(value) < EXACT and abs(value - round(value)) <= slack
        return round(value) if is_whole else value
    if kind in (list, tuple):
        return [plain(item, depth + 1) for item in value]
    if kind in (set, frozenset):
        return sorted((plain(item, depth + 1) for item in value), key=_rank)
    if kind is dict:
        return {_key(key): plain(item, depth + 1) for key, item in value.items()}
    if kind in (Decimal, Fraction):
        return plain(float(value), depth)
    if hasattr(kind, "__next__"):
        raise NotPlain(
            f"{with_article(kind.__name__)}, which is no list yet; make one of it, with list(...)"
        )
    refused = Unwritten if value is ... else NotPlain
    raise refused(
        f"{with_article(kind.__name__)}, where a number, a text, a list or a dict was asked for"
    )


def as_builtin(value):
    """A value of a subclass as the built-in one below, a container of the standard library, of
    numpy or of pandas as the dict or list that it stands for; any other value as it is. A Series
    whose index is texts is a dict."""
    kind = type(value)
    for base, its_own in BASES.items():
        if kind is not base and kind is not bool and issubclass(kind, base):
            return its_own(value)
    if kind in LISTS:
        return list(value)
    if kind in DICTS:
        return dict(value)
    # np.int64 comes out of every pandas count
    if kind.__module__ == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    if kind.__module__.startswith("pandas.") and kind.__name__ in ("Series", "Index", "RangeIndex"):
        named = kind.__name__ == "Series" and all(type(name) is str for name in value.index)
        return value.to_dict() if named and len(value) else value.tolist()
    return value


def whole_numbers(value) -> list[int] | None:
    """The whole numbers in a list, a tuple, a set or an array; None for anything else. Raises
    NotPlain for an iterator, whose sentence says what is missing."""
    try:
        found = plain(value)
    except NotPlain:
        if hasattr(type(value), "__next__"):
            raise
        return None
    return found if type(found) is list and {type(each) for each in found} <= {int} else None


def canonical(data) -> str:
    """The one text of some plain data: equal data have equal texts;
    4, "4" and True have different ones."""
    return json.dumps(
        data, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False
    )


def same(left, right) -> bool:
    """Whether two plain answers are the same, to the type."""
    return canonical(left) == canonical(right)


def with_article(name: str) -> str:
    """A type's name as one says it: "an int", "a list"."""
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def one_line(text, most: int = 1_000) -> str:
    """A learner's words in somebody's table or terminal: no line ends, no control characters,
    not long; "" for what is no text."""
    return UNSEEN.sub(" ", text).strip()[:most] if isinstance(text, str) else ""


def _rank(item) -> tuple:
    """The place of an item of a set in a list: numbers first, by their size."""
    is_number = type(item) in (int, float)
    return (not is_number, item if is_number else 0, canonical(item))


def _key(key) -> str:
    key = as_builtin(key)
    if type(key) is str:
        return key
    if type(key) in (int, bool, float) or key is None:
        return json.dumps(key)
    if type(key) in (list, tuple):
        # ("orders", 1) is written orders-1, as Kafka does
        return "-".join(str(plain(part)) for part in key)
    raise NotPlain(f"a dict with {with_article(type(key).__name__)} as a key")
