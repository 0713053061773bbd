"""Defines Kafka's errors: the codes that a broker answers with, and the exceptions of the clients.

`Errors` is Kafka's table `org.apache.kafka.common.protocol.Errors`: number, name, exception class
and the sentence that Java prints. The exceptions keep their Java names, so that the name in a line
is the name in Python. Whether an error is retriable is a property of its exception class, as in
Java.
"""

import enum
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass

PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
NOT_THE_LEARNERS = (
    PACKAGE,
    os.path.dirname(os.__file__) + os.sep,
    f"{os.sep}site-packages{os.sep}",
    "<frozen",
)
"""Parts of the paths of files that a learner did not write."""

FEW = 8
"""The most names that are listed when one of them is close to the given name."""

WHOLE = "(kafkalab.traceback() shows the whole traceback.)"


class ShownPlainly:
    """An error that IPython shows as the learner's own lines and one sentence.

    Outside IPython it is an ordinary error.
    """

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in place of a traceback."""
        assert isinstance(self, BaseException), "only an error is shown in place of a traceback"
        return [*_learners_lines(self), f"{type(self).__name__}: {self}", WHOLE]


def _learners_lines(error: BaseException) -> list[str]:
    """The learner's lines in the traceback: the line in the cell, then the line in their innermost
    function.
    """
    import traceback as frames  # Imported here because only a failure needs it.

    own = [
        frame
        for frame in frames.extract_tb(error.__traceback__)
        if not any(part in frame.filename for part in NOT_THE_LEARNERS)
    ]
    chosen = own[:1] + own[1:][-1:]
    return [f"{_place(frame.filename)}, line {frame.lineno}: {frame.line}" for frame in chosen]


def _place(filename: str) -> str:
    """The name to print: IPython's name for a cell, the file name for a file."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    named = shell.compile.format_code_name(filename) if shell is not None else None
    return " ".join(named) if named else os.path.basename(filename)


def traceback() -> None:
    """Print the whole traceback of the last error that ended a cell, with the frames inside
    kafkalab.
    """
    import traceback as frames

    error = getattr(sys, "last_value", None)
    print(
        "No cell has ended with an error yet."
        if error is None
        else "".join(frames.format_exception(error)),
        end="" if error else "\n",
    )


def name_hint(given: object, known: Iterable[str]) -> str:
    """The end of an error message for an unknown name: the closest known name, then the known
    names.
    """
    import difflib

    names = list(dict.fromkeys(known))
    close = difflib.get_close_matches(str(given), names, n=1)
    meant = f" Did you mean {close[0]!r}?" if close else ""
    if close and len(names) > FEW:
        return meant
    return f"{meant} There {'is' if len(names) == 1 else 'are'}: {', '.join(names) or 'none'}."


class NoSuchName(ShownPlainly, AttributeError):
    """An object has no such method or value. The message says what it has instead."""


class KafkaException(ShownPlainly, Exception):
    """The base class of all errors of clients and cluster.

    `java_name` is the class in a stack trace.
    """

    java_name = "org.apache.kafka.common.KafkaException"

    def java_text(self) -> str:
        """`class: message` as Java's Throwable.toString gives it;
        the class alone without a message."""
        message = str(self)
        return f"{self.java_name}: {message}" if message else self.java_name


def java_text(error: BaseException) -> str:
    """`class: message` of any error. An error that is not Kafka's has its Python class name."""
    return (
        error.java_text()
        if isinstance(error, KafkaException)
        else f"{getattr(error, 'java_name', type(error).__name__)}: {error}"
    )


class ConfigException(KafkaException):
    """A configuration that cannot be used. It is raised before the client opens a connection."""

    java_name = "org.apache.kafka.common.config.ConfigException"


class BrokerConfigException(ConfigException, ValueError):
    """A setting that brokers cannot have; Java's class is ConfigException."""


class WakeupException(KafkaException):
    """wakeup() was called while the consumer waited."""

    java_name = "org.apache.kafka.common.errors.WakeupException"


class InterruptException(KafkaException):
    """The waiting thread was interrupted."""

    java_name = "org.apache.kafka.common.errors.InterruptException"


class CommitFailedException(KafkaException):
    """The committing consumer is no longer a member: poll() was late and another member has the
    partitions.
    """

    java_name = "org.apache.kafka.clients.consumer.CommitFailedException"


