"""Plays a scenario of the recordings' format on the simulator.

    python -m kafkalab replay SCENARIO.json --out DIR [--seed 7 | --seed inv-1=7,inv-2=41] [--version 3.9]

Read are: what there was (brokers, topics, coordinators, broker settings) and what the program did. What was observed, the
fields in OBSERVED, is dropped before anything is looked at, so a replay cannot learn its answers from the scenario.
"""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

from kafkalab.clients.consumer.kafka_consumer import KafkaConsumer
from kafkalab.clients.producer.kafka_producer import KafkaProducer
from kafkalab.errors import KafkaException
from kafkalab.lab import Lab
from kafkalab.records import ProducerRecord, TopicPartition
from kafkalab.versions import profile_of

OBSERVED = ("took_ms", "result", "error")
OBSERVED_STEPS = ("assignment",)
BROKER_VERSIONS = {"2.3": "2.3", "4.4": "4.4"}
CHANCE = "chance_of_producer_ids"
"""The recorded brokers had served other runs before, and mostly held a block of producer ids."""


class UnusableScenario(ValueError):
    """The scenario asks for something this simulation does not know; the message is one sentence for a person."""


def replay(scenario: Mapping[str, Any], seed: int | Mapping[str, int] = 0, version: str | None = None) -> dict[str, str]:
    """Play it; returns {client name: its log}. Raises UnusableScenario."""
    return Play(scenario, seed, version).run()


