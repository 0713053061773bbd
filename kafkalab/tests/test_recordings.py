"""Does the catalogue know every line the real clients wrote in data/recordings?"""

import gzip
from functools import cache
from pathlib import Path

import pytest

from kafkalab.lines.catalog import CATALOG, SERVER_CATALOG, matches, server_matches
from kafkalab.lines.layout import read, text_of

RECORDINGS = Path(__file__).parents[2] / "data" / "recordings"
EVERY_LOG = sorted(RECORDINGS.glob("*/*/*/*.log.gz"))
LOGS = [log for log in EVERY_LOG if not log.name.startswith("broker-")]
SERVER_LOGS = [log for log in EVERY_LOG if log.name.startswith("broker-")]


def version_of(log: Path) -> str:
    """data/recordings/4.4.0/3.9.2/consumer_paused/client.log.gz -> 3.9"""
    return log.parent.parent.name.rsplit(".", 1)[0]


FIRST = {version_of(log): log for log in reversed(LOGS)}
"""Client's version -> the first of its logs."""
QUICK = {*FIRST.values(), *EVERY_LOG[::9]}


def each(logs: list[Path], id) -> list:
    """The logs as parameters; make test takes every ninth, and one of each client."""
    return [
        pytest.param(log, id=id(log), marks=() if log in QUICK else pytest.mark.slow)
        for log in logs
    ]


def test_there_are_recordings_of_many_versions():
    assert {version_of(log) for log in LOGS} >= {"2.2", "2.3", "3.9", "4.0", "4.4"}
    assert len({log.parent.name for log in LOGS}) >= 12
    assert sum(file.stat().st_size for file in RECORDINGS.rglob("*")) < 3_600_000


@pytest.mark.parametrize(
    "log",
    each(LOGS, lambda log: f"{version_of(log)}-{log.parent.name}-{log.name.split('.')[0]}"),
)
def test_the_catalogue_knows_each_line_once_and_writes_it_as_it_was(log):
    """Values read from a line, put back into the wording:
    the same text, line number, prefix and trace."""
    version = version_of(log)
    for row in read(log):
        found = list(matches(version, row.logger, row.level, row.text))
        assert len(found) == 1, (text_of(row), [name for name, _ in found])
        ((name, values),) = found
        wording = CATALOG[name].wording(version)
        told_by = next(
            w
            for w in CATALOG[name].wordings
            if w.level == row.level and w.logger == row.logger and version in w.at
        )
        assert told_by is wording
        assert wording.template.format_map(values) == row.text
        assert row.line in lines_of(wording.logger, wording.template, version), name
        assert wording.prefixed == (row.text != row.message), name
        assert wording.trace == (row.trace is not None), name


@pytest.mark.parametrize(
    "log", each(SERVER_LOGS, lambda log: f"{log.parent.name}-{log.name.split('.')[0]}")
)
def test_a_brokers_line_is_in_the_catalogue_once_and_written_as_it_was(log):
    release = log.parents[2].name.rsplit(".", 1)[0]
    for row in read(log):
        found = list(server_matches(release, row.logger, row.level, row.message))
        assert len(found) == 1, (row.message, found)
        ((name, values),) = found
        wording = SERVER_CATALOG[name].wording(release)
        assert wording.template.format_map(values) == row.message
        assert wording.trace == (row.trace is not None), name


@cache
def lines_of(logger, template, version):
    """The numbers of this statement and of its twins, which have the same words."""
    return {
        w.at[version]
        for entry in CATALOG.values()
        for w in entry.wordings
        if version in w.at and (w.logger, w.template) == (logger, template)
    }


@pytest.mark.parametrize("log", each(EVERY_LOG, lambda log: "/".join(log.parts[-4:])))
def test_a_file_read_and_written_is_the_same_file(log):
    foreign = []
    assert (
        "".join(text_of(row) for row in read(log, foreign))
        == gzip.decompress(log.read_bytes()).decode()
    )
    assert foreign == []


def test_the_papers_name_every_recording():
    table = (RECORDINGS.parent / "README.md").read_text(encoding="utf-8")
    runs = {}
    for scenario in RECORDINGS.glob("*/*/*/scenario.json"):
        broker, client, name = scenario.parts[-4:-1]
        runs.setdefault(name, set()).add(f"{broker}/{client}")
    written = {
        row.split("|")[1].strip(): set(row.split("|")[3].replace(",", " ").split())
        for row in table.splitlines()
        if row.startswith(
            (
                "| consumer_",
                "| fault_",
                "| group_",
                "| producer_",
                "| share_",
                "| transaction_",
                "| two_brokers_",
            )
        )
    }
    assert written == runs
    assert (
        f"{sum(map(len, runs.values()))} runs of {len(runs)} scenarios, {len(LOGS)} client logs, "
        f"{len(SERVER_LOGS)} broker logs" in table
    )
