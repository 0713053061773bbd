"""Can a scenario be played by anyone, and does a replay look only at what it may?

A replay gets what there was and what the program did. It must not learn from what was observed, and
must turn anything it cannot use away with one sentence and exit code 2, before it has written a
byte.
"""

import copy
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kafkalab.proof.replay import STEPS, main, replay
from kafkalab.proof.scenario import FIELDS, UnusableScenario
from kafkalab.releases import PROFILES
from kafkalab.tests.shares import few

ROOT = Path(__file__).resolve().parents[2]
RECORDINGS = ROOT / "data" / "recordings"
SIX = (
    "2.3.1/2.2.2/producer_all_partitions",
    "2.3.1/2.3.0/two_brokers_two_members",
    "2.3.1/2.3.0/consumer_first_bootstrap_refuses",
    "4.4.0/3.9.2/consumer_paused",
    "4.4.0/3.9.2/producer_defaults",
    "4.4.0/4.4.0/consumer_first_poll_3_brokers",
)

START_MS = 1_795_000_000_000


def recorded(name):
    return json.loads((RECORDINGS / name / "scenario.json").read_text(encoding="utf-8"))


def step(do, at_ms=0, client="shop", **fields):
    return {"at_ms": START_MS + at_ms, "client": client, "do": do, **fields}


def scenario(*events, **others):
    """Three brokers, topic t4, group "test" coordinated by broker 2;
    a 3.9.2 client unless said otherwise."""
    return {
        "scenario": "made up",
        "client_version": "3.9.2",
        "broker_version": "4.4.0",
        "brokers": {"0": "localhost:9092", "1": "localhost:9093", "2": "localhost:9094"},
        "broker_config": {"auto.create.topics.enable": False},
        "topics": {"t4": [{"leader": n, "replicas": [n]} for n in range(3)]},
        "groups": {"test": {"coordinator": 2}},
        "events": list(events),
        **others,
    }


NEW_PRODUCER = step("new KafkaProducer", config={"bootstrap.servers": "localhost:9092"})
SEND = step("send", 1_000, topic="t4", key=None, value="tea", wait=True)
NEW_CONSUMER = step(
    "new KafkaConsumer",
    client="inv-1",
    config={"bootstrap.servers": "localhost:9092", "group.id": "test"},
)
SUBSCRIBE = step("subscribe", 1_000, client="inv-1", topics=["t4"])
POLL = step("poll", 1_100, client="inv-1", timeout_ms=100, for_ms=1_500)


# what a replay may know


@pytest.mark.parametrize("name", few(SIX, 2))
def test_what_was_observed_makes_no_difference(name):
    whole = recorded(name)
    bare = copy.deepcopy(whole)
    bare["scenario"] = "another name"
    bare["events"] = [
        {
            field: value
            for field, value in event.items()
            if field not in ("result", "error", "took_ms")
        }
        for event in bare["events"]
        if event["do"] != "assignment"
    ]
    bare.pop("sockets")
    assert whole != bare
    assert replay(whole, seed=3) == replay(bare, seed=3)


def test_every_step_has_fields_and_something_to_do():
    assert set(FIELDS) == set(STEPS)


def test_each_client_has_a_seed_of_its_own():
    two = scenario(NEW_CONSUMER, SUBSCRIBE, POLL, NEW_PRODUCER, SEND)
    before, after = replay(two, {"shop": 1, "inv-1": 1}), replay(two, {"shop": 1, "inv-1": 2})
    assert before["shop"] == after["shop"]
    assert before["inv-1"] != after["inv-1"]


def test_one_seed_is_everyones():
    two = scenario(NEW_CONSUMER, SUBSCRIBE, POLL, NEW_PRODUCER, SEND)
    assert replay(two, 5) == replay(two, {"shop": 5, "inv-1": 5, "": 5})


