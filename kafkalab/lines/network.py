"""Entries of the lines that a client writes about sockets, requests and metadata (NetworkClient,
Selector, Metadata). They are in the order of a connection's life."""

from __future__ import annotations

from kafkalab.lines.wording import debug, entry, info, trace, warn

CLIENTS = "org.apache.kafka.clients."
NETWORK_CLIENT = CLIENTS + "NetworkClient"
METADATA = CLIENTS + "Metadata"
CLIENT_UTILS = CLIENTS + "ClientUtils"
CONNECTION_STATES = CLIENTS + "ClusterConnectionStates"
LINE_TABLES = (
    "line number tables of the released jars of all eight versions; no recording has the line"
)
SELECTOR = "org.apache.kafka.common.network.Selector"

# fmt: off
CHOOSING_A_NODE = (
    entry("LEAST_LOADED_IDLE", NETWORK_CLIENT,
          trace("Found least loaded node {node} connected with no in-flight requests")),
    entry("LEAST_LOADED_REMOVING", NETWORK_CLIENT,
          trace("Removing node {node} from least loaded node selection: is-blacked-out: "
                "{blacked_out}, in-flight-requests: {in_flight}",
                until="2.2"),
          trace("Removing node {node} from least loaded node selection since it is neither ready "
                "for sending or connecting",
                since="2.3")),
    entry("LEAST_LOADED_FOUND", NETWORK_CLIENT,
          trace("Found least loaded node {node}", until="2.2")),
    entry("LEAST_LOADED_WITH_IN_FLIGHT", NETWORK_CLIENT,
          trace("Found least loaded node {node} with {in_flight} inflight requests", since="2.3")),
    entry("LEAST_LOADED_CONNECTING", NETWORK_CLIENT,
          trace("Found least loaded connecting node {node}", since="2.3")),
    entry("LEAST_LOADED_UNCONNECTED", NETWORK_CLIENT,
          trace("Found least loaded node {node} with no active connection", since="2.3")),
    entry("LEAST_LOADED_NONE", NETWORK_CLIENT,
          trace("Least loaded node selection failed to find an available node", since="2.3"),
          source="recordings of 2.3.0 and from 3.9.2 on; 2.8 and 3.6 choose by the same rule, "
                 "but never ran out of nodes there"),
    entry("TELEMETRY_GIVE_UP", NETWORK_CLIENT,
          debug("Give up sending telemetry request since no node is available", since="3.9")),
)

OPENING = (
    entry("CONNECT_FOR_METADATA", NETWORK_CLIENT,
          debug("Initialize connection to node {node} for sending metadata request")),
    entry("CONNECT_FOR_TELEMETRY", NETWORK_CLIENT,
          debug("Initialize connection to node {node} for sending telemetry request", since="3.9")),
    entry("RESOLVED_HOST", CLIENT_UTILS,
          debug("Resolved host {host} as {address}", since="3.6", prefixed=False)),
    entry("RESOLVED_HOST_TO_ADDRESSES", CONNECTION_STATES,
          debug("Resolved host {host} to addresses [{addresses}]", since="3.6")),
    entry("INITIATING_CONNECTION", NETWORK_CLIENT,
          debug("Initiating connection to node {node} using address {address}")),
    entry("SOCKET_CREATED", SELECTOR,
          debug("Created socket with SO_RCVBUF = {receive_buffer}, SO_SNDBUF = {send_buffer}, "
                "SO_TIMEOUT = {timeout} to node {node_id}")),
    entry("CONNECTION_COMPLETED", NETWORK_CLIENT,
          debug("Completed connection to node {node_id}. Fetching API versions.")),
    entry("FETCHING_API_VERSIONS", NETWORK_CLIENT,
          debug("Initiating API versions fetch from node {node_id}.")),
    entry("API_VERSIONS_ASSUMED", NETWORK_CLIENT,
          trace("No version information found when sending {api} with correlation id "
                "{correlation_id} to node {node_id}. "
                "Assuming version {api_version}.")),
    entry("API_VERSIONS_RECORDED", NETWORK_CLIENT,
          debug("Recorded API versions for node {node_id}: {versions}", until="2.3"),
          debug("Node {node_id} has finalized features {features}, API versions: {versions}.",
                since="2.8")),
)

