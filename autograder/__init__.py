"""The words a notebook cell says to the autograder.

A learner needs nine of them, and they are all here:

    from autograder import me, numbers, predict, truth, check, hint, require, reveal, my_guesses

Everything else in this package is the teacher's side: see `python -m autograder`.
"""

from importlib.util import find_spec

from autograder.cell import course_at_hand
from autograder.cell.check import check, hint, me, numbers, predict, require, reveal, truth
from autograder.cell.my_guesses import my_guesses

if find_spec("autograder.course") is not None:  # not on a learner's machine, nor in the sandbox
    from autograder.course.at_home import AtHome

    course_at_hand.use(AtHome())

__all__ = ["check", "hint", "me", "my_guesses", "numbers", "predict", "require", "reveal", "truth"]
