"""Plays: the learner's code decides in the sandbox, and is judged on a run that is played again
from its decisions alone."""

import collections
import enum
import gc
import json
import weakref

import pandas
import pytest

from autograder.cell.data import plain
from autograder.cell.kinds import Function, StateMachine, walks
from autograder.cell.plays import MOST_CALLS
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord
from kafkalab.tests.shares import few

CASES = tuple(
    {"case": f"{'a crash, ' if crash_ms else ''}seed {seed}", "seed": seed, "crash_ms": crash_ms}
    for seed in (1, 2, 3)
    for crash_ms in (0, 3_700 + 300 * seed)
)


def shift(case, part):
    """Ada reads nine orders and may be killed at her work; Bo is on the next shift."""
    lab = Lab(brokers=3, seed=case["seed"], broker_config={"group.min.session.timeout.ms": 1_000})
    lab.create_topic("orders", partitions=1, replication_factor=3)
    producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
    for number in range(9):
        producer.send(ProducerRecord("orders", key=f"tea-{number}", value="tea"))

    def on_duty(lab, name):
        consumer = KafkaConsumer(
            lab,
            {
                "group.id": "stock",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "session.timeout.ms": 2_000,
                "heartbeat.interval.ms": 500,
                "max.poll.records": 3,
            },
            name=name,
        )
        consumer.subscribe(["orders"])
        part(lab, consumer)

    lab.spawn(on_duty, "ada", name="ada")
    lab.run_for(ms=case["crash_ms"] or 6_000)
    if case["crash_ms"]:
        lab.kill("ada")
        lab.spawn(on_duty, "bo", name="bo")
    lab.run_for(ms=9_000)
    lab.close()
    return lab


def careful(consumer, finish):
    from kafkalab import OffsetAndMetadata, TopicPartition

    while True:
        for record in consumer.poll(timeout_ms=200):
            finish(record)
            consumer.commit_sync(
                {
                    TopicPartition(record.topic, record.partition): OffsetAndMetadata(
                        record.offset + 1
                    )
                }
            )


def hasty(consumer, finish):
    while True:
        records = consumer.poll(timeout_ms=200)
        consumer.commit_sync()
        for record in records:
            consumer.position(consumer.assignment()[0])
            finish(record)
            # the work takes a while, and what comes meanwhile is thrown away
            consumer.poll(timeout_ms=120)


def off_by_one(consumer, finish):
    from kafkalab import OffsetAndMetadata, TopicPartition

    while True:
        for record in consumer.poll(timeout_ms=200):
            finish(record)
            consumer.commit_sync(
                {TopicPartition(record.topic, record.partition): OffsetAndMetadata(record.offset)}
            )


LOOP = Function(
    id="09.9",
    title="a commit loop",
    points=3,
    answers=("loop",),
    public_cases=CASES,
    play=shift,
    part="Loop",
    promise=("lost", "duplicated", "skipped", "nonmonotonic", "unobserved"),
    kept="nothing was lost, nothing was done twice.",
)


def judged(loop):
    """The verdicts on all cases, the decisions having travelled as JSON."""
    return [
        LOOP.public_judge(case, json.loads(json.dumps(LOOP.run_probe({"loop": loop}, case))))
        for case in CASES
    ]


@pytest.mark.corpus
def test_a_loop_that_keeps_its_promise_under_every_seed_and_crash():
    assert [verdict[:2] for verdict in judged(careful)] == [(True, LOOP.kept)] * len(CASES)


def test_the_first_anomaly_is_told_with_the_rows_that_prove_it():
    verdicts = judged(off_by_one)
    crashed = [verdict for verdict, case in zip(verdicts, CASES) if case["crash_ms"]]
    assert any(not ok for ok, *_ in crashed)
    _ok, sentence, proof = next(verdict for verdict in crashed if not verdict[0])
    assert (
        sentence.startswith("tea-")
        and "by ada and by bo" in sentence
        and sentence.endswith("This is called duplicated.")
    )
    assert any("has finished tea-" in row for row in proof) and any(
        "dies (kill -9)" in row for row in proof
    )


