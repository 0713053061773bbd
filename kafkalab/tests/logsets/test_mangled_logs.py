"""Real clients' lines, mangled in more ways: loggers of many products, clocks and zones of many
countries, records in JSON and tables, several layouts or several containers in one file."""

import csv
import io
import json
import lzma
from datetime import datetime, timedelta

import pytest

from kafkalab.logsets.__main__ import main
from kafkalab.logsets.files import files_of, left_out
from kafkalab.tests.logsets.test_production_logs import (
    LAYOUTS,
    Said,
    _ecs,
    different,
    printed,
    rows_of,
    said,
    wanted,
)
from kafkalab.tests.shares import few

assert said and wanted, "fixtures"


def each(names, *quick: str) -> list:
    """The names as parameters of a test; those that are not quick are for the long test run."""
    return [pytest.param(name, marks=[] if name in quick else pytest.mark.slow) for name in names]


def moment(s: Said) -> datetime:
    return datetime.fromisoformat(f"{s.dotted}+00:00")


def short(s: Said, parts: int = 2) -> str:
    return ".".join(s.logger.split(".")[-parts:])


def head(s: Said) -> str:
    return f"{s.level:5} [{s.thread}] {s.logger} - {s.text}"


def ms(s: Said) -> int:
    return round(moment(s).timestamp() * 1000)


# Loggers of products, and of people who like other marks.
MANGLED = {
    "Elasticsearch": lambda s: (
        f"[{s.day}T{s.time[11:]}][{s.level:5}][{s.logback(25):25}] [node-1] {s.text}"
    ),
    "Solr": lambda s: f"{s.dotted} {s.level:5} ({s.thread}) [   ] {s.logback(20)} {s.text}",
    "HBase": lambda s: f"{s.time} {s.level:5} [{s.thread}] {short(s)}: {s.text}",
    "NiFi": lambda s: (
        f"{s.time} {s.level} [Timer-Driven Process Thread-3] {s.logback(40)} {s.text}"
    ),
    "Cassandra": lambda s: f"{s.level:5} [{s.thread}] {s.time} {s.simple}.java:{s.line} - {s.text}",
    "Play": lambda s: f"{s.dotted} [{s.level.lower()}] from {s.logger} in {s.thread} - {s.text}",
    "ZooKeeper": lambda s: (
        f"{s.time} [myid:1] - {s.level:5} [{s.thread}:{s.simple}@{s.line}] - {s.text}"
    ),
    "Trino": lambda s: f"{s.iso}Z\t{s.level}\t{s.thread}\t{s.logger}\t{s.text}",
    "Mule": lambda s: (
        f"{s.level:5} {s.time} [{s.thread}] [processor: ; event: 0-12] {s.logger}: {s.text}"
    ),
    "Karaf": lambda s: (
        f"{s.day}T{s.time[11:]} | {s.level:5} | {s.thread:16} | {s.simple:32} | "
        f"12 - org.apache.kafka-clients - 3.9.2 | {s.text}"
    ),
    "WebSphere": lambda s: (
        f"[{moment(s).month}/{moment(s).day}/{s.day[2:4]} {moment(s).hour}:{s.clock[3:]}:{s.ms} "
        f"UTC] 0000002d {s.logger:60} {s.level[0]} {s.text}"
    ),
    "the class and line at the end": lambda s: (
        f"{s.dotted} {s.level:5} - {s.text} [{s.thread}] ({s.simple}.java:{s.line})"
    ),
    "a method": lambda s: (
        f"{s.dotted} {s.level:5} [{s.thread}] {s.logger}.poll({s.simple}.java:{s.line}) - {s.text}"
    ),
    "the host first": lambda s: f"web-17 {s.dotted} {head(s)}",
    "the application and its version": lambda s: f"{s.dotted} shop 1.4.2 {head(s)}",
    "the process and host": lambda s: (
        f"{s.dotted} {s.level:5} 4711@web-17 [{s.thread}] {s.logger} - {s.text}"
    ),
    "the level in angles": lambda s: f"<{s.level}> {s.dotted} {s.logger}: {s.text}",
    "a level of one letter": lambda s: f"{s.dotted} {s.level[0]} {s.logger}: {s.text}",
    "semicolons": lambda s: f"{s.dotted};{s.level};{s.thread};{s.logger};{s.text}",
    "commas": lambda s: f"{s.dotted},{s.level},{s.thread},{s.logger},{s.text}",
    "tabs": lambda s: f"{s.dotted}\t{s.level}\t[{s.thread}]\t{s.logger}\t{s.text}",
    "two bars": lambda s: f"{s.dotted} || {s.level} || {s.thread} || {s.logger} || {s.text}",
    "braces": lambda s: f"{s.dotted} {{{s.thread}}} {s.level} {s.logger} - {s.text}",
    "a context in braces": lambda s: (
        f"{s.dotted} {s.level:5} [{s.thread}] {{traceId=1, spanId=2}} {s.logger} : {s.text}"
    ),
    "an arrow": lambda s: f"{s.dotted} [{s.level}] {s.logger} -> {s.text}",
}
# The same time, and what its zone adds to it.
CLOCKS = {
    "a T and no colon": (lambda s: f"{s.iso}+0000", 0),
    "day first": (lambda s: f"{s.day[8:]}/{s.day[5:7]}/{s.day[:4]} {s.clock}.{s.ms}", 0),
    "month first": (lambda s: f"{s.day[5:7]}/{s.day[8:]}/{s.day[:4]} {s.clock}.{s.ms}", 0),
    "milliseconds since 1970": (lambda s: str(ms(s)), 0),
    "seconds since 1970": (lambda s: f"{ms(s) / 1000:.3f}", 0),
    "no zeros at the end": (lambda s: f"{s.iso.rstrip('0').rstrip('.')}Z", 0),
    "nanoseconds": (lambda s: f"{s.iso}000000Z", 0),
    "EST": (lambda s: f"{s.time} EST", 5 * 3600),
    "-0500": (lambda s: f"{s.dotted} -0500", 5 * 3600),
    "+02": (lambda s: f"{s.dotted}+02", -2 * 3600),
    "GMT+02:00": (lambda s: f"{s.dotted} GMT+02:00", -2 * 3600),
    "a place": (lambda s: f"{s.iso}+01:00[Europe/Berlin]", -3600),
}
HALF_DAYS = {
    "AM and PM": "%m/%d/%Y %I:%M:%S %p",
    "the month by name": "%b %d, %Y %I:%M:%S %p",
}


