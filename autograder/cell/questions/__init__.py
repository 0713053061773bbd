"""The learner's halves of the exercises, a file a chapter (chNN.py, a tuple QUESTIONS).

Their sealed verdicts lie in sealed/. A course of one's own, named by AUTOGRADER_COURSE, adds its
questions/.
"""

import os

if os.environ.get("AUTOGRADER_COURSE"):
    __path__.append(os.path.join(os.environ["AUTOGRADER_COURSE"], "questions"))
