"""The package a teacher hands out: all a learner needs, nothing a learner should not have.

It is this repository without judges, sources and tests, with the course key in place of the secret. Before it is done every
text in it is searched for solutions: 20 characters in a row of a reference answer, or 40 of a sentence that is sealed, that the
course does not itself show openly, and no package is made.
"""
from __future__ import annotations

import json
import re
import shutil
import tempfile
from pathlib import Path

from autograder import judges, questions, sealed
from autograder.masters import HOME, master, notebooks, text_of
from autograder.judges.secret import secret
from autograder.questions import of_chapter
from autograder.references import references
from autograder.variants import course_key

# Modules of this package that work without judges; everything else of it stays with the teacher.
LEARNERS = ("__init__.py", "__main__.py", "asking.py", "check.py", "desk.py", "jupyter", "lab.py", "machine.py", "masters.py", "plain.py",
            "progress.py", "sealed.py", "variants.py", "questions/__init__.py")
PAPERS = ("environment.yml", "pyproject.toml", "constraints.txt", "Makefile", "README.md", "LICENSE", "data/picture.png",
          "notebooks/README.md")
FOLDERS = ("kafkalab", "data/recordings", "data/samples")
FRAGMENT = 20                      # characters in a row of a solution that count as a leak
PHRASE = 40                        # and of a sealed sentence: shorter ones are plain English, which a chapter speaks too
GIVEN_BY_DESIGN = ("kafkalab", "data")       # the simulator is open to read; its code is no solution even where a line is alike


class Leak(ValueError):
    """Something in the package gives a solution away; the message names the file and the words."""


def release(chapters: list[str], out: Path) -> Path:
    """Write the package of these chapters into the folder `out`, which must be empty or not there. Raises Leak, and leaves
    nothing behind, when a solution would get out."""
    if out.exists() and any(out.iterdir()):
        raise ValueError(f"{out} is not empty; a package goes into a folder of its own.")
    out.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".package", dir=out.parent))
    try:
        _fill(draft, chapters)
        found = leaks(draft, chapters)
        if found:
            raise Leak("No package was made: " + "; ".join(found[:5]) + ".")
        if out.exists():
            out.rmdir()
        draft.chmod(0o755)
        draft.rename(out)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return out


def leaks(folder: Path, chapters: list[str]) -> list[str]:
    """What in `folder` gives solutions of these chapters away, one phrase each; [] is what one hopes for."""
    found = [f"{path.relative_to(folder)} is the teacher's" for path in sorted(folder.rglob("*"))
             if path.name in ("judges", "source_py", "rubric", "tests") and "kafkalab" not in path.parts]
    given = _given(chapters)
    hidden = {size: dict(_hidden(chapters, size, given)) for size in (FRAGMENT, PHRASE)}
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if not path.is_file() or inside.parts[0] in GIVEN_BY_DESIGN:
            continue
        text = _readable(path)
        if secret() in text:
            found.append(f"{inside} holds the course secret")
        for size, windows in hidden.items():
            seen = next((window for window in _windows(text, size) if window in windows), None)
            if seen:
                found.append(f"{inside} holds \"{seen}\" of {windows[seen]}")
                break
    return found


def _fill(draft: Path, chapters: list[str]) -> None:
    for name in LEARNERS:
        _copy(HOME / "autograder" / name, draft / "autograder" / name)
    for name in PAPERS:
        if (HOME / name).is_file():
            _copy(HOME / name, draft / name)
    for name in FOLDERS:
        if (HOME / name).is_dir():
            shutil.copytree(HOME / name, draft / name, ignore=shutil.ignore_patterns("__pycache__", "tests", ".draft*"))
    (draft / "autograder" / "course_key.txt").write_text(course_key() + "\n", encoding="utf-8")
    for chapter in chapters:
        source = next(Path(place) / f"ch{chapter}.py" for place in questions.__path__ if (Path(place) / f"ch{chapter}.py").exists())
        _copy(source, draft / "autograder" / "questions" / source.name)
        if not sealed.read(chapter):
            raise ValueError(f"Chapter {chapter} is not sealed; `python -m autograder seal {chapter}` does it.")
        _copy(sealed.folder() / f"ch{chapter}.json", draft / "autograder" / "questions" / "sealed" / f"ch{chapter}.json")
        folder = master(chapter).path.parent
        shutil.copytree(folder, draft / "notebooks" / "release" / folder.name)


def _hidden(chapters: list[str], size: int, given: str):
    """(so many characters in a row, question id) of every solution (FRAGMENT) or sealed sentence (PHRASE), without what is
    given openly."""
    shown = set(_windows(given, size))
    for chapter in chapters:
        for question in of_chapter(chapter):
            judge = judges.find(question.id)
            texts = ([references(chapter).get(question.id, "")] if size == FRAGMENT else
                     [judge.right, *(wrong.sentence for wrong in judge.wrong_answers)])
            for text in texts:
                yield from ((window, question.id) for window in _windows(text, size) if window not in shown)


def _given(chapters: list[str]) -> str:
    """What is shown on purpose: the source notebooks outside their solutions, the simulator, and the code that checks."""
    shown = []
    for chapter in chapters:
        sources = sorted((notebooks() / "source_py").glob(f"{chapter}_*.py"))
        shown += [re.sub(r"(?s)### BEGIN SOLUTION.*?### END SOLUTION", "\n", path.read_text(encoding="utf-8")) for path in sources]
        shown += [cell.source for cell in master(chapter).cells] if not sources else []
    code = [*sorted((HOME / "kafkalab").rglob("*.py")), *(HOME / "autograder" / name for name in LEARNERS if name.endswith(".py"))]
    shown += [path.read_text(encoding="utf-8") for path in code]
    return "\n".join(shown)


def _readable(path: Path) -> str:
    """A file's text; of a notebook the text of its cells, as a reader sees it."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".ipynb":
        return "\n".join(text_of(cell) for cell in json.loads(text)["cells"])
    return text


def _windows(text: str, size: int):
    """Every `size` characters in a row, line by line, blanks taken together: a solution is not another one for its indentation."""
    for line in text.splitlines():
        line = " ".join(line.split()).removeprefix("# ")
        for start in range(len(line) - size + 1):
            yield line[start:start + size]


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)