class RetriableCommitFailedException(KafkaException):
    """An asynchronous commit failed, and a new attempt may succeed."""

    java_name = "org.apache.kafka.clients.consumer.RetriableCommitFailedException"


class InvalidOffsetException(KafkaException):
    """The position is missing or outside the log; `partitions` says where."""

    java_name = "org.apache.kafka.clients.consumer.InvalidOffsetException"


class NoOffsetForPartitionException(InvalidOffsetException):
    """The partition has no committed offset and auto.offset.reset=none."""

    java_name = "org.apache.kafka.clients.consumer.NoOffsetForPartitionException"


class ConsumerOffsetOutOfRangeException(InvalidOffsetException):
    """The position is outside the log and auto.offset.reset=none (the consumer's class of that
    name).
    """

    java_name = "org.apache.kafka.clients.consumer.OffsetOutOfRangeException"


class LogTruncationException(ConsumerOffsetOutOfRangeException):
    """The log was cut off before the position (an unclean election)
    and auto.offset.reset=none (KIP-320)."""

    java_name = "org.apache.kafka.clients.consumer.LogTruncationException"


class ApiException(KafkaException):
    """An error that a broker's response can carry."""

    java_name = "org.apache.kafka.common.errors.ApiException"


class RetriableException(ApiException):
    """The same request may succeed later."""

    java_name = "org.apache.kafka.common.errors.RetriableException"


class InvalidMetadataException(RetriableException):
    """The client's metadata is stale: it asks for new metadata before it tries again."""

    java_name = "org.apache.kafka.common.errors.InvalidMetadataException"


class RefreshRetriableException(RetriableException):
    """The same request may succeed once the client has looked up its coordinator again."""

    java_name = "org.apache.kafka.common.errors.RefreshRetriableException"


class SerializationException(KafkaException):
    """A key or value cannot be turned into bytes, or bytes not into a key or value.

    Up to client 2.8 a consumer raises it for a record that it cannot read. Partition and offset are
    in its text only.
    """

    java_name = "org.apache.kafka.common.errors.SerializationException"

    def __getattr__(self, name: str) -> object:
        since = BAD_RECORD_TELLS.get(name)
        raise NoSuchName(
            f"this {type(self).__name__} has no {name!r}"
            + (f": a consumer's error has it from {since}" if since else "")
        )


BAD_RECORD_TELLS = {
    "topic_partition": "3.0 (KIP-334)",
    "offset": "3.0 (KIP-334)",
    "origin": "3.8 (KIP-1036)",
    "key_buffer": "3.8 (KIP-1036)",
    "value_buffer": "3.8 (KIP-1036)",
    "timestamp_ms": "3.8 (KIP-1036)",
}
"""What a RecordDeserializationException tells, and since when."""


class RecordDeserializationException(SerializationException):
    """A consumer cannot read a record (KIP-334, 3.0; KIP-1036, 3.8).

    topic_partition, offset  where the record is; from client 3.0
    origin                   "KEY" or "VALUE": what could not be read; from client 3.8, as all below
    key_buffer, value_buffer the bytes of the record; None for Kafka's null
    timestamp_ms             the record's own time (epoch milliseconds)
    """

    java_name = "org.apache.kafka.common.errors.RecordDeserializationException"

    def __init__(self, message: str, **told: object) -> None:
        super().__init__(message)
        vars(self).update(told)


class IllegalStateException(ShownPlainly, RuntimeError):
    """Java's own exception for a call that does not fit the object's state,
    for instance a closed consumer."""

    java_name = "java.lang.IllegalStateException"


class ConcurrentModificationException(ShownPlainly, RuntimeError):
    """Java's own exception for an object that two threads use at once."""

    java_name = "java.util.ConcurrentModificationException"


class IllegalArgumentException(ShownPlainly, ValueError):
    """Java's own exception for an argument that makes no sense."""

    java_name = "java.lang.IllegalArgumentException"


def _api_error(name: str, base: type[ApiException] = ApiException) -> type[ApiException]:
    """An exception of org.apache.kafka.common.errors that adds nothing to its base but a name."""
    return type(
        name,
        (base,),
        {"java_name": f"org.apache.kafka.common.errors.{name}", "__module__": __name__},
    )


