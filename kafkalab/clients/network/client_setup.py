"""ClientSetup: who a client is, which its constructor says once to all its parts."""

from __future__ import annotations

import random
from dataclasses import dataclass

from kafkalab.clients.network import app_info
from kafkalab.clients.network.client_lab import ClientLab
from kafkalab.clients.network.log_context import LogContext
from kafkalab.config import ClientConfig
from kafkalab.releases import Profile


@dataclass(frozen=True, slots=True)
class ClientSetup:
    """One client's lab, release and settings.

    kind  "consumer", "producer" or "admin"
    name  the client's name in the journal
    """

    lab: ClientLab
    kind: str
    name: str
    client_id: str
    profile: Profile
    config: ClientConfig

    def stream(self, use: str) -> random.Random:
        """The client's random numbers for one use."""
        return self.lab.streams.stream(f"{self.name}/{use}")

    def plain_log(self) -> LogContext:
        """The log of the lines that Java writes without a prefix."""
        return self.prefixed_log("")

    def prefixed_log(self, prefix: str, kind: type[LogContext] = LogContext) -> LogContext:
        """A log that writes this before each line."""
        return kind(self.lab.journal, self.name, self.client_id, prefix, self.profile.name)

    def register(self, log: LogContext) -> None:
        """Writes version, commit and start time of the client."""
        app_info.register(log, self.profile, self.lab.epoch_ms + self.lab.now_ms)
