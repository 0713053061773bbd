"""Sentences: puts what is said of several cases into as few sentences as it takes.

check() in a notebook and official grading speak through it, so a learner reads the same in both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from autograder.cell.data import same

MOST_NAMED = 4
OTHERS_ARE_RIGHT = re.compile(r"^[A-Za-z`][\w'` ]{0,30} (?:is|are) right\. (?:But )?")
NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*")


def titles(names: Sequence[str]) -> str:
    """Several cases in one phrase: "cluster A", "cluster C" are "cluster A and C". "" where their
    names are not of one kind."""
    names = list(dict.fromkeys(filter(None, names)))
    words = [name.rsplit(" ", 1) for name in names]
    if len(names) < 2:
        return "".join(names)
    if any(len(each) != 2 or each[0] != words[0][0] or "," in each[0] for each in words):
        return ""
    return f"{words[0][0]} {_listed([each[1] for each in words])}"


def agree(left: str, right: str) -> bool:
    """Whether two sentences say the same, each with the numbers of its own case."""
    return NUMBER.sub("#", left) == NUMBER.sub("#", right)


def together(said: Sequence[tuple[str, str]], of: int) -> str:
    """(title, sentence) of cases that agree, as one sentence; `of` cases there are in all, and what
    is the same for all of them needs no title."""
    (first, sentence), others = said[0], said[1:]
    if all(other == sentence for _, other in others):
        if len(said) == of:
            return sentence
        if named := titles([title for title, _ in said]):
            return f"{named}: {sentence}"
    told = f"{first}: {sentence}" if first else sentence
    if not others:
        return told
    named = titles([title for title, _ in others])
    if not named or (len(others) == 1 and "," in named):
        named = "one other case" if len(others) == 1 else f"{len(others)} other cases"
    return f"{told} The same in {named}."


def has_parts(question, data) -> bool:
    """Whether an answer of several names can be looked at name by name."""
    return (
        len(question.answers) > 1
        and isinstance(data, dict)
        and data.keys() == set(question.answers)
    )


def first_slip(
    question,
    data: Mapping,
    otherwise: Callable[[str], str],
    part: Callable[[str], tuple | None],
) -> tuple[str, str | None]:
    """What is said to an answer of several names that nobody has named as a whole: (sentence,
    misconception).

    part(name) is (True, "", None) where the name is right, (False, sentence, misconception) for a
    named slip, and None for any other. The first named slip is told; where there is none,
    otherwise(the first wrong name), and which names are right. A slip's sentence may begin with
    "The records are right."; that holds for the whole answer it was written for, not for this one,
    and is left out.
    """
    found = {name: part(name) for name in question.answers}
    for name, slip in found.items():
        if slip is not None and not slip[0]:
            return f"`{name}`: {_of_this_name(slip[1])}", slip[2]
    right = [f"`{name}`" for name, slip in found.items() if slip is not None]
    told = otherwise(next((name for name, slip in found.items() if slip is None), ""))
    if not right:
        return told, None
    return f"{told} {_listed(right)} {'are' if len(right) > 1 else 'is'} right.", None


def _of_this_name(sentence: str) -> str:
    """A sentence without what it says first of the other names."""
    rest = OTHERS_ARE_RIGHT.sub("", sentence)
    return rest[:1].upper() + rest[1:]


def one_slip(question, right, wrong) -> str | None:
    """The one name in which a wrong answer differs from the right one; None for none or several."""
    if not has_parts(question, right) or not has_parts(question, wrong):
        return None
    off = [name for name in question.answers if not same(right[name], wrong[name])]
    return off[0] if len(off) == 1 else None


def _listed(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[: MOST_NAMED - 1])} and {len(names) - MOST_NAMED + 1} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
