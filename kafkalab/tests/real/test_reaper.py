"""Kills parents in every way and looks for what stays behind. No JVM is needed: the children
sleep."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from kafkalab.real import home, reaper
from kafkalab.real.keeper import Keeper, KeptProcessError, is_kept, kept_folders, sweep

NEVER_S = 600
"""What has not happened by then will not happen, however busy the machine is."""
PARENT = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
from kafkalab.real.home import new_run_folder
from kafkalab.real.keeper import Keeper
keeper = Keeper(new_run_folder())
pid = keeper.start("sleeper", ["sleep", "600"], keeper.folder / "out")
print(pid, keeper._reaper.pid, keeper.folder, flush=True)
time.sleep(600)
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv(home.VARIABLE, str(tmp_path / "real"))


@pytest.fixture
def parent():
    """A Python process that keeps a sleeping child: (process, child's id, reaper's id, folder)."""
    process = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    child, keeping, folder = process.stdout.readline().split()
    yield process, int(child), int(keeping), folder
    process.kill()
    process.wait()
    process.stdout.close()


def is_alive(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def gone(*pids):
    """Wait until these processes have ended; False where they never do."""
    until = time.monotonic() + NEVER_S
    while any(map(is_alive, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    return not any(map(is_alive, pids))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_survives_its_parent(parent, number):
    process, child, keeping, folder = parent
    assert is_alive(child) and is_kept(home.Path(folder))
    process.send_signal(number)
    assert gone(process.pid, child, keeping)
    assert not os.path.exists(folder)


def test_a_child_that_stands_still_dies_with_its_parent(parent):
    process, child, keeping, _ = parent
    os.kill(child, signal.SIGSTOP)
    process.kill()
    assert gone(child, keeping)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's end")
def test_children_die_with_the_reaper(parent):
    _, child, keeping, folder = parent
    os.kill(keeping, signal.SIGKILL)
    assert gone(child)
    assert os.path.exists(folder), "nobody was left to delete it"
    assert sweep(older_than_s=0) == [home.Path(folder)] and not os.path.exists(folder)


def test_what_a_killed_reaper_left_is_killed_by_its_folder_and_nothing_else(tmp_path):
    folder = home.new_run_folder()
    left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", str(folder)])
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        listed = f"{left.pid}\n{stranger.pid}\n"
        (folder / "processes").write_text(listed, encoding="utf-8")
        assert sweep(older_than_s=0) == [folder]
        assert left.wait(NEVER_S) == -signal.SIGKILL and stranger.poll() is None
    finally:
        for process in (left, stranger):
            process.kill()
            process.wait()


def test_a_young_folder_is_not_swept():
    folder = home.new_run_folder()
    assert sweep() == [] and folder.exists()


def test_orders_to_a_child():
    keeper = Keeper(home.new_run_folder())
    out = keeper.folder / "out"
    keeper.start("sleeper", ["sh", "-c", "while :; do echo here; sleep 0.02; done"], out)
    assert kept_folders() == [keeper.folder]
    until = time.monotonic() + NEVER_S
    while not out.stat().st_size and time.monotonic() < until:
        time.sleep(0.02)
    keeper.signal("sleeper", signal.SIGSTOP)
    time.sleep(0.2)
    stopped_at = out.stat().st_size
    time.sleep(0.3)
    assert out.stat().st_size == stopped_at > 0 and keeper.code("sleeper") is None
    keeper.signal("sleeper", signal.SIGCONT)
    while out.stat().st_size == stopped_at and time.monotonic() < until:
        time.sleep(0.02)
    assert out.stat().st_size > stopped_at
    keeper.kill("sleeper")
    assert keeper.code("sleeper") == -signal.SIGKILL
    assert keeper.signal("sleeper", signal.SIGTERM) is False
    with pytest.raises(KeptProcessError, match="cannot be started"):
        keeper.start("nobody", ["/no/such/program"], keeper.folder / "out")
    with pytest.raises(KeptProcessError, match="was started"):
        keeper.code("nobody else")
    keeper.close()
    keeper.close()
    assert not keeper.folder.exists() and kept_folders() == []
    with pytest.raises(KeptProcessError, match="make a new one"):
        keeper.code("sleeper")


def test_a_file_in_the_folder_ends_a_lab(parent):
    process, child, keeping, folder = parent
    (home.Path(folder) / reaper.END).touch()
    assert gone(child, keeping) and process.poll() is None
