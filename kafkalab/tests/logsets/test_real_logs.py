"""Does a whole log of real clients and brokers tell what really happened?"""

import gzip
import json
import re
from pathlib import Path

import pandas as pd
import pyarrow.parquet
import pytest

from kafkalab import logsets
from kafkalab.logsets import schema
from kafkalab.logsets.__main__ import main
from kafkalab.logsets.engine import DUCKDB, running_on
from kafkalab.logsets.explain import report_of, text_report
from kafkalab.logsets.explain.absences import SILENT, UNNAMED, absences_of
from kafkalab.logsets.explain.log_report import LogReport
from kafkalab.logsets.explain.oddities import SESSION_ENDED
from kafkalab.logsets.files import files_of
from kafkalab.logsets.first_lines import doubts
from kafkalab.logsets.infer_layout import guess
from kafkalab.logsets.line_loader import load_lines
from kafkalab.logsets.reader import read, with_the_files_client
from kafkalab.logsets.record_batches import how_written
from kafkalab.tests.logsets.manglings import whole
from kafkalab.tests.logsets.test_matrix_of_manglings import said_in
from kafkalab.tests.shares import few


def rows_of(frame, *paths) -> pd.DataFrame:
    """A frame of these logs, by DuckDB."""
    with running_on(DUCKDB):
        return frame(read(None, paths)).toPandas()


def report(*paths, layout: str | None = None) -> LogReport:
    """The report on these logs, by DuckDB."""
    with running_on(DUCKDB):
        lines = load_lines(None, paths, layout=layout).persist()
        named = with_the_files_client(lines, lines.select("file", "kind", "client_id", "group_id"))
        return report_of(named, as_written=lines)


@pytest.mark.corpus
def test_a_member_of_the_new_protocol_has_the_partitions_that_its_second_line_names(recordings):
    for version in ("4.0.2", "4.4.0"):
        found = rows_of(
            logsets.rebalances, recordings / "4.4.0" / version / "group_consumer_protocol"
        )
        had = found.sort_values("resumed_at").groupby("client_id")["partitions"].agg(list)
        both, half = "orders-0, orders-1, orders-2, orders-3", "orders-0, orders-1"
        assert had["inv-1"] == [both, half, both]
        assert had["inv-2"] == ["", "orders-2, orders-3"]  # its first assignment is empty


def test_partitions_that_no_line_names_are_not_said(recordings, tmp_path):
    folder = recordings / "4.4.0" / "4.0.2" / "group_consumer_protocol"
    text = gzip.open(folder / "inv-1.log.gz", "rt").read()
    (tmp_path / "inv-1.log").write_text(text.replace("Assigned partitions:", "Assigned:"))
    assert rows_of(logsets.rebalances, tmp_path)["partitions"].isna().all()


@pytest.fixture(scope="module")
def whole_logs(recordings):
    """Everything that real brokers and clients wrote in one run each."""
    return recordings.parent / "whole_logs"


@pytest.fixture(scope="module")
def of_a_cluster(whole_logs):
    return report(whole_logs / "4.4.0")


SERVERS = "2.3.1 3.9.2 4.4.0".split()


@pytest.mark.parametrize("version", few(SERVERS))
def test_a_whole_server_log_is_read_in_its_own_layout(whole_logs, version):
    files = files_of(whole_logs / version)
    assert len(files) > 10
    for file in files:
        layout, wrapping, _ = how_written(file)
        assert (layout, wrapping) == ("[%d] %p %m (%c)%n", ()), file.name
    unread = rows_of(lambda lines: lines.where("problem is not null"), *(f.name for f in files))
    assert unread.empty