def test_work_that_takes_time_can_be_cut_in_the_middle():
    """The same scenario, each record 40 ms of work: a crash leaves a part of a poll done,
    and the replay the same part."""

    def slowly(case, part):
        lab = Lab(
            brokers=1, seed=case["seed"], broker_config={"group.initial.rebalance.delay.ms": 0}
        )
        lab.create_topic("orders")
        producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
        for number in range(9):
            producer.send(ProducerRecord("orders", key=f"tea-{number}", value="tea"))
        producer.flush()

        def on_duty(lab):
            consumer = KafkaConsumer(
                lab,
                {"group.id": "stock", "auto.offset.reset": "earliest", "enable.auto.commit": False},
                name="ada",
            )
            consumer.subscribe(["orders"])
            part(lab, consumer, work_ms=40)

        lab.spawn(on_duty, name="ada")
        lab.run_for(ms=case["crash_ms"])
        lab.kill("ada")
        lab.close()
        return lab

    question = Function(
        id="09.9",
        title="a loop",
        points=1,
        answers=("loop",),
        public_cases=CASES,
        play=slowly,
        part="Loop",
        look=lambda case, lab: (f"done {len(list(lab.journal.of('told')))}", ()),
    )
    case = {"seed": 1, "crash_ms": 300}
    _, sentence, _ = question.public_judge(case, question.run_probe({"loop": careful}, case))
    assert 0 < int(sentence.split()[1]) < 9


@pytest.mark.corpus
def test_what_is_thrown_away_is_lost():
    ok, sentence, proof = judged(hasty)[0]
    assert (
        not ok and sentence.endswith(("This is called lost.", "This is called skipped.")) and proof
    )


@pytest.mark.parametrize(
    "forged",
    [
        # work on what was never given
        {"ada": [["finish", ["orders-0", 0], 1]]},
        # a judge that would poll for ever
        {"ada": [["poll", [200], 10**9]]},
        {"ada": [["poll", [200], MOST_CALLS + 1]]},
        {"ada": [["__class__", [], 1]]},
        {"ada": "poll"},
        [1, 2],
        None,
        {"ada": [["commit_sync", [{"offsets": {"x": 1}}], 1]]},
        {"ada": [["poll", ["soon"], 1]]},
    ],
)
def test_decisions_that_were_never_made_are_refused(forged):
    ok, sentence, _ = LOOP.public_judge(CASES[0], forged)
    assert not ok and sentence == "the run cannot be played again from what your function decided."


@pytest.mark.slow
def test_a_journal_that_the_learner_wrote_in_changes_nothing():
    """The learner's code finds the lab and says there what it never did:
    the judge plays its own."""

    def liar(consumer, finish):
        for lab in [each for each in gc.get_objects() if type(each) is Lab]:
            for number in range(9):
                lab.journal.append(
                    "told",
                    "ada",
                    what="done",
                    partition="orders-0",
                    offset=number,
                    key=f"tea-{number}",
                )
        consumer.commit_sync()
        while True:
            consumer.poll(timeout_ms=200)
            consumer.commit_sync()

    assert not any(ok for ok, *_ in judged(liar))


def asleep(consumer, finish):
    while True:
        consumer.pause(consumer.assignment())
        consumer.poll(timeout_ms=500)


def lazy(consumer, finish):
    while True:
        consumer.poll(timeout_ms=500)


@pytest.mark.parametrize(
    "loop, sentence",
    [
        (
            asleep,
            (
                "tea-0 was acknowledged at orders-0@0, and group stock has not finished the work "
                "on it. This is called unobserved."
            ),
        ),
        (
            lazy,
            (
                "tea-0 was acknowledged at orders-0@0, and group stock has not finished the work "
                "on it. This is called unobserved."
            ),
        ),
        (
            lambda consumer, finish: None,
            (
                "tea-0 was acknowledged at orders-0@0, and group stock was never given it. This "
                "is called unobserved."
            ),
        ),
    ],
)
def test_doing_nothing_keeps_no_promise(loop, sentence):
    assert LOOP.public_judge(CASES[0], LOOP.run_probe({"loop": loop}, CASES[0]))[:2] == (
        False,
        sentence,
    )
    with pytest.raises(ValueError, match="whoever does nothing loses nothing"):
        Function(
            id="09.9",
            title="a loop",
            points=3,
            answers=("loop",),
            play=shift,
            part="Loop",
            promise=("lost",),
        )


