"""Is a mangled log of a broker read right? The catalogue never has all of its lines, so that less
shows of a misreading than in a client's log."""

import html
import random
import re

import pytest

from kafkalab.tests.logsets.manglings import (
    Mangling,
    around,
    document,
    lines,
    logback,
    ms,
    own,
    plain,
    shown_by_powershell,
    stamp,
    table,
    text_of,
    to_the_ms,
    turned,
    turned_table,
    whole,
    with_trace,
)
from kafkalab.tests.logsets.test_matrix_of_manglings import compared, judged, said_in
from kafkalab.tests.shares import few


def shown_by_grep(text: str, named: bool, numbered: bool) -> str:
    """grep -C 2, with the file's name, the lines' numbers, or both."""
    every = text.splitlines()
    hits = {number for number, line in enumerate(every) if "artition" in line or "ERROR" in line}
    shown = sorted({n for hit in hits for n in range(hit - 2, hit + 3) if 0 <= n < len(every)})
    out, before = [], -1
    for number in shown:
        mark = ":" if number in hits else "-"
        front = f"server.log{mark}" * named + f"{number + 1}{mark}" * numbered
        out += ["--"] * (0 <= before < number - 1) + [front + every[number]]
        before = number
    return "\n".join(out) + "\n"


def records_shown(said: list) -> list:
    shown = set(shown_by_grep(plain(said, own), False, False).splitlines())
    return [each for each in said if set(whole(each).split("\n")) <= shown]


def grep(named: bool, numbered: bool) -> Mangling:
    return Mangling(
        lambda said: shown_by_grep(plain(said, own), named, numbered), to_the_ms, of=records_shown
    )


def with_prints(said: list) -> str:
    """Somebody prints now and then, also while the broker lists its settings."""
    dice, out = random.Random(3), []
    for line in plain(said, own).splitlines():
        out += [line, *["order 7 is paid"] * (dice.random() < 0.05)]
    return "\n".join(out) + "\n"


def of_rsyslog(said: list) -> str:
    """rsyslog writes a line break and a tab as numbers."""
    return "".join(
        f"{stamp('%b %d %H:%M:%S')(s)} web-1 kafka: {whole(s)}".replace("\n", "#012").replace(
            "\t", "#011"
        )
        + "\n"
        for s in said
    )


def in_cells(text: str) -> str:
    """As a database exports it, a row for each record."""
    rows = "".join(line if line.startswith("[2") else f"\v{line}" for line in text.splitlines(True))
    cells = (row.replace("\v", "").rstrip("\n") for row in re.split(r"(?m)^(?!\v)", rows) if row)
    return "line,host\n" + "".join('"' + cell.replace('"', r"\"") + '",h\n' for cell in cells)


BROKERS = {
    "source lines": lines(lambda s: f"[{s.time}] {s.level} {s.text} ({s.logger}:944)"),
    "a record of JSON behind": lines(lambda s: f'{logback(s)} {{"trace":"{s.ms}", "user":"ada"}}'),
    "a name behind": lines(lambda s: f"{with_trace(own(s), s)} [shard=7]"),
    "grep -C -n": grep(False, True),
    "grep -C -H": grep(True, False),
    "grep -C -H -n": grep(True, True),
    "rsyslog": Mangling(of_rsyslog),
    "pm2": around(lambda s, line: f"0|shop  | {line}"),
    "ts": around(lambda s, line: f"{stamp('%b %d %H:%M:%S')(s)} {line}"),
    "annotate-output": around(lambda s, line: f"{s.clock} O: {line}"),
    "uniq -c": around(lambda s, line: f"      1 {line}"),
    "a sheet of one column": text_of(
        lambda text: "".join('"' + line.replace('"', '""') + '"\n' for line in text.splitlines())
    ),
    "New Relic": document(
        lambda said: [
            {"timestamp": ms(s), "message": s.text, "level": s.level, "from": s.logger}
            for s in said
        ]
    ),
    "prints": Mangling(with_prints),
    "Select-String -Context": text_of(shown_by_powershell),
    "the newest line first": turned_table(
        "Time|Line|tsNs", lambda s, line: (f"{s.iso}Z", line, f"{ms(s)}000000")
    ),
    "the newest line first, as text": Mangling(
        lambda said: "".join(f'{s.iso}Z {{app="shop"}} {line}\n' for s, line in turned(said))
    ),
    "Airflow": around(lambda s, line: f"[{s.iso}+0000] {{subprocess.py:93}} INFO - {line}"),
    "a page's spans": text_of(
        lambda text: "".join(
            f"<div><span>{html.escape(line)}</span></div>\n" for line in text.splitlines()
        )
    ),
    "quotes behind a backslash": text_of(in_cells),
    "settings on one line": lines(lambda s: own(s).replace("\n", r"\n")),
    "padded lines": text_of(lambda text: "".join(f"{line:200}\n" for line in text.splitlines())),
    "vi's numbers": text_of(
        lambda text: "".join(f"{n:4} {line}\n" for n, line in enumerate(text.splitlines(), 1))
    ),
    "a caller, so that the first bytes are few lines": lines(
        lambda s: f"{s.dotted} [main] {s.level} at {s.logger}.poll({s.simple}.java:123) : {s.text}"
    ),
    "a break is lost": text_of(lambda text: text.replace("Server)\n", "Server)", 1)),
}


def test_a_brokers_lines_that_are_cut_and_marked_are_doubted(recordings, tmp_path):
    said = said_in(recordings.parent / "whole_logs" / "4.4.0" / "broker-1.server.log.gz")
    path = tmp_path / "server.log"
    text = plain(said, logback).splitlines()
    path.write_text(
        "".join(line[:200] + " [truncated]" * (len(line) > 200) + "\n" for line in text)
    )
    code, told, _ = judged(path)
    assert code == 3
    assert "are cut, torn, overwritten" in told


def test_records_behind_a_mark_are_no_stack_trace(recordings, tmp_path):
    """A viewer marks the lines of a search, and moves the others in."""
    said = said_in(recordings.parent / "whole_logs" / "4.4.0" / "broker-1.server.log.gz")
    path = tmp_path / "server.log"
    text = plain(said, own).splitlines()
    path.write_text(
        "".join(f"{line}\n" if n % 4 else f"   * {line}\n" for n, line in enumerate(text))
    )
    code, told, _ = judged(path)
    assert code == 3
    assert "are cut, torn, overwritten" in told


def test_messages_that_are_cut_alike_are_doubted(recordings, tmp_path):
    """The lines differ in length, for their classes do."""
    said = said_in(recordings.parent / "whole_logs" / "4.4.0" / "broker-1.server.log.gz")
    path = tmp_path / "server.csv"
    cut = table("time|level|logger|message", lambda s: (s.dotted, s.level, s.logger, s.text[:200]))
    path.write_text(cut.make(said))
    code, told, _ = judged(path)
    assert code == 3
    assert "are cut, torn, overwritten" in told


@pytest.mark.parametrize("name", few(BROKERS, 4))
@pytest.mark.parametrize("release", few(["3.9.2", "4.4.0"]))
def test_a_mangled_log_of_a_broker_is_read_right(name, release, recordings, tmp_path):
    said = said_in(recordings.parent / "whole_logs" / release / "broker-1.server.log.gz")
    path = tmp_path / "server.log"
    path.write_text(BROKERS[name].make(said))
    code, told, rows = judged(path)
    assert code == 0 or name == "prints", told
    missing, of, wrong = compared(BROKERS[name], said, rows)
    assert not wrong
    assert missing <= 0.01 * of
