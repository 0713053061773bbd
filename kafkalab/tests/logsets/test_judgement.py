"""Is a log that is read wrongly never read silently? All commands and Spark judge alike."""

import csv
import gzip
import io
import json
import re
from collections import Counter

import pytest

from kafkalab.logsets import schema
from kafkalab.logsets.__main__ import main
from kafkalab.logsets.files import files_of
from kafkalab.logsets.first_lines import doubts
from kafkalab.logsets.ranges import FileChanged
from kafkalab.logsets.source import KafkaLinesReader
from kafkalab.tests.logsets.test_mangled_logs import head, ms, written
from kafkalab.tests.logsets.test_production_logs import Said, rows_of, said, wanted
from kafkalab.tests.shares import few, share

assert said and wanted, "fixtures"

RIGHT = 0.9  # The share of rows that must be right where nobody is warned.


def sheet(names: str, row, mark: str = ","):
    """A table of a search tool."""

    def write(said: list[Said]) -> str:
        text = io.StringIO()
        rows = csv.writer(text, delimiter=mark)
        rows.writerow(names.split())
        rows.writerows(map(row, said))
        return text.getvalue()

    return write


def each_line(write):
    return lambda said: written(write, said)


def collector(said: list[Said]) -> str:
    """What OpenTelemetry's collector prints of records."""
    return "".join(
        f"LogRecord #{n}\nTimestamp: {s.day} {s.clock}.{s.ms} +0000 UTC\nSeverityText: {s.level}\n"
        f"Body: Str({s.text})\nAttributes:\n     -> logger: Str({s.logger})\nTrace ID:\n"
        for n, s in enumerate(said)
    )


def scanned(said: list[Said]) -> str:
    """A log that somebody photographed."""
    text = written(lambda s: f"{s.dotted} {head(s)}", said)
    return text.translate(str.maketrans({"l": "1", "o": "0", "S": "5"}))


def said_in(s: Said) -> dict:
    return {"level": s.level, "logger": s.logger, "message": s.text}


MANGLINGS = {
    "OpenTelemetry's text": collector,
    "Grafana's text": each_line(lambda s: f"{ms(s)}\t{s.iso}Z\t{s.text}"),
    "a table with escapes": each_line(
        lambda s: "\t".join((s.dotted, s.level, s.logger, s.text.replace("\n\t", r"\n\t")))
    ),
    "a photograph": scanned,
    "a day that may be a month": each_line(lambda s: f"03/11/2026 {s.clock}.{s.ms} {head(s)}"),
    "a context behind the message": each_line(
        lambda s: f"{s.dotted} {head(s)} {{traceId={ms(s)}, user=ada}}"
    ),
    "Datadog's table": sheet(
        "Date Host Service Message", lambda s: (f"{s.iso}Z", "h", "s", s.text)
    ),
    "Azure's table": sheet(
        "TimeGenerated Computer LogMessage", lambda s: (f"{s.iso}Z", "h", s.text)
    ),
    "a time that stands still": each_line(
        lambda s: json.dumps({"deployed_at": "2026-11-01T00:00:00Z", **said_in(s)})
    ),
}


def share_right(path, wanted: list[dict]) -> float:
    """The share of rows whose time, event and client are those of the log before."""

    def keys(rows):
        return Counter((row["time"], row["event"], row["client_id"]) for row in rows)

    return (keys(rows_of(path)) & keys(wanted)).total() / len(wanted)


@pytest.mark.parametrize("name", few(MANGLINGS, 2))
def test_what_is_read_wrongly_is_said(name, said, wanted, tmp_path, capsys):
    path = tmp_path / "a.log"
    path.write_text(MANGLINGS[name](said), encoding="utf-8")
    right = share_right(path, wanted)
    code = main(["read", str(path)])
    # 2: nothing of it can be read
    assert code == 0 if right >= RIGHT else code in (2, 3), f"{right:.0%} is right"
    assert code == 0 or path.name in capsys.readouterr().err


@pytest.mark.parametrize("key", ["deployed_at", "timestamp"])
def test_a_time_that_moves_is_preferred_to_one_that_stands_still(key, said, wanted, tmp_path):
    path = tmp_path / "a.log"
    path.write_text(
        written(
            lambda s: json.dumps(
                {key: "2026-11-01T00:00:00Z", **said_in(s), "at": {"when": f"{s.iso}Z"}}
            ),
            said,
        )
    )
    assert share_right(path, wanted) >= RIGHT


def no_time(s: Said) -> str:
    return f"{s.level:5} [{s.thread}] {s.logger} - {s.text}"