TALKING = (
    entry("SENDING_REQUEST", NETWORK_CLIENT,
          trace("Sending {api} {request} with correlation id {correlation_id} to node {node_id}",
                until="2.3"),
          debug("Sending {api} request with header {header} and timeout {timeout_ms} to node "
                "{node_id}: {request}",
                since="2.8")),
    entry("RECEIVED_RESPONSE", NETWORK_CLIENT,
          trace("Completed receive from node {node_id} for {api} with correlation id "
                "{correlation_id}, received {response}",
                until="2.3"),
          debug("Received {api} response from node {node_id} for request with header {header}: "
                "{response}",
                since="2.8")),
    entry("CONNECTION_THROTTLED", NETWORK_CLIENT,
          trace("Connection to node {node_id} is throttled for {throttle_ms} ms until timestamp "
                "{until}",
                until="4.0"),
          warn("Connection to node {node_id} is throttled for {throttle_ms} ms until timestamp "
               "{until}",
               since="4.4"),
          source="recordings of 2.3.0 and 4.4.0; levels and line numbers of the others from the "
                 "jars' line tables"),
    entry("VERSION_MISMATCH", NETWORK_CLIENT,
          debug("Version mismatch when attempting to send {request} with correlation id "
                "{correlation_id} to {node_id}",
                since="3.9", trace=True)),
    entry("SENDING_METADATA_REQUEST", NETWORK_CLIENT,
          debug("Sending metadata request {request} to node {node}")),
    entry("METADATA_ERRORS", NETWORK_CLIENT,
          warn("Error while fetching metadata with correlation id {correlation_id} : {errors}",
               until="3.6"),
          warn("The metadata response from the cluster reported a recoverable issue with "
               "correlation id {correlation_id} : {errors}",
               since="3.9")),
    entry("LEADERS_WITHOUT_LISTENER", NETWORK_CLIENT,
          warn("{count} partitions have leader brokers without a matching listener, including "
               "{partitions}",
               until="2.3")),
)

CLOSING = (
    entry("SOCKET_DISCONNECTED", SELECTOR,
          debug("Connection with {address} disconnected", until="3.6", trace=True),
          debug("Connection with {address} (channelId={node_id}) disconnected", since="3.9",
                trace=True)),
    entry("IDLE_DISCONNECTED", NETWORK_CLIENT,
          debug("Idle connection to node {node_id} disconnected.", since="3.9")),
    entry("NODE_DISCONNECTED", NETWORK_CLIENT,
          debug("Node {node_id} disconnected.", until="2.8"),
          info("Node {node_id} disconnected.", since="3.6")),
    entry("CONNECTION_NOT_ESTABLISHED", NETWORK_CLIENT,
          warn("Connection to node {node_id} ({address}:{port}) could not be established. Broker "
               "may not be available.",
               until="3.6"),
          warn("Connection to node {node_id} ({address}:{port}) could not be established. Node "
               "may not be available.",
               since="3.9")),
    entry("BOOTSTRAP_DISCONNECTED", NETWORK_CLIENT,
          warn("Bootstrap broker {node} disconnected", since="2.2"),
          source="recordings from 2.8.2 on; absent in 2.1.1; 2.2 and 2.3 keep the same bootstrap "
                 "view as 2.8, not recorded"),
    entry("REQUEST_CANCELLED", NETWORK_CLIENT,
          trace("Cancelled request {api} {request} with correlation id {correlation_id} due to "
                "node {node_id} being disconnected",
                until="2.8"),
          debug("Cancelled in-flight {api} request with correlation id {correlation_id} due to "
                "node {node_id} being disconnected "
                "(elapsed time since creation: {elapsed_created}ms, elapsed time since send: "
                "{elapsed_sent}ms, "
                "request timeout: {timeout_ms}ms): {request}", since="3.6", until="3.6"),
          debug("Cancelled in-flight {api} request with correlation id {correlation_id} due to "
                "node {node_id} being disconnected "
                "(elapsed time since creation: {elapsed_created}ms, elapsed time since send: "
                "{elapsed_sent}ms, "
                "throttle time: {throttle}ms, request timeout: {timeout_ms}ms): {request}",
                since="3.9")),
    entry("DISCONNECT_REQUESTED", NETWORK_CLIENT,
          debug("Manually disconnected from {node_id}. Removed requests: {requests}.", until="2.3"),
          info("Client requested disconnect from node {node_id}", since="3.6")),
    entry("DISCONNECT_REQUESTED_TWICE", NETWORK_CLIENT,
          debug("Client requested disconnect from node {node_id}, which is already disconnected",
                since="3.6")),
)

