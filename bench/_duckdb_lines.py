"""DuckDB's best code for the reader's columns. Two ways were tried; `TRIES` holds both, and the faster one is the peer.

`by_text`: the file as one text, cut at a line break before a time; then the groups of one regular expression.
`by_line`: the CSV reader's lines, which it reads on all cores; what does not start with a time is put back to the line before, and
only those records pay for it.
"""
from __future__ import annotations

from pathlib import Path

import duckdb

PREFIX = r"(?:\[(Consumer|Producer) (?:instanceId=[^,\]]*, )?clientId=([^,\]]*)(?:, groupId=([^,\]]*)|, transactionalId=[^,\]]*)?\] )?"
WHOLE = r"(?s)^\[([^,]*,\d{3})\] (\w+) +" + PREFIX + r"(.*?) \(([\w.$]+)(?::(\d+))?\)(?:\n(.*))?$"
HEAD = r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] "
REQUEST = (
    r"^(?:Sending (\w+) request with header|Received (\w+) response from node [-+\d]+ for request with header) "
    r"RequestHeader\(apiKey=\w+, apiVersion=(\d+), clientId=.*?, correlationId=(\d+)"
)
OLD_SENT = r"^Sending ([A-Z_]+) \{.* with correlation id (\d+) to node [-+\d]+$"
OLD_RECEIVED = r"^Completed receive from node [-+\d]+ for ([A-Z_]+) with correlation id (\d+), received "

TYPED = f"""
    parsed as (select regexp_extract(text, '{WHOLE}', ['at', 'level', 'kind', 'client', 'grp', 'message', 'logger', 'line', 'trace']) as p from records),
    said as (
        select p, case when p.logger = 'org.apache.kafka.clients.NetworkClient' then p.message end as m from parsed
    ),
    asked as (
        select p,
            case when starts_with(m, 'Sending ') or starts_with(m, 'Received ') then regexp_extract(m, '{REQUEST}', ['a', 'b', 'v', 'c']) end as n,
            case when starts_with(m, 'Sending ') then regexp_extract(m, '{OLD_SENT}', ['a', 'c']) end as s,
            case when starts_with(m, 'Completed receive') then regexp_extract(m, '{OLD_RECEIVED}', ['a', 'c']) end as r
        from said
    )
    select
        strptime(p.at, '%Y-%m-%d %H:%M:%S,%g') as time, p.level as level, nullif(lower(p.kind), '') as kind,
        nullif(p.client, '') as client_id, nullif(nullif(p.grp, 'null'), '') as group_id, p.logger as logger,
        nullif(p.line, '')::int as line,
        coalesce(nullif(n.a, ''), nullif(n.b, ''), nullif(s.a, ''), nullif(r.a, '')) as api,
        nullif(n.v, '')::int as api_version,
        coalesce(nullif(n.c, ''), nullif(s.c, ''), nullif(r.c, ''))::int as correlation_id,
        p.message as message, nullif(p.trace, '') as trace
    from asked
"""


def by_text(path: Path) -> str:
    cut = "unnest(string_split(rtrim(content, chr(10)), chr(10) || '[20'))"
    return f"""
    with cuts as (select {cut} as text from read_text('{path}')),
    records as (select case when starts_with(text, '[20') then text else '[20' || text end as text from cuts),
    {TYPED}"""


def by_line(path: Path) -> str:
    read = (
        f"read_csv('{path}', columns={{'text': 'varchar'}}, delim=chr(1), quote='', escape='', header=false, auto_detect=false, "
        "null_padding=false, strict_mode=false, nullstr=chr(2), max_line_size=16000000)"
    )
    return f"""
    with numbered as (select coalesce(text, '') as text, row_number() over () as n from {read}),
    marked as materialized (select text, n, regexp_matches(text, '^{HEAD}') as head from numbered),
    owned as materialized (
        select text, n, head, max(case when head then n end) over (order by n rows unbounded preceding) as owner from marked
    ),
    heads as (select n, text from marked where head),
    more as materialized (select owner as n, string_agg(text, chr(10) order by owned.n) as text from owned where not head group by owner),
    records as (select case when more.text is null then heads.text else heads.text || chr(10) || more.text end as text from heads left join more using (n)),
    {TYPED}"""


TRIES = (by_text, by_line)


def run(make, path: Path) -> tuple:
    """Every column forced: the sum of its hashes."""
    return duckdb.sql(f"select sum(hash(columns(*))) from ({make(path)})").fetchall()[0]


def table(path: Path):
    return duckdb.sql(TRIES[-1](path)).to_arrow_table()