def test_times_far_apart_cost_nothing():
    """A day with an idle producer in it: what takes long here is only what happens."""
    played = replay(
        scenario(
            NEW_PRODUCER,
            SEND,
            step("send", 24 * 3_600_000, topic="t4", value="milk", wait=True),
            step("close", 24 * 3_600_000 + 1),
        )
    )
    lines = played["shop"].splitlines()
    assert "2026-11-18" in lines[0] and "2026-11-19" in lines[-1]


def test_a_step_waits_for_the_one_before_and_for_its_time():
    played = replay(scenario(NEW_CONSUMER, SUBSCRIBE, POLL, step("close", 1_200, client="inv-1")))[
        "inv-1"
    ].splitlines()
    closing = next(line for line in played if "Closing the Kafka consumer" in line)
    subscribed = next(line for line in played if "Subscribed to topic(s)" in line)
    assert subscribed[12:24] >= _clock(1_000)
    assert closing[12:24] >= _clock(2_600)


def _clock(after_ms):
    import datetime

    return datetime.datetime.fromtimestamp((START_MS + after_ms) / 1000, datetime.UTC).strftime(
        "%H:%M:%S,%f"
    )[:12]


def test_a_broker_stands_still_from_kill_stop_to_kill_cont():
    stopped, goes_on = (
        step(do, at_ms, client="broker 0")
        for do, at_ms in (("kill -STOP", 3_000), ("kill -CONT", 8_000))
    )
    early, late = (
        step("send", 4_000, topic="t4", value="milk", to_partition=0, wait=True),
        step("close", 9_000),
    )
    played = replay(scenario(NEW_PRODUCER, SEND, stopped, early, goes_on, late))[
        "shop"
    ].splitlines()
    sent, answered = (
        [line for line in played if word in line and "correlationId" in line]
        for word in ("Sending PRODUCE", "Received PRODUCE")
    )
    assert sent[-1][12:24] < _clock(4_100) and answered[-1][12:24] >= _clock(8_000)


def test_a_broker_goes_on_only_where_it_stood_still(run):
    refused(
        run(scenario(NEW_PRODUCER, SEND, step("kill -CONT", 3_000, client="broker 0"))),
        "kill -CONT",
        "kill -STOP",
        "broker 0",
    )


def test_a_program_goes_on_after_an_exception_as_the_recorded_one_did():
    """Polling without a subscription fails in Java too;
    the recorder noted the error and took the next step."""
    played = replay(scenario(NEW_CONSUMER, POLL, step("close", 3_000, client="inv-1")))["inv-1"]
    assert "Kafka consumer has been closed" in played


@pytest.mark.parametrize("version", few(PROFILES, 3))
def test_every_version_plays(version):
    consumer = {
        **NEW_CONSUMER,
        "config": {"bootstrap.servers": "localhost:9092", "group.id": "test"},
    }
    played = replay(scenario(consumer, SUBSCRIBE, POLL, NEW_PRODUCER, SEND), version=version)
    assert f" {PROFILES[version].release} (org.apache.kafka.common.utils." in played["shop"]
    assert "Initiating connection to node localhost:9092 (id: -1 rack: null" in played["inv-1"]


# the command line


@pytest.fixture
def run(tmp_path, capsys):
    """Play a scenario by the command line; returns (exit code, what it
    said, {file: text} of the out folder)."""
    numbers = itertools.count()

    def play(given, *options, out=None):
        path = tmp_path / f"scenario-{next(numbers)}.json"
        path.write_text(given if isinstance(given, str) else json.dumps(given), encoding="utf-8")
        out = out or tmp_path / "out"
        code = main([str(path), "--out", str(out), *options])
        said = capsys.readouterr()
        assert said.out == ""
        return (
            code,
            said.err,
            {file.name: file.read_text() for file in sorted(out.iterdir())} if out.is_dir() else {},
        )

    return play


