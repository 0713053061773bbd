"""Ten lines that tell a story, and every line of the real clients:
what does the reader make of them?"""

import gzip
import os
import random
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from kafkalab import logsets
from kafkalab.lines import layout
from kafkalab.lines.catalog import CATALOG
from kafkalab.logsets import reader, recognition, schema
from kafkalab.logsets.block import Block
from kafkalab.logsets.line_loader import load_lines
from kafkalab.logsets.record_batches import record_batch_of
from kafkalab.logsets.session import spark_log
from kafkalab.tests.logsets.conftest import ROOT
from kafkalab.tests.shares import few

WHOLE_LOGS = sorted((ROOT / "data" / "whole_logs").iterdir())

STORY = """\
a wrapper script says hello
[2026-01-05 09:00:00,001] INFO ConsumerConfig values: 
\tauto.offset.reset = latest
\tbootstrap.servers = [localhost:9092]
 (org.apache.kafka.clients.consumer.ConsumerConfig:371)
[2026-01-05 09:00:00,014] DEBUG [Consumer clientId=shop, groupId=null] Initiating connection to node localhost:9092 (id: -1 rack: null) \
using address localhost/127.0.0.1 (org.apache.kafka.clients.NetworkClient:1076)
[2026-01-05 09:00:01,250] TRACE [Consumer instanceId=one, clientId=shop, groupId=orders] Found least loaded node \
kafka-2.example.org:19093 (id: 2 rack: r1 isFenced: false) with no active connection (org.apache.kafka.clients.NetworkClient:893)
[2026-01-05 09:00:01,251] DEBUG [Consumer clientId=shop, groupId=orders] Sending FETCH request with header RequestHeader(apiKey=FETCH, \
apiVersion=17, clientId=shop, correlationId=24, headerVersion=2) and timeout 30000 to node 2: FetchRequestData(clusterId=null) \
(org.apache.kafka.clients.NetworkClient:556)
[2026-01-05 09:00:02,006] DEBUG [Consumer clientId=shop, groupId=orders] Connection with localhost/127.0.0.1 (channelId=2147483645) \
disconnected (org.apache.kafka.common.network.Selector:627)
java.io.EOFException
\tat org.apache.kafka.common.network.NetworkReceive.readFrom(NetworkReceive.java:87)
Caused by: java.io.IOException: Broken pipe
[2026-01-05 09:00:02,007] INFO  [Consumer clientId=shop, groupId=orders] Node +1 disconnected. (org.apache.kafka.clients.NetworkClient)
the wrapper script says something in between
[2026-13-05 09:00:03,000] INFO [Consumer clientId=shop, groupId=orders] A month too many (org.apache.kafka.clients.NetworkClient:1)
[2026-01-05 09:00:03,001] LOUD a level that log4j does not have (org.apache.kafka.clients.NetworkClient:1)
[2026-01-05 09:00:03,002] DEBUG [Consumer clientId=shop, groupId=orders] Kafka consumer has been clo"""


@pytest.fixture
def story(tmp_path):
    path = tmp_path / "client.log"
    path.write_text(STORY)
    return path


def test_every_line_of_the_story_is_a_row_and_says_what_is_wrong_with_it(spark, story):
    rows = logsets.read(spark, story).orderBy("file_offset").collect()
    problems = [row.problem for row in rows]
    assert problems == [
        schema.FOREIGN, None, None, None, None, None, None,
        schema.FOREIGN, schema.NO_SUCH_TIME, schema.NO_LEVEL, schema.NO_LOGGER,
    ]  # fmt: skip
    assert [
        row.message
        for row in logsets.malformed(logsets.read(spark, story)).orderBy("file_offset").collect()
    ] == [
        "a wrapper script says hello",
        "the wrapper script says something in between",
        *STORY.splitlines()[-3:],
    ]
    told = logsets.summary(logsets.read(spark, story)).collect()
    assert [(row.lines, row.malformed, row.not_in_catalogue) for row in told] == [(11, 5, 0)]


