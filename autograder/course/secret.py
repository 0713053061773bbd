"""The course secret: hidden inputs and the course key come from it, and it never leaves the
teacher's machine.

A course that counts sets AUTOGRADER_SECRET. Without it the demo secret below is used: it is in the
open, like this repository, and good for trying things out only.
"""

import hmac
import os
from pathlib import Path
from random import Random

DEMO_SECRET = "a demo secret, known to everybody"


def secret() -> str:
    """The teacher's secret, or the demo one."""
    return os.environ.get("AUTOGRADER_SECRET") or DEMO_SECRET


def is_demo() -> bool:
    """Whether the hidden cases could be worked out by anybody who has this repository."""
    return secret() == DEMO_SECRET


def derive(purpose: str, of: str | None = None) -> str:
    """64 hex digits for one purpose, of the course's secret or another one; the secret cannot be
    found from them."""
    return hmac.new((of or secret()).encode(), purpose.encode(), "sha256").hexdigest()


def held_to(out: Path, keep: bool = False) -> None:
    """See to it that a class is graded with one secret from beginning to end; `keep`: this is the
    one, where none is known yet. ValueError, with a sentence, for another one: every student would
    be judged by numbers that nobody was given."""
    mark, path = derive("the secret of a class")[:16], out / ".secret"
    try:
        known = path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        if keep:
            path.write_text(mark + "\n", encoding="utf-8")
        return
    if known != mark:
        raise ValueError(
            f"{out} was graded with another course secret, so students had other numbers. Set "
            f"AUTOGRADER_SECRET to that one{'; it is not set at the moment' if is_demo() else ''}. "
            "For a new course take another OUT."
        )


def hidden_rng(question_id: str) -> Random:
    """The luck that draws a question's hidden cases:
    the same for the whole class, another in every course."""
    return Random(derive(f"hidden cases of {question_id}"))
