"""Writes a learner's package its README, .gitignore, Makefile and list of chapters.

Each is cut down to what the package holds.
"""

from __future__ import annotations

import re
from pathlib import Path

# The commands of the Makefile that a learner has a use for.
FOR_LEARNERS = ("help", "lab", "wheels")
# The rule that installs the tools of teachers and authors.
TOOLS = ".venv/ready-%"
NOT_FOR_LEARNERS = re.compile(
    r"^# Two commands|^(?:STUDENTS|CHAPTERS|DIR|N|LEVEL|COMMA)\b|gsub\(.*\[\(\](?:N|STUDENTS)\["
)
EXTRAS = re.compile(r"\[[a-z,]*\bdev\b[a-z,]*\]")
TITLE = re.compile(r"\[([^\]]+)\]\(release/([^/]+)/")
IGNORED = """\
.venv/
wheels/
build/
dist/
*.egg-info/
__pycache__/
.ipynb_checkpoints/
.DS_Store
data/generated/
spark-warehouse/
"""
"""What an installation and a lab make in a package, which is no part of it."""
README = """# Kafka, opened up

How many connections does one consumer open to three brokers, and why? Guess, then run it and look.

This folder holds:

{chapters}

## Start

```
make lab
```

makes an environment in `.venv` (1.3 GB and some minutes, the first time only) and opens JupyterLab in your browser. It needs Python 3.11
or newer on Linux, macOS, or Windows with WSL2. On a machine without make, type this instead; the last line alone from the second time on:

```
python3 -m venv .venv
.venv/bin/python -m pip install -c constraints.txt -e ".[learn,spark,logs]"
.venv/bin/python -m autograder open
```

1. Open the chapter in `notebooks/mine/`. These are copies of your own, and nothing overwrites them.
2. Write your id into the first cell, `me("s123")`, and run it. Your numbers follow from your id.
3. Read, guess, run the cells, and write your answers. `check("03.2")` in a cell says in a sentence how an answer does.
4. Type `.venv/bin/python -m autograder pack 03` in a terminal in this folder, and hand in the file that it names.

| command | what it does |
|---|---|
| `.venv/bin/python -m autograder pack 03` | makes the one file to hand in, and prints a receipt code |
| `.venv/bin/python -m autograder reset 03` | gives a fresh copy of a chapter and keeps the old one |
| `.venv/bin/python -m autograder progress` | says how far you are |
| `.venv/bin/python -m autograder check 03` | runs a copy of your notebook from the top and says what its tests say |
| `.venv/bin/python -m autograder add week04.zip` | brings the package of a new week into this folder; your notebooks stay |
"""  # noqa: E501


def write_papers(package: Path) -> None:
    """Write the learner's README and .gitignore, and cut the Makefile and the list of chapters down
    to what the package holds."""
    released = sorted(path.name for path in (package / "notebooks" / "release").iterdir())
    listed = (package / "notebooks" / "README.md").read_text(encoding="utf-8")
    titles = {name: title for title, name in TITLE.findall(listed)}
    shown = "\n".join(
        f"- [{titles.get(name, name.replace('_', ' '))}](notebooks/release/{name}/{name}.ipynb)"
        for name in released
    )
    (package / "README.md").write_text(README.format(chapters=shown), encoding="utf-8")
    (package / ".gitignore").write_text(f"{IGNORED}notebooks/mine/\n", encoding="utf-8")
    for path, cut in (
        (package / "Makefile", commands),
        (package / "notebooks" / "README.md", chapter_list),
    ):
        if path.is_file():
            path.write_text(cut(path.read_text(encoding="utf-8"), set(released)), encoding="utf-8")


def commands(makefile: str, released: set[str]) -> str:
    """The Makefile without the teachers' and authors' commands, their variables and their part of
    the environment."""
    kept, leaving_out = [], False
    for line in makefile.splitlines():
        target = re.match(r"([a-z-]+):.*##", line)
        own = not target or target[1] in FOR_LEARNERS
        leaving_out = not own or line.startswith(TOOLS) or (leaving_out and line.startswith("\t"))
        if line.startswith(".PHONY:"):
            line = ".PHONY: " + " ".join(name for name in line.split()[1:] if name in FOR_LEARNERS)
        line = EXTRAS.sub("[learn,spark,logs]", line)
        if not leaving_out and not NOT_FOR_LEARNERS.search(line):
            kept.append(line.replace("JupyterLab opens on chapter 00, on", "JupyterLab opens on"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).lstrip("\n") + "\n"


def chapter_list(readme: str, released: set[str]) -> str:
    """The heading and the list of chapters, with those that are in the package."""
    top = readme.partition("\n## ")[0]
    lines = [
        line
        for line in top.splitlines()
        if line[:1] in ("", "#", "|")
        and (not (found := TITLE.search(line)) or found[2] in released)
    ]
    return "\n".join(lines).rstrip() + "\n"