@pytest.mark.parametrize("head, cut", [(r"[\1] ", 0), (r"\1 ", 0), (r"[\1] ", 9)])
def test_a_log_that_begins_amid_a_dump_of_settings_is_read(whole_logs, tmp_path, head, cut):
    """A tool has cut it there. What is left of the dump is one row, not some hundred."""
    text = gzip.open(whole_logs / "4.4.0" / "broker-1.server.log.gz", "rt").read()
    lines = re.sub(r"(?m)^\[(20\S+ \S+)\] ", head, text).splitlines(keepends=True)
    amid = next(at for at, line in enumerate(lines) if "Config values:" in line) + 20
    path = tmp_path / "server.log"
    path.write_text("".join(lines[amid:])[cut:], encoding="utf-8")
    problems = rows_of(lambda lines: lines.select("problem"), path)["problem"]
    assert list(problems.dropna()) == [schema.FOREIGN] and len(problems) > 100
    assert not list(doubts(files_of(path)))


def test_a_part_of_kafka_in_brackets_is_no_thread():
    for name in ("GroupCoordinator id=1 topic=t partition=3", "BrokerServer id=1",
                 "Partition orders-0 broker=1", "ReplicaFetcherManager on broker 1"):  # fmt: skip
        line = f"[2026-11-28 05:49:00,123] INFO [{name}] Starting up. (kafka.server.Some)\n"
        assert "%t" not in guess(line.encode() * 5)
    line = "[2026-11-28 05:49:00,123] INFO [group-reaper]: Starting (kafka.server.Some)\n"
    assert "%t" not in guess(line.encode() * 5)
    line = "[2026-11-28 05:49:00,123] INFO [main] Starting up. (kafka.server.Some)\n"
    assert "%t" in guess(line.encode() * 5)


@pytest.mark.corpus
def test_brokers_and_clients_of_a_whole_run_are_told_apart(of_a_cluster):
    servers = of_a_cluster.servers
    assert set(servers["broker"]) == {0, 1, 2, 100}
    assert set(of_a_cluster.clients["client_id"]) == {
        "fixed-1", "fixed-2", "free-1", "free-2", "writer"
    }  # fmt: skip
    assert of_a_cluster.reading.enough
    assert {"fixed, generation 1", "free, generation 3"} <= set(of_a_cluster.sides["what"])
    (failed,) = (
        each for each in of_a_cluster.oddities if each.what == "Connections could not be made"
    )
    assert failed.first >= "2026-11-28 05:49:40"  # no client was refused before a broker stopped


@pytest.mark.slow
def test_lines_that_a_shipper_wrote_twice_are_counted_once(whole_logs, tmp_path, capsys):
    lines = gzip.open(whole_logs / "4.4.0" / "fixed-1.log.gz", "rt").read().splitlines(True)
    (tmp_path / "a.log").write_text("".join(lines))
    begins = [place for place, line in enumerate(lines) if line.startswith("[20")]
    retried = lines[begins[130] : begins[230]]
    (tmp_path / "b.log").write_text("".join(lines[: begins[230]] + retried + lines[begins[230] :]))
    found = {}
    for name in "ab":
        assert main(["explain", str(tmp_path / f"{name}.log"), "--json", "-"]) == 0
        found[name] = json.loads(capsys.readouterr().out.replace(f"{name}.log", "x.log"))
    assert found["b"]["reading"]["repeated"] == 100 and not found["a"]["reading"]["repeated"]
    for name in ("clients", "rebalances", "sockets"):
        assert found["a"][name] == found["b"][name]
    told = [[(one["what"], one["count"]) for one in found[name]["oddities"]] for name in "ab"]
    assert told[0] == told[1]


