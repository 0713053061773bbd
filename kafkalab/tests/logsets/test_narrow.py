"""A narrow question, told to the source by options, has the rows that a filter would keep."""

import gzip

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from kafkalab import logsets
from kafkalab.logsets import block, line_loader, needles, schema
from kafkalab.logsets.client_prefixes import client_batches
from kafkalab.logsets.files import LogFile, files_of
from kafkalab.logsets.frame_commands import FRAMES
from kafkalab.logsets.layouts import KAFKA
from kafkalab.logsets.question import LineQuestion, question_of
from kafkalab.logsets.ranges import MOST_TASKS, ranges_of, task_size, tasks_of
from kafkalab.logsets.record_batches import how_written, record_batch_of

RUN = "4.4.0/3.9.2"


def pieces(path):
    return [piece for file in files_of(path) for piece in ranges_of(file, *how_written(file))]


def table(path, question=None) -> pa.Table:
    batches = [
        record_batch_of(block, schema.NAMES, question)
        for piece in pieces(path)
        for block in piece.blocks(question)
        if block.rows
    ]
    return pa.Table.from_batches(batches, schema.arrow_schema())


@pytest.fixture(
    scope="module", params=["group_slow_poll", pytest.param("", marks=pytest.mark.slow)]
)
def folder(request, recordings):
    """One recording, and all of a version."""
    return recordings / RUN / request.param


@pytest.fixture(scope="module")
def every(folder):
    return table(folder)


@pytest.mark.parametrize("name", FRAMES)
def test_the_events_of_a_command_are_those_a_filter_keeps(folder, every, name):
    events = FRAMES[name].events
    wanted = every.filter(pc.is_in(every["event"], pa.array(events)))
    assert table(folder, LineQuestion(events=events)).equals(wanted)


def test_a_large_file_searched_by_several_threads_has_the_same_rows_in_order(
    tmp_path, recordings, monkeypatch
):
    path = tmp_path / "all.log"
    logs = sorted((recordings / RUN).rglob("*.log.gz"))[:8]
    path.write_bytes(b"".join(gzip.decompress(log.read_bytes()) for log in logs))
    question = LineQuestion(events=FRAMES["rebalances"].events)
    whole = line_loader.lines_table(path, schema.NAMES, question=question)
    assert whole.num_rows > 10
    monkeypatch.setattr(line_loader, "LEAST_PIECE", 10_000)
    monkeypatch.setattr(line_loader, "PROCESSORS", 7)
    assert len(list(line_loader._pieces(path, None))) == 7
    assert line_loader.lines_table(path, schema.NAMES, question=question).equals(whole)


def test_levels_clients_and_times_are_those_a_filter_keeps(folder, every):
    some = question_of({"level": "warn,ERROR"})
    wanted = every.filter(pc.is_in(every["level"], pa.array(["WARN", "ERROR"])))
    assert wanted.num_rows and table(folder, some).equals(wanted)
    one = question_of({"clientId": "inv-1", "level": "WARN"})
    assert table(folder, one).equals(
        wanted.filter(
            pc.fill_null(
                pc.and_(pc.equal(wanted["client_id"], "inv-1"), pc.equal(wanted["level"], "WARN")),
                False,
            )
        )
    )
    span = question_of({"since": "2026-11-21 02:08:00,500", "until": "2026-11-21T02:08:09Z"})
    inside = pc.and_(
        pc.greater_equal(every["time"], pa.scalar(span.since, every["time"].type)),
        pc.less(every["time"], pa.scalar(span.until, every["time"].type)),
    )
    wanted = every.filter(inside)
    assert wanted.num_rows and table(folder, span).equals(wanted)


def test_most_of_the_text_is_passed_over(recordings, monkeypatch):
    """A large log: only the records that can answer are taken apart."""
    [piece] = pieces(recordings / RUN / "group_slow_poll/inv-1.log.gz")
    parsed = []
    cut = block.Block._cut_into_rows
    monkeypatch.setattr(
        block.Block, "_cut_into_rows", lambda self: (parsed.append(self.size), cut(self))
    )
    for _ in piece.blocks(LineQuestion(events=FRAMES["connections"].events)):
        pass
    whole = gzip.decompress((recordings / RUN / "group_slow_poll/inv-1.log.gz").read_bytes())
    assert 0 < sum(parsed) < len(whole) / 20


def test_where_most_records_answer_all_text_is_taken_apart(tmp_path):
    line = "[2026-01-05 09:00:00,000] DEBUG Initiating connection to node localhost:9092 (id: -1)\n"
    (tmp_path / "a.log").write_text(line * 100)
    [piece] = pieces(tmp_path / "a.log")
    found = list(piece.blocks(LineQuestion(events=FRAMES["connections"].events)))
    assert sum(block.rows for block in found) == 100
    assert all(block.places is None for block in found)