class Play:
    """One performance of a scenario: each client an app, each step at its time."""

    def __init__(self, scenario: Mapping[str, Any], seed: int | Mapping[str, int], version: str | None) -> None:
        self.note: str | None = None
        try:
            steps = [{k: v for k, v in step.items() if k not in OBSERVED} for step in scenario["events"]
                     if step.get("do") not in OBSERVED_STEPS and not step.get("by_loop")]
            wanted = version or scenario["client_version"]
            brokers = {int(id): address for id, address in scenario["brokers"].items()}
            broker_version = ".".join(str(scenario["broker_version"]).split(".")[:2])
            start_ms = min((step["at_ms"] for step in steps), default=0)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UnusableScenario(f"this is not a scenario of the recordings' format: {_missing(error)}") from None
        try:
            self.profile, self.note = profile_of(wanted)
        except ValueError as error:
            raise UnusableScenario(str(error)) from None
        if broker_version not in BROKER_VERSIONS:
            raise UnusableScenario(f"broker version {scenario['broker_version']!r} is not simulated; there are {', '.join(BROKER_VERSIONS)}")
        try:
            self.lab = Lab(brokers, seed, self.profile.name, BROKER_VERSIONS[broker_version], _settings(scenario.get("broker_config", {})), epoch=start_ms, cold=True)
            for topic, partitions in scenario.get("topics", {}).items():
                leaders = [p["leader"] for p in partitions]
                self.lab.create_topic(topic, len(leaders), max(len(p["replicas"]) for p in partitions), leaders)
            for group, place in scenario.get("groups", {}).items():
                self.lab.place_coordinator(group, place["coordinator"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UnusableScenario(f"the cluster of this scenario cannot be built: {_missing(error)}") from None
        self._start_ms = start_ms
        self._steps: dict[str, list[dict]] = {}
        for step in steps:
            if "client" not in step or step.get("do") not in STEPS:
                who = step.get("client") or step.get("broker") or "nobody"
                raise UnusableScenario(f"the step {step.get('do')!r} (of {who}) is not one that a replay knows; known are: {', '.join(sorted(STEPS))}")
            self._steps.setdefault(step["client"], []).append(step)
        for name, own in self._steps.items():
            for step in own:
                STEPS[step["do"]].check(step)

    def run(self) -> dict[str, str]:
        players = [Player(self.lab, name, self._start_ms, steps) for name, steps in self._steps.items()]
        apps = [self.lab.spawn(player.play, name=player.name) for player in players]
        self.lab.run_until(lambda: all(app.done for app in apps), timeout_ms=10**10)
        return {player.name: self.lab.log_text(player.name) for player in players}


class Player:
    """One client's program: a step begins at its time, or when the one before has ended."""

    def __init__(self, lab: Lab, name: str, start_ms: int, steps: list[dict]) -> None:
        self.lab, self.name = lab, name
        self.consumer: KafkaConsumer | None = None
        self.producer: KafkaProducer | None = None
        self._start_ms, self._steps = start_ms, steps

    def play(self, lab: Lab) -> None:
        for step in self._steps:
            wait_ms = step["at_ms"] - self._start_ms - lab.now_ms
            if wait_ms > 0:
                lab.sleep(wait_ms)
            try:
                STEPS[step["do"]].run(self, step)
            except KafkaException:
                pass  # what went wrong is in the log, as with the recorded program

    def of(self, step: Mapping[str, Any]) -> KafkaConsumer | KafkaProducer:
        return self.producer if step.get("object") == "producer" or self.consumer is None else self.consumer


class Step:
    """What one kind of step does, and which of its fields it cannot do without."""

    def __init__(self, run: Callable[[Player, Mapping[str, Any]], None], *needs: str) -> None:
        self.run, self._needs = run, needs

    def check(self, step: Mapping[str, Any]) -> None:
        for name in ("at_ms", *self._needs):
            if name not in step:
                raise UnusableScenario(f"a step {step['do']!r} of {step['client']} lacks {name!r}")


def _new_consumer(player: Player, step) -> None:
    config = step.get("config", {})
    player.lab.sleep(player.lab.profile(None).starting_ms)
    player.consumer = KafkaConsumer(player.lab, config, name=player.name)


def _new_producer(player: Player, step) -> None:
    player.lab.sleep(player.lab.profile(None).starting_ms)
    player.producer = KafkaProducer(player.lab, step.get("config", {}), name=player.name)


def _poll(player: Player, step) -> None:
    """Poll again and again for `for_ms`."""
    until_ms = player.lab.now_ms + step.get("for_ms", 0)
    while True:
        player.consumer.poll(timeout_ms=step["timeout_ms"])
        if player.lab.now_ms >= until_ms:
            return


def _send(player: Player, step) -> None:
    value = step.get("value")
    if isinstance(value, str) and value.endswith(" bytes"):
        value = "x" * int(value.split()[0])
    record = ProducerRecord(step["topic"], key=step.get("key"), value=value, partition=step.get("to_partition"))
    future = player.producer.send(record)
    if step.get("wait"):
        future.get()


def _partitions_for(player: Player, step) -> None:
    """A recording that does not say which topic asked for the only one there is."""
    topic = step.get("topic") or next(name for name in player.lab.cluster.topics if not name.startswith("__"))
    player.of(step).partitions_for(topic)


def _partitions(names) -> list[TopicPartition]:
    return [TopicPartition(topic, int(number)) for topic, _, number in (name.rpartition("-") for name in names)]


STEPS: Mapping[str, Step] = {
    "new KafkaConsumer": Step(_new_consumer),
    "new KafkaProducer": Step(_new_producer),
    "subscribe": Step(lambda p, s: p.consumer.subscribe(s["topics"]), "topics"),
    "assign": Step(lambda p, s: p.consumer.assign(_partitions(s["partitions"])), "partitions"),
    "poll": Step(_poll, "timeout_ms"),
    "works without polling": Step(lambda p, s: p.lab.sleep(s["for_ms"]), "for_ms"),
    "pause all": Step(lambda p, s: p.consumer.pause(p.consumer.assignment_in_hash_order())),
    "resume all": Step(lambda p, s: p.consumer.resume(p.consumer.assignment_in_hash_order())),
    "seek": Step(lambda p, s: p.consumer.seek(_partitions([s["partition"]])[0], s["offset"]), "partition", "offset"),
    "seekToBeginning": Step(lambda p, s: p.consumer.seek_to_beginning(_partitions(s["partitions"]) if "partitions" in s else None)),
    "position": Step(lambda p, s: p.consumer.position(_partitions([s["partition"]])[0]), "partition"),
    "partitionsFor": Step(_partitions_for),
    "commitSync": Step(lambda p, s: p.consumer.commit_sync()),
    "commitAsync": Step(lambda p, s: p.consumer.commit_async()),
    "send": Step(_send, "topic"),
    "flush": Step(lambda p, s: p.producer.flush()),
    "close": Step(lambda p, s: p.of(s).close()),
}


def _settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """Broker settings of the recordings that matter here; transaction settings have nothing to act on yet."""
    return {**{name: value for name, value in config.items() if not name.startswith("transaction.")}, CHANCE: 0.75}


def _missing(error: Exception) -> str:
    return f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)


def seeds_of(text: str) -> int | dict[str, int]:
    """`7`, or `inv-1=7,inv-2=41`. Raises ValueError with one sentence."""
    try:
        if "=" not in text:
            return int(text)
        return {name: int(number) for name, number in (part.split("=") for part in text.split(","))}
    except ValueError:
        raise ValueError(f"--seed takes a number or name=number,name=number, not {text!r}") from None


def main(argv: list[str]) -> int:
    """The command line; exit code 2 and one sentence for what cannot be used."""
    import argparse
    parser = argparse.ArgumentParser(prog="python -m kafkalab replay", description="Play a recorded scenario on the simulator.")
    parser.add_argument("scenario", metavar="SCENARIO.json")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for NAME.log of each client")
    parser.add_argument("--seed", default="0", help="a number, or name=number for each client")
    parser.add_argument("--version", help="play this client version instead of the recorded one")
    args = parser.parse_args(argv)
    try:
        with open(args.scenario, encoding="utf-8") as file:
            scenario = json.load(file)
        if not isinstance(scenario, dict):
            raise UnusableScenario("this is not a scenario of the recordings' format: it is not a JSON object")
        play = Play(scenario, seeds_of(args.seed), args.version)
        logs = play.run()
        out = pathlib.Path(args.out)
        out.mkdir(parents=True, exist_ok=True)
        for name, text in logs.items():
            (out / f"{name}.log").write_text(text, encoding="utf-8", newline="\n")
    except json.JSONDecodeError as error:
        return _refuse(f"{args.scenario} is not JSON: {error}")
    except UnicodeDecodeError:
        return _refuse(f"{args.scenario} is not a text file in UTF-8")
    except (OSError, ValueError) as error:
        return _refuse(str(error))
    if play.note:
        print(play.note, file=sys.stderr)
    return 0


def _refuse(sentence: str) -> int:
    print(f"replay: {sentence}", file=sys.stderr)
    return 2
