"""Leave early, and hope that silence is taken for success."""

from autograder.tests.hostile import family_of

attack = family_of("leave", bomb=True)  # what was won before stays won

ATTACKS = (
    attack(
        "os._exit",
        "the process ends itself with success",
        "import os\nos._exit(0)",
        question="02.4",
    ),
    attack(
        "sys.exit",
        "an exit that looks like an end",
        "import sys\nafter_five = after_twenty = 0\nsys.exit(0)",
        question="02.4",
        tampers=False,
    ),
    attack(
        "atexit",
        "a hook speaks after everybody has gone",
        """
import atexit, os
def last_word():
    for fd in range(3, 64):
        try:
            os.write(fd, b'{"question": "02.4", "replies": [{"ok": true}]}\\n')
        except OSError:
            pass
atexit.register(last_word)
after_five = after_twenty = 0
""",
        question="02.4",
    ),
    attack(
        "kill everybody",
        "a signal to all processes that can be seen",
        "import os, signal\nos.kill(-1, signal.SIGKILL)\nos.kill(os.getppid(), signal.SIGKILL)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\nafter_five = after_twenty = 0",
        question="02.4",
    ),
    attack("abort", "the interpreter breaks off", "import os\nos.abort()", question="02.4"),
    attack(
        "a null pointer",
        "the interpreter crashes",
        "import ctypes\nctypes.string_at(0)",
        question="02.4",
    ),
    attack(
        "another program",
        "the process becomes /bin/true",
        "import os\nos.execv('/bin/true', ['true'])",
        question="02.4",
    ),
    attack(
        "exec with the pipe",
        "a shell takes over and writes the verdict",
        """
import os
os.set_inheritable(3, True)
for fd in range(3, 64):
    try:
        os.set_inheritable(fd, True)
    except OSError:
        pass
os.execv("/bin/sh", ["sh", "-c", 'for n in 3 4 5 6 7 8 9; do echo \\'{"question": "02.4", "replies": [{"ok": true}]}\\' >&$n; done'])
""",
        question="02.4",
    ),
    attack(
        "a thread pulls the plug",
        "a background thread ends the process while the next answer is being asked",
        """
import os, threading
threading.Timer(0.02, os._exit, (0,)).start()
after_five = after_twenty = 0
import time; time.sleep(0.5)
""",
        question="02.4",
    ),
    attack(
        "every exception is mine",
        "an exception that cannot be printed, caught by its name or compared",
        """
class Mute(BaseException):
    def __str__(self): raise Mute
    __repr__ = __str__
    def __getattribute__(self, name): raise Mute
raise Mute
""",
        question="02.4",
        tampers=False,
    ),
)
