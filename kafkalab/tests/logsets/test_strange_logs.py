"""Real clients' lines after what tools, mails and machines did to them: framed, cut, torn, escaped,
mixed with other lines. What can be read has the rows of the log before; the rest says so."""

import gzip
import html
import json
import os
import zipfile
from collections import Counter
from datetime import timedelta
from types import SimpleNamespace

import pandas as pd
import pytest

from kafkalab.logsets import doctor, schema
from kafkalab.logsets.__main__ import main
from kafkalab.logsets.explain import page, pictures
from kafkalab.tests.logsets.test_mangled_logs import (
    assert_equal_but_for_blanks,
    each,
    head,
    moment,
    ms,
    raw,
    written,
)
from kafkalab.tests.logsets.test_production_logs import (
    LAYOUTS,
    NANOS,
    Said,
    different,
    printed,
    rows_of,
    said,
    wanted,
)
from kafkalab.tests.shares import few

assert said and wanted, "fixtures"

# What stands around each line, also around those of settings and stack traces.
FRAMES = {
    "kubetail": "[shop-6d4f8b7c9-x2x7k] {}",
    "vim": "    17 {}",
    "ripgrep": "logs/app/client:17:{}",
    "a patch": "+{}",
    "short-precise": "Nov 21 02:08:00.123456 web-1 shop[471]: {}",
    "short-monotonic": "[ 1234.567890] web-1 shop[471]: {}",
    "short-full": "Sat 2026-11-21 02:08:00 UTC web-1 shop[471]: {}",
    "Papertrail": "Nov 21 02:08:00 web-1 shop:  {}",
    "Jenkins": "[2026-11-21T02:08:00.123Z] {}",
    "Cloud Foundry": "   2026-11-21T02:08:00.12+0000 [APP/PROC/WEB/0] OUT {}",
    "GitHub": "build\tRun tests\t2026-11-21T02:08:00.1234567Z {}",
    "a process manager": "0|shop     | {}",
    "a box": "│ {}",
    "Fargate": "November 21, 2026 at 02:08 (UTC)\t{}\tshop",
    "CloudWatch by events": "EVENTS\t1795154400000\t{}\t1795154400000",
    "a page": "{}<br>",
    "an editor's colors": "\x1b]8;;http://x\x1b\\{}\x1b]8;;\x1b\\",
}


@pytest.mark.parametrize("name", few(each(FRAMES, "kubetail", "short-full", "Fargate")))
def test_what_is_around_every_line_is_learned(name, said, wanted, tmp_path):
    lines = printed(said, "logback with a day").splitlines()
    (tmp_path / "a.log").write_text("".join(FRAMES[name].format(line) + "\n" for line in lines))
    rows = rows_of(tmp_path / "a.log")
    assert_equal_but_for_blanks(rows, wanted)
    assert len({row["file"] for row in rows}) == 1


def test_the_frames_of_two_containers_are_two_logs(said, wanted, tmp_path):
    lines = printed(said, "logback with a day").splitlines()
    text = "".join(f"[{pod}-6d4f8b7c9-x2x7k] {line}\n" for line in lines for pod in ("ada", "bo"))
    (tmp_path / "a.log").write_text(text)
    rows = rows_of(tmp_path / "a.log")
    files = {row["file"] for row in rows}
    assert len(files) == 2
    for file in files:
        assert different([row for row in rows if row["file"] == file], wanted) == []


@pytest.mark.parametrize("layout", few(["Kafka", "Spring Boot 3", "Dropwizard", "log4j 1"]))
def test_a_log_of_single_lines_keeps_its_heads(layout, said, tmp_path):
    """Where no line goes on, what all lines have in common may be the log's own."""
    few = [s for s in said if "\n" not in s.text and not s.trace]
    (tmp_path / "a.log").write_text(printed(few, layout))
    rows = rows_of(tmp_path / "a.log")
    assert [row["level"] for row in rows] == [s.level for s in few]
    assert [row["message"] for row in rows] == [
        s.text.partition("] ")[2] if row["client_id"] else s.text
        for s, row in zip(few, rows, strict=True)
    ]


