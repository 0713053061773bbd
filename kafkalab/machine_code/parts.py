"""Which modules are worth compiling? Those in which a running lab spends its time, a room a line."""

from __future__ import annotations

PARTS = tuple("""
broker/broker broker/delayed_produce broker/directory broker/fetch_sessions broker/fetches
    broker/follower_sessions
broker/group_coordinator broker/group_joins broker/group_members broker/group_offsets
    broker/group_storage broker/interbroker
broker/log_manager broker/metadata_cache broker/partition_log broker/producer_state broker/replica
    broker/replica_manager
broker/request_path broker/segments broker/transaction_verification
broker_end
clients/connection_states
clients/consumer/auto_commit clients/consumer/completed_fetch
    clients/consumer/consumer_network_client clients/consumer/coordinator
clients/consumer/coordinator_lookup clients/consumer/fetch_collector clients/consumer/fetch_session
    clients/consumer/fetcher
clients/consumer/heartbeat clients/consumer/heartbeat_thread clients/consumer/interceptors
    clients/consumer/membership
clients/consumer/one_thread clients/consumer/position_validation clients/consumer/request_future
    clients/consumer/subscription_state
clients/consumer/unpacking clients/consumer/classic_poll clients/consumer/consumer_network
    clients/consumer/timer
clients/consumer/offset_fetcher clients/consumer/async_/delegate clients/consumer/async_/lines
clients/idle_expiry clients/in_flight_requests clients/log_context clients/metadata
    clients/metadata_updater clients/metrics
clients/network_client
clients/producer/accumulator clients/producer/buffer_pool clients/producer/builtin_partitioner
    clients/producer/cluster
clients/producer/future_record_metadata clients/producer/interceptors
    clients/producer/network_client_utils
clients/producer/node_latency clients/producer/partitioner clients/producer/produce_outcomes
    clients/producer/producer_batch
clients/producer/producer_metrics clients/producer/producer_topics clients/producer/record_appends
    clients/producer/sender
clients/producer/transaction_manager clients/producer/transactional_sender
    clients/producer/txn_partitions
clients/requests clients/selector clients/socket_events clients/telemetry clients/telemetry_sender
hashing
sim/apps sim/journal sim/network sim/rng sim/scheduler
""".split())
"""Paths below the package, without .py."""
