"""Log sets: many lines of many clients, read, explained and made with Spark.

    from kafkalab import logsets
    spark = logsets.session()
    lines = logsets.read(spark, "data/recordings")       # one typed row a line, columns in logsets/schema.py
    logsets.summary(lines)                               # how many lines, and what could not be read
    logsets.connections(lines)                           # one row a socket: class, life, who ended it

At a prompt: `python -m kafkalab.logsets connections PATH`, `python -m kafkalab.logsets generate tiny --out DIR`.
"""
from kafkalab.logsets.connections import connections
from kafkalab.logsets.java import JavaMissing, find_java
from kafkalab.logsets.read import malformed, read, summary
from kafkalab.logsets.session import session

__all__ = ["JavaMissing", "connections", "find_java", "malformed", "read", "session", "summary"]
