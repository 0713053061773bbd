"""The brokers of a lab: machines decide what a request does, a shell carries it out.

Kafka's counterpart is the `core` and `server` code below SocketServer. The machines have no clock
and no network. There are seven rooms; each imports only the rooms named before it: `log` (one
replica's records on disk), `cluster` (brokers, leaders, the controller), `replication` (replicas,
followers, PRODUCE and FETCH), `groups` (consumer groups, classic and KIP-848), `transactions`,
`admin`, and `shell`, which uses all of them. All rooms use these files: `effects` (what a machine
wants done), `steps` (how one request's story waits and is refused), `broker_config` (a broker's
settings) and `wire_changes` (what the version of a request changes).
"""
