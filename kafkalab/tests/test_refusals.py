"""What a curious learner tries by mistake is refused in one sentence that says what to do."""

import ast
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import kafkalab
from kafkalab import KafkaAdminClient, KafkaConsumer, KafkaProducer, Lab, ProducerRecord
from kafkalab.errors import IllegalArgumentException, NoSuchName
from kafkalab.sim.event_kinds import KINDS
from kafkalab.views import (
    batch_strip,
    compare,
    lag_curve,
    ownership,
    sequence,
    timeline,
    worker_lanes,
)


@pytest.fixture(name="lab", scope="module")
def a_lab():
    lab = Lab(seed=1)
    lab.create_topic("orders")
    KafkaProducer(lab, {"client.id": "shop"}).send(ProducerRecord("orders", "tea")).get()
    return lab


MISTAKES = {
    "brokers as text": (
        lambda lab: Lab(brokers="3"),
        "brokers says how many there are, Lab(brokers=3)",
    ),
    "a producer without a lab": (
        lambda lab: KafkaProducer({"acks": "1"}),
        "A KafkaProducer needs the lab it lives in: lab = Lab()",
    ),
    "a consumer without a lab": (
        lambda lab: KafkaConsumer({"group.id": "g"}),
        "KafkaConsumer(lab, {...}). It got {'group.id': 'g'} instead",
    ),
    "an admin without a lab": (
        lambda lab: KafkaAdminClient({}),
        "A KafkaAdminClient needs the lab",
    ),
    "settings as text": (lambda lab: KafkaProducer(lab, "acks"), "takes its settings as a dict"),
    "a rule as text": (
        lambda lab: KafkaProducer(lab, {}, least_loaded="x"),
        "least_loaded is a function(nodes) -> node",
    ),
    "Java's order": (
        lambda lab: ProducerRecord("t", "k", "v"),
        "ProducerRecord('t', key='k', value='v')",
    ),
    "why of a text": (lambda lab: lab.why("x"), "lab.why(lab.sockets()[0]), not 'x'"),
    "a kind that is none": (
        lambda lab: lab.table("record.append"),
        "Did you mean 'record.appended'?",
    ),
    "lines of nobody": (lambda lab: lab.lines("shopp"), "Did you mean 'shop'? There is: shop."),
    "a sequence of nobody": (
        lambda lab: sequence(lab, "nobody"),
        "no client 'nobody' has done anything in this lab. There is: shop.",
    ),
    "a timeline of nobody": (lambda lab: timeline(lab, "nobody"), "no client 'nobody'"),
    "a timeline of a number": (
        lambda lab: timeline(5),
        "timeline() draws a Lab: a lab comes first, as in timeline(lab), not 5",
    ),
    "an ownership of a text": (lambda lab: ownership("orders", "g"), "ownership() draws a Lab"),
    "lanes of nothing": (lambda lab: worker_lanes(None, "pool"), "worker_lanes() draws a Lab"),
    "batches of a number": (lambda lab: batch_strip(3, "orders"), "or several by name"),
    "a curve of one lab": (lambda lab: lag_curve(lab, "g"), 'lag_curve({"client 2.3": lab})'),
    "one lab and a number": (lambda lab: compare(lab, 1, ("a", "b")), "compare() draws two labs"),
    "an unknown release": (lambda lab: Lab(version="9"), "choose one of 2.1, 2.2"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_gets_one_sentence(lab, name):
    make, says = MISTAKES[name]
    with pytest.raises(IllegalArgumentException) as refused:
        make(lab)
    assert says in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("look_for", "says"),
    [
        (lambda lab, future: lab.brokers, "lab.broker(0) is the handle of broker 0"),
        (lambda lab, future: lab.kill_broker(1), "lab.broker(0).crash()"),
        (lambda lab, future: lab.create_topics("x"), "Did you mean 'create_topic'?"),
        (lambda lab, future: future.result(), "get() waits for the outcome"),
        (
            lambda lab, future: future.exception(),
            "get() waits for the outcome and raises what went wrong",
        ),
        (lambda lab, future: future.dones(), "Did you mean 'done'? There are: done, get."),
    ],
)
def test_a_name_that_is_missing_names_what_there_is(lab, look_for, says):
    future = KafkaProducer(lab).send(ProducerRecord("orders", "tea"))
    with pytest.raises(NoSuchName) as refused:
        look_for(lab, future)
    assert says in str(refused.value) and isinstance(refused.value, AttributeError)
    assert not hasattr(lab, "_repr_html_") and not hasattr(future, "_repr_html_")


def test_what_did_not_happen_yet_gives_an_empty_table(lab):
    assert (
        lab.table("group.left").empty
        and lab.table("request.queued").empty
        and not lab.table("call").empty
    )
    lab.spawn(lambda lab: lab.call("quiet", "works", {}), name="quiet")
    lab.run_for(1)
    assert lab.lines("quiet").empty, "who is in the lab and wrote nothing"


def test_all_kinds_that_are_written_are_known():
    """Every kind that the source names where it writes into the journal,
    or hands it on to be written."""
    written = set()
    for path in Path(kafkalab.__file__).parent.rglob("*.py"):
        # laws and stories write "told", the words of their own programs
        if {"tests", "logsets", "laws", "stories"} & set(path.parts):
            continue
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(call, ast.Call)
                and call.args
                and isinstance(call.args[0], ast.Constant)
                and isinstance(call.args[0].value, str)
            ):
                by = ast.unparse(call.func)
                if (
                    by == "Note.of"
                    or by.endswith(("journal.append", "journal.note", "journal.write"))
                    or (by == "self._tell" and path.stem in ("cluster_state", "subscription_state"))
                ):
                    written.add(call.args[0].value)
    assert len(written) > 40 and written <= KINDS


