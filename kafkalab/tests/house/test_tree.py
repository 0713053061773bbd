"""Is the tree fit to hand to a stranger: nothing of one machine in it, nothing stale,
nothing the two commands would miss?"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
LARGEST_BYTES = 2_000_000


def tracked() -> list[Path]:
    """The files git knows; skips the test where this is not a checkout."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def text_of(path: Path) -> str:
    """The file's text, empty for a binary file."""
    content = path.read_bytes()
    return "" if b"\0" in content else content.decode("utf-8", errors="replace")


def targets() -> set[str]:
    """What one can ask `make` for: the names in the Makefile's .PHONY line."""
    [names] = re.findall(
        r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    return set(names.split())


def test_no_file_names_a_place_on_somebodys_machine():
    someones = re.compile(r"(?<![\w.~:/])/(?:home|Users|root|work|mnt)/[\w.]+")
    for path in tracked():
        found = someones.search(text_of(path)) if path != Path(__file__) else None
        assert not found, (
            f"{path.relative_to(ROOT)} names {found[0]}: write a path relative to the checkout"
        )


def test_no_tracked_file_is_huge():
    for path in tracked():
        assert path.stat().st_size <= LARGEST_BYTES, (
            f"{path.relative_to(ROOT)} is over {LARGEST_BYTES} bytes: keep a manifest and rebuild "
            "it into data/generated"
        )


def test_what_a_learner_makes_stays_out_of_git():
    ours = (
        "notebooks/mine/02/x.ipynb",
        "notebooks/source/02/x.ipynb",
        "data/generated/x.parquet",
        "screenshots/x.png",
        ".venv/x",
        "wheels/x.whl",
        "bench.json",
    )
    ignored = subprocess.run(
        ["git", "check-ignore", *ours], cwd=ROOT, capture_output=True, text=True
    )
    if ignored.returncode == 128:
        pytest.skip("not a git checkout")
    assert ignored.stdout.split() == list(ours)


def test_released_notebooks_hold_no_output():
    released = sorted((ROOT / "notebooks" / "release").glob("*/*.ipynb"))
    assert released, "no released notebook: run make course"
    for path in released:
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                assert not cell["outputs"] and cell["execution_count"] is None, (
                    f"{path.name} holds an output: run make course"
                )


def test_make_alone_prints_every_target_with_its_command():
    shown = subprocess.run(
        ["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    lines = {line.split()[1]: line for line in shown.splitlines() if line.startswith("make ")}
    assert set(lines) == targets() - {"help"}
    for line in lines.values():
        assert ".venv/bin/python -m " in line and "$" not in line


@pytest.mark.parametrize("name", PAGES)
def test_the_pages_name_only_targets_and_files_that_exist(name):
    page = (ROOT / name).read_text(encoding="utf-8")
    asked = set(re.findall(r"\bmake ([a-z][a-z-]+)`", page)) | set(
        re.findall(r"^make ([a-z-]+)", page, flags=re.MULTILINE)
    )
    assert asked <= targets(), f"{name} names make {asked - targets()}"
    for link in re.findall(r"\]\(([^)#]+)\)", page):
        assert "://" in link or (ROOT / link).exists(), (
            f"{name} links to {link}, which is not there"
        )


def test_no_test_is_a_stopwatch():
    """A machine that is busy must not fail a test; time.monotonic()
    for giving up after a minute is fine."""
    for path in tracked():
        if path.suffix == ".py" and "tests" in path.parts and path != Path(__file__):
            found = re.search(r"perf_counter|process_time|timeit|\btime\.time\(", text_of(path))
            assert not found, (
                f"{path.relative_to(ROOT)} uses {found[0]}: measure in bench/, as a ratio"
            )


def test_ci_runs_what_we_run():
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o100, ".ci/run must be executable"
    for target in ("make test <", "make test-corpus <"):
        assert target in script.read_text(encoding="utf-8"), f".ci/run leaves out {target[:-2]}"