def refused(result, *names):
    """It ended with exit code 2 and one sentence that names what is wrong; nothing was written."""
    code, said, files = result
    assert code == 2
    assert said.startswith("replay: ") and said.count("\n") == 1 and said.endswith("\n")
    assert "Traceback" not in said and "object has no attribute" not in said
    assert files == {}
    for name in names:
        assert name in said
    return said


def test_it_writes_a_log_for_each_client_and_nothing_else(run):
    code, said, files = run(scenario(NEW_CONSUMER, SUBSCRIBE, POLL, NEW_PRODUCER, SEND))
    assert (code, said, set(files)) == (0, "", {"inv-1.log", "shop.log"})
    assert files == {
        f"{name}.log": text
        for name, text in replay(
            scenario(NEW_CONSUMER, SUBSCRIBE, POLL, NEW_PRODUCER, SEND)
        ).items()
    }


def test_seeds_by_name_reach_their_clients(run):
    two = scenario(NEW_CONSUMER, SUBSCRIBE, POLL, NEW_PRODUCER, SEND)
    assert (
        run(two, "--seed", "inv-1=7,shop=41")[2]["shop.log"]
        == replay(two, {"shop": 41, "inv-1": 7})["shop"]
    )
    assert run(two, "--seed", "41")[2]["shop.log"] == replay(two, 41)["shop"]


def test_an_unknown_patch_release_plays_its_minor_and_says_so(run):
    code, said, files = run(scenario(NEW_PRODUCER, SEND), "--version", "3.9.77")
    assert code == 0
    assert "3.9.77" in said and "3.9.2" in said and said.count("\n") == 1
    assert "Kafka version: 3.9.2" in files["shop.log"]


def test_the_version_option_wins_over_the_scenario(run):
    assert (
        "Kafka version: 2.2.2"
        in run(scenario(NEW_PRODUCER, SEND), "--version", "2.2")[2]["shop.log"]
    )


@pytest.mark.parametrize("version", ["9.9", "3", "three", "3.9.x", "3.9-rc1", " 3.9"])
def test_an_unknown_version(run, version):
    refused(run(scenario(NEW_PRODUCER), "--version", version), version, "4.4")


@pytest.mark.parametrize(
    "seed", ["seven", "7.5", "inv-1", "inv-1=", "inv-1=x", "inv-1=1,,", "a=b=c", ""]
)
def test_a_bad_seed(run, seed):
    refused(run(scenario(NEW_PRODUCER), "--seed", seed), "--seed", repr(seed))


def test_an_unknown_step(run):
    refused(run(scenario(NEW_PRODUCER, step("prepareTransaction"))), "prepareTransaction", "shop")
    refused(
        run(scenario({"at_ms": START_MS, "broker": "broker 1", "do": "kill -9"})),
        "kill -9",
        "broker 1",
    )


def test_an_unknown_config(run):
    refused(
        run(
            scenario(
                step(
                    "new KafkaProducer",
                    config={"bootstrap.servers": "localhost:9092", "linger.minutes": 5},
                )
            )
        ),
        "linger.minutes",
        "linger.ms",
    )
    refused(
        run(scenario(step("new KafkaConsumer", config={"linger.ms": 5}))), "linger.ms", "consumer"
    )
    refused(run(scenario(step("new KafkaProducer", config={"acks": "most"}))), "acks", "most")


def test_a_config_of_a_later_version(run):
    later = scenario(step("new KafkaProducer", config={"metadata.recovery.strategy": "none"}))
    assert run(later)[0] == 0
    refused(run(later, "--version", "2.3", out=Path(os.devnull)), "metadata.recovery.strategy")


@pytest.mark.parametrize(
    "servers",
    [
        "localhost",
        "localhost:port",
        "localhost:0",
        "localhost:65536",
        ":9092",
        "http://localhost:9092",
    ],
)
def test_bootstrap_servers_that_are_no_addresses(run, servers):
    refused(
        run(scenario(step("new KafkaProducer", config={"bootstrap.servers": servers}))),
        "bootstrap.servers",
        servers,
        "host:port",
    )


