"""A right answer, written otherwise: '4' for 4, "Written" for "written", 1 for True, [4] for 4.

Equality goes to the type, so such an answer is wrong; but it is not what the question's own
sentences speak of. The learner who gives it reads what is the matter, in a cell and in official
grading. Only 0 and 1 count as False and True, as they do in Python, and a space round a text as
nothing.
"""

from collections.abc import Callable, Iterator
from itertools import product

from autograder.cell.data import canonical, plain

SPELLED_OTHERWISE = (
    "right, but not written as asked: write a number without quotation marks, and a word in the "
    "same letters as in the question."
)
IN_ANOTHER_UNIT = (
    "right, but in another unit: look whether the question asks for seconds or for milliseconds."
)
IN_OTHER_BRACKETS = (
    "right, but not written as asked: a single value has no brackets, and a list has them, also "
    "around one value."
)
IN_ANOTHER_ORDER = "right, but in another order: write the list with the smallest entry first."
UNIT, MOST = 1_000, 10**12
KINDS = ("value", "lines")


def spelled_otherwise(question, data, is_right: Callable[[object], bool]) -> bool:
    """Whether plain data that is wrong would be right with its numbers as
    numbers and its words in other letters."""
    # each answer of a play would be judged by playing it again
    is_played = question.public_judge is not None
    ways = (str,) if is_played else (str, str.lower, str.upper, _large, _small)
    tried = [data]
    for letters, digits in product(ways, (str, _number)):
        other = _each(
            str, data, lambda text, letters=letters, digits=digits: digits(letters(text.strip()))
        )
        if other not in tried and is_right(other):
            return True
        tried.append(other)
    return False


def with_truth_values(question, data) -> Iterator:
    """Plain data with False for 0 and True for 1, and then the other way round; nothing where it is
    the same. What a function decides in a play would be played again, and stays as it is."""
    if question.kind not in KINDS and question.public_judge is not None:
        return
    for other in (
        _each_number(data, lambda number: bool(number) if number in (0, 1) else number),
        _each(bool, data, int),
    ):
        if canonical(other) != canonical(data):
            yield other


def without_spaces(data) -> Iterator:
    """Plain data whose texts have no space before or behind them: `line.split("=")` leaves one, and
    nobody sees it. Nothing where there is none."""
    other = _each(str, data, str.strip)
    if other != data:
        yield other


def in_another_unit(question, data, is_right: Callable[[object], bool]) -> bool:
    """Whether plain data that is wrong would be right with all its numbers, or those of one name,
    a thousand times as large, or as small."""
    # of a function many answers are heard
    return question.kind in KINDS and any(
        other != data and is_right(other)
        for change in (lambda number: plain(number * UNIT), lambda number: plain(number / UNIT))
        for other in _changed(data, lambda part, change=change: _each_number(part, change))
    )


def in_other_brackets(question, data, is_right: Callable[[object], bool]) -> bool:
    """Whether plain data that is wrong would be right with a value in place of each list of one, or
    with a list around each value; of one name, or of all."""
    return question.kind in KINDS and any(
        other != data and is_right(other)
        for change in (_without_brackets, _with_brackets)
        for other in _changed(data, change)
    )


def in_another_order(question, data, is_right: Callable[[object], bool]) -> bool:
    """Whether plain data that is wrong would be right with its lists sorted; of one name, or of
    all."""
    return question.kind in KINDS and any(
        other != data and is_right(other) for other in _changed(data, _sorted)
    )


def _sorted(data):
    if isinstance(data, dict):
        return {key: _sorted(item) for key, item in data.items()}
    if isinstance(data, list) and {type(item) for item in data} in ({int}, {str}):
        return sorted(data)
    return data


def _without_brackets(data):
    if isinstance(data, dict):
        return {key: _without_brackets(item) for key, item in data.items()}
    return data[0] if isinstance(data, list) and len(data) == 1 else data


def _with_brackets(data):
    if isinstance(data, dict):
        return {key: _with_brackets(item) for key, item in data.items()}
    return data if isinstance(data, list) else [data]


def _changed(data, change: Callable) -> Iterator:
    """Plain data that is changed as a whole, and then in one of its names after the other."""
    yield change(data)
    for name in data if isinstance(data, dict) and len(data) > 1 else ():
        yield {**data, name: change(data[name])}


def _large(text: str) -> str:
    return text[:1].upper() + text[1:]


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


def _each_number(data, change):
    if type(data) in (int, float) and abs(data) < MOST:
        return change(data)
    if isinstance(data, list):
        return [_each_number(item, change) for item in data]
    if isinstance(data, dict):
        return {key: _each_number(item, change) for key, item in data.items()}
    return data


def _number(text: str):
    digits = text.removeprefix("-")
    return int(text) if digits.isdecimal() and digits.isascii() and len(digits) < 16 else text


def _each(kind: type, data, change):
    if isinstance(data, kind):
        return change(data)
    if isinstance(data, list):
        return [_each(kind, item, change) for item in data]
    if isinstance(data, dict):
        return {key: _each(kind, item, change) for key, item in data.items()}
    return data