def test_a_brokers_absence_is_told_first(of_a_cluster, whole_logs):
    stopped, killed = of_a_cluster.absences
    assert text_report(of_a_cluster).startswith(stopped.sentence() + "\n" + killed.sentence())
    assert (stopped.broker, killed.broker) == (2, 1)
    assert stopped.how == "it stopped in order" and killed.how == "its log ends without a stop"
    for absence, gone, back in ((stopped, "05:49:39.930", "05:49:59.305"),
                                (killed, "05:50:07.309", "05:50:29.851")):  # fmt: skip
        assert (
            abs(
                (
                    absence.since - pd.Timestamp(f"2026-11-28 {gone}", tz=absence.since.tz)
                ).total_seconds()
            )
            < 1
        )
        assert (
            abs(
                (
                    absence.until - pd.Timestamp(f"2026-11-28 {back}", tz=absence.since.tz)
                ).total_seconds()
            )
            < 1
        )
        followers = ["its followers"] if absence is killed else []
        assert absence.seen_by == ["its own log", *followers, "its controller"]
        assert len(absence.clients) >= 3 and absence.clients <= set(
            of_a_cluster.clients["client_id"]
        )


@pytest.mark.parametrize("others", [("controller",), ()])
def test_a_brokers_absence_is_told_by_whoever_saw_it(whole_logs, others):
    files = [
        file.name
        for file in files_of(whole_logs / "3.9.2")
        if Path(file.name).name.startswith(("fixed", "free", "writer", *others))
    ]
    with running_on(DUCKDB):
        found = absences_of(read(None, files))
    (killed,) = [each for each in found if each.broker == 1]
    assert killed.clients >= {"fixed-1", "free-1", "writer"}
    assert killed.seen_by == (["its controller"] if others else [])
    # clients only know as long as they try
    back = killed.until - pd.Timestamp("2026-11-28 05:53:16.088", tz=killed.until.tz)
    assert abs(back.total_seconds()) < (1 if others else 15)


def test_a_static_member_that_closed_is_not_called_dead(of_a_cluster):
    found = {each.what: each for each in of_a_cluster.oddities}
    closed = found["A static member closed and kept its partitions"]
    assert closed.count == 1 and "nobody owned orders-2, orders-3 for 8.2 s" in closed.evidence[0]
    assert "fixed-2 (group.instance.id desk-2) closed at" in closed.evidence[0]
    ended = found["A member's session ended at its coordinator"]
    assert ended.count == 1 and "desk-2" not in ended.evidence[0]  # free-1 was killed


@pytest.mark.corpus
def test_a_static_member_that_came_back_in_time_is_told(recordings, capsys):
    """Its clients' logs alone say who closed, and for how long nobody read."""
    log = recordings / "4.4.0" / "3.6.2" / "group_static_round_robin_restart"
    assert main(["explain", str(log), "--json", "-"]) == 0
    told = capsys.readouterr().out
    assert "A static member closed and kept its partitions" in told
    assert "inv-1 (group.instance.id one) closed at" in told and "nobody owned orders-" in told


def test_a_table_of_lines_needs_no_spark(whole_logs, tmp_path, capsys):
    log = whole_logs / "4.4.0" / "fixed-2.log.gz"
    rows = rows_of(lambda lines: lines.orderBy("file_offset"), log)
    table = logsets.to_arrow(log)
    assert table.column_names == list(rows.columns)
    assert table["client_id"].to_pylist() == ["fixed-2"] * len(rows)
    assert table["event"].to_pandas().equals(rows["event"])
    assert logsets.to_arrow(log, ("time", "event")).column_names == ["time", "event"]
    out = tmp_path / "lines.parquet"
    assert main(["read", str(log), "--out", str(out)]) == 0
    assert pyarrow.parquet.read_table(out).equals(logsets.to_arrow(str(log)))
    assert "DuckDB reads" in capsys.readouterr().err
    with pytest.raises(ValueError, match="logsets.to_arrow"):
        logsets.read(None, log)


@pytest.mark.slow
def test_clocks_of_brokers_and_clients_that_differ_are_said(whole_logs, tmp_path):
    for file in (whole_logs / "4.4.0").glob("*.gz"):
        text = gzip.decompress(file.read_bytes())
        if file.name.startswith(("broker", "controller")):
            text = text.replace(b"[2026-11-28 05:", b"[2026-11-28 11:")
        (tmp_path / file.name.removesuffix(".gz")).write_bytes(text)
    story = report(tmp_path)
    assert abs(story.clock_shift + pd.Timedelta(hours=6)) < pd.Timedelta(seconds=2)
    assert "The brokers' clocks are 6.0 h ahead of the clients'." in text_report(story)


