"""Is a mangled log read right, or doubted in a sentence? It is never read wrongly in silence.

Either at least 99 of 100 rows are right and the commands end with 0, or they end with 3 and say
why, or refuse with 2. No row that is wrong goes with a 0.
"""

import gzip
import json
from collections import Counter
from datetime import timedelta

import pytest

from kafkalab.lines import layout as kafkas
from kafkalab.logsets.__main__ import main
from kafkalab.logsets.block import Block
from kafkalab.logsets.files import files_of
from kafkalab.logsets.first_lines import COLUMNS, LineCounts, counts_of, doubts
from kafkalab.logsets.line_loader import lines_table
from kafkalab.logsets.record_batches import record_batch_of
from kafkalab.tests.logsets.manglings import MANGLINGS, Mangling, changed, head, plain, whole
from kafkalab.tests.logsets.test_mangled_logs import moment
from kafkalab.tests.logsets.test_production_logs import Said
from kafkalab.tests.shares import few, share

NAMES = ("level", "logger", *COLUMNS)
RIGHT = 0.99
# What is not read, or in part, and said to be so. All others are read.
DOUBTED = {
    "layout: the time last",
    "layout: Serilog",
    "layout: a message below its head",
    "layout: WebLogic",
    "layout: a message in quotes",
    "wrapper: Fluent Bit on stdout",
    "wrapper: OpenTelemetry text",
    "wrapper: a table without a header",
    "wrapper: a patch with context",
    "wrapper: a table of psql",
    "wrapper: rich text",
    "wrapper: base64",
    "wrapper: percent signs",
    "wrapper: YAML",
    "wrapper: JSON with a clock alone",
    "wrapper: a table with a clock alone",
    "wrapper: quoted-printable",
    "damage: wrapped and padded at 120",
    "damage: messages cut at 250 in a table",
    "damage: ports struck out",
    "damage: digits struck out",
    "date: a zone in brackets, of another place",
    "date: an offset in brackets",
    "date: an offset first",
    "date: CAT, which is a word",
    "damage: CP1252",
    "damage: zeros amid",
    "damage: a packed file that is cut",
    "damage: torn writes",
    "damage: torn writes of small pieces",
    "damage: torn writes of large pieces",
    "damage: torn writes, logback",
    "damage: half lines",
    "damage: half lines without a break",
    "damage: half lines, logback",
    "damage: half lines without a break, logback",
    "damage: lines cut at 80",
    "damage: lines cut at 200",
    "damage: lines cut at 120, logback",
    "damage: lines wrapped at 80",
    "damage: lines wrapped at 132, logback",
    "damage: settings of two processes",
    "damage: settings of two processes, logback",
    "damage: a mark for the rest",
    "damage: dots for the rest",
    "damage: a notebook",
    "damage: letters that are lost",
    "damage: letters that are lost, logback",
    "damage: bits that fell over",
    "damage: bits that fell over, logback",
    "damage: no breaks",
    "damage: small letters of all",
    "damage: capitals of all",
    "damage: a photograph",
    "damage: a photograph, logback",
    "damage: access lines between",
    "damage: empty",
    "damage: blanks alone",
    "damage: another program's log",
    "date: the month in capitals",
    "date: a short German day",
    "date: a day or a month",
    "date: a day or a month, American",
    "date: a day or a month, in two digits",
    "date: a day or a month, with dashes",
    "date: one day in three numbers",
    "date: a day of six digits",
    "date: IST, which is three zones",
    "date: a zone by its place alone",
    "date: no year, a stroke",
    "date: letters in the clock",
    "date: dots in the clock",
    "date: a blank before the milliseconds",
    "date: the day and the clock apart",
    "date: the clock before the day",
    "date: seconds since the begin",
    "date: Japanese",
    "date: Thai years",
    "date: a clock without zeros",
}
# A letter that changes within a value, and in a line or two of a small log, is not seen.
NOT_SEEN = "damage: bits that fell over, logback"
# One client's times run back, by a day or again and again, which only a look at all lines tells.
SEEN_IN_ALL = ("date: summer and winter", "date: a clock over midnight")
EACH = pytest.mark.parametrize("name", MANGLINGS)
# Every fourth is told of in full, with all that a report needs.
TOLD = list(MANGLINGS)[::4]


def said_in(path) -> list[Said]:
    return [Said(row) for row in kafkas.read(path)]


