"""Does the quick look find every log that the slow one would repair?"""

import random

import pyarrow as pa
import pytest

from kafkalab.logsets import line_order, line_repairs, schema
from kafkalab.logsets.engine import DUCKDB, running_on
from kafkalab.logsets.line_loader import lines_table, load_lines
from kafkalab.tests.shares import few

HEAD = "[2026-01-05 09:{:02}:{:02},{:03}] INFO "
LINE = "[Consumer clientId=c{}, groupId=g] Discovered group coordinator localhost:{} "
CLASS = "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator:800)\n"


def line(ms: int, client: int = 1, port: int = 9092) -> str:
    minute, rest = divmod(ms, 60_000)
    return HEAD.format(minute, *divmod(rest, 1_000)) + LINE.format(client, port) + CLASS


def mangled(kind: str, lines: list[str], luck: random.Random) -> list[str]:
    """The log as a shipper, a relay or a second appender would leave it."""
    place = luck.randrange(50, len(lines) - 100)
    match kind:
        case "as it is":
            return lines
        case "a batch again":
            return lines[: place + 40] + lines[place : place + 40] + lines[place + 40 :]
        case "one line again, late":
            return [*lines[: place + 60], lines[place], *lines[place + 60 :]]
        case "each twice":
            return [each for each in lines for _ in range(2)]
        case "mixed by a relay":
            return [
                lines[i] for i in sorted(range(len(lines)), key=lambda i: i + luck.uniform(0, 6))
            ]
    raise AssertionError(kind)


KINDS = (
    "as it is",
    "a batch again",
    "one line again, late",
    "each twice",
    "mixed by a relay",
)


def looked_at(rows: pa.Table, size: int) -> list[str]:
    """What is doubtful where each worker has so many rows."""
    pieces = (rows.slice(begin, size) for begin in range(0, len(rows), size))
    return line_order.doubtful_files(
        [each for piece in pieces for each in line_order.piece_orders(piece)]
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", few([10_000, 97, 40]))
@pytest.mark.parametrize("last_ms", few([40_000, 700]))
def test_what_has_to_be_repaired_is_doubtful(kind, size, last_ms, tmp_path):
    """In pieces of any size: a repeat may stand where two workers meet."""
    luck = random.Random(f"{kind} {size}")
    times = sorted(luck.randrange(0, last_ms) for _ in range(600))
    lines = [line(ms, luck.randrange(3), 9092 + luck.randrange(9)) for ms in times]
    log = tmp_path / "app.log"
    log.write_text("".join(mangled(kind, lines, luck)))
    with running_on(DUCKDB):
        repairs = line_repairs.repaired(load_lines(None, log))[1]
    doubtful = looked_at(lines_table(log, schema.NAMES), size)
    assert doubtful or repairs == line_repairs.NO_REPAIRS
    assert (repairs == line_repairs.NO_REPAIRS) == (kind == "as it is") or last_ms == 700
    assert not doubtful or kind != "as it is"


@pytest.mark.corpus
def test_a_long_log_in_order_is_not_doubtful_at_all(recordings):
    """Real clients write many lines within a millisecond, and equal ones, too."""
    for log in sorted(recordings.glob("4.4.0/4.4.0/*/*.log.gz"))[:12]:
        with running_on(DUCKDB):
            repairs = line_repairs.repaired(load_lines(None, log))[1]
        if looked_at(lines_table(log, schema.NAMES), 500) == []:
            assert repairs == line_repairs.NO_REPAIRS, log


@pytest.mark.parametrize("pair", [False, True])
def test_a_clock_that_is_set_back_mixes_nothing_up(pair, tmp_path):
    """At the end of summer time each client's lines run back once, and what it writes twice within
    a millisecond stays."""
    minutes = [0, 10, 20, 30, 40, 50, 58, 1, 3, 5, 7]
    lines = [line(60_000 * at, client) for at in minutes for client in (1, 2, 3)]
    log = tmp_path / "app.log"
    log.write_text("".join([*lines, *[line(60_000 * 9)] * (1 + pair)]))
    with running_on(DUCKDB):
        rows, repairs = line_repairs.repaired(load_lines(None, log))
        assert rows.count() == len(lines) + 1 + pair
    assert (repairs.repeated, repairs.mixed) == (0, ())
    assert repairs.run_back == ((str(log), 57 * 60_000),)
