"""Gives the text in the brackets of a broker's line "Preparing to rebalance"."""

from __future__ import annotations

from kafkalab.releases.broker_profiles import broker_profile

NOT_PROVIDED = "not provided"
"""What broker 4.4 prints for a client that gave no reason (JoinGroupRequest.joinReason)."""


def reason_text(release: str, why: str, **values: str | None) -> str:
    """The words of a broker release for a reason of its `rebalance_reasons`.

    instance: the group.instance.id or None; client_reason: what the client said, or None. Raises
    KeyError for a reason that the release does not have.
    """
    instance = values.get("instance")
    return (
        broker_profile(release)
        .rebalance_reasons[why]
        .format_map(
            {
                **values,
                "instance": "null" if instance is None else instance,
                "option": "None" if instance is None else f"Some({instance})",
                "client_reason": values.get("client_reason") or NOT_PROVIDED,
            }
        )
    )
