"""Forge the verdict: be right without being right."""

from autograder.tests.hostile import family_of

attack = family_of("forge")


def made_up(calls: str) -> str:
    """What the functions are said to have done (replay.py)."""
    return (
        f"from autograder.cell import replay as again\ncalls = {calls}\n"
        "again.watched = lambda question, names: (names, calls)\n"
    )


def no_lab(data: str, function: str) -> str:
    """An answer that plays no lab, and lets the probe say of `case` that all went well."""
    return (
        f"from autograder.cell.question import Question\ntrue = Question.run_probe\n"
        f"Question.run_probe = lambda self, names, case: {data} if '{function}' in self.answers "
        "else true(self, names, case)\n"
        f"def {function}(*words):\n    return []\n"
    )


ORDERS = "[f'order {number}' for number in range(case['orders'])]"
ATTACKS = (
    attack(
        "equals everything",
        "an object whose every comparison is true",
        """
class Yes:
    __eq__ = __ne__ = __lt__ = __gt__ = __le__ = __ge__ = __contains__ = lambda self, other: True
    __hash__ = lambda self: 1
    __class__ = set
still_open = Yes()
""",
    ),
    attack(
        "a number that lies",
        "a subclass of int that says what it is compared with",
        """
class Any(int):
    def __eq__(self, other): return True
    def __hash__(self): return hash(4)
opened = kept = Any(1)
""",
        question="02.2",
    ),
    attack(
        "an array that lies",
        "a class that calls itself numpy's and answers tolist() differently each time",
        """
class array(list):
    calls = 0
    def tolist(self):
        array.calls += 1
        return [{-1, 0, 1}, array.calls][array.calls % 2]
array.__module__ = "numpy"
still_open = array()
""",
    ),
    attack(
        "another ask",
        "the function that asks is replaced by one that says right",
        """
from autograder.cell import reply
reply.ask = lambda *words: {"ok": True, "data": {"ok": True, "verdict": "right"}, "score": 1}
still_open = 0
""",
    ),
    attack(
        "another probe",
        "questions are taught to say right",
        """
import autograder.cell.question as q
q.Question.run_probe = lambda *words: True
q.Question.unanswered = lambda *words: ()
still_open = 0
""",
    ),
    attack(
        "another plain",
        "whatever is handed over becomes true",
        """
import sys
for name, module in list(sys.modules.items()):
    if name.startswith("autograder"):
        for word in ("plain", "canonical", "same"):
            if hasattr(module, word):
                setattr(module, word, lambda *words, **options: True)
still_open = 0
""",
    ),
    attack(
        "another json",
        "whatever is written becomes a verdict",
        """
import json
true = json.dumps
json.dumps = lambda line, **options: true({"question": "02.1", "replies": [{"data": True, "ok": True}], "verdict": "right", "score": 100})
still_open = 0
""",
    ),
    attack(
        "other builtins",
        "the words that graders are written with lie",
        """
import builtins
builtins.len = lambda thing: 1
builtins.sorted = lambda *words, **options: [-1, 0, 1]
builtins.isinstance = lambda *words: True
builtins.all = builtins.any = lambda things: True
still_open = 0
""",
    ),
    attack(
        "the pipe",
        "verdicts are written into everything that is open",
        """
import json, os
for fd in range(3, 256):
    for line in ({"question": "02.1", "replies": [{"verdict": "right", "ok": True, "score": 2}]}, {"score": 17, "max": 17, "status": "graded"},
                 {"replies": {"02.1": [{"ok": True}]}, "ended": "", "level": "L3"}):
        try:
            os.write(fd, json.dumps(line).encode() + b"\\n")
        except OSError:
            pass
still_open = 0
""",
    ),
    attack(
        "an early end",
        "the end is announced before the wrong answers come",
        """
import os
for fd in range(3, 256):
    try:
        os.write(fd, b'{"end": "ran"}\\n')
    except OSError:
        pass
still_open = 0
""",
    ),
    attack(
        "the tracer",
        "a trace function changes what ask() is about to say",
        """
import sys
def tracer(frame, event, value):
    if frame.f_code.co_name in ("ask", "run_probe", "plain"):
        frame.f_locals.update(data={"still_open": [-1, 0, 1]}, reply={"ok": True})
    return tracer
sys.settrace(tracer)
still_open = 0
""",
    ),
    attack(
        "the frames above",
        "the worker's own variables are overwritten",
        """
import ctypes, sys
frame = sys._getframe()
while frame:
    for name in ("replies", "reply", "heard", "failed", "broken"):
        if name in frame.f_locals:
            frame.f_locals[name] = [{"ok": True}]
            ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
    frame = frame.f_back
still_open = 0
""",
    ),
    attack(
        "a require that is silent",
        "the locked cell's function is replaced",
        """
from autograder import check as module
module.require = require = check = lambda *words: print("02.1 right")
module.judge_openly = lambda *words: [(True, "right")]
still_open = 0
""",
    ),
    attack(
        "hooks of IPython",
        "tracebacks are hidden and cells are hooked",
        """
shell = get_ipython()
shell.set_custom_exc((BaseException,), lambda *words: None)
shell.events.register("pre_run_cell", lambda *words: None)
shell.showtraceback = lambda *words: None
still_open = 0
""",
    ),
    attack(
        "a later question's answer first",
        "replies for every question are sent before they are asked",
        """
import json, os
for fd in range(3, 64):
    for number in range(1, 7):
        try:
            os.write(fd, json.dumps({"question": f"02.{number}", "replies": [{"data": {"ok": True}}] * 6}).encode() + b"\\n")
        except OSError:
            pass
still_open = 0
""",
    ),
    attack(
        "signs that drown a sign",
        "so many made-up signs that the true one is not heard, through names that no text shows",
        """
for fd in range(3, 64):
    try:
        with open(fd, "w", closefd=False) as pipe:
            pipe.write('{"sign": "nothing"}\\n' * 40)
    except OSError:
        pass
loader = globals()["__buil" + "tins__"]
loader = loader["__imp" + "ort__"] if type(loader) is dict else getattr(loader, "__imp" + "ort__")
still_open = getattr(loader("o" + "s"), "sys" + "tem")("true")
""",
    ),
    attack(
        "a lab that was never played",
        "it is said of a partitioner that every rule was kept",
        no_lab(
            "[['mega', case['partitions'] - 1], *([f'k{n}', n] for n in range(case['partitions'] - "
            "1))]",
            "mega_partitioner",
        ),
        question="04.5",
    ),
    attack(
        "nothing failed",
        "it is said of a lab whose brokers die that nothing did",
        no_lab("{'sent': case['orders'], 'said': [], 'failed': [], 'took_ms': 0}", "send_all"),
        question="05.3",
    ),
    attack(
        "each order became one parcel",
        "the same of a program that dies",
        no_lab(f"{{'parcels': {ORDERS}, 'written': 12, 'ended': True}}", "copy"),
        question="06.5",
    ),
    attack(
        "each order is in the store",
        "the same of a store whose power fails",
        no_lab(f"{{'rows': {ORDERS}, 'lives': 2}}", "keep") + "take_over = keep\n",
        question="09.5",
    ),
    attack(
        "calls that were never made",
        "with what became of a lab, what was done in it is made up, too",
        made_up(
            "[['keep', [[0, 'insert', [{'value': f'order {number}'}], {}] for number in range(12)] "
            "+ [[0, 'commit', [], {}]], None, False]] * 40"
        )
        + no_lab(f"{{'rows': {ORDERS}, 'lives': 1}}", "keep")
        + "take_over = keep\n",
        question="09.5",
    ),
    attack(
        "the power never fails",
        "the store is told so, by its own words",
        """
def take_over(store, reader, partitions):
    for place in partitions:
        reader.seek(place, store.offset_of(place.partition) or 0)
def keep(store, record):
    store.dies_after = 0
    getattr(store, "op" + "en")(0)
    store.insert(record.key)
    store.commit()
    store.set_offset(record.partition, record.offset + 1)
    store.commit()
""",
        question="09.5",
        tampers=False,
    ),
    attack(
        "a run that takes a judge for ever",
        "calls that wait for centuries, one after the other",
        made_up("[['copy', [[0, 'poll', [{'value': 10**15}], {}]] * 9_000, None, False]] * 25")
        + no_lab(f"{{'parcels': {ORDERS}, 'written': 12, 'ended': True}}", "copy"),
        question="06.5",
    ),
    attack(
        "a producer that tells when it dies",
        "nothing is begun while a death is appointed, and nothing has to be remembered",
        """
def copy(consumer, producer):
    if producer._death is not None:
        return
    records = consumer.poll(500)
    if len(records):
        producer.begin_transaction()
        for record in records:
            producer.send(ProducerRecord("parcels", key=record.key, value=record.value))
        producer.commit_transaction()
""",
        question="06.5",
    ),
)
