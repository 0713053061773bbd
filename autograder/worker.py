"""The warm worker: a process inside the walls that forks once per submission.

It is started by sandbox.py with nothing but a *view* of the learner's side of the course: no judges, no solutions, no
secret, no gradebook, no other submission. It imports what answers usually need once; a fork of it then costs milliseconds
where a new interpreter costs a second. Jobs come as one line of JSON on stdin, results go as one line on stdout.

Three processes have three duties. The worker reads jobs. A *keeper*, forked per job, makes a process namespace and holds the
clock. The *learner's process*, forked by the keeper, drops every privilege, runs the cells and writes replies (asking.py) into
a pipe after each answer, so that what was said before a crash still counts. It may write what it likes into that pipe: a
reply is data for a judge elsewhere, never a verdict.
"""
import json
import os
import select
import signal
import sys
import time

MOST_REPLY_BYTES = 4_000_000       # of one submission, all replies together
CELL_FILE = "<answer>"


def main(setup: dict) -> None:
    """Enter the walls, warm up, say which level was reached, then serve jobs until stdin ends."""
    from walls import build_root, die_with_parent, leave_the_machine     # the worker's own folder is on sys.path only until here

    die_with_parent()
    level, why = "L1", setup.get("why", "")
    if setup["level"] != "L1":
        try:
            leave_the_machine()
            build_root(setup["root"], setup["readable"], setup["uid"])
            level = "L2"
        except OSError as refused:
            why = f"{refused.strerror}"
    inside = "/course" if level == "L2" else setup["view"]
    os.chdir(inside)
    sys.path[:] = [inside] + [path for path in sys.path if path not in setup["hide"]]
    # An editable install would lead back to the repository through a finder of its own.
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder).lower()]
    _warm(setup["warm"])
    print(json.dumps({"level": level, "why": why}), flush=True)
    for line in sys.stdin:
        print(json.dumps(_keep(json.loads(line), setup, level)), flush=True)


def _warm(modules: list[str]) -> None:
    import importlib

    for module in modules:
        try:
            importlib.import_module(module)
        except Exception:                                # whatever an answer really needs will say so itself
            continue


def _keep(job: dict, setup: dict, level: str) -> dict:
    """Run one job in a keeper and collect what it says; a keeper that dies is an end like any other."""
    mouth, ear = os.pipe()
    started = time.monotonic()
    keeper = os.fork()
    if keeper == 0:
        os.close(mouth)
        try:
            _as_keeper(job, setup, level, ear)
        except BaseException as error:
            _write(ear, {"ended": f"the sandbox failed: {type(error).__name__}: {error}"})
        finally:
            os._exit(0)
    os.close(ear)
    lines = _read_lines(mouth, deadline=started + job["seconds"] + 10)
    os.close(mouth)
    _kill(keeper)
    os.waitpid(keeper, 0)
    replies, ended = {}, "the sandbox said nothing"
    for line in lines:
        ended = line.get("ended", ended) if "question" not in line else ended
        if "question" in line:
            replies.setdefault(str(line["question"]), line.get("replies"))
    return {"replies": replies, "ended": ended, "seconds": round(time.monotonic() - started, 3), "level": level}


def _as_keeper(job, setup, level, ear) -> None:
    """Make the process namespace, fork the learner's process into it, pass on its lines, hold the clock, leave nobody behind."""
    from walls import NEWNS, NEWPID, adopt_orphans, die_with_parent, unshare

    die_with_parent()
    adopt_orphans()
    os.setsid()
    if level != "L1":
        unshare(NEWPID | NEWNS)
    mouth, pen = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(mouth)
        os.close(ear)
        try:
            _as_learner(job, setup, level, pen)
        except BaseException as error:
            _write(pen, {"end": f"the sandbox failed: {type(error).__name__}: {error}"})
        finally:
            os._exit(0)
    os.close(pen)
    lines, ended = [], None
    deadline = time.monotonic() + job["seconds"]
    for line in _iterate_lines(mouth, deadline):
        if line is _TOO_LONG:
            ended = "the answers are too long"
            break
        if line is _LATE:
            ended = "the time was up"
            break
        if isinstance(line, dict) and isinstance(line.get("question"), str) and isinstance(line.get("replies"), list):
            lines.append({"question": line["question"], "replies": line["replies"]})
        elif isinstance(line, dict) and str(line.get("end")).startswith(("all cells have run", "the sandbox failed")):
            ended = str(line["end"])[:300]
            break                                        # whoever still holds the pipe open has nothing more to say
    _kill(child)                                         # in a process namespace this takes everybody else with it
    _, status = os.waitpid(child, 0)
    if level == "L1":
        _kill_orphans()
    if ended is None:
        ended = _how_it_died(status)
    for line in lines:
        _write(ear, line)
    _write(ear, {"ended": ended})


