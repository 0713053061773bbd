"""The package a teacher hands out: all a learner needs, nothing a learner should not have.

It is this repository without judges, sources and tests, with the course key in place of the secret.
Before it is done every text in it is searched for solutions and hidden cases (leaks.py); where one
is found, no package is made.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from autograder.cell import sealed
from autograder.cell.course_folder import HOME, MYTHS, notebooks, text_of
from autograder.cell.numbers import course_key, course_key_id
from autograder.course import seals
from autograder.course.handout import write_papers
from autograder.course.leaks import Leak, Secrets, given, learners_half, readable
from autograder.course.masters import master

# What of this package a learner gets: these files and all of these folders. Of cell/questions only
# the chapters that are handed out go, and the court only with the myths.
ROOT_FILES = ("__init__.py", "__main__.py")
ROOMS = ("cell", "learner")
OF_ONE_CHAPTER = re.compile(r"^cell/questions/(ch\d\d\.py|sealed/)")
COURT = "learner/court/"
PAGES = ("playground", "real", "clients")  # pages without questions, in every package
PAPERS = (
    "environment.yml",
    "pyproject.toml",
    "setup.py",
    "constraints.txt",
    "Makefile",
    "LICENSE",
    "notebooks/README.md",
)
FOLDERS = ("kafkalab", "data/recordings", "data/samples", "data/tools")
MIDNIGHT = (2000, 1, 1, 0, 0, 0)
TRUTH = "truth.json"  # of a log set: what the judges know of it
REVEAL = r'`reveal\("[^"`]+"(?:, give_up=True)?\)`'
PROMISE = re.compile(rf"\s*(?:Then compare: )?{REVEAL}(?:{REVEAL}|[^.`])*\.")
# the simulator is open to read; its code is no solution even where a line is alike
GIVEN_BY_DESIGN = ("kafkalab", "data")


def release(chapters: list[str], out: Path, say: Callable[[str], None] = print) -> Path:
    """Write the package of these chapters ("03", or "myths" for the myth court) into the folder
    `out`, which must be empty or not there, or into the zip file `out`, as one folder of its name.
    `say` hears how far the sealing is, which takes a minute a chapter the first time. Raises Leak,
    and leaves nothing behind, when a solution would get out."""
    zipped = out.suffix == ".zip"
    if zipped and out.exists():
        raise ValueError(f"{out} is there already; name another file, or delete it.")
    if not zipped and out.exists() and any(out.iterdir()):
        raise ValueError(f"{out} is not empty; a package goes into a folder of its own.")
    out.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".package", dir=out.parent))
    try:
        _fill(draft, chapters, say)
        found = leaks(draft, chapters)
        if found:
            raise Leak("No package was made: " + "; ".join(found[:5]) + ".")
        if zipped:
            _pack(draft, out)
            return out
        if out.exists():
            out.rmdir()
        draft.chmod(0o755)
        draft.rename(out)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return out


def _pack(package: Path, out: Path) -> None:
    """Write the zip file of a package: the same package makes the same bytes."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(each for each in package.rglob("*") if each.is_file()):
            name = f"{out.stem}/{path.relative_to(package).as_posix()}"
            told = zipfile.ZipInfo(name, MIDNIGHT)
            told.external_attr, told.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(told, path.read_bytes())


def learners(court: bool = False) -> list[str]:
    """The files of this package that every learner gets, named from its folder, and the court's
    where the myths are handed out."""
    here = HOME / "autograder"
    names = list(ROOT_FILES)
    for room in ROOMS:
        for path in sorted((here / room).rglob("*")):
            name = path.relative_to(here).as_posix()
            made = re.search(r"(^|/)(__pycache__|\..*)(/|$)", name)
            left_out = OF_ONE_CHAPTER.search(name) or (name.startswith(COURT) and not court)
            if path.is_file() and not made and not left_out:
                names.append(name)
    return names


def leaks(folder: Path, chapters: list[str]) -> list[str]:
    """What in `folder` gives solutions or hidden cases of these chapters away, one phrase each;
    [] is what one hopes for."""
    found = [
        f"{path.relative_to(folder)} is the teacher's"
        for path in sorted(folder.rglob("*"))
        if path.name in ("course", "judges", "written", "source_py", "exercises", "tests")
        and "kafkalab" not in path.parts
    ]
    asking = [chapter for chapter in chapters if learners_half([chapter])]
    kept = Secrets(
        asking,
        given(
            asking,
            [HOME / "autograder" / name for name in learners() if name.endswith((".py", ".toml"))],
        ),
    )
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and inside.parts[0] not in GIVEN_BY_DESIGN:
            seen = kept.found_in(readable(path), _chapter_of(inside))
            found += [f"{inside} holds {seen}"] if seen else []
    return found


def _chapter_of(inside: Path) -> str | None:
    """Whose file this is: ch03.py, ch03.json and what lies in
    03_consumer_connections are chapter 03's."""
    found = re.search(r"(?:^|/)(?:ch)?(\d\d)[._]", inside.as_posix())
    return found[1] if found else None


def _fill(draft: Path, chapters: list[str], say: Callable[[str], None]) -> None:
    for name in learners(court=MYTHS in chapters):
        _copy(HOME / "autograder" / name, draft / "autograder" / name)
    for name in PAPERS:
        if (HOME / name).is_file():
            _copy(HOME / name, draft / name)
    for name in FOLDERS:
        if (HOME / name).is_dir():
            shutil.copytree(
                HOME / name,
                draft / name,
                ignore=shutil.ignore_patterns("__pycache__", "tests", ".draft*", TRUTH),
            )
    (draft / "autograder" / "cell" / "course_key.txt").write_text(
        course_key() + "\n", encoding="utf-8"
    )
    for chapter in chapters:
        folder = (
            notebooks() / "release" / MYTHS if chapter == MYTHS else master(chapter).path.parent
        )
        for source in learners_half([chapter])[:1]:  # chapter 00 and the myths ask nothing
            _copy(source, draft / "autograder" / "cell" / "questions" / source.name)
            seals.renew(chapter, say)
            _copy(
                sealed.folder() / f"ch{chapter}.json",
                draft / "autograder" / "cell" / "questions" / "sealed" / f"ch{chapter}.json",
            )
        shutil.copytree(
            folder,
            draft / "notebooks" / "release" / folder.name,
            ignore=shutil.ignore_patterns("progress.json"),
        )
    for page in PAGES:
        if (notebooks() / "release" / page).is_dir():
            shutil.copytree(notebooks() / "release" / page, draft / "notebooks" / "release" / page)
    write_papers(draft)
    for path in sorted((draft / "notebooks" / "release").rglob("*.ipynb")):
        _name_the_key(path)
        _promise_no_answer(path)


def _name_the_key(path: Path) -> None:
    """Write the course key's id into a notebook's metadata, so that grading sees by which key its
    numbers were drawn."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["metadata"]["autograder"] = {
        **notebook["metadata"].get("autograder", {}),
        "course_key": course_key_id(),
    }
    path.write_text(
        json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8"
    )


def _promise_no_answer(path: Path) -> None:
    """Take out of a notebook's text the sentences in which `reveal` shows an answer: the answers
    stay with the teacher."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = without_reveal(text_of(cell)).splitlines(True)
    path.write_text(
        json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8"
    )


def without_reveal(text: str) -> str:
    """A text without the sentences that begin with a call of `reveal`."""
    return PROMISE.sub("", text)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)
