"""The rubrics of the open questions, a file a chapter (chNN.py, a tuple RUBRICS). No learner is
given one. A course of one's own, named by AUTOGRADER_COURSE, adds its rubrics/."""

import os

if os.environ.get("AUTOGRADER_COURSE"):
    __path__.append(os.path.join(os.environ["AUTOGRADER_COURSE"], "rubrics"))
