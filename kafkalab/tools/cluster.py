"""Gives Kafka's tools their cluster: a scenario played up to a moment, or a lab at hand."""

from __future__ import annotations

import argparse
import sys
from typing import Any, NoReturn

from kafkalab.clients.admin.kafka_admin_client import KafkaAdminClient
from kafkalab.command_line import CommandParser, called_as
from kafkalab.lab import Lab
from kafkalab.proof.replay import ScenarioPlay, load_scenario, seeds_from
from kafkalab.releases import newest

ADMIN_VERSION = newest()
"""The release of the tools' own KafkaAdminClient: the only one with all the admin methods."""


LONGEST_AFTER_MS = 24 * 3_600_000


class Unusable(Exception):
    """An error that ends a tool. Its message is one sentence for the user."""


class Options(CommandParser):
    """Parses a tool's options. An unknown option raises Unusable with one sentence.

    example: the words of a call, before --scenario FILE
    """

    def __init__(self, tool: str, description: str, example: str) -> None:
        super().__init__(
            prog=f"{called_as('kafkalab')} {tool}",
            description=description,
            example=f"{example} --scenario scenario.json",
            allow_abbrev=False,
        )
        self.tool = tool
        self.add_argument(
            "--scenario", metavar="FILE", help="a scenario.json of the recordings' format"
        )
        self.add_argument(
            "--at",
            metavar="MS",
            help="virtual milliseconds from the scenario's start; to its end when left out",
        )
        self.add_argument(
            "--seed", default="0", help="a number, or name=number for each client (default: 0)"
        )
        self.add_argument("--version", help="play this client version instead of the recorded one")
        self.add_argument("--bootstrap-server", help="not needed; one of the scenario's brokers")

    def error(self, message: str) -> NoReturn:
        raise Unusable(message)


class ToolCluster:
    """The cluster that a tool is asked about.

    lab      the lab
    state    its state at that moment (`Lab.at`)
    at_ms    the moment
    release  the tools of the brokers' release
    version  this release, which is the tools' clients', too
    """

    def __init__(self, lab: Lab, at_ms: int) -> None:
        self.lab, self.at_ms = lab, at_ms
        profile = lab.broker(min(lab.cluster.brokers)).machine.profile
        self.release, self.version = profile.tools, profile.name
        self.state: dict[str, Any] = lab.at(at_ms)

    def addresses(self) -> str:
        """The addresses of the brokers that are alive. Raises Unusable where none is."""
        alive = [broker["address"] for broker in self.state["brokers"].values() if broker["alive"]]
        if not alive:
            raise Unusable(
                "no broker of this scenario is alive at that moment: choose another --at"
            )
        return ",".join(alive)

    def admin(self) -> KafkaAdminClient:
        """A KafkaAdminClient at this moment. It cannot reach the brokers that are down."""
        return KafkaAdminClient(
            self.lab,
            {"bootstrap.servers": self.addresses()},
            version=ADMIN_VERSION,
            name=self.lab.unused_name("the tool"),
        )


def cluster_for(options: argparse.Namespace, lab: Lab | None = None) -> ToolCluster:
    """The lab at hand as it is now; without one the scenario of --scenario at the moment of --at.

    Raises Unusable for options that name no cluster.
    """
    if lab is not None:
        if options.scenario or options.at:
            raise Unusable("a lab at hand is asked as it is now: leave out --scenario and --at")
        _check_address(options.bootstrap_server, lab)
        return ToolCluster(lab, lab.now_ms)
    if not options.scenario:
        raise Unusable("there is no cluster to read: name a scenario.json with --scenario FILE")
    play = ScenarioPlay(
        _scenario(options.scenario), seeds_from(options.seed), options.version, real_pace=False
    )
    _check_address(options.bootstrap_server, play.lab)
    moment_ms = _moment(options.at)
    if moment_ms is not None and moment_ms > play.last_step_ms + LONGEST_AFTER_MS:
        raise Unusable(
            f"--at {moment_ms} is too late: the scenario's last step begins at "
            f"{play.last_step_ms} ms, and the scenario ends one day after it"
        )
    play.run_to(moment_ms)
    at_ms = play.lab.now_ms if moment_ms is None else moment_ms
    return ToolCluster(play.lab, at_ms)


def _scenario(path: str) -> Any:
    try:
        return load_scenario(path)
    except OSError as error:
        raise Unusable(
            f"{error.filename} cannot be read: {error.strerror}; name a scenario.json with "
            "--scenario"
        ) from None


def _moment(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdecimal():
        raise Unusable(
            f"--at takes whole milliseconds from the scenario's start, 0 or later, not {text!r}"
        )
    return int(text)


def _check_address(address: str | None, lab: Lab) -> None:
    known = [f"{node.host}:{node.port}" for node in lab.cluster.brokers.values()]
    for one in address.split(",") if address else []:
        if one not in known:
            raise Unusable(
                f"there is no broker at {one} in this scenario; its brokers are {', '.join(known)}"
            )


def print_remark(text: str) -> None:
    """Print on stderr a text that the real tools print beside their tables."""
    print(text, file=sys.stderr)
