"""Gives every state machine of the lab as a table of states and transitions, to print, count and
draw.

    from kafkalab.reading.states import states
    states("group")                       # prints the table
    states("group").may_move("Stable", "Empty")
    kafkalab.views.state_diagram(states("group"))

The machines themselves use these tables. So a diagram drawn from them always agrees with a run.
"""

from __future__ import annotations

import ast
import enum
import importlib
import inspect
import itertools
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field

MACHINES: Mapping[str, tuple[str, str]] = {
    "admin call": (
        "kafkalab.clients.admin.calls",
        "clients.admin.KafkaAdminClient.Call",
    ),
    "batch": (
        "kafkalab.clients.producer.producer_batch",
        "clients.producer.internals.ProducerBatch.FinalState",
    ),
    "broker registration": (
        "kafkalab.broker.cluster.broker_control_state",
        "controller.BrokerControlState",
    ),
    "connection": (
        "kafkalab.clients.network.connection_states",
        "clients.ClusterConnectionStates",
    ),
    "consumer group": (
        "kafkalab.broker.groups.modern.consumer_group_state",
        "coordinator.group.modern.consumer.ConsumerGroup.ConsumerGroupState",
    ),
    "fetch position": (
        "kafkalab.clients.consumer.reading.subscription_state",
        "SubscriptionState.FetchStates",
    ),
    "follower": ("kafkalab.broker.replication.follower_state", "server.ReplicaState"),
    "group": (
        "kafkalab.broker.groups.classic.group_state",
        "coordinator.group.classic.ClassicGroupState",
    ),
    "consumer group member": (
        "kafkalab.clients.consumer.modern.membership_manager",
        "consumer.internals.MemberState",
    ),
    "member": (
        "kafkalab.clients.consumer.classic.membership",
        "AbstractCoordinator.MemberState",
    ),
    "share record": (
        "kafkalab.broker.groups.share.record_state",
        "server.share.fetch.RecordState",
    ),
    "transaction": (
        "kafkalab.broker.transactions.transaction_state",
        "coordinator.transaction.TransactionState",
    ),
    "transaction manager": (
        "kafkalab.clients.producer.transactions.transaction_manager_state",
        "producer.internals.TransactionManager.State",
    ),
    "telemetry": (
        "kafkalab.clients.network.telemetry",
        "clients.ClientTelemetryState",
    ),
}
"""Name -> (module of the table MOVES, the Kafka class that has these states)."""


@dataclass(frozen=True)
class StateTable:
    """The states and transitions of one Kafka class, such as ClassicGroupState.

    moves  state -> the states it may move to; both by the name Kafka prints, in the order of the
           source; the state before an object exists is "(none)"
    says   state -> the documentation of the state in its machine; "" where there is none
    """

    name: str
    kafka_class: str
    moves: Mapping[str, tuple[str, ...]]
    says: Mapping[str, str] = field(repr=False)

    def may_move(self, before: str, after: str) -> bool:
        """Whether this transition is legal.

        Raises KeyError with the known states for an unknown one.
        """
        for state in (before, after):
            if state not in self.moves:
                raise KeyError(
                    f"{self.name} has no state {state!r}; it has {', '.join(self.moves)}"
                )
        return after in self.moves[before]

    def __repr__(self) -> str:
        width = max(map(len, self.moves))
        rows = [
            f"{state:{width}}  -> {', '.join(after) or 'nothing: it is the end'}"
            for state, after in self.moves.items()
        ]
        return "\n".join([f"{self.name} ({self.kafka_class})", *rows])


def states(name: str) -> StateTable:
    """The table of one machine. Raises ValueError with the known names for any other."""
    if name not in MACHINES:
        raise ValueError(
            f"there is no state machine {name!r}; there are {', '.join(sorted(MACHINES))}"
        )
    module_name, kafka_class = MACHINES[name]
    table = importlib.import_module(module_name).MOVES
    kind = next(type(state) for state in table if isinstance(state, enum.Enum))
    order = {state: rank for rank, state in enumerate([None, *kind])}
    moves = {
        _name(before): tuple(_name(after) for after in sorted(afters, key=order.__getitem__))
        for before, afters in sorted(table.items(), key=lambda row: order[row[0]])
    }
    return StateTable(
        name, kafka_class, moves, {_name(state): text for state, text in _documents(kind).items()}
    )


def _name(state: enum.Enum | None) -> str:
    return "(none)" if state is None else str(state.value)


def _documents(kind: type[enum.Enum]) -> dict[enum.Enum, str]:
    """The string under each enum member in the source. Python keeps no docstring of members."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(definition, ast.ClassDef), "the source of an enum is a class"
    texts = dict.fromkeys(kind, "")
    for statement, below in itertools.pairwise(definition.body):
        if (
            isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
            and isinstance(below.value.value, str)
        ):
            texts[kind[statement.targets[0].id]] = inspect.cleandoc(below.value.value)
    return texts
