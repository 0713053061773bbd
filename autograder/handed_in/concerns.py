"""Concern: the code that says why a submission is for a person to look at, beside its status.

A program decides by the code and never by the sentence in `reason` or `flags`.
"""

from enum import StrEnum


class Concern(StrEnum):
    """What about a submission a person should know; docs/results.md tells a reader the same."""

    NAMES_ANOTHER = "names another"  # somebody else's name, numbers or outputs are in it
    CHANGED = "changed"  # something was changed that nobody changes who only answers
    ANOTHER_KEY = "another key"  # its numbers are from another course key than the class's
    ODD_CODE = "odd code"  # its code does what no honest answer does