def test_kafkas_own_lines_are_told_by_subject(of_a_cluster):
    subjects = of_a_cluster.subjects.set_index("subject")["lines"]
    assert subjects["log files"] > 1000 and subjects.sum() > 2000
    told = text_report(of_a_cluster)
    assert "are Kafka's own in words that the catalogue does not hold" in told
    assert "are not Kafka's" not in told


def test_the_own_log_of_a_member_whose_session_ended_is_looked_at(of_a_cluster):
    (ended,) = (each for each in of_a_cluster.oddities if each.what == SESSION_ENDED)
    assert [line for line in ended.settings if line.startswith("free-1: its own log ends at ")]


@pytest.mark.corpus
def test_absences_are_told_by_the_clients_clocks(of_a_cluster, whole_logs, tmp_path):
    for file in (whole_logs / "4.4.0").glob("*.gz"):
        text = gzip.decompress(file.read_bytes())
        if not file.name.startswith(("broker", "controller")):
            text = text.replace(b"[2026-11-28 05:", b"[2026-11-28 10:")
        (tmp_path / file.name.removesuffix(".gz")).write_bytes(text)
    found = report(tmp_path).absences
    assert [(each.broker, each.clients) for each in found] == [
        (each.broker, each.clients) for each in of_a_cluster.absences
    ]
    assert {each.since.hour for each in found} == {10}


@pytest.mark.corpus
@pytest.mark.parametrize("release", ["3.9.2", "4.4.0"])
def test_several_brokers_in_one_file_are_told_apart(release, whole_logs, tmp_path):
    """As `kubectl logs -l app=kafka` gives them, and searches over all pods."""
    logs = sorted((whole_logs / release).glob("broker-?.server.log.gz"))
    found = [(each.time, n, each) for n, log in enumerate(logs) for each in said_in(log)]
    path = tmp_path / "kafka.log"
    path.write_text("".join(f"{whole(each[2])}\n" for each in sorted(found, key=lambda e: e[:2])))

    def absent(*paths: Path) -> list[tuple]:
        with running_on(DUCKDB):
            found = absences_of(load_lines(None, paths).persist())
        return [(each.broker, each.until, each.since, each.how, each.sentence()) for each in found]

    for one, other in zip(absent(path), absent(*logs), strict=True):
        assert one[:2] == other[:2]
        # Not each line of a log names its broker, and so perhaps not the last one.
        assert pd.Timedelta(0) <= other[2] - one[2] < pd.Timedelta(seconds=10)
        if one[2] < other[2] or other[3] == SILENT:
            assert one[3] == UNNAMED and ("at the earliest" in one[4] or "its followers" in one[4])
    servers = report(path).servers
    assert servers["broker"].dropna().tolist() == [0, 1, 2]
    assert servers["lines"].sum() == len(found)


def test_a_broker_that_was_told_to_end_stopped_in_order(whole_logs):
    """4.4.0 writes no stop of its own after the signal; a kill -9 leaves no line."""
    with running_on(DUCKDB):
        logs = sorted((whole_logs / "4.4.0").glob("broker-?.server.log.gz"))
        stopped, killed = absences_of(load_lines(None, logs).persist())
    assert "Broker 2 was away from 05:49:39.933 to 05:49:59.186" in stopped.sentence()
    assert stopped.how == "it stopped in order"
    assert killed.how == SILENT
    # the others' fetches failed a tenth of a second after the kill
    assert "from 05:50:07.415 (last seen at 05:49:59.734)" in killed.sentence()
    assert "seen by its own log, its followers." in killed.sentence()
