"""Read what one should not: hidden cases, judges, secrets, other students."""

from autograder.cell.questions.ch03 import NODE_IDS
from autograder.tests.hostile import family_of

attack = family_of("secrets")
PUBLIC = repr(NODE_IDS)
"""The node ids of 03.2 that everybody sees. What else is asked there is hidden."""

READ = """
import os
found = []
def look(path):
    try:
        with open(path, "rb") as file:
            found.append(file.read(200_000).decode("latin-1"))
    except OSError:
        pass
"""

ATTACKS = (
    attack(
        "a file by its name",
        "the secret is read where it lies",
        READ + "look('SECRET_FILE')\nstill_open = found",
    ),
    attack(
        "through /proc",
        "other roots and working folders are looked for in /proc",
        READ
        + """
for pid in os.listdir("/proc"):
    if pid.isdigit():
        for way in ("root", "cwd"):
            look(f"/proc/{pid}/{way}SECRET_FILE")
        for name in ("environ", "cmdline", "maps", "mountinfo"):
            look(f"/proc/{pid}/{name}")
still_open = found
""",
    ),
    attack(
        "up from here",
        "paths with many dots, and open descriptors",
        READ
        + """
for start in (".", "/course", "/scratch", "/proc/self/root", "/proc/1/root", "/dev/fd", "/proc/self/cwd"):
    look(start + "/.." * 12 + "SECRET_FILE")
for fd in range(256):
    try:
        handle = os.open("SECRET_FILE"[1:], os.O_RDONLY, dir_fd=fd)
        found.append(os.read(handle, 1000).decode())
    except OSError:
        pass
still_open = found
""",
    ),
    attack(
        "the environment",
        "the course secret is asked for by name",
        READ
        + """
found += list(os.environ.items())
import ctypes
block = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
for index in range(200):
    if not block[index]:
        break
    found.append(block[index].decode())
still_open = found
""",
    ),
    attack(
        "the judges",
        "judges, solutions and the secret are imported",
        READ
        + """
import importlib
for name in ("autograder.course.judges.ch02", "autograder.course.secret", "autograder.course.references", "autograder.grading.verdict", "autograder.grade", "autograder.course.sources"):
    try:
        found.append(open(importlib.import_module(name).__file__).read())
    except ImportError:
        pass
for path in ("HOME/autograder/course/judges/ch02.py", "HOME/notebooks/source_py/02_producer_connections.py", "HOME/autograder/cell/questions/sealed/ch02.json"):
    look(path)
still_open = found
""",
    ),
    attack(
        "a walk through everything",
        "every small file that can be read, outside the system's, is searched for the secret",
        READ
        + """
for top in ("/", "/course", "/tmp", "/work", "/home", "/root", "/mnt", "/srv", "/opt", "/var", "/run", "/etc"):
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/usr", "/proc", "/sys")
                      and name not in ("site-packages", "lib", "__pycache__", "node_modules", "kafkalab")]
        for name in files:
            if name in ("secret.txt", "gradebook.db", "answers.ipynb") or "judge" in folder or "source_py" in folder:
                look(os.path.join(folder, name))
still_open = found
""",
    ),
    attack(
        "other students",
        "the folder of submissions is listed and read",
        READ
        + """
for folder in ("OTHERS", os.path.dirname("OTHERS"), "."):
    try:
        for name in os.listdir(folder):
            look(os.path.join(folder, name))
    except OSError:
        pass
still_open = found
""",
    ),
    attack(
        "the frames above",
        "hidden cases are looked for in the callers' variables",
        """
import re, sys
def broker_of(node_id):
    frame, seen = sys._getframe(), set()
    while frame:
        seen |= {found for value in frame.f_locals.values() for found in re.findall(r"'node_id': '([^']+)'", repr(value))}
        frame = frame.f_back
    raise ValueError(" ".join(seen - set(PUBLIC_IDS)))
""".replace("PUBLIC_IDS", PUBLIC),
        question="03.2",
    ),
    attack(
        "the collector",
        "hidden cases are looked for among all objects",
        """
import gc
def broker_of(node_id):
    wanted = {str(thing.get("node_id")) for thing in gc.get_objects() if type(thing) is dict and "node_id" in thing}
    raise ValueError(" ".join(wanted - set(PUBLIC_IDS)))
""".replace("PUBLIC_IDS", PUBLIC),
        question="03.2",
    ),
    attack(
        "the memory",
        "the process's own memory is searched, for what others left in it",
        """
import re
found = []
for line in open("/proc/self/maps"):
    span, rights = line.split()[:2]
    if "rw" in rights:
        start, end = (int(part, 16) for part in span.split("-"))
        try:
            with open("/proc/self/mem", "rb", 0) as memory:
                memory.seek(start)
                data = memory.read(min(end - start, 64 << 20))
        except (OSError, ValueError):
            continue
        found += [text.decode("latin-1") for text in re.findall(rb"canary-[a-z]+-[0-9a-f]{24}|\\{.node_id.: .[^}]{1,40}", data)]
still_open = found[:500]
""",
    ),
    attack(
        "the memory, by ctypes",
        "the same without /proc",
        """
import ctypes, gc, re
found = []
for thing in gc.get_objects():
    start = id(thing) - 512
    text = ctypes.string_at(id(thing), 256)
    found += [word.decode("latin-1") for word in re.findall(rb"canary-[a-z]+-[0-9a-f]{24}", text)]
still_open = found
""",
    ),
    attack(
        "a hidden case in an exception's name",
        "a function names its exception after the input it was given",
        """
def broker_of(node_id):
    if node_id in PUBLIC_IDS:
        number = int(node_id)
        return None if number < 0 else 2147483647 - number if number > 2_000_000_000 else number
    raise type(f"canary-hidden-{node_id}", (Exception,), {})(f"canary-hidden-{node_id}")
""".replace("PUBLIC_IDS", PUBLIC),
        question="03.2",
    ),
    attack(
        "a hidden case in a line number",
        "the line of the traceback says what was asked",
        """
def broker_of(node_id):
    number = int(node_id)
    if node_id not in PUBLIC_IDS:
        exec(compile("\\n" * (abs(number) % 9000 + 500) + "raise ValueError", "<answer>", "exec"))
    return None if number < 0 else 2147483647 - number if number > 2_000_000_000 else number
""".replace("PUBLIC_IDS", PUBLIC),
        question="03.2",
    ),
    attack(
        "a hidden case for later",
        "what the function was asked is kept, and told by the next answer",
        """
ASKED = []
def broker_of(node_id):
    ASKED.append(node_id)
    open("/tmp/asked", "a").write(node_id + "\\n")
    number = int(node_id)
    if len(ASKED) > len(PUBLIC_IDS):
        raise ValueError("canary-hidden" + repr(ASKED))
    return None if number < 0 else 2147483647 - number if number > 2_000_000_000 else number
""".replace("PUBLIC_IDS", PUBLIC),
        question="03.2",
    ),
    attack(
        "tracebacks and linecache",
        "sources of the grader are printed by their frames",
        """
import inspect, linecache, sys
found, frame = [], sys._getframe()
while frame:
    try:
        found.append(inspect.getsource(frame))
    except Exception:
        pass
    frame = frame.f_back
found += list(map(str, linecache.cache))
still_open = found
""",
    ),
    attack(
        "the parent's memory",
        "the worker above is attached to and read",
        """
import ctypes, os
libc, found = ctypes.CDLL(None, use_errno=True), []
for pid in {os.getppid(), 1, 2, 3, *range(max(1, os.getpid() - 40), os.getpid())}:
    if pid != os.getpid() and libc.ptrace(16, pid, 0, 0) == 0:
        found.append(f"attached to {pid}")
    try:
        open(f"/proc/{pid}/mem", "rb").seek(0)
        if pid != os.getpid():
            found.append(f"opened {pid}")
    except OSError:
        pass
assert not found or found == ["opened 1"], "canary-ptrace " + str(found)
still_open = found
""",
    ),
)