@pytest.mark.parametrize(
    "name",
    few(
        each(MANGLED, "Cassandra", "Play", "Trino", "Karaf", "WebSphere", "semicolons", "a method"),
        2,
    ),
)
def test_a_layout_that_nobody_has_named_is_read(name, said, wanted, tmp_path):
    write = MANGLED[name]
    (tmp_path / "client.log").write_text(written(write, said), encoding="utf-8")
    rows = rows_of(tmp_path / "client.log")
    assert different(rows, wanted) == []
    assert [(row["time"], row["level"]) for row in rows] == [
        (row["time"], row["level"]) for row in wanted
    ]


@pytest.mark.parametrize(
    "name", each(CLOCKS, "day first", "milliseconds since 1970", "no zeros at the end", "a place")
)
def test_a_time_is_read_in_its_zone(name, said, wanted, tmp_path):
    clock, late_s = CLOCKS[name]
    lines = written(lambda s: f"{clock(s)} {head(s)}", said)
    (tmp_path / "client.log").write_text(lines, encoding="utf-8")
    rows = rows_of(tmp_path / "client.log")
    assert different(rows, wanted) == []
    assert {row["time"] - other["time"] for row, other in zip(rows, wanted, strict=True)} == {
        timedelta(seconds=late_s)
    }


@pytest.mark.parametrize("name", each(HALF_DAYS, "AM and PM"))
def test_hours_of_half_a_day(name, said, wanted, tmp_path):
    lines = written(lambda s: f"{moment(s):{HALF_DAYS[name]}} {head(s)}", said)
    (tmp_path / "client.log").write_text(lines, encoding="utf-8")
    rows = rows_of(tmp_path / "client.log")
    assert different(rows, wanted) == []
    assert [row["time"] for row in rows] == [row["time"].replace(microsecond=0) for row in wanted]


