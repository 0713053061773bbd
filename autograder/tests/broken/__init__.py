"""Broken submissions, as small generators: what mail programs, editors, merges, disks and hurried
people do to a notebook.

Each starts from a notebook of the demo chapter with all answers right (6 points) and spoils it.
`CORPUS` names them all.
"""

from autograder.tests.broken import cells, files, formats
from autograder.tests.broken.corpus import Broken

CORPUS: tuple[Broken, ...] = (*cells.CORPUS, *formats.CORPUS, *files.CORPUS)

__all__ = ["CORPUS", "Broken"]
