"""Reads the two numbers of an answer: how many sockets were opened, and how many are kept.

"4 opened, 3 kept", "four in total ... three survive", "先建4条,最后剩3条", "1 + 1 + 2; one closes"
must all come out as (4, 3); "4 or 5", "3 opened and 4 kept" and "4 minutes" must not. Every number
of the answer is a candidate; the words around it say whether it counts sockets at all and which of
the two it is.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field

from autograder.written.scorer.patterns import Hit, Lexicon
from autograder.written.scorer.text import SENTENCE_END, Reading, is_chinese

_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}
_HAN = {character: value for value, character in enumerate("零一二三四五六七八九十")} | {"两": 2}
_CLAUSE_MARKS = frozenset(", ( ) and but then while whereas 而 但 然 、 后".split())
_MEASURES = frozenset("个 条 根 次 路 只 t".split())


@dataclass(frozen=True)
class CountRule:
    """Names the lexicon's lists for one count.

    They hold words of opening, of what is counted, of keeping, of closing; what a number may count
    instead; who may be one of the parts.
    """

    opened: str
    counted: str
    kept: str
    closed: str
    foreign_after: str
    foreign_before: str
    doubted: str
    parts: str


@dataclass
class Tally:
    """What the answer said about one number: the values, in order, with their places."""

    values: dict[int, Hit] = field(default_factory=dict)
    costs: dict[int, float] = field(default_factory=dict)  # how far each value was from its word
    hedged: bool = False  # "4 or 5"

    @property
    def only(self) -> int | None:
        """The one value, if the answer committed itself to one."""
        return next(iter(self.values)) if len(self.values) == 1 and not self.hedged else None


@dataclass(frozen=True)
class _Candidate:
    value: int
    first: int
    last: int


def tally(reading: Reading, lexicon: Lexicon, rule: CountRule) -> tuple[Tally, Tally]:
    """(opened, kept) as the answer tells them."""
    opened, kept, closed = Tally(), Tally(), Tally()
    cues = _cues(reading, lexicon, rule)
    candidates = _candidates(reading, lexicon, rule)
    roles = {"opened": opened, "kept": kept, "closed": closed}
    unassigned = []
    assigned: list[tuple[_Candidate, str, float]] = []
    for candidate, role, cost in _assign(reading, candidates, cues):
        if role == "none":
            unassigned.append(candidate)
        else:
            assigned.append((candidate, role, cost))
    for candidate, role, cost in assigned:
        if (
            role == "closed"
            and candidate.value >= 2
            and reading.tokens[candidate.first - 1].text
            in (":", "->", "=", "so", "hence", ",", "剩", "it", "is", "are", "leaves", "makes")
        ):
            role = "kept"  # "later -1 is idle and closed: 3"
        tally_of_role = roles["opened" if role == "counted" else role]
        tally_of_role.values.setdefault(candidate.value, Hit(candidate.first, candidate.last))
        tally_of_role.costs[candidate.value] = min(
            cost, tally_of_role.costs.get(candidate.value, cost)
        )
    _mark_hedges(
        reading,
        [one[:2] for one in assigned] + [(candidate, "opened") for candidate in unassigned[:1]],
        roles,
        candidates,
    )
    _settle(opened, kept, closed, unassigned)
    return opened, kept


_FIRST_TOKENS = 3
_NEAR_TOKENS = 14


def first_number(reading: Reading) -> int | None:
    """The place of the number that an answer begins with; None if it begins with words."""
    return next(
        (
            index
            for index, token in enumerate(reading.tokens[:_FIRST_TOKENS])
            if token.text.lstrip("-")[:1].isdigit() or _value(reading, index) is not None
        ),
        None,
    )


def begins_with_totals(reading: Reading, opened: int, kept: int) -> bool:
    """Whether an answer begins with these two totals: "4, then 3", "3 points: 4, then 3",
    "3 remain of 4"."""
    begin = first_number(reading)
    if begin is None:
        return False
    totals = [
        (index, value)
        for index in range(begin, min(len(reading.tokens), begin + _NEAR_TOKENS))
        if (value := _value(reading, index)) is not None and value >= _LEAST_TOTAL
    ]
    for (_, one), (place, other) in itertools.pairwise(totals):
        around = {token.text for token in reading.tokens[place - 2 : place + 3]}
        if (one, other) == (opened, kept) or ((other, one) == (opened, kept) and around & _OUT_OF):
            return True
    return False


_OUT_OF = {"of", "中"}
_LEAST_TOTAL = 3  # smaller numbers are parts: the leaders, the coordinator

_PLAIN = 2.0  # a number this close to its word belongs to it beyond doubt


def _settle(opened: Tally, kept: Tally, closed: Tally, unassigned: list[_Candidate]) -> None:
    """Bare numbers follow the order of the question; parts of a sum are no totals;
    the others are found by subtraction."""
    if unassigned and unassigned[0].value >= 3 and opened.values and max(opened.values) <= 2:
        opened.values.clear()
    for one in (opened, kept):
        if any(value >= 3 for value in one.values):
            one.values = {
                value: hit
                for value, hit in one.values.items()
                if value >= 3 or one.costs[value] <= 0.5
            }
        if len(one.values) > 1 and any(one.costs[value] <= _PLAIN for value in one.values):
            one.values = {
                value: hit for value, hit in one.values.items() if one.costs[value] <= 2 * _PLAIN
            }
    if len(opened.values) == 2 and not kept.values and not opened.hedged:
        first, second = opened.values
        if first > second:  # "the 4 opened have become 3"
            kept.values[second] = opened.values.pop(second)
    if len(kept.values) == 2 and not opened.values and not kept.hedged:
        first, second = kept.values
        if first > second >= 2:  # "4 then 3"
            opened.values[first] = kept.values.pop(first)
    if opened.only is not None and len(kept.values) > 1 and kept.costs.get(opened.only, 9.0) > 0.5:
        kept.values.pop(opened.only, None)  # "of the 4, 3 remain"
    if (
        kept.only is not None
        and len(opened.values) > 1
        and opened.costs.get(kept.only, 9.0) > _PLAIN
    ):
        opened.values.pop(kept.only, None)
    if opened.hedged or kept.hedged:
        return
    if unassigned and not opened.values:
        first_bare = unassigned.pop(0)
        opened.values[first_bare.value] = Hit(first_bare.first, first_bare.last)
    if unassigned and not kept.values:
        bare = [
            candidate
            for candidate in unassigned
            if candidate.value not in opened.values
            or (len(unassigned) == 1 and candidate.last == candidate.first + 1)
        ]
        if bare and bare[0].value >= 2:
            kept.values[bare[0].value] = Hit(bare[0].first, bare[0].last)
    if (
        not kept.values
        and opened.only is not None
        and closed.only is not None
        and 0 < closed.only < opened.only
    ):
        kept.values[opened.only - closed.only] = closed.values[closed.only]


# "4 connections" says less than "opens 4", which says less than nothing about "3 kept".
_RELUCTANCE = {"opened": 0.0, "kept": 0.0, "closed": 0.5, "counted": 2.0}
_FAR = 9.0  # beyond this a word and a number have nothing to do with each other


def _assign(
    reading: Reading, candidates: list[_Candidate], cues: list[tuple[str, Hit]]
) -> list[tuple[_Candidate, str, float]]:
    """Numbers and words of opening, keeping, closing are paired within a sentence, the closest
    pairing as a whole.

    A word that already has a number is a poorer match for a second one: so "opens 4 keeps 3" and "4
    opened 3 kept" agree.
    """
    found: list[tuple[_Candidate, str, float]] = []
    for first, last in reading.sentences():
        numbers = [one for one in candidates if first <= one.first < last][:6]
        words = [(name, cue) for name, cue in cues if first <= cue.first and cue.last <= last][:10]
        costs = [
            [_distance(reading, number, cue, candidates) + _RELUCTANCE[name] for name, cue in words]
            for number in numbers
        ]
        _, choice = _cheapest(costs, 0, frozenset())
        for row, (number, index) in enumerate(zip(numbers, choice)):
            found.append(
                (number, "none", _FAR)
                if index is None
                else (number, words[index][0], costs[row][index])
            )
    return found


def _cheapest(
    costs: list[list[float]], row: int, taken: frozenset[int]
) -> tuple[float, tuple[int | None, ...]]:
    if row == len(costs):
        return 0.0, ()
    best: tuple[float, tuple[int | None, ...]] | None = None
    for index in [*(sorted(range(len(costs[row])), key=costs[row].__getitem__)[:3]), None]:
        cost = _FAR if index is None else costs[row][index] + (5.0 if index in taken else 0.0)
        if cost > _FAR:
            continue
        rest, choice = _cheapest(costs, row + 1, taken if index is None else taken | {index})
        if best is None or cost + rest < best[0]:
            best = cost + rest, (index, *choice)
    assert best is not None  # "none of them" is always possible
    return best


def _distance(
    reading: Reading, candidate: _Candidate, cue: Hit, candidates: list[_Candidate]
) -> float:
    low, high = (
        (candidate.last, cue.first) if cue.first >= candidate.last else (cue.last, candidate.first)
    )
    steps = 0.0
    for token in reading.tokens[low:high]:
        steps += 0.5 if is_chinese(token.text) else 1.0
        steps += 4.0 if token.text in _CLAUSE_MARKS else 0.0
    steps += sum(3.0 for other in candidates if low <= other.first < high)
    return steps


def _cues(reading: Reading, lexicon: Lexicon, rule: CountRule) -> list[tuple[str, Hit]]:
    kept = list(lexicon.find("{%s}" % rule.kept, reading))
    closed = [
        hit for hit in lexicon.find("{%s}" % rule.closed, reading) if not _overlaps(hit, kept)
    ]
    opened = [
        hit for hit in lexicon.find("{%s}" % rule.opened, reading) if not _overlaps(hit, kept)
    ]
    counted = [
        hit for hit in lexicon.find("{%s}" % rule.counted, reading) if not _overlaps(hit, kept)
    ]
    return (
        [("kept", hit) for hit in kept]
        + [("closed", hit) for hit in closed]
        + [("opened", hit) for hit in opened]
        + [("counted", hit) for hit in counted]
    )


def _overlaps(hit: Hit, others: list[Hit]) -> bool:
    return any(hit.first < other.last and other.first < hit.last for other in others)


def _candidates(reading: Reading, lexicon: Lexicon, rule: CountRule) -> list[_Candidate]:
    """Numbers that can count sockets; sums are one candidate, with their value."""
    before = {hit.last for hit in lexicon.find("{%s}" % rule.foreign_before, reading)}
    after = {hit.first for hit in lexicon.find("{%s}" % rule.foreign_after, reading)}
    doubted = {hit.last for hit in lexicon.find("{%s}" % rule.doubted, reading)}
    parts = {
        index
        for hit in lexicon.find("{%s}" % rule.parts, reading)
        for index in range(hit.first, hit.last)
    }
    closings = {
        index
        for hit in lexicon.find("{%s}" % rule.closed, reading)
        for index in range(hit.first, hit.last)
    }
    numbers = [
        _Candidate(value, index, index + 1)
        for index in range(len(reading.tokens))
        if (value := _value(reading, index)) is not None
    ]
    sums = [one for one in _sums(reading, numbers, parts) if not _explains(reading, one, numbers)]
    inside = {index for one in sums for index in range(one.first, one.last)}
    loose = []
    for number in numbers:
        if number.first in inside or number.first in before or _is_foreign(reading, number, after):
            continue
        if any(
            number.first - back in doubted
            and not _turns(reading, number.first - back, number.first)
            for back in (0, 1, 2)
        ):
            continue
        if number.value <= 2 and _is_part(reading, number, parts):
            continue
        if number.value == 1 and not _is_closed_one(reading, number, closings):
            continue  # "on one connection", "one of them": hardly ever a total
        loose.append(number)
    return sorted(sums + loose, key=lambda one: one.first)


def _explains(reading: Reading, chain: _Candidate, numbers: list[_Candidate]) -> bool:
    """ "four in sum (bootstrap + coordinator + one for each leader)":
    the bracket says how the number before it comes about."""
    opening = chain.first - 1
    while opening >= 0 and reading.tokens[opening].text not in ("(", ")", SENTENCE_END):
        opening -= 1
    return (
        opening > 0
        and reading.tokens[opening].text == "("
        and any(one.value >= 3 and opening - 4 <= one.first < opening for one in numbers)
    )


def _turns(reading: Reading, first: int, last: int) -> bool:
    """Whether "not 5 but 4" turns round between two tokens."""
    return any(
        token.text in _CLAUSE_MARKS or token.text.isdigit() for token in reading.tokens[first:last]
    )


def _value(reading: Reading, index: int) -> int | None:
    text = reading.tokens[index].text
    if text in _WORDS:
        return _WORDS[text]
    if text in _HAN:
        following = reading.tokens[index + 1].text if index + 1 < len(reading.tokens) else ""
        previous = reading.tokens[index - 1].text if index else ""
        if previous == "第" or previous in _HAN or following in _HAN:
            return None
        return (
            _HAN[text]
            if following in _MEASURES or (text in "四三五六七" and not is_chinese(following or "x"))
            else None
        )
    if re.fullmatch(r"\d{1,2}", text):
        return int(text)
    return None


def _is_foreign(reading: Reading, number: _Candidate, after: set[int]) -> bool:
    """A number that counts minutes, partitions, brokers, or numbers a list."""
    first, last = reading.sentence_of(number.first)
    following = reading.tokens[number.last].text if number.last < last else SENTENCE_END
    if number.last in after or (
        number.last + 1 in after
        and number.last + 1 < last
        and following not in _CLAUSE_MARKS | {SENTENCE_END, ":", "="}
    ):
        return True
    if number.first == first and following in (")", ":") and number.value <= 3:
        return True
    return number.first == first and number.last == last and number.value <= 2


def _is_closed_one(reading: Reading, number: _Candidate, closings: set[int]) -> bool:
    """ "one is closed", "closes one": the subtrahend."""
    return any(index in closings for index in range(number.first - 2, number.last + 5))


def _is_part(reading: Reading, number: _Candidate, parts: set[int]) -> bool:
    """ "1 for the bootstrap", "two leaders", "leaders: 2": one of the summands, not the total."""
    label = number.first - (
        2 if number.first and reading.tokens[number.first - 1].text in (":", "=") else 1
    )
    if label in parts and reading.tokens[number.last].text in (",", "->", "=", "+", "and", ")"):
        return True
    for index in range(number.last, min(number.last + 7, len(reading.tokens))):
        if index in parts:
            return True
        if reading.tokens[index].text in (SENTENCE_END, ","):
            return False
    return False


def _sums(reading: Reading, numbers: list[_Candidate], parts: set[int]) -> list[_Candidate]:
    """Chains like `1 (bootstrap) + 1 + 2 leaders = 4` or `4 - 1 = 3`."""
    found, index, tokens = [], 0, reading.tokens
    at = {number.first: number.value for number in numbers}
    while index < len(tokens):
        if tokens[index].text not in ("+", "plus", "加", "-", "minus", "减"):
            index += 1
            continue
        first = _element_before(reading, index, at, parts)
        if first is None:
            index += 1
            continue
        start, total = first
        end = index
        while end < len(tokens) and tokens[end].text in ("+", "plus", "加", "-", "minus", "减"):
            sign = -1 if tokens[end].text in ("-", "minus", "减") else 1
            element = _element_after(reading, end + 1, at, parts)
            if element is None:
                break
            stop, value = element
            total, end = total + sign * value, stop
        if end > index:
            if (
                end < len(tokens)
                and tokens[end].text in ("=", "->", "is", "makes", "gives", "equals", "等")
                and (stated := _element_after(reading, end + 1, at, set(), reach=2))
            ):
                end, total = stated
            found.append(_Candidate(total, start, end))
        index = max(end, index + 1)
    return found


_ELEMENT_STOPS = frozenset({"+", "plus", "加", "-", "minus", "减", "=", SENTENCE_END, ",", ":"})


def _element_before(
    reading: Reading, index: int, at: dict[int, int], parts: set[int], reach: int = 7
) -> tuple[int, int] | None:
    """(start, value) of the summand that ends before a sign; a part without a number counts one."""
    named = None
    for position in range(index - 1, max(-1, index - 1 - reach), -1):
        if reading.tokens[position].text in _ELEMENT_STOPS:
            break
        if (
            reading.tokens[position].text == "("
            and position - 1 not in at
            and position - 1 not in parts
        ):
            break  # "four in sum (bootstrap + ...": the bracket begins the sum
        if position in at:
            return position, at[position]
        if position in parts:
            named = position
    return (named, 1) if named is not None else None


def _element_after(
    reading: Reading, index: int, at: dict[int, int], parts: set[int], reach: int = 7
) -> tuple[int, int] | None:
    """(end, value) of the summand that follows a sign."""
    value, end = None, index
    for position in range(index, min(len(reading.tokens), index + reach)):
        text = reading.tokens[position].text
        if text in _ELEMENT_STOPS:
            break
        if position in at and value is None:
            value, end = at[position], position + 1
        elif position in at:
            break
        elif position in parts:
            value, end = (1 if value is None else value), position + 1
        elif text == ")":
            end = position + 1
            break
    if value is None:
        return None
    if end < len(reading.tokens) and reading.tokens[end].text == ")":
        end += 1
    return end, value


def _mark_hedges(
    reading: Reading,
    assigned: list[tuple[_Candidate, str]],
    roles: dict[str, Tally],
    candidates: list[_Candidate],
) -> None:
    """ "4 or 5", "3-4", "3 or 4 opened": no commitment."""
    for candidate, role in assigned:
        for other in candidates:
            early, late = sorted((candidate, other), key=lambda one: one.first)
            between = [token.text for token in reading.tokens[early.last : late.first]]
            third = any(
                one is not early and one is not late and early.last <= one.first < late.first
                for one in candidates
            )
            if (
                other.value != candidate.value
                and between
                and len(between) <= 5
                and not third
                and _hedging(between)
            ):
                roles["opened" if role == "counted" else role].hedged = True


def _hedging(between: list[str]) -> bool:
    if (
        between[0] in ("or", "to", "-", "~", "或", "perhaps", "maybe", "还")
        or between[:2] == [",", "or"]
        or (between[:1] == ["("] and "or" in between[:2])
    ):
        return True
    return any(text in ("or", "或") for text in between)
