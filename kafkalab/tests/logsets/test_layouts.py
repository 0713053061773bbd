"""The same lines in other people's layouts: whatever log4j was told,
the rows have to be the same."""

import gzip

import pytest

from kafkalab.lines import layout as kafkas
from kafkalab.logsets import layouts, ranges, schema
from kafkalab.logsets.block import Block
from kafkalab.logsets.infer_layout import guess
from kafkalab.logsets.layout_block import LaidOutBlock
from kafkalab.logsets.layouts import LayoutError
from kafkalab.logsets.ranges import Range
from kafkalab.logsets.record_batches import record_batch_of
from kafkalab.tests.shares import few

THREAD = "kafka-producer-network-thread | shop"


def initials(logger: str) -> str:
    return ".".join([part[0] for part in logger.split(".")[:-1]] + [logger.rpartition(".")[2]])


# Layout string -> how a line looks in it: time text, level, logger, source line, message.
WRITERS = {
    "%d{yyyy-MM-dd HH:mm:ss,SSS} %-5p [%t] %c{1} - %m%n": lambda t, p, c, n,
    m: f"{t} {p:5} [{THREAD}] {c.rpartition('.')[2]} - {m}",
    "%d{ISO8601} [%t] %-5p %c{2} - %m%n": lambda t, p, c, n,
    m: f"{t} [main] {p:5} {'.'.join(c.split('.')[-2:])} - {m}",
    "[%d] %p %m (%c)%n": lambda t, p, c, n, m: f"[{t}] {p} {m} ({c})",
    "[%d] %p [%t] %m (%c:%L)%n": lambda t, p, c, n, m: f"[{t}] {p} [main] {m} ({c}:{n})",
    "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %5p ${PID} --- [%15.15t] %-40.40c : %m%n": lambda t, p, c, n,
    m: (
        f"{t[:10]}T{t[11:19]}.{t[20:]}Z {p:>5} 4711 --- [{'main':>15}] {c[-40:]:40} : {m}"
    ),
    "%d %p %notEmpty{[%X{traceId}] }%c{3} - %m%n": lambda t, p, c, n,
    m: f"{t} {p} {f'[4f{n}] ' * (n % 2)}{'.'.join(c.split('.')[-3:])} - {m}",
    "%d %p %c - %notEmpty{[%X{traceId}] }%m%n": lambda t, p, c, n,
    m: f"{t} {p} {c} - {f'[4f{n}] ' * (n % 2)}{m}",
    "%d{dd MMM yyyy HH:mm:ss,SSS} %p %logger{36} -- %msg%n": lambda t, p, c, n,
    m: f"{t[8:10]} Nov {t[:4]} {t[11:]} {p} {initials(c)} -- {m}",
}  # fmt: skip


@pytest.fixture(scope="module")
def lines(recordings) -> list:
    """The lines of one real consumer of each of four versions, dumps and traces among them."""
    packed = sorted(
        path for path in recordings.rglob("*.log.gz") if not path.name.startswith("broker-")
    )
    chosen = [
        next(path for path in packed if path.parent.parent.name == version)
        for version in ("2.1.1", "2.8.2", "3.9.2", "4.4.0")
    ]
    return [row for path in chosen for row in kafkas.read(path)]


@pytest.fixture(scope="module")
def expected(lines) -> list[dict]:
    text = "".join(kafkas.text_of(row) for row in lines)
    return record_batch_of(Block(text.encode()), schema.NAMES).to_pylist()


@pytest.mark.parametrize("text", few(WRITERS, 2))
def test_a_real_clients_lines_are_the_same_rows_in_any_layout(text, lines, expected):
    write = WRITERS[text]
    printed = "".join(
        write(kafkas.time_text(row.at_ms), row.level, row.logger, row.line, row.message)
        + f"\n{row.trace + chr(10) if row.trace else ''}"
        for row in lines
    )
    rows = record_batch_of(
        LaidOutBlock(printed.encode(), layouts.layout(text)), schema.NAMES
    ).to_pylist()
    same = set(schema.NAMES) - {"file_offset", "thread"} - (set() if "%L" in text else {"line"})
    # Two packages have an AppInfoParser: without the package nobody can say which one it was.
    alike = {"logger"} if "AppInfoParser" in {row["logger"] for row in rows} else set()
    wrong = [
        (name, row[name], wanted[name])
        for row, wanted in zip(rows, expected, strict=True)
        for name in same
        if row[name] != wanted[name] and not (name in alike and "AppInfoParser" in row["logger"])
    ]
    assert wrong == []
    assert {row["thread"] for row in rows} == {
        THREAD if "{1}" in text else "main" if "t]" in text else None
    }


