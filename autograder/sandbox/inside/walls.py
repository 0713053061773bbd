"""The walls around the learner's code: Linux namespaces, a root of its own, limits, no privileges.

Used by worker.py only, inside the worker process. Each function does one thing and raises OSError
where this machine does not allow it; the worker then says which level it reached. The calls are
libc's own, for the sandbox must not depend on a program that may be missing.
"""

import ctypes
import errno
import fcntl
import os
import resource
import signal
import socket
import struct
import sys
from contextlib import contextmanager
from pathlib import Path

NEWNS = 0x20000
NEWUTS = 0x4000000
NEWIPC = 0x8000000
NEWUSER = 0x10000000
NEWPID = 0x20000000
NEWNET = 0x40000000
MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_REMOUNT = 32
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 36, 38
NOBODY = 65534

# What Python, numpy, matplotlib and Java read of a system; everything else of this machine stays
# outside.
SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt/java",
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
    "/etc/localtime",
    "/etc/nsswitch.conf",
)
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")

_libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    """Leave the shared namespaces named by `flags`."""
    _call("unshare", _libc.unshare(flags))


def leave_the_machine() -> None:
    """Own mounts, processes, network, IPC and host name; as an ordinary user in a user namespace of
    one's own.

    A process namespace begins with the next child, so this returns in a child; the process that
    called waits for it and ends.
    """
    if not sys.platform.startswith("linux"):
        raise OSError(errno.ENOSYS, "namespaces are Linux's")
    common = NEWNS | NEWPID | NEWNET | NEWIPC | NEWUTS
    if os.geteuid() == 0:
        unshare(common)
    else:
        uid, gid = os.getuid(), os.getgid()
        unshare(common | NEWUSER)
        Path("/proc/self/setgroups").write_text("deny", encoding="utf-8")
        Path("/proc/self/uid_map").write_text(f"0 {uid} 1", encoding="utf-8")
        Path("/proc/self/gid_map").write_text(f"0 {gid} 1", encoding="utf-8")
    make_mounts_private()
    _loopback_up()
    # a JVM asks where it is, and must get an answer
    socket.sethostname("localhost")
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        os._exit(0)
    die_with_parent()


def make_mounts_private() -> None:
    """What is mounted here from now on is seen here only."""
    mount(None, "/", None, MS_REC | MS_PRIVATE)


def build_root(root: str, plan: list[tuple[str, str, str]]) -> None:
    """A file system with what `plan` says (see bubble.plan) and nothing else;
    then make it the root."""
    mount("tmpfs", root, "tmpfs", MS_NOSUID, "size=16m,mode=755")
    for inside, kind, outside in plan:
        if kind == "link":
            _make_parents(root, inside)
            os.symlink(outside, root + inside)
        elif kind == "hide":
            mount("tmpfs", root + inside, "tmpfs", MS_NOSUID | MS_RDONLY, "size=4k,mode=555")
        else:
            _bind(outside, root + inside, writable=False)
    for device in DEVICES:
        _bind(device, root + device, writable=True)
    # bash's <(...), with which Spark's own script starts its JVM
    os.symlink("/proc/self/fd", root + "/dev/fd")
    for folder in ("/proc", "/tmp", "/scratch", "/dev/shm"):
        os.makedirs(root + folder, exist_ok=True)
    os.chroot(root)
    os.chdir("/")
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV)
    # in a user namespace its owner is the learner, too
    mount(None, "/", None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID)


def fresh_folders(size_bytes: int) -> None:
    """For one submission: an own /proc, and /scratch, /tmp and /dev/shm in memory, empty, gone with
    the submission. All three together hold `size_bytes`. What the root shows below them, a Python
    installed under /tmp, is shown in the new ones as well."""
    shown = {
        place: os.open(place, os.O_PATH) for place in _shown_below(("/scratch", "/tmp", "/dev/shm"))
    }
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV)
    mount(
        "tmpfs",
        "/scratch",
        "tmpfs",
        MS_NOSUID | MS_NODEV,
        f"size={size_bytes},nr_inodes=50k,mode=755",
    )
    for name, folder in (("tmp", "/tmp"), ("shm", "/dev/shm"), ("scratch", "/scratch")):
        os.mkdir(f"/scratch/{name}")
        os.chmod(f"/scratch/{name}", 0o1777)
        mount(f"/scratch/{name}", folder, None, MS_BIND)
    for place, handle in shown.items():
        _make_parents("", place)
        os.mkdir(place) if os.path.isdir(f"/proc/self/fd/{handle}") else open(place, "xb").close()
        mount(f"/proc/self/fd/{handle}", place, None, MS_BIND | MS_REC)  # read only, as it was
        os.close(handle)


