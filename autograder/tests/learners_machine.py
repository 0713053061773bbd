"""Stands for a learner's machine: no judges, and the boxes of one student's own cases."""

from functools import cache

from autograder.cell.course_at_hand import HandedOut
from autograder.cell.numbers import numbers_for
from autograder.cell.question import find
from autograder.cell.verdict import is_quiet, open_word
from autograder.course.sealing import seal_question


class LearnersMachine(HandedOut):
    """A package as `release` makes it, for one student; the boxes are sealed when they are asked
    for."""

    def __init__(self, student: str):
        self.student = student

    def judged(self, question, case, data):
        return open_word(question, _boxes(question.id, self.student), case, data)

    def is_quiet(self, question, case):
        return is_quiet(question, _boxes(question.id, self.student), case)

    def has_hidden_cases(self, question):
        return "hidden" in _boxes(question.id, self.student)


@cache
def _boxes(question_id: str, student: str) -> dict:
    question = find(question_id)
    return seal_question(question, list(question.cases(numbers_for(question, student))))
