"""Builds the page that plays into a folder: its files, the simulator's archive, and Pyodide.

Pyodide is the npm package of that name, in one tried version. npm brings it; its digest is checked,
and the files are kept in the user's cache. The page asks no other host than its own.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kafkalab.play.ready import READY
from kafkalab.play.story import FAULTS, read, settings_table

PYODIDE = "314.0.7"
INTEGRITY = (
    "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
)
"""The SHA-512 of that version's archive, as the registry of npm says it."""
NEEDED = "pyodide.mjs pyodide.asm.mjs pyodide.asm.wasm python_stdlib.zip pyodide-lock.json".split()
"""The files of the npm package that a page loads."""
PAGE = Path(__file__).with_name("page")
COMPILER = Path(__file__).with_name("compile.mjs")
HOME = Path(__file__).parents[1]
LEFT_OUT = {"tests", "logsets", "real", "__pycache__"}
"""Rooms that the archive leaves out: they need Spark, Java or pytest."""
SOURCES = (".py", ".txt", ".tsv")
WITH_APPS = "This browser has JavaScript Promise Integration: stories of several programs play."
WITHOUT_APPS = (
    "This browser has no JavaScript Promise Integration, which lets one program wait while another "
    "runs. Stories of one program play here, 02, 03, 05 and 06 among them. Chromium and Edge from "
    "137 on play all of them."
)


class Unplayable(Exception):
    """Raised where the page cannot be built; the message is one sentence for a person."""


def build(out: Path) -> Path:
    """Build the page into the folder `out`, which may hold an older one; returns its first file.

    Raises Unplayable where Pyodide cannot be had, or where `out` holds something else.
    """
    first = out / "index.html"
    if out.exists() and any(out.iterdir()) and not (out / "stories.json").is_file():
        raise Unplayable(f"{out} holds something else than this page: name a folder that is empty")
    python = pyodide()
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(PAGE, out)
    shutil.copytree(python, out / "pyodide")
    (out / "kafkalab.zip").write_bytes(with_compiled(archive(), python))
    (out / "stories.json").write_text(json.dumps(stories(), indent=1), encoding="utf-8")
    return first


def stories() -> dict[str, Any]:
    """The tables that the page draws its form from."""
    return {
        "settings": settings_table(),
        "faults": {
            name: {"label": words.label, "whom": words.whom, "lasts": words.lasts}
            for name, words in FAULTS.items()
        },
        "ready": [
            {
                "chapter": chapter,
                "title": ready.title,
                "look": ready.look,
                "settings": dict(ready.settings),
                "address": read(ready.settings).address(),
            }
            for chapter, ready in READY.items()
        ],
        "with_apps": WITH_APPS,
        "without_apps": WITHOUT_APPS,
    }


def archive() -> bytes:
    """The package without log sets and real Kafka, as a zip. The same sources give the same
    bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        for path in sorted(HOME.rglob("*")):
            inside = path.relative_to(HOME.parent)
            if path.suffix in SOURCES and not LEFT_OUT & set(inside.parts) and path.is_file():
                entry = zipfile.ZipInfo(inside.as_posix())
                entry.compress_type = zipfile.ZIP_DEFLATED
                out.writestr(entry, path.read_bytes())
    return packed.getvalue()


def with_compiled(packed: bytes, python: Path) -> bytes:
    """The archive with what Pyodide's Python in the folder `python` makes of each file. A browser
    then begins half a second earlier.

    The compiled files are kept in the user's cache. Where there is no node, or one that is too old,
    the archive stays as it is, and the browser compiles.
    """
    digest = hashlib.sha256(packed + COMPILER.read_bytes()).hexdigest()
    kept = python.with_name(f"{python.name}-compiled")
    found = kept / f"{digest}.zip"
    node = shutil.which("node")
    if not found.is_file() and node is not None:
        with tempfile.TemporaryDirectory() as scratch:
            source, out = Path(scratch, "source.zip"), Path(scratch, "compiled.zip")
            source.write_bytes(packed)
            words = [node, str(COMPILER), str(python), str(source), str(out)]
            done = subprocess.run(words, capture_output=True)
            if done.returncode == 0:
                shutil.rmtree(kept, ignore_errors=True)  # what older sources made
                kept.mkdir(parents=True)
                shutil.move(out, found)
    if not found.is_file():
        return packed
    both = io.BytesIO(packed)
    with zipfile.ZipFile(both, "a") as out_file, zipfile.ZipFile(found) as compiled:
        for entry in compiled.infolist():
            out_file.writestr(entry, compiled.read(entry))
    return both.getvalue()


def pyodide(fetch: Callable[[Path], Path] | None = None) -> Path:
    """The folder with Pyodide's files, from the cache or by npm. Raises Unplayable.

    fetch: puts the package's archive into a folder and returns its path; npm does it otherwise
    """
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    kept = Path(cache, "kafkalab", "pyodide", PYODIDE).absolute()
    if all((kept / name).is_file() for name in NEEDED):
        return kept
    with tempfile.TemporaryDirectory() as scratch:
        packed = (fetch or _by_npm)(Path(scratch))
        digest = base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode()
        if digest != INTEGRITY:
            raise Unplayable(
                f"the archive of pyodide {PYODIDE} that npm brought has another digest than the "
                "one that was tried: ask the registry again, or another one"
            )
        files = Path(scratch, "files")
        files.mkdir()
        with tarfile.open(packed) as archive:
            for name in NEEDED:
                member = archive.extractfile(f"package/{name}")
                assert member is not None, "an archive with this digest has this file"
                (files / name).write_bytes(member.read())
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(kept, ignore_errors=True)
        shutil.move(files, kept)
    return kept


def _by_npm(folder: Path) -> Path:
    """Let npm put the package's archive into a folder."""
    npm = shutil.which("npm")
    if npm is None:
        raise Unplayable(
            "the page that plays needs npm once, which brings Pyodide: install Node.js (Debian, "
            "Ubuntu: apt install npm) and try again"
        )
    done = subprocess.run(
        [npm, "pack", f"pyodide@{PYODIDE}", "--pack-destination", str(folder)],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    found = list(folder.glob("*.tgz"))
    if done.returncode or not found:
        said = [line for line in done.stderr.splitlines() if line.strip()] or ["no reason given"]
        raise Unplayable(f"npm could not bring pyodide {PYODIDE}: {said[0]}")
    return found[0]
