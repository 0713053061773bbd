"""Stories in plain settings: what they read, refuse and tell; the page's answers and its parts."""

import base64
import gzip
import hashlib
import io
import json
import subprocess
import sys
import zipfile
from importlib.metadata import distributions

import pytest

from kafkalab import __version__
from kafkalab.errors import ConfigException, IllegalArgumentException
from kafkalab.play import Story, Unreadable, door, program, site, tell
from kafkalab.play.ready import READY, SETTINGS
from kafkalab.play.shown import shown_lines, sides, why
from kafkalab.play.story import from_address, read
from kafkalab.tests.shares import few


def records(told):
    return dict(sides([told])[0]["records"])


def gaps(told):
    """Partition -> the periods without an owner."""
    found = {}
    for bar in sides([told])[0]["owners"]:
        if bar["who"] == "nobody":
            found.setdefault(bar["lane"], []).append((bar["from"], bar["to"]))
    return found


def ask(what, **more):
    return json.loads(door.answer(json.dumps({"ask": what, **more})))


QUICK = ("02", "05", "06", "16")
CHAPTERS = [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.slow, id=name) for name in READY
]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_ready_story_has_an_address_and_a_cell_that_tell_it_again(chapter):
    story = read(SETTINGS[chapter])
    assert from_address(f"#{story.address()}", SETTINGS) == story
    assert from_address(f"#story={chapter}", SETTINGS) == story
    place = {}
    exec(story.cell().rpartition("timeline(")[0], place)
    assert place["told"].lab.journal.digest() == tell(story).lab.journal.digest()


def test_a_producer_connects_and_sends_nothing():
    told = tell(**SETTINGS["02"])
    sockets = told.lab.sockets()
    assert records(told)["sent"] == 0
    assert [each.role for each in sockets] == ["bootstrap", "data"]
    assert any(540_000 <= (each.closed_at_ms or 0) <= 541_000 for each in sockets)


def test_a_consumer_has_three_classes_of_connections():
    told = tell(**SETTINGS["03"])
    assert {each.role for each in told.lab.sockets()} == {"bootstrap", "coordinator", "data"}
    assert len(told.lab.sockets()) == 5


def test_one_setting_decides_whether_acknowledged_records_are_lost():
    lost = "acknowledged and lost"
    assert records(tell(**SETTINGS["05"]))[lost] > 0
    assert records(tell(**{**SETTINGS["05"], "acks": "all"}))[lost] == 0
    assert records(tell(**{**SETTINGS["05"], "faults": []}))[lost] == 0


@pytest.mark.parametrize(("client", "twice"), [("2.8", 1), ("3.9", 0), ("4.4", 0)])
def test_the_default_of_idempotence_decides_whether_a_record_is_there_twice(client, twice):
    assert records(tell(**{**SETTINGS["06"], "client": client}))["written twice"] == twice


def test_the_partitions_of_a_killed_member_wait_for_the_end_of_its_session():
    told = tell(**SETTINGS["08"])
    long = [gap for found in gaps(told).values() for gap in found if gap[1] - gap[0] > 5_000]
    assert len(long) == 2 and all(begin == 20_000 for begin, _ in long)
    shorter = tell(**{**SETTINGS["08"], "consumer": ["session.timeout.ms=6000"]})
    assert max(end for found in gaps(shorter).values() for _, end in found) < max(
        end for _, end in long
    )


@pytest.mark.corpus
def test_a_slow_member_reads_everything_again_and_a_quick_one_does_not():
    assert records(tell(**SETTINGS["10"]))["read twice"] > 900
    assert records(tell(**{**SETTINGS["10"], "work_ms": 20}))["read twice"] == 0


