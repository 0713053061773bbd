"""Does the catalogue know every line the real clients wrote in data/recordings?"""

import gzip
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


@pytest.fixture(
    params=LOGS, ids=lambda log: f"{version_of(log)}-{log.parent.name}-{log.name.split('.')[0]}"
)
def log(request):
    return request.param


def test_there_are_recordings_of_many_versions():
    assert {version_of(log) for log in LOGS} >= {"2.2", "2.3", "3.9", "4.0", "4.4"}
    assert len({log.parent.name for log in LOGS}) >= 12
    assert sum(file.stat().st_size for file in RECORDINGS.rglob("*")) < 3_600_000


def test_every_line_is_in_the_catalogue_once(log):
    version, unmatched, ambiguous = version_of(log), [], []
    for row in read(log):
        found = [name for name, _ in matches(version, row.logger, row.level, row.text)]
        if not found:
            unmatched.append(text_of(row))
        elif len(found) > 1:
            ambiguous.append((found, row.text))
    assert unmatched == []
    assert ambiguous == []


def test_the_catalogue_writes_each_line_as_it_was(log):
    """Values read from a line, put back into the wording:
    the same text, line number, prefix and trace."""
    version = version_of(log)
    for row in read(log):
        ((name, values),) = matches(version, row.logger, row.level, row.text)
        wording = CATALOG[name].wording(version)
        told_by = next(
            w
            for w in CATALOG[name].wordings
            if w.level == row.level and w.logger == row.logger and version in w.at
        )
        assert told_by is wording
        assert wording.template.format_map(values) == row.text
        assert row.line in lines_of(wording, version), name
        assert wording.prefixed == (row.text != row.message), name
        assert wording.trace == (row.trace is not None), name


@pytest.mark.parametrize(
    "log", SERVER_LOGS, ids=lambda log: f"{log.parent.name}-{log.name.split('.')[0]}"
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


def lines_of(wording, version):
    """The numbers of this statement and of its twins, which have the same words."""
    return {
        w.at[version]
        for entry in CATALOG.values()
        for w in entry.wordings
        if version in w.at and (w.logger, w.template) == (wording.logger, wording.template)
    }


@pytest.mark.parametrize("log", EVERY_LOG, ids=lambda log: "/".join(log.parts[-4:]))
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