def test_the_story_is_typed(spark, story):
    rows = {row.event: row for row in logsets.read(spark, story).where("problem is null").collect()}
    config, opening = rows["CONSUMER_CONFIG"], rows["INITIATING_CONNECTION"]
    assert config.message.startswith(
        "ConsumerConfig values: \n\tauto.offset.reset"
    ) and config.message.endswith("[localhost:9092]\n")
    assert (opening.kind, opening.client_id, opening.group_id, opening.level, opening.line) == (
        "consumer",
        "shop",
        None,
        "DEBUG",
        1076,
    )
    assert (opening.node_id, opening.broker, opening.host, opening.port) == (
        "-1",
        None,
        "localhost",
        9092,
    )
    least_loaded = rows["LEAST_LOADED_UNCONNECTED"]
    assert (least_loaded.group_id, least_loaded.host, least_loaded.port) == (
        "orders",
        "kafka-2.example.org",
        19093,
    )
    fetch = rows["SENDING_REQUEST"]
    assert (fetch.api, fetch.api_version, fetch.correlation_id, fetch.node_id, fetch.broker) == (
        "FETCH",
        17,
        24,
        "2",
        2,
    )
    lost = rows["SOCKET_DISCONNECTED"]
    assert (lost.node_id, lost.broker) == ("2147483645", 2) and lost.trace.splitlines()[
        -1
    ].startswith("Caused by:")
    node = rows["NODE_DISCONNECTED"]
    assert (node.node_id, node.broker, node.line, node.level) == ("+1", 1, None, "INFO")


def test_times_are_utc_to_the_millisecond(spark, story):
    times = (
        logsets.read(spark, story, ("file_offset", "time"))
        .selectExpr("unix_millis(time) as ms", "file_offset")
        .orderBy("file_offset")
        .collect()
    )
    assert times[1].ms == datetime(2026, 1, 5, 9, 0, 0, 1000, UTC).timestamp() * 1000
    assert times[8].ms is None


@pytest.mark.corpus
def test_a_line_without_prefix_belongs_to_the_only_client_of_its_file(spark, story, tmp_path):
    owners = (
        logsets.read(spark, story.parent, ("event", "client_id"))
        .where("event = 'CONSUMER_CONFIG'")
        .collect()
    )
    # The story's prefixes differ in their group, so nobody can say for certain.
    assert [row.client_id for row in owners] == [None]
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "client.log").write_text(STORY.replace("groupId=null", "groupId=orders"))
    owners = (
        logsets.read(spark, alone, ("event", "kind", "client_id", "group_id"))
        .where("event = 'CONSUMER_CONFIG'")
        .collect()
    )
    assert [(row.kind, row.client_id, row.group_id) for row in owners] == [
        ("consumer", "shop", "orders")
    ]


def test_however_a_file_is_cut_it_has_the_same_lines(spark, recordings, tmp_path, monkeypatch):
    """A large plain file is read in ranges; every record must fall into exactly one,
    at whatever byte the cut comes."""
    from kafkalab.logsets import ranges as cut
    from kafkalab.logsets.ranges import Range, blocks_of

    packed = sorted(recordings.rglob("client.log.gz"))[0]
    text = gzip.decompress(packed.read_bytes())[:200_000]
    plain = tmp_path / "client.log"
    plain.write_bytes(text)
    whole = b"".join(part for part, *_ in blocks_of(Range(str(plain), 0, len(text))))
    assert whole == text
    monkeypatch.setattr(cut, "BLOCK_BYTES", 5_000)
    for width in (7_001, 30_011, 100_003):
        ranges = [
            Range(str(plain), at, min(at + width, len(text))) for at in range(0, len(text), width)
        ]
        parts = [part for piece in ranges for part in blocks_of(piece)]
        assert b"".join(part for part, *_ in parts) == text
        assert all(text[offset : offset + len(part)] == part for part, offset, *_ in parts)
        assert all(part.startswith(b"[2026") for part, *_ in parts)


@pytest.mark.corpus
def test_the_layouts_own_parser_reads_the_same(recordings):
    """Two readers of one layout: kafkalab.lines.layout row by row, and ours by blocks.
    They have to agree on every real line."""
    compared = 0
    for packed in sorted(recordings.rglob("*.log.gz")):
        foreign = []
        slow = [
            (row.level, row.text, row.logger, row.line, row.trace)
            for row in layout.read(packed, foreign)
        ]
        block = Block(gzip.decompress(packed.read_bytes()))
        fast = record_batch_of(
            block, ("level", "message", "logger", "line", "trace", "problem")
        ).to_pylist()
        assert [tuple(row.values())[:5] for row in fast if row["problem"] is None] == slow
        assert len([row for row in fast if row["problem"]]) == len(foreign) == 0
        compared += len(slow)
    assert compared > 10_000