RETRIABLE, STALE, REFRESH = RetriableException, InvalidMetadataException, RefreshRetriableException

# Named one by one, because an application catches them by name.
TimeoutException = _api_error("TimeoutException", RETRIABLE)
BufferExhaustedException = type(
    "BufferExhaustedException",
    (TimeoutException,),
    {
        "java_name": "org.apache.kafka.clients.producer.BufferExhaustedException",
        "__module__": __name__,
    },
)
DisconnectException = _api_error("DisconnectException", RETRIABLE)
UnknownServerException = _api_error("UnknownServerException")
OffsetOutOfRangeException = _api_error("OffsetOutOfRangeException")
InvalidRecordException = _api_error("InvalidRecordException")
CorruptRecordException = _api_error("CorruptRecordException", RETRIABLE)
UnknownTopicOrPartitionException = _api_error("UnknownTopicOrPartitionException", STALE)
InvalidFetchSizeException = _api_error("InvalidFetchSizeException")
LeaderNotAvailableException = _api_error("LeaderNotAvailableException", STALE)
NotLeaderForPartitionException = _api_error("NotLeaderForPartitionException", STALE)
NotLeaderOrFollowerException = _api_error("NotLeaderOrFollowerException", STALE)
BrokerNotAvailableException = _api_error("BrokerNotAvailableException")
ReplicaNotAvailableException = _api_error("ReplicaNotAvailableException", STALE)
RecordTooLargeException = _api_error("RecordTooLargeException")
OffsetMetadataTooLarge = _api_error("OffsetMetadataTooLarge")
NetworkException = _api_error("NetworkException", STALE)
CoordinatorLoadInProgressException = _api_error("CoordinatorLoadInProgressException", RETRIABLE)
CoordinatorNotAvailableException = _api_error("CoordinatorNotAvailableException", REFRESH)
NotCoordinatorException = _api_error("NotCoordinatorException", REFRESH)
InvalidTopicException = _api_error("InvalidTopicException")
RecordBatchTooLargeException = _api_error("RecordBatchTooLargeException")
NotEnoughReplicasException = _api_error("NotEnoughReplicasException", RETRIABLE)
NotEnoughReplicasAfterAppendException = _api_error(
    "NotEnoughReplicasAfterAppendException", RETRIABLE
)
InvalidRequiredAcksException = _api_error("InvalidRequiredAcksException")
IllegalGenerationException = _api_error("IllegalGenerationException")
InconsistentGroupProtocolException = _api_error("InconsistentGroupProtocolException")
InvalidGroupIdException = _api_error("InvalidGroupIdException")
UnknownMemberIdException = _api_error("UnknownMemberIdException")
InvalidSessionTimeoutException = _api_error("InvalidSessionTimeoutException")
RebalanceInProgressException = _api_error("RebalanceInProgressException")
InvalidCommitOffsetSizeException = _api_error("InvalidCommitOffsetSizeException")
AuthorizationException = _api_error("AuthorizationException")
TopicAuthorizationException = _api_error("TopicAuthorizationException", AuthorizationException)
GroupAuthorizationException = _api_error("GroupAuthorizationException", AuthorizationException)
ClusterAuthorizationException = _api_error("ClusterAuthorizationException", AuthorizationException)
InvalidTimestampException = _api_error("InvalidTimestampException")
UnsupportedVersionException = _api_error("UnsupportedVersionException")
TopicExistsException = _api_error("TopicExistsException")
InvalidPartitionsException = _api_error("InvalidPartitionsException")
InvalidReplicationFactorException = _api_error("InvalidReplicationFactorException")
InvalidReplicaAssignmentException = _api_error("InvalidReplicaAssignmentException")
InvalidConfigurationException = _api_error("InvalidConfigurationException")
NotControllerException = _api_error("NotControllerException", RETRIABLE)
InvalidRequestException = _api_error("InvalidRequestException")
UnsupportedForMessageFormatException = _api_error("UnsupportedForMessageFormatException")
PolicyViolationException = _api_error("PolicyViolationException")
OutOfOrderSequenceException = _api_error("OutOfOrderSequenceException")
DuplicateSequenceException = _api_error("DuplicateSequenceException")
InvalidProducerEpochException = _api_error("InvalidProducerEpochException")
InvalidTxnStateException = _api_error("InvalidTxnStateException")
InvalidPidMappingException = _api_error("InvalidPidMappingException")
InvalidTxnTimeoutException = _api_error("InvalidTxnTimeoutException")
ConcurrentTransactionsException = _api_error("ConcurrentTransactionsException", RETRIABLE)
TransactionCoordinatorFencedException = _api_error("TransactionCoordinatorFencedException")
TransactionalIdAuthorizationException = _api_error(
    "TransactionalIdAuthorizationException", AuthorizationException
)
OperationNotAttemptedException = _api_error("OperationNotAttemptedException")
TransactionAbortedException = _api_error("TransactionAbortedException")
TransactionAbortableException = _api_error("TransactionAbortableException")
InvalidRecordStateException = _api_error("InvalidRecordStateException")
ShareSessionNotFoundException = _api_error("ShareSessionNotFoundException", RETRIABLE)
InvalidShareSessionEpochException = _api_error("InvalidShareSessionEpochException", RETRIABLE)
TransactionalIdNotFoundException = _api_error("TransactionalIdNotFoundException")
KafkaStorageException = _api_error("KafkaStorageException", STALE)
UnknownProducerIdException = _api_error("UnknownProducerIdException", OutOfOrderSequenceException)
FetchSessionIdNotFoundException = _api_error("FetchSessionIdNotFoundException", RETRIABLE)
InvalidFetchSessionEpochException = _api_error("InvalidFetchSessionEpochException", RETRIABLE)
ListenerNotFoundException = _api_error("ListenerNotFoundException", STALE)
FencedLeaderEpochException = _api_error("FencedLeaderEpochException", STALE)
UnknownLeaderEpochException = _api_error("UnknownLeaderEpochException", RETRIABLE)
UnsupportedCompressionTypeException = _api_error("UnsupportedCompressionTypeException")
StaleBrokerEpochException = _api_error("StaleBrokerEpochException")
OffsetNotAvailableException = _api_error("OffsetNotAvailableException", RETRIABLE)
MemberIdRequiredException = _api_error("MemberIdRequiredException")
PreferredLeaderNotAvailableException = _api_error("PreferredLeaderNotAvailableException", STALE)
GroupMaxSizeReachedException = _api_error("GroupMaxSizeReachedException")
GroupNotEmptyException = _api_error("GroupNotEmptyException")
GroupIdNotFoundException = _api_error("GroupIdNotFoundException")
GroupSubscribedToTopicException = _api_error("GroupSubscribedToTopicException")
ElectionNotNeededException = _api_error("ElectionNotNeededException", STALE)
EligibleLeadersNotAvailableException = _api_error("EligibleLeadersNotAvailableException", STALE)
FencedInstanceIdException = _api_error("FencedInstanceIdException")
UnstableOffsetCommitException = _api_error("UnstableOffsetCommitException", RETRIABLE)
ThrottlingQuotaExceededException = _api_error("ThrottlingQuotaExceededException", RETRIABLE)
ProducerFencedException = _api_error("ProducerFencedException")
UnknownTopicIdException = _api_error("UnknownTopicIdException", STALE)
FetchSessionTopicIdException = _api_error("FetchSessionTopicIdException", RETRIABLE)
InconsistentTopicIdException = _api_error("InconsistentTopicIdException", STALE)
FencedMemberEpochException = _api_error("FencedMemberEpochException")
UnreleasedInstanceIdException = _api_error("UnreleasedInstanceIdException")
UnsupportedAssignorException = _api_error("UnsupportedAssignorException")
StaleMemberEpochException = _api_error("StaleMemberEpochException")
UnknownSubscriptionIdException = _api_error("UnknownSubscriptionIdException")
TelemetryTooLargeException = _api_error("TelemetryTooLargeException")


