"""Plays a scenario of the recordings' format on the simulator.

    python -m kafkalab replay SCENARIO.json --out DIR [--seed 7 | --seed inv-1=7,inv-2=41]
    [--version 3.9] [--brokers]

It reads what there was (brokers, topics, coordinators, broker settings) and what the program did.
`kafkalab.proof.scenario` takes only that from the file and never looks at what was observed, so a
replay cannot take its results from the scenario.
"""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

from kafkalab.clients.consumer.kafka_consumer import KafkaConsumer
from kafkalab.clients.consumer.kafka_share_consumer import KafkaShareConsumer
from kafkalab.clients.producer.kafka_producer import KafkaProducer
from kafkalab.command_line import CommandParser, called_as
from kafkalab.errors import (
    IllegalStateException,
    InvalidConfigurationException,
    KafkaException,
)
from kafkalab.lab import Lab
from kafkalab.lines.layout import Row
from kafkalab.lines.recorded_gaps import RecordedGaps, recorded_gaps
from kafkalab.proof.missing_steps import LOOP
from kafkalab.proof.scenario import (
    NEEDS_PRODUCER,
    UnusableScenario,
    check_configs,
    read_scenario,
)
from kafkalab.records import (
    ConsumerGroupMetadata,
    ConsumerRecord,
    ConsumerRecords,
    OffsetAndMetadata,
    ProducerRecord,
    TopicPartition,
)
from kafkalab.releases import profile_of
from kafkalab.sim.apps import FOREVER_MS, App

CHANCE = {"chance_of_producer_ids": 0.75}
"""The recorded brokers had served other runs before, and mostly held a block of producer ids."""


Step = Mapping[str, Any]
"""A step of a program, with the fields that scenario.FIELDS names."""

BEFORE_FIRST_LINE_MS = 120, 300
"""How long a program that begins a client takes to its first line, in most recordings."""
BEFORE_FIRST_LINE_SHARE = 0.37, 0.53
"""Which share of the time until the next step that is, where the program goes on at once."""
LONGEST_GAP_SHARE = 0.7
"""Which share of the whole start the longest work between two lines takes, at most. A machine that
starts a client fast does its other work fast, too: 153 of 163 recorded consumers."""
LONGEST_START_MS = 1_200
"""A program whose next step comes later has waited, in nearly all recordings."""
LONGEST_WAIT_MS = 2_000
"""How long a broker's step waits for the steps that came before it in the recorded program,
at most."""