# Until 2.3 one method checks every epoch, in any answer; from 2.8 METADATA has statements of its
# own.
METADATA_LINES = (
    entry("METADATA_UPDATE_FOR_TOPIC", METADATA,
          debug("Requesting metadata update for topic {topic} due to error {error}", since="2.3")),
    entry("METADATA_UPDATE_FOR_PARTITION", METADATA,
          debug("Requesting metadata update for partition {partition} due to error {error}",
                since="2.3")),
    entry("EPOCH_REPLACE_CHECK", METADATA,
          trace("Determining if we should replace existing epoch {epoch} with new epoch "
                "{new_epoch}", since="2.2", until="2.2", prefixed=False),
          trace("Determining if we should replace existing epoch {epoch} with new epoch "
                "{new_epoch}", since="2.3", until="2.3"),
          trace("Determining if we should replace existing epoch {epoch} with new epoch "
                "{new_epoch} for partition {partition}",
                since="2.8")),
    entry("EPOCH_REPLACE_CHECK_BY_METADATA", METADATA,
          trace("Determining if we should replace existing epoch {epoch} with new epoch "
                "{new_epoch}", since="2.2", until="2.2",
                prefixed=False, twin=True),
          trace("Determining if we should replace existing epoch {epoch} with new epoch "
                "{new_epoch}", since="2.3", until="2.3", twin=True)),
    entry("EPOCH_UPDATED", METADATA,
          debug("Updating last seen epoch from {epoch} to {new_epoch} for partition {partition}",
                since="2.2", until="2.2", prefixed=False),
          debug("Updating last seen epoch from {epoch} to {new_epoch} for partition {partition}",
                since="2.3", until="2.3")),
    entry("EPOCH_FIRST_SEEN", METADATA,
          debug("Updating last seen epoch from {epoch} to {new_epoch} for partition {partition}",
                since="2.2", until="2.2",
                prefixed=False, twin=True),
          debug("Updating last seen epoch from {epoch} to {new_epoch} for partition {partition}",
                since="2.3", until="2.3", twin=True),
          info("Resetting the last seen epoch of partition {partition} to {new_epoch} since the "
               "associated topicId changed from "
               "null to {topic_id}", since="2.8", until="2.8"),
          debug("Setting the last seen epoch of partition {partition} to {new_epoch} since the "
                "last known epoch was undefined.",
                since="3.6")),
    entry("EPOCH_RESET", METADATA,
          info("Resetting the last seen epoch of partition {partition} to {new_epoch} since the "
               "associated topicId changed from "
               "null to {topic_id}", since="3.9"),
          source="a recording of 4.4.0, and the line tables of 3.9.2 and 4.0.2"),
    entry("EPOCH_KEPT", METADATA,
          debug("Not replacing existing epoch {epoch} with new epoch {new_epoch}", since="2.2",
                until="2.2", prefixed=False),
          debug("Not replacing existing epoch {epoch} with new epoch {new_epoch}", since="2.3",
                until="2.3"),
          debug("Not replacing existing epoch {epoch} with new epoch {new_epoch} for partition "
                "{partition}",
                since="2.8")),
    entry("EPOCH_SEEN_AGAIN", METADATA,
          debug("Updating last seen epoch from {epoch} to {new_epoch} for partition {partition}",
                since="2.2", until="2.2",
                prefixed=False, twin=True),
          debug("Updating last seen epoch from {epoch} to {new_epoch} for partition {partition}",
                since="2.3", until="2.3", twin=True),
          debug("Updating last seen epoch for partition {partition} from {epoch} to epoch "
                "{new_epoch} from new metadata",
                since="2.8")),
    entry("CLUSTER_ID", METADATA,
          info("Cluster ID: {cluster_id}", until="2.2", prefixed=False),
          info("Cluster ID: {cluster_id}", since="2.3")),
    entry("METADATA_UPDATED", METADATA,
          debug("Updated cluster metadata version {version} to {cluster}", until="2.2",
                prefixed=False),
          debug("Updated cluster metadata updateVersion {version} to {cluster}", since="2.3")),
    entry("LEADER_NOT_NEWER", METADATA,
          debug("For {partition}, incoming leader({leader}) is not-newer than the one in the "
                "existing metadata {known}, so ignoring.",
                since="3.9"), source=LINE_TABLES),
    entry("NO_LEADER_LEARNED", METADATA, debug("No relevant metadata updates.", since="3.9"),
          source=LINE_TABLES),
    entry("LEADER_LEARNED", METADATA,
          debug("For {partition} updating leader information, updated metadata is {metadata}.",
                since="3.9"), source=LINE_TABLES),
    entry("REBOOTSTRAPPING", METADATA, info("Rebootstrapping with {addresses}", since="3.9"),
          source=LINE_TABLES),
    entry("DISCONNECTING_FOR_REBOOTSTRAP", NETWORK_CLIENT,
          info("Disconnecting from node {node_id} due to client rebootstrap.", since="4.0"),
          source=LINE_TABLES),
)
# fmt: on

ENTRIES = CHOOSING_A_NODE + OPENING + TALKING + CLOSING + METADATA_LINES
