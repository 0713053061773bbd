"""Tells when a broker or a controller was away, from its own log and from those of the others.

A broker that starts again says so. Where its log has no word of a stop before, it was away since
the first connection that failed in its log's longest silence, or since that began. A start that
fails says why in a stack trace, and the broker stays away. A controller
says when it let a broker stop, or fenced it. Of a broker without a log of its own the clients tell,
whose connections to it failed, and of a KRaft controller the brokers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pandas as pd

from kafkalab.lines.catalog import SERVER_CATALOG
from kafkalab.logsets.engine import F, Window
from kafkalab.logsets.explain.oddities import cause_of, clock_of
from kafkalab.logsets.set_clocks import MOMENT

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

STARTS, STARTED = "BROKER_STARTS", "BROKER_STARTED"
STOPS, STOPPED = "BROKER_STOPS", "BROKER_STOPPED"
TERMINATES = "PROCESS_TERMINATES"
"""A broker 4.4 and a controller 4.4 may say no more: Java ends what writes their log."""
NO_DISK = "LOG_DIRS_FAILED"
OWN = (STARTS, STARTED, STOPS, STOPPED, TERMINATES, NO_DISK)
BOOTS = "PROCESS_BOOTS"
"""The first line of any process of Kafka's: the lines above are those of a process before."""
START_FAILED, NOT_UP = "START_FAILED", ("START_FAILED", "PROCESS_FAILED", "PROCESS_FAULTY")
CONTROLLERS_OWN = ("CONTROLLER_STARTS", "CONTROLLER_STARTED", "CONTROLLER_STOPS")
ACTIVE = "CONTROLLER_ACTIVE"
NOT_REACHED, ITS_NODE = "CONTROLLER_NOT_REACHED", r"to node (\d+)"
NOT_FETCHED = ("REPLICA_FETCH_FAILED", "REPLICA_LEADER_NOT_REACHED")
ITS_LEADER = r"leaderId=(\d+)"
FENCED, UNFENCED, LETS_STOP = "BROKER_FENCED", "CONTROLLER_UNFENCES", "CONTROLLER_LETS_STOP"
OLD = "BROKERS_CHANGED"
OF_CONTROLLER = (FENCED, UNFENCED, LETS_STOP, OLD)
FAILED = ("CONNECTION_NOT_ESTABLISHED", "NODE_DISCONNECTED", "DISCONNECTING_REQUEST_TIMEOUT")
SILENT, IN_ORDER = "its log ends without a stop", "it stopped in order"
BY_ITSELF = "it ended itself, for all its log directories had failed"
HELD = re.compile("Address already in use|Failed to acquire lock")
BY_FAULT = "it ended itself after a fatal error"
UNNAMED = "no line of a stop names it"  # in a log of several brokers
BY_CONTROLLER = "its controller fenced it"
BY_CLIENTS = "as long as connections to it failed"
MEMBER = r"(?i)broker (\d+)"
ADDED, DELETED = r"added brokers: ([\d,]*)", r"deleted brokers: ([\d,]*)"
MOST = 3000  # Lines, or seconds with a failure; absences are few.
BOOT_LINES = 10  # A log that was cut may begin within these, before a broker says that it starts.
LEAST = 3  # So many failed connections are an absence.
CALM = pd.Timedelta(seconds=30)  # After so long without one an absence of this kind has ended.
NEAR = pd.Timedelta(seconds=2)  # What clients saw may begin so long before.
FENCING = pd.Timedelta(seconds=60)  # A controller notices within its session's time.


