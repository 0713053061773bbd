"""Writes the report on a log as one self-contained HTML page: oddities, pictures, tables.

All text from a log is escaped.
"""

from html import escape
from typing import Any

import pandas as pd

from kafkalab.logsets.explain.log_report import LogReport
from kafkalab.logsets.explain.neighbors import around
from kafkalab.logsets.explain.oddities import Oddity, clock_of
from kafkalab.logsets.explain.pictures import pictures, svg
from kafkalab.logsets.explain.text_report import first_words
from kafkalab.logsets.explain.two_sides import speakers

FEW = 3  # More findings get a list of links in front.
CITED = 40  # The letters of a message that stand in its file.
WORDS = {3: "costs data or time", 2: "look at it", 1: "good to know", 0: "usual at first"}
TIMES = (
    "began_at stopped_at resumed_at opened_at closed_at ended_at last_at assigned_at at first last"
).split()
UNBROKEN = (*TIMES, "file", "client_id")
STYLE = """
:root { color-scheme: light; --ink: #222; --quiet: #666; --paper: #fff; --rule: #ddd; --faint: #eee; --strong: #999; --box: #f6f6f4; --link: #0b5394;
  --w1: #bbb; --w2: #e69f00; --w3: #b00020; }
@media screen and (prefers-color-scheme: dark) {
  :root { color-scheme: dark; --ink: #e4e4e2; --quiet: #a5a5a2; --paper: #17181a; --rule: #3a3c3f; --faint: #2a2c2f; --strong: #77797c; --box: #222427; --link: #8ab8e8;
    --w1: #5c5e61; --w2: #e69f00; --w3: #ff6b7d; }
  figure svg { filter: invert(.91) hue-rotate(180deg); }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto; max-width: 68rem; padding: 0 1.2rem; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; border-bottom: 1px solid var(--rule); padding-bottom: .2rem; }
a { color: var(--link); } :target { outline: 2px solid var(--w2); outline-offset: 4px; }
.quiet { color: var(--quiet); } .odd { border-left: 5px solid var(--w1); padding: .4rem 0 .4rem .9rem; margin: .9rem 0; }
.odd.w3 { border-color: var(--w3); } .odd.w2 { border-color: var(--w2); } .odd h3 { margin: 0; font-size: 1.02rem; }
.said { white-space: pre-wrap; overflow-wrap: anywhere; } .odd p { margin: .25rem 0; } .odd .do { font-weight: 600; }
.index { padding-left: 1.2rem; columns: 2; } .index li { break-inside: avoid; }
pre { background: var(--box); padding: .5rem .7rem; white-space: pre-wrap; overflow-wrap: anywhere; font: 12.5px/1.45 ui-monospace, monospace; margin: .4rem 0; }
.place { margin: .1rem 0; font-size: 13px; } details.place summary { margin: .1rem 0; font-weight: normal; color: var(--link); } .place code { font: 12px ui-monospace, monospace; overflow-wrap: anywhere; }
.wide { overflow-x: auto; } .wide + .wide { margin-top: .9rem; } table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th { text-align: left; border-bottom: 2px solid var(--strong); } th, td { padding: .2rem .8rem .2rem 0; vertical-align: top; }
td { border-bottom: 1px solid var(--faint); } td.n, th.n { text-align: right; } td.t { white-space: nowrap; }
.sides table { width: 100%; table-layout: fixed; } .sides th:first-child { width: 6.2rem; } .sides td { overflow-wrap: anywhere; }
figure { margin: 0; overflow-x: auto; } figure svg { width: 100%; min-width: 640px; height: auto; } figcaption { color: var(--quiet); font-size: 13px; }
@media (max-width: 40rem) { body { margin: 1rem auto; padding: 0 .8rem; } .index { columns: 1; }
  .sides thead { display: none; } .sides tr, .sides td { display: block; } .sides tr { border-bottom: 1px solid var(--faint); padding: .2rem 0; }
  .sides td { border: 0; padding: 0; } .sides td:empty { display: none; } .sides td:nth-child(3) { border-left: 3px solid var(--w2); padding-left: .6rem; } }
@media print { body { max-width: none; margin: 0; } details:not(.place)::details-content { content-visibility: visible; height: auto; } figure, .odd, tr { break-inside: avoid; }
  .wide, figure { overflow: visible; } figure svg { min-width: 0; } table { font-size: 8pt; width: 100%; } td, th { overflow-wrap: anywhere; padding-right: .3rem; } a { color: inherit; } }
details summary { cursor: pointer; margin: 1.4rem 0 .5rem; font-weight: 600; }
"""  # noqa: E501


