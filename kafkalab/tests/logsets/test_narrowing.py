"""A narrowed query has the rows of the query itself, and reads less."""

import pytest
from pyspark.sql import datasource as ds
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from kafkalab.logsets.narrowing import narrowed
from kafkalab.logsets.reader import read

RUN = "4.4.0/3.9.2/group_slow_poll"


@pytest.fixture(scope="module")
def lines(spark, recordings):
    return spark.read.format("kafkalab").load(str(recordings / RUN))


def readings(frame) -> list[str]:
    """What each reading of a plan makes: its columns."""
    plan = frame._jdf.queryExecution().optimizedPlan().toString()
    return [line.partition("RelationV2")[2] for line in plan.splitlines() if "RelationV2" in line]


def columns(reading: str) -> list[str]:
    inside = reading[reading.index("[") + 1 : reading.index("]")]
    return [name.partition("#")[0].strip() for name in inside.split(",")]


def options(frame) -> dict[str, str]:
    """The options of a frame's one reading, without its path."""
    plan = frame._jdf.queryExecution().optimizedPlan()
    while plan.children().size():
        plan = plan.children().head()
    given = plan.relation().options().asCaseSensitiveMap()
    return {name.lower(): text for name, text in given.items() if name.lower() != "path"}


QUERIES = {
    "a column": lambda lines: lines.select("level"),
    "a filter": lambda lines: lines.where("level = 'WARN'"),
    "values that the catalogue lacks": lambda lines: lines.where("event in ('NO_SUCH', 'HEARTBEAT_SENT')"),
    "an impossible level": lambda lines: lines.where("level = 'LOUD'").select("message"),
    "a count": lambda lines: lines.groupBy("client_id", "level").count(),
    "a filter on what is computed": lambda lines: lines.where("upper(level) = 'WARN'").select("event"),
    "either of two": lambda lines: lines.where("level = 'WARN' or event = 'JOINED_GROUP'"),
    "not": lambda lines: lines.where("level != 'DEBUG'").select("level", "file_offset"),
    "a span": lambda lines: lines.where(
        "time > '2026-11-21 02:08:00.5' and time <= '2026-11-21 02:08:09.199'"
    ).select("time", "message"),
    "the other way round": lambda lines: lines.where("'INFO' = level and timestamp '2026-11-21 02:08:09' > time"),
    "many values": lambda lines: lines.where(F.col("level").isin("WARN", "INFO", *map(str, range(12)))),
    "a self-join": lambda lines: lines.where("level = 'WARN'").select("client_id", "time").alias("a").join(
        lines.where("event = 'JOINED_GROUP'").select("client_id", "generation").alias("b"), "client_id"
    ),
    "a union": lambda lines: lines.where("level = 'WARN'").union(lines.where("level = 'INFO'")).select("message"),
    "a window": lambda lines: lines.selectExpr(
        "client_id", "lag(event) over (partition by client_id order by time, file_offset) before"
    ).where("before is not null"),
    "columns by place": lambda lines: lines.select("level", "event").mapInArrow(lambda it: it, "level string, event string"),
    "except": lambda lines: lines.select("event").exceptAll(lines.where("level = 'DEBUG'").select("event")),
    "distinct": lambda lines: lines.dropDuplicates(["event"]).select("event"),
    "a limit": lambda lines: lines.orderBy("file_offset").limit(7).where("level = 'INFO'"),
    "a subquery": lambda lines: lines.where(
        F.col("file_offset") > lines.where("level = 'WARN'").select(F.min("file_offset")).scalar()
    ).select("file_offset"),
}  # fmt: skip


@pytest.mark.parametrize("name", QUERIES)
def test_a_narrowed_query_has_its_rows(lines, name):
    asked = QUERIES[name](lines)
    wanted, found = asked.toPandas(), narrowed(asked).toPandas()
    assert list(wanted.columns) == list(found.columns) and sorted(
        map(repr, wanted.itertuples(index=False))
    ) == sorted(map(repr, found.itertuples(index=False)))


