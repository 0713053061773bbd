"""Fills the templates of HTML pages (jinja2), with every value in them escaped.

A template is a file NAME.html in the folder `pages` of its room. Whatever is put into one is text:
no value becomes markup, and control characters, among them those that turn the
direction of what follows, are replaced.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@cache
def pages_in(folder: Path) -> Environment:
    """The templates of a folder; a name that is missing in the values is an error."""
    found = Environment(
        loader=FileSystemLoader(folder),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        finalize=_clean,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters["share"] = _share
    return found


def _clean(value):
    # a piece that a template itself has made is a subclass of str, and clean by then
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", value) if type(value) is str else value


def _share(value: float | None) -> str:
    """A share as whole percent; nothing where there is none."""
    return "" if value is None else f"{value:.0%}"
