"""Runs the tests that are nearest to a change: `make quick`, before `make test` runs them all.

They are the house's rules, the tests that import a changed module, and those of its room. What
changed is what differs from the main branch, and what git does not know yet.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from kafkalab.extras import MissingExtra, need_extras

ROOT = Path(__file__).resolve().parents[2]
HOUSE = ("kafkalab/tests/house", "kafkalab/tests/test_architecture.py", "autograder/tests/house")
MAIN = ("origin/main", "main")
PACKAGES = ("kafkalab", "autograder")
BY_HAND = (
    ("notebooks/exercises/", "python -m autograder exercise NN.k` checks an exercise"),
    ("notebooks/source_py/", "python -m autograder course --prose NN` builds a chapter"),
    ("kafkalab/broker/", "make conformance` and `make seeds` compare with real Kafka"),
    ("kafkalab/clients/", "make conformance` and `make seeds` compare with real Kafka"),
)
"""What else a change asks for, by where it is."""


def git(*words: str) -> list[str]:
    """The lines that a git command prints; none where it fails."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def changed_files() -> list[str]:
    """Every file that differs from the main branch and is there, named from the top folder."""
    base = next((found[0] for name in MAIN if (found := git("merge-base", "HEAD", name))), "HEAD")
    named = git("diff", "--name-only", base) + git("ls-files", "--others", "--exclude-standard")
    return sorted({name for name in named if (ROOT / name).is_file()})


def tests_of(changed: Iterable[str], tests: dict[str, set[str]]) -> list[str]:
    """The test files to run. `tests`: a test file -> the modules that it imports."""
    found: set[str] = set()
    for name in changed:
        package, *rooms = Path(name).parts[:-1] or [""]
        if name in tests:
            found.add(name)
        elif package in PACKAGES and rooms[:1] != ["tests"]:
            module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            room = f"{package}/tests/{rooms[0]}/" if rooms else None
            found |= {
                test
                for test, imported in tests.items()
                if module in imported or (room and test.startswith(room))
            }
    return sorted(found)


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imports_of_tests() -> dict[str, set[str]]:
    """A test file, named from the top folder -> the modules that it imports."""
    return {
        path.relative_to(ROOT).as_posix(): set(imports(path))
        for package in PACKAGES
        for path in sorted((ROOT / package / "tests").rglob("test_*.py"))
    }


def main() -> int:
    """Returns pytest's exit code, or ruff's; 2 after one sentence where an extra is missing."""
    try:
        need_extras("learn", "spark", "teach", "dev")
    except MissingExtra as missing:
        print(missing, file=sys.stderr)
        return 2
    changed = changed_files()
    found = tests_of(changed, imports_of_tests())
    print(f"{len(changed)} files changed: the house's rules and {len(found)} test files run.")
    for folder, what in BY_HAND:
        if any(name.startswith(folder) for name in changed):
            print(f"{folder} changed: `{what}.")
    sources = [name for name in changed if name.endswith(".py")]
    for words in (("format", "--check"), ("check", "--quiet")):
        command = [sys.executable, "-m", "ruff", *words, "--force-exclude", *sources]
        if sources and (code := subprocess.call(command, cwd=ROOT)):
            print("`make format` mends most of this.")
            return code
    pytest = [sys.executable, "-m", "pytest", "-q", "-rs", "-n", "logical", "--dist", "loadfile"]
    return subprocess.call([*pytest, "-m", "not slow", *HOUSE, *found], cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main())
