"""ClientLab: what a client needs of the lab that it runs in; `kafkalab.lab.Lab` has it all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from kafkalab.releases import Profile
from kafkalab.sim.apps import Stage
from kafkalab.sim.journal import Journal
from kafkalab.sim.network import Network
from kafkalab.sim.rng import Streams
from kafkalab.sim.scheduler import Scheduler


class ClientLab(Protocol):
    """Clock, network, journal and names. Clients may not import the lab itself, which imports them.

    epoch_ms  what the clock of the lines shows at now_ms = 0, in epoch milliseconds
    cold      clients run in a JVM just started, so what they do for the first time takes longer
    """

    clock: Scheduler
    journal: Journal
    streams: Streams
    stage: Stage
    network: Network
    epoch_ms: int
    cold: bool

    @property
    def now_ms(self) -> int:
        """Virtual time in milliseconds since the lab began."""

    @property
    def first_address(self) -> str:
        """Where a client bootstraps when its settings do not say, as host:port."""

    def profile(self, version: str | None) -> Profile:
        """The Profile of a client release, of the lab's own where None."""

    def next_number(self, kind: str, name: str | None) -> int:
        """The number in a default client id."""

    def client_name(self, kind: str, name: str | None, client_id: str) -> str:
        """The name of a new client; a second of one kind gets a number while the first is open."""

    def add_client(self, kind: str, name: str, is_closed: Callable[[], bool]) -> None:
        """Remembers a client by its kind and name."""

    def call(self, who: str, name: str, args: Mapping[str, Any]) -> int:
        """Writes a call of the application into the journal; returns the id of its event."""

    def warn_of_new_topic(self, topic: str) -> None:
        """Warns a learner that the first send to a topic makes the brokers create it."""
