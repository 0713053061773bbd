"""Notes, by Python's audit hooks, what a learner's code does that no answer needs.

The notes become signs for the teacher (signs.py).

Put into the learner's process by worker.py just before the cells run. A hook cannot be taken away
again from Python. It is no wall (what is asked is done), it is a witness: code that hides
`os.fork` behind three getattr is still heard when it forks. What a library does of its own accord
(an import, Spark's socket) is not told: the cell's own code must stand right behind it.
"""

import sys

CELL_FILE = "<answer"  # worker.py compiles cells as files of such names
MODULES = frozenset(
    (
        "atexit",
        "builtins",
        "ctypes",
        "fcntl",
        "ftplib",
        "gc",
        "importlib",
        "inspect",
        "linecache",
        "marshal",
        "mmap",
        "multiprocessing",
        "pickle",
        "posix",
        "pty",
        "resource",
        "signal",
        "smtplib",
        "socket",
        "subprocess",
        "urllib",
        "urllib.request",
    )
)
# Event -> (sign, whether the cell itself must be the caller; a library may stand between
# otherwise).
EVENTS = {
    "import": ("import", True),
    "open": ("open", False),
    "os.listdir": ("look", False),
    "os.scandir": ("look", False),
    "sys._getframe": ("frames", True),
    "sys._current_frames": ("frames", True),
    "gc.get_objects": ("objects", True),
    "gc.get_referrers": ("objects", True),
    "ctypes.dlopen": ("ctypes", False),
    "ctypes.string_at": ("ctypes", True),
    "ctypes.dlsym": ("ctypes", False),
    "os.fork": ("process", False),
    "os.forkpty": ("process", False),
    "os.exec": ("process", False),
    "os.posix_spawn": ("process", False),
    "os.system": ("process", False),
    "os.kill": ("process", False),
    "subprocess.Popen": ("process", False),
    "signal.pthread_kill": ("process", False),
    "socket.connect": ("wire", False),
    "socket.sendto": ("wire", False),
    "socket.bind": ("wire", False),
    "socket.getaddrinfo": ("wire", False),
    "exec": ("code", True),
    "sys.settrace": ("trace", True),
    "sys.setprofile": ("trace", True),
}
# all that a process may be heard doing
SIGNS = frozenset(sign for sign, _ in EVENTS.values())
ALLOWED = (
    "/course",
    "/scratch",
    "/tmp",
    "/usr",
    "/lib",
    "/dev/null",
    "/dev/urandom",
    sys.prefix,
    sys.base_prefix,
)
LIBRARIES = (
    "/pyspark/",
    "/py4j/",
    "/kafkalab/",
    "<frozen importlib",
    "/matplotlib/",
    "/joblib/",
    "/numpy/",
    "/pandas/",
)
DEEPEST = 30


def listen(tell) -> None:
    """From now on call tell(sign) once for each sign heard in this process."""
    told: set[str] = set()

    def hook(event, words):
        known = EVENTS.get(event)
        if known is None or known[0] in told:
            return
        sign, directly = known
        if event == "import" and words[0] not in MODULES:
            return
        if sign in ("open", "look") and not _is_outside(words[0]):
            return
        try:
            raise LookupError  # sys._getframe would be heard itself
        except LookupError as here:
            frame, depth = here.__traceback__.tb_frame.f_back, 0
        while frame is not None and depth < DEEPEST:
            name = frame.f_code.co_filename
            if name.startswith(CELL_FILE):
                if event == "exec" and not words[0].co_filename.startswith("<"):
                    return
                told.add(sign)
                tell(sign)
                return
            if (directly and not name.startswith("<frozen importlib")) or (
                event != "import" and any(each in name for each in LIBRARIES)
            ):
                return
            frame, depth = frame.f_back, depth + 1

    sys.addaudithook(hook)


def _is_outside(path) -> bool:
    """Whether a path leads where an answer has nothing to look for. Folders of some learner's own
    machine are not meant: code that names them fails, and that is all."""
    if type(path) is not str or not path.startswith("/") or path.startswith(ALLOWED):
        return type(path) is str and "../.." in path
    return path == "/" or (
        path.startswith(("/proc", "/etc", "/root", "/dev", "/sys", "/var", "/home/"))
        and "/notebooks" not in path
    )
