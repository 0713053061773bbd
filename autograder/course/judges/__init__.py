"""The judges' halves of the exercises, a file a chapter (chNN.py, a tuple JUDGES). No learner is
given one. A course of one's own, named by AUTOGRADER_COURSE, adds its judges/."""

import os

if os.environ.get("AUTOGRADER_COURSE"):
    __path__.append(os.path.join(os.environ["AUTOGRADER_COURSE"], "judges"))