TIMES = {
    "microseconds since 1970": lambda s: f"{ms(s) * 1000}",
    "nanoseconds since 1970": lambda s: f"{ms(s) * 1_000_000}",
    "a week": lambda s: f"{moment(s):%G-W%V-%u}T{s.clock}.{s.ms}",
    "a day of the year": lambda s: f"{moment(s):%Y-%j}T{s.clock}.{s.ms}",
    "without marks": lambda s: f"{moment(s):%Y%m%dT%H%M%S},{s.ms}",
    "digits only": lambda s: f"{moment(s):%Y%m%d%H%M%S}{s.ms}",
    "dashes": lambda s: f"{s.day} {s.clock.replace(':', '-')}.{s.ms}",
    "an underscore": lambda s: f"{s.day}_{s.clock}.{s.ms}",
    "a colon before the fraction": lambda s: f"{s.day} {s.clock}:{s.ms}",
    "the day in brackets": lambda s: f"[{s.day}] [{s.clock}.{s.ms}]",
    "French": lambda s: f"{moment(s).day} nov. {s.day[:4]} {s.clock},{s.ms}",
}


@pytest.mark.parametrize("name", each(TIMES, "a week", "digits only", "the day in brackets"))
def test_more_forms_of_times(name, said, wanted, tmp_path):
    (tmp_path / "a.log").write_text(written(lambda s: f"{TIMES[name](s)} {head(s)}", said))
    rows = rows_of(tmp_path / "a.log")
    assert different(rows, wanted) == []
    assert [row["time"] for row in rows] == [row["time"] for row in wanted]


