"""The brokers' side: a shell takes requests and carries out effects; machines without clock or
network decide.

Seven rooms, from the ground up; each imports only rooms that stand before it:
`log` (one replica's records on disk), `cluster` (who is there, who leads, the controller),
`replication` (replicas, followers, PRODUCE and FETCH), `groups` (consumer groups, classic and
KIP-848), `transactions`, `admin`, and `shell` above all. Beside them lie what all of them use:
`effects` (what a machine wants done), `broker_config` (a broker's settings), `profiles` (how
releases differ) and `wire_changes` (what the version of a request changes).
"""