@pytest.fixture(scope="module")
def small(recordings) -> list[Said]:
    return said_in(recordings.parent / "whole_logs" / "3.9.2" / "fixed-1.log.gz")


def written(name: str, said: list[Said], folder):
    mangling = MANGLINGS[name]
    path = folder / mangling.file
    text = mangling.make(said)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def judged(path) -> tuple[int, str, list[dict]]:
    """What `read` ends with, what is said, and the rows without a problem."""
    try:
        rows = lines_table(path, NAMES)
        said = " ".join(doubts(files_of(path)))
    except (ValueError, OSError) as error:
        return 2, str(error), []
    good = [row for row in rows.to_pylist() if row["problem"] is None]
    if not good:
        return 2, "", []
    counts = sum(map(counts_of, rows.select(COLUMNS).to_batches()), LineCounts())
    return (0 if counts.understood and not said else 3), said, good


def key(row: dict, mangling: Mangling) -> tuple:
    time = None if row["time"] is None else mangling.keeps(row["time"])
    return time, *(" ".join((row[name] or "").split()) for name in mangling.names)


def compared(mangling: Mangling, said: list[Said], rows: list[dict]) -> tuple[int, int, list]:
    """How many rows are not there of how many, and those that say what the log never said."""
    text = "".join(f"{whole(each)}\n" for each in mangling.of(said))
    block = record_batch_of(Block(text.encode()), NAMES).to_pylist()
    wanted = Counter(key(row, mangling) for row in block)
    own = [row for row in rows if not (row["logger"] or "").startswith("com.shop.")]
    found = Counter(key(row, mangling) for row in own)
    # An event that is not known is not told wrongly.
    place = 1 + mangling.names.index("event")
    unnamed = {(*each[:place], "", *each[place + 1 :]) for each in wanted}
    wrong = [each for each in found - wanted if each not in unnamed]
    return (wanted - found).total(), wanted.total(), wrong


@pytest.mark.parametrize("name", few(share(MANGLINGS, 2), 13))
def test_a_mangled_log_is_read_right_or_doubted(name, small, tmp_path):
    code, said, rows = judged(written(name, small, tmp_path))
    assert (code > 0) == (name in DOUBTED), said
    if code == 3:
        assert said.count(str(tmp_path)) == 1, "one sentence tells what is doubtful"
    if code == 0:
        missing, of, wrong = compared(MANGLINGS[name], small, rows)
        assert not wrong
        assert missing <= max(1, (1 - RIGHT) * of)


@pytest.mark.slow
@EACH
def test_the_commands_judge_a_mangled_log_alike(name, recordings, tmp_path, capsys):
    """Of another log, of an old release."""
    said = said_in(recordings.parent / "whole_logs" / "2.3.1" / "free-1.log.gz")
    path = written(name, said, tmp_path)
    code, _, rows = judged(path)
    if code == 0 and name != NOT_SEEN:
        missing, of, wrong = compared(MANGLINGS[name], said, rows)
        assert not wrong
        assert missing <= max(1, (1 - RIGHT) * of)
    code = 3 if name in SEEN_IN_ALL else code
    assert main(["read", str(path)]) == code
    told = capsys.readouterr()
    assert code == 0 or path.name in told.out + told.err
    if name in TOLD:
        assert main(["explain", str(path)]) == code


@pytest.mark.parametrize(
    ("name", "told"),
    few(
        [
            ("damage: shuffled", "are mixed up"),
            ("damage: shuffled in windows", "are mixed up"),
            ("damage: shipped twice", "is counted once"),
            ("damage: shipped twice at once", "is counted once"),
            ("damage: each line twice", "is counted once"),
        ],
        1,
        2,
    ),
)
def test_what_a_shipper_does_makes_no_rebalance(name, told, recordings, tmp_path, capsys):
    log = recordings / "4.4.0" / "3.9.2" / "group_slow_poll" / "inv-1.log.gz"
    assert main(["rebalances", str(log), "--json", "-"]) == 0
    wanted = json.loads(capsys.readouterr().out)
    path = written(name, said_in(log), tmp_path)
    assert main(["rebalances", str(path), "--json", "-"]) == 0
    printed = capsys.readouterr()
    assert told in printed.err

    def stops(rows: list[dict]) -> list[tuple]:
        return [(row["began_at"], row["generation"], row["waited_ms"]) for row in rows]

    assert stops(json.loads(printed.out)) == stops(wanted)


