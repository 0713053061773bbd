"""DuckDB's best code for all columns of schema.py. Three ways were tried; `TRIES` holds them, and
the fastest is the peer.

`by_text`: the file as one text, cut at a line break before a time; the head's parts are the groups
    of one regular expression; the gaps by one `case` for all templates that fill the same columns.
`by_line`: the CSV reader's lines, which it reads on all cores; what does not start with a time is
    put back to the line before, and only those records pay for it; the others as before.
`by_template`: as by_text, but the lines of each template in a query of their own, all put together
    by name.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import duckdb

from bench._catalogue import (
    COLUMNS,
    COORDINATOR_BASE,
    COORDINATOR_LOWEST,
    NUMBERS,
    PREFIX,
    gaps,
    sites,
)
from kafkalab.logsets.templates import FIELDS, all_patterns

WHOLE = r"(?s)^\[([^,]*,\d{3})\] (\w+) +" + PREFIX + r"(.*?) \(([\w.$]+)(?::(\d+))?\)(?:\n(.*))?$"
HEAD = r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] "


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def parsed() -> str:
    """`parsed`: the head's parts of `records` (text, begins),
    and the number of the template that the place in the source has."""
    alone, shared = sites()
    places = ", ".join(
        f"({quoted(s.logger)}, {s.line}, {s.pattern}, {quoted(s.event)})" for s in alone
    )
    closer = " ".join(
        (
            f"when p.logger = {quoted(s.logger)} and p.line = '{s.line}' and "
            f"regexp_matches(p.message, {quoted(all_patterns()[s.pattern].whole)}) then {s.pattern}"
        )
        for s in shared
    )
    named = " ".join(f"when {s.pattern} then {quoted(s.event)}" for s in shared)
    return f"""
    places(logger, line, pattern, event) as (values {places}),
    cut as materialized (
        select begins, regexp_extract(text, '{WHOLE}', ['at', 'level', 'kind', 'client', 'grp', 'message', 'logger', 'line', 'trace']) as p from records
    ),
    found as (
        select begins, p, places.pattern, places.event, case when places.pattern is null then case {closer} end end as closer
        from cut left join places on p.logger = places.logger and p.line = places.line::varchar
    ),
    parsed as materialized (
        select begins as file_offset, strptime(p.at, '%Y-%m-%d %H:%M:%S,%g') as time, p.level as level, nullif(lower(p.kind), '') as kind,
            nullif(p.client, '') as client_id, nullif(nullif(p.grp, 'null'), '') as group_id, p.logger as logger, nullif(p.line, '')::int as line,
            p.message as message, nullif(p.trace, '') as trace, coalesce(pattern, closer) as pattern,
            coalesce(event, case closer {named} end) as event
        from found
    )"""  # noqa: E501


def by_case() -> str:
    """The gaps in one pass: a `case` for each set of columns that templates fill."""
    alike: dict[tuple[str, ...], list[tuple[int, str]]] = defaultdict(list)
    for number, pattern in gaps().items():
        alike[pattern.fields].append((number, pattern.gaps or ""))
    structs, holders = [], defaultdict(list)
    for place, (fields, templates) in enumerate(alike.items()):
        names = "[" + ", ".join(map(quoted, fields)) + "]"
        cases = " ".join(
            f"when {number} then regexp_extract(message, {quoted(text)}, {names})"
            for number, text in templates
        )
        structs.append(f"case pattern {cases} end as g{place}")
        for name in fields:
            holders[name].append(f"nullif(g{place}.{name}, '')")
    values = ", ".join(
        f"coalesce({', '.join(holders[name])}) as {name}" if holders[name] else f"null as {name}"
        for name in FIELDS
    )
    return f"""{parsed()},
    gapped as (select *, {", ".join(structs)} from parsed),
    filled as (select * exclude ({", ".join(f"g{place}" for place in range(len(structs)))}), {values} from gapped)"""  # noqa: E501


def by_union() -> str:
    """The gaps of each template in a query of its own."""
    queries = []
    for number, pattern in gaps().items():
        names = "[" + ", ".join(map(quoted, pattern.fields)) + "]"
        values = ", ".join(
            f"nullif(g.{name}, '') as {name}"
            if name in pattern.fields
            else f"null::varchar as {name}"
            for name in FIELDS
        )
        queries.append(
            f"select * exclude (g), {values} from (select *, regexp_extract(message, "
            f"{quoted(pattern.gaps or '')}, {names}) as g from parsed where pattern = {number})"
        )
    nothing = ", ".join(f"null::varchar as {name}" for name in FIELDS)
    without = (
        f"select *, {nothing} from parsed where pattern is null or pattern not in "
        f"({', '.join(map(str, gaps()))})"
    )
    return f"{parsed()},\n    filled as ({' union all '.join([*queries, without])})"


def chosen(path: Path) -> str:
    """The columns in their order and types."""
    values = {
        name: f"{name}::{'int' if size == 32 else 'bigint'} as {name}"
        for name, size in NUMBERS.items()
    }
    node = "ltrim(node_id, '+')::bigint"
    values |= {
        "file": f"'{path}' as file", "thread": "null::varchar as thread",
        "problem": "null::varchar as problem", "file_offset": "file_offset",
        "broker": f"(case when {node} < 0 then null when {node} > {COORDINATOR_LOWEST} then "
                  f"{COORDINATOR_BASE} - {node} else {node} end)::int as broker",
    }  # fmt: skip
    return f"select {', '.join(values.get(name, name) for name in COLUMNS)} from filled"


def texts(path: Path) -> str:
    cut = "string_split(rtrim(content, chr(10)), chr(10) || '[20')"
    return f"""
    with cuts as (select unnest({cut}) as text, generate_subscripts({cut}, 1) as n from read_text('{path}')),
    whole as (select n, case when n = 1 then text else '[20' || text end as text from cuts),
    records as (select text, coalesce(sum(strlen(text) + 1) over (order by n rows between unbounded preceding and 1 preceding), 0)::bigint as begins from whole),"""  # noqa: E501


def by_text(path: Path) -> str:
    return f"{texts(path)} {by_case()} {chosen(path)}"


def by_template(path: Path) -> str:
    return f"{texts(path)} {by_union()} {chosen(path)}"


def by_line(path: Path) -> str:
    read = (
        f"read_csv('{path}', columns={{'text': 'varchar'}}, delim=chr(1), quote='', escape='', "
        "header=false, auto_detect=false, null_padding=false, strict_mode=false, nullstr=chr(2), "
        "max_line_size=16000000)"
    )
    return f"""
    with numbered as (select coalesce(text, '') as text, row_number() over () as n from {read}),
    placed as (select text, n, (sum(strlen(text) + 1) over (order by n rows unbounded preceding) - strlen(text) - 1)::bigint as begins from numbered),
    marked as materialized (select text, n, begins, regexp_matches(text, '^{HEAD}') as head from placed),
    owned as materialized (
        select text, n, head, max(case when head then n end) over (order by n rows unbounded preceding) as owner from marked
    ),
    heads as (select n, begins, text from marked where head),
    more as materialized (select owner as n, string_agg(text, chr(10) order by owned.n) as text from owned where not head group by owner),
    records as (select case when more.text is null then heads.text else heads.text || chr(10) || more.text end as text, begins from heads left join more using (n)),
    {by_case()} {chosen(path)}"""  # noqa: E501


TRIES = (by_text, by_line, by_template)


def run(make, path: Path) -> tuple:
    """Every column forced: the sum of its hashes."""
    with duckdb.connect() as peer:
        return peer.execute(f"select sum(hash(columns(*))) from ({make(path)})").fetchall()[0]


def arrow_table(make, path: Path):
    with duckdb.connect() as peer:
        return peer.execute(make(path)).to_arrow_table()
