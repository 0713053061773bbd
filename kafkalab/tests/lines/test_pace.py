"""Do simulated clients take the time that recorded ones took, and stay as they are without it?"""

import json
import random
from collections import Counter
from itertools import pairwise

import pytest

from kafkalab import KafkaConsumer, Lab
from kafkalab.lines import gap_import, recorded_gaps
from kafkalab.lines.layout import Row, rows_of, text_of
from kafkalab.lines.pace import AGAIN_MS, LineCosts
from kafkalab.lines.recorded_gaps import (
    LONGEST_MS,
    MADE_BY,
    SHORT_MS,
    GapRow,
    RecordedGaps,
    gap_table_text,
    names_in,
)
from kafkalab.proof.conformance.table import RECORDINGS
from kafkalab.proof.replay import replay

GROUP = RECORDINGS / "4.4.0" / "3.9.2" / "consumer_first_poll_3_brokers" / "scenario.json"
CLIENTS = "org.apache.kafka.clients."


class Statement:
    """A logging statement as LineCosts sees it."""

    def __init__(self, name: str) -> None:
        self.logger, self.line, self.version = f"{CLIENTS}{name}", 1, "3.9"


def lines(text: str) -> list[Row]:
    return list(rows_of(text.removesuffix("\n").split("\n")))


@pytest.fixture(scope="module")
def both():
    """The same replay without and with the time that work takes."""
    scenario = json.loads(GROUP.read_text(encoding="utf-8"))
    plain = lines(replay(scenario, 5, real_pace=False)["client"])
    return plain, lines(replay(scenario, 5)["client"])


def gaps_of(rows: list[Row]) -> list[int]:
    return [after.at_ms - before.at_ms for before, after in pairwise(rows)]


def test_work_takes_time_between_lines_and_waits_end_as_before(both):
    plain, paced = (Counter(gaps_of(rows)) for rows in both)
    assert plain[1] / plain.total() < 0.05 < 0.1 < paced[1] / paced.total()
    assert abs(both[0][-1].at_ms - both[1][-1].at_ms) < 2_000


def test_times_never_go_back(both):
    assert min(gaps_of(both[1])) == 0


def test_the_same_things_are_told(both):
    """Some passes are more or fewer: they look sooner or later. No step is missing."""
    plain, paced = (set(names_in(rows, "3.9")) for rows in both)
    assert len(plain & paced) > 60 and len(plain ^ paced) <= 6


def test_a_working_thread_finds_what_came_meanwhile(both):
    """The coordinator's socket opens while the client works, before it waits for records."""
    waited = "POLLING_FOR_FETCHES", "SOCKET_CREATED"
    plain, paced = (set(pairwise(names_in(rows, "3.9"))) for rows in both)
    assert waited in plain and waited not in paced


def test_the_same_seed_takes_the_same_time():
    scenario = json.loads(GROUP.read_text(encoding="utf-8"))
    once, again, other = (replay(scenario, seed) for seed in (5, 5, 6))
    assert once == again != other


def test_a_lab_without_gaps_takes_no_time():
    lab = Lab(brokers=1, seed=3)
    lab.create_topic("t", partitions=1)
    consumer = KafkaConsumer(lab, {"group.id": "g"})
    consumer.subscribe(["t"])
    assert lab.clock.work is None and lab.now_ms == 0 == lab.clock.thread_ms


def costs(*rows: GapRow) -> LineCosts:
    return LineCosts(RecordedGaps(rows), lambda name: random.Random(name))


def test_the_first_time_takes_long_where_nobody_waits():
    cost_ms = costs(
        GapRow("3.9", "A", "B", False, ((300, 4_000),)),
        GapRow("3.9", "A", "B", True, ((2, 4_000), (9, 4_000))),
    )
    first, *later = (cost_ms("client", Statement("A"), Statement("B")) for _ in range(9))
    assert first == 300 and set(later) == {2} and AGAIN_MS < 9


def test_a_wait_is_no_work():
    """Clients wait between these lines when they write them again. So they did the first time."""
    cost_ms = costs(
        GapRow("3.9", "A", "B", False, ((300, 4_000), (4, 4_000))),
        GapRow("3.9", "A", "B", True, ((200, 4_000), (1, 4_000))),
    )
    assert SHORT_MS < 300
    assert [cost_ms("client", Statement("A"), Statement("B")) for _ in range(3)] == [4, 1, 1]


