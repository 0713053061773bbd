"""Observed: one client's log as the six marks see it. Each view is computed when it is first asked
for."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from functools import cached_property
from itertools import groupby, pairwise
from pathlib import Path

from kafkalab.lines.layout import Row, read, rows_of
from kafkalab.proof.conformance.masks import NODE_ID, normal, template
from kafkalab.proof.conformance.sequences import MANY, fold_leaders, squeeze

NOT_COMPARED = tuple(
    (
        "ConsumerConfig ProducerConfig AppInfoParser AdminClientConfig AbstractConfig Metrics "
        "KafkaMbean Sensor JmxReporter"
    ).split()
)
# APIs that a client sends for as long as it lives.
PERIODIC = frozenset(
    "FETCH HEARTBEAT OFFSET_COMMIT METADATA CONSUMER_GROUP_HEARTBEAT PRODUCE PUSH_TELEMETRY".split()
)
STORY_LEVELS = frozenset({"INFO", "WARN", "ERROR"})
# The coordinator's connection has the id BASE - broker up to 4.0, "+broker" from 4.4.
COORDINATOR_BASE = 2_147_483_647
IDLE_AT_LEAST_MS = 1500
BEATS_AT_LEAST = 4

OPENED = re.compile(rf"Initiating connection to node (?:\S+?):\d+ \(id: ({NODE_ID})")
CLOSED = re.compile(
    r"(?:Node|Idle connection to node|Connection to node|Client requested disconnect from node) "
    rf"({NODE_ID})"
    r"(?: \([^)]*\))? ?(?:disconnected|could not be established|terminated|$)"
)
SENT = re.compile(rf"Sending (\w+) .*to node ({NODE_ID})")
ANSWERED = re.compile(rf"(?:Completed receive from|Received \S+ response from) node ({NODE_ID})")
JOINED = "Successfully joined group with generation"


def node_key(text: str) -> int | str:
    """`-1` and `2` as numbers, the coordinator's own connection as `coordinator 2`,
    however the version prints it."""
    number = int(text)
    if text.startswith("+"):
        return f"coordinator {number}"
    return f"coordinator {COORDINATOR_BASE - number}" if number > 2_000_000_000 else number


class Line:
    """One line as the marks see it: class name of the logger, text without prefix and line
    breaks."""

    __slots__ = ("at_ms", "level", "logger", "text")

    def __init__(self, row: Row) -> None:
        self.at_ms = row.at_ms
        self.level = row.level
        self.logger = row.logger_name
        self.text = _on_one_line(row.text)


def _on_one_line(text: str) -> str:
    if "\n" not in text:
        return text
    first, *more = text.removesuffix("\n").split("\n")
    return " ".join([first, *(part.strip() for part in more)])


class Observed:
    """One client's log with a view for each mark."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.lines = [line for line in map(Line, rows) if not line.logger.startswith(NOT_COMPARED)]

    @classmethod
    def of_file(cls, path: Path) -> Observed:
        return cls(read(path))

    @classmethod
    def of_text(cls, text: str) -> Observed:
        return cls(rows_of(text.removesuffix("\n").split("\n")))

    @cached_property
    def _network(self) -> list[Line]:
        return [line for line in self.lines if line.logger == "NetworkClient"]

    @cached_property
    def connections(self) -> list[Hashable]:
        """Node keys in the order of their sockets, leaders folded to runs."""
        opened = (OPENED.search(line.text) for line in self._network)
        return fold_leaders(node_key(found[1]) for found in opened if found)

    @cached_property
    def closes(self) -> dict[int | str, int]:
        """Node key -> how often it was reported as disconnected; 3 stands for three or more."""
        closed = (CLOSED.match(line.text) for line in self._network)
        times = Counter(node_key(found[1]) for found in closed if found)
        return {node: min(count, MANY) for node, count in times.items()}

    @cached_property
    def requests(self) -> dict[int | str, list[str]]:
        """Node key -> API names in order, runs of periodic ones folded. Not METADATA: it goes to
        whichever node is least loaded."""
        by_node: dict[int | str, list[str]] = defaultdict(list)
        for line in self._network:
            found = SENT.match(line.text)
            if (
                found
                and found[1].upper() != "METADATA"
                and not _goes_on(by_node[node_key(found[2])], found[1])
            ):
                by_node[node_key(found[2])].append(found[1])
        return {node: squeeze(apis) for node, apis in by_node.items() if apis}

    @cached_property
    def story(self) -> list[str]:
        """INFO, WARN and ERROR lines, retries squeezed; neighbours of one template (one a
        partition, as answers came) sorted."""
        told = [line for line in self.lines if line.level in STORY_LEVELS]
        ordered: list[str] = []
        for (level, logger, _), run in groupby(
            told, key=lambda line: (line.level, line.logger, template(line.text))
        ):
            ordered += sorted(f"{level} {logger} {normal(line.text)}" for line in run)
        return squeeze(ordered)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return frozenset(
            f"{line.level} {line.logger} {template(line.text)}"
            for line in self.lines
            if line.level in ("DEBUG", "TRACE")
        )

    @cached_property
    def beats(self) -> dict[str, tuple[int, int]]:
        """What is done again and again, or after a while: name -> (median gap in ms, how often)."""
        gaps = _idle_and_join_gaps(self.lines)
        for name, times in _times_sent(self._network).items():
            if len(times) >= BEATS_AT_LEAST and name.split(" ")[0] in PERIODIC:
                gaps[name] += [after - before for before, after in pairwise(times)]
        return {name: (sorted(found)[len(found) // 2], len(found)) for name, found in gaps.items()}


def _goes_on(sent: list[str], api: str) -> bool:
    """Whether a periodic API only goes on, alone or in turn with another one."""
    if api not in PERIODIC or not sent:
        return False
    return sent[-1] == api or (len(sent) > 1 and sent[-2] == api and sent[-1] in PERIODIC)


def _beat_name(api: str, node: int | str) -> str:
    return api if api == "METADATA" else f"{api} to {node}"


def _times_sent(network: list[Line]) -> dict[str, list[int]]:
    times: dict[str, list[int]] = defaultdict(list)
    for line in network:
        found = SENT.match(line.text)
        if found and found[1] != "metadata":
            times[_beat_name(found[1], node_key(found[2]))].append(line.at_ms)
    return times


def _idle_and_join_gaps(lines: list[Line]) -> dict[str, list[int]]:
    """How long a node was unused when its connection closed, and how long a join took;
    in ms, by name."""
    gaps: dict[str, list[int]] = defaultdict(list)
    last_use: dict[int | str, int] = {}
    joining_since: int | None = None
    for line in lines:
        if line.logger != "NetworkClient":
            if joining_since is not None and JOINED in line.text:
                gaps["join to generation"].append(line.at_ms - joining_since)
                joining_since = None
            continue
        if (found := SENT.match(line.text)) and found[1] != "metadata":
            last_use[node_key(found[2])] = line.at_ms
            if found[1] == "JOIN_GROUP" and joining_since is None:
                joining_since = line.at_ms
        elif found := ANSWERED.match(line.text):
            last_use[node_key(found[1])] = line.at_ms
        elif found := CLOSED.match(line.text):
            node = node_key(found[1])
            if node in last_use and line.at_ms - last_use[node] > IDLE_AT_LEAST_MS:
                gaps[f"idle close of {node}"].append(line.at_ms - last_use[node])
    return gaps
