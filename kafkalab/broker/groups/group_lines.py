"""GroupLines: a group coordinator's part of the broker's server.log.

It adds to each line what every line of a group has: the group's id and the number of its partition
of `__consumer_offsets`. Kafka does this with the LogContext of a coordinator shard.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafkalab.broker.server_log import ServerLog
from kafkalab.hashing import coordinator_partition
from kafkalab.lines.rebalance_reasons import reason_text


class GroupLines:
    """Writes lines about the groups of one broker.

    partitions  how many partitions `__consumer_offsets` has
    """

    def __init__(self, log: ServerLog, partitions: int) -> None:
        self.log, self._partitions = log, partitions

    def __call__(self, name: str, /, group: str, **values: Any) -> None:
        """Write the line `name` about a group."""
        self.log(name, group=group, index=coordinator_partition(group, self._partitions), **values)

    def prepares(
        self,
        group: str,
        state: str,
        generation: int,
        why: str,
        values: Mapping[str, str | None],
        before: str,
    ) -> None:
        """Write that a rebalance begins. why: a key of the release's `rebalance_reasons`, with the
        values that its words name; before: the group's state until now."""
        reason = reason_text(self.log.release, why, **values, state=before)
        self(
            "GROUP_PREPARING_REBALANCE",
            group,
            state_to=state,
            generation=generation,
            reason=reason,
        )
