"""Real clients' lines as they lie on other people's disks: in the layouts of frameworks, wrapped by
containers, rotated and packed. The rows have to be the same, without a word about the layout."""

import gzip
import json
import os
import tarfile
import zipfile

import pytest

from kafkalab.lines import layout as kafkas
from kafkalab.logsets import layouts, schema
from kafkalab.logsets.__main__ import main
from kafkalab.logsets.block import Block
from kafkalab.logsets.files import files_of, left_out
from kafkalab.logsets.layout_block import LaidOutBlock
from kafkalab.logsets.ranges import ranges_of
from kafkalab.logsets.record_batches import how_written, record_batch_of
from kafkalab.tests.shares import few

RECORDINGS = (
    "4.4.0/3.9.2/group_slow_poll/inv-1.log.gz",
    "2.3.1/2.1.1/transaction_zombie_fenced/zombie.log.gz",
)
MONTH = "Nov"
JAVAS = {"TRACE": "FINER", "DEBUG": "FINE", "INFO": "INFO", "WARN": "WARNING", "ERROR": "SEVERE"}


class Said:
    """One line with the pieces that layouts are made of."""

    def __init__(self, row: kafkas.Row, thread: str = "main"):
        text = kafkas.time_text(row.at_ms)
        self.day, self.clock, self.ms = text[:10], text[11:19], text[20:]
        self.time, self.dotted = text, f"{self.day} {self.clock}.{self.ms}"
        self.iso = f"{self.day}T{self.clock}.{self.ms}"
        self.level, self.logger, self.line, self.text = row.level, row.logger, row.line, row.message
        self.thread, self.trace = thread, row.trace

    @property
    def simple(self) -> str:
        return self.logger.rpartition(".")[2]

    def packages(self, letters: int) -> str:
        *before, name = self.logger.split(".")
        return ".".join([*(part[:letters] for part in before), name])

    def logback(self, length: int) -> str:
        """logback's %logger{length}: packages lose letters from the left until it is short."""
        parts = self.logger.split(".")
        for place in range(len(parts) - 1):
            if len(".".join(parts)) <= length:
                break
            parts[place] = parts[place][0]
        return ".".join(parts)

    @property
    def boots(self) -> str:
        return f"{self.logback(39)[-40:]:<40}"


