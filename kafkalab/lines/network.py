"""What does a client write about sockets, requests and metadata? In the order of a connection's life."""

from __future__ import annotations

from kafkalab.lines.wording import debug, entry, info, trace, warn

CLIENTS = "org.apache.kafka.clients."
NETWORK_CLIENT = CLIENTS + "NetworkClient"
METADATA = CLIENTS + "Metadata"
CLIENT_UTILS = CLIENTS + "ClientUtils"
CONNECTION_STATES = CLIENTS + "ClusterConnectionStates"
LINE_TABLES = "line number tables of the released jars of all eight versions; no recording has the line"
SELECTOR = "org.apache.kafka.common.network.Selector"

# fmt: off
CHOOSING_A_NODE = (
    entry("LEAST_LOADED_IDLE", NETWORK_CLIENT,
          trace("Found least loaded node {node} connected with no in-flight requests", "657 ~ 666 690 700 736 786 863")),
    entry("LEAST_LOADED_REMOVING", NETWORK_CLIENT,
          trace("Removing node {node} from least loaded node selection: is-blacked-out: {blacked_out}, in-flight-requests: {in_flight}",
                "664 664 - - - - - -"),
          trace("Removing node {node} from least loaded node selection since it is neither ready for sending or connecting",
                "- - 678 706 716 752 802 879")),
    entry("LEAST_LOADED_FOUND", NETWORK_CLIENT,
          trace("Found least loaded node {node}", "670 670 - - - - - -")),
    entry("LEAST_LOADED_WITH_IN_FLIGHT", NETWORK_CLIENT,
          trace("Found least loaded node {node} with {in_flight} inflight requests", "- - 686 714 724 760 810 887")),
    entry("LEAST_LOADED_CONNECTING", NETWORK_CLIENT,
          trace("Found least loaded connecting node {node}", "- - 689 717 727 763 813 890")),
    entry("LEAST_LOADED_UNCONNECTED", NETWORK_CLIENT,
          trace("Found least loaded node {node} with no active connection", "- - 692 720 730 766 816 893")),
    entry("LEAST_LOADED_NONE", NETWORK_CLIENT,
          trace("Least loaded node selection failed to find an available node", "- - ~ ~ ~ 769 819 896"),
          source="recordings from 3.9.2 on; 2.3 to 3.6 choose by the same rule, but never ran out of nodes there"),
    entry("TELEMETRY_GIVE_UP", NETWORK_CLIENT,
          debug("Give up sending telemetry request since no node is available", "- - - - - 1304 1400 1665")),
)

OPENING = (
    entry("CONNECT_FOR_METADATA", NETWORK_CLIENT,
          debug("Initialize connection to node {node} for sending metadata request", "1085 1091 1113 1157 1202 1263 1359 1617")),
    entry("CONNECT_FOR_TELEMETRY", NETWORK_CLIENT,
          debug("Initialize connection to node {node} for sending telemetry request", "- - - - - 1339 1435 1700")),
    entry("RESOLVED_HOST", CLIENT_UTILS,
          debug("Resolved host {host} as {address}", "- - - - 125 128 128 206", prefixed=False)),
    entry("RESOLVED_HOST_TO_ADDRESSES", CONNECTION_STATES,
          debug("Resolved host {host} to addresses [{addresses}]", "- - - - 539 538 538 538")),
    entry("INITIATING_CONNECTION", NETWORK_CLIENT,
          debug("Initiating connection to node {node} using address {address}", "914 921 944 986 1031 1076 1141 1256")),
    entry("SOCKET_CREATED", SELECTOR,
          debug("Created socket with SO_RCVBUF = {receive_buffer}, SO_SNDBUF = {send_buffer}, SO_TIMEOUT = {timeout} to node {node_id}",
                "519 535 535 531 531 551 536 536")),
    entry("CONNECTION_COMPLETED", NETWORK_CLIENT,
          debug("Completed connection to node {node_id}. Fetching API versions.", "874 879 902 953 993 1038 1089 1193")),
    entry("FETCHING_API_VERSIONS", NETWORK_CLIENT,
          debug("Initiating API versions fetch from node {node_id}.", "888 893 916 967 1007 1052 1103 1207")),
    entry("API_VERSIONS_ASSUMED", NETWORK_CLIENT,
          trace("No version information found when sending {api} with correlation id {correlation_id} to node {node_id}. "
                "Assuming version {api_version}.", "465 465 466 493 503 525 574 639")),
    entry("API_VERSIONS_RECORDED", NETWORK_CLIENT,
          debug("Recorded API versions for node {node_id}: {versions}", "842 847 870 - - - - -"),
          debug("Node {node_id} has finalized features {features}, API versions: {versions}.", "- - - 922 963 1003 1054 1158")),
)

