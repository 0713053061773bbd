"""Logs that still grow, as a stream: every line once, whenever it was written,
and the open sockets by minute."""

import pytest

from kafkalab.logsets import live
from kafkalab.logsets.files import LogFile
from kafkalab.logsets.reader import stream
from kafkalab.logsets.stream_reader import GrowingLines

WHO = "[Consumer clientId=c, groupId=g] "


def line(
    second: int, message: str, logger: str = "org.apache.kafka.clients.NetworkClient:1"
) -> str:
    return (
        f"[2026-01-05 09:{second // 60:02d}:{second % 60:02d},000] DEBUG {WHO}{message} "
        f"({logger})\n"
    )


def opening(node: str, port: int) -> str:
    return (
        f"Initiating connection to node localhost:{port} (id: {node} rack: null) using address "
        "localhost/127.0.0.1"
    )


def test_the_last_record_waits_until_another_begins_or_the_file_rests(tmp_path):
    path = tmp_path / "client.log"
    path.write_text(
        line(0, "Node 1 disconnected.")
        + "[2026-01-05 09:00:01,000] INFO ConsumerConfig values: \n\tacks = 1\n"
    )
    reader = GrowingLines(str(tmp_path), ("file_offset",), None, settle_s=3_600)
    first = len(line(0, "Node 1 disconnected."))
    assert reader.latestOffset({}, None) == {str(path): first}
    assert GrowingLines(str(tmp_path), ("file_offset",), None, settle_s=-1).latestOffset(
        {}, None
    ) == {str(path): path.stat().st_size}
    (task,) = reader.partitions({}, {str(path): first})
    assert [batch.to_pylist() for batch in reader.read(task)] == [[{"file_offset": 0}]]
    assert reader.partitions({str(path): first}, {str(path): first}) == []


def test_a_folder_may_be_empty_at_first(tmp_path):
    assert (
        GrowingLines(str(tmp_path), ("file_offset",), None, settle_s=1).latestOffset({}, None) == {}
    )


def test_much_news_is_cut_where_records_begin(tmp_path, monkeypatch):
    from kafkalab.logsets import stream_reader

    path = tmp_path / "client.log"
    path.write_text("".join(line(second, "Node 1 disconnected.") for second in range(200)))
    monkeypatch.setattr(stream_reader, "TASK_BYTES", 5_000)
    reader = GrowingLines(str(path), ("file_offset",), None, settle_s=-1)
    tasks = reader.partitions({}, {str(path): path.stat().st_size})
    rows = [
        row["file_offset"]
        for task in tasks
        for batch in reader.read(task)
        for row in batch.to_pylist()
    ]
    assert rows == [number * len(line(0, "Node 1 disconnected.")) for number in range(200)]
    assert LogFile(str(path), 0).packed is False


@pytest.mark.slow
def test_open_sockets_by_minute_while_the_log_grows(spark, tmp_path):
    path = tmp_path / "client.log"
    path.write_text(
        line(1, opening("-1", 9092)) + line(2, opening("0", 9092)) + line(3, opening("1", 9093))
    )
    found = live.minutes(stream(spark, tmp_path, live.COLUMNS, settle_s=0))
    query = found.writeStream.queryName("minutes").format("memory").outputMode("append").start()
    try:
        query.processAllAvailable()
        with open(path, "a") as file:
            file.write(
                line(70, "Node -1 disconnected.")
                + line(
                    71,
                    "Connection to node 7 (x/1:1) could not be established. Node may not be "
                    "available.",
                )
            )
        query.processAllAvailable()
        (tmp_path / "later.log").write_text(
            line(200, opening("2", 9094)).replace("clientId=c", "clientId=d")
            + line(900, opening("3", 9094))
        )
        query.processAllAvailable()
        query.processAllAvailable()
        rows = (
            live.open_by_minute(spark.table("minutes"))
            .selectExpr("date_format(minute, 'HH:mm') at", "broker", "open")
            .collect()
        )
    finally:
        query.stop()
    assert [tuple(row) for row in rows] == [
        ("09:00", "localhost:9092", 2), ("09:00", "localhost:9093", 1),
        ("09:01", "localhost:9092", 1), ("09:03", "localhost:9094", 1),
    ]  # fmt: skip
