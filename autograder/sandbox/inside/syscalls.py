"""Which system calls an answer may not make.

Namespaces hide the machine; they do not make the kernel smaller, and some doors have no namespace
at all: a socket of the family VSOCK leads from a virtual machine to its host, and a kernel keyring
outlives the process that filled it. So the learner's process gives up what no answer needs.
libseccomp, which nearly every Linux has, writes the filter; where it is missing the level still
holds by its namespaces, and `doctor` says what is not there.
"""

import ctypes
import errno

REFUSED = (
    # other processes
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "pidfd_getfd",
    "kcmp",
    "mount",
    "umount2",
    "pivot_root",
    "chroot",
    "open_tree",
    "move_mount",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "mount_setattr",
    # other views of the machine
    "unshare",
    "setns",
    "name_to_handle_at",
    "open_by_handle_at",
    # what outlives a submission
    "keyctl",
    "add_key",
    "request_key",
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "fanotify_init",
    # memory that is nobody's, which no limit counts
    "memfd_create",
    "memfd_secret",
    "shmget",
    "msgget",
    "kexec_load",
    "kexec_file_load",
    "init_module",
    "finit_module",
    "delete_module",
    "reboot",
    "swapon",
    "swapoff",
    "acct",
    "quotactl",
    "syslog",
    "settimeofday",
    "clock_settime",
    "clock_adjtime",
    "adjtimex",
    "vhangup",
    "lookup_dcookie",
)
# UNIX, INET, INET6, and NETLINK, by which a JVM counts its network cards
FAMILIES = (1, 2, 10, 16)
NEW_NAMESPACES = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)

ALLOW, ERRNO, EQUAL, AT_LEAST, MASKED = 0x7FFF0000, 0x00050000, 4, 5, 7


class _Compared(ctypes.Structure):
    """libseccomp's scmp_arg_cmp: argument number, comparison, and what with."""

    _fields_ = [
        ("argument", ctypes.c_uint),
        ("comparison", ctypes.c_uint),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    ]


class Filter:
    """The filter, made once by the worker.

    `close` puts it on this process and all it will start; it cannot be taken off.
    """

    def __init__(self):
        """OSError when this machine has no libseccomp."""
        self._library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
        self._library.seccomp_init.restype = ctypes.c_void_p
        self._context = ctypes.c_void_p(self._library.seccomp_init(ALLOW))
        for name in REFUSED:
            self._refuse(name, errno.EPERM)
        # its flags lie in memory, where no filter looks; libraries go back to clone
        self._refuse("clone3", errno.ENOSYS)
        for flag in NEW_NAMESPACES:
            self._refuse("clone", errno.EPERM, _Compared(0, MASKED, flag, flag))
        for family in set(range(64)) - set(FAMILIES):
            self._refuse("socket", errno.EAFNOSUPPORT, _Compared(0, EQUAL, family, 0))
        self._refuse("socket", errno.EAFNOSUPPORT, _Compared(0, AT_LEAST, 64, 0))

    def close(self) -> None:
        """OSError when the kernel takes no filters."""
        failed = self._library.seccomp_load(self._context)
        if failed:
            raise OSError(-failed, "the kernel takes no filter of system calls")

    def _refuse(self, name: str, number: int, *compared: _Compared) -> None:
        call = self._library.seccomp_syscall_resolve_name(name.encode())
        if call >= 0:  # other machines have other calls
            many = (_Compared * len(compared))(*compared)
            self._library.seccomp_rule_add_array(
                self._context, ctypes.c_uint32(ERRNO | number), call, len(compared), many
            )
