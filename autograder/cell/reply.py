"""Asks a learner's names one case, within its time, and keeps what happens as plain data.

The same function asks in the notebook's kernel and in the sandbox, so both hear the same reply. A
reply is a dict with one of three keys: `data`, what the probe found; `blank`, the names not filled
in yet; `raised`, the class and words of the exception that the learner's code ended in.
"""

import contextlib
import io
import os
import re
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Mapping

from autograder.cell.data import MOST_BYTES, NotAsAsked, NotPlain, Unwritten, canonical, one_line
from autograder.cell.replay import needs_calls, watched

LONGEST_MESSAGE = 300
LONGEST_SAID = 80
# lines; on a hidden case a line far below could say what was asked
LONGEST_ANSWER = 200
# Exceptions that may be named on a hidden case; a class of the learner's own could be named after
# what it was asked.
ORDINARY = frozenset(
    (
        "ArithmeticError",
        "AssertionError",
        "AttributeError",
        "IndexError",
        "KeyError",
        "LookupError",
        "MemoryError",
        "NameError",
        "OSError",
        "OverflowError",
        "RecursionError",
        "RuntimeError",
        "StopIteration",
        "SyntaxError",
        "SystemExit",
        "TimeUp",
        "TypeError",
        "UnboundLocalError",
        "UnicodeError",
        "ValueError",
        "ZeroDivisionError",
    )
)
# What one cell or one case may take, in a notebook and in official grading: of processor time, so
# that a busy machine takes no points from anybody, and by the clock on the wall, far behind it, for
# what sleeps. The second pair is for Spark: its JVM starts, and its work is a child's.
SECONDS, WALL_SECONDS = 10, 120
SPARK_SECONDS, SPARK_WALL_SECONDS = 60, 240
PROCESSOR, WALL = "processor", "wall"  # the two clocks
# Exceptions of an answer that can be right on its author's machine and cannot run where it is
# graded: what they say, and what is missing.
ELSEWHERE = {
    "ModuleNotFoundError": (r"No module named (?!'(?:autograder|kafkalab)\b)(.+)", "the module {}"),
    "FileNotFoundError": (r"\[Errno 2\][^:]*: (.+)", "the file {}"),
    "EOFError": (r"EOF when reading a line", "what was typed into `input()`"),
    "NameError": (r"name '(_+|_i+|_i?\d+|In|Out)' is not defined", "`{}`, what a cell has shown"),
    "NotHere": (r"(.+)", "{}"),
}


def ask(question, namespace, case) -> dict:
    """One reply. KeyboardInterrupt passes, so that a learner can stop a loop of their own."""
    blank = question.unanswered(namespace)
    if blank:
        return {"blank": list(blank)}
    try:
        names, did = _written_down(question, namespace)
        reply = {"data": question.run_probe(names, case), **did}
        if any(len(canonical(said)) > MOST_BYTES for said in reply.values()):
            return {"raised": "NotPlain", "says": f"more than {MOST_BYTES:,} characters"}
        return reply
    except (KeyboardInterrupt, TimeUp):
        raise
    except NotImplementedError:
        return {"blank": list(question.answers)}
    except NotAsAsked as error:
        return {"raised": "NotAsAsked", "says": _words_of(error)}
    except Unwritten:
        # the entry of this case is still `...`, or the body of the function
        return {"blank": list(question.unwritten(namespace, case) or question.answers)}
    except NotPlain as error:
        return {"raised": "NotPlain", "says": str(error)}
    except BaseException as error:
        # SystemExit too: exit() in an answer is an answer's mistake
        return {"raised": type(error).__name__, "says": _words_of(error), "line": _line(error)}


def _written_down(question, namespace) -> tuple[Mapping, dict]:
    """The names for the probe, and for a question that is played again (replay.py) {"calls": what
    the functions will have done}."""
    if not needs_calls(question):
        return namespace, {}
    names, calls = watched(question, namespace)
    return names, {"calls": calls}


