"""The replicas of one broker: PRODUCE, FETCH, followers and the high watermark
(server.ReplicaManager)."""