def test_each_client_does_things_for_the_first_time():
    cost_ms = costs(
        GapRow("3.9", "A", "B", False, ((30, 4_000),)), GapRow("3.9", "A", "B", True, ((0, 9),))
    )
    told = [cost_ms(who, Statement("A"), Statement("B")) for who in ("one", "two", "one")]
    assert told == [30, 30, 0]


def test_a_gap_is_drawn_from_its_own_pair_first():
    rows = [
        GapRow("3.9", "A", "B", False, ((7, 4_000),)),
        GapRow("2.3", "A", "B", False, ((30, 1),)),
    ]
    table, luck = RecordedGaps(rows), random.Random(1)
    drawn = {table.draw(luck, "3.9", ("A", "B"), False, most_ms=20) for _ in range(50)}
    assert drawn == {7}


def recorded(tmp_path, *told: Row):
    folder = tmp_path / "4.4.0" / "3.9.2" / "made_up"
    folder.mkdir(parents=True)
    (folder / "scenario.json").write_text('{"client_version": "3.9.2"}')
    (folder / "client.log").write_text("".join(map(text_of, told)))
    (folder / "broker-0.log").write_text(text_of(told[0]) * 2)


def test_the_import_counts_first_and_later_gaps_of_a_log(tmp_path, capsys):
    recorded(tmp_path, *(Row(at, "INFO", "x", "org.Made", 1) for at in (0, 4, 5, 31, 9_999)))
    out = tmp_path / "gaps.tsv"
    assert gap_import.main([str(tmp_path), str(tmp_path), "--out", str(out)]) == 0
    assert out.read_text().splitlines()[2:] == [
        "3.9\tMade\tMade\tfirst\t4:1",
        f"3.9\tMade\tMade\tagain\t1:1 25:1 {LONGEST_MS + 1}:1",
    ]
    assert gap_table_text(gap_import.gaps_below(tmp_path)) == out.read_text()
    assert gap_import.main([str(tmp_path / "4.4.0" / "no")]) == 2
    assert "no scenario.json" in capsys.readouterr().err


def test_the_starter_of_a_thread_and_the_thread_go_on_by_themselves(tmp_path):
    wording = next(
        (logger, line)
        for (logger, line), name in recorded_gaps.names_of("3.9").items()
        if name == "SENDER_STARTING"
    )
    recorded(
        tmp_path,
        Row(0, "INFO", "x", "org.KafkaProducer", 1),
        Row(2, "DEBUG", "y", *wording),
        Row(9, "INFO", "x", "org.AppInfoParser", 1),
        Row(10, "INFO", "x", "org.KafkaProducer", 1),
        Row(14, "DEBUG", "[Producer clientId=p] z", "org.TransactionManager", 1),
        Row(15, "DEBUG", "[Producer clientId=p] z", "org.NetworkClient", 1),
    )
    pairs = {(row.before, row.after): row.gaps for row in gap_import.gaps_below(tmp_path)}
    assert pairs["SENDER_STARTING", "AppInfoParser"] == ((7, 1),)
    assert pairs["SENDER_STARTING", "TransactionManager"] == ((12, 1),)
    assert pairs["KafkaProducer", "TransactionManager"] == ((4, 1),)  # It may have woken it.
    assert ("AppInfoParser", "NetworkClient") not in pairs


@pytest.mark.corpus
def test_the_table_is_made_by_the_command_that_it_names():
    """A stranger makes it again from the recordings of this repository."""
    text = (gap_import.Path(recorded_gaps.__file__).parent / recorded_gaps.FILE).read_text()
    assert text.startswith(MADE_BY) and MADE_BY.endswith("kafkalab line-gaps data/recordings\n")
    assert gap_table_text(gap_import.gaps_below(RECORDINGS)) == text


def test_a_gap_fits_into_the_time_there_is():
    rows = (GapRow("3.9", "A", "B", False, ((2, 1), (900, 9))),)
    for name in "abcdefgh":
        cost_ms = costs(*rows)
        assert cost_ms(name, Statement("A"), Statement("B"), 40) <= 40
        assert cost_ms(name, Statement("A"), Statement("B"), 0) == 0