@pytest.mark.parametrize(
    "version",
    ["4.4.0/3.6.2", pytest.param("", marks=pytest.mark.slow, id="every version")],
)
def test_the_catalogue_knows_every_line_the_real_clients_and_brokers_wrote(
    spark, recordings, version
):
    lines = logsets.read(spark, recordings / version, ("file", "event", "problem", "message"))
    unknown = lines.where("event is null").select("message").collect()
    assert [row.message for row in unknown] == []
    assert lines.where("problem is not null").count() == 0


def test_events_are_named_as_the_catalogue_itself_would(recordings):
    """The fast way (bytes, then a pattern where two fit) names every distinct message as a full
    match of all templates does."""
    import re

    from kafkalab.lines.pattern import pattern

    packed = sorted(recordings.rglob("client.log.gz"))[-1]
    rows = record_batch_of(
        Block(gzip.decompress(packed.read_bytes())), ("event", "logger", "message")
    ).to_pylist()
    templates = {}
    for entry in CATALOG.values():
        for wording in entry.wordings:
            if not wording.twin:
                templates.setdefault(wording.logger, []).append(
                    (entry.name, pattern(wording.template))
                )
    wrong = []
    for row in {
        (row["event"], row["logger"], re.sub(r"\d+", "1", row["message"])): row for row in rows
    }.values():
        fitting = {
            name for name, whole in templates[row["logger"]] if whole.fullmatch(row["message"])
        }
        if row["event"] not in fitting:
            wrong.append((row["event"], fitting, row["message"]))
    assert wrong == []


def test_bytes_that_are_no_text_are_kept_and_named():
    text = (
        b"[2026-01-05 09:00:00,000] INFO [Consumer clientId=caf\xe9, groupId=g] Node 1 "
        b"disconnected. (org.apache.kafka.clients.NetworkClient:977)\n"
    )
    row = record_batch_of(Block(text), ("client_id", "event", "problem")).to_pylist()[0]
    assert row == {"client_id": "caf?", "event": "NODE_DISCONNECTED", "problem": schema.NOT_UTF8}


@pytest.mark.parametrize(
    "text", [b"", b"\n", b"\n\n", b"[", b"x\r\n", b"[2026-01-05 09:00:00,000] "]
)
def test_text_that_is_hardly_any(text):
    rows = record_batch_of(Block(text), schema.NAMES).to_pylist()
    assert all(row["problem"] for row in rows)
    assert b"".join(row["message"].encode() for row in rows) == text.strip(b"\r\n")


def test_numbers_too_large_to_be_true_are_left_out():
    text = (
        "[2026-01-05 09:00:00,000] DEBUG Committed offset {} for partition a-{} "
        "(org.apache.kafka.clients.consumer.internals.ConsumerCoordinator:{})\n"
    )
    block = Block(
        (
            text.format(7, 99999999999, 1329)
            + text.format(2**63 - 1, 3, 99999999999)
            + text.format(2**63, 4, 1)
        ).encode()
    )
    rows = [
        tuple(row.values())
        for row in record_batch_of(block, ("event", "position", "partition", "line")).to_pylist()
    ]
    assert rows == [
        ("COMMITTED_OFFSET", 7, None, 1329),
        ("COMMITTED_OFFSET", 2**63 - 1, 3, None),
        ("COMMITTED_OFFSET", None, 4, 1),
    ]


@pytest.mark.parametrize("seed", few(range(3)))
def test_torn_and_mixed_up_text_loses_no_byte_and_stops_nobody(seed):
    """Pieces of lines in any order: every row can be built,
    and what cannot be read is kept as it is."""
    from kafkalab.logsets import layouts
    from kafkalab.logsets.layout_block import LaidOutBlock

    draw = random.Random(seed)
    pieces = [
        b"[2026-01-05 09:00:00,000] ", b"2026-01-05 09:00:00,000 ", b"INFO ", b"WARN  ", b"[main] ",
        b"[Consumer clientId=c, groupId=g] ",
        b"Node 1 disconnected.", b" (org.apache.kafka.clients.NetworkClient:1)", b"\n", b"\r\n",
        b"\xff\xfe", b"\xc3\xa9", b"\tat x.y(Z.java:1)\n",
        b"o.a.k.c.NetworkClient - ", b"(", b")", b"java.lang.E: x", b" ", b"[",
        b"ConsumerConfig values: \n\ta = 1\n", b"x:1 (id: 99999999999 rack: null)",
    ]  # fmt: skip
    for _ in range(15):
        text = b"".join(draw.choice(pieces) for _ in range(draw.randrange(30)))
        for make in (
            Block,
            *(
                lambda text, of=of: LaidOutBlock(text, layouts.layout(of))
                for of in ("[%d] %p %m (%c)%n", "%d %-5p [%t] %c - %m%n", "%-5p %m%n")
            ),
        ):
            rows = record_batch_of(make(text), schema.NAMES).to_pylist()
            kept = sum(len(row["message"].encode()) for row in rows)
            assert kept <= len(text) * 3 and all(row["message"] is not None for row in rows)
            assert [row["file_offset"] for row in rows] == sorted(
                {row["file_offset"] for row in rows}
            )