def test_a_day_that_could_be_two_is_not_guessed(tmp_path):
    line = "05/01/2026 09:00:00.000 INFO  [main] org.apache.kafka.clients.NetworkClient - one\n"
    (tmp_path / "client.log").write_text(line * 9)
    assert all(row["problem"] for row in rows_of(tmp_path / "client.log"))
    assert main(["explain", str(tmp_path / "client.log")]) == 2


def test_a_time_that_does_not_exist_is_a_problem(tmp_path):
    line = "2026-13-20 09:00:00.000 INFO  [main] org.apache.kafka.clients.NetworkClient - one\n"
    (tmp_path / "client.log").write_text(line.replace("-13-", "-11-") * 9 + line)
    assert [row["problem"] is None for row in rows_of(tmp_path / "client.log")] == [True] * 9 + [
        False
    ]


@pytest.mark.slow
def test_lines_without_times_are_told_without_them(said, tmp_path, capsys):
    lines = written(lambda s: f"[{s.level.lower()}] {s.logback(20)} - {s.text}", said)
    (tmp_path / "client.log").write_text(lines, encoding="utf-8")
    page = tmp_path / "page.html"
    assert main(["explain", str(tmp_path / "client.log"), "--html", str(page)]) == 0
    assert "The lines have no time" in capsys.readouterr().out
    assert "The lines have no time" in page.read_text(encoding="utf-8")


def written(write, said: list[Said]) -> str:
    return "".join(f"{write(s)}\n{s.trace + chr(10) if s.trace else ''}" for s in said)


def raw(s: Said) -> str:
    return f"{s.dotted} {head(s)}" + (f"\n{s.trace}" if s.trace else "")


def _trace(s: Said, name: str) -> dict:
    return {name: s.trace} if s.trace else {}