def load_scenario(path: str) -> Any:
    """What a file holds, not yet checked. Raises UnusableScenario, or OSError."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except json.JSONDecodeError as error:
        raise UnusableScenario(f"{path} is not JSON: {error}") from None
    except RecursionError:
        raise UnusableScenario(f"{path} nests too deeply to be a scenario") from None
    except UnicodeDecodeError:
        raise UnusableScenario(f"{path} is not a text file in UTF-8") from None


def replay(
    scenario: Mapping[str, Any],
    seed: int | Mapping[str, int] = 0,
    version: str | None = None,
    real_pace: bool = True,
    gaps: RecordedGaps | None = None,
) -> dict[str, str]:
    """Play it; returns {client name: its log}. Raises UnusableScenario.

    real_pace: a client's work takes the time that recordings show (`Lab`'s `gaps`), which decides
    the order of its lines, too; else no time. gaps: such times in place of the committed ones.
    """
    return ScenarioPlay(scenario, seed, version, real_pace, gaps).run()


def replay_servers(
    scenario: Mapping[str, Any], seed: int | Mapping[str, int] = 0
) -> dict[int, list[Row]]:
    """Play it; returns {broker: the lines of its server.log}. Raises UnusableScenario."""
    play = ScenarioPlay(scenario, seed, None, real_pace=False)
    play.run()
    return {broker: play.lab.server_rows(broker) for broker in play.lab.cluster.brokers}


class ScenarioPlay:
    """One scenario that is played on a lab: each client is an app, each step comes at its time."""

    def __init__(
        self,
        scenario: Mapping[str, Any],
        seed: int | Mapping[str, int],
        version: str | None,
        real_pace: bool = True,
        gaps: RecordedGaps | None = None,
    ) -> None:
        played = read_scenario(scenario)
        try:
            self.profile, self.note = profile_of(version or played.client_version)
        except ValueError as error:
            raise UnusableScenario(str(error)) from None
        check_configs(played, self.profile.name)
        self.lab = Lab(
            played.brokers,
            seed,
            self.profile.name,
            played.broker_version,
            {**played.broker_config, **CHANCE},
            epoch=played.start_ms,
            cold=True,
            racks=played.racks,
            gaps=(gaps or recorded_gaps()) if real_pace else None,
        )
        try:
            for topic, (leaders, replicas) in played.topics.items():
                self.lab.create_topic(topic, len(leaders), replicas, leaders)
            for group, broker in played.coordinators.items():
                self.lab.place_coordinator(group, broker)
            for group, settings in played.group_settings.items():
                self.lab.configure_group(group, settings)
            for client_id, rate in played.client_quotas.items():
                self.lab.limit_client(client_id, rate)
            for transactional_id, broker in played.transaction_coordinators.items():
                self.lab.place_transaction_coordinator(transactional_id, broker)
        except (ValueError, InvalidConfigurationException) as error:
            raise UnusableScenario(
                f"the cluster of this scenario cannot be built: {error}"
            ) from None
        self._start_ms = played.start_ms
        self._steps = played.steps
        self.broker_version = played.broker_version
        self._broker_steps = played.broker_steps
        self.last_step_ms = (
            max(
                (step["at_ms"] for steps in played.steps.values() for step in steps),
                default=played.start_ms,
            )
            - played.start_ms
        )

    def run(self) -> dict[str, str]:
        self.run_to(None)
        return {name: self.lab.log_text(name) for name in self._steps}

    def run_to(self, at_ms: int | None) -> None:
        """Play from the start up to virtual time `at_ms`, the last millisecond whole;
        to the end of all programs when None."""
        players = [
            Player(self.lab, name, self._start_ms, steps) for name, steps in self._steps.items()
        ]
        apps = [self.lab.spawn(player.play, name=player.name) for player in players]
        if self._broker_steps:
            self.lab.spawn(
                self._play_brokers, {player.name: player for player in players}, name="brokers"
            )
        if at_ms is None:
            self.lab.stage.run_until(lambda: all(app.done for app in apps), FOREVER_MS - 1)
        else:
            self.lab.run_for(at_ms + 1)

    def _play_brokers(self, lab: Lab, players: Mapping[str, Player]) -> None:
        """What was done to brokers: each step at its time,
        and not before the program had come so far."""
        for step in self._broker_steps:
            lab.sleep(max(step.at_ms - self._start_ms - lab.now_ms, 0))
            patience_ms = lab.now_ms + LONGEST_WAIT_MS
            while lab.now_ms < patience_ms and any(
                players[name].steps_done < count for name, count in step.after.items()
            ):
                lab.sleep(1)
            broker = lab.broker(step.broker)
            if step.do == "start":
                broker.restart(
                    takes_ms=lab.streams.stream(f"{broker.name}/starting").randint(
                        *broker.profile.starting_ms
                    )
                )
            elif step.do == "kill -STOP":
                assert step.for_ms is not None, "each kill -STOP was given its length"
                broker.pause(step.for_ms)  # `kill -CONT` ends it, and is no event of its own
            elif step.do != "kill -CONT":
                broker.crash() if step.do == "kill -9" else broker.stop()


class Player:
    """Runs one client's program: a step begins at its time, or when the one before has ended."""

    def __init__(self, lab: Lab, name: str, start_ms: int, steps: list[dict[str, Any]]) -> None:
        self.lab, self.name = lab, name
        self._consumer: KafkaConsumer | None = None
        self._share_consumer: KafkaShareConsumer | None = None
        self._held: dict[tuple[TopicPartition, int], ConsumerRecord] = {}
        self._producer: KafkaProducer | None = None
        self._start_ms, self._steps = start_ms, steps
        self._loop: App | None = None
        self.steps_done = 0
        self._next_at_ms = FOREVER_MS
        self._subscribes_at_once = False

    @property
    def consumer(self) -> KafkaConsumer:
        assert self._consumer is not None, "a scenario makes a client before it uses it"
        return self._consumer

    @property
    def share_consumer(self) -> KafkaShareConsumer:
        assert self._share_consumer is not None, "a scenario makes a client before it uses it"
        return self._share_consumer

    @property
    def any_consumer(self) -> KafkaConsumer | KafkaShareConsumer:
        """The program's consumer, of whichever kind."""
        return self.consumer if self._share_consumer is None else self._share_consumer

    def poll(self, timeout_ms: int) -> None:
        """One poll; the records of a share consumer are kept until they are acknowledged."""
        for record in self.any_consumer.poll(timeout_ms=timeout_ms):
            place = TopicPartition(record.topic, record.partition), record.offset
            self._held[place] = record

    def acknowledge(self, step: Step) -> None:
        """Acknowledges the record that a poll returned; the recorded program had it in its hand,
        and so must this one."""
        record = self._held.get((step["partition"], step["offset"]))
        if record is not None:
            self.share_consumer.acknowledge(record, step["type"])

    @property
    def producer(self) -> KafkaProducer:
        assert self._producer is not None, "a scenario makes a client before it uses it"
        return self._producer

    def play(self, lab: Lab) -> None:
        for step, after in zip(self._steps, (*self._steps[1:], None)):
            self._next_at_ms = FOREVER_MS if after is None else after["at_ms"] - self._start_ms
            wait_ms = step["at_ms"] - self._start_ms - lab.now_ms
            at_once = self._subscribes_at_once and step["do"] == "subscribe"
            if wait_ms > 0 and not at_once:
                lab.sleep(wait_ms)
            while (
                self._loop is not None
                and not self._loop.done
                and step["do"] != "kill -9"
                and self.uses_consumer(step)
            ):
                lab.sleep(1)  # a consumer is used by one thread at a time
            try:
                STEPS[step["do"]](self, step)
            except (KafkaException, IllegalStateException):
                pass  # what went wrong is in the log, as with the recorded program
            if lab.clock.work is not None:
                lab.clock.work.end_by(FOREVER_MS)
            if lab.clock.thread_ms > lab.now_ms:
                lab.sleep(lab.clock.thread_ms - lab.now_ms)  # The step's work is a part of it.
            self.steps_done += 1

    def start(self, has_network_thread: bool = False) -> None:
        """A constructor takes its time; but the next step was taken when this one had ended.

        has_network_thread: a consumer's own. Its application's subscribe() begins at once, waits
        for that thread, and was noted when it had ended.
        """
        self._subscribes_at_once = has_network_thread and self.lab.clock.work is not None
        left_ms = max(0, self._next_at_ms - self.lab.now_ms)
        if self.lab.clock.work is None:
            self.lab.sleep(min(self.lab.profile(None).connecting.starting_ms, left_ms))
            return
        luck = self.lab.streams.stream(f"{self.name}/first line")
        if left_ms <= LONGEST_START_MS:
            self.lab.clock.work.is_fast(self.name, int(left_ms * LONGEST_GAP_SHARE))
        if left_ms > LONGEST_START_MS or has_network_thread:
            self.lab.sleep(luck.randint(*BEFORE_FIRST_LINE_MS))
        else:
            self.lab.sleep(int(left_ms * luck.uniform(*BEFORE_FIRST_LINE_SHARE)))
            self.lab.clock.work.end_by(self._next_at_ms)

    def uses_consumer(self, step: Step) -> bool:
        return step["object"] != "producer" and step["do"] not in NEEDS_PRODUCER

    def poll_in_loop(self, step: Step) -> None:
        """A thread of its own, which the next step of this consumer finds ended:
        its last poll is as long as there is time."""

        def loop(lab: Lab) -> None:
            until_ms = FOREVER_MS if step["for_ms"] is None else lab.now_ms + step["for_ms"]
            told_ms = (
                FOREVER_MS
                if step["until_ms"] is None or step["for_ms"] is not None
                else step["until_ms"] - self._start_ms
            )
            copied = 0
            while lab.now_ms < min(until_ms, told_ms):
                try:
                    records = self.consumer.poll(
                        timeout_ms=min(step["timeout_ms"], told_ms - lab.now_ms)
                    )
                    if records and step["then"] == "commitAsync":
                        self.consumer.commit_async()
                    elif records and step["then"] == "copy":
                        self.copy(records, step["to_topic"])
                        copied += len(records)
                        if copied >= (step["stop_after_records"] or FOREVER_MS):
                            return
                except (KafkaException, IllegalStateException):
                    return

        self._loop = self.lab.spawn(loop, name=self.name)

    def copy(self, records: ConsumerRecords, to_topic: str) -> None:
        """Consume, process, produce: records and the offsets behind them in one transaction."""
        self.producer.begin_transaction()
        for record in records:
            self.producer.send(ProducerRecord(to_topic, key=record.key, value=record.value)).get()
        after = {
            tp: OffsetAndMetadata(records.records(tp)[-1].offset + 1) for tp in records.partitions()
        }
        self.producer.send_offsets_to_transaction(after, self.consumer.group_metadata())
        self.producer.commit_transaction()

    def of(self, step: Step) -> KafkaConsumer | KafkaProducer:
        return (
            self.producer
            if step["object"] == "producer" or self._consumer is None
            else self.consumer
        )

    def close(self, step: Step) -> None:
        """Closes the share consumer, or what the step means."""
        if self._share_consumer is not None and step["object"] != "producer":
            self._share_consumer.close()
        else:
            self.of(step).close()

    def commit_sync(self, step: Step) -> None:
        """Commits offsets, or the acknowledgements of a share consumer."""
        if self._share_consumer is not None:
            self._share_consumer.commit_sync()
        else:
            self.consumer.commit_sync(_offsets(step))

    def commit_async(self, step: Step) -> None:
        """The same, without waiting."""
        if self._share_consumer is not None:
            self._share_consumer.commit_async()
        else:
            self.consumer.commit_async(_offsets(step))