@contextmanager
def a_place_to_write(folder: str):
    """`folder` is one in memory for a while, and then again what it was; in a mount namespace of
    this process's own from here on."""
    unshare(NEWNS)
    mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, "size=64m,mode=700")
    try:
        yield folder
    finally:
        _call(f"umount {folder}", _libc.umount2(folder.encode(), MNT_DETACH))


def _shown_below(folders: tuple[str, ...]) -> list[str]:
    """What is mounted below these folders, without what is mounted in it again."""
    places = [
        line.split()[1].encode().decode("unicode_escape")
        for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    ]
    below = sorted(
        {place for place in places if place.startswith(tuple(folder + "/" for folder in folders))}
    )
    return [place for place in below if not any(place.startswith(outer + "/") for outer in below)]


def limit(
    cpu_seconds: int, memory_bytes: int | None, file_bytes: int, open_files: int, processes: int
) -> None:
    """Limits of this process and its children. `memory_bytes` None: address space is left alone (a
    JVM reserves more than it uses)."""
    limits = {
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_NOFILE: open_files,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NPROC: processes,
    }
    if memory_bytes is not None:
        limits[resource.RLIMIT_AS] = memory_bytes
    for what, most in limits.items():
        _, hard = resource.getrlimit(what)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(what, (most, most))
        except (ValueError, OSError):  # macOS knows RLIMIT_AS and refuses it
            continue


def drop_privileges(uid: int) -> None:
    """Become a user without rights until the end: no groups, capabilities, setuid programs."""
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    if os.geteuid() == 0:
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(uid, uid, uid)
        except OSError:  # a user namespace has one user only
            pass
    if sys.platform.startswith("linux"):
        _no_capabilities()
    _prctl(PR_SET_DUMPABLE, 0)


def close_all_but(kept: int) -> None:
    """Close every descriptor beyond the first three, apart from one."""
    os.closerange(3, kept)
    os.closerange(
        kept + 1,
        max(kept + 1, os.sysconf("SC_OPEN_MAX"))
        if not sys.platform.startswith("linux")
        else 1 << 20,
    )


def die_with_parent() -> None:
    """Be killed when the process above is gone."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def mount(source, target, kind, flags, data=None) -> None:
    """mount(2)."""
    encoded = [None if text is None else text.encode() for text in (source, target, kind, data)]
    _call(
        f"mount {target}",
        _libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3]),
    )


def _bind(outside: str, inside: str, writable: bool) -> None:
    _make_parents("", inside)
    if os.path.isdir(outside):
        os.makedirs(inside, exist_ok=True)
    else:
        open(inside, "ab").close()
    mount(outside, inside, None, MS_BIND | MS_REC)
    if not writable:
        # In a user namespace a remount must keep the flags the outside had.
        kept = os.statvfs(inside).f_flag & (MS_NOSUID | MS_NODEV | 8 | 1024 | 2048)
        mount(None, inside, None, MS_BIND | MS_REMOUNT | MS_RDONLY | kept)


def _make_parents(root: str, inside: str) -> None:
    os.makedirs(os.path.dirname(root + inside), mode=0o755, exist_ok=True)


def _loopback_up() -> None:
    """A network of one: 127.0.0.1 answers (Spark talks to itself), nothing else does."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        # SIOCSIFFLAGS, IFF_UP | IFF_RUNNING
        fcntl.ioctl(control, 0x8914, struct.pack("16sh14x", b"lo", 0x1 | 0x40))


def _no_capabilities() -> None:
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process
    _call("capset", _libc.capset(header, (ctypes.c_uint32 * 6)()))


def _prctl(option: int, value: int) -> None:
    """prctl(2), on systems that have it."""
    if sys.platform.startswith("linux"):
        _libc.prctl(option, value, 0, 0, 0)


def _call(what: str, result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
