"""Submissions that attack the grading: one file a family, each attack a few lines and a sentence on
what it tries.

`autograder.proving.redteam` runs them against the real chapters and watches what they can reach.
Words in capitals in a source stand for things that the red team lays out where no attack should
get: SECRET_FILE, WATCHED, OTHERS (a folder of other students), HOME (the checkout), PORT and UDP
(sockets of the machine, whose name is HOST), UNIX and ABSTRACT (a socket in a file, and one in the
abstract space), TOKEN (what one submission leaves for the next), NEIGHBOUR (another student's
number).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

FAMILIES = (
    "forge",
    "leave",
    "secrets",
    "resources",
    "network",
    "tamper",
    "inject",
    "unpickle",
    "detect",
    "hardcode",
    "persist",
    "parent",
)
BY_NAME = ("spark",)  # run when asked for: each attack costs two or three JVMs


@dataclass(frozen=True)
class Attack:
    """One hostile submission: a chapter's right answers, apart from `question`, whose cell is
    `source`.

    change   what is done to the notebook (a dict, changed in place) after that
    file     what is handed in instead: (the notebook's JSON as text, folder) -> path
    then     the source of a second submission, which looks for what the first one left
    tampers  whether it tries to cheat, rather than to guess: a person should be told
    bomb     whether it uses more than it may: what was won before it must stay won
    """

    family: str
    name: str
    tries: str
    source: str | None = None
    question: str = "02.1"
    change: Callable[[dict], None] | None = None
    file: Callable | None = None
    then: str | None = None
    tampers: bool = True
    bomb: bool = False

    @property
    def chapter(self) -> str:
        return self.question[:2]


def attacks(families: tuple[str, ...] = FAMILIES) -> list[Attack]:
    """All attacks, family by family."""
    return [
        attack
        for family in families
        for attack in importlib.import_module(f"{__name__}.{family}").ATTACKS
    ]


def family_of(name: str, tampers: bool = True, bomb: bool = False):
    """A maker of one family's attacks, which fill in the rest."""

    def attack(title: str, tries: str, source: str | None = None, **words) -> Attack:
        return Attack(name, title, tries, source, **{"tampers": tampers, "bomb": bomb, **words})

    return attack