TALKING = (
    entry("SENDING_REQUEST", NETWORK_CLIENT,
          trace("Sending {api} {request} with correlation id {correlation_id} to node {node_id}", "492 492 496 - - - - -"),
          debug("Sending {api} request with header {header} and timeout {timeout_ms} to node {node_id}: {request}",
                "- - - 522 532 556 605 670")),
    entry("RECEIVED_RESPONSE", NETWORK_CLIENT,
          trace("Completed receive from node {node_id} for {api} with correlation id {correlation_id}, received {response}",
                "810 814 837 - - - - -"),
          debug("Received {api} response from node {node_id} for request with header {header}: {response}",
                "- - - 880 918 954 1004 1097")),
    entry("VERSION_MISMATCH", NETWORK_CLIENT,
          debug("Version mismatch when attempting to send {request} with correlation id {correlation_id} to {node_id}",
                "- - - - - 537 586 651", trace=True)),
    entry("SENDING_METADATA_REQUEST", NETWORK_CLIENT,
          debug("Sending metadata request {request} to node {node}", "1069 1075 1097 1140 1185 1246 1342 1600")),
    entry("METADATA_ERRORS", NETWORK_CLIENT,
          warn("Error while fetching metadata with correlation id {correlation_id} : {errors}", "1019 ~ 1051 1100 ~ - - -"),
          warn("The metadata response from the cluster reported a recoverable issue with correlation id {correlation_id} : {errors}",
               "- - - - - 1218 ~ 1537")),
    entry("LEADERS_WITHOUT_LISTENER", NETWORK_CLIENT,
          warn("{count} partitions have leader brokers without a matching listener, including {partitions}",
               "1012 1024 1044 - - - - -")),
)

CLOSING = (
    entry("SOCKET_DISCONNECTED", SELECTOR,
          debug("Connection with {address} disconnected", "575 607 607 606 ~ - - -", trace=True),
          debug("Connection with {address} (channelId={node_id}) disconnected", "- - - - - 627 612 612", trace=True)),
    entry("IDLE_DISCONNECTED", NETWORK_CLIENT,
          debug("Idle connection to node {node_id} disconnected.", "- - - - - 1019 1070 1174")),
    entry("NODE_DISCONNECTED", NETWORK_CLIENT,
          debug("Node {node_id} disconnected.", "854 859 882 936 - - - -"),
          info("Node {node_id} disconnected.", "- - - - 977 1021 1072 1176")),
    entry("CONNECTION_NOT_ESTABLISHED", NETWORK_CLIENT,
          warn("Connection to node {node_id} ({address}:{port}) could not be established. Broker may not be available.",
               "721 725 748 776 814 - - -"),
          warn("Connection to node {node_id} ({address}:{port}) could not be established. Node may not be available.",
               "- - - - - 849 899 992")),
    entry("BOOTSTRAP_DISCONNECTED", NETWORK_CLIENT,
          warn("Bootstrap broker {node} disconnected", "- ~ ~ 1060 ~ 1178 ~ 1497"),
          source="recordings from 2.8.2 on; absent in 2.1.1; 2.2 and 2.3 keep the same bootstrap view as 2.8, not recorded"),
    entry("REQUEST_CANCELLED", NETWORK_CLIENT,
          trace("Cancelled request {api} {request} with correlation id {correlation_id} due to node {node_id} being disconnected",
                "727 731 754 347 - - - -"),
          debug("Cancelled in-flight {api} request with correlation id {correlation_id} due to node {node_id} being disconnected "
                "(elapsed time since creation: {elapsed_created}ms, elapsed time since send: {elapsed_sent}ms, "
                "request timeout: {timeout_ms}ms): {request}", "- - - - 338 - - -"),
          debug("Cancelled in-flight {api} request with correlation id {correlation_id} due to node {node_id} being disconnected "
                "(elapsed time since creation: {elapsed_created}ms, elapsed time since send: {elapsed_sent}ms, "
                "throttle time: {throttle}ms, request timeout: {timeout_ms}ms): {request}", "- - - - - 358 405 470")),
    entry("DISCONNECT_REQUESTED", NETWORK_CLIENT,
          debug("Manually disconnected from {node_id}. Removed requests: {requests}.", "325 ~ 326 - - - - -"),
          info("Client requested disconnect from node {node_id}", "- - - - 324 344 391 456")),
    entry("DISCONNECT_REQUESTED_TWICE", NETWORK_CLIENT,
          debug("Client requested disconnect from node {node_id}, which is already disconnected", "- - - - 320 340 387 452")),
)

