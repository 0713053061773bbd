"""The consumer of the classic group protocol: JoinGroup, SyncGroup,
Heartbeat (ClassicKafkaConsumer)."""
