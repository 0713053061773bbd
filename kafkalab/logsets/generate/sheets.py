"""Computes the lines of each part of a log set. A part has a million lines, on any worker, in any
order.

The lines of a set are sorted by the time at which they reach the file, then by the client's number,
then by the client's own order. A period's lines are found by a search in each client's script. Only
one part is in memory at a time, and workers exchange no rows. All of it is arithmetic on arrays: no
line is a Python object.
"""

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from kafkalab.logsets.generate import scripts

PART_LINES = 1_000_000
BLOCK_ROWS = 16_384
# The periods per part that are counted beforehand. A part reads at most one extra period at each
# end.
STRETCHES = 16
# Searches for a client at a time: in all, and in memory at once.
MOST_COUNTED, COUNTED_TOGETHER = 20_000_000, 2_000_000


@dataclass(frozen=True)
class Roles:
    """The script, names and faults of each client, as arrays by client number.

    script               its index among all scripts
    starts_ms            the start of the client's copy
    names, groups        the client's names
    identities           the begin of the copy's UUIDs in the list of all
    peers                the begin of the copy's clients in `peer_names`
    step_at_ms, step_ms  from this time its clock is wrong by step_ms
    flush_ms             the interval of its writes to the file (1: at once)
    """

    script: np.ndarray
    starts_ms: np.ndarray
    groups: np.ndarray
    peers: np.ndarray
    identities: np.ndarray
    step_at_ms: np.ndarray
    step_ms: np.ndarray
    flush_ms: np.ndarray
    peer_names: np.ndarray
    identity_texts: np.ndarray


@dataclass(frozen=True)
class PartSheet:
    """The plan of one part: its rows of the set, their period, and the rows before them in it.

    log: the folder that its log is in; the clients' is `lines`, a broker's `broker-0`.
    """

    number: int
    rows: int
    begin_ms: int
    end_ms: int
    skip: int
    log: str = "lines"

    @property
    def name(self) -> str:
        """The part's name among all parts of the set."""
        return f"part-{self.number:05d}" if self.log == "lines" else f"{self.log}-{self.number:05d}"