@pytest.mark.slow
def test_a_date_with_its_zone_in_the_middle_and_a_minus_sign(said, wanted, tmp_path):
    for clock, hours, part in (
        (lambda s: f"{moment(s):%a %b %d %H:%M:%S} EST {s.day[:4]}", 5, 1_000_000),
        (lambda s: f"{s.iso}\u221205:00", 5, 1),
    ):
        (tmp_path / "a.log").write_text(written(lambda s: f"{clock(s)} {head(s)}", said))
        assert [row["time"] for row in rows_of(tmp_path / "a.log")] == [
            row["time"].replace(microsecond=row["time"].microsecond // part * part)
            + timedelta(hours=hours)
            for row in wanted
        ]


@pytest.mark.slow
def test_a_clock_of_summer_and_winter(said, wanted, tmp_path):
    half = said[len(said) // 2].line, said[len(said) // 2].time
    zone = lambda s: "CET" if (s.line, s.time) == half or s.time > half[1] else "CEST"
    (tmp_path / "a.log").write_text(written(lambda s: f"{s.dotted} {zone(s)} {head(s)}", said))
    rows = rows_of(tmp_path / "a.log")
    late = Counter(row["time"] - other["time"] for row, other in zip(rows, wanted, strict=True))
    assert set(late) == {timedelta(hours=-1), timedelta(hours=-2)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clock", "seen"),
    [
        (lambda s: f"[{(ms(s) - 1_795_226_000_000) / 1000:9.3f}s]", "878.816"),
        (lambda s: f"{s.day} {s.clock} {s.ms}", "2026-11-21 02:07:58 816"),
    ],
)
def test_a_time_that_is_read_in_part_is_doubted(clock, seen, said, tmp_path, capsys):
    (tmp_path / "a.log").write_text(written(lambda s: f"{clock(s)} {head(s)}", said))
    assert main(["explain", str(tmp_path / "a.log")]) == 3
    told = capsys.readouterr().out
    assert told.startswith("Do not trust this report.") and repr(seen) in told
    assert main(["rebalances", str(tmp_path / "a.log")]) == 3


WORDS = {"TRACE": "TRC", "DEBUG": "Debug", "INFO": "Information", "WARN": "WARNUNG", "ERROR": "err"}


@pytest.mark.slow
def test_more_words_for_levels_and_none(said, wanted, tmp_path, capsys):
    (tmp_path / "a.log").write_text(
        written(lambda s: f"{s.dotted} {WORDS[s.level]} {s.logger} - {s.text}", said)
    )
    assert [row["level"] for row in rows_of(tmp_path / "a.log")] == [row["level"] for row in wanted]
    (tmp_path / "a.log").write_text(written(lambda s: f"{s.dotted} {s.text}", said))
    assert main(["explain", str(tmp_path / "a.log")]) == 0
    assert "have no level that is known" in capsys.readouterr().out.splitlines()[0]


def unread(rows: list[dict], wanted: list[dict]) -> Counter:
    """The problems of rows, after a check that all others are those of the log before."""
    right = Counter((row["time"], row["event"], row["message"].rstrip()) for row in wanted)
    whole = [row for row in rows if row["problem"] is None]
    found = Counter((row["time"], row["event"], row["message"].rstrip()) for row in whole)
    assert not found - right, "a row was misread and has no problem"
    return Counter(row["problem"] for row in rows if row["problem"])


def between(lines: list[str], other: str) -> str:
    """Another line after each tenth of a log's, but amid no record of several lines."""
    text = ""
    for number, line in enumerate(lines):
        text += f"{line}\n"
        if number % 10 == 9:
            text += f"{other}\n"
    return text


OTHERS = (
    "processing order 7",
    "... 153 lines skipped ...",
    "--- last message repeated 3 times ---",
    '10.0.0.7 - - [21/Nov/2026:02:08:01 +0000] "GET /shop HTTP/1.1" 200 12',
)


@pytest.mark.parametrize("other", few(OTHERS))
def test_no_record_of_a_client_swallows_a_print(other, said, wanted, tmp_path):
    few = [s for s in said if "\n" not in s.text and not s.trace]
    rows = [row for row in wanted if "\n" not in row["message"] and not row["trace"]]
    for layout in ("logback with a day", "Kafka", "log4j 1"):
        lines = [LAYOUTS[layout](s) for s in few]
        (tmp_path / "a.log").write_text(between(lines, other))
        found = rows_of(tmp_path / "a.log")
        assert unread(found, rows) == {schema.FOREIGN: len(lines) // 10}
        assert sum(1 for row in found if row["problem"] is None) == len(few)


@pytest.mark.slow
def test_lines_that_were_cut_before_their_messages_tell_nothing(said, tmp_path, capsys):
    text = printed(said, "Spring Boot 3")
    (tmp_path / "a.log").write_text("".join(f"{line[:80]}\n" for line in text.splitlines()))
    assert main(["explain", str(tmp_path / "a.log")]) == 2
    assert "All lines of a.log are cut, most before their messages." in capsys.readouterr().err


@pytest.mark.parametrize("bytes_", few([200, 1024]))
@pytest.mark.parametrize("layout", few(["logback with a day", "Spring Boot 3"]))
def test_cut_lines_are_named(bytes_, layout, said, wanted, tmp_path):
    text = printed(said, layout)
    (tmp_path / "a.log").write_text("".join(f"{line[:bytes_]}\n" for line in text.splitlines()))
    cut = sum(1 for s in said if "\n" not in s.text and len(LAYOUTS[layout](s)) > bytes_)
    found = unread(rows_of(tmp_path / "a.log"), wanted)
    assert found[schema.CUT] >= cut > 3


def test_two_records_in_one_line_are_named(said, wanted, tmp_path):
    for layout in ("logback with a day", "Kafka"):
        records = [LAYOUTS[layout](s) for s in said if "\n" not in s.text and not s.trace]
        text = "".join(f"{record}{chr(10) * (n % 50 > 0)}" for n, record in enumerate(records))
        (tmp_path / "a.log").write_text(text)
        rows = rows_of(tmp_path / "a.log")
        assert len(rows) == len(text.splitlines())
        found = unread(rows, wanted)
        assert found[schema.TORN] == len(records) - len(rows) > 9


def test_zero_bytes_amid_a_log(said, wanted, tmp_path):
    text = printed(said, "logback with a day").encode()
    middle = text.index(b"\n", len(text) // 2)
    (tmp_path / "a.log").write_bytes(text[:middle] + bytes(5_000) + text[middle:])
    assert unread(rows_of(tmp_path / "a.log"), wanted) == {schema.ZEROS: 1}


def escaped(text: str) -> str:
    return text.replace("=", "\\u003d").replace("'", "\\u0027")


TEXTS = {
    "old Macs": lambda text: text.replace("\n", "\r").encode(),
    "line separators": lambda text: text.replace("\n", "\u2028").encode(),
    "UTF-32": lambda text: text.encode("utf-32"),
    "two returns": lambda text: text.replace("\n", "\r\r\n").encode(),
    "zeros at the ends of lines": lambda text: text.replace("\n", "\0\0\n").encode(),
    "entities": lambda text: html.escape(text).encode(),
    "escapes": lambda text: escaped(text).encode(),
    "one text of JSON": lambda text: json.dumps(text).encode(),
    "a chat": lambda text: (
        text.replace("'", "’").replace('"', "”").replace(" - ", " – ").replace("...", "…").encode()
    ),
    "cat -v": lambda text: text.replace(" DEBUG ", " ^[[34mDEBUG^[[0m ").encode(),
}


@pytest.mark.parametrize("name", each(TEXTS, "old Macs", "entities", "one text of JSON"))
def test_texts_that_a_tool_wrote_in_its_own_way(name, said, wanted, tmp_path):
    (tmp_path / "a.log").write_bytes(TEXTS[name](printed(said, "logback with a day")))
    rows = rows_of(tmp_path / "a.log")
    assert_equal_but_for_blanks(rows, wanted)
    places = [row["file_offset"] for row in rows]
    assert places == sorted(set(places)), "each record has its own place in the file"


def _otlp(said: list[Said]) -> dict:
    scopes: dict[str, list] = {}
    for s in said:
        trace = [{"key": "exception.stacktrace", "value": {"stringValue": s.trace}}]
        scopes.setdefault(s.logger, []).append(
            {
                "timeUnixNano": str(ms(s) * 1_000_000), "severityText": s.level,
                "body": {"stringValue": s.text}, "attributes": trace if s.trace else [],
            }
        )  # fmt: skip
    logs = [{"scope": {"name": name}, "logRecords": found} for name, found in scopes.items()]
    return {"resourceLogs": [{"resource": {"attributes": []}, "scopeLogs": logs}]}


def _loki(said: list[Said]) -> dict:
    values = [[str(ms(s) * 1_000_000), raw(s)] for s in reversed(said)]  # the newest first
    streams = [{"stream": {"pod": "shop-1"}, "values": values}]
    return {"status": "success", "data": {"resultType": "streams", "result": streams}}


def _events(said: list[Said]) -> dict:
    return {"events": [{"timestamp": ms(s), "message": raw(s)} for s in said], "next": "f/1"}


DOCUMENTS = {"OpenTelemetry": _otlp, "Loki": _loki, "CloudWatch": _events}


@pytest.mark.parametrize("indent", few([None, 2]))
@pytest.mark.parametrize("name", each(DOCUMENTS, "OpenTelemetry"))
def test_documents_of_many_records(name, indent, said, wanted, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(DOCUMENTS[name](said), indent=indent))
    rows = rows_of(tmp_path / "a.json")
    told = lambda row: (row["time"], row["event"], row["message"].rstrip(), row["trace"])
    if name == "OpenTelemetry":  # its records of one millisecond stand by class
        assert Counter(map(told, rows)) == Counter(map(told, wanted))
        assert [row["time"] for row in rows] == [row["time"] for row in wanted]
    else:
        assert_equal_but_for_blanks(rows, wanted)


STRANGE_RECORDS = {
    "keys that nobody has named": lambda s: {
        "dt": f"{s.iso}Z", "sev": s.level, "cls": s.logger, "words": s.text, "stack_trace": s.trace,
    },
    "pino": lambda s: {
        "time": ms(s), "name": s.logger, "msg": s.text, "stack_trace": s.trace,
        "level": {"TRACE": 10, "DEBUG": 20, "INFO": 30, "WARN": 40, "ERROR": 50}[s.level],
    },
    "Kibana's clock": lambda s: {
        "@timestamp": f"{moment(s):%b %d, %Y} @ {s.clock}.{s.ms}", "log.level": s.level,
        "log.logger": s.logger, "message": s.text, "error.stack_trace": s.trace or "-",
    },
    "a record in a record's message": lambda s: {
        "@timestamp": NANOS, "level": "INFO", "message": json.dumps(
            {"@timestamp": f"{s.iso}Z", "level": s.level, "logger_name": s.logger,
             "message": s.text, "stack_trace": s.trace}
        ),
    },
}  # fmt: skip


@pytest.mark.parametrize("name", each(STRANGE_RECORDS, "keys that nobody has named"))
def test_records_tell_by_their_values(name, said, wanted, tmp_path):
    lines = "".join(json.dumps(STRANGE_RECORDS[name](s)) + "\n" for s in said)
    (tmp_path / "a.jsonl").write_text(lines)
    rows = rows_of(tmp_path / "a.jsonl")
    assert different(rows, wanted) == []
    assert [(row["time"], row["level"], row["logger"]) for row in rows] == [
        (row["time"], row["level"], row["logger"]) for row in wanted
    ]


@pytest.mark.slow
def test_records_of_json_behind_a_head_and_amid_prints(said, wanted, tmp_path):
    record = lambda s: json.dumps(STRANGE_RECORDS["keys that nobody has named"](s))
    (tmp_path / "a.log").write_text("".join(f"{s.dotted} INFO shop {record(s)}\n" for s in said))
    assert different(rows_of(tmp_path / "a.log"), wanted) == []
    (tmp_path / "b.log").write_text(between([record(s) for s in said], "a print"))
    assert unread(rows_of(tmp_path / "b.log"), wanted) == {schema.FOREIGN: len(said) // 10}


def test_packings_that_cannot_be_read_say_what_to_do(said, tmp_path):
    text = printed(said, "Kafka").encode()
    packed = gzip.compress(text)
    with zipfile.ZipFile(tmp_path / "locked.zip", "w") as locked:
        locked.writestr("client.log", text)
    whole = bytearray((tmp_path / "locked.zip").read_bytes())
    whole[6] |= 1  # the flag of a password, in the file's head and in the list at the end
    whole[whole.index(b"PK\1\2") + 8] |= 1
    for name, content, told in (
        ("cut.log.gz", packed[: len(packed) // 2], "is cut, damaged"),
        ("more.log.gz", packed + b"more", "has something else behind it"),
        ("twice.log.gz", gzip.compress(packed), "is packed twice"),
        ("a.7z", b"7z\xbc\xaf\x27\x1c" + os.urandom(99), "is a 7z archive"),
        ("a.pdf", b"%PDF-1.7\n" + os.urandom(99), "is a PDF"),
        ("a.xlsx", b"PK\x03\x04" + os.urandom(99), "save it as CSV"),
        ("locked.zip", bytes(whole), "has a password"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=told):
            rows_of(tmp_path / name)
    (tmp_path / "empty.log").write_bytes(b"")
    assert main(["explain", str(tmp_path / "empty.log")]) == 2


def test_a_link_to_a_folder_above_shows_no_file_twice(said, wanted, tmp_path):
    (tmp_path / "a.log").write_text(printed(said, "Kafka"))
    (tmp_path / "again").symlink_to(tmp_path)
    (tmp_path / "now.log").symlink_to(tmp_path / "a.log")
    assert different(rows_of(tmp_path), wanted) == []


@pytest.mark.parametrize(
    ("missing", "code"), [("pyspark", 0), ("duckdb", 0), ("pyspark duckdb", 2), ("pyarrow", 2)]
)
def test_the_doctor_needs_one_engine(missing, code, monkeypatch, capsys):
    there = doctor.importlib.metadata.version

    def version(name: str) -> str:
        if name in missing.split():
            raise doctor.importlib.metadata.PackageNotFoundError(name)
        return there(name)

    monkeypatch.setattr(doctor.importlib.metadata, "version", version)
    assert main(["doctor"]) == code
    told = capsys.readouterr().out
    assert ("MISS" in told) == (code == 2)
    assert all(f"{name} is not installed" in told for name in missing.split())


def test_the_page_tells_files_of_one_name_apart():
    files = ["logs/a/inv.log", "logs/b/inv.log", "logs/b/other.log", "inv.log"]
    story = SimpleNamespace(files=pd.DataFrame({"file": files}))
    assert page._short_names(story) == {
        "logs/a/inv.log": "a/inv.log",
        "logs/b/inv.log": "b/inv.log",
        "logs/b/other.log": "other.log",
        "inv.log": "inv.log",
    }


def test_the_causes_of_bars_near_each_other_are_joined():
    told = [
        (0.0, "first join"),
        (0.5, "poll timeout"),
        (9.0, "another member"),
        (1.0, "first join"),
    ]
    assert pictures._without_overlaps(told, 10.0) == [
        (0.0, "first join, poll timeout"),
        (9.0, "another member"),
    ]
