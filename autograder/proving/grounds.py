"""What the red team lays out where no submission should get, and what it finds there afterwards.

Secrets in files and in the environment, other students' work, a folder that anybody may write in,
servers that count who calls, and the table of processes. Everything is in one temporary folder and
in this process, and gone with it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import socket
import tempfile
import threading
from pathlib import Path

import psutil

from autograder.cell.course_folder import HOME
from autograder.sandbox.outside.parent import Sandbox

# the users that sandbox.Worker and worker.py take when started as root
SANDBOX_USERS = {65534, *range(60_000, 65_000)}
# processes of a worker that waits: its walls' own, and itself
STANDING = {"L3": 3, "L2": 2, "L1": 1}


class Grounds:
    """Use it in a `with`. `words` are the names that an attack's
    source may use (see tests/hostile)."""

    def __enter__(self) -> Grounds:
        self.folder = Path(tempfile.mkdtemp(prefix="grounds-"))
        self.folder.chmod(0o755)
        self.canaries = {
            name: f"canary-{name}-{secrets.token_hex(12)}"
            for name in ("file", "course", "other", "left")
        }
        self.watched = self.folder / "watched"
        self._lay_out()
        self._environment = os.environ.get("AUTOGRADER_SECRET")
        os.environ["AUTOGRADER_SECRET"] = self.canaries["course"]
        self.packets: list[str] = []
        self._wires = self._listen()
        self.words = {
            "SECRET_FILE": str(self.folder / "secret.txt"),
            "WATCHED": str(self.watched),
            "OTHERS": str(self.folder / "others"),
            "HOME": str(HOME),
            "PORT": str(self._port),
            "UDP": str(self._udp),
            "UNIX": str(self.folder / "socket"),
            "ABSTRACT": self._abstract,
            "HOST": _own_address(),
            "TOKEN": self.canaries["left"],
        }
        self._before = self._state()
        self._began = psutil.Process().create_time(), {each.pid for each in psutil.process_iter()}
        return self

    def __exit__(self, *exception):
        for wire in self._wires:
            wire.close()
        if self._environment is None:
            os.environ.pop("AUTOGRADER_SECRET", None)
        else:
            os.environ["AUTOGRADER_SECRET"] = self._environment
        shutil.rmtree(self.folder, ignore_errors=True)

    def filled_in(self, source: str) -> str:
        """An attack's source with the names in it replaced by what they stand for."""
        return re.sub(rf"\b({'|'.join(self.words)})\b", lambda found: self.words[found[0]], source)

    def canaries_in(self, said, but: tuple[str, ...] = ()) -> list[str]:
        """The canaries that can be read in plain data; an attack may also report an open
        door as canary-NAME."""
        text = said if isinstance(said, str) else json.dumps(said)
        return sorted({name for name in re.findall(r"canary-([a-z]+)", text) if name not in but})

    def files_outside(self) -> list[str]:
        """What was written, changed or removed outside the sandbox since the last look.
        Puts it back."""
        after = self._state()
        changed = sorted(
            name
            for name in self._before.keys() | after.keys()
            if self._before.get(name) != after.get(name)
        )
        for name in changed:
            path = Path(name)
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        if changed:
            self._lay_out()
        return changed

    def packets_seen(self) -> list[str]:
        """Who called since the last look."""
        seen = self.packets[:]
        del self.packets[: len(seen)]
        return seen

    def processes_left(self, sandbox: Sandbox) -> list[str]:
        """What still runs, of the sandbox's, beside the workers
        that wait for the next submission."""
        workers = {}
        for worker in sandbox.workers():
            try:
                family = psutil.Process(worker.pid)
                workers[worker.pid] = [family, *family.children(recursive=True)]
            except psutil.NoSuchProcess:
                continue
        left = [each for family in workers.values() for each in family[STANDING[sandbox.level] :]]
        known = {each.pid for family in workers.values() for each in family} | self._began[1]
        for each in psutil.process_iter():
            try:
                if each.pid in known or each.status() == psutil.STATUS_ZOMBIE:
                    continue
                ours = each.uids().real in SANDBOX_USERS and sandbox.uids & {
                    each.uids().real,
                    65534,
                }
                if ours or sandbox.folder.name in " ".join(each.cmdline()):
                    left.append(each)
            except psutil.Error:
                continue
        return sorted({words for each in left if (words := _called(each)) is not None})

    def _lay_out(self) -> None:
        (self.folder / "secret.txt").write_text(self.canaries["file"], encoding="ascii")
        self.watched.mkdir(exist_ok=True)
        (self.watched / "precious.txt").write_text("precious", encoding="ascii")
        self.watched.chmod(0o777)
        (self.folder / "others").mkdir(exist_ok=True)
        (self.folder / "others" / "answers.ipynb").write_text(
            json.dumps({"cells": [self.canaries["other"]]}), encoding="ascii"
        )

    def _state(self) -> dict[str, str]:
        """Every file that an attack could leave, with a digest of it."""
        found = {}
        for path in [self.watched, *sorted(self.watched.rglob("*"))]:
            found[str(path)] = (
                "folder" if path.is_dir() and not path.is_symlink() else _digest(path)
            )
        homes = () if os.name == "nt" else (os.path.expanduser("~"),)
        for place in (
            "/tmp",
            "/tmp/matplotlib",
            "/var/tmp",
            "/dev/shm",
            "/",
            "/usr",
            "/etc",
            str(HOME),
            *homes,
        ):
            for name in ("left.txt", "asked", "mallory.ipynb"):
                path = Path(place, name)
                if os.path.lexists(path):
                    found[str(path)] = _digest(path)
        return found

    def _listen(self) -> list[socket.socket]:
        """Servers on every address of this machine, and in files; each call is noted."""
        tcp = socket.create_server(("", 0))
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("", 0))
        self._port, self._udp = tcp.getsockname()[1], udp.getsockname()[1]
        self._abstract = f"grounds-{secrets.token_hex(8)}"
        wires = [tcp, udp]
        for address in (str(self.folder / "socket"), "\0" + self._abstract):
            try:
                wires.append(socket.socket(socket.AF_UNIX))
                wires[-1].bind(address)
                wires[-1].listen()
            except (AttributeError, OSError):  # the abstract space is Linux's
                continue
        (self.folder / "socket").exists() and os.chmod(self.folder / "socket", 0o777)
        for wire in wires:
            threading.Thread(target=self._note, args=(wire,), daemon=True).start()
        return wires

    def _note(self, wire: socket.socket) -> None:
        while True:
            try:
                if wire.type == socket.SOCK_DGRAM:
                    self.packets.append(f"UDP {wire.recvfrom(100)[0][:20]!r}")
                else:
                    wire.accept()[0].close()
                    self.packets.append("TCP" if wire.family == socket.AF_INET else "UNIX")
            except OSError:
                return


def _digest(path: Path) -> str:
    try:
        return (
            os.readlink(path)
            if path.is_symlink()
            else hashlib.sha256(path.read_bytes()).hexdigest()
            if path.is_file()
            else "special"
        )
    except OSError:
        return "unreadable"


def _own_address() -> str:
    """This machine's address on its network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as wire:
        try:
            wire.connect(("192.0.2.1", 9))
            return wire.getsockname()[0]
        except OSError:
            return "127.0.0.1"


def _called(process: psutil.Process) -> str | None:
    """Its number and its command; None for one that has ended by now: it was not left behind."""
    try:
        return f"{process.pid} {' '.join(process.cmdline())[:60]}"
    except psutil.NoSuchProcess:
        return None
    except psutil.Error:
        return f"{process.pid} (not to be seen)"