def _three_arrays(gaps: pa.Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    at, sort, whose = (gaps[name].combine_chunks().to_numpy() for name in ("at", "sort", "whose"))
    return at, sort, whose


@dataclass
class Library:
    """The scripts and the roles, as workers hold them in memory."""

    at_ms: np.ndarray
    text: pa.LargeBinaryArray
    first_gap: np.ndarray
    gaps: np.ndarray
    gap_at: np.ndarray
    gap_sort: np.ndarray
    gap_whose: np.ndarray
    begins: np.ndarray
    roles: Roles
    epoch_ms: int
    last_ms: int

    @classmethod
    def of(
        cls,
        lines: pa.Table,
        gaps: pa.Table,
        begins: np.ndarray,
        roles: Roles,
        epoch_ms: int,
        last_ms: int,
    ) -> "Library":
        columns = {name: lines[name].combine_chunks() for name in lines.column_names}
        return cls(
            columns["at_ms"].to_numpy(), columns["text"], columns["first_gap"].to_numpy(),
            columns["gaps"].to_numpy(),
            *_three_arrays(gaps), begins, roles, epoch_ms, last_ms,
        )  # fmt: skip

    @cached_property
    def keys(self) -> np.ndarray:
        """One increasing number for each line of all scripts: its script, then its time."""
        script = np.repeat(np.arange(len(self.begins) - 1), np.diff(self.begins))
        return script * self._wide + self.at_ms

    @cached_property
    def _wide(self) -> int:
        return int(self.at_ms.max(initial=0)) + 2

    def places(self, until_ms: np.ndarray, chosen: slice = slice(None)) -> np.ndarray:
        """For each chosen role and time: the index of its first line in the file at or after that
        time.
        """
        roles = self.roles
        script, starts, flush = (
            column[chosen, None] for column in (roles.script, roles.starts_ms, roles.flush_ms)
        )
        # A line of time t reaches the file at the next multiple of flush_ms. So the lines before
        # `until` have times up to the last multiple before it.
        told = (np.ceil(until_ms[None, :] / flush).astype(np.int64) - 1) * flush + 1
        # No line has a time after the end.
        told = np.minimum(told, self.last_ms + 1) - starts
        return np.searchsorted(self.keys, script * self._wide + np.clip(told, 0, self._wide - 1))

    def sheets(self, part_lines: int = PART_LINES, log: str = "lines") -> list[PartSheet]:
        """The parts of this log."""
        roles = len(self.roles.script)
        end_ms = self.last_ms + int(self.roles.flush_ms.max(initial=1)) + 1
        all_lines = int(np.sum(self.places(np.array([end_ms])) - self.places(np.array([0]))))
        parts = max(1, -(-all_lines // part_lines))
        stretches = max(
            1, min(end_ms, parts * STRETCHES, max(MOST_COUNTED // max(roles, 1), parts))
        )
        edges = np.linspace(0, end_ms, stretches + 1).astype(np.int64)
        before = np.zeros(len(edges), np.int64)
        together = max(1, COUNTED_TOGETHER // len(edges))
        for first in range(0, roles, together):
            before += self.places(edges, slice(first, first + together)).sum(axis=0)
        before -= before[0]
        found = []
        for number in range(parts):
            first, last = number * part_lines, min((number + 1) * part_lines, all_lines)
            begin = int(np.searchsorted(before, first, side="right")) - 1
            end = int(np.searchsorted(before, last, side="left"))
            found.append(
                PartSheet(
                    number,
                    last - first,
                    int(edges[min(begin, len(edges) - 2)]),
                    int(edges[end]),
                    first - int(before[begin]),
                    log,
                )
            )
        return found

    def rows_of(self, sheet: PartSheet) -> tuple[np.ndarray, np.ndarray]:
        """The line of the scripts and the role of each row of a part."""
        edges = self.places(np.array([sheet.begin_ms, sheet.end_ms]))
        counts = edges[:, 1] - edges[:, 0]
        role = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        line = np.arange(counts.sum()) + np.repeat(
            edges[:, 0] - (np.cumsum(counts) - counts), counts
        )
        told = self.at_ms[line] + self.roles.starts_ms[role]
        flush = self.roles.flush_ms[role]
        if flush.max(initial=1) > 1:
            told = -(-told // flush) * flush
        # Roles are sorted by number and their lines by order. So a stable sort by time gives the
        # set's order.
        order = np.argsort(told, kind="stable")[sheet.skip : sheet.skip + sheet.rows]
        return line[order], role[order]

    def blocks_of(
        self, sheet: PartSheet, rows: int = BLOCK_ROWS
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The bytes of a part, some rows at a time, and the begin of each row, with the end of the
        last.

        A block is small enough to stay in the processor's cache until it is written. The next block
        reuses its memory.
        """
        lines, roles = self.rows_of(sheet)
        for first in range(0, len(lines), rows):
            line, role = lines[first : first + rows], roles[first : first + rows]
            taken = self.text.take(pa.array(line))
            begins = np.frombuffer(taken.buffers()[1], np.int64, len(taken) + 1, 8 * taken.offset)
            # `take` made these bytes, and no other code holds them. Arrow itself would allow only
            # reading.
            text = np.frombuffer(
                memoryview(
                    (ctypes.c_uint8 * int(begins[-1])).from_address(taken.buffers()[2].address)
                ),
                np.uint8,
            )
            self._fill_times(text, begins, line, role)
            self._fill_gaps(text, begins, line, role)
            yield text, begins
            del text, taken

    def text_of(self, sheet: PartSheet) -> bytes:
        """The whole text of a part."""
        return b"".join(text.tobytes() for text, _ in self.blocks_of(sheet))

    def _fill_times(
        self, text: np.ndarray, begins: np.ndarray, line: np.ndarray, role: np.ndarray
    ) -> None:
        told = self.at_ms[line] + self.roles.starts_ms[role]
        told += np.where(told >= self.roles.step_at_ms[role], self.roles.step_ms[role], 0)
        moments, which = _distinct(told)
        shown = np.datetime_as_string(
            (moments + self.epoch_ms).astype("datetime64[ms]"), unit="ms"
        ).astype(f"S{scripts.TIME_WIDTH}")
        letters = shown.view(np.uint8).reshape(-1, scripts.TIME_WIDTH)
        letters[:, 10], letters[:, 19] = ord(" "), ord(",")
        _put(text, begins[:-1] + scripts.TIME_AT, shown[which])

    def _fill_gaps(
        self, text: np.ndarray, begins: np.ndarray, line: np.ndarray, role: np.ndarray
    ) -> None:
        counts = self.gaps[line]
        row = np.repeat(np.arange(len(line)), counts)
        gap = np.arange(counts.sum()) + np.repeat(
            self.first_gap[line] - (np.cumsum(counts) - counts), counts
        )
        at = begins[row] + self.gap_at[gap]
        sort = self.gap_sort[gap]
        whose = self.gap_whose[gap]
        role = role[row]
        roles = self.roles
        values = {
            scripts.CLIENT: lambda mine: roles.peer_names[roles.peers[role[mine]] + whose[mine]],
            scripts.GROUP: lambda mine: roles.groups[role[mine]],
            scripts.IDENTITY: lambda mine: roles.identity_texts[
                roles.identities[role[mine]] + whose[mine]
            ],
            scripts.MOMENT: lambda mine: (
                roles.starts_ms[role[mine]] + whose[mine] + self.epoch_ms
            ).astype(f"S{scripts.MOMENT_WIDTH}"),
        }
        for kind, value in values.items():
            mine = np.flatnonzero(sort == kind)
            if len(mine):
                _put(text, at[mine], value(mine))


def roles_of_broker(
    clients: Roles, copies_numbers: Sequence[Sequence[int]], scripts_of: Sequence[int | None]
) -> Roles:
    """The Roles of one broker: the part that it has in each copy.

    clients: the Roles of the set's clients. copies_numbers: the clients of each copy, whose names
    and start the broker's lines have. scripts_of: the broker's script in each copy.
    """
    played = [number for number, script in enumerate(scripts_of) if script is not None]
    first = np.array([copies_numbers[number][0] for number in played], np.int64)
    nothing = np.zeros(len(played), np.int64)
    return replace(
        clients,
        script=np.array([scripts_of[number] for number in played], np.int64),
        starts_ms=clients.starts_ms[first],
        groups=clients.groups[first],
        peers=clients.peers[first],
        identities=clients.identities[first],
        step_at_ms=nothing,
        step_ms=nothing,
        flush_ms=nothing + 1,
    )


def _distinct(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different values, and the index of each place.

    It is fast where equal values are neighbours.
    """
    if len(values) and (values[1:] >= values[:-1]).all():
        starts = np.concatenate([[True], values[1:] != values[:-1]])
        return values[starts], np.cumsum(starts) - 1
    return np.unique(values, return_inverse=True)


def _put(text: np.ndarray, at: np.ndarray, values: np.ndarray) -> None:
    """Write equally long values at these places."""
    if len(at):
        width = values.dtype.itemsize
        # A view with a value of this width at each byte. numpy then copies each in one step.
        np.ndarray((len(text) - width + 1,), values.dtype, text.data, 0, (1,))[at] = values


def roles_of(clients: Sequence, starts: Sequence[int], copies_numbers: Sequence[Sequence[int]],
             identities: Sequence[Sequence[str]],
             skews: Mapping[str, np.ndarray]) -> Roles:  # fmt: skip
    """The Roles of a cast: its clients by number, and each copy's start, client numbers and
    UUIDs.
    """
    ids = np.array([client.client_id for client in clients], "S")
    peers = np.concatenate([[0], np.cumsum([len(numbers) for numbers in copies_numbers])])
    owned = np.concatenate([[0], np.cumsum([len(texts) for texts in identities])])
    copy = np.array([client.copy for client in clients], np.int64)
    count = len(clients)
    return Roles(
        script=np.array([client.script for client in clients], np.int64),
        starts_ms=np.array(starts, np.int64)[copy],
        groups=np.array([client.group_id for client in clients], "S"),
        peers=peers[copy],
        identities=owned[copy],
        step_at_ms=skews.get("step_at_ms", np.zeros(count, np.int64)),
        step_ms=skews.get("step_ms", np.zeros(count, np.int64)),
        flush_ms=skews.get("flush_ms", np.ones(count, np.int64)),
        peer_names=ids[
            np.array([number for numbers in copies_numbers for number in numbers], np.int64)
        ],
        identity_texts=np.array(
            [text for texts in identities for text in texts] or [""], f"S{scripts.IDENTITY_WIDTH}"
        ),
    )
