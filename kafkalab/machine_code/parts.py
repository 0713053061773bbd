"""Which modules are worth compiling? Those in which a running lab spends its time, a room a line."""

from __future__ import annotations

PARTS = tuple("""
broker/shell/broker broker/replication/delayed_produce broker/cluster/directory broker/replication/fetch_sessions broker/replication/fetch_requests broker/replication/follower_sessions
broker/groups/group_coordinator broker/groups/classic/join_phase broker/groups/classic/membership broker/groups/group_offsets broker/groups/group_storage broker/shell/interbroker
broker/log/log_manager broker/cluster/metadata_cache broker/log/partition_log broker/log/producer_state broker/replication/replica broker/replication/replica_manager
broker/shell/request_path broker/log/segments broker/transactions/transaction_verification
broker_end
clients/network/connection_states
clients/consumer/classic/auto_commit clients/consumer/reading/completed_fetch clients/consumer/classic/consumer_network_client clients/consumer/classic/consumer_coordinator
clients/consumer/classic/coordinator_lookup clients/consumer/reading/fetch_collector clients/consumer/reading/fetch_session clients/consumer/reading/fetcher
clients/consumer/classic/heartbeat clients/consumer/classic/heartbeat_thread clients/consumer/reading/consumer_interceptors clients/consumer/classic/membership
clients/consumer/thread_guard clients/consumer/reading/position_validation clients/consumer/reading/request_future clients/consumer/reading/subscription_state
clients/consumer/reading/decompression_cost clients/consumer/classic/classic_poll clients/consumer/reading/consumer_network clients/consumer/reading/call_timer
clients/consumer/reading/offset_fetcher clients/consumer/modern/network_client_delegate clients/consumer/modern/async_lines
clients/network/idle_expiry clients/network/in_flight_requests clients/network/log_context clients/network/metadata clients/network/metadata_updater clients/network/metrics
clients/network/network_client
clients/producer/accumulator clients/producer/buffer_pool clients/producer/builtin_partitioner clients/producer/partitioner_cluster
clients/producer/future_record_metadata clients/producer/producer_interceptors clients/network/network_client_utils
clients/producer/node_latency clients/producer/partitioner clients/producer/produce_outcomes clients/producer/producer_batch
clients/producer/producer_metrics clients/producer/producer_topics clients/producer/record_appends clients/producer/sender
clients/producer/transactions/transaction_manager clients/producer/transactions/transactional_sender clients/producer/transactions/txn_partitions
clients/network/requests clients/network/selector clients/network/socket_events clients/network/telemetry clients/network/telemetry_sender
hashing
sim/apps sim/journal sim/network sim/rng sim/scheduler
""".split())
"""Paths below the package, without .py."""