def _as_learner(job, setup, level, pen) -> None:
    """Drop everything, run the cells, write the replies."""
    from walls import NOBODY, die_with_parent, drop_privileges, fresh_folders, limit

    die_with_parent()
    if level != "L1":
        fresh_folders(setup["scratch_bytes"])
        os.chdir("/scratch")
    else:
        scratch = os.path.join(setup["scratch"], str(os.getpid()))
        os.mkdir(scratch)
        os.chmod(scratch, 0o777)
        os.chdir(scratch)
    limit(job["seconds"] + 5, job["memory_bytes"], setup["file_bytes"], job["processes"])
    drop_privileges(setup["uid"] if level != "L1" else NOBODY)     # L1 has the machine's own list of users
    nowhere = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):                                 # the worker's own pipes are out of reach from here on
        os.dup2(nowhere, fd)
    sys.stdin, sys.stdout, sys.stderr = (open(fd, mode, buffering=1, encoding="utf-8") for fd, mode in ((0, "r"), (1, "w"), (2, "w")))
    os.environ.clear()
    os.environ.update(HOME=os.getcwd(), TMPDIR=os.getcwd(), PATH="/usr/local/bin:/usr/bin:/bin", **setup["environment"])
    if level != "L1":
        os.environ.update(HOME="/scratch", TMPDIR="/tmp")
    _run_cells(job, pen)


class _TimeUp(BaseException):
    """A cell ran longer than it may. Not an Exception, so that `except Exception` in a loop does not swallow it."""


def _run_cells(job, pen) -> None:
    from autograder import questions, variants
    from autograder.asking import ask

    def time_up(signum, frame):
        raise _TimeUp

    signal.signal(signal.SIGALRM, time_up)
    module = type(sys)("__main__")
    sys.modules["__main__"] = module                     # what answers pickle or inspect is a notebook's, not the worker's
    namespace = module.__dict__
    namespace.update(get_ipython=_Nowhere, display=lambda *things, **options: None)
    with variants.pretending(job["numbers"]):
        for step in job["steps"]:
            broken = _within(job["cell_seconds"], lambda: _run_cell(step["source"], namespace))
            if step["question"] is None:
                continue
            replies = []
            for case in step["cases"]:
                heard = []
                failed = _within(job["cell_seconds"], lambda: heard.append(
                    ask(questions.find(step["question"]), namespace, case)))
                reply = failed or heard[0]
                # A cell that broke may have bound its names before; in a notebook they would count too.
                replies.append(broken if broken and "blank" in reply else reply)
            _write(pen, {"question": step["question"], "replies": replies})
    _write(pen, {"end": "all cells have run"})
    os._exit(0)                                          # atexit hooks and waiting threads are the learner's, not ours


def _run_cell(source: str, namespace: dict) -> None:
    exec(compile(source, CELL_FILE, "exec"), namespace)


def _within(seconds: int, action) -> dict | None:
    """Do it; the reply that says how it failed, or None."""
    try:
        signal.alarm(seconds)
        try:
            action()
        finally:
            signal.alarm(0)
    except _TimeUp:
        return {"raised": "TimeUp", "says": f"no answer after {seconds} s"}
    except NotImplementedError:
        return None                                      # an untouched cell may say so; its names are then asked for, and missing
    except BaseException as error:
        line = getattr(error, "lineno", None)
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == CELL_FILE:
                line = trace.tb_lineno
            trace = trace.tb_next
        return {"raised": type(error).__name__[:60], "says": _words(error), "line": line}
    return None


def _words(error) -> str:
    try:
        return str(error)[:300]
    except BaseException:
        return ""


class _Nowhere:
    """get_ipython() where there is no IPython: every magic is a word in the wind."""

    def __getattr__(self, name):
        return lambda *args, **options: None


_LATE, _TOO_LONG = object(), object()


def _iterate_lines(mouth: int, deadline: float):
    """The JSON lines of a pipe as they come; _LATE or _TOO_LONG last where it had to be cut off. Other text is passed over."""
    buffer, total = b"", 0
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([mouth], [], [], left)[0]:
            yield _LATE
            return
        piece = os.read(mouth, 65536)
        if not piece:
            return
        total += len(piece)
        if total > MOST_REPLY_BYTES:
            yield _TOO_LONG
            return
        *whole, buffer = (buffer + piece).split(b"\n")
        for line in whole:
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                continue


def _read_lines(mouth: int, deadline: float) -> list[dict]:
    return [line for line in _iterate_lines(mouth, deadline) if isinstance(line, dict)]


def _how_it_died(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return "the time was up"
        return f"the process was ended by {signal.Signals(number).name}"
    return "the process ended itself"


def _write(fd: int, line: dict) -> None:
    data = json.dumps(line).encode() + b"\n"
    while data:
        data = data[os.write(fd, data):]


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _kill_orphans() -> None:
    """Without a process namespace: what the learner's process started and left behind comes to the keeper, its reaper, and goes."""
    while os.path.isdir("/proc"):
        orphans = [int(name) for name in os.listdir("/proc") if name.isdigit() and _parent_of(name) == os.getpid()]
        if not orphans:
            return
        for pid in orphans:
            _kill(pid)
            os.waitpid(pid, 0)


def _parent_of(pid: str) -> int | None:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return int(stat.read().rpartition(")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return None


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    main(json.loads(sys.argv[1]))