def test_windows_line_ends():
    text = (
        "[2026-01-05 09:00:00,000] INFO Kafka version: 3.9.2 "
        "(org.apache.kafka.common.utils.AppInfoParser:125)\r\n"
    )
    row = record_batch_of(Block(text.encode()), ("message", "line", "trace", "event")).to_pylist()[
        0
    ]
    assert row == {
        "message": "Kafka version: 3.9.2",
        "line": 125,
        "trace": None,
        "event": "KAFKA_VERSION",
    }


@pytest.mark.parametrize(
    ("node_id", "broker"),
    [
        ("-1", None),
        ("-3", None),
        ("0", 0),
        ("2", 2),
        ("+2", 2),
        ("2147483645", 2),
        ("2147483647", 0),
        ("10001", 10001),
    ],
)
def test_node_ids_name_brokers(node_id, broker):
    assert recognition.decode_broker(node_id) == broker


def test_a_folder_without_logs_and_a_path_without_anything_say_so(spark, tmp_path):
    with pytest.raises(FileNotFoundError, match="no log in"):
        logsets.read(spark, tmp_path)
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        logsets.read(spark, tmp_path / "nowhere")


def test_spark_finds_the_data_source_by_name(spark, recordings):
    one = recordings / "4.4.0/3.9.2/group_slow_poll"
    lines = spark.read.format("kafkalab").load(str(one))
    assert lines.schema == schema.spark_schema()
    assert lines.count() == logsets.read(spark, one, ("file_offset",)).count() > 1_000


@pytest.mark.corpus
def test_the_source_has_the_manners_of_sparks_own(spark, tmp_path):
    """Several paths, patterns, modes; and an option with a slip is refused."""
    good = "[2026-01-05 09:00:00,000] INFO hello (com.shop.Till)\n"
    (tmp_path / "a.log").write_text(good)
    (tmp_path / "b.log").write_text(good + "[2026-01-05 09:00:00,000] LOUD no level (com.shop.A)\n")
    paths = [str(tmp_path / "a.log"), str(tmp_path / "b.log")]

    def rows(path, **options) -> int:
        reader = spark.read.format("kafkalab").options(**options)
        return len(reader.load(path).select("message", "problem").collect())

    assert rows(paths) == rows(str(tmp_path / "*.log")) == rows(str(tmp_path)) == 3
    assert rows(paths, mode="dropmalformed") == 2
    with pytest.raises(Exception, match=r"b\.log, byte 53: no level\. The mode is FAILFAST"):
        rows(paths, mode="FAILFAST")
    assert rows(paths[0], mode="FAILFAST") == 1
    with pytest.raises(Exception, match="There is no mode 'FAST'"):
        rows(paths, mode="fast")
    with pytest.raises(Exception, match="has no option 'layuot'"):
        rows(paths, layuot="%m%n")


