"""Guesses: says what a guess must be, and how well it fits what happened.

`questions/guesses.toml` lists what each `predict("03 answers", ...)` of the course asks for, and
how far off still counts as close. A guess that cannot mean anything is refused before it is locked.
"""

from __future__ import annotations

import fnmatch
import math
import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from autograder.cell import sealed
from autograder.cell.data import NotPlain, one_line, plain, same

# what is counted is close within a tenth, what is measured within a quarter or one unit
COUNTED, MEASURED, UNIT = 0.1, 0.25, 1
UNITS = ("milliseconds", "seconds", "minutes", "days")
YES, NO = ("yes", "true"), ("no", "false")


class RefusedGuess(ValueError):
    """The guess cannot mean anything; the message says what to write."""


@dataclass(frozen=True)
class Guess:
    """What one guess of the course is.

    kind    "count", "position" (an offset, a partition's number: exact), "yes or no", "positions"
            (several of them), one of UNITS, "any", or "words" where `words` has the texts that may
            be said
    words   texts, or one pattern for all of them where `pattern` says so
    dash    whether "-" may be said, too: nothing is known
    within  how far off is still close, in the guess's own unit; None: what its kind says
    say     what to write, where words alone do not tell
    """

    kind: str = "any"
    words: tuple[str, ...] = ()
    pattern: bool = False
    dash: bool = False
    within: float | None = None
    say: str = ""

    @property
    def wants(self) -> str:
        """What to write, in words."""
        if self.say or self.kind == "any":
            return self.say or "a number or a text"
        if self.kind == "words":
            return f"one of {', '.join(repr(word) for word in self.words)}"
        known = {
            "count": "a whole number, 0 or more",
            "position": "a whole number, 0 or more",
            "positions": "whole numbers, such as [0, 1]",
            "yes or no": "True or False",
        }
        said = known.get(self.kind, f"a number of {self.kind}, 0 or more")
        return f'{said}, or "-"' if self.dash else said

    def read(self, value):
        """The guess as it is kept. RefusedGuess where it cannot mean anything."""
        try:
            value = plain(value)
        except NotPlain:
            raise RefusedGuess(f"write {self.wants}") from None
        found = self._meant(value)
        if found is None and self.kind == "any":
            raise RefusedGuess(f"{one_line(repr(value), 60)} cannot be right")
        if found is None:
            raise RefusedGuess(f"write {self.wants}, not {one_line(repr(value), 60)}")
        return found

    def fit(self, guess, happened) -> str:
        """ "as you said", "close" or "a surprise"."""
        guess, happened = (self._meant(value, value) for value in (guess, happened))
        numbers = [_number(value) for value in (guess, happened)]
        if None in numbers:
            return "as you said" if same(guess, happened) else "a surprise"
        if numbers[0] == numbers[1]:
            return "as you said"
        off = abs(numbers[0] - numbers[1])
        return "close" if off <= self._margin(numbers[1]) else "a surprise"

    def _margin(self, happened: float) -> float:
        if self.within is not None:
            return self.within
        if self.kind in UNITS:
            return max(MEASURED * abs(happened), UNIT if self.kind != "milliseconds" else 0)
        return 0 if self.kind in ("position", "positions") else COUNTED * abs(happened)

    def _meant(self, value, otherwise=None):
        """What a value means as a guess of this kind; `otherwise` where it means nothing."""
        text = str(value).strip()
        if self.kind == "any":
            return value if _means_something(value) else otherwise
        if self.kind == "yes or no":
            said = text.lower()
            return True if said in YES else False if said in NO else otherwise
        if self.kind == "words":
            same = [word for word in self.words if word.lower() == text.lower()]
            if self.pattern and re.fullmatch(self.words[0], text.lower()):
                same = [text.lower()]
            return same[0] if same else otherwise
        if self.kind == "positions":
            numbers = [int(number) for number in re.findall(r"\d+", text)]
            return numbers if re.fullmatch(r"[\[(]?[\d\s,]*\d[\s,]*[\])]?", text) else otherwise
        if self.dash and text == "-":
            return text
        number = _number(value)
        if number is None or number < 0 or (self.kind not in UNITS and number != int(number)):
            return otherwise
        return number


ANY = Guess()


def asked(name: str) -> dict[str, Guess] | None:
    """What a guess of the course asks for, by its values' names; {} for a name that only this
    notebook knows. None: the chapter has guesses and this is none of them."""
    known = _known(sealed.folder().parent / "guesses.toml")
    for pattern, values in known.items():
        if fnmatch.fnmatchcase(name, pattern):
            return values
    first = name.split(" ")[0]
    return None if any(pattern.split(" ")[0] == first for pattern in known) else {}


def read(name: str, guesses: dict) -> dict:
    """The guesses as they are kept. RefusedGuess, with a sentence, where one has no meaning."""
    known = asked(name)
    if known is None:
        raise RefusedGuess(
            f"this course has no guess {name!r}; run the cell as it was given to you"
        )
    if known and set(known) != set(guesses):
        raise RefusedGuess(f"{name!r} asks for {', '.join(known)}; write a value for each of these")
    found = {}
    for value, guess in guesses.items():
        try:
            found[value] = known.get(value, ANY).read(guess)
        except RefusedGuess as why:
            raise RefusedGuess(f"{value}: {why}") from None
    return found


def fit(name: str, value: str, guess, happened) -> str:
    """ "as you said", "close" or "a surprise", for one value of one guess."""
    return (asked(name) or {}).get(value, ANY).fit(guess, happened)


def guess_fits(name: str, entry: dict) -> dict[str, str]:
    """How each value of a kept guess fits the truth beside it."""
    guess = entry.get("guess")
    guess = guess if isinstance(guess, dict) else {}
    truth = entry.get("truth")
    truth = truth if isinstance(truth, dict) else {}
    return {value: fit(name, value, guess.get(value), truth[value]) for value in truth}


@lru_cache(maxsize=8)
def _known(path: Path) -> dict[str, dict[str, Guess]]:
    if not path.is_file():
        return {}
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        name: {value: _guess(told) for value, told in values.items()}
        for name, values in table.items()
    }


def _guess(told) -> Guess:
    """A Guess from the table: a kind, a list of texts, or both with `within` in a table."""
    if isinstance(told, dict):
        within = told.get("within")
        if "matches" in told:
            return Guess("words", (told["matches"],), True, say=told["say"])
        return Guess(told["is"], dash=told.get("dash", False), within=within)
    return Guess("words", tuple(told)) if isinstance(told, list) else Guess(told)


def _number(value) -> int | float | None:
    """A number, or a text that is one; None for anything else, truth values among them."""
    if isinstance(value, str) and re.fullmatch(r"\s*-?\d+(\.\d+)?\s*", value):
        value = plain(float(value))
    return value if type(value) in (int, float) and math.isfinite(value) else None


def _means_something(value) -> bool:
    """Whether a guess of a notebook of one's own can be right at all: nan never is."""
    if isinstance(value, (list, tuple)):
        return all(map(_means_something, value))
    return value not in ("", "nan", "inf", "-inf")