def page(story: LogReport, title: str) -> str:
    """The whole page of a report."""
    parts = (_first_words, _heading, _clients, _oddities, _both_sides, _pictures, _tables)
    return _whole(title, "\n".join(part(story) for part in parts))


def table_page(rows: pd.DataFrame, title: str) -> str:
    """A page of one table."""
    return _whole(title, _table(rows))


def _whole(title: str, body: str) -> str:
    """The HTML of a page; the body is escaped already."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        'content="width=device-width">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>\n"
        f"<h1>{escape(title)}</h1>\n{body}\n</body></html>\n"
    )


def _heading(story: LogReport) -> str:
    lines, malformed, unknown = (
        int(story.files[name].sum()) for name in ("lines", "malformed", "not_in_catalogue")
    )
    span = (
        f", {story.begins:%Y-%m-%d %H:%M:%S} to {story.ends:%H:%M:%S} UTC"
        if pd.notna(story.begins)
        else ""
    )
    return (
        f'<p class="quiet">{lines:,} lines in {len(story.files)} '
        f"file{'s' if len(story.files) > 1 else ''}{span}; "
        f"{malformed:,} could not be read, {unknown:,} are not in the catalogue of Kafka's "
        "lines.</p>"
    )


def _first_words(story: LogReport) -> str:
    kind = "odd w2" if story.reading.enough else "odd w3"
    return "".join(
        f'<div class="{kind}"><p class="said">{escape(said)}</p></div>'
        for said in first_words(story)
        if said
    )


def _clients(story: LogReport) -> str:
    names = _short_names(story)
    servers = _table(story.servers, names) if len(story.servers) else ""
    clients = _table(story.clients.drop(columns=["lives"]), names) if len(story.clients) else ""
    return f"<h2>Who wrote here</h2>{clients}{servers}"


def _oddities(story: LogReport) -> str:
    if not story.oddities:
        return f"<h2>What stands out</h2><p>{escape(story.reading.nothing_odd())}</p>"
    parts = ["<h2>What stands out</h2>"]
    if len(story.oddities) > FEW:
        links = (
            f'<li><a href="#finding-{number}">{escape(oddity.what)}</a></li>'
            for number, oddity in enumerate(story.oddities, 1)
        )
        parts.append(f'<ol class="index">{"".join(links)}</ol>')
    for number, oddity in enumerate(story.oddities, 1):
        who = f" · {', '.join(map(escape, oddity.clients))}" if oddity.clients else ""
        when = oddity.when and f" · {escape(oddity.when)}"
        shown = "\n".join(line.splitlines()[0] for line in oddity.evidence if line)
        parts.append(
            (
                f'<div class="odd w{oddity.weight}" id="finding-{number}">'
                f"<h3>{escape(oddity.what)}: "
                f"{oddity.count:,}</h3><p "
                f'class="quiet">{WORDS[oddity.weight]}{who}{when}</p><p>{escape(oddity.means)}</'
                f'p><p class="do">{escape(oddity.do)}</p>'
            )
            + "".join(f'<p class="said">{escape(text)}</p>' for text in oddity.settings)
            + (f"<pre>{escape(shown)}</pre>" if shown else "")
            + _places(oddity, _short_names(story))
            + "</div>"
        )
    return "\n".join(parts)


def _places(oddity: Oddity, names: dict[str, str]) -> str:
    """Where the cited lines are, with the lines around each and a command that prints it."""
    parts = []
    for (file, offset), line in zip(oddity.places, oddity.evidence):
        name = f"{escape(names.get(file, file))}, byte {offset:,}"
        words = line.partition("] ")[2].partition(" ")[2].splitlines() or [""]
        if (found := around(file, offset, words[0][:CITED])) is None:
            parts.append(f'<p class="place quiet">{name}</p>')
            continue
        before, (cited, *after), command = found
        lines = [*map(escape, before), f"<b>{escape(cited)}</b>", *map(escape, after)]
        parts.append(
            f'<details class="place"><summary>{name}</summary><pre>{chr(10).join(lines)}</pre>'
            f"<code>{escape(command)}</code></details>"
        )
    return "".join(parts)


def _both_sides(story: LogReport) -> str:
    """Each rebalance and fencing as a table with a column for the broker and one for clients."""
    if story.sides.empty:
        return ""
    parts = ["<h2>Both sides</h2>"]
    for what, rows in story.sides.groupby("what", sort=False):
        brokers, clients = speakers(rows)
        shown = pd.DataFrame({"at": rows["at"], "brokers": brokers, "clients": clients})
        parts.append(f'<h3>{escape(str(what))}</h3><div class="sides">{_table(shown)}</div>')
    return "\n".join(parts)


def _pictures(story: LogReport) -> str:
    return "\n".join(
        (
            f'<h2>{escape(title)}</h2><figure role="img" '
            f'aria-label="{escape(picture.alt)}">{svg(picture)}<figcaption>{escape(picture.alt)}</'
            "figcaption></figure>"
        )
        for title, picture in pictures(story)
    )


def _tables(story: LogReport) -> str:
    tables = {
        "Requests": story.requests,
        "Brokers: how long they took to answer": story.brokers,
        "Groups: who came, and who went": story.members,
        "Rebalances": story.rebalances, "Commits": story.commits,
        "Read twice": story.rereads,
        "Lag": story.lag,
        "Transactions": story.transactions, "Producers": story.producers, "Sockets": story.sockets,
        "Brokers' logs": story.servers,
        "What coordinators wrote": story.coordinators,
        "Files": story.files, "Lines that the catalogue does not know": story.unknown,
    }  # fmt: skip
    names = _short_names(story)
    return "\n".join(
        (
            f"<details{' open' if title in ('Requests', 'Rebalances', 'Commits', 'Transactions') else ''}><summary>{title} "  # noqa: E501
            f"({len(rows)})</summary>{_table(rows, names)}</details>"
        )
        for title, rows in tables.items()
        if len(rows)
    )


def _short_names(story: LogReport) -> dict[str, str]:
    """Each file's name, with as many of its folders as tell it from the others."""
    files = [f"/{file}" for file in story.files["file"]]
    found = {}
    for file in files:
        ends = (file[at:] for at in range(len(file) - 1, -1, -1) if file[at] == "/")
        alone = (end for end in ends if sum(each.endswith(end) for each in files) == 1)
        found[file[1:]] = next(alone, file)[1:]
    return found


