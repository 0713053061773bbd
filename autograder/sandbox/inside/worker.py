"""The warm worker: a process inside the walls that forks once per submission.

It is started by parent.py with nothing but a *view* of the learner's side of the course: no judges,
no solutions, no secret, no gradebook, no other submission. It imports what answers usually need
once; a fork of it then costs milliseconds where a new interpreter costs a second. Its orders come
as the first line of JSON on stdin, jobs as one line each, results go as one line on stdout.

Three processes have three duties. The worker waits. It never reads a job itself: whatever it had
read would lie in its memory, and so in the memory of everybody forked from it later. A *keeper*,
forked when a job can be heard, reads it, makes namespaces for it and holds the limits. The
*learner's process*, forked by the keeper, drops every privilege, runs the cells and writes replies
(reply.py) into a pipe after each answer, so that what was said before a crash still counts. It may
write what it likes into that pipe: a reply is data for a judge elsewhere, never a verdict.
"""

import ast
import codeop
import errno
import gc
import inspect
import json
import os
import select
import signal
import sys
import time
from functools import cache, partial

MOST_REPLY_BYTES = 4_000_000  # of one submission, all replies together
CELL_FILE = "<answer"  # so begin the names of the files that cells are compiled as
BINDING_MAGICS = frozenset(("load", "macro", "pylab", "recall", "rerun", "run", "store"))
LOST = 3  # how a keeper ends when there is nothing more to do
# The learner's process ends its own loop at a step's limit; so much later the keeper does, and the
# kernel after it.
SLACK_SECONDS = 3


def main() -> None:
    """Read the orders, enter the walls, warm up, say which level was reached,
    then have each job kept until stdin ends."""
    setup = json.loads(_read_line(0))
    level, why, refused_calls = _enter(setup)
    inside = "/course" if level != "L1" else setup["view"]
    os.chdir(inside)
    sys.path[:] = [inside] + [path for path in sys.path if path not in setup["hide"]]
    # An editable install would lead back to the repository through a finder of its own.
    sys.meta_path[:] = [
        finder for finder in sys.meta_path if "editable" not in repr(finder).lower()
    ]
    _warm(setup["warm"], setup["warm_cell"], level)
    kept = {name: setup[name] for name in ("scratch", "uid", "environment")}
    setup.clear()  # forks know what they need and no more
    _write(1, {"level": level, "why": why, "filter": refused_calls is not None})
    while True:
        select.select([0], [], [])
        keeper = os.fork()
        if keeper == 0:
            _keep(kept, level, refused_calls)
        _, status = os.waitpid(keeper, 0)
        if status != 0:
            sys.exit(0)
        # the answer's end: now the keeper is gone, too
        os.write(1, b"\n")


def _enter(setup: dict):
    """(the level reached, why it is not more, the filter of system calls or None)."""
    import audit  # noqa: F401 - the forks' and
    import watch  # noqa: F401 - the keeper's; the worker's own folder is on sys.path only until here
    from walls import build_root, die_with_parent, leave_the_machine

    die_with_parent()
    level, why, refused_calls = setup["level"], setup["why"], None
    if sys.platform.startswith("linux"):
        from syscalls import Filter

        try:
            refused_calls = Filter()
        except OSError:
            pass  # doctor says so
    if level == "L2":
        try:
            leave_the_machine()
            build_root(setup["root"], setup["plan"])
        except OSError as refused:
            level, why = "L1", ", ".join(filter(None, [why, f"unshare: {refused.strerror}"]))
    return level, why, refused_calls


