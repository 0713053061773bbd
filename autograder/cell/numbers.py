"""Which numbers a student gets.

Numbers come from the course key, the student's id and the question's id, by HMAC: the same on every
machine, different for a neighbour. The course key is itself derived from the course secret. A
release carries the key, so that a notebook can show its numbers; the secret stays at home, so that
nobody can work out the hidden cases.
"""

import hashlib
import hmac
from contextlib import contextmanager
from functools import lru_cache

from autograder.cell.course_at_hand import course
from autograder.cell.question import Question, find

_pretended: dict[str, dict] = {}


class Numbers(dict):
    """A student's numbers for one question: `n["brokers"]` or `n.brokers`.
    Where there are several sets, `n.A.brokers`."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(
                f"these numbers are {', '.join(self) or 'none'}; there is no {name}"
            ) from None

    def __repr__(self):
        if self and all(type(value) is Numbers for value in self.values()):
            return "\n".join(
                f"{name}: {value._in_lines(len(name) + 2)}" for name, value in self.items()
            )
        return self._in_lines() or "no numbers: everybody has the same question"

    def _in_lines(self, indent: int = 0) -> str:
        """The numbers one behind the other. A page of 1280 pixels is 97 letters wide: what is
        longer goes on below, between two numbers."""
        lines: list[str] = []
        for name, value in self.items():
            field = f"{name} = {value!r}"
            if lines and indent + len(lines[-1]) + len(field) + 3 <= 97:
                lines[-1] += f", {field}"
            else:
                lines.append(field)
        return (",\n" + " " * indent).join(lines)


def course_key() -> str:
    """The key this course's numbers are drawn with."""
    return course().course_keys()[0]


def course_key_id(key: str | None = None) -> str:
    """Eight hex digits that name a course key, this course's where none is given. Notebooks carry
    them, so that grading sees by which key a notebook's numbers were drawn."""
    return hashlib.sha256(f"id of {course_key() if key is None else key}".encode()).hexdigest()[:8]


def key_with_id(key_id: str) -> str | None:
    """The course key that this id names: this course's or the public demo one; None for any other
    id."""
    return next((key for key in course().course_keys() if course_key_id(key) == key_id), None)


def numbers_for(question: Question | str, student: str, key_id: str = "") -> Numbers:
    """The numbers of `student` ("" is nobody: the first set) for a question. `key_id` names the
    course key they are drawn with; "" and an id that nobody knows are this course's."""
    question = find(question) if isinstance(question, str) else question
    if question.id in _pretended:
        return _named(_pretended[question.id])
    if not student and not question.draws:
        return Numbers(question.all_numbers()[0])
    own = (key_id and key_with_id(key_id)) or course_key()
    key, whose = (own, student) if student else ("", "nobody")
    return _named(
        question.drawn(lambda purpose, count: _draw(key, whose, question.id + purpose, count))
    )


def _named(numbers: dict) -> Numbers:
    """Numbers, and the sets within them, with their names as attributes."""
    return Numbers(
        {
            name: Numbers(value) if isinstance(value, dict) else value
            for name, value in numbers.items()
        }
    )


@contextmanager
def pretending(numbers: dict[str, dict]):
    """Within this block the questions named in `numbers` have these numbers,
    for every caller (rehearsals, and the sandbox)."""
    before = dict(_pretended)
    _pretended.update(numbers)
    try:
        yield
    finally:
        _pretended.clear()
        _pretended.update(before)


@lru_cache(maxsize=4096)
def _draw(key: str, student: str, question_id: str, count: int) -> int:
    digest = hmac.new(key.encode(), f"{question_id} of {student}".encode(), "sha256").digest()
    return int.from_bytes(digest[:16], "big") % count