AROUND = {
    "CloudWatch's table": sheet("timestamp message", lambda s: (ms(s), no_time(s))),
    "syslog": lambda said: "".join(
        f"<14>1 {s.iso}Z web-1 shop 4711 - - {line}\n"
        for s in said
        for line in no_time(s).splitlines()
    ),
    "Fluent Bit": each_line(lambda s: json.dumps({"date": ms(s) / 1000, "log": no_time(s)})),
    "Fluent Bit, a clock": each_line(
        lambda s: json.dumps({"date": ms(s) / 1000 + 9, "log": f"{s.clock}.{s.ms} {no_time(s)}"})
    ),
    "seconds with a comma": each_line(lambda s: f"{ms(s) // 1000},{ms(s) % 1000:03d} {no_time(s)}"),
}


@pytest.mark.parametrize("name", few(AROUND))
def test_lines_without_a_time_have_that_of_what_is_around_them(name, said, wanted, tmp_path):
    path = tmp_path / "a.log"
    path.write_text(AROUND[name](said), encoding="utf-8")
    assert share_right(path, wanted) >= RIGHT


def test_records_without_a_class_are_known_by_their_text(said, wanted, tmp_path):
    path = tmp_path / "a.log"
    rows = sheet("Date Level Message", lambda s: (f"{s.iso}Z", s.level, s.text))
    path.write_text(rows(said), encoding="utf-8")
    assert share_right(path, wanted) >= RIGHT


@pytest.mark.corpus
@pytest.mark.parametrize("command", share(("rebalances", "explain", "read", "incidents"), 4))
def test_all_commands_and_spark_judge_alike(said, tmp_path, capsys, command):
    path = tmp_path / "a.log"
    path.write_text(MANGLINGS["a time that stands still"](said), encoding="utf-8")
    (told,) = doubts(files_of(path))
    assert told == (
        f"{path}: nearly all of its lines have one time, 2026-11-01 00:00:00. It is another time "
        "than that of the lines."
    )
    assert main([command, str(path)]) == 3
    printed = capsys.readouterr()
    assert told in printed.out + printed.err
    KafkaLinesReader(str(path), schema.NAMES, None, "PERMISSIVE").partitions()
    assert capsys.readouterr().err == told + "\n"


@pytest.mark.corpus
def test_a_log_that_begins_with_other_lines_is_not_doubted(said, tmp_path, capsys):
    path = tmp_path / "a.log"
    others = "".join(f"{each.dotted} INFO  [main] com.shop.Cart - Item\n" for each in said[:900])
    path.write_text(others + written(lambda s: f"{s.dotted} {head(s)}", said))
    assert main(["rebalances", str(path)]) == 0
    path.write_text(others)
    assert main(["rebalances", str(path)]) == 3
    assert "is in the catalogue of Kafka's lines. Another program" in capsys.readouterr().err


def test_kafkas_own_lines_are_told_from_those_of_other_programs(recordings, capsys):
    log = recordings.parent / "whole_logs" / "2.3.1" / "broker-0.state-change.log.gz"
    assert main(["read", str(log)]) == 3
    told = capsys.readouterr().err
    assert "Kafka's own classes wrote" in told and "They are read right" in told


@pytest.mark.corpus
def test_a_log_whose_lines_name_no_client_says_so(said, tmp_path, capsys):
    prefix = re.compile(r"^\[(Consumer|Producer) [^\]]*\] ")
    path = tmp_path / "a.log"
    path.write_text(
        written(lambda s: f"[shop-7] {s.level} {s.time} {prefix.sub('', s.text)}", said)
    )
    assert main(["explain", str(path)]) == 0
    assert "No line names its client: nothing can be told of rebalances" in capsys.readouterr().out


def test_records_are_not_told_to_have_a_pattern(said, tmp_path):
    path = tmp_path / "a.csv.log"
    path.write_text(MANGLINGS["Datadog's table"](said), encoding="utf-8")
    for told in doubts(files_of(path)):
        assert "--layout" not in told


@pytest.mark.parametrize("gone", [True, False])
def test_a_file_that_is_removed_or_cut_while_it_is_read_is_named(said, tmp_path, capsys, gone):
    text = written(lambda s: f"{s.dotted} {head(s)}", said)
    (tmp_path / "a.log").write_text(text)
    (tmp_path / "b.log").write_text(f"{text}\n")
    reader = KafkaLinesReader(str(tmp_path), schema.NAMES, None, "PERMISSIVE")
    (task,) = reader.partitions()
    path = tmp_path / "b.log"
    path.unlink() if gone else path.write_text(text[:1000])
    what = "was removed before it was read" if gone else "was cut while it was read"
    with pytest.raises(FileChanged, match=f"b.log {what}.*ignoreMissingFiles=true"):
        list(reader.read(task))
    reader.ignores_missing = True
    batches = list(reader.read(task))
    assert sum(batch.num_rows for batch in batches) == len(rows_of(tmp_path / "a.log"))
    assert what in capsys.readouterr().err