LAYOUTS = {
    "Kafka": lambda s: f"[{s.time}] {s.level} {s.text} ({s.logger}:{s.line})",
    "Kafka, threads": lambda s: f"[{s.time}] {s.level} [{s.thread}] {s.text} ({s.logger}:{s.line})",
    "Kafka Connect": lambda s: (
        f"[{s.time}] {s.level} [sink-1|task-0] {s.text} ({s.logger}:{s.line})"
    ),
    "Spring Boot 3": lambda s: (
        f"{s.iso}Z {s.level:>5} 4711 --- [{s.thread:>15}] {s.boots} : {s.text}"
    ),
    "Spring Boot 3, named": lambda s: (
        f"{s.iso}+02:00 {s.level:>5} 4711 --- [shop] [{s.thread:>15}] {s.boots} : {s.text}"
    ),
    "Spring Boot 3, traced": lambda s: (
        f"{s.iso}Z {s.level:>5} 4711 --- [shop] [{s.thread:>15}] [{'':49}] {s.boots} : {s.text}"
    ),
    "Spring Boot 2": lambda s: (
        f"{s.dotted} {s.level:>5} 4711 --- [{s.thread:>15}] {s.boots} : {s.text}"
    ),
    "Flink": lambda s: f"{s.time} {s.level:5} {s.logger:60}  - {s.text}",
    "Quarkus": lambda s: f"{s.time} {s.level:5} [{s.packages(3)}] ({s.thread}) {s.text}",
    "WildFly": lambda s: f"{s.time[11:]} {s.level:5} [{s.logger}] (MSC thread 1-2) {s.text}",
    "logback": lambda s: f"{s.clock}.{s.ms} [{s.thread}] {s.level:5} {s.logback(36)} - {s.text}",
    "logback with a day": lambda s: (
        f"{s.dotted} [{s.thread}] {s.level:5} {s.logback(36)} - {s.text}"
    ),
    "logback 1.3": lambda s: (
        f"{s.clock}.{s.ms} [{s.thread}] {s.level:5} {s.logback(36)} -- {s.text}"
    ),
    "log4j 2": lambda s: f"{s.day}T{s.time[11:]} [{s.thread}] {s.level:5} {s.logger} - {s.text}",
    "log4j 1": lambda s: f"{s.time} {s.level:5} [{s.thread}] {s.simple}:{s.line} - {s.text}",
    "Spark": lambda s: f"{s.day[2:].replace('-', '/')} {s.clock} {s.level} {s.simple}: {s.text}",
    "a zone behind a blank": lambda s: (
        f"{s.time} +0200 {s.level:5} [{s.thread}] {s.logger}:{s.line} - {s.text}"
    ),
    "a zone by name": lambda s: f"{s.time} CET {s.level:5} [{s.thread}] {s.logger} - {s.text}",
    "Tomcat": lambda s: (
        f"{s.day[8:]}-{MONTH}-{s.day[:4]} {s.clock}.{s.ms} {s.level} [{s.thread}] "
        f"{s.logger} {s.text}"
    ),
    "Dropwizard": lambda s: f"{s.level:5} [{s.time}] {s.logger}: {s.text}",
    "bars": lambda s: f"{s.dotted}|{s.level}|{s.thread}|{s.logger}|{s.text}",
    "brackets": lambda s: f"[{s.time}][{s.level}][{s.thread}][{s.logger}] {s.text}",
    "Strimzi": lambda s: f"{s.time} {s.level} {s.text} ({s.logger}) [{s.thread}]",
    "Debezium": lambda s: f"{s.time} {s.level:6} MySQL|shop|streaming  {s.text}   [{s.logger}]",
    "Storm": lambda s: f"{s.dotted} {s.logback(1)} {s.thread} [{s.level}] {s.text}",
    "Helidon": lambda s: (
        f"{s.day.replace('-', '.')} {s.clock} {JAVAS[s.level]} {s.logger} "
        f"Thread[{s.thread},5,main]: {s.text}"
    ),
    "small letters": lambda s: (
        f"{s.dotted} {s.level.lower():5} [{s.thread}] {s.logback(36)} - {s.text}"
    ),
    "a context of words": lambda s: (
        f"{s.dotted} {s.level:5} [{s.thread}] {s.logback(36)} traceId=, spanId=4f2a - {s.text}"
    ),
    "no time": lambda s: f"{s.level:5} {s.simple} - {s.text}",
}


def _json_lines(lines: str, key) -> str:
    return "".join(json.dumps(key(line)) + "\n" for line in lines.splitlines())


def _each(prefix: str):
    return lambda text: "".join(f"{prefix}{line}\n" for line in text.splitlines()).encode()