def _table(rows: pd.DataFrame, names: dict[str, str] | None = None) -> str:
    numbers = {name for name in rows.columns if pd.api.types.is_numeric_dtype(rows[name])}
    head = "".join(
        f"<th{' class=n' if name in numbers else ''}>{escape(str(name).replace('_', ' '))}</th>"
        for name in rows.columns
    )
    body = "\n".join(
        "<tr>"
        + "".join(
            f"<td{' class=n' if name in numbers else ' class=t' if name in UNBROKEN else ''}>"
            f"{_cell(name, value, names or {})}</td>"
            for name, value in zip(rows.columns, row)
        )
        + "</tr>"
        for row in rows.itertuples(index=False)
    )
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n'
        "</tbody></table></div>"
    )


def _cell(name: str, value: Any, names: dict[str, str]) -> str:
    if isinstance(value, list | tuple) or (
        hasattr(value, "tolist") and getattr(value, "ndim", False)
    ):
        return escape(", ".join(map(str, value)))
    if value is None or pd.isna(value):
        return ""
    if name == "file":
        short = names.get(value, value.rsplit("/", 1)[-1])
        return f'<span title="{escape(value)}">{escape(short)}</span>'
    if name in TIMES:
        return clock_of(value)
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() else f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) and "id" not in name else escape(str(value))
