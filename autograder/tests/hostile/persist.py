"""Leave something behind, for the next submission or for oneself."""

from autograder.tests.hostile import family_of

attack = family_of("persist")

FIND = """
import os
found = []
for folder in ("/tmp", "/scratch", "/dev/shm", "/course", "/var/tmp", "/", os.path.expanduser("~"), "WATCHED"):
    for place, _, names in os.walk(folder) if folder != "/" else [("/", [], os.listdir("/"))]:
        for name in names:
            if "left" in name:
                found.append(open(os.path.join(place, name)).read())
still_open = found
"""
LEAVE = """
import os, sys
for folder in ("/tmp", "/scratch", "/dev/shm", "/course", "/course/autograder", "/course/autograder/sandbox", "/", "/var/tmp", "/usr", "/etc", sys.prefix, "WATCHED", "HOME"):
    try:
        with open(folder + "/left.txt", "w") as file:
            file.write("TOKEN")
    except OSError:
        pass
still_open = 0
"""

ATTACKS = (
    attack(
        "a file for the next",
        "a note in every folder that lets one write",
        LEAVE,
        then=FIND,
        tampers=False,
    ),
    attack(
        "a module for the next",
        "a pandas of one's own where imports look first",
        """
import os, sys
for folder in [*sys.path, "/course", "/course/autograder/__pycache__", "/scratch"]:
    for name in ("pandas.py", "sitecustomize.py", "autograder/cell/reply.py"):
        try:
            with open(os.path.join(folder, name), "w") as file:
                file.write("left = 'TOKEN'; raise SystemExit(0)")
        except OSError:
            pass
still_open = 0
""",
        then="import pandas\nstill_open = [getattr(pandas, 'left', 'none')]",
    ),
    attack(
        "the warm worker",
        "modules of the worker are changed for whoever comes next",
        """
import sys
import autograder.cell.reply, autograder.cell.data, json
json.left = autograder.cell.data.left = sys.left = "TOKEN"
autograder.cell.reply.ask = lambda *words: {"data": {"still_open": ["TOKEN"]}}
still_open = 0
""",
        then=(
            "import json, sys, autograder.cell.data\n"
            "still_open = [getattr(json, 'left', ''), getattr(sys, 'left', ''), "
            "getattr(autograder.cell.data, 'left', '')]"
        ),
    ),
    attack(
        "shared memory for the next",
        "a segment of System V with a known key",
        """
import ctypes
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
handle = libc.shmget(0x5EED, 4096, 0o1666)
place = libc.shmat(handle, None, 0) if handle >= 0 else None
if place and place != ctypes.c_void_p(-1).value:
    ctypes.memmove(place, b"TOKEN\\0", len("TOKEN") + 1)
still_open = 0
""",
        then="""
import ctypes
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
handle = libc.shmget(0x5EED, 0, 0)
still_open = [ctypes.string_at(libc.shmat(handle, None, 0)).decode("latin-1")] if handle >= 0 else ["none"]
""",
    ),
    attack(
        "a key for the next",
        "the kernel's keyring of this user",
        """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(248, b"user", b"left", b"TOKEN", len("TOKEN"), -4)
still_open = 0
""",
        then="""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
key = libc.syscall(249, b"user", b"left", None, -4)
room = ctypes.create_string_buffer(200)
still_open = [room.value.decode()] if key > 0 and libc.syscall(250, 11, key, room, 200) > 0 else ["none"]
""",
    ),
    attack(
        "a daemon for the next",
        "a process that waits and writes into the next one's pipe",
        """
import os, time
if os.fork() == 0:
    os.setsid()
    while True:
        time.sleep(0.01)
        for pid in os.listdir("/proc"):
            for fd in range(3, 16):
                try:
                    with open(f"/proc/{pid}/fd/{fd}", "wb", 0) as pipe:
                        pipe.write(b'{"question": "02.1", "replies": [{"data": {"still_open": ["TOKEN"]}}]}\\n')
                except OSError:
                    pass
still_open = 0
""",
        then="import time\ntime.sleep(0.3)\nstill_open = ['none']",
    ),
    attack(
        "a queue for the next",
        "a POSIX message queue, and a semaphore",
        """
import ctypes, os
rt = ctypes.CDLL(None, use_errno=True)
try:
    queue = rt.mq_open(b"/left", os.O_CREAT | os.O_RDWR, 0o666, None)
    rt.mq_send(queue, b"TOKEN", len("TOKEN"), 1)
except AttributeError:
    pass
still_open = 0
""",
        then="""
import ctypes, os
rt, room = ctypes.CDLL(None, use_errno=True), ctypes.create_string_buffer(8192)
try:
    queue = rt.mq_open(b"/left", os.O_RDONLY | os.O_NONBLOCK)
    still_open = [room.value.decode()] if queue >= 0 and rt.mq_receive(queue, room, 8192, None) > 0 else ["none"]
except AttributeError:
    still_open = ["none"]
""",
    ),
    attack(
        "files outside",
        "a folder that everybody may write in",
        """
import os
for way in ("WATCHED", "/proc/self/root/WATCHED", "/proc/1/root/WATCHED", "../../../../../../WATCHED"):
    for name in ("x.txt", "cron", ".bashrc"):
        try:
            with open(os.path.join(way, name), "w") as file:
                file.write("here")
        except OSError:
            pass
    try:
        os.symlink("/etc/passwd", way + "/link"); os.mkfifo(way + "/pipe"); os.remove(way + "/precious.txt")
    except OSError:
        pass
still_open = 0
""",
    ),
    attack(
        "the walls themselves",
        "mounts, namespaces and roots of one's own",
        """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for flags in (0x10000000, 0x10000000 | 0x20000, 0x20000, 0x40000000, 0x20000000):
    if os.fork() == 0:
        done = libc.unshare(flags)
        libc.mount(b"none", b"/", None, 16384 | 32 | 4096, None)
        libc.mount(b"/proc/1/root", b"/tmp", None, 4096, None)
        libc.umount2(b"/tmp", 2); libc.umount2(b"/scratch", 2); libc.umount2(b"/proc", 2)
        try:
            os.chroot("/proc/1/root")
        except OSError:
            pass
        try:
            open("WATCHED/out", "w").write("x")
        except OSError:
            pass
        os._exit(0)
    os.wait()
for name in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/self/oom_score_adj", "/sys/fs/cgroup/cgroup.procs"):
    try:
        open(name, "w").write("|/bin/sh WATCHED" if "core" in name else "0")
    except OSError:
        pass
still_open = 0
""",
    ),
    attack(
        "a picture for the next",
        "what matplotlib keeps, in files and in itself; the worker has imported it while it could "
        "write",
        """
import os
import matplotlib, matplotlib.font_manager
import matplotlib.pyplot as plt
for folder in (matplotlib.get_cachedir(), matplotlib.get_configdir(), "/scratch", "/tmp/matplotlib"):
    try:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "left.txt"), "w") as file:
            file.write("TOKEN")
    except OSError:
        pass
os.environ["LEFT"] = os.environ["MPLCONFIGDIR"] = matplotlib.rcParams["savefig.directory"] = "TOKEN"
plt.figure("TOKEN").savefig("left.png")
matplotlib.font_manager.fontManager.ttflist.insert(0, matplotlib.font_manager.FontEntry(name="TOKEN"))
still_open = 0
""",
        then="""
import os
import matplotlib, matplotlib.font_manager
import matplotlib.pyplot as plt
still_open = [dict(os.environ), matplotlib.rcParams["savefig.directory"], plt.get_figlabels(), matplotlib.font_manager.fontManager.ttflist[0].name]
for folder in (matplotlib.get_cachedir(), matplotlib.get_configdir(), "/scratch", "/tmp", "/tmp/matplotlib"):
    for place, _, names in os.walk(folder):
        for name in names:
            if "left" in name:
                still_open.append("canary-left " + os.path.join(place, name))
still_open = [str(each) for each in still_open]
""",
        tampers=False,
    ),
)