@dataclass(frozen=True, slots=True)
class KnownError:
    """An error code as one client version knows it: name, exception class and message."""

    name: str
    raises: type[ApiException] | None
    message: str | None


class Errors(enum.Enum):
    """Kafka's error codes (`Errors`): code, exception class and the message in Java's table."""

    # fmt: off
    UNKNOWN_SERVER_ERROR = (-1, UnknownServerException,
                            "The server experienced an unexpected error when processing the "
                            "request.")
    NONE = (0, None, None)
    OFFSET_OUT_OF_RANGE = (1, OffsetOutOfRangeException,
                           "The requested offset is not within the range of offsets maintained by "
                           "the server.")
    CORRUPT_MESSAGE = (2, CorruptRecordException,
                       "This message has failed its CRC checksum, exceeds the valid size, has a "
                       "null key for a compacted topic, or is otherwise corrupt.")
    UNKNOWN_TOPIC_OR_PARTITION = (3, UnknownTopicOrPartitionException,
                                  "This server does not host this topic-partition.")
    INVALID_FETCH_SIZE = (4, InvalidFetchSizeException, "The requested fetch size is invalid.")
    LEADER_NOT_AVAILABLE = (5, LeaderNotAvailableException,
                            "There is no leader for this topic-partition as we are in the middle "
                            "of a leadership election.")
    NOT_LEADER_OR_FOLLOWER = (6, NotLeaderOrFollowerException,
                              "For requests intended only for the leader, this error indicates "
                              "that the broker is not the current leader. For requests intended "
                              "for any replica, this error indicates that the broker is not a "
                              "replica of the topic partition.")
    REQUEST_TIMED_OUT = (7, TimeoutException, "The request timed out.")
    BROKER_NOT_AVAILABLE = (8, BrokerNotAvailableException, "The broker is not available.")
    REPLICA_NOT_AVAILABLE = (9, ReplicaNotAvailableException,
                             "The replica is not available for the requested topic-partition. "
                             "Produce/Fetch requests and other requests intended only for the "
                             "leader or follower return NOT_LEADER_OR_FOLLOWER if the broker is "
                             "not a replica of the topic-partition.")
    MESSAGE_TOO_LARGE = (10, RecordTooLargeException,
                         "The request included a message larger than the max message size the "
                         "server will accept.")
    OFFSET_METADATA_TOO_LARGE = (12, OffsetMetadataTooLarge,
                                 "The metadata field of the offset request was too large.")
    NETWORK_EXCEPTION = (13, NetworkException,
                         "The server disconnected before a response was received.")
    COORDINATOR_LOAD_IN_PROGRESS = (14, CoordinatorLoadInProgressException,
                                    "The coordinator is loading and hence can't process requests.")
    COORDINATOR_NOT_AVAILABLE = (15, CoordinatorNotAvailableException,
                                 "The coordinator is not available.")
    NOT_COORDINATOR = (16, NotCoordinatorException, "This is not the correct coordinator.")
    INVALID_TOPIC_EXCEPTION = (17, InvalidTopicException,
                               "The request attempted to perform an operation on an invalid topic.")
    RECORD_LIST_TOO_LARGE = (18, RecordBatchTooLargeException,
                             "The request included message batch larger than the configured "
                             "segment size on the server.")
    NOT_ENOUGH_REPLICAS = (19, NotEnoughReplicasException,
                           "Messages are rejected since there are fewer in-sync replicas than "
                           "required.")
    NOT_ENOUGH_REPLICAS_AFTER_APPEND = (20, NotEnoughReplicasAfterAppendException,
                                        "Messages are written to the log, but to fewer in-sync "
                                        "replicas than required.")
    INVALID_REQUIRED_ACKS = (21, InvalidRequiredAcksException,
                             "Produce request specified an invalid value for required acks.")
    ILLEGAL_GENERATION = (22, IllegalGenerationException,
                          "Specified group generation id is not valid.")
    INCONSISTENT_GROUP_PROTOCOL = (23, InconsistentGroupProtocolException,
                                   "The group member's supported protocols are incompatible with "
                                   "those of existing members or first group member tried to "
                                   "join with empty protocol type or empty protocol list.")
    INVALID_GROUP_ID = (24, InvalidGroupIdException, "The configured groupId is invalid.")
    UNKNOWN_MEMBER_ID = (25, UnknownMemberIdException,
                         "The coordinator is not aware of this member.")
    INVALID_SESSION_TIMEOUT = (26, InvalidSessionTimeoutException,
                               "The session timeout is not within the range allowed by the broker "
                               "(as configured by group.min.session.timeout.ms and "
                               "group.max.session.timeout.ms).")
    REBALANCE_IN_PROGRESS = (27, RebalanceInProgressException,
                             "The group is rebalancing, so a rejoin is needed.")
    INVALID_COMMIT_OFFSET_SIZE = (28, InvalidCommitOffsetSizeException,
                                  "The committing offset data size is not valid.")
    TOPIC_AUTHORIZATION_FAILED = (29, TopicAuthorizationException, "Topic authorization failed.")
    GROUP_AUTHORIZATION_FAILED = (30, GroupAuthorizationException, "Group authorization failed.")
    CLUSTER_AUTHORIZATION_FAILED = (31, ClusterAuthorizationException,
                                    "Cluster authorization failed.")
    INVALID_TIMESTAMP = (32, InvalidTimestampException,
                         "The timestamp of the message is out of acceptable range.")
    UNSUPPORTED_VERSION = (35, UnsupportedVersionException, "The version of API is not supported.")
    TOPIC_ALREADY_EXISTS = (36, TopicExistsException, "Topic with this name already exists.")
    INVALID_PARTITIONS = (37, InvalidPartitionsException, "Number of partitions is below 1.")
    INVALID_REPLICATION_FACTOR = (38, InvalidReplicationFactorException,
                                  "Replication factor is below 1 or larger than the number of "
                                  "available brokers.")
    INVALID_REPLICA_ASSIGNMENT = (39, InvalidReplicaAssignmentException,
                                  "Replica assignment is invalid.")
    INVALID_CONFIG = (40, InvalidConfigurationException, "Configuration is invalid.")
    NOT_CONTROLLER = (41, NotControllerException,
                      "This is not the correct controller for this cluster.")
    INVALID_REQUEST = (42, InvalidRequestException,
                       "This most likely occurs because of a request being malformed by the "
                       "client library or the message was sent to an incompatible broker. See "
                       "the broker logs for more details.")
    UNSUPPORTED_FOR_MESSAGE_FORMAT = (43, UnsupportedForMessageFormatException,
                                      "The message format version on the broker does not support "
                                      "the request.")
    POLICY_VIOLATION = (44, PolicyViolationException,
                        "Request parameters do not satisfy the configured policy.")
    OUT_OF_ORDER_SEQUENCE_NUMBER = (45, OutOfOrderSequenceException,
                                    "The broker received an out of order sequence number.")
    DUPLICATE_SEQUENCE_NUMBER = (46, DuplicateSequenceException,
                                 "The broker received a duplicate sequence number.")
    INVALID_PRODUCER_EPOCH = (47, InvalidProducerEpochException,
                              "Producer attempted to produce with an old epoch.")
    INVALID_TXN_STATE = (48, InvalidTxnStateException,
                         "The producer attempted a transactional operation in an invalid state.")
    INVALID_PRODUCER_ID_MAPPING = (49, InvalidPidMappingException,
                                   "The producer attempted to use a producer id which is not "
                                   "currently assigned to its transactional id.")
    INVALID_TRANSACTION_TIMEOUT = (50, InvalidTxnTimeoutException,
                                   "The transaction timeout is larger than the maximum value "
                                   "allowed by the broker (as configured by "
                                   "transaction.max.timeout.ms).")
    CONCURRENT_TRANSACTIONS = (51, ConcurrentTransactionsException,
                               "The producer attempted to update a transaction while another "
                               "concurrent operation on the same transaction was ongoing.")
    TRANSACTION_COORDINATOR_FENCED = (52, TransactionCoordinatorFencedException,
                                      "Indicates that the transaction coordinator sending a "
                                      "WriteTxnMarker is no longer the current coordinator for a "
                                      "given producer.")
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED = (53, TransactionalIdAuthorizationException,
                                             "Transactional Id authorization failed.")
    OPERATION_NOT_ATTEMPTED = (55, OperationNotAttemptedException,
                               "The broker did not attempt to execute this operation. This may "
                               "happen for batched RPCs where some operations in the batch "
                               "failed, causing the broker to respond without trying the rest.")
    KAFKA_STORAGE_ERROR = (56, KafkaStorageException,
                           "Disk error when trying to access log file on the disk.")
    UNKNOWN_PRODUCER_ID = (59, UnknownProducerIdException,
                           "This exception is raised by the broker if it could not locate the "
                           "producer metadata associated with the producerId in question. This "
                           "could happen if, for instance, the producer's records were deleted "
                           "because their retention time had elapsed. Once the last records of "
                           "the producerId are removed, the producer's metadata is removed from "
                           "the broker, and future appends by the producer will return this "
                           "exception.")
    NON_EMPTY_GROUP = (68, GroupNotEmptyException, "The group is not empty.")
    GROUP_ID_NOT_FOUND = (69, GroupIdNotFoundException, "The group id does not exist.")
    FETCH_SESSION_ID_NOT_FOUND = (70, FetchSessionIdNotFoundException,
                                  "The fetch session ID was not found.")
    INVALID_FETCH_SESSION_EPOCH = (71, InvalidFetchSessionEpochException,
                                   "The fetch session epoch is invalid.")
    LISTENER_NOT_FOUND = (72, ListenerNotFoundException,
                          "There is no listener on the leader broker that matches the listener on "
                          "which metadata request was processed.")
    FENCED_LEADER_EPOCH = (74, FencedLeaderEpochException,
                           "The leader epoch in the request is older than the epoch on the broker.")
    UNKNOWN_LEADER_EPOCH = (75, UnknownLeaderEpochException,
                            "The leader epoch in the request is newer than the epoch on the "
                            "broker.")
    UNSUPPORTED_COMPRESSION_TYPE = (76, UnsupportedCompressionTypeException,
                                    "The requesting client does not support the compression type "
                                    "of given partition.")
    STALE_BROKER_EPOCH = (77, StaleBrokerEpochException, "Broker epoch has changed.")
    OFFSET_NOT_AVAILABLE = (78, OffsetNotAvailableException,
                            "The leader high watermark has not caught up from a recent leader "
                            "election so the offsets cannot be guaranteed to be monotonically "
                            "increasing.")
    MEMBER_ID_REQUIRED = (79, MemberIdRequiredException,
                          "The group member needs to have a valid member id before actually "
                          "entering a consumer group.")
    PREFERRED_LEADER_NOT_AVAILABLE = (80, PreferredLeaderNotAvailableException,
                                      "The preferred leader was not available.")
    GROUP_MAX_SIZE_REACHED = (81, GroupMaxSizeReachedException,
                              "The group has reached its maximum size.")
    FENCED_INSTANCE_ID = (82, FencedInstanceIdException,
                          "The broker rejected this static consumer since another consumer with "
                          "the same group.instance.id has registered with a different member.id.")
    ELIGIBLE_LEADERS_NOT_AVAILABLE = (83, EligibleLeadersNotAvailableException,
                                      "Eligible topic partition leaders are not available.")
    ELECTION_NOT_NEEDED = (84, ElectionNotNeededException,
                           "Leader election not needed for topic partition.")
    GROUP_SUBSCRIBED_TO_TOPIC = (86, GroupSubscribedToTopicException,
                                 "Deleting offsets of a topic is forbidden while the consumer "
                                 "group is actively subscribed to it.")
    INVALID_RECORD = (87, InvalidRecordException,
                      "This record has failed the validation on broker and hence will be rejected.")
    UNSTABLE_OFFSET_COMMIT = (88, UnstableOffsetCommitException,
                              "There are unstable offsets that need to be cleared.")
    THROTTLING_QUOTA_EXCEEDED = (89, ThrottlingQuotaExceededException,
                                 "The throttling quota has been exceeded.")
    PRODUCER_FENCED = (90, ProducerFencedException,
                       "There is a newer producer with the same transactionalId which fences the "
                       "current one.")
    UNKNOWN_TOPIC_ID = (100, UnknownTopicIdException, "This server does not host this topic ID.")
    INCONSISTENT_TOPIC_ID = (103, InconsistentTopicIdException,
                             "The log's topic ID did not match the topic ID in the request")
    TRANSACTIONAL_ID_NOT_FOUND = (105, TransactionalIdNotFoundException,
                                  "The transactionalId could not be found")
    FETCH_SESSION_TOPIC_ID_ERROR = (106, FetchSessionTopicIdException,
                                    "The fetch session encountered inconsistent topic ID usage")
    FENCED_MEMBER_EPOCH = (110, FencedMemberEpochException,
                           "The member epoch is fenced by the group coordinator. The member must "
                           "abandon all its partitions and rejoin.")
    UNRELEASED_INSTANCE_ID = (111, UnreleasedInstanceIdException,
                              "The instance ID is still used by another member in the consumer "
                              "group. That member must leave first.")
    UNSUPPORTED_ASSIGNOR = (112, UnsupportedAssignorException,
                            "The assignor or its version range is not supported by the consumer "
                            "group.")
    STALE_MEMBER_EPOCH = (113, StaleMemberEpochException,
                          "The member epoch is stale. The member must retry after receiving its "
                          "updated member epoch via the ConsumerGroupHeartbeat API.")
    UNKNOWN_SUBSCRIPTION_ID = (117, UnknownSubscriptionIdException,
                               "Client sent a push telemetry request with an invalid or outdated "
                               "subscription ID.")
    TELEMETRY_TOO_LARGE = (118, TelemetryTooLargeException,
                           "Client sent a push telemetry request larger than the maximum size the "
                           "broker will accept.")
    TRANSACTION_ABORTABLE = (120, TransactionAbortableException,
                             "The server encountered an error with the transaction. The client "
                             "can abort the transaction to continue using this transactional ID.")
    INVALID_RECORD_STATE = (121, InvalidRecordStateException,
                            "The record state is invalid. The acknowledgement of delivery could "
                            "not be completed.")
    SHARE_SESSION_NOT_FOUND = (122, ShareSessionNotFoundException,
                               "The share session was not found.")
    INVALID_SHARE_SESSION_EPOCH = (123, InvalidShareSessionEpochException,
                                   "The share session epoch is invalid.")
    # fmt: on

    def __init__(self, code: int, raises: type[ApiException] | None, message: str | None) -> None:
        self.code = code
        self.raises = raises
        self.message = message

    @property
    def retriable(self) -> bool:
        """Whether the same request may succeed later.

        The exception class decides it, as in Java.
        """
        return self.raises is not None and issubclass(self.raises, RetriableException)

    def exception(self, message: str | None = None) -> ApiException:
        """The exception of this code, with `message` or else the table's.

        Raises ValueError for NONE.
        """
        if self.raises is None:
            raise ValueError("NONE is no error, so it has no exception")
        return self.raises(self.message if message is None else message)


