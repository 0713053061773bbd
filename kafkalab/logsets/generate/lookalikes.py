"""Plays scenes that look like an incident but are none, to test for false alarms.

They are played as those of scenes.py are, and have no answer key. They are just below the limits: a
member that works long but not too long, a group that is restarted without trouble, a broker that is
slow for all clients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kafkalab import KafkaConsumer, Lab, TopicPartition
from kafkalab.logsets.generate.manifest import Manifest
from kafkalab.logsets.generate.scenes import MINUTE, SECOND, Scene


def rolling_restart(version: str, seed: int, topic: str, manifest: Manifest) -> Scene:
    """Four members are closed and started again, one after the other: no storm and no bad
    deploy.
    """
    scene = Scene(manifest, version, seed, topic)
    end_ms = 4 * MINUTE
    for number in range(4):
        scene.polls(scene.subscribed(scene.consumer(number)), 40 * SECOND * (number + 1))
    for number in range(4):
        scene.until(40 * SECOND * (number + 1) + 4 * SECOND)
        scene.polls(scene.subscribed(scene.consumer(number)), end_ms)
    scene.until(end_ms + 5 * SECOND)
    return scene


def scale_out(version: str, seed: int, topic: str, manifest: Manifest) -> Scene:
    """A group grows from one to five members and shrinks again: some rebalances, all intended."""
    scene = Scene(manifest, version, seed, topic, partitions=10)
    for number in range(5):
        scene.polls(
            scene.subscribed(scene.consumer(number)), 2 * MINUTE + 20 * SECOND * (5 - number)
        )
        scene.until(15 * SECOND * (number + 1))
    scene.until(4 * MINUTE + 5 * SECOND)
    return scene


def long_work(version: str, seed: int, topic: str, manifest: Manifest) -> Scene:
    """A member works long on each batch, and never longer than max.poll.interval.ms."""
    scene = Scene(manifest, version, seed, topic)
    end_ms = 2 * MINUTE
    scene.sends(scene.producer(2), end_ms - 20 * SECOND, 2_000, partition=lambda n: n % 4)
    own: dict[str, Any] = {"max_poll_interval_ms": 15_000, "enable_auto_commit": False}
    scene.polls(scene.subscribed(scene.consumer(0, **own)), end_ms, commit=True)
    scene.polls(
        scene.subscribed(scene.consumer(1, **own)),
        end_ms,
        work_ms=lambda: 9_000 + scene.chance.randrange(4_000),
        commit=True,
    )
    scene.until(end_ms + 30 * SECOND)
    return scene


def killed_worker(version: str, seed: int, topic: str, manifest: Manifest) -> Scene:
    """A member that commits by hand is killed during its work, and its session expires.

    Neither max.poll.interval.ms nor automatic commits are involved.
    """
    scene = Scene(manifest, version, seed, topic)
    end_ms = 2 * MINUTE
    scene.sends(scene.producer(2), end_ms - 20 * SECOND, 500, partition=lambda n: n % 4)
    own: dict[str, Any] = {
        "session_timeout_ms": 10_000,
        "heartbeat_interval_ms": 3_000,
        "fetch_max_wait_ms": 500,
        "enable_auto_commit": False,
    }
    for number in range(2):
        scene.polls(
            scene.subscribed(scene.consumer(number, **own)),
            end_ms,
            work_ms=lambda: 1_500,
            commit=True,
        )
    scene.until(50 * SECOND + scene.chance.randrange(10 * SECOND))
    scene.lab.kill(scene.lives[0][0])
    scene.until(end_ms + 5 * SECOND)
    return scene


def long_lives(version: str, seed: int, topic: str, manifest: Manifest) -> Scene:
    """Bootstrap sockets are closed after the default nine minutes, or after eight.

    The client of another one is killed before.
    """
    scene = Scene(manifest, version, seed, topic)
    end_ms = 12 * MINUTE
    quiet: dict[str, Any] = {
        "fetch_max_wait_ms": 20_000,
        "heartbeat_interval_ms": 15_000,
        "session_timeout_ms": 60_000,
    }
    scene.polls(scene.subscribed(scene.consumer(0, **quiet)), end_ms)
    scene.polls(
        scene.subscribed(scene.consumer(1, connections_max_idle_ms=480_000, **quiet)), end_ms
    )
    scene.polls(scene.subscribed(scene.consumer(2, connections_max_idle_ms=-1, **quiet)), end_ms)
    scene.until(8 * MINUTE + scene.chance.randrange(50 * SECOND))
    scene.lab.kill(scene.lives[2][0])
    scene.until(end_ms + 20 * SECOND)
    return scene


def uneven_keys(version: str, seed: int, topic: str, manifest: Manifest) -> Scene:
    """One partition gets half of the records, and another producer sends its few records to one."""
    scene = Scene(manifest, version, seed, topic, partitions=6)
    end_ms = 2 * MINUTE
    chance = scene.chance
    scene.sends(
        scene.producer(0),
        end_ms,
        400,
        key=lambda n: "many" if chance.random() < 0.4 else f"customer {chance.randrange(1000)}",
    )
    scene.sends(scene.producer(1), end_ms, 8_000, key=lambda n: "the only one")
    scene.sends(scene.producer(2), end_ms, 600, partition=lambda n: n % 6)
    scene.until(end_ms + 5 * SECOND)
    return scene


def slow_for_all(version: str, seed: int, topic: str, manifest: Manifest) -> Scene:
    """All brokers answer late for a minute, and later one broker for a few seconds."""
    brokers = max(3, manifest.brokers)
    scene = Scene(manifest, version, seed, topic, partitions=brokers)
    end_ms = 3 * MINUTE
    for number in range(3):
        scene.sends(scene.producer(number), end_ms, 700, partition=lambda n: n % brokers)
    late_ms = 800 + scene.chance.randrange(400)
    scene.until(40 * SECOND)
    for broker in range(brokers):
        scene.lab.broker(broker).delay("PRODUCE", late_ms)
    scene.until(100 * SECOND)
    for broker in range(brokers):
        scene.lab.broker(broker).delay("PRODUCE", 0)
    scene.until(2 * MINUTE + 10 * SECOND)
    scene.lab.broker(seed % brokers).delay("PRODUCE", late_ms)
    scene.until(2 * MINUTE + 16 * SECOND)
    scene.lab.broker(seed % brokers).delay("PRODUCE", 0)
    scene.until(end_ms + 5 * SECOND)
    return scene


def other_broker_lost(version: str, seed: int, topic: str, manifest: Manifest) -> Scene:
    """A broker with partitions of the group dies and comes back. It is not the coordinator."""
    brokers = max(3, manifest.brokers)
    scene = Scene(manifest, version, seed, topic, partitions=brokers)
    end_ms = 2 * MINUTE
    for number in range(3):
        scene.polls(scene.subscribed(scene.consumer(number)), end_ms)
    scene.until(30 * SECOND + scene.chance.randrange(10 * SECOND))
    other = (scene.coordinator + 1) % brokers
    scene.lab.broker(other).crash()
    scene.until(scene.lab.now_ms + 8 * SECOND + scene.chance.randrange(8 * SECOND))
    scene.lab.broker(other).restart()
    scene.until(end_ms + 5 * SECOND)
    return scene


def read_anew(version: str, seed: int, topic: str, manifest: Manifest) -> Scene:
    """A new group begins after deleted records, and later its application seeks to the
    beginning.
    """
    keeps = {"retention.ms": 20_000, "segment.ms": 5_000}
    scene = Scene(
        manifest,
        version,
        seed,
        topic,
        topic_config=keeps,
        broker_config={"log.retention.check.interval.ms": 5_000},
    )
    end_ms = 3 * MINUTE
    scene.sends(scene.producer(1), end_ms, 250, partition=lambda n: n % 4)
    scene.until(60 * SECOND)
    fresh = scene.subscribed(scene.consumer(0, enable_auto_commit=True))
    again_ms = 110 * SECOND + scene.chance.randrange(20 * SECOND)

    return _seeks(
        scene, fresh, again_ms, lambda: fresh.seek_to_beginning(fresh.assignment()), end_ms
    )


def sought_past_the_end(version: str, seed: int, topic: str, manifest: Manifest) -> Scene:
    """An application seeks beyond the log end: out of range, but no record was deleted."""
    scene = Scene(manifest, version, seed, topic)
    end_ms = 2 * MINUTE
    scene.sends(scene.producer(1), end_ms, 500, partition=lambda n: n % 4)
    reader = scene.consumer(0, enable_auto_commit=False, group_id=None)
    parts = [TopicPartition(topic, number) for number in range(4)]
    reader.assign(parts)
    at_ms = 50 * SECOND + scene.chance.randrange(20 * SECOND)

    return _seeks(scene, reader, at_ms, lambda: reader.seek(parts[seed % 4], 1_000_000), end_ms)


def _seeks(
    scene: Scene, consumer: KafkaConsumer, at_ms: int, seek: Callable[[], None], end_ms: int
) -> Scene:
    """The scene to its end: `consumer` polls, seeks once at `at_ms` (virtual milliseconds),
    polls on and closes at `end_ms`."""

    def app(lab: Lab) -> None:
        while lab.now_ms < at_ms:
            consumer.poll(timeout_ms=1_000)
        seek()
        while lab.now_ms < end_ms:
            consumer.poll(timeout_ms=1_000)
        consumer.close()

    scene.lab.spawn(app, name=consumer.name)
    scene.until(end_ms + 5 * SECOND)
    return scene


def handed_over(version: str, seed: int, topic: str, manifest: Manifest) -> Scene:
    """Of two members with automatic commits one is closed, and one is killed right after a commit.

    No record has arrived between that commit and the kill.
    """
    scene = Scene(manifest, version, seed, topic)
    end_ms = 2 * MINUTE + 20 * SECOND
    scene.sends(scene.producer(3), 60 * SECOND, 300, partition=lambda n: n % 4)
    own: dict[str, Any] = {
        "auto_commit_interval_ms": 5_000,
        "session_timeout_ms": 10_000,
        "heartbeat_interval_ms": 3_000,
        "fetch_max_wait_ms": 500,
    }
    scene.polls(
        scene.subscribed(scene.consumer(0, **own)), 40 * SECOND + scene.chance.randrange(5 * SECOND)
    )
    for number in (1, 2):
        scene.polls(scene.subscribed(scene.consumer(number, **own)), end_ms)
    scene.until(80 * SECOND + scene.chance.randrange(10 * SECOND))
    scene.lab.kill(scene.lives[1][0])
    scene.until(end_ms + 5 * SECOND)
    return scene


def out_of_sync_once(version: str, seed: int, topic: str, manifest: Manifest) -> Scene:
    """Both followers fall out of the in-sync set, come back, and stay."""
    scene = Scene(
        manifest,
        version,
        seed,
        topic,
        partitions=1,
        replicas=3,
        topic_config={"min.insync.replicas": 2},
        broker_config={"replica.lag.time.max.ms": 3_000},
    )
    end_ms = 2 * MINUTE
    for number in range(3):
        scene.until(4_000 * min(number, 1))
        scene.sends(scene.producer(number, acks="all"), end_ms, 5_000, partition=lambda n: 0)
    scene.until(34 * SECOND + 500)
    leader = scene.lab.leader(topic, 0)
    for follower in (broker for broker in range(3) if broker != leader):
        scene.lab.broker(follower).pause(7_000 + scene.chance.randrange(1_500))
    scene.until(end_ms + 5 * SECOND)
    return scene


def good_deploy(version: str, seed: int, topic: str, manifest: Manifest) -> Scene:
    """All members are closed and started again in a new build, which works as the old one."""
    scene = Scene(manifest, version, seed, topic)
    end_ms = 3 * MINUTE
    at_ms = 60 * SECOND + scene.chance.randrange(10 * SECOND)
    own: dict[str, Any] = {"max_poll_interval_ms": 12_000, "enable_auto_commit": False}
    scene.sends(scene.producer(4), end_ms - 10 * SECOND, 300, partition=lambda n: n % 4)
    for number in range(4):
        scene.polls(
            scene.subscribed(scene.consumer(number, **own)),
            at_ms + number * 800,
            work_ms=lambda: 500,
            commit=True,
        )
    scene.until(at_ms + 8 * SECOND)
    for number in range(4):
        scene.polls(
            scene.subscribed(scene.consumer(number, **own)),
            end_ms,
            work_ms=lambda: 500,
            commit=True,
        )
        scene.until(scene.lab.now_ms + 500)
    scene.until(end_ms + 20 * SECOND)
    return scene


LOOKALIKES: Mapping[str, Callable[[str, int, str, Manifest], Scene]] = {
    scene.__name__: scene
    for scene in (
        rolling_restart, scale_out, long_work, killed_worker, long_lives, uneven_keys, slow_for_all,
        other_broker_lost, read_anew,
        sought_past_the_end, handed_over, out_of_sync_once, good_deploy,
    )
}  # fmt: skip