def test_the_clients_of_a_log_are_found_without_taking_it_apart(tmp_path, monkeypatch):
    monkeypatch.setattr("kafkalab.logsets.client_prefixes.LOOKED_AT", 2_000)
    tail = "x (org.apache.kafka.clients.NetworkClient:1)\n"
    ada = f"[2026-01-05 09:00:00,000] DEBUG [Consumer clientId=ada, groupId=g] {tail}"
    bo = ada.replace("ada", "bo")
    said = f"[2026-01-05 09:00:00,000] INFO it said [Consumer clientId=bo, groupId=g] {tail}"
    made = []
    original = block.Block.__init__
    monkeypatch.setattr(
        block.Block, "__init__", lambda self, *a: made.append(a) or original(self, *a)
    )

    def clients(text: str) -> list[str]:
        (tmp_path / "a.log").write_text(text)
        [piece] = pieces(tmp_path / "a.log")
        made.clear()
        return [row["client_id"] for batch in client_batches([piece]) for row in batch.to_pylist()]

    assert clients(ada * 1000) == ["ada"] and len(made) == 1
    assert clients(ada * 1000 + bo) == ["ada", "bo"] and len(made) == 2
    assert clients(ada + bo + ada * 1000) == ["ada", "bo"] and len(made) == 1
    assert clients(said + ada * 1000 + bo) == ["ada", "bo"]  # a message names bo before


def test_few_literals_stand_for_all_templates_of_a_question():
    needles = LineQuestion(events=FRAMES["connections"].events).needles("[%d] %p %m (%c:%L)")
    assert 0 < len(needles) < 10 and b" disconnected" in needles


def test_a_machine_without_the_search_package_finds_the_same_records(recordings, monkeypatch):
    path = recordings / RUN / "group_slow_poll"
    questions = [LineQuestion(events=frame.events) for frame in FRAMES.values()]
    with_it = [table(path, question) for question in questions]
    monkeypatch.setattr(needles, "IN_ONE_PASS", False)
    needles.finder.cache_clear()
    assert all(table(path, one).equals(wanted) for one, wanted in zip(questions, with_it))
    assert sum(each.num_rows for each in with_it) > 50
    needles.finder.cache_clear()


def test_words_that_overlap_are_found_once_or_twice_but_never_missed():
    text = b"a connection to node 1 disconnected, er has been closed"
    words = (b"connection to node ", b"onnection", b" disconnected", b"closed")
    places = list(needles.finder(words)(text))
    slow = needles.one_after_the_other(text, words)
    assert set(places) <= set(slow) and places[0] == slow[0]
    assert {text.find(b" disconnected"), text.find(b"closed")} <= set(places)


def test_what_cannot_be_asked_is_one_sentence():
    with pytest.raises(ValueError, match="There is no event 'NOSUCH'"):
        question_of({"events": "NOSUCH"})
    with pytest.raises(ValueError, match="There is no level 'LOUD'"):
        question_of({"level": "loud"})
    with pytest.raises(ValueError, match="'noon' is no time: write it as 2026-01-05 09:00:00."):
        question_of({"since": "noon"})
    assert question_of({"path": "x"}) is None


@pytest.mark.corpus
def test_spark_is_told_by_options(spark, recordings):
    path = str(recordings / RUN / "group_slow_poll")
    opened = logsets.connections(logsets.read(spark, path)).count()
    events = FRAMES["connections"].events
    narrow = logsets.read(spark, path, question=LineQuestion(events=events))
    assert logsets.connections(narrow).count() == opened == 5
    source = spark.read.format("kafkalab").option("events", "POLL_TIMEOUT_EXPIRED")
    assert [row.client_id for row in source.load(path).collect()] == ["inv-1"]
    with pytest.raises(Exception, match="looks at all lines"):
        source.option("mode", "FAILFAST").load(path).collect()


def test_a_very_large_set_has_no_more_tasks_than_a_driver_plans():
    files = [LogFile(f"/logs/{number}.log", 50 << 30, 0) for number in range(200)]
    size = task_size(files)
    pieces = [piece for file in files for piece in ranges_of(file, KAFKA, (), True, size)]
    tasks = tasks_of(iter(pieces), size)
    assert MOST_TASKS <= len(tasks) <= MOST_TASKS + len(files)
    assert sum(piece.stop - piece.start for ranges in tasks for piece in ranges) == 200 * (50 << 30)
    assert task_size(files[:1]) == 32 << 20