# Until 2.3 every epoch is looked at by one method, whichever answer brought it; from 2.8 METADATA has statements of its own.
METADATA_LINES = (
    entry("METADATA_UPDATE_FOR_TOPIC", METADATA,
          debug("Requesting metadata update for topic {topic} due to error {error}", "- - 325 362 ~ 532 ~ 533")),
    entry("METADATA_UPDATE_FOR_PARTITION", METADATA,
          debug("Requesting metadata update for partition {partition} due to error {error}", "- - 319 355 363 525 ~ 526")),
    entry("EPOCH_REPLACE_CHECK", METADATA,
          trace("Determining if we should replace existing epoch {epoch} with new epoch {new_epoch}", "- 202 - - - - - -", prefixed=False),
          trace("Determining if we should replace existing epoch {epoch} with new epoch {new_epoch}", "- - 171 - - - - -"),
          trace("Determining if we should replace existing epoch {epoch} with new epoch {new_epoch} for partition {partition}",
                "- - - 173 180 237 237 238")),
    entry("EPOCH_REPLACE_CHECK_BY_METADATA", METADATA,
          trace("Determining if we should replace existing epoch {epoch} with new epoch {new_epoch}", "- 202 - - - - - -",
                prefixed=False, twin=True),
          trace("Determining if we should replace existing epoch {epoch} with new epoch {new_epoch}", "- - 171 - - - - -", twin=True)),
    entry("EPOCH_UPDATED", METADATA,
          debug("Updating last seen epoch from {epoch} to {new_epoch} for partition {partition}", "- 204 - - - - - -", prefixed=False),
          debug("Updating last seen epoch from {epoch} to {new_epoch} for partition {partition}", "- - 173 - - - - -")),
    entry("EPOCH_FIRST_SEEN", METADATA,
          debug("Updating last seen epoch from {epoch} to {new_epoch} for partition {partition}", "- 204 - - - - - -",
                prefixed=False, twin=True),
          debug("Updating last seen epoch from {epoch} to {new_epoch} for partition {partition}", "- - 173 - - - - -", twin=True),
          info("Resetting the last seen epoch of partition {partition} to {new_epoch} since the associated topicId changed from "
               "null to {topic_id}", "- - - 401 - - - -"),
          debug("Setting the last seen epoch of partition {partition} to {new_epoch} since the last known epoch was undefined.",
                "- - - - 406 568 568 569")),
    entry("EPOCH_KEPT", METADATA,
          debug("Not replacing existing epoch {epoch} with new epoch {new_epoch}", "- 211 - - - - - -", prefixed=False),
          debug("Not replacing existing epoch {epoch} with new epoch {new_epoch}", "- - 180 - - - - -"),
          debug("Not replacing existing epoch {epoch} with new epoch {new_epoch} for partition {partition}",
                "- - - 184 191 248 248 249")),
    entry("EPOCH_SEEN_AGAIN", METADATA,
          debug("Updating last seen epoch from {epoch} to {new_epoch} for partition {partition}", "- 204 - - - - - -",
                prefixed=False, twin=True),
          debug("Updating last seen epoch from {epoch} to {new_epoch} for partition {partition}", "- - 173 - - - - -", twin=True),
          debug("Updating last seen epoch for partition {partition} from {epoch} to epoch {new_epoch} from new metadata",
                "- - - 407 421 585 585 586")),
    entry("CLUSTER_ID", METADATA,
          info("Cluster ID: {cluster_id}", "285 379 - - - - - -", prefixed=False),
          info("Cluster ID: {cluster_id}", "- - 266 287 294 365 365 366")),
    entry("METADATA_UPDATED", METADATA,
          debug("Updated cluster metadata version {version} to {cluster}", "290 384 - - - - - -", prefixed=False),
          debug("Updated cluster metadata updateVersion {version} to {cluster}", "- - 270 291 298 369 369 370")),
    entry("LEADER_NOT_NEWER", METADATA,
          debug("For {partition}, incoming leader({leader}) is not-newer than the one in the existing metadata {known}, so ignoring.",
                "- - - - - 400 400 401"), source=LINE_TABLES),
    entry("NO_LEADER_LEARNED", METADATA, debug("No relevant metadata updates.", "- - - - - 428 428 429"), source=LINE_TABLES),
    entry("LEADER_LEARNED", METADATA,
          debug("For {partition} updating leader information, updated metadata is {metadata}.", "- - - - - 442 442 443"), source=LINE_TABLES),
    entry("REBOOTSTRAPPING", METADATA, info("Rebootstrapping with {addresses}", "- - - - - 314 314 315"), source=LINE_TABLES),
    entry("DISCONNECTING_FOR_REBOOTSTRAP", NETWORK_CLIENT,
          info("Disconnecting from node {node_id} due to client rebootstrap.", "- - - - - - 1123 1126"), source=LINE_TABLES),
)
# fmt: on

ENTRIES = CHOOSING_A_NODE + OPENING + TALKING + CLOSING + METADATA_LINES
