"""Use more than there is: each ends within its limit, and what was won before it stays won."""

from autograder.tests.hostile import family_of

attack = family_of("resources", tampers=False, bomb=True)

LAST = "after_five = after_twenty = 0"

ATTACKS = (
    attack(
        "a loop that cannot be interrupted",
        "every exception is swallowed, every signal ignored",
        """
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
""",
        question="02.4",
    ),
    attack("a plain loop", "while True", "while True:\n    pass", question="02.4"),
    attack(
        "a loop in C",
        "one call that takes a century and looks at no signal",
        "9 ** 9 ** 9 ** 2 % 10\n" + LAST,
        question="02.4",
    ),
    attack(
        "a regular expression",
        "a pattern that backtracks for ever",
        "import re\nre.match(r'(a|a?)+$', 'a' * 64 + 'b')\n" + LAST,
        question="02.4",
    ),
    attack(
        "the fork bomb",
        "each child makes two",
        """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
""",
        question="02.4",
    ),
    attack(
        "a polite fork bomb",
        "children are waited for by nobody and sleep",
        """
import os, time
for _ in range(10_000):
    try:
        if os.fork() == 0:
            time.sleep(600)
    except OSError:
        break
time.sleep(600)
""",
        question="02.4",
    ),
    attack(
        "20 GB at once",
        "one list of everything",
        "everything = bytearray(20 << 30)\n" + LAST,
        question="02.4",
    ),
    attack(
        "memory, page by page",
        "small pieces, in a loop that swallows MemoryError",
        """
kept = []
while True:
    try:
        kept.append(bytearray(8 << 20))
    except MemoryError:
        import time; time.sleep(0.01)
""",
        question="02.4",
    ),
    attack(
        "memory of many",
        "sixty children, each with its own gigabyte",
        """
import os, time
for _ in range(40):
    try:
        if os.fork() == 0:
            kept = []
            while True:
                kept.append(b"x" * (16 << 20))
    except (OSError, MemoryError):
        time.sleep(0.01)
time.sleep(600)
""",
        question="02.4",
    ),
    attack(
        "memory behind a murmur",
        "one byte a moment keeps the listener busy, while children fill the memory",
        """
import os, threading, time
def murmur():
    while True:
        for fd in range(3, 10):
            try:
                os.write(fd, b"\\n")
            except OSError:
                pass
        time.sleep(0.002)
threading.Thread(target=murmur, daemon=True).start()
for _ in range(12):
    if os.fork() == 0:
        kept = []
        while len(kept) < 40:
            kept.append(b"x" * (16 << 20))
        time.sleep(600)
time.sleep(600)
""",
        question="02.4",
    ),
    attack(
        "1 GB of print",
        "lines without end",
        "line = 'x' * (1 << 20)\nfor _ in range(1024):\n    print(line)\n" + LAST,
        question="02.4",
    ),
    attack(
        "1 GB of answer",
        "an answer longer than anybody reads",
        "after_five = dict.fromkeys('ABC', 'x' * (1 << 30))\n"
        "after_twenty = dict.fromkeys('ABC', 0)",
        question="02.4",
    ),
    attack(
        "a pipe full of noise",
        "everything open is filled",
        """
import os
while True:
    for fd in range(3, 64):
        try:
            os.write(fd, b"x" * 65536 + b"\\n")
        except OSError:
            pass
""",
        question="02.4",
    ),
    attack(
        "sleeping threads",
        "hundreds of threads that wait",
        """
import threading, time
for _ in range(2_000):
    threading.Thread(target=time.sleep, args=(600,)).start()
time.sleep(600)
""",
        question="02.4",
    ),
    attack(
        "a daemon",
        "forked twice, in a session of its own, deaf to signals",
        """
import os, signal, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(1, 32):
            try:
                signal.signal(number, signal.SIG_IGN)
            except OSError:
                pass
        while True:
            time.sleep(1)
    os._exit(0)
"""
        + LAST,
        question="02.4",
    ),
    attack(
        "a daemon by another name",
        "a program that stays, started by a shell",
        "import subprocess\nsubprocess.Popen(['sh', '-c', 'setsid nohup sleep 4321 &'])\n" + LAST,
        question="02.4",
    ),
    attack(
        "a sparse file of 1 TB",
        "one byte, far out",
        "with open('/scratch/big', 'wb') as file:\n    file.seek(1 << 40)\n    file.write(b'x')\n"
        + LAST,
        question="02.4",
    ),
    attack(
        "/dev/shm",
        "memory by way of files",
        """
import os
for number in range(10_000):
    with open(f"/dev/shm/{number}", "wb") as file:
        file.write(b"x" * (32 << 20))
"""
        + LAST,
        question="02.4",
    ),
    attack(
        "a million files",
        "names, not bytes",
        "for number in range(1_000_000):\n    open(f'/tmp/{number}', 'w').close()\n" + LAST,
        question="02.4",
    ),
    attack(
        "a huge repr",
        "an object that prints a gigabyte",
        "class Big:\n    def __repr__(self):\n        return 'x' * (1 << 30)\n"
        "    __str__ = __repr__\n"
        "class Loud(Exception):\n    def __str__(self):\n        return 'y' * (1 << 30)\n"
        "after_five, after_twenty = Big(), Big()\nraise Loud",
        question="02.4",
    ),
    attack(
        "deep recursion",
        "a function of a function of a function",
        "import sys\nsys.setrecursionlimit(10**9)\ndef f():\n    return f()\nf()\n" + LAST,
        question="02.4",
    ),
    attack(
        "a number with a billion digits",
        "to be turned into text",
        "import sys\nsys.set_int_max_str_digits(0)\nstr(1 << (1 << 28))\n" + LAST,
        question="02.4",
    ),
    attack(
        "a long number as the answer",
        "more digits than JSON's readers take",
        "after_five = 10 ** 100_000\nafter_twenty = -10 ** 5_000",
        question="02.4",
    ),
    attack(
        "deep data",
        "a list in a list in a list",
        "deep = []\nfor _ in range(100_000):\n    deep = [deep]\n"
        "after_five, after_twenty = dict.fromkeys('ABC', deep), dict.fromkeys('ABC', 0)",
        question="02.4",
    ),
    attack(
        "descriptors",
        "every file is opened that can be",
        "kept = []\nwhile True:\n    kept.append(open('/dev/null'))\n",
        question="02.4",
    ),
    attack(
        "watches and timers",
        "inotify, eventfd, timerfd, pipes",
        """
import ctypes, os
libc = ctypes.CDLL(None)
for _ in range(100_000):
    if libc.inotify_init() < 0 or libc.eventfd(0, 0) < 0:
        break
kept = [os.pipe() for _ in range(10_000)]
""",
        question="02.4",
    ),
    attack(
        "shared memory of System V",
        "segments that outlive who made them",
        """
import ctypes
libc = ctypes.CDLL(None)
for _ in range(10_000):
    if libc.shmget(0, 1 << 24, 0o1666) < 0:
        break
"""
        + LAST,
        question="02.4",
    ),
    attack(
        "files in memory",
        "files of no folder, which no process's size shows and no folder's limit",
        """
import os
held = []
while len(held) < 400:
    held.append(os.memfd_create("held"))
    for _ in range(15):
        os.write(held[-1], bytes(1 << 20))
"""
        + LAST,
        question="02.4",
    ),
)
