"""Is there machine code of the simulator's busiest modules, and does it still fit their source?

`make fast` compiles them (`build`); from then on `import kafkalab` takes them from `kafkalab/__compiled__`, as byte code is taken
from `__pycache__`. What a lab does is the same, byte by byte; it only does it sooner. Like byte code, machine code counts as long
as each source has the size and the time it was made from: when one was edited, all of it is passed over, with a sentence, and the
simulator runs as the Python it is. KAFKALAB_PYTHON_ONLY=1 passes it over silently.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

PACKAGE = Path(__file__).parents[1]
FOLDER = PACKAGE / "__compiled__"
MANIFEST = FOLDER / "manifest.json"
SUFFIX = EXTENSION_SUFFIXES[0]
"""What this Python's extension modules end with; it names the release and the machine."""

STALE = ("kafkalab: {source} has changed since `make fast` compiled the simulator. It runs as plain Python now, several times slower; "
         "`make fast` compiles it again.")


class Finder:
    """Finds compiled modules before Python finds their sources."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._folder, self._names = folder, frozenset(names)

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in self._names:
            return None
        file = str(self._folder / f"{name}{SUFFIX}")
        return spec_from_file_location(name, file, loader=ExtensionFileLoader(name, file))


def stamp(source: Path) -> list[int]:
    """What a source is recognised by: its size in bytes, and when it was written."""
    found = source.stat()
    return [found.st_size, found.st_mtime_ns]


def changed(sources: Mapping[str, Sequence[int]]) -> str | None:
    """The first source that is not what it was when it was compiled; None where all are. sources: path below the package -> stamp."""
    for source, known in sources.items():
        try:
            if stamp(PACKAGE / source) != list(known):
                return source
        except OSError:
            return source
    return None


def fits() -> bool:
    """Is there machine code for this Python that fits its source? Says on stderr where it does not fit any more."""
    return _found() is not None


def use() -> bool:
    """Let this process import what is compiled, where that fits its source and this Python; says whether it does."""
    modules = None if os.environ.get("KAFKALAB_PYTHON_ONLY") else _found()
    if modules is None:
        return False
    sys.meta_path.insert(0, Finder(FOLDER, modules))
    return True


def _found() -> list[str] | None:
    try:
        manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if manifest["suffix"] != SUFFIX:
        return None
    source = changed(manifest["sources"])
    if source is not None:
        print(STALE.format(source=source), file=sys.stderr)
        return None
    return manifest["modules"]
