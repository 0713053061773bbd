"""`python -m kafkalab logsets`: what an engineer sees,
and one sentence where something is wrong."""

import gzip
import json

import pytest

from kafkalab.logsets.__main__ import main
from kafkalab.logsets.error_messages import sentence
from kafkalab.logsets.explain import oddities


def said(capsys, *arguments: str) -> tuple[int, str]:
    code = main(list(arguments))
    return code, capsys.readouterr().err


def test_what_is_not_there_or_cannot_be_read_by(tmp_path, capsys):
    log = tmp_path / "client.log"
    log.write_text("x\n")
    assert said(capsys, "explain", "/nowhere/client.log") == (
        2,
        "There is no file or folder /nowhere/client.log.\n",
    )
    assert said(capsys, "read", str(log), "--layout", "%d %c") == (
        2,
        "The layout '%d %c' has no %m: where is the message?\n",
    )
    assert said(capsys, "explain", str(log), "--html", "/nowhere/page.html") == (
        2,
        "There is no folder /nowhere to write page.html into.\n",
    )
    assert (
        said(capsys, "read", str(log), "--out", str(log))[1]
        == f"{log} is there already; name another, or remove it.\n"
    )
    assert said(capsys, "read", "moon://dark/side.log")[0] == 2


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(28, "No space left on device", "/data/out"),
         "There is no space left for /data/out"),
        (RuntimeError("Job aborted: java.io.IOException: No space left on device\n\tat java.base"),
         "There is no space left"),
        (PermissionError(13, "Permission denied", "/locked/out"),
         "/locked/out may not be written or read"),
        (RuntimeError("java.io.IOException: Mkdirs failed to create file:/locked/out/_temporary"),
         "/locked/out/_temporary cannot be made"),
        (RuntimeError('[PATH_ALREADY_EXISTS] Path file:/tmp/a.parquet already exists. Set mode'),
         "/tmp/a.parquet is there already"),
        (RuntimeError("Failed to connect to master spark://far:7077\n at org"),
         "Spark's master spark://far:7077 does not answer"),
        (RuntimeError("An exception was thrown\nTraceback (most recent call last):\n  File x\n"
                      "ValueError: The file is odd.\n"), "The file is odd."),
    ],
)  # fmt: skip
def test_errors_become_one_sentence(error, text):
    told = sentence(error)
    assert told.startswith(text) and "\n" not in told and told.endswith(".")


def test_the_doctor_names_what_is_missing(capsys, monkeypatch):
    assert main(["doctor"]) == 0
    monkeypatch.setenv("KAFKALAB_SPARK_MASTER", "spark://127.0.0.1:1")
    assert main(["doctor"]) == 2
    assert "MISS Spark's master spark://127.0.0.1:1 does not answer" in capsys.readouterr().out


def test_signs_name_events_that_there_are():
    from kafkalab.lines.catalog import every_entry

    names = {entry.name for entry in every_entry()}
    assert {event for sign in oddities.SIGNS for event in sign.events} <= names


def test_a_file_that_is_no_log_is_refused(spark, tmp_path, capsys):
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear diary,\ntoday nothing happened.\n")
    code, told = said(capsys, "explain", str(letter))
    assert code == 2 and told.splitlines()[-1].startswith(
        "No line of letter.txt begins as Kafka's own layout or another usual one says: is it a log?"
    )


@pytest.mark.corpus
def test_a_log_that_is_half_read_is_said_so_first(spark, recordings, tmp_path, capsys):
    """A neighbour's lines in a layout of its own are not swallowed, and the exit code tells."""
    known = gzip.decompress(
        (recordings / "4.4.0/3.9.2/group_slow_poll/inv-1.log.gz").read_bytes()
    ).decode()
    info = [line for line in known.splitlines() if "] INFO " in line and line.endswith(")")]
    (tmp_path / "app.log").write_text(
        "".join(f"{line}\n2026/11/20 03:07 nginx GET /{place}\n" for place, line in enumerate(info))
    )
    (tmp_path / "readme.md").write_text("no log")
    assert main(["explain", str(tmp_path)]) == 3
    told = capsys.readouterr().out
    assert told.startswith("Do not trust this report. ")
    assert f"{len(info)} of {2 * len(info)} lines (50%) could not be read." in told
    assert f"{len(info)} × '2026/11/20 03:07 nginx GET /0' (foreign line)" in told
    assert f"Not read, for the name is no log's: {tmp_path}/readme.md." in told
    assert "There are no DEBUG lines: sockets, requests" in told
    assert main(["read", str(tmp_path)]) == 3


@pytest.mark.slow
def test_old_clients_say_in_the_trace_that_they_were_fenced(spark, recordings, capsys):
    log = recordings / "2.3.1/2.1.1/transaction_zombie_fenced/zombie.log.gz"
    assert main(["explain", str(log)]) == 0
    told = capsys.readouterr().out
    assert "!! A producer was fenced: 2 (zombie)" in told
    assert "ProducerFencedException: Producer attempted an operation with an old epoch" in told


@pytest.mark.slow
def test_a_member_that_stays_while_others_come_and_go_is_in_no_storm(spark, recordings, capsys):
    log = recordings / "4.4.0/3.9.2/group_slow_poll"
    assert main(["explain", str(log)]) == 0
    assert "storm" not in capsys.readouterr().out


def test_read_prints_what_was_read_and_writes_it_typed(spark, recordings, tmp_path, capsys):
    out = tmp_path / "lines.parquet"
    assert (
        main(
            [
                "read",
                str(recordings / "4.4.0/2.8.2/group_cooperative/inv-1.log.gz"),
                "--out",
                str(out),
            ]
        )
        == 0
    )
    assert "0 malformed, 0 of them foreign; 0 are not in the catalogue." in capsys.readouterr().out
    assert [
        row.generation
        for row in spark.read.parquet(str(out))
        .where("event = 'JOINED_GROUP'")
        .orderBy("file_offset")
        .collect()
    ][:2] == [1, 2]


@pytest.mark.slow
def test_a_fenced_producer_and_a_group_explained(spark, recordings, tmp_path, capsys):
    logs = [
        str(recordings / log)
        for log in (
            "4.4.0/4.4.0/transaction_zombie_fenced/zombie.log.gz",
            "4.4.0/2.8.2/group_cooperative/inv-1.log.gz",
        )
    ]
    page, found = tmp_path / "page.html", tmp_path / "found.json"
    assert main(["explain", *logs, "--html", str(page), "--json", str(found)]) == 0
    told = json.loads(found.read_text())
    assert "A producer was fenced" in {oddity["what"] for oddity in told["oddities"]}
    assert {"first join", "another member"} <= {round_["cause"] for round_ in told["rebalances"]}
    assert {socket["class"] for socket in told["sockets"]} == {"bootstrap", "coordinator", "data"}
    text = page.read_text()
    assert text.count("<svg") >= 3 and "a second process with this transactional.id" in text
    assert (
        "<script" not in text
        and 'src="' not in text
        and 'href="http' not in text.replace('xlink:href="#', "")
    )
    assert "A producer was fenced" in capsys.readouterr().out


def test_incidents_are_written_as_json_with_the_lines_that_say_so(recordings, capsys):
    log = recordings.parent / "whole_logs" / "slow_poll"
    assert main(["incidents", str(log), "--engine", "duckdb", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found[0]["evidence"][0]["time"] == found[0]["first"]
    assert found[0]["evidence"][0]["message"]