def test_members_of_a_share_group_hold_records_of_one_partition_at_a_time_of_their_own():
    told = tell(**SETTINGS["16"])
    (side,) = sides([told])
    assert {bar["who"] for bar in side["owners"]} == {f"member-{n}" for n in (1, 2, 3, 4)}
    assert records(told)["read twice"] == 2  # those that the killed member held


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"colour": "red"}, "no setting 'colour'"),
        ({"client": "9.9"}, "client is one of 2.1"),
        ({"members": "many"}, "a whole number from 0 to 8, not 'many'"),
        ({"members": -1}, "a whole number from 0 to 8"),
        ({"members": True}, "a whole number"),
        ({"seconds": "99999999999999999999"}, "a whole number from 1 to 3600"),
        ({"seconds": "٣"}, "a whole number"),
        ({"acks": "a" * 999}, "at most 300 characters"),
        ({"acks": "a\x00"}, "all printable"),
        ({"consumer": ["session.timeout.ms"]}, "is written as linger.ms=20"),
        ({"consumer": "session.timeout.ms=1"}, "a list of texts"),
        ({"cluster": ["a=1"] * 21}, "at most 20 entries"),
        ({"faults": ["crash 1"]}, "a fault begins as 20 crash"),
        ({"faults": ["20 explode 1"]}, "a fault begins as 20 crash, with one of crash, stop"),
        ({"faults": ["20 crash 7"]}, "there is no broker '7', only 0, 1, 2"),
        ({"faults": ["20 crash"]}, "is written as 20 crash 1"),
        ({"faults": ["20 crash 1 2 3"]}, "is written as 20 crash 1"),
        ({"faults": ["soon crash 1"]}, "is written as 20 crash 1"),
        ({"faults": ["20 pause member-1"]}, "is written as 20 pause member-1 10"),
        ({"faults": ["20 kill member-9"]}, "no program 'member-9', only shop-1, member-1"),
        ({"faults": ["20 kill member-1 3"]}, "is written as 20 kill member-1,"),
        ({"faults": ["nan freeze 1 inf"]}, "is written as 20 freeze 1 10"),
    ],
)
def test_a_story_that_cannot_be_read_is_refused_in_a_sentence(settings, words):
    with pytest.raises(Unreadable, match="^[^\n]+$") as caught:
        read(settings)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("story=99", "no ready story '99'; there are 02"),
        ("members=1&members=2", "'members' twice"),
        ("%%%", "no setting"),
        ("members", "a whole number"),
        ("nonsense", "no setting"),
        ("members=2&%00=1", "no setting"),
        ("faults=", ""),
        ("", ""),
        ("#", ""),
    ],
)
def test_a_broken_address_says_what_could_not_be_read_and_gives_the_default(address, words):
    found = ask("open", address=address)["answer"]
    assert words in found["unread"] and bool(words) == bool(found["unread"])
    assert found["story"]["given"] == {}


def test_an_address_changes_a_ready_story():
    found = ask("open", address="#story=05&acks=all&client=4.4")["answer"]["story"]["given"]
    assert found["acks"] == "all" and found["client"] == "4.4" and found["brokers"] == 4


def test_a_wrong_setting_gets_the_clients_own_sentence():
    with pytest.raises(ConfigException) as caught:
        tell(acks="lots")
    told = ask("run", story={"acks": "lots"})["refused"]
    assert str(caught.value) in told and told.startswith("ConfigException: Invalid value lots")


@pytest.mark.parametrize(
    "story",
    few(
        [
            {"consumer": ["session.timeout=6"]},
            {"producer": ["linger.ms=soon"]},
            {"client": "2.3", "protocol": "consumer"},
            {"client": "3.9", "protocol": "share"},
            {"replicas": 4},
            {"cluster": ["min.insync.replica=2"]},
            {"cluster": ["num.io.threads=x"]},
            {"assignor": "org.example.Mine"},
        ],
        4,
    ),
    ids=str,
)
def test_any_wrong_word_of_a_story_is_one_sentence(story):
    refused = ask("run", story=story)["refused"]
    assert "\n" not in refused and "Exception: " in refused


def test_a_lab_that_refuses_a_story_leaves_no_program_that_waits():
    with pytest.raises((ConfigException, IllegalArgumentException)):
        tell(members=3, producer=["linger.ms=soon"])
    told = tell(members=3, seconds=5)
    assert all(app.done for app in told.lab.stage.apps)


def test_a_story_that_runs_away_is_stopped_and_shown(monkeypatch):
    monkeypatch.setattr(program, "MOST_EVENTS", 3_000)
    for settings in ({"members": 3, "seconds": 600}, {"members": 1, "producers": 0}):
        told = tell(**{"seconds": 600, **settings})
        assert "was stopped at" in told.cut_short and len(told.lab.journal.kept) < 20_000
        assert sides([told])[0]["cut_short"] == told.cut_short


def test_a_program_that_ends_by_an_exception_is_named():
    told = tell(client="4.4", broker="2.3", protocol="consumer", producers=0, seconds=10)
    assert {who for _, who, _ in told.ended} == {"member-1", "member-2"}
    assert all("UnsupportedVersionException: " in what for _, _, what in told.ended)


def test_a_producer_that_forgets_its_transactions_ends_with_javas_words():
    told = tell(producer=["transactional.id=x"], members=0, seconds=5)
    ((_, who, what),) = told.ended
    assert who == "shop-1" and what.startswith("IllegalStateException: Cannot ")


def test_a_partition_without_a_leader_keeps_what_its_last_replica_has():
    told = tell(members=0, brokers=1, records=5, every_ms=100, faults=["5 crash 0"], seconds=30)
    assert records(told)["acknowledged"] == 5 and records(told)["acknowledged and lost"] == 0
    nothing = tell(members=0, brokers=1, records=2, faults=["0 crash 0"], seconds=30)
    assert records(nothing)["acknowledged"] == 0


