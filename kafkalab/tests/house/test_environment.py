"""Does everyone get the same environment, whichever file they start from,
and does each line of it say why it is there?"""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import kafkalab
from kafkalab.extras import PACKAGES

ROOT = Path(__file__).resolve().parents[3]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PYPROJECT["optional-dependencies"]
DECLARED = [*PYPROJECT["dependencies"], *(line for lines in EXTRAS.values() for line in lines)]


def tried() -> dict[str, str]:
    """constraints.txt as name -> version."""
    lines = (
        line.split("#")[0].strip()
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    )
    pairs = (
        re.fullmatch(r"([\w.-]+)==([\w.]+)", line)
        or pytest.fail(f"constraints.txt: {line!r} is not name==version")
        for line in lines
        if line
    )
    return {canonicalize_name(pair[1]): pair[2] for pair in pairs}


def brought(requirements: Iterable[str]) -> set[str]:
    """The canonical names of all packages that `requirements` install here, themselves among them,
    read off what is installed."""
    names: set[str] = set()
    waiting = [Requirement(line) for line in requirements]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in names:
            continue
        names.add(name)
        try:
            inner = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            # An extra that is not installed, such as the bench tools in `make test`.
            continue
        extras = requirement.extras or {""}
        for line in map(Requirement, inner):
            if line.marker is None or any(
                line.marker.evaluate({"extra": extra}) for extra in extras
            ):
                waiting.append(line)
    return names


def test_conda_users_get_what_pip_users_get():
    conda = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert f"python{PYPROJECT['requires-python']}" in conda["dependencies"]
    [pip] = [entry["pip"] for entry in conda["dependencies"] if isinstance(entry, dict)]
    assert pip[:2] == ["--constraint constraints.txt", "--editable ."]
    assert sorted(pip[2:]) == sorted(set(DECLARED))


@pytest.mark.parametrize("name", ["environment.yml", "pyproject.toml"])
def test_every_dependency_says_why_it_is_there(name):
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if any(requirement in line for requirement in DECLARED):
            assert re.search(r"# \w+", line), (
                f"{name}: {line.strip()} does not say which chapter or tool needs it"
            )


@pytest.mark.parametrize("line", DECLARED)
def test_every_dependency_is_bounded_on_both_sides_and_tried(line):
    requirement = Requirement(line)
    assert {">=", "<"} == {bound.operator for bound in requirement.specifier}, (
        f"{line} needs a lower and an upper bound"
    )
    version = tried().get(canonicalize_name(requirement.name))
    assert version and requirement.specifier.contains(version), (
        f"constraints.txt tries {version}, pyproject.toml asks for {line}"
    )


def test_the_constraints_cover_all_that_an_installation_brings():
    missing = brought(DECLARED) - tried().keys()
    assert not missing, (
        f"constraints.txt does not name {sorted(missing)}: add the versions that pip freeze shows"
    )


def test_what_was_tried_runs_on_the_oldest_python_we_promise():
    """Some packages ask for a patch version, such as 3.11.5,
    which a machine with the first 3.11 does not have."""
    oldest = PYPROJECT["requires-python"].removeprefix(">=") + ".0"
    for name in brought(DECLARED):
        try:
            asked = importlib.metadata.metadata(name)["Requires-Python"] or ""
        except importlib.metadata.PackageNotFoundError:
            continue
        assert SpecifierSet(asked).contains(oldest), (
            f"{name} {importlib.metadata.version(name)} asks for Python {asked}: constrain an "
            "older one"
        )


def imported_at_once(path: Path) -> Iterator[str]:
    """The first names of the modules that importing the file at `path` imports,
    those inside functions left out."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.split(".")[0]


# Room -> the extras it may count on: the longest name that fits a file decides.
ROOMS = {
    "kafkalab": (),
    "kafkalab/logsets": ("spark", "logs"),
    "kafkalab/real": ("spark",),
    "autograder": ("learn", "spark", "teach"),
    "autograder/cell": (),
    "autograder/learner": ("learn",),
    "bench": ("learn", "spark", "logs", "teach", "bench"),
}
DOORS = ("autograder/__init__.py", "autograder/__main__.py")


@pytest.mark.parametrize("room", ROOMS)
def test_every_import_is_a_declared_dependency(room):
    """Who installs one extra has no other's packages: what a module imports at its top must
    come with its room."""
    theirs = installed_with(ROOMS[room])
    testing = installed_with(("learn", "spark", "teach", "dev"))
    base = installed_with(())
    packages = distributions()
    for path in sorted((ROOT / room).rglob("*.py")):
        shown = path.relative_to(ROOT).as_posix()
        if max((name for name in ROOMS if shown.startswith(f"{name}/")), key=len) != room:
            continue
        for name in imported_at_once(path):
            if (
                name in sys.stdlib_module_names
                or (ROOT / name).is_dir()
                or path.with_name(f"{name}.py").exists()
            ):
                continue
            owners = {canonicalize_name(owner) for owner in packages.get(name, [name])}
            allowed = testing if "tests" in path.parts else base if shown in DOORS else theirs
            assert owners & allowed, (
                f"{shown} imports {name}, which {', '.join(ROOMS[room]) or 'the base'} does not "
                "bring: declare it, or import it in the function that needs it"
            )


@cache
def installed_with(extras: tuple[str, ...]) -> frozenset[str]:
    """What an installation with these extras brings."""
    return frozenset(
        brought(PYPROJECT["dependencies"] + [line for name in extras for line in EXTRAS[name]])
    )


@cache
def distributions() -> dict[str, list[str]]:
    """The distributions that are installed here, by the first name of what they let one import."""
    return dict(importlib.metadata.packages_distributions())


def test_each_extra_knows_the_packages_it_brings():
    """A package that no extra names would be missing with a traceback."""
    packages = distributions()
    names = {}
    for package, owners in packages.items():
        for owner in owners:
            names.setdefault(canonicalize_name(owner), set()).add(package)
    base = installed_with(())
    for extra, lines in EXTRAS.items():
        for line in lines:
            owner = canonicalize_name(Requirement(line).name)
            if owner in names and owner not in base:
                known = names[owner] & set(PACKAGES[extra].split())
                assert known, f"kafkalab/extras.py: {extra} brings {sorted(names[owner])}"


def test_the_version_is_one():
    """pyproject.toml takes it from the package, and CITATION.cff and CHANGELOG.md say the same."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == kafkalab.__version__
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## \[?([\w.]+)\]?", changes, re.MULTILINE)
    assert headings[:2] == ["Unreleased", kafkalab.__version__]


def test_each_script_is_a_function():
    for script, place in PYPROJECT["scripts"].items():
        module, _, name = place.partition(":")
        assert callable(getattr(importlib.import_module(module), name)), script