class TimeUp(BaseException):
    """It took longer than it may, by one of two clocks. Not an Exception, so that
    `except Exception` in a loop does not swallow it."""

    def __init__(self, clock: str, seconds: float):
        super().__init__(clock, seconds)
        self.reply = too_late(clock, seconds)


def too_late(clock: str, seconds: float) -> dict:
    """The reply of an answer that took more than so many seconds of a clock (PROCESSOR, WALL)."""
    return {"raised": "TimeUp", "seconds": seconds, "clock": clock}


def shortened(seconds: int, late: int) -> int:
    """What a step may take where so many before it never ended: two endless loops of a notebook
    must not keep a class waiting twice as long."""
    return max(1, seconds // (1 + late))


@contextlib.contextmanager
def two_clocks(processor_seconds: float, wall_seconds: float):
    """Raise TimeUp in the code inside once this process has used so much processor time, or so much
    time has passed. Main thread only, and not on Windows."""

    def processor_up(signum, frame):
        raise TimeUp(PROCESSOR, processor_seconds)

    def wall_up(signum, frame):
        raise TimeUp(WALL, wall_seconds)

    def set_both(processor_seconds: float, wall_seconds: float) -> None:
        signal.setitimer(signal.ITIMER_PROF, processor_seconds)
        signal.setitimer(signal.ITIMER_REAL, wall_seconds)

    before = signal.signal(signal.SIGPROF, processor_up), signal.signal(signal.SIGALRM, wall_up)
    try:
        try:
            set_both(processor_seconds, wall_seconds)
            yield
        finally:
            set_both(0, 0)
    finally:
        # again: the first of the two may have been interrupted by the clock it stops
        set_both(0, 0)
        signal.signal(signal.SIGPROF, before[0])
        signal.signal(signal.SIGALRM, before[1])


def answer_in_time(action, is_spark: bool = False) -> dict:
    """The reply of `action`, given the time that official grading gives it. Where no clock can
    interrupt (another thread, Windows) both are looked at afterwards."""
    seconds = SPARK_SECONDS if is_spark else SECONDS
    wall_seconds = SPARK_WALL_SECONDS if is_spark else WALL_SECONDS
    used, begun = time.process_time(), time.monotonic()
    can_interrupt = (
        hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    )
    try:
        with two_clocks(seconds, wall_seconds) if can_interrupt else contextlib.nullcontext():
            reply = action()
    except TimeUp as late:
        return late.reply
    if time.process_time() - used > seconds:
        return too_late(PROCESSOR, seconds)
    if time.monotonic() - begun > wall_seconds:
        return too_late(WALL, wall_seconds)
    return reply


def complaint(reply: dict, hidden: bool = False) -> str | None:
    """What to say about a reply that has no data; None when it has. On a hidden case the learner's
    own words are left out, for they could carry the hidden input home."""
    if "blank" in reply:
        *first, last = [f"`{name}`" for name in reply["blank"]] or ["the answer"]
        names = f"{', '.join(first)} and {last}" if first else last
        return f"{names} {'are' if len(reply['blank']) > 1 else 'is'} not written yet."
    if "raised" in reply:
        if reply["raised"] == "NotPlain":
            return "the answer is not plain data." if hidden else f"the answer has {reply['says']}."
        if reply["raised"] == "NotAsAsked":
            return (
                "the answer has another form than was asked for." if hidden else f"{reply['says']}."
            )
        if reply["raised"] == "TimeUp":
            when = f"after {reply['seconds']:g} s" if reply.get("seconds") else "in time"
            if reply.get("clock") == WALL:
                return f"there was no answer {when}; look for a wait that never ends."
            what = " of processor time" if reply.get("seconds") else ""
            return f"there was no answer {when}{what}; look for a loop that never ends."
        told = reply.get("line") and not (hidden and reply["line"] > LONGEST_ANSWER)
        where = f" in line {reply['line']} of the answer" if told else ""
        said = "" if hidden or not reply.get("says") else f": {reply['says']}"
        name = reply["raised"] if not hidden or reply["raised"] in ORDINARY else "an exception"
        return f"your code stopped with {name}{where}{said}{'' if said.endswith('.') else '.'}"
    return None


def lacks(reply: Mapping) -> str:
    """What an answer asked for that its author's machine may have and grading has not, such as a
    file of their own; "" for any other reply."""
    says, what = ELSEWHERE.get(reply.get("raised", ""), (r"(?!)", ""))
    found = re.match(says, str(reply.get("says")))
    return what.format(*found.groups()) if found else ""


def insert_values(sentence: str, case: Mapping, question_id: str, data=None) -> str:
    """A sentence with the case's numbers in place of their names in braces, and {said} for what the
    answer says; other braces stay as they are."""
    for name, value in {**case, "id": question_id}.items():
        sentence = sentence.replace("{" + str(name) + "}", str(value))
    return (
        sentence.replace("{said}", one_line(_shortly(data))) if "{said}" in sentence else sentence
    )


def otherwise_said(
    otherwise: str | Mapping[str, str], case: Mapping, question_id: str, data, name: str = ""
) -> str:
    """What is said to an answer that nobody has named: one sentence for the whole answer, or of
    several names the one of the wrong `name`. There {said} is what this name holds."""
    if isinstance(otherwise, str):
        return insert_values(otherwise, case, question_id, data)
    name = name or next(iter(otherwise))
    held = data.get(name) if isinstance(data, dict) else data
    return f"`{name}`: {insert_values(otherwise[name], case, question_id, held)}"


def _shortly(data) -> str:
    """Plain data as one would say it: a dict of one name is its value, a list its entries,
    of a long one the last."""
    if isinstance(data, dict) and len(data) == 1:
        data = next(iter(data.values()))
    if not isinstance(data, list) or not data:
        return str(data) if len(str(data)) <= LONGEST_SAID else str(data)[:LONGEST_SAID] + " ..."
    last, length = [], -2
    # of a walk the last steps are the ones to look at
    for each in reversed(data):
        last.insert(0, str(each))
        length += len(last[0]) + 2
        if length > LONGEST_SAID:
            break
    left_out = length > LONGEST_SAID and len(last) > 1
    told = last[left_out:]
    return ("... " if left_out or len(told) < len(data) else "") + ", ".join(told)[:LONGEST_SAID]


@contextlib.contextmanager
def quiet():
    """Nothing a probe runs writes anywhere: nbgrader gives 0 points to a cell with one word on
    stderr, and the JVM's words come by file descriptor."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kept = [(fd, os.dup(fd)) for fd in (1, 2)]
        try:
            for fd, _ in kept:
                os.dup2(nowhere.fileno(), fd)
            with (
                contextlib.redirect_stdout(io.StringIO()),
                contextlib.redirect_stderr(io.StringIO()),
            ):
                yield
        finally:
            for fd, copy in kept:
                os.dup2(copy, fd)
                os.close(copy)


def said_of_caught(error: BaseException) -> str:
    """What is said of an error in a learner's code that their own code catches."""
    line = _line(error)
    where = f" in line {line} of the answer" if line else ""
    return f"your code catches {type(error).__name__}{where}: {_words_of(error).rstrip('.')}"


def said_of_returned(name: str, error: BaseException) -> str:
    """What is said of an error that the lab raises over what a learner's function returned."""
    return f"what `{name}` returned cannot be used: {_words_of(error).rstrip('.')}"


def _words_of(error) -> str:
    """What an exception says, without the places in memory it may name:
    the same words in every run."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", str(error)[: 2 * LONGEST_MESSAGE])[:LONGEST_MESSAGE]


def _line(error) -> int | None:
    """The line of the learner's answer where it happened: the innermost frame in the cell that was
    called. A function of a cell above is in another one."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "ipykernel" in frame.filename or frame.filename.startswith("<")
    ]
    lines = [frame.lineno for frame in frames if frame.filename == frames[0].filename]
    return lines[-1] if lines else None