NANOS = "2026-11-20T03:07:51.825123456Z"
WRAPPED = {
    "Windows": lambda text: text.replace("\n", "\r\n").encode(),
    "a byte order mark": lambda text: text.encode("utf-8-sig"),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16 without a mark": lambda text: text.encode("utf-16-le"),
    "colors": lambda text: (
        text.replace(" DEBUG ", " \x1b[39mDEBUG\x1b[0;39m ")
        .replace(" INFO ", " \x1b[32mINFO\x1b[0;39m ")
        .encode()
    ),
    "docker": lambda text: _json_lines(
        text, lambda line: {"log": line + "\n", "stream": "stdout", "time": NANOS}
    ).encode(),
    "docker, colors": lambda text: _json_lines(
        text.replace(" INFO ", " \x1b[32mINFO\x1b[0;39m "),
        lambda line: {"log": line + "\n", "stream": "stdout", "time": NANOS},
    ).encode(),
    "CRI": _each(f"{NANOS} stdout F "),
    "compose": _each("shop-1    | "),
    "kubectl --prefix": _each("[pod/shop-6d4f8b/app] "),
    "kubectl --timestamps": _each(f"{NANOS} "),
    "stern": _each("shop-6d4f8b7c9-x2x7k app "),
    "journal": _each("Nov 20 03:07:51 host1 shop[4711]: "),
    "syslog without a number": _each("Nov 20 03:07:51 host1 shop: "),
    "syslog of RFC 5424": _each("<14>1 2026-11-20T03:07:51.825Z host1 shop 4711 - - "),
    "Heroku": _each("2026-11-20T03:07:51.825123+00:00 app[web.1]: "),
    "CloudWatch": _each("2026-11-20T03:07:51.825Z "),
    "logcli": _each('2026-11-20T03:07:51Z {app="shop"} '),
    "grep -n": lambda text: "".join(
        f"{number}:{line}\n" for number, line in enumerate(text.splitlines(), 1)
    ).encode(),
    "grep -H": _each("client.log:"),
    "a citation": _each("> "),
    "Fluent Bit": lambda text: _json_lines(
        text, lambda line: {"date": 1795154400.1, "log": line}
    ).encode(),
    "journal in JSON": lambda text: _json_lines(
        text, lambda line: {"__REALTIME_TIMESTAMP": "1795154400000000", "MESSAGE": line}
    ).encode(),
    "Google Cloud": lambda text: _json_lines(
        text, lambda line: {"textPayload": line, "severity": "INFO", "timestamp": NANOS}
    ).encode(),
}


def _ecs(s: Said) -> dict:
    trace = {"error.stack_trace": s.trace} if s.trace else {}
    return {
        "@timestamp": f"{s.iso}Z", "log.level": s.level, "message": s.text,
        "process.thread.name": s.thread, "log.logger": s.logger, **trace,
    }  # fmt: skip


def _ecs_nested(s: Said) -> dict:
    trace = {"error": {"stack_trace": s.trace}} if s.trace else {}
    return {
        "@timestamp": f"{s.iso}Z", "log": {"level": s.level, "logger": s.logger},
        "message": s.text, "process": {"thread": {"name": s.thread}}, **trace,
    }  # fmt: skip


def _logstash(s: Said) -> dict:
    trace = {"stack_trace": s.trace} if s.trace else {}
    return {
        "@timestamp": f"{s.iso}+00:00", "@version": "1", "message": s.text,
        "logger_name": s.logger, "thread_name": s.thread, "level": s.level, **trace,
    }  # fmt: skip


@pytest.fixture(scope="module")
def said(recordings) -> list[Said]:
    return [Said(row) for path in RECORDINGS for row in kafkas.read(recordings / path)]


@pytest.fixture(scope="module")
def wanted(recordings) -> list[dict]:
    rows = [row for path in RECORDINGS for row in kafkas.read(recordings / path)]
    text = "".join(kafkas.text_of(row) for row in rows)
    return record_batch_of(Block(text.encode()), schema.NAMES).to_pylist()


def printed(said: list[Said], layout: str) -> str:
    write = LAYOUTS[layout]
    return "".join(f"{write(each)}\n{each.trace + chr(10) if each.trace else ''}" for each in said)


def rows_of(path) -> list[dict]:
    return [
        row
        for file in files_of(str(path))
        for piece in ranges_of(file, *how_written(file))
        for block in piece.blocks()
        for row in record_batch_of(block, schema.NAMES).to_pylist()
    ]


def different(rows: list[dict], wanted: list[dict]) -> list[tuple]:
    """The rows that say something else than those of Kafka's own layout."""
    names = ("event", "client_id", "group_id", "generation", "position", "reason", "problem")
    assert len(rows) == len(wanted), f"{len(rows)} rows of {len(wanted)}"
    found = []
    for row, other in zip(rows, wanted, strict=True):
        found += [(name, row[name], other[name]) for name in names if row[name] != other[name]]
        if (row["message"], row["trace"] or "") != (other["message"], other["trace"] or ""):
            found.append(("message", row["message"], other["message"]))
    return found


