"""The base is installed into a fresh environment, with each Python of this machine, and plays a
lab."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
MOST_MB = 350
PROGRAM = """
import importlib.metadata, json, sys
from kafkalab import KafkaConsumer, Lab, __version__
from kafkalab.course_folder import course_folder, package_data
from kafkalab.stories.recorded import recorded
from kafkalab.views import timeline
lab = Lab(brokers=3, seed=7)
lab.create_topic("t")
consumer = KafkaConsumer(lab, {"group.id": "g"}, version="2.3")
consumer.subscribe(["t"])
consumer.poll(timeout_ms=20_000)
print(json.dumps({
    "version": __version__,
    "sockets": len(lab.sockets()),
    "png": len(timeline(lab).png()),
    "recorded": len(recorded("4.4.0/4.4.0/producer_keyed").real),
    "manifests": sorted(file.name for file in (package_data() / "manifests").iterdir()),
    "course": str(course_folder()),
    "packages": sorted(each.name.lower() for each in importlib.metadata.distributions()),
}))
"""


def python_of(minor: int) -> str | None:
    """A Python 3 of that minor version of this machine: this one, on the PATH, or pyenv's."""
    kept = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    kept_here = os.access(kept, os.R_OK)  # another user's may be closed to us
    own = map(str, kept.glob(f"3.{minor}.*/bin/python")) if kept_here else ()
    here = sys.executable if minor == sys.version_info.minor else None
    for python in filter(None, [here, shutil.which(f"python3.{minor}"), *own]):
        ran = subprocess.run([python, "-c", "import venv, ensurepip"], capture_output=True)
        if ran.returncode == 0:
            return python
    return None


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The project as a wheel, built from a copy, so that no build folder stays in the checkout."""
    copy = tmp_path_factory.mktemp("copy") / "project"
    kept = ("kafkalab", "autograder", "data", "pyproject.toml", "setup.py", "README.md")
    copy.mkdir()
    for name in kept:
        source = ROOT / name
        if source.is_dir():
            left_out = shutil.ignore_patterns("__pycache__", "generated")
            shutil.copytree(source, copy / name, ignore=left_out)
        else:
            shutil.copy(source, copy / name)
    out = copy.parent / "wheels"
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(out), "."]
    built = subprocess.run(command, cwd=copy, capture_output=True, text=True)
    if "No matching distribution" in built.stderr or "connection" in built.stderr.lower():
        pytest.skip("no package index here")
    assert built.returncode == 0, built.stderr[-2_000:]
    [path] = out.glob("*.whl")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("minor", range(11, 15), ids=lambda minor: f"3.{minor}")
def test_the_base_is_small_and_plays_a_lab_without_the_checkout(minor, wheel, tmp_path):
    python, place = python_of(minor), tmp_path / "fresh"
    if python is None:
        pytest.skip(f"no Python 3.{minor} here")
    subprocess.run([python, "-m", "venv", str(place)], check=True)
    own = place / "bin" / "python"
    constraints = str(ROOT / "constraints.txt")
    before = size_mb(place)
    done = subprocess.run(
        [own, "-m", "pip", "install", "--quiet", "--constraint", constraints, str(wheel)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    assert size_mb(place) - before < MOST_MB
    empty = tmp_path / "empty"
    empty.mkdir()
    ran = subprocess.run([own, "-c", PROGRAM], cwd=empty, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-2_000:]
    told = json.loads(ran.stdout)
    assert told["sockets"] > 2 and told["png"] > 1_000 and told["recorded"] > 100
    assert "tiny.json" in told["manifests"] and told["course"].startswith(str(place.resolve()))
    assert not {"jupyterlab", "pyspark", "nbgrader", "ipython", "pyarrow"} & set(told["packages"])
    for script in ("kafkalab", "autograder"):
        ran = subprocess.run([place / "bin" / script, "--version"], capture_output=True, text=True)
        assert ran.stdout == f"{script} {told['version']}\n", ran.stderr
    asked = subprocess.run(
        [place / "bin" / "kafkalab", "logsets", "explain", "x.log"], capture_output=True, text=True
    )
    assert asked.returncode == 2 and 'pip install "kafkalab[logs]"' in asked.stderr
    assert list(place.rglob("kafkalab/tests")) == []


def size_mb(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