def _new_consumer(player: Player, step: Step) -> None:
    player.start(step["config"].get("group.protocol") == "consumer")
    player._consumer = KafkaConsumer(player.lab, step["config"], name=player.name)


def _new_share_consumer(player: Player, step: Step) -> None:
    player.start(has_network_thread=True)
    player._share_consumer = KafkaShareConsumer(player.lab, step["config"], name=player.name)


def _new_producer(player: Player, step: Step) -> None:
    player.start()
    player._producer = KafkaProducer(player.lab, step["config"], name=player.name)


def _poll(player: Player, step: Step) -> None:
    """Poll again and again for `for_ms`."""
    until_ms = player.lab.now_ms + (step["for_ms"] or 0)
    while True:
        player.poll(step["timeout_ms"])
        if player.lab.now_ms >= until_ms:
            return


def _send(player: Player, step: Step) -> None:
    record = ProducerRecord(
        step["topic"], key=step["key"], value=step["value"], partition=step["to_partition"]
    )
    future = player.producer.send(record)
    if step["wait"]:
        future.get()


def _partitions_for(player: Player, step: Step) -> None:
    """A recording that does not say which topic asked for the only one there is."""
    topic = step["topic"] or next(
        name for name in player.lab.cluster.topics if not name.startswith("__")
    )
    player.of(step).partitions_for(topic)


