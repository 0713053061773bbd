# %% question
from autograder.cell.data import NotAsAsked, with_article

CLUSTERS = ("A", "B", "C")


def node(
    id: int,
    state: str,
    in_flight: int = 0,
    can_send: bool | None = None,
    can_connect: bool | None = None,
) -> dict:
    """A node as least_loaded sees it, as plain data.

    A ready node can take a request, and a disconnected one may be connected, unless said otherwise.
    """
    return {
        "id": id,
        "state": state,
        "in_flight": in_flight,
        "can_send": state == "ready" if can_send is None else can_send,
        "can_connect": state == "disconnected" if can_connect is None else can_connect,
        "last_attempt_ms": 0,
    }


def must_be_one(function: str, things: str, chosen) -> None:
    """NotAsAsked where a rule returns something else than one of the things it chooses from."""
    if chosen is None or hasattr(chosen, "id"):
        return
    raise NotAsAsked(
        f"`{function}` returns one of the {things}, or None; yours returned "
        f"{with_article(type(chosen).__name__)}. Return the thing itself: no list of it, and not "
        "its `id`"
    )


def asked_for_one(function: str, things: str, rule):
    """The rule of a play, which stops where a learner's function returns something else."""

    def asked(*what):
        chosen = rule(*what)
        if not rule.is_played_again:
            try:
                must_be_one(function, things, chosen)
            except NotAsAsked as error:
                rule.note(error)
                raise
        return chosen

    return asked


# %% judge
from functools import cache

from kafkalab import KafkaProducer, Lab, ProducerRecord


@cache
def _sent_for(
    brokers: int,
    leaders: tuple[int, ...],
    limit_ms: int,
    sending_ms: int,
    looks_ms: tuple[int, ...],
) -> tuple[tuple[int, int], ...]:
    """(opened, open) at each moment, for a 2.3 producer that sends to all
    partitions every 20 s during `sending_ms`."""
    lab = Lab(brokers=brokers, seed=3, version="2.3", broker_version="2.3")
    lab.create_topic("orders", partitions=len(leaders), leaders=list(leaders))
    producer = KafkaProducer(lab, {"connections.max.idle.ms": limit_ms}, name="shop")
    found = []
    for moment in looks_ms:
        while lab.now_ms < moment:
            if lab.now_ms < sending_ms:
                for partition in range(len(leaders)):
                    producer.send(
                        ProducerRecord("orders", key="alice", value="tea", partition=partition)
                    )
                lab.run_for(ms=20_000)
            else:
                lab.run_for(ms=moment - lab.now_ms)
        found.append((len(lab.sockets()), sum(s.closed_at_ms is None for s in lab.sockets())))
    return tuple(found)
