"""Is a clock that jumped told as such, and no absence made of it that nobody had?"""

import gzip
import re
from datetime import datetime, timedelta

import pandas as pd
import pytest

from kafkalab.logsets.__main__ import main
from kafkalab.logsets.coordinators import coordinator_steps
from kafkalab.logsets.engine import DUCKDB, running_on
from kafkalab.logsets.explain.absences import absences_of, broker_starts, told_by_servers
from kafkalab.logsets.line_loader import load_lines
from kafkalab.logsets.rebalances import rebalances
from kafkalab.logsets.set_clocks import moments_of, set_clocks
from kafkalab.tests.shares import few

HEAD = re.compile(r"^\[(2026-11-28 [\d:]{8})", re.MULTILINE)
ANY_HEAD = re.compile(r"^\[(\d{4}-\d\d-\d\d [\d:]{8})", re.MULTILINE)
CLUSTERS = (
    "2.3.1 3.9.2 4.4.0 combined_nodes controller_killed controller_quorum controller_stopped "
    "failed_starts fenced_producer full_disk group_reset kept_out_clients long_absence "
    "lost_records paused_broker paused_broker_3.9.2 paused_clients quorum_lost refused_clients "
    "rolling_restart slow_poll stuck_consumers too_few_in_sync topic_deleted "
    "two_of_one_instance unclean_election wrong_port"
).split()


def jumped(folder, to, name: str, since: str, only: str = "*"):
    """The logs of a cluster. From a time on the clock of one process, in all its logs, is an hour
    ahead."""

    def later(found: re.Match) -> str:
        time = datetime.fromisoformat(found[1])
        return f"[{time + timedelta(hours=time >= datetime.fromisoformat(f'2026-11-28 {since}'))}"

    for log in folder.glob(f"{only}.log.gz"):
        text = gzip.decompress(log.read_bytes()).decode()
        path = to / log.name.removesuffix(".gz")
        path.write_text(HEAD.sub(later, text) if path.name.startswith(f"{name}.") else text)
    return to


@pytest.fixture
def cluster(recordings):
    return recordings.parent / "whole_logs" / "4.4.0"


def clocks_in(lines) -> list[str]:
    moments = moments_of(rebalances(lines).toPandas(), coordinator_steps(lines).toPandas())
    return [*set_clocks(moments), *set_clocks(broker_starts(told_by_servers(lines)), starts=True)]


@pytest.mark.parametrize(
    ("name", "since", "told"),
    few([
        ("broker-1", "05:50:00", "broker 1 is 01:00:00 ahead of that of the controller"),
        ("broker-0", "05:50:40", "free-2 is 01:00:00 behind that of the coordinator"),
        ("fixed-1", "05:50:00", "fixed-1 is 01:00:00 ahead of that of the coordinator"),
        ("controller", "05:50:20", "broker 1 is 01:00:00 behind that of the"),
    ]),
)  # fmt: skip
def test_a_clock_that_jumps_is_told_from_an_absence(name, since, told, cluster, tmp_path):
    with running_on(DUCKDB):
        lines = load_lines(None, jumped(cluster, tmp_path, name, since)).persist()
        (said,) = clocks_in(lines)
        away = [each for each in absences_of(lines) if "was away" in each.sentence()]
    assert told in said and "elsewhere they agree" in said
    assert [round((each.until - each.since).total_seconds()) for each in away] == [19, 22]


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("shift", "logs", "told"),
    [
        ("3 minutes", "broker-0", "broker 0 is 00:03:00 ahead of that of the controller"),
        ("2 hours", "broker-1", "broker 1 is 02:00:00 ahead of that of the controller"),
        ("2 hours", "controller", "the controller is 02:00:00 ahead of those of broker 0"),
        ("2 hours", "bill-1", "the clock of bill-1 is 02:00:00 ahead of those of the"),
        ("2 hours", "broker controller", "The brokers' clocks are 2.0 h ahead of the clients'"),
    ],
)  # fmt: skip
def test_a_clock_of_another_zone_is_told(shift, logs, told, recordings, tmp_path, capsys):
    """A machine has one zone in all of its log: nothing in that log shows it."""
    for log in (recordings.parent / "whole_logs" / "too_few_in_sync").glob("*.log.gz"):
        text = gzip.decompress(log.read_bytes()).decode()
        if log.name.startswith(tuple(logs.split())):
            text = ANY_HEAD.sub(
                lambda found: f"[{pd.Timestamp(found[1]) + pd.Timedelta(shift)}", text
            )
        (tmp_path / log.name.removesuffix(".gz")).write_text(text, encoding="utf-8")
    code = main(["explain", str(tmp_path)])
    assert told in capsys.readouterr().out
    assert code == (0 if logs == "broker controller" else 3)


@pytest.mark.corpus
def test_a_group_of_which_one_clock_jumped_is_doubted(cluster, tmp_path, capsys):
    jumped(cluster, tmp_path, "fixed-1", "05:50:00")
    for command in ("rebalances", "incidents", "explain"):
        assert main([command, str(tmp_path)]) == 3
        told = capsys.readouterr()
        assert "The clock of fixed-1 is 01:00:00 ahead" in told.out + told.err


def test_a_broker_that_nobody_else_tells_of_was_away_by_its_own_clock(cluster, tmp_path):
    with running_on(DUCKDB):
        logs = jumped(cluster, tmp_path, "broker-1", "05:50:00", only="broker-1.*")
        alone = load_lines(None, logs)
        (away,) = absences_of(alone.persist())
    assert "(at most 3630.0 s by its own clock; its log ends without a stop)" in away.sentence()


@pytest.mark.parametrize("name", few(CLUSTERS))
def test_clocks_that_agree_are_not_doubted(name, recordings):
    with running_on(DUCKDB):
        folder = recordings.parent / "whole_logs" / name
        assert clocks_in(load_lines(None, sorted(folder.glob("*.gz"))).persist()) == []