def _position(player: Player, step: Step) -> None:
    for partition in step["partitions"] or [step["partition"]]:
        player.consumer.position(partition)


def _offsets(step: Step) -> dict[TopicPartition, OffsetAndMetadata] | None:
    return (
        None
        if step["offsets"] is None
        else {tp: OffsetAndMetadata(offset) for tp, offset in step["offsets"].items()}
    )


def _send_offsets(player: Player, step: Step) -> None:
    """Without a group it is that of the same client's consumer."""
    named = step["group"]
    group = ConsumerGroupMetadata(named) if named else player.consumer.group_metadata()
    offsets = _offsets(step)
    assert offsets is not None, "a scenario says which offsets are sent"
    player.producer.send_offsets_to_transaction(offsets, group)


STEPS: Mapping[str, Callable[[Player, Step], None]] = {
    "new KafkaConsumer": _new_consumer,
    "new KafkaShareConsumer": _new_share_consumer,
    "new KafkaProducer": _new_producer,
    "subscribe": lambda p, s: p.any_consumer.subscribe(s["topics"]),
    "assign": lambda p, s: p.consumer.assign(s["partitions"]),
    "poll": _poll,
    LOOP: Player.poll_in_loop,
    "works without polling": lambda p, s: p.lab.sleep(s["for_ms"]),
    "pause all": lambda p, s: p.consumer.pause(p.consumer.assignment_in_hash_order()),
    "resume all": lambda p, s: p.consumer.resume(p.consumer.assignment_in_hash_order()),
    "seek": lambda p, s: p.consumer.seek(s["partition"], s["offset"]),
    "seekToBeginning": lambda p, s: p.consumer.seek_to_beginning(s["partitions"]),
    "position": _position,
    "partitionsFor": _partitions_for,
    "acknowledge": Player.acknowledge,
    "commitSync": Player.commit_sync,
    "commitAsync": Player.commit_async,
    "send": _send,
    "flush": lambda p, s: p.producer.flush(),
    "initTransactions": lambda p, s: p.producer.init_transactions(),
    "beginTransaction": lambda p, s: p.producer.begin_transaction(),
    "sendOffsetsToTransaction": _send_offsets,
    "commitTransaction": lambda p, s: p.producer.commit_transaction(),
    "abortTransaction": lambda p, s: p.producer.abort_transaction(),
    "close": Player.close,
    "kill -9": lambda p, s: p.lab.kill(p.name),
}
"""What each step of kafkalab.proof.scenario does to a player."""