@dataclass
class Absence:
    """A time in which a broker was away, or a controller.

    broker  its node id; role: which of the two it is
    how    what is known of its end: it stopped in order, it ended without a word, …
    until  when it was back; None where no line tells
    seen_by  who tells of it: `its own log`, `its followers`, `its controller`
    clients  the others that tell of it: clients, or nodes of the cluster of a controller's absence
    back_seen  whether another log tells of its return; else a clock that was set changes the length
    last_line  where no line tells of its end: when it was last seen. Others missed it later
    failed_starts, why  how many starts failed in that time, and the reason of the last one
    """

    broker: int
    since: pd.Timestamp
    until: pd.Timestamp | None
    how: str
    seen_by: list[str] = field(default_factory=list)
    clients: set[str] = field(default_factory=set)
    back_seen: bool = False
    last_line: pd.Timestamp | None = None
    role: str = "Broker"
    failed_starts: int = 0
    why: str = ""

    def sentence(self) -> str:
        """What the report says of it first."""
        seen = list(self.seen_by)
        if self.clients:
            names = sorted(self.clients)
            others = "clients" if self.role == "Broker" else "nodes"
            seen.append(", ".join(names) if len(names) <= 3 else f"{len(names)} {others}")
        verb = "could not be reached" if self.how.startswith(BY_CLIENTS) else "was away"
        until = "" if self.until is None else f" to {clock_of(self.until)}"
        length = "its return is not said"
        if self.until is not None:
            alone = " by its own clock" if "its own log" in seen and not self.back_seen else ""
            length = f"{_seconds(self.until - self.since)}{alone}"
        how = self.how
        if self.failed_starts:
            times = "a start" if self.failed_starts == 1 else f"{self.failed_starts} starts"
            how = "; ".join(filter(None, (how, f"{times} failed: {self.why}")))
        if HELD.search(how):
            how += "; perhaps another process of it runs"
        since = clock_of(self.since)
        if self.last_line is not None and self.last_line < self.since:
            since += f" (last seen at {clock_of(self.last_line)})"
        elif self.last_line is not None:
            since = f"{since} at the earliest"
            length = length if self.until is None else f"at most {length}"
        return (
            f"{self.role} {self.broker} {verb} from {since}{until} ({length}; "
            f"{how}): seen by {', '.join(seen)}."
        )


def _seconds(span: pd.Timedelta) -> str:
    return f"{span.total_seconds():.1f} s"


def absences_of(lines: DataFrame, told: pd.DataFrame | None = None) -> list[Absence]:
    """The absences that these lines tell of (all columns of schema.py), in the order of time.

    told: what told_by_servers() gave for them, where it is known.
    """
    told = told_by_servers(lines) if told is None else told
    own = told[told["event"].isin((*OWN, BOOTS, *NOT_UP))]
    failed = _by_second(
        lines.where(F.col("event").isin(*FAILED) & F.col("client_id").isNotNull()).where(
            "broker is not null and time is not null"
        ),
        F.count_if(F.col("event") == FAILED[0]),
        *("client_id", "broker"),
    )
    # A node that is a broker and a controller has one number, and one absence.
    nodes = _nodes_not_reached(lines, told)
    is_broker = nodes["broker"].isin(own["broker"])
    failed = pd.concat([failed, nodes[is_broker]]) if is_broker.any() else failed
    failed = failed.sort_values(["second", "client_id", "broker"])
    found = list(_by_their_own_logs(lines, own))
    # Followers fetch all the time, so they are often the first to miss a broker. Their rows have no
    # client_id.
    leader = F.regexp_extract("message", ITS_LEADER, 1).cast("int").alias("broker")
    fetches = lines.where(F.col("event").isin(*NOT_FETCHED) & F.col("time").isNotNull())
    missed = pd.concat([failed, _by_second(fetches.select(leader, "time"), F.count("*"), "broker")])
    for absence in found:
        if absence.last_line is not None:
            _begin_with_clients(absence, missed)
    _add_controllers(found, told[told["event"].isin(OF_CONTROLLER)])
    _add_clients(found, failed)
    for absence in found:
        if absence.how.startswith((BY_CONTROLLER, BY_CLIENTS)):
            _ask_its_own_log(lines, absence)
    found += _of_controllers(lines, told, nodes[~is_broker])
    _add_successors(found, told[told["event"] == ACTIVE])
    return sorted(found, key=lambda each: (each.since, each.broker))


def broker_starts(told: pd.DataFrame) -> pd.DataFrame:
    """When each broker had started, by its own log and by its controller's: MOMENT of
    set_clocks.py, of told_by_servers(). Where one of them has fewer starts, several logs tell of
    them, or the controller first tells of an end, nobody knows which is which."""
    own = told[(told["event"] == STARTED) & told["broker"].notna()]
    rows = [
        (f"broker {row.broker:.0f}", int(row.broker), row.file, row.time)
        for row in own.itertuples()
    ]
    here: dict[tuple[str, int], bool] = {}  # whether a log tells first that a broker came
    for row in told[told["event"].isin(OF_CONTROLLER)].itertuples():
        for broker, gone in _members(row):
            if here.setdefault((row.file, broker), not gone) and not gone:
                rows.append(("the controller", broker, row.file, row.time))
    found = pd.DataFrame(rows, columns=["who", "broker", "file", "at"]).sort_values("at")
    of = found.groupby(["who", "broker"])
    starts, logs = of["at"].transform("size"), of["file"].transform("nunique")
    known = (starts.groupby(found["broker"]).transform("nunique") == 1) & (
        logs.groupby(found["broker"]).transform("max") == 1
    )
    what = [f"the start of broker {number}" for number in found["broker"]]
    found = found.assign(number=of.cumcount() + 1, what=what, may_be_late=False)
    return found.loc[known, MOMENT]