def test_the_first_send_to_a_topic_that_is_not_there_warns_once_and_leaves_no_trace():
    def play(topic):
        lab = Lab(seed=1)
        lab.create_topic("orders")
        producer = KafkaProducer(lab, {"client.id": "shop"})
        for _ in range(2):
            producer.send(ProducerRecord(topic, "tea"))
        KafkaProducer(lab, {"client.id": "other"}).send(ProducerRecord(topic, "tea")).get()
        return lab

    with pytest.warns(UserWarning) as heard:
        lab = play("ordres")
    (warning,) = heard
    assert str(warning.message) == (
        "There is no topic 'ordres' yet, so this send makes the brokers create it, with their "
        "defaults. Did you mean 'orders'? There is: orders."
    )
    assert warning.filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        play("orders")
        closed = Lab(broker_config={"auto.create.topics.enable": False})
        KafkaProducer(closed, {"max.block.ms": 100}).send(ProducerRecord("ordres", "tea"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = play("ordres")
    assert [repr(event) for event in again.journal.events] == [
        repr(event) for event in lab.journal.events
    ]


CELLS = """
import sys
import kafkalab
assert "IPython" not in sys.modules
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
def cell(source):
    print("=====")
    shell.run_cell(source, store_history=True)
cell("import kafkalab\\nfrom kafkalab import *")
cell("settings = {'acks': '1'}\\nproducer = KafkaProducer(settings)")
cell("kafkalab.traceback()")
cell("lab = Lab()\\ndef program(lab):\\n    KafkaProducer(lab, {'linger.ms': 'abc'})\\nlab.spawn(program)\\nlab.run_for(10)")
cell("lab.brokers")
cell("1 / 0")
"""  # noqa: E501


def test_ipython_shows_the_learners_line_and_the_sentence():
    """A real shell: the short form is what a cell shows, and the whole is one call away."""
    said = subprocess.run(
        [sys.executable, "-c", CELLS], capture_output=True, text=True, timeout=600
    )
    assert said.returncode == 0, said.stderr
    _, _, misuse, whole, in_an_app, missing, own = said.stdout.split("=====\n")
    assert misuse.splitlines() == [
        "Cell In[2], line 2: producer = KafkaProducer(settings)",
        (
            "IllegalArgumentException: A KafkaProducer needs the lab it lives in: lab = Lab(), "
            "then KafkaProducer(lab, {...}). It got {'acks': '1'} instead. Its settings come "
            "second."
        ),
        "(kafkalab.traceback() shows the whole traceback.)",
    ]
    assert (
        "kafka_producer.py" in whole
        and "arguments.py" in whole
        and whole.startswith("Traceback (most recent call last):")
    )
    first, second, sentence, _ = in_an_app.splitlines()
    assert (
        first == "Cell In[4], line 5: lab.run_for(10)"
        and second == "Cell In[4], line 3: KafkaProducer(lab, {'linger.ms': 'abc'})"
    )
    assert sentence.startswith("ConfigException: Invalid value abc for configuration linger.ms")
    assert (
        missing.startswith("Cell In[5], line 1: lab.brokers\nNoSuchName: a Lab has no 'brokers'")
        and ".py" not in missing
    )
    assert "ZeroDivisionError" in own and "Traceback (most recent call last)" in own, (
        "an error that is not kafkalab's is shown as ever"
    )


def test_outside_ipython_an_error_is_an_error_like_any_other():
    said = subprocess.run(
        [sys.executable, "-c", "import kafkalab; kafkalab.KafkaProducer({})"],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (
        said.returncode == 1
        and "Traceback (most recent call last)" in said.stderr
        and "kafka_producer.py" in said.stderr
    )
    assert "kafkalab.errors.IllegalArgumentException: A KafkaProducer needs the lab" in said.stderr
