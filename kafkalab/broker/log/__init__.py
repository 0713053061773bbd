"""One replica's log on disk: batches, segments, retention, compaction, producers and
transactions in it (storage.internals.log)."""