def told_by_servers(lines: DataFrame) -> pd.DataFrame:
    """The lines in which brokers and controllers tell of starts and ends, their own or others', in
    the order of each file: file, file_offset, time, event, broker, message, trace."""
    events = (*OWN, BOOTS, *NOT_UP, *CONTROLLERS_OWN, *OF_CONTROLLER, ACTIVE)
    found: pd.DataFrame = (
        lines.where(F.col("event").isin(*events) & F.col("time").isNotNull())
        .select("file", "file_offset", "time", "event", "broker", "message", "trace")
        .orderBy("file", "file_offset")
        .limit(MOST)
        .toPandas()
    )
    return found


def _by_their_own_logs(lines: DataFrame, own: pd.DataFrame) -> Iterator[Absence]:
    # A broker 4.4 says that it has started also where its start has failed.
    fails = (own["event"].shift(-1) == START_FAILED) & (own["file"].shift(-1) == own["file"])
    own = own[~(fails & (own["event"] == STARTED))]
    of_broker = own.dropna(subset=["broker"]).groupby(["file", "broker"], sort=False)
    brokers_of = own.groupby("file")["broker"].nunique()
    for (file, number), named in of_broker:
        log = _OwnLog(lines, str(file), int(number), brokers_of[file] == 1)
        # In a log of several brokers its lines are those that name it.
        for row in (own[own["file"] == file] if log.is_alone else named).itertuples():
            yield from log.next(row)
        yield from log.end()


