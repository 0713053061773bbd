"""Does a whole log of real clients and brokers tell what really happened?"""

import gzip

import pandas as pd

from kafkalab import logsets
from kafkalab.logsets.engine import DUCKDB, running_on
from kafkalab.logsets.explain import report_of
from kafkalab.logsets.explain.log_report import LogReport
from kafkalab.logsets.line_loader import load_lines
from kafkalab.logsets.reader import read


def rows_of(frame, *paths) -> pd.DataFrame:
    """A frame of these logs, by DuckDB."""
    with running_on(DUCKDB):
        return frame(read(None, paths)).toPandas()


def report(*paths, layout: str | None = None) -> LogReport:
    """The report on these logs, by DuckDB."""
    with running_on(DUCKDB):
        lines = load_lines(None, paths, layout=layout).persist()
        return report_of(lines, as_written=lines)


def test_a_member_of_the_new_protocol_has_the_partitions_that_its_second_line_names(recordings):
    for version in ("4.0.2", "4.4.0"):
        found = rows_of(
            logsets.rebalances, recordings / "4.4.0" / version / "group_consumer_protocol"
        )
        had = found.sort_values("resumed_at").groupby("client_id")["partitions"].agg(list)
        both, half = "orders-0, orders-1, orders-2, orders-3", "orders-0, orders-1"
        assert had["inv-1"] == [both, half, both]
        assert had["inv-2"] == ["", "orders-2, orders-3"]  # its first assignment is empty


def test_partitions_that_no_line_names_are_not_said(recordings, tmp_path):
    folder = recordings / "4.4.0" / "4.0.2" / "group_consumer_protocol"
    text = gzip.open(folder / "inv-1.log.gz", "rt").read()
    (tmp_path / "inv-1.log").write_text(text.replace("Assigned partitions:", "Assigned:"))
    assert rows_of(logsets.rebalances, tmp_path)["partitions"].isna().all()