def test_a_rules_answers_are_given_again_and_no_others():
    from autograder.cell.questions.ch02 import QUESTIONS, STARTS

    least = next(question for question in QUESTIONS if question.id == "02.3")
    asked = []

    def rule(nodes):
        asked.append(len(nodes))
        return (
            next((node for node in nodes if node.can_send), None)
            or next((node for node in nodes if node.state == "preparing"), None)
            or nodes[0]
        )

    decisions = least.run_probe({"least_loaded": rule}, STARTS[0])
    assert least.public_judge(STARTS[0], decisions)[0] and len(decisions) == len(asked)
    for forged in (decisions[:-1], [*decisions, -1], [99] * len(decisions), ["x"] * len(decisions)):
        assert not least.public_judge(STARTS[0], forged)[0]
    assert not LOOP.public_judge(
        CASES[0], {"ada": [["poll", [200], 3]], "eve": [["poll", [200], 3]]}
    )[0], "nobody called eve is in this play"


# A function that raises


def told(question, code):
    """What check says to an answer, all cases together."""
    from autograder.cell.check import judge_openly, worth_telling

    names: dict = {}
    exec(compile(code, "<ipython-input>", "exec"), names)
    return [each.sentence for each in worth_telling(question, judge_openly(question, names))]


def the(question_id):
    from autograder.cell.question import find

    return find(question_id)


def test_an_error_that_the_scenario_catches_is_told_with_its_line():
    """The job of 01.4 goes on after a TypeError; the learner hears of it all the same."""
    said = told(
        the("01.4"),
        "def first_offset(committed, log_start, log_end, reset):\n"
        "    if log_start > 0 and (committed is None or committed < log_start):\n"
        "        return log_start if reset == 'earliest' else log_end\n"
        "    return committed + 0\n",
    )
    stopped = [each for each in said if "your code stopped with TypeError in line 4" in each]
    assert len(stopped) == 1 and stopped[0].startswith("killed once")
    assert not any("played again" in each for each in said)


def test_a_word_that_the_lab_does_not_know_stopped_no_code_of_the_learners():
    said = told(the("16.3"), "def verdict(went, delivery):\n    return 'accepted'\n")
    assert all(each.startswith("what `verdict` returned cannot be used: ") for each in said)
    assert "not 'accepted'" in said[0]


def test_an_error_that_the_learners_own_code_catches_is_told_with_its_line():
    said = told(
        LOOP,
        "def loop(consumer, finish):\n"
        "    while True:\n"
        "        for record in consumer.poll(timeout_ms=200):\n"
        "            finish(record)\n"
        "            try:\n"
        "                consumer.commit_sync({record.topic: 3})\n"
        "            except Exception:\n"
        "                pass\n",
    )
    assert said == [
        "your code catches IllegalArgumentException in line 6 of the answer: commit_sync() takes "
        "an OffsetAndMetadata for each TopicPartition, such as {TopicPartition('t', 0): "
        "OffsetAndMetadata(5)}, not {'orders': 3}."
    ]


@pytest.mark.corpus
def test_an_error_in_a_process_that_is_killed_is_nobodys():
    def tidy(consumer, finish):
        try:
            careful(consumer, finish)
        finally:
            consumer.commit_sync()

    assert all(ok for ok, *_ in judged(tidy))


def test_arguments_with_a_name_are_made_again_in_their_place():
    def named(consumer, finish):
        def answered(offsets, error):
            assert error is None

        while True:
            for record in consumer.poll(timeout_ms=200):
                finish(record)
            consumer.commit_async(callback=answered)
            consumer.committed(partitions=consumer.assignment())

    decisions = LOOP.run_probe({"loop": named}, CASES[0])
    assert ["commit_async", [None], 1] in decisions["ada"]
    assert LOOP.public_judge(CASES[0], decisions)[:2] == (True, LOOP.kept)


# A loop with a pool


def pooled(name):
    """(the exercise of chapter 10, its reference or a named wrong answer as a function)."""
    from autograder.cell.question import find
    from autograder.course.judge import judge_of
    from autograder.course.references import references

    wrong = {wrong.name: wrong.source for wrong in judge_of("10.5").wrong_answers}
    names = {}
    exec(
        "from kafkalab import OffsetAndMetadata, TopicPartition\n"
        + (references("10")["10.5"] if name == "reference" else wrong[name]),
        names,
    )
    return find("10.5"), names["work_through"]