TOOLS = {
    "ts": lambda n, line: f"Nov 28 05:52:08 {line}",
    "a unit": lambda n, line: f"Sat 2026-11-28 05:52:08 UTC web-1 shop.service[4711]: {line}",
    "kail": lambda n, line: f"default/shop-6d4f[app]: {line}",
    "pm2": lambda n, line: f"0|shop     | {line}",
    "bat": lambda n, line: f"{n:4}   │ {line}",
    "uniq -c": lambda n, line: f"      1 {line}",
}


@pytest.mark.parametrize("tool", few(share(TOOLS, 2)))
def test_a_brokers_log_is_read_behind_what_a_tool_puts_before_it(tool, recordings, tmp_path):
    """Its records are one line each, and few of them are in the catalogue."""
    log = recordings.parent / "whole_logs" / "4.4.0" / "controller.controller.log.gz"
    path = tmp_path / "a.log"
    text = gzip.decompress(log.read_bytes()).decode().splitlines()
    path.write_text("".join(f"{TOOLS[tool](n, line)}\n" for n, line in enumerate(text)))
    names = ("time", "level", "logger", "event", "message")
    assert lines_table(path, names).equals(lines_table(log, names))


@pytest.mark.parametrize(
    "log",
    few(
        [
            "group_consumer_protocol/inv-2",
            "two_brokers_two_members/inv-2",
            "share_one_batch/worker-1",
        ]
    ),
)
def test_a_line_without_a_class_is_of_the_kind_of_its_client(log, recordings, tmp_path):
    """Members of both protocols, and share consumers, write some lines in the same words."""
    path = recordings / "4.4.0" / "4.4.0" / f"{log}.log.gz"
    (tmp_path / "a.log").write_text(plain(said_in(path), lambda s: f"{s.dotted} {s.text}"))
    found = lines_table(tmp_path / "a.log", ("event",))["event"].to_pylist()
    wanted = lines_table(path, ("event",))["event"].to_pylist()
    assert [each for each in zip(found, wanted, strict=True) if each[0] != each[1]] == []


@pytest.mark.parametrize("command", few(["read", "rebalances", "explain"]))
def test_a_clock_of_twelve_hours_is_doubted(command, small, tmp_path, capsys):
    path = tmp_path / "a.log"
    noon = timedelta(hours=7, minutes=7)  # 13:00 is amid the log then
    path.write_text(
        plain(small, lambda s: f"{moment(s) + noon:%Y-%m-%d %I:%M:%S},{s.ms} {head(s)}")
    )
    assert main([command, str(path)]) == 3
    told = capsys.readouterr()
    assert "a.log run back by 11:59:" in told.out + told.err


@pytest.mark.parametrize("command", ["read", "rebalances"])
def test_clients_of_two_zones_in_one_file_are_doubted(command, small, tmp_path, capsys):
    path, zone = tmp_path / "a.log", timedelta(hours=5.5)
    others = (changed(each, "bo-7") for each in small)
    path.write_text(
        "".join(
            f"{whole(one)}\n[{moment(two) + zone:%Y-%m-%d %H:%M:%S},{two.ms}] {two.level} "
            f"{two.text} ({two.logger})\n"
            for one, two in zip(small, others, strict=True)
        )
    )
    assert main([command, str(path)]) == 3
    told = capsys.readouterr()
    assert "a.log run back by 5:30:00" in told.out + told.err
    assert "mixed up" not in told.out + told.err


def test_a_start_at_another_time_is_doubted(small, tmp_path):
    path = tmp_path / "a.log"
    path.write_text("".join(f"{whole(each)}\n" for each in small).replace("[2026-", "[2020-"))
    assert "a client says that it started at 2026-11-28" in " ".join(doubts(files_of(path)))


def test_a_client_that_polls_without_a_pause_wrote_each_line_itself(small, tmp_path, capsys):
    path = tmp_path / "a.log"
    poll = "Polling for fetches with timeout 0 (org.apache.kafka.clients.consumer.KafkaConsumer)"
    polls = [f"[2026-11-28 05:53:40,{ms}] TRACE {poll}\n" for ms in (301, 302) for _ in range(15)]
    path.write_text("".join(f"{whole(each)}\n" for each in small) + "".join(polls))
    assert main(["rebalances", str(path), "--json", "-"]) == 0
    assert "stand twice" not in capsys.readouterr().err
