"""Does a line survive being written and read back?"""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkalab.lines.layout import HEAD, LEVELS, TAIL, Row, parse, read, rows_of, text_of

WORDS = st.text(st.characters(exclude_characters="\n\r", exclude_categories=("Cs",)), max_size=60)
LINES = WORDS.filter(lambda text: not TAIL.search(text) and not HEAD.match(text))
MESSAGES = st.lists(LINES, min_size=1, max_size=4).map("\n".join)
TRACES = st.lists(LINES, min_size=1, max_size=4).map("\n".join).filter(bool)
LOGGERS = st.from_regex(r"[a-z]{1,8}(\.[a-z]{1,8}){0,3}\.[A-Z][A-Za-z$]{0,12}", fullmatch=True)
ROWS = st.builds(
    Row,
    at_ms=st.integers(0, 4_000_000_000_000),
    level=st.sampled_from(LEVELS),
    message=MESSAGES,
    logger=LOGGERS,
    line=st.none() | st.integers(0, 9999),
    trace=st.none() | TRACES,
)

CONNECT = (
    "[2026-11-21 01:58:27,954] DEBUG [Consumer clientId=consumer-1, groupId=test] Initiating "
    "connection to node localhost:9092 (id: -1 rack: null) using address localhost/127.0.0.1 "
    "(org.apache.kafka.clients.NetworkClient:944)"
)


@given(ROWS)
def test_what_was_written_reads_back_the_same(row):
    assert parse(text_of(row)) == row


def test_a_line_of_the_java_client_has_its_parts():
    row = parse(CONNECT)
    assert row.at_ms == 1_795_226_307_954
    assert (row.level, row.logger_name, row.line) == ("DEBUG", "NetworkClient", 944)
    assert row.message.startswith("[Consumer clientId=consumer-1, groupId=test] Initiating")
    assert row.text == (
        "Initiating connection to node localhost:9092 (id: -1 rack: null) using address "
        "localhost/127.0.0.1"
    )
    assert text_of(row) == CONNECT + "\n"


def test_the_layout_without_line_numbers_is_read_too():
    row = parse(CONNECT.replace(":944)", ")"))
    assert row.line is None
    assert text_of(row) == CONNECT.replace(":944)", ")") + "\n"


def test_a_message_of_several_lines_ends_at_its_logger():
    row = parse(
        "[2026-11-21 01:58:27,954] INFO Final assignment of partitions to consumers: \n"
        "{inv-2=[orders-2]} (a.b.Sticky:660)\n"
    )
    assert row.message == "Final assignment of partitions to consumers: \n{inv-2=[orders-2]}"
    assert row.trace is None


def test_a_stack_trace_belongs_to_the_row_above_it():
    lines = [
        (
            "[2026-11-21 01:58:27,954] DEBUG Connection with localhost/127.0.0.1 disconnected "
            "(a.b.Selector:606)"
        ),
        "java.net.ConnectException: Connection refused",
        "\tat java.base/sun.nio.ch.Net.pollConnect(Native Method)",
        "[2026-11-21 01:58:27,955] DEBUG Node -1 disconnected. (a.b.NetworkClient:936)",
    ]
    first, second = rows_of(lines)
    assert first.trace == "\n".join(lines[1:3])
    assert second.trace is None


def test_lines_that_belong_to_no_row_are_kept_apart():
    foreign = []
    rows = list(
        rows_of(
            [
                "OpenJDK 64-Bit Server VM warning",
                "[2026-11-21 01:58:27,954] DEBUG cut off in the mid",
                CONNECT,
            ],
            foreign,
        )
    )
    assert [row.line for row in rows] == [944]
    assert foreign == [
        "OpenJDK 64-Bit Server VM warning",
        "[2026-11-21 01:58:27,954] DEBUG cut off in the mid",
    ]


def test_a_packed_file_reads_as_a_plain_one(tmp_path):
    (tmp_path / "a.log").write_text(CONNECT + "\n", encoding="utf-8")
    (tmp_path / "a.log.gz").write_bytes(gzip.compress((CONNECT + "\n").encode()))
    assert list(read(tmp_path / "a.log")) == list(read(tmp_path / "a.log.gz"))


@pytest.mark.parametrize("text", ["", "hello", CONNECT + "\n" + CONNECT, "junk\n" + CONNECT])
def test_what_is_not_one_line_is_refused(text):
    with pytest.raises(ValueError, match="not one line"):
        parse(text)