def test_an_unknown_broker_version_or_setting(run):
    refused(run(scenario(NEW_PRODUCER, broker_version="3.1.0")), "3.1.0")
    refused(run(scenario(NEW_PRODUCER, broker_config={"log.flush": 3})), "log.flush")
    refused(
        run(scenario(NEW_PRODUCER, broker_config={"replica.selector.class": "my.Own"})),
        "one of Kafka's own selectors",
    )
    refused(run(scenario(NEW_PRODUCER, racks={"9": "a"})), "'racks' names the rack of a broker")


@pytest.mark.parametrize(
    "text", ["", "{", "not json", '{"a": 1,}', "{'a': 1}", "\x00", "[" * 100_000]
)
def test_broken_json(run, text):
    refused(run(text), "scenario-0.json")


@pytest.mark.parametrize("text", ["[]", "3", "null", '"scenario"', "true", "NaN", "[[[[]]]]"])
def test_json_that_is_no_object(run, text):
    refused(run(text), "not a JSON object")


@pytest.mark.parametrize("field", ["client_version", "broker_version", "brokers", "events"])
def test_a_missing_field(run, field):
    without = scenario(NEW_PRODUCER)
    del without[field]
    refused(run(without), field)


@pytest.mark.parametrize(
    ("do", "field"),
    [(do, name) for do, fields in FIELDS.items() for name in fields if not name.endswith("?")],
)
def test_a_step_without_what_it_needs(run, do, field):
    given = {
        "timeout_ms": 10,
        "for_ms": 10,
        "topics": ["t4"],
        "partitions": ["t4-0"],
        "partition": "t4-0",
        "offset": 0,
        "topic": "t4",
    }
    fields = {name: given[name] for name in FIELDS[do] if name in given and name != field}
    refused(
        run(scenario(step("new KafkaConsumer"), step("new KafkaProducer"), step(do, **fields))),
        do,
        "shop",
        field,
    )


def test_a_step_before_its_client_was_made(run):
    refused(run(scenario(SEND)), "send", "new KafkaProducer")
    refused(run(scenario(NEW_PRODUCER, step("poll", timeout_ms=5))), "poll", "new KafkaConsumer")


@pytest.mark.parametrize(
    "name", ["../outside", "a/b", "..", "", "two\nlines", "back\\slash", 7, None]
)
def test_a_client_whose_name_is_no_file_name(run, name, tmp_path):
    refused(run(scenario(step("new KafkaProducer", client=name))), "client")
    assert not (tmp_path / "outside.log").exists()


NONSENSE = [
    None,
    True,
    -1,
    3.5,
    10**18,
    float("nan"),
    float("inf"),
    "",
    "x",
    [],
    [1],
    ["x"],
    {},
    {"a": 1},
]


def _places(value, path=()):
    """Every place inside a JSON value, by its path."""
    yield path
    for key, item in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    ):
        yield from _places(item, (*path, key))


@pytest.mark.corpus
def test_nonsense_in_any_place_is_played_or_refused_with_one_sentence():
    whole = scenario(
        NEW_CONSUMER,
        SUBSCRIBE,
        {**POLL, "for_ms": 50},
        step("pause all", 3_000, client="inv-1"),
        step("seek", 3_000, client="inv-1", partition="t4-0", offset=0),
        NEW_PRODUCER,
        SEND,
        step("close", 4_000),
    )
    tried = 0
    for path in _places(whole):
        for nonsense in NONSENSE if path else ():
            broken = copy.deepcopy(whole)
            holder = broken
            for key in path[:-1]:
                holder = holder[key]
            holder[path[-1]] = nonsense
            tried += 1
            try:
                replay(broken)
            except UnusableScenario as error:
                sentence = str(error)
                assert (
                    "\n" not in sentence
                    and "object has no attribute" not in sentence
                    and "not subscriptable" not in sentence
                )
    assert tried > 500


