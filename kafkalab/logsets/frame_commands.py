"""Runs the commands that print one frame of a log: sockets, rebalances, lag, incidents and others.

Each prints a table, and writes it as JSON or as a page if asked.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from kafkalab.logsets.connections import EVENTS as OF_CONNECTIONS
from kafkalab.logsets.connections import connections
from kafkalab.logsets.coordinators import STABILIZED as OF_COORDINATORS
from kafkalab.logsets.coordinators import coordinator_steps
from kafkalab.logsets.explain.json_report import json_rows
from kafkalab.logsets.explain.text_report import printed_table
from kafkalab.logsets.incident_lines import EVENTS as OF_INCIDENTS
from kafkalab.logsets.incidents import incidents
from kafkalab.logsets.lag import ANSWER, lag_per_minute
from kafkalab.logsets.line_repairs import repaired
from kafkalab.logsets.membership import EVENTS as OF_MEMBERS
from kafkalab.logsets.membership import membership
from kafkalab.logsets.missing_lines import missing_lines
from kafkalab.logsets.producers import EVENTS as OF_PRODUCERS
from kafkalab.logsets.producers import producers
from kafkalab.logsets.progress import progress
from kafkalab.logsets.question import LineQuestion
from kafkalab.logsets.reader import read
from kafkalab.logsets.rebalances import EVENTS as OF_REBALANCES
from kafkalab.logsets.rebalances import rebalances
from kafkalab.logsets.requests import ANSWERED, SENT, broker_times
from kafkalab.logsets.requests import EVENTS as OF_REQUESTS
from kafkalab.logsets.set_clocks import moments_of, set_clocks
from kafkalab.logsets.transactions import EVENTS as OF_TRANSACTIONS
from kafkalab.logsets.transactions import transactions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PRINTED_ROWS = 1000
MOST_ROWS = 100_000  # More belong into a notebook.


@dataclass(frozen=True)
class Frame:
    """A frame of lines, the columns that order it, and the events that it is made of."""

    of: Callable[[DataFrame], DataFrame]
    order: tuple[str, ...]
    events: tuple[str, ...]


FRAMES = {
    "connections": Frame(
        connections, ("file", "client_id", "opened_at", "node_id"), OF_CONNECTIONS
    ),
    "rebalances": Frame(rebalances, ("began_at", "client_id"), (*OF_REBALANCES, *OF_COORDINATORS)),
    "members": Frame(membership, ("assigned_at", "group_id"), OF_MEMBERS),
    "brokers": Frame(broker_times, ("client_id", "broker"), OF_REQUESTS),
    "lag": Frame(lag_per_minute, ("client_id", "topic", "partition", "minute"), (ANSWER,)),
    "producers": Frame(producers, ("client_id", "topic", "partition"), OF_PRODUCERS),
    "transactions": Frame(transactions, ("began_at", "client_id"), OF_TRANSACTIONS),
    "incidents": Frame(incidents, ("first", "kind"), (*OF_INCIDENTS, *OF_COORDINATORS)),
}


def run(options: argparse.Namespace, spark: SparkSession | None) -> bool:
    """Print the frame that `options.command` names, of the logs in `options.path`.

    Returns whether nothing in the lines speaks against their order, their clocks, and that all of
    them are there.
    """
    frame = FRAMES[options.command]
    with progress(f"looking for {options.command}", spark):
        question = LineQuestion(events=frame.events)
        lines = read(spark, options.path, layout=options.layout, question=question)
        lines, repairs = repaired(lines.persist())
        rows: pd.DataFrame = frame.of(lines).orderBy(*frame.order).limit(MOST_ROWS).toPandas()
        has = set(frame.events).issuperset
        wrong = missing_lines(lines) if has((SENT, ANSWERED)) else []
        if has(OF_COORDINATORS):
            of_members = rows if frame.of is rebalances else rebalances(lines).toPandas()
            wrong += set_clocks(moments_of(of_members, coordinator_steps(lines).toPandas()))
    for told in (*repairs.sentences(), *wrong):
        print(told, file=sys.stderr)
    if options.html:
        from kafkalab.logsets.explain.page import table_page  # it brings the pictures

        Path(options.html).write_text(table_page(rows, options.command), encoding="utf-8")
        print(f"-> {options.html}")
    if options.json == "-":
        sys.stdout.write(json_rows(rows))
    elif options.json:
        Path(options.json).write_text(json_rows(rows), encoding="utf-8")
        print(f"-> {options.json}")
    if not options.json and not options.html:
        print(printed_table(rows, PRINTED_ROWS) if len(rows) else "There are none in these lines.")
    return not repairs.run_back and not wrong
