"""Tests a sandbox level with a small break-out, run as a submission's code would be.

A namespace that the kernel grants on paper may still leak: the probe reads a file outside, writes
one beside it, connects to a socket of the parent's, looks for its process, and asks for a namespace
of its own. The parent has laid out all these and knows what came through.
"""

from __future__ import annotations

import os
import secrets
import socket
import tempfile
from pathlib import Path

QUESTION = "walls"
BREAK_OUT = """
import ctypes, os, socket

def tried(action):
    try:
        return bool(action())
    except (OSError, AttributeError):
        return False

def connected(family, address):
    with socket.socket(family) as wire:
        wire.settimeout(1)
        wire.connect(address)
        return True

found = {{
    "a file outside could be read": tried(lambda: open({canary!r}).read() == {word!r}),
    "a file outside could be written": tried(lambda: open({mark!r}, "w").write("x")),
    "a socket of this machine could be reached": tried(lambda: connected(socket.AF_INET, ("127.0.0.1", {port}))),
    "a socket in a file outside could be reached": tried(lambda: connected(socket.AF_UNIX, {unix!r})),
    "other processes could be seen": [name for name in os.listdir("/proc") if name.isdigit()] != [str(os.getpid())],
    "it could make namespaces of its own": tried(lambda: ctypes.CDLL(None).unshare(0x10000000) == 0),
    "it had capabilities": tried(lambda: int(open("/proc/self/status").read().split("CapEff:")[1].split()[0], 16)),
}}
"""  # noqa: E501


class Probe:
    """What the break-out is aimed at, laid out by the parent. Use it in a `with`."""

    def __enter__(self) -> Probe:
        self._kept = tempfile.TemporaryDirectory(
            prefix="autograder-canary-", ignore_cleanup_errors=True
        )
        self._wires = []
        try:
            self._lay_out(Path(self._kept.name))
        except BaseException:  # Ctrl-C, for one
            self.__exit__()
            raise
        return self

    def _lay_out(self, folder: Path) -> None:
        # were it visible, anybody might read and write in it
        folder.chmod(0o777)
        self._word = secrets.token_hex(16)
        canary, self._mark, unix = (folder / name for name in ("canary", "mark", "socket"))
        canary.write_text(self._word, encoding="ascii")
        self._wires.append(socket.create_server(("127.0.0.1", 0)))
        if hasattr(socket, "AF_UNIX"):
            wire = socket.socket(socket.AF_UNIX)
            self._wires.append(wire)
            wire.bind(str(unix))
            wire.listen()
            os.chmod(unix, 0o777)
        self._source = BREAK_OUT.format(
            canary=str(canary),
            word=self._word,
            mark=str(self._mark),
            unix=str(unix),
            port=self._wires[0].getsockname()[1],
        )

    def __exit__(self, *exception):
        for wire in self._wires:
            wire.close()
        self._kept.cleanup()

    def job(self, limits) -> dict:
        """The break-out as a job for a worker."""
        return {
            "steps": [
                {
                    "source": self._source,
                    "question": QUESTION,
                    "cases": [{}],
                    "read": ["found"],
                    "seconds": limits.cell_seconds,
                    "wall_seconds": limits.cell_wall_seconds,
                }
            ],
            "numbers": {},
            "seconds": limits.seconds,
            "cpu_seconds": limits.cpu_seconds,
            "memory_bytes": limits.memory_bytes,
            "watched_bytes": limits.memory_bytes,
            "file_bytes": limits.file_bytes,
            "scratch_bytes": limits.scratch_bytes,
            "open_files": limits.open_files,
            "processes": limits.processes,
        }

    def judge(self, heard: dict) -> list[str]:
        """What came through, in words; [] when the walls hold."""
        try:
            found = heard["replies"][QUESTION][0]["data"]["found"]
            through = [words for words, happened in found.items() if happened]
        except (KeyError, IndexError, TypeError, AttributeError):
            return [f"the probe did not answer ({heard.get('ended')})"]
        if self._mark.exists():
            through.append("a file outside was written")
        return sorted(set(through))