def test_an_out_folder_that_cannot_be_written(run, tmp_path):
    (tmp_path / "file").write_text("in the way")
    code, said, files = run(scenario(NEW_PRODUCER), out=tmp_path / "file")
    assert (code, files) == (2, {})
    assert said.count("\n") == 1 and "file" in said
    assert (tmp_path / "file").read_text() == "in the way"


def test_a_scenario_that_is_not_there(capsys, tmp_path):
    assert main([str(tmp_path / "nowhere.json"), "--out", str(tmp_path / "out")]) == 2
    assert "nowhere.json" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_process_of_its_own_ends_with_code_2_and_no_traceback(tmp_path):
    (tmp_path / "broken.json").write_text("{")
    done = subprocess.run(
        [sys.executable, "-m", "kafkalab", "replay", "broken.json", "--out", "out"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr.startswith("replay: broken.json is not JSON") and done.stderr.count("\n") == 1
    )
    assert not (tmp_path / "out").exists()


SUBSCRIBED = (
    step("new KafkaConsumer", 0, client="inv-1", config={"group.id": "test"}),
    step("subscribe", 100, client="inv-1", topics=["t4"]),
)
LOOP = step("poll in a loop until told otherwise", 100, client="inv-1", timeout_ms=100, then=None)


def fetches(result):
    return result[2]["inv-1.log"].count("Sending FETCH")


def test_a_loop_polls_until_the_next_step_of_its_consumer(run):
    ended = run(scenario(*SUBSCRIBED, LOOP, step("close", 8_000, client="inv-1")))
    assert ended[0] == 0 and fetches(ended) > 5
    assert "Kafka consumer has been closed" in ended[2]["inv-1.log"]


def test_a_loop_that_nobody_ends_is_refused(run):
    refused(run(scenario(*SUBSCRIBED, LOOP)), "never ends")


def test_what_an_old_recording_leaves_unsaid_is_read_from_its_steps(run):
    said = run(scenario(*SUBSCRIBED, LOOP, step("close", 8_000, client="inv-1")))
    unsaid = run(scenario(*SUBSCRIBED, step("close", 8_000, client="inv-1")))
    assert unsaid == said, "who subscribes and next closes has polled meanwhile"
    noted = (
        step("poll", 5_000, client="inv-1", result={"records": 3}),
        step("commitAsync", 5_000, client="inv-1"),
    )
    assert (
        fetches(run(scenario(*SUBSCRIBED, *noted, step("commitSync", 8_000, client="inv-1")))) > 5
    )


def test_a_killed_client_writes_nothing_more_and_does_nothing_more(run):
    killed = run(scenario(*SUBSCRIBED, LOOP, step("kill -9", 8_000, client="inv-1")))
    assert killed[0] == 0 and fetches(killed) > 5
    assert "Closing the Kafka consumer" not in killed[2]["inv-1.log"]


def test_a_step_after_the_kill_is_refused(run):
    refused(
        run(
            scenario(
                *SUBSCRIBED,
                LOOP,
                step("kill -9", 8_000, client="inv-1"),
                step("close", 9_000, client="inv-1"),
            )
        ),
        "close",
        "kill -9",
    )


def test_a_feeder_is_closed_after_its_last_record(run):
    fed = run(scenario(NEW_PRODUCER, SEND))
    assert "Kafka producer has been closed" in fed[2]["shop.log"]


def test_the_command_writes_the_brokers_logs_where_asked(tmp_path):
    run = RECORDINGS / "4.4.0/4.4.0/two_brokers_two_members"
    assert main([str(run / "scenario.json"), "--out", str(tmp_path), "--brokers"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "broker-0.log",
        "broker-1.log",
        "inv-1.log",
        "inv-2.log",
    ]
    assert "Stabilized group test generation 2" in (tmp_path / "broker-0.log").read_text()
    assert (tmp_path / "broker-1.log").read_text() == ""
