"""WireChange: what a newer version of a request changes in a broker's behaviour, one row each.

The rows come from Kafka's message specifications. A broker reads the API version in the request's
header and behaves as that version specifies. The API version is not the client's release: every
client that sends JoinGroup v4 has to send a member id.
"""

from __future__ import annotations

import enum

from kafkalab.protocol.api_keys import ApiKeys
from kafkalab.protocol.header import RequestHeader


class WireChange(enum.Enum):
    """One change of behaviour: the API, its first version that has it, and the KIP or JIRA."""

    MEMBER_ID_REQUIRED = (
        ApiKeys.JOIN_GROUP,
        4,
        "KIP-394: a member first learns its id, then joins with it",
    )
    PROTOCOL_IS_NULLABLE = (
        ApiKeys.JOIN_GROUP,
        7,
        "KIP-559: protocol type in the answer, null instead of ''",
    )
    SKIP_ASSIGNMENT = (
        ApiKeys.JOIN_GROUP,
        9,
        "KIP-814: a returning static leader is told so, and not to assign",
    )
    SYNC_NAMES_PROTOCOL = (
        ApiKeys.SYNC_GROUP,
        5,
        "KIP-559: the answer repeats protocol type and name",
    )
    JOIN_GIVES_REASON = (ApiKeys.JOIN_GROUP, 8, "KIP-800: a member says why it joins again")
    LEAVE_GIVES_REASON = (ApiKeys.LEAVE_GROUP, 5, "KIP-800: a member says why it leaves")
    COORDINATORS_BY_LIST = (ApiKeys.FIND_COORDINATOR, 4, "KIP-699: several keys in one request")
    FETCH_NAMES_RACK = (
        ApiKeys.FETCH,
        11,
        "KIP-392: a consumer names its rack, and may read from a follower",
    )
    FETCH_BY_TOPIC_ID = (ApiKeys.FETCH, 13, "KIP-516: topics are identified, not named")
    FETCH_HINTS_LEADER = (
        ApiKeys.FETCH,
        16,
        "KIP-951: an error names the new leader and its address",
    )
    GROUP_STATE_LISTED = (ApiKeys.LIST_GROUPS, 4, "KIP-518: groups are listed with their state")
    GROUP_TYPE_LISTED = (ApiKeys.LIST_GROUPS, 5, "KIP-848: and with the protocol they follow")
    COMMIT_NAMES_MISSING_GROUP = (
        ApiKeys.OFFSET_COMMIT,
        9,
        "KIP-848: GROUP_ID_NOT_FOUND, where older requests get ILLEGAL_GENERATION",
    )
    COMMIT_KNOWS_MEMBER_EPOCHS = (
        ApiKeys.OFFSET_COMMIT,
        9,
        "KIP-848: a member may commit with its epoch; before it gets UNSUPPORTED_VERSION",
    )
    MISSING_GROUP_IS_AN_ERROR = (
        ApiKeys.DESCRIBE_GROUPS,
        6,
        "KIP-1043: a group that does not exist is not found, before it was Dead",
    )
    OFFSET_NOT_AVAILABLE = (
        ApiKeys.LIST_OFFSETS,
        5,
        "KIP-207: OFFSET_NOT_AVAILABLE, where older requests get LEADER_NOT_AVAILABLE",
    )
    PRODUCE_NAMES_RECORDS = (
        ApiKeys.PRODUCE,
        8,
        "KIP-467: the answer says which records of a batch are refused, and why",
    )
    PRODUCE_BY_TOPIC_ID = (ApiKeys.PRODUCE, 13, "KIP-516: topics are identified, not named")
    PRODUCE_HINTS_LEADER = (
        ApiKeys.PRODUCE,
        10,
        "KIP-951: an error names the new leader and its address",
    )

    INIT_NAMES_FENCING = (
        ApiKeys.INIT_PRODUCER_ID,
        4,
        "KIP-588: PRODUCER_FENCED, where older requests get INVALID_PRODUCER_EPOCH",
    )
    ADD_PARTITIONS_NAMES_FENCING = (ApiKeys.ADD_PARTITIONS_TO_TXN, 2, "KIP-588: likewise")
    ADD_OFFSETS_NAMES_FENCING = (ApiKeys.ADD_OFFSETS_TO_TXN, 2, "KIP-588: likewise")
    END_TXN_NAMES_FENCING = (ApiKeys.END_TXN, 2, "KIP-588: likewise")
    ADD_PARTITIONS_OF_SEVERAL = (
        ApiKeys.ADD_PARTITIONS_TO_TXN,
        4,
        "KIP-890: brokers ask, about several transactions, or only verify",
    )
    END_TXN_RAISES_EPOCH = (
        ApiKeys.END_TXN,
        5,
        "KIP-890: the answer carries the next transaction's epoch",
    )
    PRODUCE_ABORTABLE = (
        ApiKeys.PRODUCE,
        11,
        "KIP-890: TRANSACTION_ABORTABLE, where older requests get INVALID_TXN_STATE",
    )
    PRODUCE_JOINS_TRANSACTION = (
        ApiKeys.PRODUCE,
        12,
        "KIP-890: writing adds the partition to the transaction",
    )
    TXN_OFFSETS_ABORTABLE = (
        ApiKeys.TXN_OFFSET_COMMIT,
        4,
        "KIP-890: TRANSACTION_ABORTABLE, where older requests get INVALID_TXN_STATE",
    )
    TXN_OFFSETS_JOIN_TRANSACTION = (
        ApiKeys.TXN_OFFSET_COMMIT,
        5,
        "KIP-890: committing adds the group to the transaction",
    )
    TXN_OFFSETS_BY_TOPIC_ID = (
        ApiKeys.TXN_OFFSET_COMMIT,
        6,
        "KIP-848: topics are identified, not named",
    )

    def __init__(self, api: ApiKeys, since: int, why: str) -> None:
        self.api = api
        self.since = since
        self.why = why

    def holds_for(self, header: RequestHeader) -> bool:
        """Whether a request with this header gets the newer behaviour."""
        return header.api_version >= self.since
