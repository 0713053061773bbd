"""Entry and Wording: one line that Kafka's clients or brokers log, and the wording of each release.

The entries are text, which `kafkalab.lines.part_text` reads. The line number in the release's Java
source (%L) is in `kafkalab.releases.source_lines`. Where no recording shows it, the number of the
nearest release before is taken (else of the nearest after), and `borrowed` names the release.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from kafkalab.releases import lineage, source_lines

RECORDED = "recordings of the released clients " + ", ".join(
    release.recorded for release in lineage.CLIENTS
)


@dataclass(frozen=True)
class Wording:
    """The words that some releases write.

    at         each of these releases and the line of its Java source (%L); none where only brokers
               that are not simulated say it
    template   text with `{name}` for what changes and doubled braces for a brace
    prefixed   whether a prefix such as `[Consumer clientId=c, groupId=g] ` is before the text
    trace      whether the stack trace of an exception follows the line
    twin       the statement in the source belongs to another entry; the parser answers with that
               one
    borrowed   the releases whose number is a neighbour's
    """

    level: str
    logger: str
    template: str
    at: Mapping[str, int] = field(hash=False)
    prefixed: bool = True
    trace: bool = False
    twin: bool = False
    borrowed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Entry:
    """One logged event, whatever words a release uses. `source` says where we learned it.

    releases   the releases that could say it: those of clients, or those of brokers
    only_read  real brokers write it, but no simulated one: it does not take this step, or has not
               got the values
    """

    name: str
    wordings: tuple[Wording, ...]
    source: str = RECORDED
    releases: tuple[str, ...] = lineage.CLIENT_NAMES
    only_read: bool = False

    def wording(self, version: str) -> Wording | None:
        """How this release says it; None where it never does. Raises UnknownRelease."""
        return self._by_version[version]

    @property
    def versions(self) -> tuple[str, ...]:
        """The releases that have the line, oldest first."""
        return tuple(
            version for version, wording in self._by_version.items() if wording is not None
        )

    @cached_property
    def _by_version(self) -> lineage.ByRelease[Wording | None]:
        said = {version: wording for wording in self.wordings for version in wording.at}
        what = "client" if self.releases == lineage.CLIENT_NAMES else "broker"
        return lineage.ByRelease({name: said.get(name) for name in self.releases}, what)


def line_numbers(name: str, releases: tuple[str, ...]) -> tuple[Mapping[str, int], frozenset[str]]:
    """The line number of each of these releases, and which of them borrow it from a neighbour.

    A neighbour is the nearest release before among `releases`, else the first after among them,
    else the
    nearest release before with another wording. Raises ValueError where there is none of these.
    """
    seen = {
        release: row.line
        for release in releases
        if (row := source_lines.line_table(release).get(name))
    }
    nearest = next(iter(seen.values()), None) or _number_before(name, releases[0])
    at: dict[str, int] = {}
    for release in releases:
        if release in seen:
            nearest = seen[release]
        at[release] = nearest
    return at, frozenset(releases).difference(seen)


def _number_before(name: str, release: str) -> int:
    for older in reversed(lineage.until(release)):
        if name in source_lines.line_table(older):
            return source_lines.line_table(older)[name].line
    raise ValueError(
        f"no release up to {release} has a line number for {name}: import one with `python -m "
        "kafkalab source-lines DIR`"
    )
