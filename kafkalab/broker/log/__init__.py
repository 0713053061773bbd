"""One replica's log on disk: batches, segments, retention, compaction, producers, transactions.

Kafka's package is storage.internals.log.
"""
