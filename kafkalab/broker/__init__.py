"""The brokers' side. `broker.Broker` is the shell; around it stand machines that know no clock and no network.

Read in this order: `cluster` (who is there), `broker` (how a request passes), `directory` (finding one's way),
`replica_manager` and `partition_log` (records), `fetches` and `fetch_sessions` (the long poll), `group_state`, `group`
and `group_coordinator` (who owns what), `group_offsets` (how far they came), `group_storage` (what outlives a crash).
`profiles` says how releases differ, `wire_changes` what the version of a request changes.
"""
