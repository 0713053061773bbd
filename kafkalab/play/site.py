"""Builds the page that plays into a folder: its files, the simulator's wheel, and Pyodide.

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
from importlib.metadata import version
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
KEEPER = Path(__file__).with_name("remember.mjs")
HOME = Path(__file__).parents[1]
LEFT_OUT = {"tests", "logsets", "real", "__pycache__"}
"""Rooms that the wheel leaves out: they need Spark, Java or pytest."""
SOURCES = (".py", ".txt", ".tsv")
VERSION = version("kafkalab")
NAMED = f"kafkalab-{VERSION}"
WHEEL = f"{NAMED}-py3-none-any.whl"
OF_WHEEL = {
    "METADATA": f"Metadata-Version: 2.1\nName: kafkalab\nVersion: {VERSION}\n"
    "Summary: The simulator of kafkalab, without log sets and real Kafka\n"
    "Requires-Python: >=3.11\nRequires-Dist: greenlet\n",
    "WHEEL": "Wheel-Version: 1.0\nGenerator: kafkalab\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}
MEMORY = "memory.bin"
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
    packed = wheel()
    (out / WHEEL).write_bytes(packed)
    memory = remembered(packed, python)
    parts = {"WHEEL": WHEEL, "MEMORY": MEMORY if memory else "", "BYTES": size_of(memory)}
    lines = [f"export const {name} = {json.dumps(value)};\n" for name, value in parts.items()]
    (out / "parts.js").write_text("".join(lines), encoding="utf-8")
    if memory:
        (out / MEMORY).write_bytes(memory)
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


def wheel() -> bytes:
    """The package without log sets and real Kafka, as a wheel. The same sources give the same
    bytes."""
    files = {
        inside.as_posix(): path.read_bytes()
        for path in sorted(HOME.rglob("*"))
        if path.suffix in SOURCES
        and path.is_file()
        and not LEFT_OUT & set((inside := path.relative_to(HOME.parent)).parts)
    }
    about = f"{NAMED}.dist-info"
    files |= {f"{about}/{name}": text.encode() for name, text in OF_WHEEL.items()}
    rows = [
        f"{name},sha256={_in_base64(content)},{len(content)}" for name, content in files.items()
    ]
    record = f"{about}/RECORD"
    files[record] = "\n".join([*rows, f"{record},,", ""]).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, content)
    return packed.getvalue()


def _in_base64(content: bytes) -> str:
    """A digest as the RECORD of a wheel has it."""
    digest = hashlib.sha256(content).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def remembered(packed: bytes, python: Path) -> bytes:
    """The memory of Pyodide in the folder `python` after it has imported the wheel, compressed. A
    page that begins with it imports nothing. b"" without node, or with one that is too old: then
    the page imports the wheel.

    The memory is kept in the user's cache.
    """
    digest = hashlib.sha256(packed + KEEPER.read_bytes()).hexdigest()
    kept = python.with_name(f"{python.name}-memory")
    found = kept / f"{digest}.gz"
    node = shutil.which("node")
    if not found.is_file() and node is not None:
        with tempfile.TemporaryDirectory() as scratch:
            source, out = Path(scratch, WHEEL), Path(scratch, MEMORY)
            source.write_bytes(packed)
            words = [node, str(KEEPER), str(python), str(source), str(out)]
            done = subprocess.run(words, capture_output=True)
            if done.returncode == 0:
                shutil.rmtree(kept, ignore_errors=True)  # of older sources
                kept.mkdir(parents=True)
                shutil.move(out, found)
    return found.read_bytes() if found.is_file() else b""


def size_of(compressed: bytes) -> int:
    """How many bytes gzip makes of these, as their last four say."""
    return int.from_bytes(compressed[-4:], "little")


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
