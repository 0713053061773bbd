"""Collects all requests and responses of the protocol in one module to import from.

They are in files by subject: versions, metadata and coordinators (`connection_messages`), group
members (`group_messages`, `consumer_group_messages`, `share_messages`), records
(`record_messages`), transactions (`transaction_messages`), administration (`admin_messages`).
"""

from kafkalab.protocol.admin_messages import *  # noqa: F403
from kafkalab.protocol.connection_messages import *  # noqa: F403
from kafkalab.protocol.consumer_group_messages import *  # noqa: F403
from kafkalab.protocol.group_messages import *  # noqa: F403
from kafkalab.protocol.record_messages import *  # noqa: F403
from kafkalab.protocol.records_wire import ControlRecordType as ControlRecordType
from kafkalab.protocol.records_wire import RecordBatch as RecordBatch
from kafkalab.protocol.records_wire import WireRecord as WireRecord
from kafkalab.protocol.records_wire import as_bytes as as_bytes
from kafkalab.protocol.records_wire import as_field as as_field
from kafkalab.protocol.records_wire import batch_size_bytes as batch_size_bytes
from kafkalab.protocol.records_wire import batch_size_upper_bound as batch_size_upper_bound
from kafkalab.protocol.records_wire import marker_batch as marker_batch
from kafkalab.protocol.share_messages import *  # noqa: F403
from kafkalab.protocol.transaction_messages import *  # noqa: F403
