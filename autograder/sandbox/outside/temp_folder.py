"""Makes the folder of a sandbox, and deletes those that killed processes left.

A lock holds the folder as long as its process lives.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

PREFIX = "autograder-"
HELD = ".held"
# Files in memory: a copy of some 1,700 small ones takes a fifth of the time it takes on a disk.
MEMORY, ROOM_BYTES = Path("/dev/shm"), 1 << 30


class Lodging:
    """A new folder for temporary files, or one in memory where that has room and nobody chose a
    TMPDIR. What killed processes of the same user have left is deleted first. OSError where none
    can be made."""

    def __init__(self, in_memory: bool = False):
        clear()
        place = MEMORY if in_memory and _memory_has_room() else None
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        self.folder.chmod(0o755)
        self._held = open(self.folder / f"{HELD}-soon", "w", encoding="utf-8")
        fcntl.flock(self._held, fcntl.LOCK_EX)
        os.replace(self._held.name, self.folder / HELD)  # nobody sees it before it is held

    def leave(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._held.close()


def clear() -> None:
    """Delete the folders that nobody holds any more. One of another user,
    or another's name for something else, stays."""
    here = Path(tempfile.gettempdir())
    for folder in (*here.glob(f"{PREFIX}*"), *MEMORY.glob(f"{PREFIX}*")):
        with contextlib.suppress(OSError):  # held, or gone by now
            if not folder.is_symlink() and folder.stat().st_uid == os.getuid():
                with open(folder / HELD, "r+", encoding="utf-8") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)


def _memory_has_room() -> bool:
    if tempfile.gettempdir() != "/tmp" or not os.access(MEMORY, os.W_OK):
        return False
    return shutil.disk_usage(MEMORY).free >= ROOM_BYTES
