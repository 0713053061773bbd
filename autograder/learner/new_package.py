"""Adds a new package to the folder that a learner already works in, in place.

    python -m autograder add week04.zip

New chapters and new files of the course come in. Nothing is deleted, and `notebooks/mine/`, the
environment and whatever else the learner put there stay as they are.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from autograder.cell.course_folder import HOME
from autograder.cell.numbers import course_key_id
from autograder.learner.desk import prepare_mine

KEY = "autograder/cell/course_key.txt"
CHAPTERS = "notebooks/release"
LISTS = ("README.md", "notebooks/README.md")
"""Papers with a line for each chapter of the package they came in."""
OF_A_CHAPTER = re.compile(r"[-|] \[.*\]\([^)]*release/([^/)]+)/")
LEARNERS_OWN = ("notebooks/mine/", ".venv/", ".git/")
MADE = re.compile(r"(^|/)(__pycache__|\.ipynb_checkpoints|\.DS_Store|__MACOSX)(/|$)")
PAPERS_OF_THE_ENVIRONMENT = ("pyproject.toml", "constraints.txt", "environment.yml")


class NotAPackage(ValueError):
    """The file or folder cannot be added; the message is the sentence that says why."""


def add_package(source: Path, home: Path = HOME) -> list[str]:
    """Copy a package, a folder or the zip file of one, over `home`; returns what is new, a line
    each. NotAPackage, with a sentence, where it is none or belongs to another course: then nothing
    was changed."""
    if (home / "autograder" / "course").is_dir():
        raise NotAPackage("This is the whole course. `add` is for the folder that a student has.")
    with _unpacked(source) as folder:
        package = _package_in(folder, source)
        asks = any((package / "autograder/cell/questions").glob("ch[0-9][0-9].py"))
        if asks:
            _hold_the_key(package, source)
        before = _chapters(home)
        changed = [name for name in _files(package) if _bring(package, home, name, asks)]
    prepare_mine()
    return list(_told(changed, before, _chapters(home)))


@contextlib.contextmanager
def _unpacked(source: Path) -> Iterator[Path]:
    """The folder, or a folder that the zip file is unpacked into as long as the block lasts."""
    if source.is_dir():
        yield source
        return
    if not source.exists():
        raise NotAPackage(f"There is no {source}.")
    with tempfile.TemporaryDirectory(prefix="package") as folder:
        try:
            with zipfile.ZipFile(source) as archive:
                for member in archive.infolist():
                    _hold_inside(member, source)
                archive.extractall(folder)
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as broken:
            raise NotAPackage(
                f"{source} cannot be unpacked ({broken}). Download it once more."
            ) from None
        yield Path(folder)


def _hold_inside(member: zipfile.ZipInfo, source: Path) -> None:
    parts = PurePosixPath(member.filename.replace("\\", "/"))
    outside = parts.is_absolute() or ".." in parts.parts or ":" in member.filename
    if outside or stat.S_ISLNK(member.external_attr >> 16):
        raise NotAPackage(
            f"{source} holds {member.filename!r}, which would be written outside of this folder or"
            " is a link. Nothing was added; ask your teacher for the package."
        )


def _package_in(folder: Path, source: Path) -> Path:
    """The package itself: the folder, or the one folder in it, as zip files have it."""
    for place in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
        if (place / KEY).is_file() and (place / CHAPTERS).is_dir():
            return place
    raise NotAPackage(
        f"{source} is no package of this course. Name the zip file or the folder that your teacher"
        " handed out."
    )


def _hold_the_key(package: Path, source: Path) -> None:
    theirs = course_key_id((package / KEY).read_text(encoding="utf-8").strip())
    if theirs != course_key_id():
        raise NotAPackage(
            f"{source} belongs to another course (course key {theirs}) than this folder"
            f" ({course_key_id()}), so your numbers would change. Nothing was added; ask your"
            " teacher for the package of your course."
        )


def _files(package: Path) -> list[str]:
    """The files to bring, named from the package's folder. The commands come last: as long as they
    are the old ones the same command can be given again."""
    names = sorted(
        path.relative_to(package).as_posix()
        for path in package.rglob("*")
        if path.is_file() and not path.is_symlink()
    )
    names = [name for name in names if not name.startswith(LEARNERS_OWN) and not MADE.search(name)]
    return sorted(names, key=lambda name: name.startswith("autograder/"))


def _bring(package: Path, home: Path, name: str, asks: bool) -> bool:
    """Copy one file, whole or not at all; returns whether that changed anything."""
    if name == KEY and not asks:
        return False  # a package without questions may carry any key
    target, content = home / name, (package / name).read_bytes()
    old = target.read_bytes() if target.is_file() else b""
    if name in LISTS and old:
        content = _with_old_chapters(content.decode(), old.decode(), home).encode()
    if target.is_file() and old == content:
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".new", delete=False) as draft:
        draft.write(content)
    os.chmod(draft.name, 0o644)
    os.replace(draft.name, target)
    return True


def _with_old_chapters(new: str, old: str, home: Path) -> str:
    """A list of chapters with the lines of those that came with earlier packages."""
    lines = new.splitlines(keepends=True)
    places = [place for place, line in enumerate(lines) if OF_A_CHAPTER.match(line)]
    if not places:
        return new
    own = {found[1]: line for line in lines if (found := OF_A_CHAPTER.match(line))}
    kept = {
        found[1]: line
        for line in old.splitlines(keepends=True)
        if (found := OF_A_CHAPTER.match(line)) and (home / CHAPTERS / found[1]).is_dir()
    }
    both = {**kept, **own}
    return "".join(
        [*lines[: places[0]], *(both[name] for name in sorted(both)), *lines[places[-1] + 1 :]]
    )


def _chapters(home: Path) -> set[str]:
    folder = home / CHAPTERS
    return {path.name for path in folder.iterdir() if path.is_dir()} if folder.is_dir() else set()


def _told(changed: list[str], before: set[str], now: set[str]) -> Iterator[str]:
    """What a learner is told, a line each."""
    new = sorted(now - before)
    for name in new:
        yield f"New: {name}. Your copy is in notebooks/mine/{name}."
    renewed = {
        found[1] for name in changed if (found := re.match(rf"{CHAPTERS}/([^/]+)/.*\.ipynb$", name))
    }
    for name in sorted(renewed - set(new)):
        yield (
            f"Changed by your teacher: {name}. Your copy is as it was; `python -m autograder reset"
            f" {name[:2] if name[:2].isdigit() else name}` gives you the new one and keeps yours."
        )
    others = [name for name in changed if not name.startswith(f"{CHAPTERS}/")]
    if any(name in PAPERS_OF_THE_ENVIRONMENT for name in others):
        yield "The course needs other packages of Python now: `make lab` installs them."
    if not changed:
        yield "Nothing is new: this folder had all of it."
    else:
        yield f"{len(changed)} files are new or changed. Your own notebooks are as they were."
