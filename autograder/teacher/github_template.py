"""Writes the template of a GitHub Classroom assignment: a folder to push as a repository.

    python -m autograder github 03 --out template

It is the learner's package with the learner's copies of its chapters, a workflow, and a README that
says how to hand in. The workflow says what check() says. It holds no secret and no judge, for
students can read and change it; marks are given on the teacher's machine.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from autograder.cell.course_folder import MYTHS
from autograder.course.handout import IGNORED
from autograder.course.masters import master
from autograder.course.release import release

WORKFLOW = """\
# Says what check() says of the notebooks in notebooks/mine, at each push. It gives no marks.
name: Feedback
on: [push, workflow_dispatch]
permissions:
  contents: read
concurrency:
  group: feedback-${{{{ github.ref }}}}
  cancel-in-progress: true
jobs:
  check:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
          cache: pip
          cache-dependency-path: constraints.txt
      - name: Install the course
        id: install
        run: pip install --constraint constraints.txt --editable ".[learn,spark]"
{steps}"""
STEP = """\
      - name: Chapter {chapter}
        if: ${{{{ !cancelled() && steps.install.outcome == 'success' }}}}
        run: python -m autograder check {chapter}
"""
HAND_IN = """
## Hand in with GitHub

You work in {notebooks}. Hand in by a commit and a push:

```
git add notebooks/mine
git commit -m "My answers"
git push
```

The last push before the due date counts. After each push the page *Actions* of your repository says
what `check` says. A red cross means that some answer is not right yet, on the cases that you can
see. Marks come from your teacher.
"""


def write_template(chapters: list[str], out: Path) -> Path:
    """Write the template of these chapters into `out`, an empty or new folder; returns it. Raises
    what `release` raises."""
    asking = [each for each in chapters if each != MYTHS and master(each).questions]
    if not asking:
        raise ValueError("None of these chapters asks anything, so there is nothing to hand in.")
    release(chapters, out)
    folders = []
    for fresh in sorted((out / "notebooks" / "release").iterdir()):
        shutil.copytree(fresh, out / "notebooks" / "mine" / fresh.name)
        if fresh.name[:2] in asking:
            folders.append(f"`notebooks/mine/{fresh.name}/{fresh.name}.ipynb`")
    workflow = out / ".github" / "workflows" / "feedback.yml"
    workflow.parent.mkdir(parents=True)
    steps = "".join(STEP.format(chapter=chapter) for chapter in asking)
    workflow.write_text(WORKFLOW.format(steps=steps), encoding="utf-8")
    # the work itself is handed in by git
    kept_out = f"{IGNORED}notebooks/mine/.saved/\nnotebooks/mine/progress.json\n"
    (out / ".gitignore").write_text(kept_out, encoding="utf-8")
    readme = out / "README.md"
    hand_in = HAND_IN.format(notebooks=" and ".join(folders))
    readme.write_text(readme.read_text(encoding="utf-8") + hand_in, encoding="utf-8")
    return out