@dataclass
class _OwnLog:
    """What the log of a broker or a controller has told so far of its starts and ends.

    is_alone  whether no other broker writes into it
    boot      the first line of the process that writes, where a log has it
    ran_from  where it said that it runs; None where it does not
    stopped, how  when it ended, and how
    away      the absence that lasts
    """

    lines: DataFrame
    file: str
    broker: int
    is_alone: bool
    boot: pd.Series | None = None
    ran_from: int | None = None
    stopped: pd.Timestamp | None = None
    how: str = ""
    away: Absence | None = None
    is_first: bool = True
    is_failing: bool = False

    def next(self, row: pd.Series) -> Iterator[Absence]:
        """Take the next line. Yields the absence that ends with it."""
        if row.event == BOOTS:
            if self.stopped is None and self.away is None and self._ran_before(row):
                self._is_away_since(self._last_above(row), SILENT)
            self.boot, self.ran_from = row, None
            self.is_first = self.is_failing = False
        elif row.event in NOT_UP:
            self._fails(row)
        elif row.event == STARTS:
            self._starts(row)
        elif row.event == STARTED:
            if self.away is None and self.stopped is not None:  # no line of its start names it
                self._is_away_since(self.stopped, self.how)
            if self.away is not None:
                self.away.until = row.time
                yield self.away
            self.away, self.stopped, self.how = None, None, ""
            self.ran_from = int(row.file_offset)
        elif row.event != STOPPED and not self.how.startswith(BY_FAULT):
            self.stopped = row.time
            self.how = BY_ITSELF if row.event == NO_DISK else IN_ORDER

    def end(self) -> Iterator[Absence]:
        """Yields the absence that the log does not end."""
        if self.away is None and self.stopped is not None:
            self._is_away_since(self.stopped, self.how)
        if self.away is not None:
            yield self.away

    def _starts(self, row: pd.Series) -> None:
        if self.away is None and self.stopped is not None:
            self._is_away_since(self.stopped, self.how)
        elif self.away is None and self.boot is None:
            if self.is_first and self.is_alone and self._is_far_down(row):
                self.ran_from = 0
            if self.ran_from is not None:
                silent = SILENT if self.is_alone else UNNAMED
                self._is_away_since(self._before_its_silence(row), silent)
        self.ran_from, self.is_first, self.is_failing = None, False, False

    def _fails(self, row: pd.Series) -> None:
        """A process says that it ends, for an error. One line of it has the reason."""
        cause = cause_of(row.message, row.trace).partition(". ")[0].rstrip(".")
        if self.ran_from is not None and self.stopped is None:  # else it was stopping already
            self.stopped, self.how = row.time, f"{BY_FAULT}: {cause}"
        if self.is_failing or self.ran_from is not None:
            return
        if self.away is None:
            began = (row if self.boot is None else self.boot).time
            self._is_away_since(began if self.stopped is None else self.stopped, self.how)
        if self.away is not None:
            self.away.failed_starts, self.away.why = self.away.failed_starts + 1, cause
        self.is_failing = True

    def _is_away_since(self, since: pd.Timestamp, how: str) -> None:
        last_line = since if how in (SILENT, UNNAMED) else None
        self.away = Absence(self.broker, since, None, how, ["its own log"], last_line=last_line)

    def _ran_before(self, boot: pd.Series) -> bool:
        """Whether a process ran before this one. The lines above a log's first one may be those of
        a script that waited for others, else the log was rotated."""
        if not self.is_first:
            return self.ran_from is not None
        servers = self._above(boot).where(F.col("event").isin(*SERVER_CATALOG))
        return servers.limit(1).count() > 0

    def _last_above(self, row: pd.Series) -> pd.Timestamp:
        last: pd.DataFrame = self._above(row).orderBy(F.desc("file_offset")).limit(1).toPandas()
        in_server_log = pd.Timestamp(last["time"].iloc[0])
        # Kafka's log4j settings give a node several files, such as controller.log
        named = F.when(F.col("event").isin(*SERVER_CATALOG), F.col("broker"))
        others: pd.DataFrame = (
            self.lines.where(F.col("file") != self.file)
            .groupBy("file")
            .agg(
                F.min(named).alias("least"),
                F.max(named).alias("most"),
                F.max(F.when(F.col("time") < row.time, F.col("time"))).alias("last"),
            )
            .where((F.col("least") == self.broker) & (F.col("most") == self.broker))
            .where("last is not null")
            .toPandas()
        )
        return max([in_server_log, *map(pd.Timestamp, others["last"])])

    def _above(self, row: pd.Series) -> DataFrame:
        above = (F.col("file") == self.file) & (F.col("file_offset") < int(row.file_offset))
        return self.lines.where(above & F.col("time").isNotNull())

    def _is_far_down(self, row: pd.Series) -> bool:
        """Whether a log has more lines above a start than a process writes until then."""
        return self._above(row).limit(BOOT_LINES + 1).count() > BOOT_LINES

    def _before_its_silence(self, row: pd.Series) -> pd.Timestamp:
        """The time of the last line before the longest silence up to a start."""
        of_itself = F.col("event").isin(*SERVER_CATALOG) & (F.col("broker") == self.broker)
        lines = self.lines if self.is_alone else self.lines.where(of_itself)
        in_turn = Window.partitionBy("file").orderBy("file_offset")
        gaps: pd.DataFrame = (
            lines.where((F.col("file") == self.file) & F.col("time").isNotNull())
            .where(F.col("file_offset").between(self.ran_from or 0, int(row.file_offset)))
            .select("time", F.lag("time").over(in_turn).alias("before"))
            .withColumn("gap", F.unix_millis("time") - F.unix_millis("before"))
            .orderBy(F.desc("gap"), "time")
            .limit(1)
            .toPandas()
        )
        before = gaps["before"].iloc[0] if len(gaps) else row.time
        return pd.Timestamp(row.time if pd.isna(before) else before)


def _nodes_not_reached(lines: DataFrame, told: pd.DataFrame) -> pd.DataFrame:
    """The second-wise failures of brokers and controllers to reach a controller, which is in
    `broker`, as those of clients to reach a broker."""
    node = F.regexp_extract("message", ITS_NODE, 1).cast("int")
    not_reached = lines.where((F.col("event") == NOT_REACHED) & F.col("time").isNotNull())
    failed = _by_second(
        not_reached.withColumn("node", node), F.count("*"), "file", "broker", "node"
    )
    # One that starts before a controller finds nobody yet, and so it is while a cluster starts.
    up = told[told["event"].isin((STARTED, CONTROLLERS_OWN[1]))]
    started = failed["file"].map(up.groupby("file")["time"].min())
    its_start = failed["node"].map(up.groupby("broker")["time"].min())
    together = (failed["first"] < its_start) & (its_start < started + FENCING)
    failed = failed[~((failed["first"] < started) | together)]
    controllers = told.loc[told["event"].isin((*CONTROLLERS_OWN, TERMINATES)), "file"]
    roles = {
        **dict.fromkeys(controllers, "controller"),
        **dict.fromkeys(_files_of_brokers(told), "broker"),
    }
    names = [
        f"{roles.get(file, 'node')} {number:.0f}"
        for file, number in zip(failed["file"], failed["broker"], strict=True)
    ]
    return failed.assign(client_id=names, broker=failed["node"])


