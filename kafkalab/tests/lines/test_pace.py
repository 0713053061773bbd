"""Do simulated lines take the time that recorded ones took, and does nothing else change?"""

import json
import random
from collections import Counter
from itertools import pairwise

import pytest

from kafkalab.lines import gap_import
from kafkalab.lines.layout import Row, rows_of, text_of
from kafkalab.lines.pace import FREE, LATEST_MS, REACH, in_real_pace
from kafkalab.lines.recorded_gaps import (
    LONGEST_MS,
    GapRow,
    RecordedGaps,
    names_in,
    recorded_gaps,
    table_text,
)
from kafkalab.proof.conformance.table import RECORDINGS
from kafkalab.proof.replay import replay

GROUP = RECORDINGS / "4.4.0" / "3.9.2" / "consumer_first_poll_3_brokers" / "scenario.json"
NETWORK = "org.apache.kafka.clients.NetworkClient"


def lines(text: str) -> list[Row]:
    return list(rows_of(text.removesuffix("\n").split("\n")))


@pytest.fixture(scope="module")
def both():
    """The same replay without and with the pace of a real client."""
    scenario = json.loads(GROUP.read_text(encoding="utf-8"))
    plain = lines(replay(scenario, 5, real_pace=False)["client"])
    return plain, lines(replay(scenario, 5)["client"])


def test_the_pace_moves_lines_and_changes_none(both):
    told = [Counter((row.message, row.logger, row.line) for row in rows) for rows in both]
    assert told[0] == told[1]
    names = [names_in(rows, "3.9") for rows in both]
    kept = [
        [row.message for row, name in zip(rows, known) if name not in FREE]
        for rows, known in zip(both, names)
    ]
    assert kept[0] == kept[1] and len(kept[0]) > 200


def test_times_never_go_back_and_only_a_constructor_comes_early(both):
    plain, paced = both
    assert all(before.at_ms <= after.at_ms for before, after in pairwise(paced))
    started = next(n for n, row in enumerate(paced) if row.message.startswith("Kafka commitId"))
    assert all(row.at_ms >= before.at_ms for row, before in zip(paced[started:], plain[started:]))
    assert paced[0].at_ms < plain[0].at_ms


def test_work_takes_time_between_lines_and_waits_end_as_before(both):
    plain, paced = (
        Counter(after.at_ms - before.at_ms for before, after in pairwise(rows)) for rows in both
    )
    assert plain[1] / plain.total() < 0.05 < 0.1 < paced[1] / paced.total()
    assert abs(both[0][-1].at_ms - both[1][-1].at_ms) < 1_000


def test_the_same_seed_draws_the_same_pace(both):
    plain, _ = both
    once, again, other = (
        in_real_pace(plain, "3.9", recorded_gaps(), random.Random(seed)) for seed in (1, 1, 2)
    )
    assert once == again != other
    assert in_real_pace([], "3.9", recorded_gaps(), random.Random(1)) == []


def test_a_busy_client_is_never_late_for_long():
    """Nine thousand lines, one a millisecond, of work that takes 3 ms each."""
    rows = [Row(1_000_000 + ms, "DEBUG", "Polling", NETWORK, 1) for ms in range(9_000)]
    slow = RecordedGaps([GapRow("3.9", "NetworkClient", "NetworkClient", True, ((3, 9),))])
    rows.append(Row(1_012_000, "DEBUG", "Polling", NETWORK, 1))
    paced = in_real_pace(rows, "3.9", slow, random.Random(1))
    late_ms = [row.at_ms - before.at_ms for row, before in zip(paced, rows)]
    assert 0 < max(late_ms) <= LATEST_MS and late_ms[-1] == 0


def test_a_gap_is_drawn_from_its_own_pair_first():
    rows = [
        GapRow("3.9", "A", "B", False, ((7, 4_000),)),
        GapRow("2.3", "A", "B", False, ((30, 1),)),
    ]
    table, luck = RecordedGaps(rows), random.Random(1)
    assert {table.draw(luck, "3.9", ("A", "B"), False, short=True) for _ in range(50)} == {7}
    assert table.likelihood("3.9", "A", "B") > 0.9 > 0.1 > table.likelihood("3.9", "B", "A")


def test_the_import_counts_first_and_later_gaps_of_a_log(tmp_path, capsys):
    folder = tmp_path / "4.4.0" / "3.9.2" / "made_up"
    folder.mkdir(parents=True)
    (folder / "scenario.json").write_text('{"client_version": "3.9.2"}')
    told = [Row(at, "INFO", "x", "org.Made", 1) for at in (0, 4, 5, 31, 9_999)]
    (folder / "client.log").write_text("".join(map(text_of, told)))
    (folder / "broker-0.log").write_text(text_of(told[0]) * 2)
    out = tmp_path / "gaps.tsv"
    assert gap_import.main([str(tmp_path), str(tmp_path), "--out", str(out)]) == 0
    assert out.read_text().splitlines()[1:] == [
        "3.9\tMade\tMade\tfirst\t4:1",
        f"3.9\tMade\tMade\tagain\t1:1 25:1 {LONGEST_MS + 1}:1",
    ]
    assert table_text(gap_import.gaps_below(tmp_path)) == out.read_text()
    assert gap_import.main([str(tmp_path / "4.4.0" / "no")]) == 2
    assert "no scenario.json" in capsys.readouterr().err


def test_a_line_moves_only_where_it_was_near():
    """A line of a thread that has just started may come later, and not far from its place."""
    plain = [Row(10, "DEBUG", f"{n}", NETWORK, 1) for n in range(3 * REACH)]
    rows = [*plain[:REACH], thread_start(), *plain[REACH:]]
    paced = in_real_pace(rows, "3.9", recorded_gaps(), random.Random(3))
    at = paced.index(next(row for row in paced if row.message == "Heartbeat thread started"))
    assert abs(at - REACH) <= REACH


def thread_start() -> Row:
    scenario = json.loads(GROUP.read_text(encoding="utf-8"))
    told = lines(replay(scenario, 5, real_pace=False)["client"])
    found = next(row for row in told if row.text == "Heartbeat thread started")
    return Row(10, found.level, found.text, found.logger, found.line)
