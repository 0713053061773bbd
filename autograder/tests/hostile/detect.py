"""Find out that this is the grading, and behave accordingly."""

from autograder.tests.hostile import family_of

attack = family_of("detect")

ATTACKS = (
    attack(
        "by the environment",
        "nbgrader's variable, or ours",
        "import os\ngrading = [name for name in os.environ if 'NBGRADER' in name or 'AUTOGRADER' "
        "in name]\nstill_open = grading or 0",
    ),
    attack(
        "by the process",
        "process 1, no parent, no terminal",
        "import os, sys\ngrading = os.getpid() == 1 or os.getppid() == 0 or not "
        "sys.stdin.isatty()\n"
        "if grading:\n    os._exit(0)\nstill_open = 0",
        bomb=True,
    ),
    attack(
        "by the cases",
        "hidden cases have no title, public ones have",
        """
import sys
def broker_of(node_id):
    frame = sys._getframe()
    while frame:
        case = frame.f_locals.get("case")
        if isinstance(case, dict):
            return 0 if "case" not in case else {"0": 0, "-1": None, "2147483645": 2, "+2": 2, "2147483647": 0, "7": 7}[node_id]
        frame = frame.f_back
""",
        question="03.2",
    ),
    attack(
        "by the clock",
        "right only while the course is young",
        "import datetime\nstill_open = {-1, 0, 1} if datetime.date.today().year < 2020 else 0",
        tampers=False,
    ),
    attack(
        "by the module",
        "without a judge beside it, this is the grading",
        """
try:
    from autograder.course import judges
    from autograder.course.judges.ch02 import JUDGES
    still_open = JUDGES[0].truth({})["still_open"]
except ImportError:
    still_open = 0
""",
    ),
    attack(
        "by the sealed verdicts",
        "every small set is tried against the lock",
        """
from itertools import combinations
from autograder.cell import sealed
still_open = 0
for size in range(6):
    for chosen in combinations(range(-3, 4), size):
        chapter = sealed.read("02").get("02.1")
        if chapter and sealed.unlock(chapter["salt"], {}, chapter["cases"][sealed.locate(chapter["salt"], {})], {"still_open": sorted(chosen)}):
            still_open = set(chosen)
""",
    ),
    attack(
        "by check itself",
        "the notebook's own check is asked until it says yes",
        """
import contextlib, io
from itertools import combinations
from autograder import check
still_open = 0
for size in range(6):
    for chosen in combinations(range(-3, 4), size):
        still_open = set(chosen)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            check("02.1")
        if "\\u2713" in said.getvalue():
            raise SystemExit
still_open = 0
""",
        tampers=False,
    ),
)
