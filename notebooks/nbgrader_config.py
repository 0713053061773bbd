"""nbgrader's settings for this course, whose root is this folder: `cd notebooks && nbgrader
generate_assignment 03_consumer_connections`."""

c = get_config()  # noqa: F821  (nbgrader provides it)

c.CourseDirectory.course_id = "kafka-opened-up"
# The authors' py:percent files live in source_py/. Were one to stray beside its notebook, nbgrader
# would hand it out with the answers.
c.CourseDirectory.ignore = [
    ".ipynb_checkpoints",
    "*.pyc",
    "*.py",
    "__pycache__",
    "source_py",
    "mine",
]

c.ClearSolutions.code_stub = {"python": "# Your answer goes here."}
c.ClearSolutions.text_stub = "*Write your answer here, in English or in Chinese.*"

# A Spark session starts in about five seconds on a laptop and in more on a busy server; thirty, the
# default, is too near.
c.ExecutePreprocessor.timeout = 120
c.OverwriteCells.add_missing_cells = True

# What lateness costs where a chapter has a due date (formgrader sets one, or
# `python -m autograder due`): autograder/gradebook/late.py.
c.AssignLatePenalties.plugin_class = "autograder.gradebook.late_plugin.LatePenalty"
c.LatePenalty.per_day = 0.10
c.LatePenalty.cap = 0.50
c.LatePenalty.grace_minutes = 15