_BY_CODE = {error.code: error for error in Errors}


def error_for(code: int) -> Errors:
    """The error with this number.

    An unknown number gives UNKNOWN_SERVER_ERROR, as Errors.forCode does.
    """
    return _BY_CODE.get(code, Errors.UNKNOWN_SERVER_ERROR)


COORDINATOR_LOST = (Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR)
"""The errors after which a client looks its coordinator up again."""

COMMIT_FAILED_REBALANCED = (
    "Commit cannot be completed since the group has already rebalanced and assigned the partitions "
    "to another member. This means that the time between subsequent calls to poll() was longer "
    "than the configured max.poll.interval.ms, which typically implies that the poll loop is "
    "spending too much time message processing. You can address this either by increasing "
    "max.poll.interval.ms or by reducing the maximum size of batches returned in poll() with "
    "max.poll.records."
)
RETRIABLE_COMMIT = (
    "Offset commit failed with a retriable exception. You should retry committing the latest "
    "consumed offsets."
)
COMMIT_WHILE_JOINING = (
    "Offset commit cannot be completed since the consumer is undergoing a rebalance for auto "
    "partition assignment. You can try completing the rebalance by calling poll() and then retry "
    "the operation."
)
COMMIT_DURING_REBALANCE = (
    "Offset commit cannot be completed since the consumer group is executing a rebalance at the "
    "moment. You can try completing the rebalance by calling poll() and then retry commit again"
)
COMMIT_OF_OLD_GENERATION = (
    "Offset commit cannot be completed since the consumer member's generation is already stale, "
    "meaning it has already participated another rebalance and got a new generation. You can try "
    "completing the rebalance by calling poll() and then retry commit again"
)
COMMIT_OF_FENCED = (
    "Offset commit cannot be completed since the consumer member's old generation is fenced by its "
    "group instance id, it is possible that this consumer has already participated another "
    "rebalance and got a new generation"
)
