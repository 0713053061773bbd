"""Gives the text in the brackets of a broker's line "Preparing to rebalance"."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kafkalab.releases import lineage

OLD, NEW = lineage.BROKER_NAMES
NOT_PROVIDED = "not provided"
"""What broker 4.4 prints for a client that gave no reason (JoinGroupRequest.joinReason)."""

REASONS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "new member": {
            OLD: "Adding new member {member_id} with group instanceid {option}",
            NEW: "Adding new member {member_id} with group instance id {instance}; "
            "client reason: {client_reason}",
        },
        "member left": {
            OLD: "removing member {member_id} on LeaveGroup",
            NEW: "explicit `LeaveGroup` request for ({members}) members.",
        },
        "member failed": {
            OLD: "removing member {member_id} on heartbeat expiration",
            NEW: "removing member {member_id} on heartbeat expiration.",
        },
        "leader joined again": {
            OLD: "Updating metadata for member {member_id}",
            NEW: "Leader {member_id} re-joining group during {state}; "
            "client reason: {client_reason}",
        },
        "member changed": {
            OLD: "Updating metadata for member {member_id}",
            NEW: "Updating metadata for member {member_id} during {state}; "
            "client reason: {client_reason}",
        },
        "static member changed": {
            OLD: "Updating metadata for member {member_id}",
            NEW: "Group's selectedProtocol will change because static member {member_id} with "
            "instance id {instance} joined with change of protocol; client reason: {client_reason}",
        },
        "downgraded": {NEW: "Downgrade group {group} from consumer to classic for member leaving."},
        "no sync": {NEW: "Removing [{member_id}] on pending sync request expiration"},
    }
)
"""Why a rebalance begins -> the words of each release."""


def reason_text(release: str, why: str, **values: str | None) -> str:
    """The words of a broker release for a reason of REASONS.

    instance: the group.instance.id or None; client_reason: what the client said, or None. Raises
    KeyError for a reason that the release does not have.
    """
    instance = values.get("instance")
    return REASONS[why][release].format_map(
        {
            **values,
            "instance": "null" if instance is None else instance,
            "option": "None" if instance is None else f"Some({instance})",
            "client_reason": values.get("client_reason") or NOT_PROVIDED,
        }
    )