def seeds_from(text: str) -> int | dict[str, int]:
    """`7`, or `inv-1=7,inv-2=41`. Raises ValueError with one sentence."""
    try:
        if "=" not in text:
            return int(text)
        return {name: int(number) for name, number in (part.split("=") for part in text.split(","))}
    except ValueError:
        raise ValueError(
            f"--seed takes a number or name=number,name=number, not {text!r}"
        ) from None


def main(argv: list[str]) -> int:
    """The command line; exit code 2 and one sentence for what cannot be used."""
    parser = CommandParser(
        prog=f"{called_as('kafkalab')} replay",
        description="Play a recorded scenario on the simulator.",
        example="data/recordings/4.4.0/4.4.0/producer_keyed/scenario.json --out logs --seed 7",
    )
    parser.add_argument("scenario", metavar="SCENARIO.json", help="what there was and was done")
    parser.add_argument(
        "--out", required=True, metavar="DIR", help="folder for NAME.log of each client"
    )
    parser.add_argument("--seed", default="0", help="a number, or name=number for each client")
    parser.add_argument(
        "--brokers", action="store_true", help="write broker-N.log, each broker's server.log, too"
    )
    parser.add_argument("--version", help="play this client version instead of the recorded one")
    args = parser.parse_args(argv)
    try:
        scenario = load_scenario(args.scenario)
        play = ScenarioPlay(scenario, seeds_from(args.seed), args.version)
        logs = play.run()
        out = pathlib.Path(args.out)
        out.mkdir(parents=True, exist_ok=True)
        for name, text in logs.items():
            (out / f"{name}.log").write_text(text, encoding="utf-8", newline="\n")
        for broker in play.lab.cluster.brokers if args.brokers else ():
            text = play.lab.broker_log_text(broker)
            (out / f"broker-{broker}.log").write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        return _refuse(f"{error.filename}: {error.strerror}")
    except ValueError as error:
        return _refuse(str(error))
    if play.note:
        print(play.note, file=sys.stderr)
    return 0


def _refuse(sentence: str) -> int:
    print(f"replay: {sentence}", file=sys.stderr)
    return 2