@pytest.mark.parametrize(
    "name, word",
    few(
        [
            ("reference", None),
            ("commit what was polled", "This is called lost."),
            ("wait for the workers", "Never wait for the workers."),
            ("never commit", "would do the others again"),
            ("one list for all partitions", "This is called nonmonotonic."),
        ],
        2,
    ),
)
def test_what_a_poller_with_a_pool_commits_is_judged_by_the_run(name, word):
    question, function = pooled(name)
    case = question.public_cases[2]
    decisions = json.loads(json.dumps(question.run_probe({"work_through": function}, case)))
    ok, sentence, _ = question.public_judge(case, decisions)
    assert ok == (word is None) and (ok or word in sentence)


@pytest.mark.parametrize(
    "forged",
    [
        {"ada": [["submit", ["orders-0", 0], 1]]},
        {"ada": [["finish", ["orders-0", 0], 1]]},
        {"ada": [["submit", [0], 1]]},
        {"eve": [["poll", [100], 1]]},
    ],
)
def test_nobody_says_that_a_pools_work_is_done_but_the_pool(forged):
    question, _ = pooled("reference")
    ok, sentence, _ = question.public_judge(question.public_cases[0], forged)
    assert not ok and sentence == "the run cannot be played again from what your function decided."


def test_a_loop_that_only_asks_its_pool_is_ended():
    from autograder.cell.reply import NotAsAsked

    question, _ = pooled("reference")

    def asks(consumer, pool):
        while not pool.finished():
            pass

    with pytest.raises(NotAsAsked, match="more than 20,000 calls"):
        question.run_probe({"work_through": asks}, question.public_cases[0])


# State machines

DOOR = StateMachine(
    id="09.8",
    title="a door",
    points=1,
    answers=("door",),
    start="shut",
    states=("shut", "open"),
    public_cases=walks((("open", "close", "open"), ("close",), ("open", "open"))),
)


def test_walks_come_short_ones_first_each_after_its_beginnings():
    assert [case["walk"] for case in DOOR.public_cases] == [
        ["close"],
        ["open"],
        ["open", "close"],
        ["open", "open"],
        ["open", "close", "open"],
    ]


def test_a_table_and_a_handler_walk_alike():
    table = {"shut": {"open": "open"}, "open": {"close": "shut"}}

    def handler(state, event):
        return table[state].get(event)

    for case in DOOR.public_cases:
        assert DOOR.run_probe({"door": table}, case) == DOOR.run_probe({"door": handler}, case)
    assert plain(DOOR.run_probe({"door": table}, DOOR.public_cases[-1])) == ["open", "shut", "open"]


class Leaf(str, enum.Enum):
    """States of a door, as a learner may name them."""

    SHUT = "shut"
    OPEN = "open"


@pytest.mark.parametrize(
    "table",
    [
        {Leaf.SHUT: {"open": Leaf.OPEN}, Leaf.OPEN: {"close": Leaf.SHUT}},
        pandas.Series({"shut": {"open": "open"}, "open": {"close": "shut"}}),
        {"shut": pandas.Series({"open": "open"}), "open": pandas.Series({"close": "shut"})},
        collections.defaultdict(dict, {"shut": {"open": "open"}, "open": {"close": "shut"}}),
        pandas.DataFrame({"shut": {"open": "open"}, "open": {"close": "shut"}}).to_dict(),
    ],
)
def test_a_table_walks_alike_whatever_its_dicts_are_made_of(table):
    walked = [DOOR.run_probe({"door": table}, case) for case in DOOR.public_cases]
    assert walked == [[None], ["open"], ["open", "shut"], ["open", None], ["open", "shut", "open"]]


def test_the_judges_table_of_a_connection_is_the_simulators():
    from autograder.course.judges.ch02 import MOVES
    from kafkalab.reading.states import states

    machine = states("connection")
    reached = {
        before: {after for (state, _), after in MOVES.items() if state == before}
        for before in {state for state, _ in MOVES}
    }
    assert {
        state: set(moves) for state, moves in machine.moves.items() if state != "(none)"
    } == reached