def test_the_first_lines_tell_the_layout():
    def told(text: str) -> str:
        return guess(text.encode())

    assert (
        told(
            "[2026-01-05 09:00:00,000] INFO [Consumer clientId=c, groupId=g] Node 1 disconnected. "
            "(o.a.NetworkClient:1)\n"
        )
        == layouts.KAFKA
    )
    assert (
        told(
            "[2026-01-05 09:00:00,000] INFO [Consumer clientId=c, groupId=g] Node 1 disconnected. "
            "(o.a.NetworkClient)\n"
        )
        == "[%d] %p %m (%c)%n"
    )
    assert (
        told(
            "[2026-01-05 09:00:00,000] INFO [main] [Consumer clientId=c] Node 1. "
            "(o.a.NetworkClient:1)\n"
        )
        == "[%d] %p [%t] %m (%c:%L)%n"
    )
    assert told("2026-01-05 09:00:00,000 WARN  [main] o.a.k.c.NetworkClient - Node 1\n").endswith(
        "%-5p [%t] %-5c - %m%n"
    )
    assert told("Dear diary,\n") == layouts.KAFKA


def test_without_a_tail_the_trace_begins_where_it_looks_like_one():
    text = (
        "left over\n"
        "09:00:00.001 [main] INFO  o.a.k.c.c.ConsumerConfig - ConsumerConfig values: \n"
        "\tacks = 1\n\n"
        "09:00:00.002 [main] WARN  com.shop.Till - oh\nno\njava.lang.IllegalStateException: no\n"
        "\tat com.shop.Till.pay(Till.java:7)\n"
    )
    block = LaidOutBlock(text.encode(), layouts.layout("%d{HH:mm:ss.SSS} [%t] %-5p %c - %m%n"))
    rows = record_batch_of(block, ("event", "logger", "message", "trace", "problem")).to_pylist()
    assert [row["problem"] for row in rows] == [schema.FOREIGN, None, None]
    assert rows[1]["event"] == "CONSUMER_CONFIG" and rows[1]["message"].startswith(
        "ConsumerConfig values: \n\tacks = 1"
    )
    assert rows[2] == {
        "event": None, "logger": "com.shop.Till", "message": "oh\nno", "problem": None,
        "trace": "java.lang.IllegalStateException: no\n\tat com.shop.Till.pay(Till.java:7)",
    }  # fmt: skip


def test_a_large_file_in_another_layout_is_cut_between_its_records(lines, tmp_path, monkeypatch):
    layout = "%d{yyyy-MM-dd HH:mm:ss,SSS} %-5p [%t] %c{1} - %m%n"
    text = "".join(
        WRITERS[layout](kafkas.time_text(row.at_ms), row.level, row.logger, 0, row.message) + "\n"
        for row in lines[:700]
    ).encode()
    path = tmp_path / "client.log"
    path.write_bytes(text)
    monkeypatch.setattr(ranges, "BLOCK_BYTES", 5_000)
    for width in (7_001, 30_011):
        pieces = [
            Range(str(path), at, min(at + width, len(text)), layout)
            for at in range(0, len(text), width)
        ]
        parts = [part for piece in pieces for part in ranges.blocks_of(piece)]
        assert b"".join(part for part, *_ in parts) == text
        assert all(part.startswith(b"2026") for part, *_ in parts)


def test_packed_text_in_another_layout_is_read_whole(tmp_path):
    path = tmp_path / "till.log.gz"
    path.write_bytes(gzip.compress(b"09:00:00.001 [main] INFO  com.shop.Till - open\n" * 3))
    blocks = Range(str(path), 0, None, "%d{HH:mm:ss.SSS} [%t] %-5p %c - %m%n").blocks()
    assert [level for block in blocks for level in block.level.to_pylist()] == ["INFO"] * 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("%d %p %c%n", "no %m"),
        ("%m%n", "neither %d nor %p"),
        ("%d{yyyy QQ} %m%n", "what is 'QQ'"),
        ("%d %d %p %m%n", "%d twice"),
    ],
)
def test_a_layout_nobody_can_read_by_is_refused_in_a_sentence(text, said):
    with pytest.raises(LayoutError, match=said):
        layouts.layout(text)