@pytest.mark.corpus
def test_the_same_seed_tells_the_same_bytes_and_another_does_not():
    first, again = (tell(**SETTINGS["07"]) for _ in range(2))
    assert first.lab.journal.digest() == again.lab.journal.digest()
    other = tell(**{**SETTINGS["07"], "seed": 2})
    assert other.lab.journal.digest() != first.lab.journal.digest()


def test_every_fault_happens_and_ends():
    told = tell(
        brokers=3,
        replicas=3,
        members=2,
        seconds=60,
        faults=[
            "5 crash 1 5",
            "15 stop 2 5",
            "25 freeze 0 3",
            "30 cut member-1 0 4",
            "36 full-disk 1 3",
            "42 pause member-2 3",
            "46 lose-answer shop-1 1",
            "50 kill member-2",
        ],
    )
    names = {each["name"] for each in sides([told])[0]["moments"]}
    assert {
        "broker-1: crash",
        "broker-1: start",
        "broker-2: stop",
        "broker-0: pause",
        "member-1: cut",
        "member-1: heal",
        "broker-1: fill_disk",
        "broker-1: free_disk",
        "shop-1: cut_before_reply",
        "member-2: kill -9",
    } <= names


@pytest.mark.corpus
def test_lines_are_filtered_and_a_line_leads_back_to_a_call():
    told = tell(**SETTINGS["08"])
    everything = shown_lines(told.lab, "INFO")
    assert everything["count"] == len(everything["lines"]) > 20
    found = shown_lines(told.lab, "INFO", "", "FINISHED assignment")
    assert found["count"] == 2
    leader = found["lines"][0]["who"]
    assert shown_lines(told.lab, "INFO", leader, "FINISHED assignment")["count"] >= 1
    assert shown_lines(told.lab, "INFO", "shop-1", "FINISHED assignment")["count"] == 0
    chain = why(told.lab, found["lines"][0]["id"])
    assert chain[0]["what"].startswith("poll(") and "Finished assignment" in chain[-1]["what"]
    assert shown_lines(told.lab, "DEBUG", most=5)["count"] > everything["count"]
    assert {line["who"] for line in shown_lines(told.lab, who="broker-1")["lines"]} == {"broker-1"}
    told_once = [
        line["text"] for line in shown_lines(told.lab, "TRACE", "member-2", most=10**6)["lines"]
    ]
    assert told_once == [event.message for event in told.lab.line_events("member-2")]


@pytest.mark.corpus
def test_two_releases_are_compared_by_connections_and_by_the_wording_of_lines():
    found = ask("run", story=SETTINGS["06"])["answer"]["sides"]
    assert [side["client"] for side in found] == ["2.8", "3.9"]
    _, newer = ask("lines", level="INFO", who="", words="", most=300)["answer"]
    marked = [line["text"] for line in newer["lines"] if line["new"]]
    assert any("ProducerId set to" in text for text in marked)
    assert not any(text.startswith("Kafka version") for text in marked)
    ask("run", story={**SETTINGS["06"], "beside": "2.8"})
    for side in ask("lines", level="TRACE", who="", words="", most=999)["answer"]:
        assert not any(line["new"] for line in side["lines"])


