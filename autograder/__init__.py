"""The words a notebook cell says to the autograder.

A learner needs eight of them, and they are all here:

    from autograder import me, numbers, predict, truth, check, hint, require, reveal

Everything else in this package is the teacher's side: see `python -m autograder`.
"""

from autograder.cell.check import check, hint, me, numbers, predict, require, reveal, truth

__all__ = ["check", "hint", "me", "numbers", "predict", "require", "reveal", "truth"]