def _by_second(failed: DataFrame, refused: Column, *keys: str) -> pd.DataFrame:
    """What failed in each second for the same keys: refused, first, last."""
    found: pd.DataFrame = (
        failed.groupBy(*keys, F.date_trunc("second", "time").alias("second"))
        .agg(refused.alias("refused"), F.min("time").alias("first"), F.max("time").alias("last"))
        .orderBy("second", *keys)
        .limit(MOST)
        .toPandas()
    )
    return found


def _files_of_brokers(told: pd.DataFrame) -> pd.Series:
    of_itself = told["event"].isin((*OWN, START_FAILED)) & told["broker"].notna()
    return told.loc[of_itself, "file"]


def _of_controllers(lines: DataFrame, told: pd.DataFrame, failed: pd.DataFrame) -> list[Absence]:
    """The absences of KRaft controllers: from their own logs, and from the brokers and the other
    controllers that could not reach them."""
    own = told[told["event"].isin((*CONTROLLERS_OWN, TERMINATES, BOOTS, *NOT_UP))]
    own = own[~own["file"].isin(_files_of_brokers(told))]
    own = own.assign(event=own["event"].replace(dict(zip(CONTROLLERS_OWN, OWN, strict=False))))
    found = list(_by_their_own_logs(lines, own))
    for absence in found:
        if absence.last_line is not None:
            _begin_with_clients(absence, failed)
    _add_clients(found, failed)
    for absence in found:
        absence.role, absence.back_seen = "Controller", bool(absence.clients)
    return found


def _add_successors(found: list[Absence], active: pd.DataFrame) -> None:
    """Say of the active controller when the next one was active: until then nobody led a quorum."""
    active = active.sort_values("time")
    for absence in found:
        before = active.loc[active["time"] < absence.since, "broker"]
        if before.empty or before.iloc[-1] != absence.broker:
            continue
        next_ = "no log tells of a next one"
        for row in active[active["time"] >= absence.since].head(1).itertuples():
            who = "was so again" if row.broker == absence.broker else f"{row.broker:.0f} took over"
            next_ = f"{who} at {clock_of(row.time)}"
        absence.how += f"; it was the active controller, and {next_}"


def _add_controllers(found: list[Absence], told: pd.DataFrame) -> None:
    """Join what controllers tell to absences, or make them of it."""
    open_now: dict[int, Absence] = {}
    for row in told.sort_values(["time", "file", "file_offset"]).itertuples():
        for broker, gone in _members(row):
            early = FENCING if row.event == LETS_STOP else NEAR
            known = next(
                (each for each in found if _is_within(each, broker, row.time, early)), None
            )
            if not gone and broker in open_now:
                known = open_now.pop(broker)
                known.until, known.back_seen = row.time, True
            elif not gone and known is not None:
                _end_by_controller(known, row.time)
            elif known is not None:
                if gone and row.event == LETS_STOP:
                    known.how, known.since = IN_ORDER, min(known.since, row.time)
                    known.last_line = None
                if gone and "its controller" not in known.seen_by:
                    known.seen_by.append("its controller")
            elif gone and row.event != LETS_STOP and broker not in open_now:
                how = BY_CONTROLLER if row.event == FENCED else "its session ended"
                open_now[broker] = Absence(broker, row.time, None, how, ["its controller"])
                found.append(open_now[broker])


def _end_by_controller(absence: Absence, back: pd.Timestamp) -> None:
    """End an absence when the controller has the broker back. It says of itself that it started
    within seconds of that: where it says so later, its clock jumped in between."""
    absence.back_seen = True
    if absence.until is not None and back + FENCING < absence.until and back > absence.since:
        absence.how += (
            f"; its own log says {clock_of(absence.until)}, so its clock was set, or it started "
            "again"
        )
        absence.until = back


