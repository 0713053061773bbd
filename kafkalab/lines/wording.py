"""Entry and Wording: one line that Kafka's clients log, and the wording of each release.

    entry("NODE_DISCONNECTED", NETWORK_CLIENT,
          debug("Node {node_id} disconnected.", until="2.8"),
          info("Node {node_id} disconnected.", since="3.6"))

`since` and `until` name the first and the last release that has the wording; without them there is
no limit. The line number in the release's Java source (%L) is in `kafkalab.releases.source_lines`.
Where no recording shows it, the number of the nearest release before is taken (else of the nearest
after), and `borrowed` names the release.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from kafkalab.releases import lineage, source_lines

RECORDED = "recordings of the released clients " + ", ".join(
    release.recorded for release in lineage.CLIENTS
)


@dataclass(frozen=True)
class Wording:
    """The words that some releases write; `at` maps each of them to the line of its Java source
    (%L).

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
    """

    name: str
    wordings: tuple[Wording, ...]
    source: str = RECORDED
    releases: tuple[str, ...] = lineage.CLIENT_NAMES

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


def entry(name: str, logger: str, *wordings: Wording, source: str = RECORDED) -> Entry:
    """An Entry whose wordings come from `logger` where they do not name one themselves.

    Raises ValueError where no release has a line number for this name.
    """
    return Entry(
        name,
        tuple(_numbered(name, w if w.logger else replace(w, logger=logger)) for w in wordings),
        source,
    )


def wording(
    template: str,
    level: str,
    *,
    since: str = "",
    until: str = "",
    logger: str = "",
    prefixed: bool = True,
    trace: bool = False,
    twin: bool = False,
) -> Wording:
    """A Wording of the releases from `since` to `until`; its entry gives it the line numbers."""
    releases = lineage.between(since or lineage.CLIENT_NAMES[0], until or lineage.newest())
    return Wording(level, logger, template, dict.fromkeys(releases, 0), prefixed, trace, twin)


def trace(template: str, **more: Any) -> Wording:
    """A wording on level TRACE."""
    return wording(template, "TRACE", **more)


def debug(template: str, **more: Any) -> Wording:
    """A wording on level DEBUG."""
    return wording(template, "DEBUG", **more)


def info(template: str, **more: Any) -> Wording:
    """A wording on level INFO."""
    return wording(template, "INFO", **more)


def warn(template: str, **more: Any) -> Wording:
    """A wording on level WARN."""
    return wording(template, "WARN", **more)


def error(template: str, **more: Any) -> Wording:
    """A wording on level ERROR."""
    return wording(template, "ERROR", **more)


def _numbered(name: str, worded: Wording) -> Wording:
    at, borrowed = line_numbers(name, tuple(worded.at))
    return replace(worded, at=at, borrowed=borrowed)


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