def _warm(modules: list[str], cell: str, level: str) -> None:
    """Import what answers usually need, and run a cell that uses it. matplotlib is told where it
    may write the list of this machine's fonts, else its import fails half-way."""
    import importlib
    from contextlib import suppress

    told = dict(os.environ)
    with suppress(Exception), _place_to_write(level) as place:
        os.environ["MPLCONFIGDIR"] = place
        for module in modules:
            # whatever an answer really needs will say so itself
            with suppress(Exception):
                loaded = importlib.import_module(module)
                # a package may load its public names when they are first asked for
                for name in getattr(loaded, "__all__", ()):
                    getattr(loaded, name)
        exec(cell, {})
    os.environ.clear()
    os.environ.update(told)
    # what is there by now lives as long as the worker: no fork looks through it for garbage, and
    # seldom through its own, for it lives for seconds
    gc.freeze()
    gc.set_threshold(10_000)


def _place_to_write(level: str):
    if level == "L1":
        import tempfile

        return tempfile.TemporaryDirectory()
    from walls import a_place_to_write

    return a_place_to_write("/scratch")


def _keep(setup: dict, level: str, refused_calls) -> None:
    """One job from its line to its answer; does not return."""
    try:
        line = _read_line(0)
        if not line:
            os._exit(LOST)
        job = json.loads(line)
        del line
        # a keeper that hangs is lost, and the worker with it
        signal.alarm(job["seconds"] + 15)
        started = time.monotonic()
        replies, ended, noise, signs, hung, broken = _as_keeper(job, setup, level, refused_calls)
        _write(
            1,
            {
                "replies": replies,
                "ended": ended,
                "noise": noise,
                "signs": signs,
                "broken": broken,
                "seconds": round(time.monotonic() - started, 3),
                "level": level,
                **({"hung": hung} if hung is not None else {}),
            },
            end=b"",
        )
        os._exit(0)
    except BaseException as error:
        print(f"the keeper failed: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        os._exit(LOST)


def _as_keeper(
    job, setup, level, refused_calls
) -> tuple[dict, str, int, list[str], dict | None, dict]:
    """Make the namespaces, fork the learner's process into them, take its lines, hold the limits,
    leave nobody behind.

    Returns the replies by question, what cut it off ("" where all cells ran), how many lines were
    not of our making, the signs (audit.py) that were heard, where a step that never ended is what
    cut it off {step: its index, clock, seconds}: the time that was up; and {number: reply} of the
    given cells that broke.
    """
    from audit import SIGNS
    from walls import NEWIPC, NEWPID, adopt_orphans, die_with_parent, unshare
    from watch import Watch, end_all

    die_with_parent()
    adopt_orphans()
    os.setsid()
    if level != "L1":
        # shared memory of the last submission is not this one's
        unshare(NEWPID | NEWIPC)
    mouth, pen = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _as_learner(job, setup, level, refused_calls, pen)
        except BaseException as error:
            _write(pen, {"end": "failed", "why": f"{type(error).__name__}: {error}"})
        finally:
            os._exit(0)
    os.close(pen)
    replies, ended, noise, signs, hung, broken = {}, None, 0, [], None, {}
    given = {str(step["given"]) for step in job["steps"] if step.get("given") is not None}
    asked = {
        step["question"]: len(step["cases"])
        for step in job["steps"]
        if step["question"] is not None
    }
    watch = Watch(job["watched_bytes"], job["processes"], walled=level != "L1")
    patience = Patience(job, watch)
    for line in _iterate_lines(mouth, watch, patience):
        if isinstance(line, Ended):
            ended = line.words
            if line.endless and patience.step is not None:
                hung = {"step": patience.step, "clock": line.clock, "seconds": line.seconds}
            break
        if isinstance(line, dict) and list(line) == ["step"]:
            noise += not patience.begins(line["step"])
            continue
        question, said = (
            (line.get("question"), line.get("replies")) if isinstance(line, dict) else (None, None)
        )
        if (
            isinstance(question, str)
            and question in asked
            and question not in replies
            and isinstance(said, list)
            and len(said) == asked[question]
            and _is_shallow(said)
        ):
            replies[question] = said
        elif isinstance(line, dict) and line.get("end") in ("ran", "failed"):
            ended = "" if line["end"] == "ran" else f"the sandbox failed: {line.get('why')}"[:300]
            # a process that still holds the pipe open has nothing more to say
            break
        elif (
            isinstance(line, dict)
            and list(line) == ["sign"]
            and isinstance(line["sign"], str)
            and line["sign"] in SIGNS
        ):
            # however many come before it, each sign is heard
            signs += [line["sign"]] * (line["sign"] not in signs)
        elif (
            isinstance(line, dict)
            and list(line) == ["broken", "reply"]
            and str(line["broken"]) in given
            and isinstance(line["reply"], dict)
            and _is_shallow(line["reply"])
        ):
            broken.setdefault(str(line["broken"]), line["reply"])
        else:
            noise += 1
    # in a process namespace this takes everybody else with it
    _kill(child)
    _, status = os.waitpid(child, 0)
    end_all()
    if ended is None:
        ended = _how_it_died(status, job)
    return replies, ended, noise, signs, hung, broken


def _as_learner(job, setup, level, refused_calls, pen) -> None:
    """Drop everything, run the cells, write the replies."""
    from walls import (
        NEWNS,
        NOBODY,
        close_all_but,
        die_with_parent,
        drop_privileges,
        fresh_folders,
        limit,
        unshare,
    )
    from watch import ABOVE_PROCESSES, threads_of

    die_with_parent()
    signal.alarm(0)
    # sixty of these must not keep the keeper from its turn; and beside other work on a busy
    # machine one must still get enough of its own to end by the clock on the wall
    os.nice(5)
    if level != "L1":
        unshare(NEWNS)
        fresh_folders(job["scratch_bytes"])
        os.chdir("/scratch")
    else:
        scratch = os.path.join(setup["scratch"], str(os.getpid()))
        os.mkdir(scratch)
        os.chmod(scratch, 0o777)
        os.chdir(scratch)
    nowhere = os.open("/dev/null", os.O_RDWR)
    # the worker's own pipes are out of reach from here on
    for fd in (0, 1, 2):
        os.dup2(nowhere, fd)
    close_all_but(pen)
    sys.stdin, sys.stdout, sys.stderr = (
        open(fd, mode, buffering=1, encoding="utf-8") for fd, mode in ((0, "r"), (1, "w"), (2, "w"))
    )
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    os.environ.clear()
    os.environ.update(
        HOME=os.getcwd(),
        TMPDIR=os.getcwd(),
        PATH="/usr/local/bin:/usr/bin:/bin",
        **setup["environment"],
    )
    if level != "L1":
        os.environ.update(HOME="/scratch", TMPDIR="/tmp")
    limit(
        job["cpu_seconds"] + SLACK_SECONDS,
        job["memory_bytes"],
        job["file_bytes"],
        job["open_files"],
        job["processes"]
        + ABOVE_PROCESSES
        + (threads_of(NOBODY if os.geteuid() == 0 else os.getuid()) if level == "L1" else 0),
    )
    # L1 has the machine's own list of users
    drop_privileges(setup["uid"] if level == "L2" else NOBODY)
    if refused_calls is not None:
        refused_calls.close()
    _course_at_hand(setup)
    _run_cells(job, pen)


def _course_at_hand(setup: dict) -> None:
    """The samples and recordings under the current folder, where a notebook finds them too, and
    beside them a folder of this submission's own for what a chapter's cells write."""
    course = next(
        (
            place
            for place in ("/course", setup.get("view", ""))
            if place and os.path.isdir(f"{place}/data")
        ),
        None,
    )
    if course:
        os.makedirs("data/generated")
        for name in os.listdir(f"{course}/data"):
            os.symlink(f"{course}/data/{name}", f"data/{name}")


def _run_cells(job, pen) -> None:
    from audit import listen

    from autograder.cell.numbers import pretending
    from autograder.cell.question import find
    from autograder.cell.reply import ask, lacks, shortened

    listen(lambda sign, write=_write: write(pen, {"sign": sign}))
    module = type(sys)("__main__")
    # what answers pickle or inspect is a notebook's, not the worker's
    sys.modules["__main__"] = module
    namespace = module.__dict__
    namespace.update(get_ipython=_Nowhere, display=lambda *things, **options: None)
    first, no_spark = _first_with_spark(job), ""
    with pretending(job["numbers"]):
        late, lacking = 0, {}

        def named_reason(reply: dict) -> dict:
            """Of a name that is missing, for the learner's cell that was to bind it could not run
            here, the reply of that cell."""
            return lacking if lacking and reply.get("raised") == "NameError" else reply

        for number, step in enumerate(job["steps"]):
            limits = tuple(shortened(step[clock], late) for clock in ("seconds", "wall_seconds"))
            _write(pen, {"step": number})
            if number == first:
                failed = _within((job["start_seconds"],) * 2, _start_spark)
                if failed:
                    said = failed.get("says", f"no answer after {job['start_seconds']} s")
                    said = said.partition("\n")[0]
                    no_spark = f"Spark could not start: {failed['raised']}: {said}"
                _write(pen, {"step": number})
            if no_spark and step.get("spark", True):
                # the machine's fault: without a reply somebody has to look at it
                continue
            file = f"{CELL_FILE} {number}>"
            broken = _within(limits, partial(_run_cell, step["source"], namespace, file), file)
            broken = broken and _named_limit(broken, job)
            late += _is_late(broken)
            if broken and step.get("given") is not None:
                _write(pen, {"broken": step["given"], "reply": broken})
            if step["question"] is None:
                if broken and step.get("given") is None and lacks(broken):
                    lacking = broken
                continue
            # the sandbox asking about itself (wall_probe.py)
            if "read" in step:
                _write(
                    pen,
                    {
                        "question": step["question"],
                        "replies": [{"data": {name: namespace.get(name) for name in step["read"]}}],
                    },
                )
                continue
            replies = []
            for case in step["cases"]:
                if replies and replies[-1].get("raised") == "TimeUp":
                    # The other cases would take as long, and the questions below need the time.
                    replies.append(replies[-1])
                    continue
                heard = []
                _write(pen, {"step": number})
                failed = _within(
                    limits,
                    lambda step=step, case=case, heard=heard: heard.append(
                        ask(find(step["question"]), namespace, case)
                    ),
                )
                reply = _named_limit(failed or heard[0], job)
                late += _is_late(failed)
                # A cell that broke may have bound its names before; in a notebook they would count
                # too.
                replies.append(named_reason(broken if broken and "blank" in reply else reply))
            _write(pen, {"question": step["question"], "replies": replies})
    _write(pen, {"end": "failed", "why": no_spark} if no_spark else {"end": "ran"})
    # atexit hooks and waiting threads are the learner's, not ours
    os._exit(0)


def _is_late(reply: dict | None) -> bool:
    return reply is not None and reply.get("raised") == "TimeUp"


def _first_with_spark(job: dict) -> int | None:
    """The index of the step before which Spark's JVM starts; None where no step uses Spark."""
    if not job.get("spark"):
        return None
    uses = [step.get("spark", True) for step in job["steps"]]
    return uses.index(True) if True in uses else None


def _start_spark() -> None:
    from autograder.sandbox.inside.spark import start

    start()


def _run_cell(source: str, namespace: dict, file: str) -> None:
    """Run a cell as JupyterLab does: one statement after the other, until one does not even
    compile. What a cell awaits outside of a function is awaited."""
    compiler = _compiler()
    tree = compile(source, file, "exec", compiler.flags | ast.PyCF_ONLY_AST, True)
    for statement in tree.body:
        code = compiler(ast.Module([statement], []), file, "exec")
        if code.co_flags & inspect.CO_COROUTINE:
            _event_loop().run_until_complete(eval(code, namespace))
        elif "create_task" in code.co_names:
            _event_loop().run_until_complete(_in_a_loop(code, namespace))
        else:
            exec(code, namespace)


async def _in_a_loop(code, namespace: dict) -> None:
    exec(code, namespace)


@cache
def _compiler() -> codeop.Compile:
    """One for all cells of a submission: what a cell imports from __future__ holds below it."""
    compiler = codeop.Compile()
    compiler.flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    return compiler


@cache
def _event_loop():
    """One for all cells of a submission: a cell may await what another has begun."""
    import asyncio

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    return loop


def _within(limits: tuple[float, float], action, file: str = "") -> dict | None:
    """Do it, within so many seconds of processor time and by the clock on the wall; the reply that
    says how it failed and in which line of `file`, or None."""
    from autograder.cell.reply import TimeUp, two_clocks

    try:
        with two_clocks(*limits):
            action()
    except TimeUp as late:
        return late.reply
    except NotImplementedError:
        # an untouched cell may say so; its names are then asked for, and missing
        return None
    except BaseException as error:
        line = getattr(error, "lineno", None)
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == file:
                line = trace.tb_lineno
            trace = trace.tb_next
        return {"raised": type(error).__name__[:60], "says": _words(error), "line": line}
    return None


def _named_limit(reply: dict, job: dict) -> dict:
    """A reply in which the system's refusal is told as the limit that was met."""
    said, says = reply.get("raised"), str(reply.get("says"))
    limit = None
    if said == "MemoryError":
        limit = (
            f"it asked for more than {(job['memory_bytes'] or job['watched_bytes']) >> 20:,} MB of "
            "memory"
        )
    elif f"[Errno {errno.EAGAIN}]" in says or "can't start new thread" in says:
        limit = f"no more than {job['processes']} processes and threads may run"
    elif f"[Errno {errno.EFBIG}]" in says:
        limit = f"a file may be {job['file_bytes'] >> 20:,} MB large"
    elif f"[Errno {errno.ENOSPC}]" in says:
        limit = f"all files together may be {job['scratch_bytes'] >> 20:,} MB large"
    return {**reply, "says": limit} if limit else reply


def _words(error) -> str:
    try:
        return str(error)[:300]
    except BaseException:
        return ""


class NotHere(Exception):
    """What a cell asks of IPython can be had on its author's machine only; it says what."""


class _Nowhere:
    """Stands for get_ipython() where there is no IPython. A magic that only shows or measures
    something does nothing."""

    def getoutput(self, command, *args, **options):
        """What `files = !ls` asks for."""
        raise NotHere(f"what the command `{command}` prints")

    def run_line_magic(self, name, line="", *args, **options):
        """`%name line`."""
        if name in BINDING_MAGICS:
            raise NotHere(f"what `%{name} {line}` brings")

    def run_cell_magic(self, name, line="", *args, **options):
        """A cell that begins with `%%name line`."""
        if name == "writefile":
            raise NotHere(f"the file that `%%{name} {line}` writes")

    def __getattr__(self, name):
        return lambda *args, **options: None


class Ended:
    """The limit at which the listening ended, in words. Where that is a time that was up, `clock`
    and `seconds` say which: without the step that took it the others could be asked."""

    def __init__(self, words: str, clock: str = "", seconds: float = 0):
        self.words, self.clock, self.seconds = words, clock, seconds

    @property
    def endless(self) -> bool:
        """Whether a step took too long."""
        return bool(self.clock)


class Patience:
    """Limits how long the keeper waits, for a step and for the submission.

    It counts processor time, as the watch does, and time by the clock on the wall. The learner's
    process says which step begins; what it says may be forged, and then the submission's own time
    still holds.
    """

    def __init__(self, job, watch, clock=time.monotonic):
        self._job, self._watch, self._clock = job, watch, clock
        # Spark's JVM starts in one step, before the step's own time
        self._starts = _first_with_spark(job), job.get("start_seconds", 0)
        self.step = None
        self._ends = {"wall": clock() + job["seconds"], "processor": job["cpu_seconds"]}
        self._step_ends: dict[str, float] = {}

    def begins(self, step) -> bool:
        """Note that a step begins; False where there is no such step."""
        if type(step) is not int or not 0 <= step < len(self._job["steps"]):
            return False
        first, start_seconds = self._starts
        more = SLACK_SECONDS + (start_seconds if step == first else 0)
        own = self._job["steps"][step]
        self.step = step
        self._step_ends = {
            "wall": self._clock() + own["wall_seconds"] + more,
            "processor": self._watch.spent + own["seconds"] + more,
        }
        return True

    @property
    def until(self) -> float:
        """The moment at which the waiting ends by the clock on the wall."""
        return min(self._ends["wall"], self._step_ends.get("wall", float("inf")))

    def end(self) -> Ended | None:
        """The time that is up; None while there is some left."""
        now = {"processor": self._watch.spent, "wall": self._clock()}
        whole = {"processor": self._job["cpu_seconds"], "wall": self._job["seconds"]}
        for clock, of in (("processor", " of processor time"), ("wall", "")):
            if now[clock] >= self._step_ends.get(clock, float("inf")):
                own = self._job["steps"][self.step]
                seconds = own["seconds" if clock == "processor" else "wall_seconds"]
                return Ended(f"no answer after {seconds:g} s{of}", clock, seconds)
            if now[clock] >= self._ends[clock]:
                words = f"the time was up: {whole[clock]:g} s{of}"
                return Ended(words, clock, whole[clock])
        return None


def _iterate_lines(mouth: int, watch, patience):
    """The JSON lines of a pipe as they come, None for a line that is none;
    an Ended last where it had to be cut off."""
    buffer, total = b"", 0
    while True:
        late = patience.end()
        if late:
            yield late
            return
        left = max(0, patience.until - time.monotonic())
        heard = select.select([mouth], [], [], min(left, watch.pause))[0]
        # whether or not somebody speaks: a murmur must not distract the watch
        complaint = watch.complaint(patience.until)
        if complaint:
            yield Ended(complaint)
            return
        if not heard:
            continue
        piece = os.read(mouth, 65536)
        if not piece:
            return
        total += len(piece)
        if total > MOST_REPLY_BYTES:
            yield Ended(f"its answers were longer than {MOST_REPLY_BYTES:,} bytes")
            return
        *whole, buffer = (buffer + piece).split(b"\n")
        for line in whole:
            try:
                yield json.loads(line)
            except (ValueError, RecursionError, MemoryError):
                yield None


def _is_shallow(value, most: int = 40) -> bool:
    """No lists inside lists without end: the readers of this value are recursive."""
    layer = [value]
    for _ in range(most):
        layer = [
            part
            for each in layer
            if isinstance(each, (list, dict))
            for part in (each.values() if isinstance(each, dict) else each)
        ]
        if not layer:
            return True
    return False


def _how_it_died(status: int, job: dict) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return f"it used more than {job['cpu_seconds']:g} s of processor time"
        return f"the process was ended by {signal.Signals(number).name}"
    return "the process ended itself"


def _read_line(fd: int) -> bytes:
    """One line of a pipe and not a byte more; b"" when there is none."""
    pieces = []
    while not pieces or not pieces[-1].endswith(b"\n"):
        # the writer waits for the answer before the next line
        piece = os.read(fd, 1 << 16)
        if not piece:
            return b""
        pieces.append(piece)
    return b"".join(pieces)


def _write(fd: int, line: dict, end: bytes = b"\n") -> None:
    data = json.dumps(line).encode() + end
    while data:
        data = data[os.write(fd, data) :]


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    main()
