"""Makes a control group for each worker: the kernel's own limit of memory and processes.

The worker's watch (watch.py) looks every twentieth of a second and says in a sentence what was too
much. The group's limit is a little wider: if the watch is too slow, the kernel ends the process.
Made and removed by the parent, outside the walls; version 1 and 2 of the interface.
`doctor` says when there is none to be had.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

MOUNT = Path("/sys/fs/cgroup")
# The files that hold the limits: version 2 first, then version 1's for its two controllers.
FILES = {"memory": ("memory.max", "memory.limit_in_bytes"), "pids": ("pids.max", "pids.max")}
# the warm worker itself, and room for the watch to speak first
ABOVE_BYTES, ABOVE_PROCESSES = 1 << 30, 64


class Group:
    """One worker's group: `folders` to join, limits that can be set before each job,
    gone with `remove`."""

    def __init__(self, folders: dict[str, Path]):
        self._by_controller = folders
        self.folders = list(dict.fromkeys(folders.values()))

    def allow(self, memory_bytes: int, processes: int) -> None:
        """Set the limits for the next job. A kernel that refuses leaves the old ones;
        the watch holds anyway."""
        for controller, most in (
            ("memory", memory_bytes + ABOVE_BYTES),
            ("pids", processes + ABOVE_PROCESSES),
        ):
            folder = self._by_controller.get(controller)
            for name in FILES[controller] if folder else ():
                if (folder / name).exists():
                    _write(folder / name, most)
                    break

    def remove(self) -> None:
        """Take the group away; its processes have ended, or are just about to:
        they are given a second to be gone."""
        for folder in self.folders:
            for _ in range(50):
                try:
                    folder.rmdir()
                    break
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.02)


def make_group(name: str) -> Group | None:
    """A group for one worker, or None where this user may not make
    one that counts memory and processes."""
    places = {controller: _own(controller) for controller in FILES}
    made = {}
    try:
        for controller, place in places.items():
            if place is None:
                raise OSError(f"no {controller} controller")
            made[controller] = place / name
            made[controller].mkdir(exist_ok=True)
            if not any((made[controller] / file).exists() for file in FILES[controller]):
                raise OSError(f"{controller} is not counted here")
            if not os.access(made[controller] / "cgroup.procs", os.W_OK):
                raise OSError("not ours to join")
    except OSError:
        Group(made).remove()
        return None
    return Group(made)


def _own(controller: str) -> Path | None:
    """The folder of the group this process is in, for a controller; groups are made inside it."""
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    for line in lines:
        number, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return _exists(MOUNT / controllers / path.lstrip("/")) or _exists(
                MOUNT / controller / path.lstrip("/")
            )
    for line in lines:
        number, controllers, path = line.split(":", 2)
        if number == "0" and (MOUNT / "cgroup.controllers").exists():
            return _exists(MOUNT / path.lstrip("/"))
    return None


def _exists(folder: Path) -> Path | None:
    return folder if folder.is_dir() else None


def _write(file: Path, number: int) -> None:
    try:
        file.write_text(str(number), encoding="ascii")
    except OSError:
        pass
