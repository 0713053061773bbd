"""Begins a new exercise: writes its file with blanks to fill in."""

from __future__ import annotations

import re
from pathlib import Path

from autograder.course.exercises import LINE, Unbuildable, files, folder
from autograder.course.sources import name_of

CODE = """# %% [markdown]
# ### Exercise {id} · {title}
#
# ___ What is asked. There are three clusters, A, B and C. Cluster A has `{n}.A.brokers` brokers.

# %%
{n} = numbers("{id}")
{n}

# %% answer
{answer} = {{"A": ..., "B": ..., "C": ...}}
### BEGIN SOLUTION
{answer} = {{name: ___(x.brokers) for name, x in {n}.items()}}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="___ in a few words, for tables",
    points=2,
    answers=("{answer}",),
    draws=("A", "B", "C"),
    space={{"brokers": range(3, 13), "partitions": range(3, 13)}},
    where=lambda n: n["brokers"] != n["partitions"],
)

# %% judge
from autograder.course.judge import Judge

Judge(
    truth=lambda case: {{"{answer}": ___(case["brokers"])}},
    right="right: ___ why.",
    otherwise="not yet: ___ where to look.",
)

# %% wrong="___ what people forget"
# ___ The sentence they get. It may speak of their {{brokers}} brokers.
{answer} = {{name: ___(x.brokers) for name, x in {n}.items()}}

# %% wrong="___ what people mix up"
# ___ The sentence they get.
{answer} = {{name: ___(x.partitions) for name, x in {n}.items()}}

# %% wrong="___ what people guess"
# ___ The sentence they get.
{answer} = {{name: ___(x.brokers + x.partitions) for name, x in {n}.items()}}

# %% hint
# ___ Where to look.

# %% hint
# ___ Nearly how.
"""
OPEN = """# %% [markdown]
# ___ {title}: the question, in one paragraph.

# %% [markdown] answer
# ___ A model answer.

# %% question
from autograder.cell.kinds import Open

Open(points=4)
"""


def begin(id: str, title: str) -> tuple[Path, str]:
    """Write the skeleton of an exercise; its file, and the line for the chapter."""
    if not re.fullmatch(r"\d\d\.[A-Za-z0-9]+", id):
        raise Unbuildable(f"an exercise's id looks like 03.9 or 03.open, not {id!r}")
    chapter, number = id.split(".")
    name_of(chapter)
    words = "_".join(re.sub(r"[^a-z0-9 ]", "", title.lower()).split()[:5])
    if not words:
        raise Unbuildable("say in a few English words what the exercise is about: its file's name")
    if id in files(chapter):
        raise Unbuildable(f"exercise {id} is there already: {files(chapter)[id].name}")
    path = folder(chapter) / f"{chapter}_{number}_{words}.py"
    text = OPEN if number.startswith("open") else CODE
    own = chapter + number
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        text.format(id=id, title=title, n=f"n{own}", answer=f"answer{own}"),
        encoding="utf-8",
        newline="\n",
    )
    return path, LINE.format(id)
