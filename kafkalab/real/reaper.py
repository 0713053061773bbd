"""Starts processes for a parent and kills them all as soon as the parent is gone, however it ended.

    python -I -S reaper.py RUN_FOLDER

It is a script of its own that needs only Python, so that it starts in a moment. The parent holds
the other end of its standard input. When the parent ends, by Ctrl-C, a crash or `kill -9`, the
kernel closes that end. The reaper reads the end of its input, kills what it started, deletes the
folder and ends. A forked child of the parent may hold the input open as well, so the reaper also
looks whether its parent is still the one that it began with.

One line of JSON is an order, and the reaper answers each with one:

    {"do": "start", "name": "broker-1", "args": [...], "out": "/path/file"}  {"pid": 17}
    {"do": "signal", "name": "broker-1", "number": 19}                       {"sent": true}
    {"do": "look", "name": "broker-1"}                                       {"code": null}

Two walls stand behind the reaper, for the case that it is killed itself. On Linux the kernel kills
its children then (prctl PR_SET_PDEATHSIG). Elsewhere the next lab kills what is left, by the file
`processes` in the folder. A lock on the file `lock` says that the reaper lives.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

LOOK_EVERY_S = 0.25
PR_SET_PDEATHSIG = 1
END = "end"
"""A file of this name in the folder asks the reaper to end: `python -m kafkalab real down`."""


def main(folder: Path) -> None:
    """Obey orders until the parent is gone, then leave nothing behind."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent; its end is ours
    parent = os.getppid()
    lock = open(folder / "lock", "w", encoding="utf-8")
    fcntl.flock(lock, fcntl.LOCK_EX)
    children: dict[str, subprocess.Popen[bytes]] = {}
    try:
        _obey(folder, parent, children)
    finally:
        for child in children.values():
            with contextlib.suppress(OSError):
                child.kill()
        for child in children.values():
            child.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _obey(folder: Path, parent: int, children: dict[str, subprocess.Popen[bytes]]) -> None:
    waiting = b""
    while os.getppid() == parent and not (folder / END).exists():
        ready, _, _ = select.select([0], [], [], LOOK_EVERY_S)
        if not ready:
            continue
        got = os.read(0, 1 << 16)
        if not got:
            return
        waiting += got
        *orders, waiting = waiting.split(b"\n")
        for order in orders:
            answer = json.dumps(_answer(json.loads(order), folder, children)) + "\n"
            try:
                os.write(1, answer.encode())
            except OSError:
                return


def _answer(
    order: dict[str, Any], folder: Path, children: dict[str, subprocess.Popen[bytes]]
) -> dict[str, Any]:
    name = order["name"]
    if order["do"] == "start":
        try:
            children[name] = child = _start(order)
        except OSError as error:
            return {"error": f"{order['args'][0]} cannot be started: {error}"}
        with open(folder / "processes", "a", encoding="utf-8") as file:
            file.write(f"{child.pid}\n")
        return {"pid": child.pid}
    if name not in children:
        return {"error": f"nothing of the name {name!r} was started"}
    code = children[name].poll()
    if order["do"] == "look":
        return {"code": code}
    if code is None:
        children[name].send_signal(order["number"])
    return {"sent": code is None}


def _start(order: dict[str, Any]) -> subprocess.Popen[bytes]:
    """Start one process. Its input stays open for as long as the reaper lives."""
    reaper = os.getpid()
    libc = ctypes.CDLL(None)

    def bind_to_reaper() -> None:
        if hasattr(libc, "prctl"):
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != reaper:  # it died before the kernel was told
                os._exit(1)

    with open(order["out"], "ab") as out:
        return subprocess.Popen(
            order["args"],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=bind_to_reaper,
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