NUMBERS = {"ERROR": 3, "WARN": 4, "INFO": 6, "DEBUG": 7, "TRACE": 7}
RECORDS = {
    "log4j 2": lambda s: {
        "instant": {"epochSecond": ms(s) // 1000, "nanoOfSecond": ms(s) % 1000 * 1_000_000},
        "thread": "main", "level": s.level, "loggerName": s.logger, "message": s.text,
        "thrown": {"extendedStackTrace": s.trace},
    },
    "Quarkus": lambda s: {
        "timestamp": f"{s.iso}Z", "loggerName": s.logger, "level": s.level, "message": s.text,
        "threadName": "main", "hostName": "web-1", **_trace(s, "stackTrace"),
    },
    "logback": lambda s: {
        "timestamp": ms(s), "level": s.level, "threadName": "main", "loggerName": s.logger,
        "message": "[{}] {}", "formattedMessage": s.text, **_trace(s, "stacktrace"),
    },
    "Google Cloud": lambda s: {
        "severity": s.level, "timestampSeconds": ms(s) // 1000,
        "timestampNanos": ms(s) % 1000 * 1_000_000, "logger": s.logger,
        "message": s.text + (f"\n{s.trace}" if s.trace else ""),
    },
    "a search engine's hit": lambda s: {"_index": "shop", "_source": _ecs(s)},
    "capitals": lambda s: {
        "Timestamp": f"{s.iso}Z", "Level": s.level, "Logger": s.logger, "Message": s.text,
        **_trace(s, "Exception"),
    },
}  # fmt: skip
LINES_IN_RECORDS = {
    "Kubernetes": lambda s: {"log": raw(s), "kubernetes": {"pod_name": "shop-1"}},
    "Splunk": lambda s: {"preview": False, "result": {"_raw": raw(s)}},
    "Datadog": lambda s: {"id": "A", "content": {"timestamp": f"{s.iso}Z", "message": raw(s)}},
}


@pytest.mark.parametrize("name", each(RECORDS, "logback", "a search engine's hit"))
def test_records_of_more_encoders_are_lines(name, said, wanted, tmp_path):
    lines = "".join(json.dumps(RECORDS[name](s)) + "\n" for s in said)
    (tmp_path / "client.jsonl").write_text(lines, encoding="utf-8")
    rows = rows_of(tmp_path / "client.jsonl")
    assert different(rows, wanted) == []
    assert [row["time"] for row in rows] == [row["time"] for row in wanted]


@pytest.mark.parametrize("name", each(LINES_IN_RECORDS, "Kubernetes"))
def test_whole_lines_in_records_of_collectors(name, said, wanted, tmp_path):
    lines = "".join(json.dumps(LINES_IN_RECORDS[name](s)) + "\n" for s in said)
    (tmp_path / "client.jsonl").write_text(lines, encoding="utf-8")
    assert_equal_but_for_blanks(rows_of(tmp_path / "client.jsonl"), wanted)


def assert_equal_but_for_blanks(rows: list[dict], wanted: list[dict], timed: bool = True) -> None:
    """A collector's record may lose the line break at the end of a message."""
    assert [(row["event"], timed and row["time"]) for row in rows] == [
        (row["event"], timed and row["time"]) for row in wanted
    ]
    assert [row["message"].rstrip() for row in rows] == [row["message"].rstrip() for row in wanted]
    assert [row["trace"] for row in rows] == [row["trace"] for row in wanted]


def test_gelf_has_its_levels_as_numbers(said, wanted, tmp_path):
    records = [
        {
            "version": "1.1", "host": "web-1", "short_message": s.text[:80].split("\n")[0],
            "full_message": raw(s).partition(" - ")[2], "timestamp": ms(s) / 1000,
            "level": NUMBERS[s.level], "_loggerName": s.logger,
        }
        for s in said
    ]  # fmt: skip
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
    rows = rows_of(tmp_path / "a.jsonl")
    traces = {row["event"] for row in wanted if row["level"] == "TRACE"}
    shown = [(row["event"], row["trace"]) for row in wanted if row["event"] not in traces]
    assert [(r["event"], r["trace"]) for r, w in zip(rows, wanted, strict=True)
            if w["event"] not in traces] == shown  # fmt: skip


@pytest.mark.corpus
def test_arrays_and_records_over_many_lines(said, wanted, tmp_path):
    records = [_ecs(s) for s in said]
    one_each = ",\n".join(map(json.dumps, records))
    for text in (
        json.dumps(records),
        json.dumps(records, indent=2),
        f"[\n{one_each}\n]\n",
        "\n".join(json.dumps(record, indent=2) for record in records),
    ):
        (tmp_path / "client.jsonl").write_text(text, encoding="utf-8")
        rows = rows_of(tmp_path / "client.jsonl")
        assert different(rows, wanted) == []
        places = [row["file_offset"] for row in rows]
        assert places == sorted(set(places)), "each record has its own place in the file"


@pytest.mark.corpus
def test_tables_of_search_tools(said, wanted, tmp_path):
    def table(names: list[str], cells) -> str:
        text = io.StringIO()
        csv.writer(text).writerows([names, *map(cells, said)])
        return text.getvalue()

    trace = lambda s: f"\n{s.trace}" if s.trace else ""
    apart = table(
        ["Date", "Level", "Logger", "Message"],
        lambda s: [f"{s.iso}Z", s.level, s.logger, s.text + trace(s)],
    )
    whole = table(["@timestamp", "host", "@message"], lambda s: [f"{s.iso}Z", "web-1", raw(s)])
    for text in (apart, whole):
        (tmp_path / "client.txt").write_text(text, encoding="utf-8", newline="")
        assert_equal_but_for_blanks(rows_of(tmp_path / "client.txt"), wanted)


def test_pairs_of_names_and_values(said, wanted, tmp_path):
    lines = "".join(
        f"time={s.iso}Z level={s.level.lower()} logger={s.logger} msg="
        + json.dumps(s.text + (f"\n{s.trace}" if s.trace else ""))
        + "\n"
        for s in said
    )
    (tmp_path / "client.log").write_text(lines, encoding="utf-8")
    assert different(rows_of(tmp_path / "client.log"), wanted) == []


def test_java_util_logging_writes_two_lines(said, wanted, tmp_path):
    names = {
        "TRACE": "FINER",
        "DEBUG": "FINE",
        "INFO": "INFO",
        "WARN": "WARNING",
        "ERROR": "SEVERE",
    }
    write = lambda s: (
        f"{moment(s):%b %d, %Y %I:%M:%S %p} {s.logger} poll\n{names[s.level]}: {s.text}"
    )
    (tmp_path / "client.log").write_text(written(write, said), encoding="utf-8")
    rows = rows_of(tmp_path / "client.log")
    assert different(rows, wanted) == []
    assert [row["logger"] for row in rows] == [row["logger"] for row in wanted]


MIXED = ("Kafka", "logback", "Spring Boot 3", "log4j 1")
QUICK = (("Kafka", "logback"), ("logback", "JSON"))


PAIRS = [
    pytest.param(one, two, marks=[] if (one, two) in QUICK else pytest.mark.slow)
    for one in MIXED
    for two in (*MIXED, "JSON")
    if one != two
]


@pytest.mark.parametrize(("first", "second"), few(PAIRS))
def test_two_layouts_in_one_file_are_both_read(first, second, said, wanted, tmp_path):
    """Other lines from the middle on, and in turn: none of them is swallowed."""
    one = LAYOUTS[first]
    two = LAYOUTS.get(second, lambda s: json.dumps(_ecs(s)))
    half = len(said) // 2

    def text(is_first) -> str:
        return "".join(
            f"{one(s)}\n{s.trace + chr(10) if s.trace else ''}"
            if is_first(n)
            else f"{two(s)}\n{s.trace + chr(10) if s.trace and second != 'JSON' else ''}"
            for n, s in enumerate(said)
        )

    for lines in (text(lambda n: n < half), text(lambda n: n >= half), text(lambda n: n % 3)):
        (tmp_path / "client.log").write_text(lines, encoding="utf-8")
        rows = sorted(rows_of(tmp_path / "client.log"), key=lambda row: row["file_offset"])
        assert different(rows, wanted) == []


def test_a_layout_that_was_asked_for_is_the_only_one(said, tmp_path, capsys):
    (tmp_path / "client.log").write_text(printed(said, "logback"), encoding="utf-8")
    assert main(["explain", str(tmp_path / "client.log"), "--layout", "[%d] %p %m (%c)%n"]) == 2
    assert "layout" in capsys.readouterr().err


PODS = {
    "compose": lambda pod, line: f"{pod:8} | {line}",
    "kubectl --prefix": lambda pod, line: f"[pod/{pod}/app] {line}",
    "stern": lambda pod, line: f"{pod}-6d4f8b7c9-x2x7k app {line}",
    "journal": lambda pod, line: f"Nov 20 03:07:51 {pod} shop[4711]: {line}",
    "grep -H": lambda pod, line: f"{pod}.log:{line}",
    "Kubernetes": lambda pod, line: json.dumps({"log": line, "kubernetes": {"pod_name": pod}}),
}


@pytest.mark.parametrize("name", each(PODS, "compose", "Kubernetes"))
def test_the_lines_of_several_containers_are_several_logs(name, said, wanted, tmp_path):
    """Each line comes from another of two containers, also amid stack traces and settings."""
    lines = printed(said, "Spring Boot 3").splitlines()
    text = "".join(f"{PODS[name](pod, line)}\n" for line in lines for pod in ("ada", "bo"))
    (tmp_path / "all.log").write_text(text, encoding="utf-8")
    rows = rows_of(tmp_path / "all.log")
    files = sorted({row["file"] for row in rows})
    assert len(files) == 2 and all(file.startswith(f"{tmp_path}/all.log#") for file in files)
    for file in files:
        of_one = [row for row in rows if row["file"] == file]
        if name == "Kubernetes":  # blank lines are dropped with their records' breaks
            assert_equal_but_for_blanks(of_one, wanted)
        else:
            assert different(of_one, wanted) == []


@pytest.mark.parametrize("kind", each(("Kafka", "logback", "JSON"), "logback"))
def test_a_log_from_the_newest_record_on_is_read_from_its_end(kind, said, wanted, tmp_path):
    write = LAYOUTS.get(kind, lambda s: json.dumps(_ecs(s)))
    records = [
        f"{write(s)}\n{s.trace + chr(10) if s.trace and kind != 'JSON' else ''}" for s in said
    ]
    (tmp_path / "client.log").write_text("".join(reversed(records)), encoding="utf-8")
    rows = rows_of(tmp_path / "client.log")
    assert different(rows, wanted) == []
    places = [row["file_offset"] for row in rows]
    assert places == sorted(set(places)), "the places rise with the time"


def _before(prefix: str):
    return lambda lines: "".join(f"{prefix}{line}\n" for line in lines)


BEFORE = {
    "four blanks": _before("    "),
    "a tab": _before("\t"),
    "maven": _before("[INFO] "),
    "gitlab": _before("2026-11-20T03:07:51.825123Z 00O "),
    "aws logs tail": _before("2026-11-20T03:07:51.825000+00:00 shop/app/0123abc "),
    "a web page": lambda lines: "".join(f"{line.replace('  ', 2 * chr(160))}\n" for line in lines),
    "a console": lambda lines: "".join(f"{json.dumps(line)}\n" for line in lines),
}


@pytest.mark.parametrize("name", each(BEFORE, "four blanks", "gitlab"))
def test_what_tools_put_before_whole_lines_is_taken_off(name, said, wanted, tmp_path):
    layout = "logback" if name == "maven" else "Spring Boot 3"
    (tmp_path / "a.log").write_text(BEFORE[name](printed(said, layout).splitlines()))
    assert_equal_but_for_blanks(rows_of(tmp_path / "a.log"), wanted, layout == "Spring Boot 3")


def test_a_clock_is_no_line_number(said, tmp_path):
    """`03:07:51.825` begins as what grep -n prints."""
    few = [s for s in said if "\n" not in s.text and not s.trace]
    lines = [LAYOUTS["logback"](s) for s in few]
    for numbered in (False, True):
        (tmp_path / "a.log").write_text(
            "".join(f"{n}:{line}\n" if numbered else f"{line}\n" for n, line in enumerate(lines, 1))
        )
        rows = rows_of(tmp_path / "a.log")
        assert [row["time"].hour for row in rows] == [int(s.clock[:2]) for s in few]


def test_what_tail_shows_of_several_files_is_several_logs(said, wanted, tmp_path):
    cut = len(said) // 2
    one, two = printed(said[:cut], "Kafka"), printed(said[cut:], "Kafka")
    (tmp_path / "x.log").write_text(f"==> a.log <==\n{one}\n==> b.log <==\n{two}")
    rows = rows_of(tmp_path / "x.log")
    assert [row["event"] for row in rows] == [row["event"] for row in wanted]
    assert {row["file"].rpartition("#")[2] for row in rows} == {"a.log", "b.log"}


@pytest.mark.corpus
def test_rotated_logs_with_odd_names_and_files_without(said, wanted, tmp_path):
    cut = len(said) // 3
    oldest, middle, newest = (
        printed(part, "Kafka") for part in (said[:cut], said[cut : 2 * cut], said[2 * cut :])
    )
    for names in (
        ("app.log.20261120-030751.xz", "app.log.20261120-040751", "app.log"),
        ("server.log.2026-11-20-03.xz", "server.log.2026-11-20-04", "server.log"),
        ("app.log.2.xz", "app.log.old", "app.log"),
        ("app.log_2026-11-19.xz", "app.log_2026-11-20", "app.log"),
    ):
        folder = tmp_path / names[0]
        folder.mkdir()
        (folder / names[0]).write_bytes(lzma.compress(oldest.encode()))
        (folder / names[1]).write_text(middle, encoding="utf-8")
        (folder / names[2]).write_text(newest, encoding="utf-8")
        assert different(rows_of(folder), wanted) == []
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "stdout").write_text(printed(said, "Spring Boot 3"), encoding="utf-8")
    (folder / "README.md").write_text(printed(said, "Spring Boot 3"), encoding="utf-8")
    (folder / "settings.json").write_text('{"retries": 3}\n')
    assert different(rows_of(folder), wanted) == []
    assert [file.name for file in files_of(str(folder))] == [str(folder / "stdout")]
    assert left_out(str(folder)) == [str(folder / "README.md"), str(folder / "settings.json")]
