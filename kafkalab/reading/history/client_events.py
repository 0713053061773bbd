"""Applies journal events to the state of clients: sockets, requests in flight, subscriptions,
positions.

    clients["shop"] = {
        "kind": "consumer", "still_open": 1, "closed": False, "config": {"group.id": "test"},
        "sockets": {17: {...}}, "in_flight": [...],
        "subscription": ["t4"], "assignment": ["t4-0"], "positions": {"t4-0": 3}, "paused": [],
        # with group.protocol=consumer also its "epoch"
        "member": {"group": "test", "state": "STABLE", "generation": 1}}

Two clients with one name, such as the consumer and the producer of a program that copies records,
are shown as one of both kinds ("consumer, producer"). A position of None waits for a reset. A
socket's number is the id of its opening event, as in `Lab.sockets`.
"""

from __future__ import annotations

from typing import Any

from kafkalab.sim.journal import Event

KINDS = {
    "new KafkaConsumer": "consumer",
    "new KafkaProducer": "producer",
    "new KafkaAdminClient": "admin",
}
OF_CONSUMERS: dict[str, Any] = {
    "subscription": [],
    "assignment": [],
    "positions": {},
    "paused": [],
    "member": None,
}


def _client(state: dict[str, Any], event: Event) -> dict[str, Any] | None:
    client: dict[str, Any] | None = state["clients"].get(event.who)
    return client


def _call(state: dict[str, Any], event: Event) -> None:
    client, name, args = _client(state, event), event.fields["name"], event.args
    if name in KINDS:
        _begin(state, event, KINDS[name])
    elif client is None or "subscription" not in client:
        return
    elif name == "subscribe":
        client["subscription"] = list(args.get("topics") or [args.get("pattern")])
    elif name in ("unsubscribe", "assign"):
        client["subscription"] = []
    elif name == "pause":
        client["paused"] += [
            tp
            for tp in args["partitions"]
            if tp in client["assignment"] and tp not in client["paused"]
        ]
    elif name == "resume":
        client["paused"] = [tp for tp in client["paused"] if tp not in args["partitions"]]


def _begin(state: dict[str, Any], event: Event, kind: str) -> None:
    """Add a client, or a second client of the same name (a program's consumer and its producer)."""
    before = state["clients"].get(event.who)
    client = {
        "kind": kind,
        "still_open": 1,
        "closed": False,
        "config": dict(event.args),
        "sockets": {},
        "in_flight": [],
    }
    if before is not None and not before["closed"]:
        client |= before | {
            "kind": f"{before['kind']}, {kind}",
            "still_open": before["still_open"] + 1,
            "config": before["config"] | dict(event.args),
        }
    if kind == "consumer":
        client |= {
            key: type(empty)() if empty is not None else None for key, empty in OF_CONSUMERS.items()
        }
    state["clients"][event.who] = client


def _assigned(state: dict[str, Any], event: Event) -> None:
    client = _client(state, event)
    if client is not None:
        client["assignment"] = sorted(event.partitions)
        client["positions"] = {tp: client["positions"].get(tp) for tp in client["assignment"]}
        client["paused"] = [tp for tp in client["paused"] if tp in client["assignment"]]


def _position(state: dict[str, Any], event: Event) -> None:
    client = _client(state, event)
    if client is not None:
        client["positions"][event.partition] = event.offset


def _epoch(state: dict[str, Any], event: Event) -> None:
    """Set the member epoch (KIP-848); None while the consumer is no member."""
    client = _client(state, event)
    if client is not None:
        client["member"] = {
            **(client["member"] or {"group": event.group, "state": None, "generation": None}),
            "epoch": event.epoch,
        }


def _membership(state: dict[str, Any], event: Event) -> None:
    machine, client = event.fields.get("machine", ""), _client(state, event)
    if client is None or not machine.startswith("member of "):
        return
    before = client["member"] or {"generation": None}
    client["member"] = {**before, "group": machine.removeprefix("member of "), "state": event.after}


def _joined(state: dict[str, Any], event: Event) -> None:
    client = _client(state, event)
    if client is not None and client.get("member"):
        client["member"]["generation"] = event.generation


def _opening(state: dict[str, Any], event: Event) -> None:
    client = _client(state, event)
    if client is not None:
        role = "bootstrap" if event.bootstrap else "coordinator" if event.coordinator else "data"
        client["sockets"][event.id] = {
            "node_id": event.node_id,
            "broker": event.broker,
            "address": f"{event.host}:{event.port}",
            "role": role,
            "connected": False,
            "opened_at_ms": event.at_ms,
        }


def _connected(state: dict[str, Any], event: Event) -> None:
    client = _client(state, event)
    if client is not None and event.socket in client["sockets"]:
        client["sockets"][event.socket]["connected"] = True


def _socket_closed(state: dict[str, Any], event: Event) -> None:
    client = _client(state, event)
    if client is not None:
        client["sockets"].pop(event.socket, None)
        client["in_flight"] = [
            request for request in client["in_flight"] if request["socket"] != event.socket
        ]


def _sent(state: dict[str, Any], event: Event) -> None:
    client = _client(state, event)
    if client is not None and event.fields.get("expects_response", True):
        client["in_flight"].append(
            {
                "api": event.api,
                "correlation_id": event.correlation_id,
                "node_id": event.node_id,
                "socket": event.socket,
                "sent_at_ms": event.at_ms,
            }
        )


def _answered(state: dict[str, Any], event: Event) -> None:
    client = _client(state, event)
    if client is not None:
        client["in_flight"] = [
            request
            for request in client["in_flight"]
            if (request["socket"], request["correlation_id"])
            != (event.socket, event.correlation_id)
        ]


def _closed(state: dict[str, Any], event: Event) -> None:
    client = _client(state, event)
    if client is not None:
        client["still_open"] -= 1
        client["closed"] = client["still_open"] <= 0


CLIENT_EVENTS = {
    "call": _call,
    "assigned": _assigned,
    "assignment": _joined,
    "position": _position,
    "member.epoch": _epoch,
    "state": _membership,
    "socket.opening": _opening,
    "socket.connected": _connected,
    "socket.closed": _socket_closed,
    "request.sent": _sent,
    "response.received": _answered,
    "closed": _closed,
}