@pytest.mark.slow
def test_filters_leave_out_rows_and_nothing_else(spark, recordings):
    """A filter on any typed column keeps the rows that pandas keeps."""
    names = ("time", "kind", "client_id", "event", "level")
    lines = load_lines(spark, recordings, names)
    every = lines.toPandas()
    middle = every["time"].sort_values().iloc[len(every) // 2]
    asked = {
        "event = 'INITIATING_CONNECTION'": every["event"] == "INITIATING_CONNECTION",
        "client_id in ('inv-1', 'inv-2') and level = 'INFO'": every["client_id"].isin(
            ["inv-1", "inv-2"]
        )
        & (every["level"] == "INFO"),
        f"time >= timestamp '{middle}' and event is not null": (every["time"] >= middle)
        & every["event"].notna(),
        "client_id = 'nobody'": every["client_id"] == "nobody",
        "client_id is null and length(event) > 12": every["client_id"].isna()
        & (every["event"].str.len() > 12),
    }
    for condition, chosen in asked.items():
        assert lines.where(condition).count() == chosen.sum(), condition


@pytest.mark.corpus
def test_a_filter_of_one_query_is_not_in_the_next(spark, recordings):
    """Spark 4.3 keeps the filters that a Python source has taken for all later queries."""
    lines = load_lines(spark, recordings / "4.4.0/3.9.2/consumer_poison_pill", ("level", "event"))
    every = lines.count()
    errors = lines.where("level = 'ERROR'")
    assert 0 < errors.count() < every
    assert lines.count() == every
    assert errors.union(lines).count() == errors.count() + every


@pytest.mark.corpus
def test_every_gap_of_an_event_has_a_typed_column(spark, recordings):
    from kafkalab.logsets.events import fields

    lines = load_lines(spark, recordings / "4.4.0/3.9.2/consumer_paused")
    built = fields(lines, "FETCH_BUILT_INCREMENTAL").where("file like '%/client.log.gz'")
    kinds = dict(built.dtypes)
    assert (kinds["session_id"], kinds["session_epoch"], kinds["added"], kinds["out_of"]) == (
        "bigint",
        "bigint",
        "string",
        "string",
    )
    assert (
        built.where("session_id is null or session_epoch is null or added is null").count()
        == 0
        < built.count()
    )


@pytest.mark.corpus
def test_several_files_packed_in_any_way_are_one_frame(spark, story, tmp_path):
    import pyarrow as pa

    others = [tmp_path / "a.log.gz", tmp_path / "b.log.zst"]
    others[0].write_bytes(gzip.compress(STORY.encode()))
    with pa.output_stream(str(others[1]), compression="zstd") as stream:
        stream.write(STORY.encode())
    told = logsets.summary(logsets.read(spark, [story, *others])).collect()
    assert [(row.lines, row.malformed, row.foreign) for row in told] == [(11, 5, 2)] * 3
    assert logsets.read(spark, story.as_uri()).count() == 11


@pytest.mark.slow
def test_a_cell_hears_nothing_from_spark(story):
    """nbgrader scores a cell with text on stderr as 0, so a Spark that starts and works has to
    be silent, on both streams. A wrong column is an exception and no more."""
    program = (
        "import sys; from kafkalab import logsets; spark = logsets.session('local[2]'); lines = "
        "logsets.read(spark, sys.argv[1])\n"
        "print(lines.count(), spark.conf.get('spark.sql.session.timeZone'))\n"
        "try: lines.select('no_such_column')\n"
        "except Exception as error: print(type(error).__name__)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program, story],
        capture_output=True,
        text=True,
        env={**os.environ, "TZ": "Asia/Shanghai"},
    )
    assert (answer.stdout, answer.stderr) == ("11 UTC\nAnalysisException\n", "")


@pytest.mark.parametrize("log", few(WHOLE_LOGS))
def test_a_small_log_has_the_same_rows_by_this_process_as_by_sparks_workers(
    spark, log, monkeypatch
):
    at_once = logsets.read(spark, log)
    monkeypatch.setattr(reader, "AT_ONCE_BYTES", -1)
    by_workers = logsets.read(spark, log)
    assert at_once.schema == by_workers.schema
    place = ("file", "file_offset")
    assert at_once.orderBy(*place).collect() == by_workers.orderBy(*place).collect()


def test_a_cell_that_reads_a_doubtful_log_says_so_without_stderr(
    spark, tmp_path, monkeypatch, capfd
):
    """nbgrader gives no points to a cell with text on stderr."""
    (tmp_path / "a.log").write_text("what is this\n" * 9)
    shown = []
    monkeypatch.setattr(reader, "screen", lambda: shown.append)
    assert logsets.read(spark, tmp_path).count() == 9
    assert len(shown) == 1 and "cannot be read" in shown[0] and capfd.readouterr().err == ""
    monkeypatch.setattr(reader, "screen", lambda: None)
    logsets.read(spark, tmp_path)
    assert capfd.readouterr().err == "" and shown[0] in spark_log().read_text(encoding="utf-8")