def test_it_reads_the_columns_and_lines_that_are_needed(lines):
    [one] = readings(narrowed(lines.where("level = 'WARN'").select("client_id")))
    assert columns(one) == ["level", "client_id"]
    assert options(narrowed(lines.where("level = 'WARN'"))) == {"level": "WARN"}
    found = options(narrowed(lines.where(
        "event in ('JOINED_GROUP', 'POLL_TIMEOUT_EXPIRED') and client_id = 'inv-1' and "
        "time >= '2026-11-21 02:08:00' and time < '2026-11-21 02:09:00' and length(message) > 3"
    )))  # fmt: skip
    assert found == {
        "events": "JOINED_GROUP,POLL_TIMEOUT_EXPIRED", "clientid": "inv-1",
        "since": "2026-11-21T02:08:00+00:00", "until": "2026-11-21T02:09:00+00:00",
    }  # fmt: skip
    [counted] = readings(narrowed(lines.groupBy().count()))
    assert columns(counted) == ["file_offset"]
    both = readings(narrowed(QUERIES["a self-join"](lines)))
    assert sorted(map(len, map(columns, both))) == [3, 3]
    assert options(narrowed(lines.where("level = 'WARN' or event = 'JOINED_GROUP'"))) == {}


def test_what_is_asked_of_the_source_itself_stays(spark, recordings, tmp_path):
    path = str(recordings / RUN)
    source = spark.read.format("kafkalab").option("level", "INFO")
    asked = narrowed(source.load([path, path]).where("level = 'WARN'").select("level"))
    assert options(asked)["level"] == "INFO" and asked.count() == 0
    (tmp_path / "a.log").write_text("what is this?\n")
    strict = spark.read.format("kafkalab").option("mode", "DROPMALFORMED").load(str(tmp_path))
    assert narrowed(strict.where("level = 'WARN'")).count() == 0
    assert options(narrowed(strict.where("level = 'WARN'"))) == {"mode": "DROPMALFORMED"}


def test_a_frame_that_reads_no_log_or_is_kept_is_left_as_it_is(spark, lines, recordings):
    assert narrowed(spark.range(3)).count() == 3
    kept = lines.select("level", "event").cache()
    try:
        assert kept.count() == narrowed(kept.where("level is not null")).count()
    finally:
        kept.unpersist()
    whole = read(spark, recordings / RUN).groupBy("client_id", "level").count()
    assert sorted(map(tuple, narrowed(whole).collect())) == sorted(map(tuple, whole.collect()))


def test_sql_of_a_view_is_narrowed(spark, lines):
    lines.createOrReplaceTempView("night")
    asked = spark.sql(
        "with w as (select * from night where level = 'WARN') "
        "select a.event, count(*) n from w a join w b using (client_id) group by a.event"
    )
    assert sorted(map(tuple, narrowed(asked).collect())) == sorted(map(tuple, asked.collect()))
    plain = narrowed(spark.sql("select event from night where level = 'WARN'"))
    assert options(plain) == {"level": "WARN"} and plain.count() > 0


class Numbers(ds.DataSource):
    """A source of 0 to 9 that takes a filter."""

    @classmethod
    def name(cls) -> str:
        return "numbers_that_take_filters"

    def schema(self) -> str:
        return "n int"

    def reader(self, schema: StructType) -> ds.DataSourceReader:
        return NumbersReader()


class NumbersReader(ds.DataSourceReader):
    most = 9

    def pushFilters(self, filters):
        for each in filters:
            if isinstance(each, ds.LessThanOrEqual):
                self.most = each.value
            else:
                yield each

    def read(self, partition):
        yield from ((n,) for n in range(self.most + 1))


def test_spark_still_keeps_a_filter_for_the_next_query(spark):
    """Where this fails, Spark is mended: then the source may take filters itself."""
    name = "spark.sql.python.filterPushdown.enabled"
    before = spark.conf.get(name)
    spark.conf.set(name, "true")
    try:
        spark.dataSource.register(Numbers)
        numbers = spark.read.format(Numbers.name()).load()
        assert numbers.where("n <= 3").count() == 4
        assert numbers.count() == 4, "Spark no longer keeps it"
    finally:
        spark.conf.set(name, before)