def _members(row: pd.Series) -> Iterator[tuple[int, bool]]:
    """The brokers that a controller's line names, and whether they went."""
    text = pd.Series([row.message])
    if row.event == OLD:
        for pattern, gone in ((ADDED, False), (DELETED, True)):
            for number in text.str.extract(pattern)[0].fillna("").iloc[0].split(","):
                if number:
                    yield int(number), gone
        return
    number = text.str.extract(MEMBER)[0].iloc[0]
    if isinstance(number, str):
        yield int(number), row.event != UNFENCED


def _ask_its_own_log(lines: DataFrame, absence: Absence) -> None:
    """Say whether the own log of a broker is silent or goes on while others did not hear of it. One
    that is only cut off goes on writing."""
    of_broker = F.col("event").isin(*SERVER_CATALOG) & (F.col("broker") == absence.broker)
    own = lines.where(of_broker).select("file").distinct()
    is_before = F.unix_millis("time") < F.lit(round(absence.since.timestamp() * 1000))
    found: pd.DataFrame = (
        lines.join(F.broadcast(own), on=["file"], how="left_semi")
        .agg(
            F.max(F.when(is_before, F.col("time"))).alias("before"),
            F.min(F.when(~is_before, F.col("time"))).alias("after"),
        )
        .toPandas()
    )
    before, after = found["before"].iloc[0], found["after"].iloc[0]
    if pd.isna(before):
        return
    if pd.notna(after) and (absence.until is None or after < absence.until - NEAR):
        other = "was too slow" if absence.how == BY_CONTROLLER else "advertises a wrong address"
        absence.how += f", and its own log goes on: it was cut off, or {other}"
    elif absence.how == BY_CONTROLLER:  # a broker that runs may write nothing for a minute
        absence.seen_by.insert(0, "its own log")
        absence.how += (
            f", and its own log ends at {clock_of(before)}"
            if pd.isna(after)
            else f", and it stood still: no line from {clock_of(before)} to {clock_of(after)}"
        )


def _is_within(
    absence: Absence, broker: int, time: pd.Timestamp, early: pd.Timedelta = NEAR
) -> bool:
    end = absence.until if absence.until is not None else absence.since + FENCING
    return absence.broker == broker and absence.since - early <= time <= end + NEAR


def _begin_with_clients(absence: Absence, failed: pd.DataFrame) -> None:
    """Let an absence begin with the first connection or fetch that failed in it."""
    of_broker = failed[(failed["broker"] == absence.broker) & (failed["first"] >= absence.since)]
    if absence.until is not None:
        of_broker = of_broker[of_broker["first"] <= absence.until]
    if len(of_broker):
        absence.since = of_broker["first"].min()
    if of_broker["client_id"].isna().any():
        absence.seen_by.append("its followers")


def _add_clients(found: list[Absence], failed: pd.DataFrame) -> None:
    """Join what clients tell to absences, or make them of it."""
    for broker, rows in failed.groupby("broker"):
        left = []
        for row in rows.itertuples():
            known = [each for each in found if _is_within(each, int(broker), row.first)]
            for absence in known:
                # a connect that fails comes before the controller's session ends
                absence.clients.add(row.client_id)
            near = [
                each
                for each in found
                if each.broker == broker and row.first < each.since <= row.first + CALM
            ]
            if not known and near and "its own log" not in near[0].seen_by:
                near[0].since = row.first
                near[0].clients.add(row.client_id)
            elif not known and row.refused:
                left.append(row)
        _make_of_clients(found, int(broker), left)


def _make_of_clients(found: list[Absence], broker: int, rows: list) -> None:
    made: list[Absence] = []
    others: list = []  # too few together to be an absence
    group: list = []
    for row in [*rows, None]:
        if group and (row is None or row.first - group[-1].last > CALM):
            if sum(each.refused for each in group) >= LEAST:
                last = max(each.last for each in group)
                names = {each.client_id for each in group}
                made.append(Absence(broker, group[0].first, last, BY_CLIENTS, clients=names))
            else:
                others += group
            group = []
        if row is not None:
            group.append(row)
    if made and others:
        count, first, last = sum(row.refused for row in others), others[0].first, others[-1].last
        when = (
            f"at {clock_of(first)}" if count == 1 else f"from {clock_of(first)} to {clock_of(last)}"
        )
        made[0].how += f" ({count} more failed {when})"
    found += made