@pytest.mark.slow
def test_the_judges_table_of_a_group_is_what_coordinators_do():
    """Every step of real groups' days, of either generation of coordinators, is in the judge's
    table; together they take every step of it."""
    from autograder.course.judges.ch08 import MOVES, lived
    from kafkalab.reading.states import states

    taken = set()
    for seed in range(25):
        state = "Empty"
        for before, event, after in lived(seed, "2.3" if seed % 3 == 0 else "4.4"):
            assert before == state and MOVES[before, event] == after, (
                f"seed {seed}: {event} led from {before} to {after}"
            )
            taken.add((before, event))
            state = after
    assert taken == set(MOVES)
    assert all(
        states("group").may_move(before, after)
        for (before, _), after in MOVES.items()
        if before != after
    )


def test_the_judges_handler_is_javas():
    from autograder.course.judges.ch08 import JAVAS
    from kafkalab.clients.consumer.classic.heartbeat_responses import javas_choice
    from kafkalab.errors import Errors

    assert {error.name: JAVAS.get(error.name, "try later") for error in Errors} == {
        error.name: javas_choice(error.name) for error in Errors
    }


@pytest.mark.parametrize("program", ["right", "no + 1", "counts late"])
def test_the_lines_of_chapter_09s_bug_hunt_are_what_a_2_3_client_writes(program):
    """The exercise draws its lines without playing a lab; here a lab plays the same program."""
    from autograder.cell.questions.ch09 import batch_commits
    from kafkalab import OffsetAndMetadata, TopicPartition

    lab, place = (
        Lab(
            brokers=1,
            seed=5,
            version="2.3",
            broker_version="2.3",
            broker_config={"group.initial.rebalance.delay.ms": 0},
        ),
        TopicPartition("orders", 0),
    )
    lab.create_topic("orders")
    producer = KafkaProducer(lab, {}, name="shop")
    for _ in range(42):
        producer.send(ProducerRecord("orders", value="tea"))
    producer.flush()
    before = KafkaConsumer(lab, {"group.id": "billing"}, name="before")
    before.assign([place])
    before.commit_sync({place: OffsetAndMetadata(20)})
    before.close()
    reader, count, done = (
        KafkaConsumer(lab, {"group.id": "billing", "enable.auto.commit": False}, name="ada"),
        0,
        0,
    )
    reader.subscribe(["orders"])
    while done < 22:
        for record in reader.poll(timeout_ms=500):
            done, count = done + 1, count + (program != "counts late")
            if count % 5 == 0:
                reader.commit_sync(
                    {place: OffsetAndMetadata(record.offset + (program != "no + 1"))}
                )
            count += program == "counts late"
    told = [line.partition("] ")[2] for line in lab.lines("ada").message]
    assert [
        line for line in told if line.startswith(("Setting offset for", "Committed offset"))
    ] == batch_commits(program, 5, 20, 22)


@pytest.mark.parametrize("closes", few((True, False), 1, 1))
def test_no_lab_of_a_play_is_kept(closes):
    """Also where a loop waits in its `finally`, and where the scenario closes no lab."""
    labs = []

    def play(case, part):
        lab = Lab(brokers=1, seed=case["seed"])
        lab.create_topic("orders")
        labs.append(weakref.ref(lab))

        def on_duty(lab):
            consumer = KafkaConsumer(lab, {"group.id": "stock"}, name="ada")
            consumer.subscribe(["orders"])
            part(lab, consumer)

        lab.spawn(on_duty, name="ada")
        lab.run_for(ms=4_000)
        if closes:
            lab.close()
        return lab

    def loop(consumer, finish):
        try:
            while True:
                consumer.poll(timeout_ms=200)
        finally:
            consumer.commit_sync()
            consumer.close()

    question = Function(
        id="99.1",
        title="a loop",
        points=1,
        answers=("loop",),
        play=play,
        part="Loop",
        promise=("lost", "unobserved"),
    )
    case = {"seed": 1}
    decisions = question.run_probe({"loop": loop}, case)
    assert question.public_judge(case, decisions)[0]
    gc.collect()
    assert len(labs) == 2 and all(lab() is None for lab in labs)