@pytest.mark.parametrize("name", few(LAYOUTS, 6))
def test_a_layout_is_found_by_its_lines(name, said, wanted, tmp_path):
    path = tmp_path / "client.log"
    path.write_text(printed(said, name), encoding="utf-8")
    assert different(rows_of(path), wanted) == []


@pytest.mark.parametrize("layout", few(["Kafka", "Spring Boot 3"]))
@pytest.mark.parametrize("name", few(WRAPPED, 8))
def test_lines_are_taken_out_of_what_they_are_wrapped_in(name, layout, said, wanted, tmp_path):
    path = tmp_path / "client.log"
    path.write_bytes(WRAPPED[name](printed(said, layout)))
    rows = rows_of(path)
    assert different(rows, wanted) == []
    places = [row["file_offset"] for row in rows]
    assert places == sorted(set(places)), "each line has its own place in the file"


@pytest.mark.parametrize("write", [_ecs, _ecs_nested, _logstash])
def test_records_of_json_are_lines(write, said, wanted, tmp_path):
    path = tmp_path / "client.jsonl"
    path.write_text("".join(json.dumps(write(each)) + "\n" for each in said), encoding="utf-8")
    rows = rows_of(path)
    assert different(rows, wanted) == []
    assert [row["logger"] for row in rows] == [row["logger"] for row in wanted]


def thirds(said: list[Said]) -> list[str]:
    """The log in three parts, the oldest first."""
    cut = len(said) // 3
    return [printed(part, "Kafka") for part in (said[:cut], said[cut : 2 * cut], said[2 * cut :])]


@pytest.mark.corpus
def test_a_rotated_log_is_one_log_from_the_oldest_file_on(said, wanted, tmp_path):
    oldest, middle, newest = thirds(said)
    for names in (
        ("app.log.2.gz", "app.log.1", "app.log"),
        ("app.log.2026-11-19.gz", "app.log.2026-11-20", "app.log"),
        ("app.2026-11-20.9.log.gz", "app.2026-11-20.10.log", "app.log"),
    ):
        folder = tmp_path / names[0]
        folder.mkdir()
        (folder / names[0]).write_bytes(gzip.compress(oldest.encode()))
        (folder / names[1]).write_text(middle, encoding="utf-8")
        (folder / names[2]).write_text(newest, encoding="utf-8")
        (folder / "notes.md").write_text("no log")
        rows = rows_of(folder)
        assert different(rows, wanted) == []
        assert {row["file"] for row in rows} == {str(folder / "app.log")}
        places = [row["file_offset"] for row in rows]
        assert places == sorted(set(places)), "the offsets go on from file to file"
        assert left_out(str(folder)) == [str(folder / "notes.md")]


def test_an_archive_is_read_as_a_folder(said, wanted, tmp_path):
    inside = tmp_path / "logs"
    inside.mkdir()
    for name, text in zip(("app.log.2", "app.log.1", "app.log"), thirds(said), strict=True):
        (inside / name).write_text(text, encoding="utf-8")
    (inside / "notes.md").write_text("no log")
    with tarfile.open(tmp_path / "logs.tar.gz", "w:gz") as tar:
        tar.add(inside, "logs")
    with zipfile.ZipFile(tmp_path / "logs.zip", "w") as zipped:
        for path in inside.iterdir():
            zipped.write(path, f"logs/{path.name}")
    for archive in (tmp_path / "logs.tar.gz", tmp_path / "logs.zip"):
        assert different(rows_of(archive), wanted) == []
        assert left_out(str(archive)) == [f"{archive}!/logs/notes.md"]


def test_several_logs_by_a_pattern(said, wanted, tmp_path):
    (tmp_path / "a.log").write_text(printed(said, "Kafka"), encoding="utf-8")
    (tmp_path / "b.log").write_text(printed(said, "Flink"), encoding="utf-8")
    assert different(rows_of(tmp_path / "*.log"), [*wanted, *wanted]) == []
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        files_of(str(tmp_path / "*.txt"))


