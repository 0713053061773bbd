"""Reads, explains and generates log sets with Spark: many lines of many Kafka clients.

    from kafkalab import logsets
    spark = logsets.session()
    lines = logsets.read(spark, "data/recordings")       # one typed row a line, columns in
                                                         logsets/schema.py
    logsets.summary(lines)                               # how many lines, and what could not be
                                                         read
    logsets.connections(lines)                           # one row a socket: class, life, who ended
                                                         it
    logsets.incidents(lines)                             # one row for each thing that went wrong:
                                                         first sign, cause, the lines that say so

At a prompt: `python -m kafkalab logsets explain LOG… --html page.html` for a log of your own;
`read`, `connections`, `generate`, `doctor`.
"""

from kafkalab.extras import closed_door

try:
    from kafkalab.logsets.connections import connections
    from kafkalab.logsets.incidents import incidents
    from kafkalab.logsets.java import JavaMissing, find_java
    from kafkalab.logsets.lag import lag, lag_per_minute
    from kafkalab.logsets.narrow_readings import narrowed
    from kafkalab.logsets.offsets import commits, reprocessed
    from kafkalab.logsets.open_sockets import live_per_minute, zombies
    from kafkalab.logsets.producers import batches, producers
    from kafkalab.logsets.reader import malformed, read, stream, summary, to_arrow
    from kafkalab.logsets.rebalances import group_rebalances, rebalances, storms
    from kafkalab.logsets.session import session, ship
    from kafkalab.logsets.transactions import transactions
except ModuleNotFoundError as error:
    # the modules that need no Spark can still be imported
    globals()["__getattr__"] = closed_door(error, "spark")

__all__ = [
    "JavaMissing", "batches", "commits", "connections", "find_java", "group_rebalances",
    "incidents", "lag", "lag_per_minute", "live_per_minute",
    "malformed", "narrowed", "producers", "read", "rebalances", "reprocessed", "session", "ship",
    "storms", "stream", "summary", "to_arrow", "transactions", "zombies",
]  # fmt: skip
