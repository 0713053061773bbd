"""The replicas of one broker: PRODUCE and FETCH, followers that copy leaders,
the high watermark (server.ReplicaManager)."""