def test_what_is_packed_and_does_not_say_so_is_named(said, tmp_path):
    path = tmp_path / "client.log"
    path.write_bytes(gzip.compress(b"[2026-01-05 09:00:00,000] INFO hello (a.B)\n"))
    with pytest.raises(ValueError, match=r"is packed: give it a name that ends with \.gz"):
        rows_of(path)


def test_a_log_that_was_cut_while_it_was_written_begins_with_zeros(said, wanted, tmp_path):
    path = tmp_path / "client.log"
    path.write_bytes(bytes(100_000) + printed(said, "Spring Boot 3").encode())
    rows = [row for row in rows_of(path) if row["problem"] is None]
    assert different(rows, wanted) == []


def test_blank_lines_between_records_are_nobodys(said, wanted, tmp_path):
    path = tmp_path / "client.log"
    path.write_text(printed(said, "logback with a day").replace("\n2026", "\n\n2026"))
    rows = rows_of(path)
    # a dump of settings ends with an empty line of its own
    assert [row["event"] for row in rows] == [row["event"] for row in wanted]
    assert [row["message"].rstrip() for row in rows] == [row["message"].rstrip() for row in wanted]


@pytest.mark.slow
def test_a_layout_that_is_read_wrongly_is_doubted(said, tmp_path, capsys):
    """Before the message there are as many words as the thread likes: no pattern says that."""
    path = tmp_path / "client.log"
    few = [each for each in said if each.level != "DEBUG"]
    words = [" ".join("abcdefghijklmnop"[: 1 + n % 16]) for n in range(len(few))]
    path.write_text(
        "".join(
            f"{s.dotted} {s.level:5} {s.logger} {word} - {s.text}\n"
            for s, word in zip(few, words, strict=True)
        )
    )
    assert main(["rebalances", str(path)]) == 3
    assert "the messages begin at another place" in capsys.readouterr().err
    assert main(["explain", str(path)]) == 3
    told = capsys.readouterr().out
    assert told.startswith("Do not trust this report. ") and "Nothing can be said" in told
    assert main(["explain", str(path), "--layout", "%d %-5p %c in %t - %m%n"]) == 2
    layout = "%d{yyyy-MM-dd HH:mm:ss.SSS} %-5p %c %t - %m%n"
    assert main(["explain", str(path), "--layout", layout]) == 0


def test_what_is_no_log_has_no_row_that_could_be_read(tmp_path):
    path = tmp_path / "client.log"
    path.write_bytes(os.urandom(5_000).replace(b"\x1f\x8b", b"??"))
    assert all(row["problem"] for row in rows_of(path))


def test_a_record_swallows_no_line_of_another_layout():
    """Somebody's own lines stand between the client's, with a time, but in another layout."""
    text = (
        "12:00:00.000 [main] INFO  com.acme.Shop - one\nmore of it\n"
        "12:00:01.000 INFO from another layout\nits second line\n"
        "12:00:02.000 [main] INFO  o.a.k.c.NetworkClient - two\n"
    )
    block = LaidOutBlock(text.encode(), layouts.layout("%d{HH:mm:ss.SSS} [%t] %-5p %c - %m%n"))
    rows = record_batch_of(block, ("message", "problem")).to_pylist()
    assert [(row["message"], row["problem"]) for row in rows] == [
        ("one\nmore of it", None),
        ("12:00:01.000 INFO from another layout\nits second line", schema.FOREIGN),
        ("two", None),
    ]


def test_a_zone_that_could_be_several_is_not_guessed():
    text = b"2026-01-05 09:00:00,000 IST INFO  [main] o.a.k.c.NetworkClient - one\n"
    block = LaidOutBlock(text, layouts.layout("%d{yyyy-MM-dd HH:mm:ss,SSS Z} %-5p [%t] %c - %m%n"))
    assert block.problem.to_pylist() == [schema.FOREIGN]
