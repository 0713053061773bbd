"""Plays scenes that look like an incident but are none, to test for false alarms.

They are played as those of scenes.py are, and have no answer key. They are just below the limits: a
member that works long but not too long, a group that is restarted without trouble, a broker that is
slow for all clients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafkalab import KafkaConsumer, Lab, TopicPartition
from kafkalab.logsets.generate.scenes import (
    KEEPS_LITTLE,
    LEAVES_ISR_SOON,
    MINUTE,
    QUIET,
    SECOND,
    SOON_DEAD,
    Played,
    Scene,
    polls_until,
    scene_of,
)

LOOKALIKES: dict[str, Played] = {}
"""Name -> what plays it, as in SCENES."""


@scene_of(LOOKALIKES)
def rolling_restart(scene: Scene) -> None:
    """Four members are closed and started again, one after the other: no storm and no bad
    deploy.
    """
    end_ms = 4 * MINUTE
    for number in range(4):
        scene.reads(number, 40 * SECOND * (number + 1))
    for number in range(4):
        scene.until(40 * SECOND * (number + 1) + 4 * SECOND)
        scene.reads(number, end_ms)
    scene.until(end_ms + 5 * SECOND)


@scene_of(LOOKALIKES, partitions=10)
def scale_out(scene: Scene) -> None:
    """A group grows from one to five members and shrinks again: some rebalances, all intended."""
    for number in range(5):
        scene.reads(number, 2 * MINUTE + 20 * SECOND * (5 - number))
        scene.until(15 * SECOND * (number + 1))
    scene.until(4 * MINUTE + 5 * SECOND)


@scene_of(LOOKALIKES)
def long_work(scene: Scene) -> None:
    """A member works long on each batch, and never longer than max.poll.interval.ms."""
    end_ms = 2 * MINUTE
    scene.sends(2, end_ms - 20 * SECOND, 2_000, partition=lambda n: n % 4)
    own: dict[str, Any] = {"max_poll_interval_ms": 15_000, "enable_auto_commit": False}
    scene.reads(0, end_ms, commit=True, **own)
    scene.reads(
        1, end_ms, work_ms=lambda: 9_000 + scene.chance.randrange(4_000), commit=True, **own
    )
    scene.until(end_ms + 30 * SECOND)


@scene_of(LOOKALIKES)
def killed_worker(scene: Scene) -> None:
    """A member that commits by hand is killed during its work, and its session expires.

    Neither max.poll.interval.ms nor automatic commits are involved.
    """
    end_ms = 2 * MINUTE
    scene.sends(2, end_ms - 20 * SECOND, 500, partition=lambda n: n % 4)
    own: dict[str, Any] = {**SOON_DEAD, "enable_auto_commit": False}
    for number in range(2):
        scene.reads(number, end_ms, work_ms=lambda: 1_500, commit=True, **own)
    scene.until(50 * SECOND + scene.chance.randrange(10 * SECOND))
    scene.lab.kill(scene.lives[0][0])
    scene.until(end_ms + 5 * SECOND)


@scene_of(LOOKALIKES)
def long_lives(scene: Scene) -> None:
    """Bootstrap sockets are closed after the default nine minutes, or after eight.

    The client of another one is killed before.
    """
    end_ms = 12 * MINUTE
    scene.reads(0, end_ms, **QUIET)
    scene.reads(1, end_ms, connections_max_idle_ms=480_000, **QUIET)
    scene.reads(2, end_ms, connections_max_idle_ms=-1, **QUIET)
    scene.until(8 * MINUTE + scene.chance.randrange(50 * SECOND))
    scene.lab.kill(scene.lives[2][0])
    scene.until(end_ms + 20 * SECOND)


@scene_of(LOOKALIKES, partitions=6)
def uneven_keys(scene: Scene) -> None:
    """One partition gets half of the records, and another producer sends its few records to one."""
    end_ms = 2 * MINUTE
    chance = scene.chance
    often = lambda n: "many" if chance.random() < 0.4 else f"customer {chance.randrange(1000)}"
    scene.sends(0, end_ms, 400, key=often)
    scene.sends(1, end_ms, 8_000, key=lambda n: "the only one")
    scene.sends(2, end_ms, 600, partition=lambda n: n % 6)
    scene.until(end_ms + 5 * SECOND)


@scene_of(LOOKALIKES, partitions=None)
def slow_for_all(scene: Scene) -> None:
    """All brokers answer late for a minute, and later one broker for a few seconds."""
    end_ms = 3 * MINUTE
    for number in range(3):
        scene.sends(number, end_ms, 700, partition=lambda n: n % scene.brokers)
    late_ms = 800 + scene.chance.randrange(400)
    scene.until(40 * SECOND)
    for broker in range(scene.brokers):
        scene.lab.broker(broker).delay("PRODUCE", late_ms)
    scene.until(100 * SECOND)
    for broker in range(scene.brokers):
        scene.lab.broker(broker).delay("PRODUCE", 0)
    scene.until(2 * MINUTE + 10 * SECOND)
    scene.lab.broker(scene.seed % scene.brokers).delay("PRODUCE", late_ms)
    scene.until(2 * MINUTE + 16 * SECOND)
    scene.lab.broker(scene.seed % scene.brokers).delay("PRODUCE", 0)
    scene.until(end_ms + 5 * SECOND)


@scene_of(LOOKALIKES, partitions=None)
def other_broker_lost(scene: Scene) -> None:
    """A broker with partitions of the group dies and comes back. It is not the coordinator."""
    end_ms = 2 * MINUTE
    for number in range(3):
        scene.reads(number, end_ms)
    scene.until(30 * SECOND + scene.chance.randrange(10 * SECOND))
    other = (scene.coordinator + 1) % scene.brokers
    scene.lab.broker(other).crash()
    scene.until(scene.lab.now_ms + 8 * SECOND + scene.chance.randrange(8 * SECOND))
    scene.lab.broker(other).restart()
    scene.until(end_ms + 5 * SECOND)


@scene_of(LOOKALIKES, **KEEPS_LITTLE)
def read_anew(scene: Scene) -> None:
    """A new group begins after deleted records, and later its application seeks to the
    beginning.
    """
    end_ms = 3 * MINUTE
    scene.sends(1, end_ms, 250, partition=lambda n: n % 4)
    scene.until(60 * SECOND)
    fresh = scene.subscribed(scene.consumer(0, enable_auto_commit=True))
    again_ms = 110 * SECOND + scene.chance.randrange(20 * SECOND)

    _seeks(scene, fresh, again_ms, lambda: fresh.seek_to_beginning(fresh.assignment()), end_ms)


@scene_of(LOOKALIKES)
def sought_past_the_end(scene: Scene) -> None:
    """An application seeks beyond the log end: out of range, but no record was deleted."""
    end_ms = 2 * MINUTE
    scene.sends(1, end_ms, 500, partition=lambda n: n % 4)
    reader = scene.consumer(0, enable_auto_commit=False, group_id=None)
    parts = [TopicPartition(scene.topic, number) for number in range(4)]
    reader.assign(parts)
    at_ms = 50 * SECOND + scene.chance.randrange(20 * SECOND)

    _seeks(scene, reader, at_ms, lambda: reader.seek(parts[scene.seed % 4], 1_000_000), end_ms)


def _seeks(
    scene: Scene, consumer: KafkaConsumer, at_ms: int, seek: Callable[[], None], end_ms: int
) -> None:
    """Play the scene to its end: `consumer` polls, seeks once at `at_ms` (virtual milliseconds),
    polls on and closes at `end_ms`."""

    def app(lab: Lab) -> None:
        polls_until(lab, consumer, at_ms)
        seek()
        polls_until(lab, consumer, end_ms)
        consumer.close()

    scene.lab.spawn(app, name=consumer.name)
    scene.until(end_ms + 5 * SECOND)


@scene_of(LOOKALIKES)
def handed_over(scene: Scene) -> None:
    """Of two members with automatic commits one is closed, and one is killed right after a commit.

    No record has arrived between that commit and the kill.
    """
    end_ms = 2 * MINUTE + 20 * SECOND
    scene.sends(3, 60 * SECOND, 300, partition=lambda n: n % 4)
    own: dict[str, Any] = {"auto_commit_interval_ms": 5_000, **SOON_DEAD}
    scene.reads(0, 40 * SECOND + scene.chance.randrange(5 * SECOND), **own)
    for number in (1, 2):
        scene.reads(number, end_ms, **own)
    scene.until(80 * SECOND + scene.chance.randrange(10 * SECOND))
    scene.lab.kill(scene.lives[1][0])
    scene.until(end_ms + 5 * SECOND)


@scene_of(LOOKALIKES, **LEAVES_ISR_SOON)
def out_of_sync_once(scene: Scene) -> None:
    """Both followers fall out of the in-sync set, come back, and stay."""
    end_ms = 2 * MINUTE
    for number in range(3):
        scene.until(4_000 * min(number, 1))
        scene.sends(number, end_ms, 5_000, partition=lambda n: 0, acks="all")
    scene.until(34 * SECOND + 500)
    leader = scene.lab.leader(scene.topic, 0)
    for follower in (broker for broker in range(3) if broker != leader):
        scene.lab.broker(follower).pause(7_000 + scene.chance.randrange(1_500))
    scene.until(end_ms + 5 * SECOND)


@scene_of(LOOKALIKES)
def good_deploy(scene: Scene) -> None:
    """All members are closed and started again in a new build, which works as the old one."""
    end_ms = 3 * MINUTE
    at_ms = 60 * SECOND + scene.chance.randrange(10 * SECOND)
    own: dict[str, Any] = {"max_poll_interval_ms": 12_000, "enable_auto_commit": False}
    scene.sends(4, end_ms - 10 * SECOND, 300, partition=lambda n: n % 4)
    for number in range(4):
        scene.reads(number, at_ms + number * 800, work_ms=lambda: 500, commit=True, **own)
    scene.until(at_ms + 8 * SECOND)
    for number in range(4):
        scene.reads(number, end_ms, work_ms=lambda: 500, commit=True, **own)
        scene.until(scene.lab.now_ms + 500)
    scene.until(end_ms + 20 * SECOND)