WITHOUT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pandas", "numpy", "matplotlib", "IPython", "ipywidgets"}:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Absent())
sys.path.insert(0, sys.argv[1])
import json, kafkalab
from kafkalab.play import door
assert kafkalab.__file__.startswith(sys.argv[1]), kafkalab.__file__
story = json.loads(sys.argv[2])
assert "answer" in json.loads(door.answer(json.dumps({"ask": "run", "story": story})))
print(json.loads(door.answer('{"ask": "digest"}'))["answer"][0])
"""


@pytest.mark.corpus
def test_the_wheel_of_the_page_plays_alone_without_pandas(tmp_path):
    packed = site.wheel()
    assert packed == site.wheel()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        rooms = {name.split("/")[1] for name in archive.namelist()}
    assert not rooms & {"logsets", "real", "tests"} and {"play", "views", "lab.py"} <= rooms
    wheel = tmp_path / site.WHEEL
    wheel.write_bytes(packed)
    story = json.dumps(dict(SETTINGS["16"]))
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, str(wheel), story],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == tell(**SETTINGS["16"]).lab.journal.digest()


def test_another_archive_of_pyodide_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def fetch(folder):
        (folder / "pyodide.tgz").write_bytes(b"something else")
        return folder / "pyodide.tgz"

    with pytest.raises(site.Unplayable, match="another digest"):
        site.pyodide(fetch)
    assert len(base64.b64decode(site.INTEGRITY)) == hashlib.sha512().digest_size
    assert not list(tmp_path.rglob("*.mjs"))


def test_without_npm_one_sentence_says_what_to_install(tmp_path, monkeypatch, capsys):
    from kafkalab.play.command import main

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    assert main(["--out", str(tmp_path / "page")]) == 2
    said = capsys.readouterr().err
    assert "needs npm once" in said and said.count("\n") == 1
    assert not (tmp_path / "page").exists()


@pytest.mark.corpus
def test_pip_installs_the_wheel_of_the_page(tmp_path):
    wheel = tmp_path / site.WHEEL
    wheel.write_bytes(site.wheel())
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile"]
    done = subprocess.run(
        [*pip, "--target", str(tmp_path / "there"), str(wheel)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    [kafkalab] = distributions(name="kafkalab", path=[str(tmp_path / "there")])
    assert kafkalab.version == __version__ and kafkalab.requires == ["greenlet"]
    assert all(file.locate().is_file() for file in kafkalab.files)


def test_without_node_the_browser_imports_and_no_memory_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert site.remembered(site.wheel(), tmp_path / "314") == b""
    assert site.size_of(gzip.compress(bytes(70_000))) == 70_000


def test_the_command_refuses_a_story_before_it_builds_anything(capsys):
    from kafkalab.play.command import main

    for story in ("99", "members=many"):
        assert main(["--story", story, "--quiet"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2 and "no ready story '99'" in said[0] and "whole number" in said[1]


@pytest.mark.corpus
def test_a_refused_story_leaves_the_one_before_to_be_asked(monkeypatch):
    assert "answer" in ask("run", story=SETTINGS["06"])
    assert "refused" in ask("run", story={"acks": "lots"})
    event = ask("lines", level="INFO", who="", words="", most=9)["answer"][1]["lines"][-1]["id"]
    assert ask("why", side=1, event=event)["answer"]
    monkeypatch.setattr(door, "_told", [])  # as in a Python that has just loaded
    for question in ({"ask": "why", "side": 0, "event": 3},):
        assert "press Run again" in json.loads(door.answer(json.dumps(question)))["refused"]
    assert "press Run" in ask("lines", level="INFO", who="", words="", most=9)["refused"]


def test_a_folder_with_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(site.Unplayable, match="something else"):
        site.build(tmp_path)
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "mine"


def test_the_tables_of_the_page_are_those_of_the_story():
    told = site.stories()
    assert [each["name"] for each in told["settings"]] == list(Story.__slots__)
    assert [each["chapter"] for each in told["ready"]] == "02 03 05 06 07 08 10 16".split()
    json.dumps(told)


def phases(told):
    return [bar["who"] for bar in sides([told])[0]["transactions"] if "coordinator" in bar["lane"]]


def test_a_producer_sends_in_transactions_and_each_ends_with_its_commit():
    told = tell(in_transaction=3, records=7, every_ms=100, members=0, seconds=10)
    assert not told.ended and records(told)["acknowledged"] == 7
    committed = [each for each in phases(told) if each == "CompleteCommit"]
    assert len(committed) == 3, "three, three and the last one"
    bar = sides([told])[0]["transactions"][-1]
    assert bar["lane"] == "shop-1" and why(told.lab, bar["id"])[-1]["who"] == "shop-1"


def test_a_killed_producer_leaves_its_transaction_to_be_aborted():
    told = tell(
        client="3.9",
        in_transaction=50,
        records=50,
        producer=["transaction.timeout.ms=5000"],
        consumer=["isolation.level=read_committed"],
        faults=["5 kill shop-1"],
        members=1,
        seconds=60,
    )
    assert phases(told)[-1] == "CompleteAbort"
    of_shop = [bar for bar in sides([told])[0]["transactions"] if bar["lane"] == "shop-1"]
    assert of_shop[-1]["to"] == 5_000, "it ends with its producer"
    assert records(told)["acknowledged"] > 0 and records(told)["read"] == 0


def test_two_producers_of_one_transactional_id_fence_each_other():
    told = tell(
        producers=2, in_transaction=2, producer=["transactional.id=t"], members=0, seconds=9
    )
    assert any("Fenced" in what or "InvalidProducerEpoch" in what for *_, what in told.ended)


def test_a_partition_is_read_to_its_end_though_a_marker_stands_there():
    told = tell(in_transaction=2, records=10, every_ms=100, members=1, seconds=20)
    assert records(told)["read"] == 10
    waits = [bar for bar in sides([told])[0]["owners"] if bar["who"] == "owned, not read"]
    assert all(bar["to"] < 10_000 for bar in waits), waits