def test_a_copy_in_the_folder_is_read_once_and_said(said, tmp_path, capsys):
    """As a browser names it that fetched a log twice."""
    text = written(lambda s: f"{s.dotted} {head(s)}", said)
    for name in ("a.log", "a (1).log"):
        (tmp_path / name).write_text(text)
    (tmp_path / "b.log").write_text(text.replace("clientId=", "clientId=b-"))
    assert main(["read", str(tmp_path)]) == 0
    told = capsys.readouterr()
    once = len(rows_of(tmp_path / "a.log"))
    assert f"{2 * once:,} lines read" in told.out
    assert f"a (1).log: not read, for it has the same bytes as {tmp_path / 'a.log'}." in told.err
    reader = KafkaLinesReader(str(tmp_path), schema.NAMES, None, "PERMISSIVE")
    reader.partitions()
    assert "a (1).log: not read" in capsys.readouterr().err


@pytest.mark.parametrize("command", few(["rebalances", "transactions", "incidents"]))
def test_damage_that_only_a_look_at_all_lines_shows_is_told(command, recordings, tmp_path, capsys):
    """Far behind the first lines, or in the last line of each of several files."""
    logs = recordings.parent / "whole_logs"
    late = bytearray(gzip.decompress((logs / "group_reset" / "bill-1.log.gz").read_bytes()))
    for place in range(200_000, len(late) - 2_000, 6_000):
        late[place : place + 900] = bytes(900)
    (tmp_path / "late").mkdir()
    (tmp_path / "late" / "a.log").write_bytes(bytes(late))
    (tmp_path / "ends").mkdir()
    for name in ("inv-1", "inv-2", "mail-1"):
        text = gzip.decompress((logs / "slow_poll" / f"{name}.log.gz").read_bytes())
        cut = text[: text.rindex(b"\n", 0, -1) + 70]
        (tmp_path / "ends" / f"{name}.log").write_bytes(cut + bytes(4_000))
    for name in ("late", "ends"):
        assert main([command, str(tmp_path / name)]) == main(["read", str(tmp_path / name)]) == 3
        assert "records are cut, torn" in capsys.readouterr().err


def halves(text: bytes) -> tuple[bytes, bytes]:
    middle = text.index(b"\n[20", len(text) // 2) + 1
    return text[:middle], text[middle:]


@pytest.mark.corpus
def test_a_log_that_a_collector_sampled_is_told(recordings, tmp_path, capsys):
    log = recordings.parent / "whole_logs" / "group_reset" / "bill-1.log.gz"
    records = re.split(rb"(?m)^(?=\[20)", gzip.decompress(log.read_bytes()))[1:]
    (tmp_path / "all.log").write_bytes(b"".join(records))
    # begun late, as after a rotation: that is no sampling
    (tmp_path / "late.log").write_bytes(halves(b"".join(records))[1])
    (tmp_path / "some.log").write_bytes(b"".join(r for n, r in enumerate(records) if n % 10 != 4))
    for name, code in (("all", 0), ("late", 0), ("some", 3)):
        for command in ("explain", "brokers"):
            assert main([command, str(tmp_path / f"{name}.log")]) == code
            told = capsys.readouterr()
            said = told.out + told.err
            assert ("Lines are missing: 18 of 213 answers have no request" in said) == (code == 3)


@pytest.mark.corpus
def test_a_client_that_goes_on_in_a_numbered_file_is_told(recordings, tmp_path, capsys):
    log = recordings.parent / "whole_logs" / "group_reset" / "bill-1.log.gz"
    for number, half in enumerate(halves(gzip.decompress(log.read_bytes()))):
        (tmp_path / f"app{number}.log").write_bytes(half)
    assert main(["explain", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "A client goes on in another log: 1 (bill-1)" in said
    assert "Several clients with one client id" not in said


@pytest.mark.parametrize("tail", few([" <INFO>", " {}", " traceId=ab12 spanId="]))
def test_what_a_layout_puts_behind_each_message_of_a_broker_is_doubted(tail, recordings, tmp_path):
    """Most lines of a broker are in no catalogue anyway, so their share does not show it."""
    log = recordings.parent / "whole_logs" / "4.4.0" / "broker-2.server.log.gz"
    text = gzip.decompress(log.read_bytes()).decode()
    form = re.compile(r"^\[([^\]]+)\] (\w+) (.*) \(([\w.$]+)\)$", re.MULTILINE)
    path = tmp_path / "a.log"
    path.write_text(form.sub(rf"\1 \2 [main] \4 - \3{tail}", text))
    for command in ("read", "members"):
        assert main([command, str(path)]) == 3
